"""Cost of a flit-hop: the 8×8 mesh, dimension order, 4 VCs of 8 flits, load 0.30, packets of 1 flit.

A flit-hop is one switch traversal, ejection included. Time is that of the thread after compilation.
"""

from __future__ import annotations

import resource
import statistics
import time

from unknot.routing import dimension_order
from unknot.simulation.engine import Engine
from unknot.simulation.layout import FLIT_HOPS
from unknot.simulation.traffic import uniform
from unknot.topologies import mesh


def measure(side: int, load: float, length: int, cycles: int) -> tuple[float, int, int]:
    """Nanoseconds per flit-hop, flit-hops, and bytes of state of one run, the first fifth of it not counted."""
    relation = dimension_order(mesh(side, side), 4)
    engine = Engine(
        relation,
        "wormhole-nonatomic",
        packet_length=length,
        buffer_depth=8,
        chance=load / length,
        seed=1,
        pairs=uniform(relation),
    )
    engine.advance(cycles // 4)
    hops, begin = engine.count(FLIT_HOPS), time.thread_time_ns()
    engine.advance(cycles // 4 + cycles)
    spent, hops = time.thread_time_ns() - begin, engine.count(FLIT_HOPS) - hops
    return spent / hops, hops, sum(array.nbytes for array in engine.state)


def main(runs: int = 7) -> None:
    for side, load, length, cycles in (
        (8, 0.3, 1, 10_000),
        (8, 0.3, 5, 10_000),
        (16, 0.2, 1, 2_000),
        (32, 0.1, 1, 500),
    ):
        results = [measure(side, load, length, cycles) for _ in range(runs)]
        costs = [cost for cost, _, _ in results]
        print(
            f"{side}×{side} mesh, load {load}, {length}-flit packets: {statistics.median(costs):.0f} ns per flit-hop "
            f"(median of {runs}, {min(costs):.0f} to {max(costs):.0f}; {results[0][1]} flit-hops each), "
            f"state {results[0][2] / 1e6:.1f} MB",
            flush=True,
        )
    print(f"largest resident size of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
