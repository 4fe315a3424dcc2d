"""Verdicts on large networks: time after compilation, memory, and how both grow with the question.

Every case runs in a process of its own, so that its largest resident size is its own; about 265 MB of it are Python,
NumPy, Numba and OR-tools. Time is given twice: that of the processors, all threads together, and that of the clock,
which other work on the machine lengthens. Memory is also given as what the largest size is above the size before, for
each transition between reachable states. `reports/prover.png` shows cost against size.

At the end relations of 16 routers are checked, each made anew, so that nothing of them is kept.
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unknot.network import families as topologies
from unknot.routing import (
    Relation,
    VirtualChannels,
    dimension_order,
    duato,
    fully_adaptive,
    lcfaa,
    nca,
    up_down,
    valiant,
    west_first,
)
from unknot.routing.relation import EJECT
from unknot.verify import check, deliver, dependencies
from unknot.verify.effort import Effort
from unknot.verify.explorer import Explorer
from unknot.verify.waiting import drain, waiting

REPORT = Path("reports/prover.png")


def roaming(side: int) -> Relation:
    """A mesh where any VC 1 may be taken at any time, nearer or not, and dimension order on VC 0 is the escape."""
    escape = dimension_order(topologies.mesh(side, side))
    network = escape.network
    virtual = VirtualChannels(network, 2)
    first, channels = network.outgoing
    router, straight, injected = virtual.router, escape.rule, escape.num_vcs
    home, terminal = network.eject, network.inject

    def rule(at: int, address: int, out: Any) -> int:
        here = router[at]
        if here == home[address]:
            out[0] = EJECT
            return 1
        straight(injected + terminal[here], address, out)
        out[0] *= 2
        count = 1
        for k in range(first[here], first[here + 1]):
            out[count] = 2 * channels[k] + 1
            count += 1
        return count

    return Relation(network, virtual, rule, name="roaming with dimension-order escape")


def verdict(switching: str = "wormhole", threads: int = 1) -> Callable[[Relation], str]:
    """Measure `check`."""

    def work(relation: Relation) -> str:
        verdict = check(relation, switching, threads=threads, time_limit=600)
        free = {True: "free", False: f"deadlock ({verdict.reachability})", None: "undecided"}[verdict.deadlock_free]
        return f"{free}, {verdict.method}"

    return work


def fixpoints(relation: Relation) -> str:
    """Measure the states and both fixpoints, whatever the first one says."""
    effort = Effort(threads=1)
    states = waiting(dependencies(relation, effort), effort)
    left = [int(drain(states, spread=spread, effort=effort).vcs.sum()) for spread in (False, True)]
    return f"{states.states} states on cycles kept; left over: {left[0]} and {left[1]} VCs"


def delivery(relation: Relation) -> str:
    """Measure `deliver`."""
    return f"delivered: {deliver(relation, threads=1).delivered}"


@dataclass(frozen=True)
class Case:
    """A relation of a family and what is done with it."""

    family: str
    name: str
    make: Callable[[], Any]
    work: Callable[[Any], str]
    runs: int = 3


def torus(*sides: int) -> str:
    return "×".join(str(side) for side in sides)


CASES = [
    *(
        Case("torus, dateline", f"torus {torus(*sides)}, dimension order with dateline, {threads} thread(s)",
             lambda sides=sides: dimension_order(topologies.torus(*sides), 2), verdict(threads=threads), runs)
        for sides, threads, runs in (
            ((8, 8), 1, 5), ((16, 16), 1, 5), ((32, 32), 1, 5), ((64, 64), 1, 5), ((64, 64), 2, 5),
            ((16, 16, 16), 1, 3), ((32, 32, 32), 2, 1),
        )
    ),
    *(
        Case("mesh, fully adaptive, 1 VC", f"mesh {side}×{side}, fully adaptive, 1 VC: some deadlock",
             lambda side=side: fully_adaptive(topologies.mesh(side, side)), verdict())
        for side in (8, 16, 32, 48)
    ),
    *(
        Case("mesh, Duato", f"mesh {side}×{side}, Duato, 2 VCs: states and both fixpoints",
             lambda side=side: duato(topologies.mesh(side, side)), fixpoints)
        for side in (8, 16, 32, 48)
    ),
    Case("mesh, Duato", "mesh 64×64, Duato, 2 VCs: verdict", lambda: duato(topologies.mesh(64, 64)), verdict(), 1),
    Case("fat tree", "fat tree of 4,096 terminals, nearest common ancestor: verdict",
         lambda: nca(topologies.fat_tree(8, 4)), verdict()),
    Case("mesh, LCFAA", "mesh 32×32, LCFAA: states and both fixpoints",
         lambda: lcfaa(topologies.mesh(32, 32)), fixpoints),
    *(
        Case("mesh, not minimal", f"mesh {side}×{side}, roaming with escape, 2 VCs: states and both fixpoints",
             lambda side=side: roaming(side), fixpoints)
        for side in (8, 16, 32)
    ),
    *(
        Case("hypercube, Duato (symmetry)", f"hypercube {n}, Duato, 2 VCs: verdict",
             lambda n=n: duato(topologies.hypercube(n)), verdict())
        for n in (6, 8, 10)
    ),
    *(
        Case("mesh, Valiant", f"mesh {side}×{side}, Valiant, an address for each pair: verdict",
             lambda side=side: valiant(topologies.mesh(side, side)), verdict())
        for side in (4, 8, 16)
    ),
    Case("delivery", "torus 64×64, dimension order with dateline: delivery",
         lambda: dimension_order(topologies.torus(64, 64), 2), delivery),
]  # fmt: skip


def peak() -> float:
    """Largest resident size of this process so far, in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status has no largest resident size")


