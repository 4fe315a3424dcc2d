"""Five fabrics of about a thousand endpoints, each under three patterns, whole and with failed links.

What a terminal gets through under uniform, adversarial and all-to-all traffic, and with 2 % of the links failed. Run
it with ``python examples/cluster.py``; ``--quick`` takes small fabrics and short runs.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

import unknot
from unknot.network import Network
from unknot.routing.named import routing_to_simulate
from unknot.units import Units

UNITS = Units(clock_ghz=1.25, flit_bytes=40)
"""50 GB/s a link: a 400 Gb/s port."""


@dataclass(frozen=True)
class Fabric:
    """A network, the routing it is run with whole, and what is sent against it."""

    name: str
    network: str
    small: str
    routing: str
    adversary: str


FABRICS = (
    Fabric("fat tree", "fat_tree(10, 3)", "fat_tree(4, 2)", "nca", "permutation(seed=3)"),
    Fabric("dragonfly", "dragonfly(8, 4, 4)", "dragonfly(4, 2, 2)", "dragonfly_ugal", "group"),
    Fabric("HyperX", "hyperx([6, 6, 6], 5)", "hyperx([3, 3], 2)", "hyperx_omniwar", "permutation(seed=3)"),
    Fabric("Slim Fly", "slim_fly(11, 4)", "slim_fly(5, 1)", "hop_number", "permutation(seed=3)"),
    Fabric("torus", "torus(10, 10, 10)", "torus(4, 4)", "duato", "tornado"),
)


def adversarial(network: Network, name: str) -> str | list[int]:
    """Traffic that the fabric does not like: of a dragonfly, every group to the next one."""
    if name != "group":
        return name
    at = network.coordinates
    assert at is not None
    group = at[:, 0][network.inject]
    seats = [np.flatnonzero(group == g) for g in range(int(group.max()) + 1)]
    to = np.zeros(network.num_terminals, dtype=int)
    for g, here in enumerate(seats):
        to[here] = seats[(g + 1) % len(seats)][: here.size]
    return [int(t) for t in to]


def broken(network: Network, share: float, seed: int = 1) -> Network:
    """The network without some of its links, drawn at random; drawn again while that takes it apart."""
    rng = np.random.default_rng(seed)
    ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
    pairs = sorted({(min(a, b), max(a, b)) for a, b in ends})
    while True:
        failed = rng.choice(len(pairs), size=max(1, round(share * len(pairs))), replace=False)
        left = network.without(links=[pairs[i] for i in failed.tolist()])
        if unknot.network.components(left)[1] == 1:
            return left


def accepted(network: Network, routing: str, traffic: str | list[int], load: float, quick: bool) -> float:
    """What a terminal gets through at a load, in GB/s."""
    relation = routing_to_simulate(network, routing)
    cycles = (200, 400) if quick else (1500, 1500)
    run = unknot.simulate(relation, load, traffic=traffic, packet_length=4, warmup=cycles[0], measure=cycles[1])
    return UNITS.gb_per_s(run.accepted_load)


def main() -> None:
    """Print a table."""
    began, quick = time.monotonic(), "--quick" in sys.argv
    heads = ("uniform", "adversarial", "all-to-all", "2 % links failed")
    print("{:10} {:>9} {:>9} {:>12} {:>11} {:>17}   GB/s".format("fabric", "endpoints", *heads))
    for fabric in FABRICS:
        network = unknot.tod.network(fabric.small if quick else fabric.network)
        found = [
            accepted(network, fabric.routing, "uniform", 0.6, quick),
            accepted(network, fabric.routing, adversarial(network, fabric.adversary), 0.6, quick),
            accepted(network, fabric.routing, "uniform_others", 1.0, quick),
            accepted(broken(network, 0.02), "up_down", "uniform", 0.6, quick),
        ]
        values = "{:9.1f} {:12.1f} {:11.1f} {:17.1f}".format(*found)
        print(f"{fabric.name:10} {network.num_terminals:9} {values}", flush=True)
    print("at 0.6 of 50 GB/s a link offered, all-to-all at 1.0; with failed links up*/down* from one root, which is")
    print("safe on any network and carries little: most of its ways lead over the root")
    print(f"from nothing to a table: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
