"""Construction of large networks: seconds, and bytes for each directed channel."""

from __future__ import annotations

import statistics
import time

from unknot.network import Network
from unknot.topologies import mesh, torus


def size(network: Network) -> int:
    """Bytes of the arrays, the grouping by source included."""
    arrays = [network.source, network.target, network.latency, network.inject, network.eject, *network.outgoing]
    return sum(array.nbytes for array in arrays) + (0 if network.coordinates is None else network.coordinates.nbytes)


def main(runs: int = 5) -> None:
    for family, sides in ((torus, (1024, 1024)), (torus, (100, 100, 100)), (mesh, (1000, 1000))):
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