def transitions(relation: Relation, sampled: int = 64) -> float:
    """Transitions between reachable states, from those of some addresses."""
    explorer, chosen = Explorer(relation), range(0, relation.num_addresses, -(-relation.num_addresses // sampled))
    several = [sum(map(len, explorer.steps(address).values())) for address in chosen]
    return statistics.mean(several) * relation.num_addresses


def fresh() -> None:
    """Print the processor time of checking relations of 16 routers, each made anew, in milliseconds."""
    mesh, torus = topologies.mesh(4, 4), topologies.torus(4, 4)
    makers: dict[str, Callable[[], Relation]] = {
        "mesh, dimension order": lambda: dimension_order(mesh),
        "torus, dateline": lambda: dimension_order(torus, 2),
        "torus, dimension order on 1 VC": lambda: dimension_order(torus),
        "torus, Up*/Down*": lambda: up_down(torus),
        "mesh, west first": lambda: west_first(mesh),
        "mesh, Duato": lambda: duato(mesh),
        "torus, Duato": lambda: duato(torus),
        "mesh, fully adaptive": lambda: fully_adaptive(mesh),
    }
    for name, make in makers.items():
        spent = []
        for _ in range(31):
            relation, begin = make(), time.process_time()
            check(relation, "wormhole")
            spent.append(time.process_time() - begin)
        print(f"16 routers, {name}: {1000 * statistics.median(spent[1:]):.1f} ms (median of 30)", flush=True)


def once(number: int) -> tuple[str, float, float, float, float, int, int]:
    """Answer, median processor and clock seconds, megabytes, bytes more per transition, VCs and states of a case."""
    for relation in (dimension_order(topologies.torus(4, 4)), duato(topologies.torus(4, 4)), roaming(4)):
        check(relation, "wormhole")
        deliver(relation)
    check(fully_adaptive(topologies.mesh(4, 4)), "wormhole")
    check(duato(topologies.hypercube(3)), "wormhole")
    case = CASES[number]
    relation = case.make()
    _ = relation.compiled
    spent, before = [], int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    for _ in range(case.runs):
        begin = time.process_time(), time.perf_counter()
        answer = case.work(relation)
        spent.append((time.process_time() - begin[0], time.perf_counter() - begin[1]))
    most = peak()
    states = dependencies(relation).states
    processor, clock = (statistics.median(column) for column in zip(*spent, strict=True))
    growth = (most * 2**20 - before) / transitions(relation)
    return answer, processor, clock, most, growth, relation.num_vcs, states


def plot(points: dict[str, list[tuple[int, float, float]]]) -> None:
    """Seconds and megabytes against states, both logarithmic, a line for each family."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.6), layout="constrained")
    seconds, memory = figure.subplots(1, 2)
    for family, measured in points.items():
        states = [state for state, _, _ in measured]
        seconds.plot(states, [s for _, s, _ in measured], "o-", label=family)
        memory.plot(states, [m for _, _, m in measured], "o-", label=family)
    every = [state for measured in points.values() for state, _, _ in measured]
    seconds.plot([min(every), max(every)], [2e-8 * min(every), 2e-8 * max(every)], "k:", label="20 ns per state")
    for axes, what in ((seconds, "processor seconds"), (memory, "largest resident size, MB")):
        axes.set(xscale="log", yscale="log", xlabel="reachable states", ylabel=what)
        axes.grid(visible=True, which="both", alpha=0.25)
    seconds.legend(fontsize=8)
    figure.suptitle("Verdicts: cost against size")
    REPORT.parent.mkdir(exist_ok=True)
    figure.savefig(REPORT, dpi=130)
    print(f"plot: {REPORT}")


def main() -> None:
    spawn = multiprocessing.get_context("spawn")
    points: dict[str, list[tuple[int, float, float]]] = {}
    for number, case in enumerate(CASES):
        with spawn.Pool(1) as pool:
            answer, processor, clock, most, growth, vcs, states = pool.apply(once, (number,))
        points.setdefault(case.family, []).append((states, processor, most))
        print(
            f"{case.name}: {vcs} VCs, {states} states, {processor:.2f} s of processors, {clock:.2f} s (median of "
            f"{case.runs}), largest resident size {most:.0f} MB, {growth:.1f} bytes more per transition; {answer}",
            flush=True,
        )
    fresh()
    plot({family: sorted(measured) for family, measured in points.items() if len(measured) > 1})


if __name__ == "__main__":
    main()
