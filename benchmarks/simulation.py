"""Cost of simulating: a flit-hop by network and by router, memory, starting, threads; BookSim 2 on the same files.

A flit-hop is one switch traversal, ejection included. All cases have 4 virtual channels (VCs) of 8 flits, uniform
traffic and wormhole-nonatomic switching; grids have dimension order, the fat tree and the dragonfly minimal routing.
Time is that of the thread after compilation and warm-up. ``python -m benchmarks.simulation cost`` prints one part;
``beside`` repeats the large cases next to a process that streams through memory on another core, in turns without;
``peers`` and ``curve`` are in `benchmarks.peers`.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from tests.reference.uniform_pairs import uniform

from benchmarks.peers import curve, peers, state_bytes
from benchmarks.peers_drawn import drawn
from unknot import Relation
from unknot.network import families as topologies
from unknot.routing import dimension_order, dragonfly_minimal, dragonfly_ugal, nca
from unknot.simulation.engine import kernels
from unknot.simulation.engine.codes import NO_CYCLE
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.sources import Sources
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import Traffic

DEPTH = 8
RUNS = 7
WARM = 60
FIRST = """
import time
begin = time.perf_counter()
import unknot
from unknot.routing import dimension_order
relation = dimension_order(unknot.network.families.mesh(8, 8), 4)
unknot.simulation.simulate(relation, 0.3, warmup=100, measure=100)
print(time.perf_counter() - begin)
"""
"""What a process does whose start is timed; Python itself has started when it begins."""


@dataclass(frozen=True)
class Case:
    """A point to measure: `cycles` after a quarter as many of warm-up."""

    name: str
    build: Callable[[], Relation]
    load: float
    length: int
    cycles: int


def _mesh(side: int, load: float, length: int, cycles: int) -> Case:
    return Case(f"{side}×{side} mesh", lambda: dimension_order(topologies.mesh(side, side), 4), load, length, cycles)


LARGE = _mesh(64, 0.05, 1, 250)
TREE = Case("fat tree, 4,096 terminals", lambda: nca(topologies.fat_tree(4, 6), 4), 0.3, 1, 100)
DRAGONFLY = Case(
    "dragonfly, 16,512 terminals", lambda: dragonfly_minimal(topologies.dragonfly(16, 8, 8)), 0.1, 1, 100
)
CASES = (
    _mesh(8, 0.3, 1, 8_000),
    _mesh(8, 0.3, 5, 8_000),
    _mesh(16, 0.2, 1, 2_000),
    _mesh(32, 0.1, 1, 500),
    LARGE,
    _mesh(64, 0.01, 1, 500),
    Case("8×8×8 torus", lambda: dimension_order(topologies.torus(8, 8, 8), 4), 0.2, 1, 1_500),
    Case("fat tree, 1,024 terminals", lambda: nca(topologies.fat_tree(4, 5), 4), 0.3, 1, 500),
    TREE,
    Case("dragonfly, 1,056 terminals", lambda: dragonfly_minimal(topologies.dragonfly(8), 4), 0.2, 1, 1_000),
    DRAGONFLY,
    Case("the same with UGAL", lambda: dragonfly_ugal(topologies.dragonfly(16, 8, 8)), 0.1, 1, 100),
)


GOALS = {CASES[0]: 1.0, LARGE: 1.6, TREE: 2.5, DRAGONFLY: 2.5, _mesh(128, 0.02, 1, 100): 2.0}
"""Most times that a flit-hop may cost what one of the first does, beside a process that streams through memory."""
STREAM = """
import os, sys
import numpy
os.sched_setaffinity(0, {int(sys.argv[1])})
words = numpy.zeros(1 << 25)
while True:
    words += 1.0
"""
"""What that process does."""

ROUTERS = {
    "16 VCs": Router(),
    "look-ahead": Router(routing_delay=0),
    "VC allocation in 2 cycles": Router(vc_allocation_delay=2),
    "credit delay 1": Router(credit_delay=1),
    "islip, 2 iterations": Router(iterations=2),
    "separable_input_first": Router(allocator="separable_input_first"),
    "age": Router(priority="age"),
    "speculative": Router(speculative=True),
    "most_credits": Router(selection="most_credits"),
    "first": Router(selection="first"),
}
"""Routers that go through the general kernel."""


def engine_of(relation: Relation, case: Case, router: Router = DEFAULT, threads: int = 1) -> Engine:
    """A run of a case that has not begun."""
    workload = Traffic(packet_length=case.length)
    scenario = Scenario(relation, case.load, workload, "wormhole-nonatomic", DEPTH, router)
    return Engine(scenario, Sources(case.load / case.length, uniform(relation), case.length), threads=threads)


def timed(engine: Engine, cycles: int, clock: Callable[[], int]) -> tuple[float, int]:
    """Nanoseconds for each flit-hop after a warm-up, and the flit-hops.

    The warm-up is a quarter as many cycles, and more until the answers of the rule are kept, if they are to be.
    """
    if engine.parts[0].setup.cacheable:
        _ = kernels.fill_cache.address  # compiled, as it is on a machine where longer runs were
    for _ in range(WARM):
        engine.advance(engine.now + cycles // 4)
        if len(engine.parts[0].cache) or engine.calls_from == NO_CYCLE:
            break
    hops, begin = engine.count("flit_hops"), clock()
    engine.advance(engine.now + cycles)
    spent, hops = clock() - begin, engine.count("flit_hops") - hops
    return spent / hops, hops


def costs_of(relation: Relation, case: Case, runs: int) -> tuple[list[float], int, int]:
    """Nanoseconds of the thread for each flit-hop in several runs, the flit-hops of each, and bytes of its state."""
    results = []
    for _ in range(runs):
        engine = engine_of(relation, case)
        engine.advance(0)
        results.append(timed(engine, case.cycles, time.thread_time_ns))
    room = state_bytes(engine)
    return [spent for spent, _ in results], results[0][1], room


def cost(runs: int = RUNS) -> None:
    """Print the median cost of every case, with the memory of its state."""
    print(
        "| network | load | flits | ns per flit-hop | lowest | highest | times the first | flit-hops | state, MB | "
        "bytes per router | per channel |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    median: dict[Case, float] = {}
    for case in CASES:
        relation = case.build()
        costs, hops, room = costs_of(relation, case, runs)
        network = relation.network
        median[case] = statistics.median(costs)
        cells = [case.name, f"{case.load:g}", f"{case.length}", f"{median[case]:.0f}", f"{min(costs):.0f}"]
        cells += [f"{max(costs):.0f}", f"{median[case] / median[CASES[0]]:.2f}", f"{hops:,}"]
        cells += [f"{room / 1e6:.1f}", f"{room / network.num_routers:,.0f}", f"{room / network.num_channels:,.0f}"]
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"largest resident size of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


@contextmanager
def streaming() -> Iterator[None]:
    """Keep this process on the first of its cores, and one that streams through 256 MB on the last."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise SystemExit("beside: a process that streams through memory takes a core of its own, and there is one")
    neighbour = subprocess.Popen([sys.executable, "-c", STREAM, str(cores[-1])])
    try:
        os.sched_setaffinity(0, cores[:1])
        time.sleep(1)
        yield
    finally:
        os.sched_setaffinity(0, cores)
        neighbour.kill()
        neighbour.wait()


