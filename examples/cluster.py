"""Five fabrics of about a thousand endpoints, each under three kinds of traffic, whole and with failed links.

The most that a terminal gets through under uniform and adversarial traffic and in an all-to-all exchange, by the
routing of the fabric; and under uniform traffic by fixed shortest paths in lanes, which need no regular network,
before and after 2 % of the links failed. Run it with ``python examples/cluster.py``; ``--quick`` takes small fabrics
and short runs.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

import unknot
from unknot._base.units import Units
from unknot.lanes import changing_lanes
from unknot.network import Network
from unknot.routing import Relation
from unknot.routing.named import routing_to_simulate
from unknot.simulation import Trace, run_trace

UNITS = Units(clock_ghz=1.25, flit_bytes=40)
"""50 GB/s a link: a 400 Gb/s port."""
FLITS = 4
VCS = 4
LOADS = (0.6, 0.4, 0.3, 0.2, 0.1)
"""Offered loads, tried until one is carried: far past saturation many fabrics carry less than at it."""


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
    Fabric("HyperX", "hyperx([6, 6, 6], 5)", "hyperx([3, 3], 2)", "hyperx_dimwar", "permutation(seed=3)"),
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


def all_to_all(terminals: int, every: int = 1) -> Trace:
    """A message from every terminal to every other, all ready at once, in steps: to the next one, the one after, ….

    Only one step in `every` is kept.
    """
    steps = np.arange(1, terminals, every)
    step, source = np.repeat(steps, terminals), np.tile(np.arange(terminals), steps.size)
    nothing = np.zeros(source.size, dtype=np.int64)
    return Trace(
        cycle=nothing,
        source=source,
        destination=(source + step) % terminals,
        flits=nothing + FLITS,
        delay=nothing,
        need_first=np.zeros(source.size + 1, dtype=np.int64),
        needs=nothing[:0],
    )


def exchanged(relation: Relation, quick: bool) -> float:
    """What a terminal gets through in an exchange, in GB/s: all it sends, by the time until the last message came."""
    terminals = relation.network.num_terminals
    trace = all_to_all(terminals, every=1 if quick else 9)
    run = run_trace(relation, trace)
    assert run.makespan is not None, run.reason
    return UNITS.gb_per_s(trace.flits.sum() / terminals / run.makespan)


def in_lanes(network: Network, quick: bool) -> Relation:
    """Fixed shortest paths in the fewest lanes that are found, which cannot deadlock."""
    return changing_lanes(network, vcs=VCS, time_limit=3 if quick else 60).relation


def accepted(relation: Relation, traffic: str | list[int], quick: bool) -> float:
    """The most that a terminal gets through at any of the loads, in GB/s."""
    cycles = (200, 400) if quick else (1500, 1500)
    most = 0.0
    for load in LOADS:
        run = unknot.simulate(
            relation, load, traffic=traffic, packet_length=FLITS, warmup=cycles[0], measure=cycles[1]
        )
        most = max(most, run.accepted_load)
        if run.stable:
            break
    return UNITS.gb_per_s(most)


def main() -> None:
    """Print a table."""
    began, quick = time.monotonic(), "--quick" in sys.argv
    heads = ("uniform", "adversarial", "all-to-all", "in lanes", "2 % failed")
    print("{:10} {:>9} {:>9} {:>12} {:>11} {:>9} {:>11}   GB/s".format("fabric", "endpoints", *heads))
    for fabric in FABRICS:
        network = unknot.network.tod.network(fabric.small if quick else fabric.network)
        relation = routing_to_simulate(network, fabric.routing, VCS)
        loads = [
            accepted(relation, "uniform", quick),
            accepted(relation, adversarial(network, fabric.adversary), quick),
            exchanged(relation, quick),
            accepted(in_lanes(network, quick), "uniform", quick),
            accepted(in_lanes(broken(network, 0.02), quick), "uniform", quick),
        ]
        values = "{:9.1f} {:12.1f} {:11.1f} {:9.1f} {:11.1f}".format(*loads)
        print(f"{fabric.name:10} {network.num_terminals:9} {values}", flush=True)
    left_out = "" if quick else ", of nine steps one"
    sent = f"{FLITS * UNITS.flit_bytes} bytes to every other one{left_out}"
    print(f"offered: {LOADS[-1]:.0%} to {LOADS[0]:.0%} of 50 GB/s a link; all-to-all: {sent};")
    print("in lanes: uniform traffic by fixed shortest paths in lanes, whole and with 2 % of the links failed")
    print(f"from nothing to a table: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
