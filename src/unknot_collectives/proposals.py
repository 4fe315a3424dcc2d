"""Algorithms with numbers of pieces: what each costs for any size, and how its schedule is made for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product

from unknot._base.errors import NetworkError
from unknot_collectives.bounds import bound
from unknot_collectives.greedy import PATIENCE, greedy_order, require_reach
from unknot_collectives.on_routes import ScheduleRoutes
from unknot_collectives.operation import Operation
from unknot_collectives.optimal import optimal
from unknot_collectives.orders import Group
from unknot_collectives.platform import Platform
from unknot_collectives.schedule import Schedule
from unknot_collectives.searching import require_searchable, searched_from, ways_between
from unknot_collectives.textbook import algorithms, textbook
from unknot_collectives.timing import StartOrder, longest_chain, order_of_starts, steady
from unknot_collectives.unrelayed import unrelayed

BY_TREES = ("broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce")
"""Operations of greedy trees, and of packed ones."""
MOST_TRANSFERS = 100_000
"""Transfers of the largest schedule that is tried, unless it is the only one, or packed."""
MOST_OF_TREES = 300_000
"""Transfers of the largest packed schedule: ten to twenty seconds."""
MOST_TIMED = 20_000
"""Transfers of the largest schedule that goes without barriers, unless it is packed, with chunks of many sizes."""
BEGUN_WITH = (1, 4, 16)
"""Numbers of pieces of schedules from which others are searched for."""


@dataclass(frozen=True, eq=False)
class AlgorithmProposal:
    """An algorithm with a number of pieces: what it costs by steps, and how to make its schedule.

    Attributes
    ----------
    latency : float
        By steps, if the operation had no size.
    busy : float
        Time by steps for each unit of size besides.
    least : float
        Time of the busiest channel for each unit of size.
    start_order : callable
        Returns the schedule for a size, by steps or with an order of starts, whichever is faster.
    floor : callable or None
        Returns a lower bound of the operation for a size: what is near it is not searched for anything faster.
    """

    algorithm: str
    pieces: int
    latency: float
    busy: float
    least: float
    start_order: Callable[[Fraction], StartOrder] = field(repr=False)
    floor: Callable[[Fraction], float] | None = field(default=None, repr=False)

    def time(self, size: Fraction) -> float:
        """Time of the operation for a size by steps; 0 of greedy trees, which are made for a size."""
        return self.latency + self.busy * float(size)

    def schedule(self, size: Fraction) -> Schedule:
        """Return the schedule for a size, with starts unless it is large or needs its steps."""
        return self.start_order(size).exact()


def proposals(
    platform: Platform,
    unit: Operation,
    name: str,
    group: Group | None,
    pieces: Sequence[int],
    routes: ScheduleRoutes | None,
) -> list[AlgorithmProposal]:
    """Return an algorithm with numbers of pieces, for an operation of size 1.

    Raises
    ------
    NetworkError
        If it does not take the members.
    """
    if name == "greedy":
        return _greedy(platform, unit, pieces)
    if name == "searched":
        return _searched(platform, unit, group, routes)
    base, made = optimal(platform, unit) if name == "optimal" else textbook(platform, unit, name, group), []
    base = base if routes is None else routes(base)
    least, on = float(base.busiest), Counter(sent.chunk for sent in base.transfers)
    most = MOST_OF_TREES if name == "optimal" and unit.kind in BY_TREES else MOST_TRANSFERS
    for count in pieces if unit.kind != "barrier" else (1,):
        if count > 1 and sum(on[chunk] * cut for chunk, cut in enumerate(base.counts(count))) > most:
            break
        latency, busy, _ = base.pipelined_costs(count)
        start_order = partial(_started, base, count, latency, busy)
        made.append(AlgorithmProposal(name, count, latency, busy, least, start_order))
        if name == "optimal" and count * len(base.transfers) <= MOST_TIMED:
            late, deep = longest_chain(base)
            at_rates = partial(_at_rates, base, count)
            late += (deep + count - 1) * float(platform.overhead)
            made.append(AlgorithmProposal(name, count, late, least * (1 + (deep - 1) / count), least, at_rates))
    return made


def _at_rates(base: Schedule, pieces: int, size: Fraction) -> StartOrder:
    """Return a schedule of unit size for another size, in pieces at steady rates."""
    return steady(base.resized(size), pieces)


def _started(base: Schedule, pieces: int, latency: float, busy: float, size: Fraction) -> StartOrder:
    """Return a schedule of unit size for another size, in pieces, by steps or by starts."""
    whole = base.resized(size)
    by_steps = latency + busy * float(size)
    if base.platform.overhead:  # what chunks on one path cost together is not in the sum
        by_steps = float(whole.pipelined(pieces).time)
    cut = whole.pipelined(pieces, alike=True)
    if len(cut.transfers) <= (MOST_OF_TREES if base.name == "optimal" else MOST_TIMED):
        with suppress(NetworkError):
            ordered = order_of_starts(cut)
            if by_steps > ordered.time * (1 + 1e-9):
                return ordered
    return StartOrder(whole.pipelined(pieces), by_steps)


def _greedy(platform: Platform, unit: Operation, pieces: Sequence[int]) -> list[AlgorithmProposal]:
    """Return candidates of greedy trees, which are made for a size."""
    if unit.groups:
        raise NetworkError("greedy trees are those of one group")
    platform, many = replace(platform, members=unit.members), len(unit.members)
    uneven = len({way.taken for way in require_reach(platform, unit)}) > 1
    made = list[AlgorithmProposal]()
    for count in pieces:
        transfers = count * (many - 1) * (many if unit.root is None else 1)
        if count > 1 and transfers > MOST_TIMED:
            break
        draws = range(max(1, min(4, 2000 // transfers)))
        for patience, seed in product(PATIENCE if uneven else PATIENCE[-1:], draws):
            start_order = partial(greedy_order, platform, unit, count, patience, seed)
            made.append(AlgorithmProposal("greedy", count, 0.0, 0.0, 0.0, start_order))
    return made


def _searched(
    platform: Platform, unit: Operation, group: Group | None, routes: ScheduleRoutes | None
) -> list[AlgorithmProposal]:
    """Return the schedule that is searched for from the fastest ones along trees, for a size."""
    require_searchable(unit)
    ways = ways_between(platform, unit.members) if routes is None or routes.is_free else routes.ways(unit.members)
    names = [*("greedy",) * (unit.kind in BY_TREES), "optimal", *algorithms(unit.kind)]

    def starts(size: Fraction) -> Iterator[StartOrder]:
        for name in names:
            with suppress(NetworkError):
                choices = proposals(platform, unit, name, group, BEGUN_WITH, routes)
                yield min((one.start_order(size) for one in choices), key=lambda one: one.time)

    def fastest(size: Fraction) -> StartOrder:
        spread = unrelayed(platform, replace(unit, size=size), ways)
        along = searched_from(starts(size), floor(size), ways)
        return min(along, StartOrder(spread, float(spread.time)), key=lambda one: one.time)

    def floor(size: Fraction) -> float:
        return float(bound(platform, replace(unit, size=size)).time)

    return [AlgorithmProposal("searched", 1, 0.0, 0.0, 0.0, fastest, floor)]
