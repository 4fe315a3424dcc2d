"""Multistage networks: milliseconds for permutations after compilation, and throughput of tags."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import unknot
from unknot.network.families import benes, omega
from unknot.routing import Relation, destination_tag, fully_adaptive
from unknot_papers.multistage import (
    Marks,
    count_paths,
    marked,
    permute,
)
from unknot_papers.multistage.looping import route_rcbn
from unknot_papers.rcbn import composite_banyan, rcbn, rcbn_tags


def milliseconds(work: Callable[[], object], runs: int = 5) -> float:
    """Median of some runs, after one that compiles."""
    work()
    spent = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begin)
    return 1000 * statistics.median(spent)


def permutations() -> None:
    random = np.random.default_rng(1)
    outputs = random.permutation(1024)
    large, network = rcbn(1024), benes(1024)
    dead = marked(rcbn(16), Marks.of(rcbn(16), ["s1r2"]))
    sixteen = random.permutation(16)
    for name, work in (
        ("rcbn(1024), a random permutation: channels", lambda: route_rcbn(1024, outputs)),
        ("rcbn(1024), the same by `permute`, which recognises the network", lambda: permute(large, outputs)),
        ("benes(1024), the same", lambda: permute(network, outputs)),
        ("rcbn(16) with a dead switch, a permutation", lambda: permute(dead, sixteen)),
        ("rcbn(1024), paths of all pairs counted", lambda: count_paths(large)),
        ("rcbn(131072) built", lambda: rcbn(2**17)),
    ):
        print(f"{name}: {milliseconds(work):.1f} ms")


def throughput(size: int = 32) -> None:
    """Flits per terminal and cycle at full load: 4 VCs, packets of 4 flits, wormhole with non-atomic allocation."""
    outputs = np.random.default_rng(1).permutation(size).tolist()
    network = rcbn(size)
    for relation in (
        destination_tag(omega(size), 4),
        rcbn_tags(network, 4),
        rcbn_tags(network, 4, choice="all"),
        fully_adaptive(composite_banyan(size), 4),
        fully_adaptive(benes(size), 4),
    ):
        loads = [accepted(relation, traffic) for traffic in ("uniform", outputs, "hotspot(0, share=0.05)")]
        print(
            f"{relation.network.name}, {relation.name}: uniform {loads[0]:.2f}, one permutation {loads[1]:.2f}, "
            f"5 % more to one terminal {loads[2]:.2f}"
        )


def accepted(relation: Relation, traffic: str | list[int]) -> float:
    run = unknot.simulation.simulate(
        relation, 1.0, traffic=traffic, switching="wormhole-nonatomic", packet_length=4, warmup=1000, measure=3000
    )
    return run.accepted_load


def main() -> None:
    permutations()
    throughput()


if __name__ == "__main__":
    main()
