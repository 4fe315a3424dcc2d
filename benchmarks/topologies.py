"""Designed topologies beside known ones: ``python -m benchmarks.topologies golf|cubes``.

Rows are Markdown for docs/results/topologies.md. Seconds are of processor time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from unknot._base.deadline import Deadline, begun, counts_work
from unknot.network import Network
from unknot.search.effort import SearchEffort
from unknot.synthesis.topology import cubes, designed, requested, throughput_of
from unknot.synthesis.topology.request import TopologyRequest
from unknot.synthesis.topology.shortening import Found, candidates

GOLF = {
    (36, 3): (4, 3.067, 1), (64, 8): (3, 1.927, 1), (96, 3): (6, 4.272, 4), (256, 8): (4, 2.736, 16),
    (300, 7): (4, 3.012, 20), (384, 3): (9, 6.226, 8), (512, 8): (4, 3.111, 32), (1024, 3): (11, 7.679, 16),
    (1024, 8): (5, 3.505, 64),
}  # fmt: skip
"""Nodes and degree: diameter and mean hops of the winner of Graph Golf 2016 (National Institute of Informatics), and
the order of the symmetry that the search keeps."""
SEARCHING = 0.6
"""Share of a minute of work, which takes up to about a minute of processor time."""


@counts_work
def shortest(wanted: TopologyRequest, *, time_limit: float | Deadline | None = None) -> Found:
    """The network of fewest hops that a part of a minute of work finds."""
    effort = SearchEffort(begun(time_limit).part(SEARCHING).end)
    found = [one for one in candidates(wanted, "hops", 0, effort) if one is not None]
    return min(found, key=lambda one: one.total)


def golf() -> Iterator[list[Any]]:
    """Yield rows of the contest: the least mean hops within a minute of processor time."""
    yield ["nodes, ports", "winner: diameter, mean hops", "found", "above", "seconds"]
    for (size, ports), (far, mean, order) in GOLF.items():
        wanted = requested(Network("nodes", size, [], []), ports=ports, symmetry=order)
        began = time.process_time()
        best = shortest(wanted)
        ours = best.total / (size * (size - 1))
        seconds = time.process_time() - began
        above = f"{ours / mean - 1:.2%}"
        yield [f"{size}, {ports}", f"{far}, {mean}", f"{best.diameter}, {ours:.4f}", above, f"{seconds:.0f}"]


def of_cubes() -> Iterator[list[Any]]:
    """Yield rows of cubes: what is carried by proof, beside what no routes on the tori exceed."""
    yield ["cubes", "mean hops", "carries", "torus at most", "twisted at most", "gain", "checked", "seconds"]
    for count in (2, 4, 16):
        began = time.process_time()
        nodes, limits = cubes(4, 4, 4, count=count)
        wanted = requested(nodes, ports=6, limits=limits, symmetry=count)
        made = designed(wanted, "throughput" if count == 2 else "hops")
        plain, twisted = (throughput_of(one) for one in made.known[:2])
        checked = made.throughput_holds, twisted.evidence.evidence_holds(made.known[1])
        yield [
            f"{count}", f"{made.mean_hops:.3f}", f"{made.throughput:.3f}", f"{plain.most:.3f}", f"{twisted.most:.3f}",
            f"{made.throughput / twisted.most - 1:.1%}", all(checked), f"{time.process_time() - began:.0f}",
        ]  # fmt: skip


if __name__ == "__main__":
    for number, row in enumerate({"golf": golf, "cubes": of_cubes}[sys.argv[1]]()):
        print("|", " | ".join(map(str, row)), "|", flush=True)
        if number == 0:
            print("|---" * len(row), "|", sep="")
