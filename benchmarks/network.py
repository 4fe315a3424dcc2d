"""Construction of large networks: seconds, and bytes for each directed channel."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from unknot.network import Network
from unknot.network.families import (
    cube_connected_cycles,
    de_bruijn,
    dragonfly,
    fat_tree,
    flattened_butterfly,
    irregular,
    kautz,
    mesh,
    random_regular,
    shuffle_exchange,
    slim_fly,
    star_graph,
    torus,
)

LARGE: tuple[tuple[Callable[..., Network], tuple[int, ...]], ...] = (
    (torus, (1024, 1024)),
    (torus, (100, 100, 100)),
    (mesh, (1000, 1000)),
    (fat_tree, (32, 4)),
    (dragonfly, (64,)),
    (flattened_butterfly, (16, 5)),
    (slim_fly, (64,)),
    (de_bruijn, (2, 20)),
    (kautz, (2, 19)),
    (shuffle_exchange, (20,)),
    (cube_connected_cycles, (16,)),
    (star_graph, (9,)),
    (random_regular, (1_000_000, 4)),
    (irregular, (1_000_000,)),
)


def size(network: Network) -> int:
    """Bytes of the arrays, the grouping by source included."""
    arrays = [network.source, network.target, network.latency, network.inject, network.eject, *network.outgoing]
    return sum(array.nbytes for array in arrays) + (0 if network.coordinates is None else network.coordinates.nbytes)


def main(runs: int = 3) -> None:
    for family, sides in LARGE:
        spent = []
        for _ in range(runs):
            begin = time.perf_counter()
            network = family(*sides)
            spent.append(time.perf_counter() - begin)
        print(
            f"{network.name}: {network.num_routers} routers, {network.num_channels} channels, "
            f"{statistics.median(spent):.2f} s (median of {runs}), "
            f"{size(network) / network.num_channels:.0f} bytes per channel",
            flush=True,
        )


if __name__ == "__main__":
    main()
