"""The least time of small reductions in whole flits, by a constraint solver: on which side of a gap the fault is.

Each flit is a message of its own at the rate of the slowest channel of its path, and begins at a multiple of the
largest unit that divides all latencies and all times of a flit. A member holds partial sums, each of a set of
members; it sends any of them, and adds any two of disjoint sets. All paths are tried. Nothing here is shared with
what makes schedules or bounds. A member may hold more sums than in a schedule, so that the least time is never above
that of a schedule of whole flits at full rates. Parts of flits, or lower rates, may be faster.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

from benchmarks.collective_gaps import drawn
from unknot_collectives import Operation, Platform, best, bound, candidates


class TimedPath:
    """A path between two members, in units of time: when each channel is in use, and when a flit has arrived."""

    def __init__(self, platform: Platform, ends: tuple[int, int], channels: list[int], unit: Fraction) -> None:
        over = [platform.channels[c] for c in channels]
        self.ends, self.channels, self.rate = ends, channels, min(c.bandwidth for c in over)
        self.lasts = int(1 / self.rate / unit)
        self.begins = [int(sum((c.latency for c in over[:i]), Fraction(0)) / unit) for i in range(len(over) + 1)]
        self.arrives = self.begins[-1] + self.lasts


def paths_of(platform: Platform, members: tuple[int, ...], unit: Fraction) -> Iterator[TimedPath]:
    import networkx as nx

    graph: Any = nx.DiGraph()
    for number, c in enumerate(platform.channels):
        graph.add_edge(c.source, c.target, number=number)
    for a, one in enumerate(members):
        for b, other in enumerate(members):
            for nodes in nx.all_simple_paths(graph, one, other) if a != b else ():
                channels = [graph.edges[pair]["number"] for pair in pairwise(nodes)]
                yield TimedPath(platform, (a, b), channels, unit)


def unit_of(platform: Platform) -> Fraction:
    """Return the largest unit of time of which all latencies and all times of a flit are multiples."""
    times = [time for c in platform.channels for time in (c.latency, 1 / c.bandwidth)]
    return Fraction(1, lcm(*(time.denominator for time in times)))


def ends_by(platform: Platform, operation: Operation, last: int, seconds: float) -> bool | None:
    """Return whether a reduction can have ended after some units of time; None: not decided in time."""
    from ortools.sat.python import cp_model

    unit, many = unit_of(platform), len(operation.members)
    model, full, times = cp_model.CpModel(), (1 << many) - 1, range(last + 1)
    sums, flits = range(1, full + 1), range(int(operation.size))
    used = defaultdict[tuple[int, int], list[tuple[int, Any]]](list)
    paths = [path for path in paths_of(platform, operation.members, unit) if path.arrives <= last]
    # Of an all-reduce every member has the whole sum at the end, of a reduce-scatter one member for each block.
    wanted = [[*range(many)]] if operation.kind == "all_reduce" else [[v] for v in range(many)]
    for targets in wanted:
        for _ in flits:
            holds: dict[tuple[int, int, int], Any] = {
                (v, some, t): 1 if some == 1 << v else model.new_bool_var("")
                for v in range(many) for some in sums for t in times
            }  # fmt: skip
            comes = defaultdict[tuple[int, int, int], list[Any]](list)
            for path in paths:
                for some in sums:
                    for t in range(last - path.arrives + 1):
                        sent = model.new_bool_var("")
                        model.add(sent <= holds[path.ends[0], some, t])
                        comes[path.ends[1], some, t + path.arrives].append(sent)
                        for c, begins in zip(path.channels, path.begins, strict=False):
                            for at in range(t + begins, t + begins + path.lasts):
                                used[c, at].append((int(path.rate), sent))
            for (v, some, t), held in holds.items():
                if some == 1 << v:
                    continue
                causes = [*comes[v, some, t], *([holds[v, some, t - 1]] if t else [])]
                for part in sums:
                    if part | some == some and part < some ^ part:
                        both = model.new_bool_var("")
                        model.add(both <= holds[v, part, t])
                        model.add(both <= holds[v, some ^ part, t])
                        causes.append(both)
                model.add(held <= sum(causes))
            for v in targets:
                model.add(holds[v, full, last] == 1)
    for (c, _), some_sent in used.items():
        model.add(sum(rate * sent for rate, sent in some_sent) <= int(platform.channels[c].bandwidth))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds, solver.parameters.num_workers = seconds, 2
    return {cp_model.OPTIMAL: True, cp_model.FEASIBLE: True, cp_model.INFEASIBLE: False}.get(solver.solve(model))


def least_time(platform: Platform, operation: Operation, near: Fraction, seconds: float) -> Fraction | None:
    """Return the least time of a reduction in whole flits, sought from a time that is near; None: not decided."""
    unit = unit_of(platform)
    low, high = -1, int(near // unit)
    while (answer := ends_by(platform, operation, high, seconds)) is False:
        low, high = high, high + 1
    while answer is not None and high - low > 1:
        middle = (low + high) // 2
        answer = ends_by(platform, operation, middle, seconds)
        low, high = (low, middle) if answer else (middle, high)
    if answer is None:
        return None
    return high * unit


def exact(count: int = 12, seed: int = 1) -> None:
    """Print bound, least time in whole flits and schedule of drawn all-reduces of at most 4 nodes and 3 flits."""
    draw, total = random.Random(seed), Counter[str]()
    for case in range(count):
        platform = drawn(draw, 4)
        operation = Operation("all_reduce", platform.members, Fraction(draw.randint(1, 3)))
        floor = bound(platform, operation, in_time=True).time
        made = best(candidates(platform, operation), operation.size)
        least = least_time(platform, operation, made.time, 60.0)
        total["cases"] += 1
        shown = "open"
        if least is not None:
            assert least >= floor, (platform, operation)
            total["decided"] += 1
            total["schedules as fast as whole flits can be"] += made.time <= least
            total["bounds that whole flits meet"] += least == floor
            shown = f"{float(least):.2f}"
        print(
            f"case {case}: {operation.size} flits, {len(platform.members)} of {platform.num_nodes}: "
            f"bound {float(floor):.2f}, whole flits {shown}, schedule {float(made.time):.2f}",
            flush=True,
        )
    print(", ".join(f"{number} {what}" for what, number in total.items()))
