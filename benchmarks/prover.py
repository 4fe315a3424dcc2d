"""Verdicts on large networks: seconds after compilation, and memory.

Every case runs in a process of its own, so that its largest resident size is its own.
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import time

from unknot import topologies
from unknot.routing import Relation, dimension_order, duato, fully_adaptive
from unknot.verify import check

CASES = {
    "torus 32×32, dateline": lambda: dimension_order(topologies.torus(32, 32), 2),
    "torus 64×64, dateline": lambda: dimension_order(topologies.torus(64, 64), 2),
    "torus 32×32, 1 VC": lambda: dimension_order(topologies.torus(32, 32), 1),
    "mesh 32×32, fully adaptive": lambda: fully_adaptive(topologies.mesh(32, 32)),
    "mesh 32×32, Duato": lambda: duato(topologies.mesh(32, 32)),
    "torus 32×32, Duato": lambda: duato(topologies.torus(32, 32)),
}


def warm() -> None:
    """Compile every kernel."""
    for relation in (dimension_order(topologies.torus(4, 4)), duato(topologies.torus(4, 4))):
        check(relation)


def once(name: str, runs: int) -> tuple[str, float, float, int]:
    """Verdict, median seconds, megabytes and VCs of a case."""
    warm()
    relation: Relation = CASES[name]()
    _ = relation.compiled
    spent = []
    for _ in range(runs):
        begin = time.perf_counter()
        verdict = check(relation)
        spent.append(time.perf_counter() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer = "free" if verdict.deadlock_free else f"deadlock ({verdict.reachability})"
    return f"{answer}, {verdict.method}", statistics.median(spent), peak, relation.num_vcs


def main(runs: int = 3) -> None:
    for name in CASES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            answer, seconds, peak, vcs = pool.apply(once, (name, runs))
        print(f"{name}: {vcs} VCs, {seconds:.2f} s (median of {runs}), largest resident size {peak:.0f} MB; {answer}")


if __name__ == "__main__":
    main()