def beside(runs: int = 5) -> None:
    """Print what a flit-hop costs in large networks, as a multiple of the first case in the same round.

    Each round measures every case once alone and once beside a process that streams through memory.
    """
    relations = {case: case.build() for case in GOALS}
    costs: dict[tuple[Case, bool], list[float]] = {(case, noisy): [] for case in GOALS for noisy in (False, True)}
    for _ in range(runs):
        for noisy in (False, True):
            with streaming() if noisy else nullcontext():
                for case, relation in relations.items():
                    costs[case, noisy] += costs_of(relation, case, 1)[0]
    print(
        f"| beside a stream, {runs} rounds, load average {os.getloadavg()[0]:.1f} | load | alone, ns per flit-hop | "
        "times the first | beside, ns | times the first | lowest | highest | goal |\n|---|" + "--:|" * 8
    )
    first = next(iter(GOALS))
    for case, goal in GOALS.items():
        cells = [case.name, f"{case.load:g}"]
        for noisy in (False, True):
            ratios = [a / b for a, b in zip(costs[case, noisy], costs[first, noisy], strict=True)]
            cells += [f"{statistics.median(costs[case, noisy]):.0f}", f"{statistics.median(ratios):.2f}"]
        print("| " + " | ".join([*cells, f"{min(ratios):.2f}", f"{max(ratios):.2f}", f"≤ {goal:g}"]) + " |")


def routers(runs: int = RUNS) -> None:
    """Print what a flit-hop costs in routers with more VCs a side and with other options."""
    case = CASES[0]
    print(f"| {case.name}, load {case.load:g} | ns per flit-hop | lowest | highest |\n|---|--:|--:|--:|")
    for name, router in ROUTERS.items():
        relation = dimension_order(topologies.mesh(8, 8), 16 if name == "16 VCs" else 4)
        costs = []
        for _ in range(runs):
            engine = engine_of(relation, case, router=router)
            engine.advance(0)
            costs.append(timed(engine, case.cycles, time.thread_time_ns)[0])
        print(f"| {name} | {statistics.median(costs):.0f} | {min(costs):.0f} | {max(costs):.0f} |", flush=True)


def start(runs: int = 3) -> None:
    """Print how long a process takes to its first simulation, import included, with and without compiled kernels."""
    with tempfile.TemporaryDirectory() as cache:
        for what, times in (("cold, nothing compiled", 1), ("warm, a later process", runs)):
            spent, clock = [], []
            for _ in range(times):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = subprocess.run(
                    [sys.executable, "-c", FIRST],
                    env={**os.environ, "NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                clock.append(float(done.stdout))
            print(
                f"first simulation, {what}: {statistics.median(spent):.1f} s of the processor, "
                f"{statistics.median(clock):.1f} s by the clock (median of {times})",
                flush=True,
            )


def threads(runs: int = 5) -> None:
    """Print how much faster two threads are on large networks, by the clock, in turns with one."""
    for case in (LARGE, TREE):
        relation = case.build()
        costs: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(runs):
            for count, spent in costs.items():
                engine = engine_of(relation, case, threads=count)
                engine.advance(0)
                spent.append(timed(engine, 2 * case.cycles, time.perf_counter_ns)[0])
        one, two = (statistics.median(costs[count]) for count in (1, 2))
        idle = min(costs[1]) / min(costs[2])
        print(
            f"{case.name}, load {case.load:g}, by the clock: {one:.0f} ns with 1 thread, {two:.0f} ns with 2, "
            f"{one / two:.2f} times as fast (medians of {runs}; shortest of each {idle:.2f}; goal ≥ 1.7; "
            f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f})",
            flush=True,
        )


PARTS: dict[str, Callable[..., None]] = {
    "cost": cost,
    "beside": beside,
    "routers": routers,
    "start": start,
    "threads": threads,
    "peers": peers,
    "curve": curve,
    "drawn": drawn,
}


def main(part: str | None = None, *words: str) -> None:
    for name, printed in PARTS.items():
        if part in (None, name):
            printed(*(int(word) if word.isdigit() else word for word in words))


if __name__ == "__main__":
    main(*sys.argv[1:])
