"""The best schedule of an operation for a size, among all algorithms and numbers of pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product

from unknot._base.errors import NetworkError, require_known
from unknot._base.numbers import require_whole
from unknot_collectives.arrangements import arranged
from unknot_collectives.at_once import at_once
from unknot_collectives.bounds import bound
from unknot_collectives.greedy import PATIENCE, greedy_order, require_reach
from unknot_collectives.on_routes import ScheduleRoutes
from unknot_collectives.optimal import optimal
from unknot_collectives.orders import Group
from unknot_collectives.platform import Operation, Platform, require_room
from unknot_collectives.schedule import Schedule
from unknot_collectives.searching import MOST_MEMBERS, require_searchable, searched_from, ways_between
from unknot_collectives.textbook import algorithms, textbook
from unknot_collectives.timing import StartOrder, longest_chain, order_of_starts, steady

BY_TREES = ("broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce")
"""Operations of greedy trees, and of packed ones."""
PIECES = (1, 2, 4, 8, 16, 32, 64)
MOST_TRANSFERS = 100_000
"""Transfers of the largest schedule that is tried, unless it is the only one, or packed."""
MOST_OF_TREES = 300_000
"""Transfers of the largest packed schedule: ten to twenty seconds."""
MOST_TIMED = 20_000
"""Transfers of the largest schedule that goes without barriers, unless it is packed, with chunks of many sizes."""
MOST_PACKED = 40
"""Members up to which `best` packs trees: the time grows with the fourth power of their number."""
ALIKE = 1e-4
"""Share of the time by which a schedule that is looked for has to be faster."""
NEAR = 1.02
"""Times its bound up to which no faster schedule is searched for."""
LOOKED_AT = 14
"""Candidates whose starts `best` looks for."""
BEGUN_WITH = (1, 4, 16)
"""Numbers of pieces of schedules from which others are searched for."""
SELDOM_BEST = ("pairwise", "recursive_doubling", "bruck")
"""Algorithms that are tried last: they are large, and others are mostly faster."""


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


def candidates(
    platform: Platform,
    operation: Operation,
    names: Sequence[str] = (),
    *,
    group: Group | None = None,
    pieces: Sequence[int] = PIECES,
    routes: ScheduleRoutes | None = None,
    searched: bool = False,
) -> list[AlgorithmProposal]:
    """Return all algorithms, or the named ones, with numbers of pieces; unsuitable algorithms are left out.

    Parameters
    ----------
    platform : Platform
        Nodes and channels.
    operation : Operation
        The operation.
    names : sequence of str
        Of `algorithms`, or ``optimal``: packed trees, and paths of a flow; or, without switches, ``greedy``; or, of
        few members, ``searched``.
    group : Group, optional
        The members in the order of rings and trees.
    pieces : Sequence[int]
        Numbers of pieces into which chunks are cut.
    routes : ScheduleRoutes, optional
        On which schedules are put; by default each takes one shortest path for each pair, ``optimal`` and
        ``searched`` their own.
    searched : bool
        Whether trees and exchanges take the members in the best order found, as `arranged` says.

    Returns
    -------
    list[Candidate]
        Schedules, with the numbers of pieces.

    Raises
    ------
    NetworkError
        If there is no such algorithm, or none of them takes the members.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives.platform import platform_of
    >>> platform = platform_of(ring(4))
    >>> choices = candidates(platform, Operation("all_gather", platform.members), ["ring", "direct"], pieces=(1, 2))
    >>> [(one.algorithm, one.pieces) for one in choices]
    [('ring', 1), ('ring', 2), ('direct', 1), ('direct', 2)]
    """
    some = by_algorithm(platform, operation, names, group=group, pieces=pieces, routes=routes, searched=searched)
    return [candidate for choices in some for candidate in choices]


def by_algorithm(
    platform: Platform,
    operation: Operation,
    names: Sequence[str] = (),
    *,
    group: Group | None = None,
    pieces: Sequence[int] = PIECES,
    routes: ScheduleRoutes | None = None,
    searched: bool = False,
) -> Iterator[list[AlgorithmProposal]]:
    """Yield the candidates algorithm by algorithm, often best ones first."""
    for count in pieces:
        require_whole("pieces", count, 1, PIECES[-1], error=NetworkError)
    many = len(operation.members)
    small = many <= MOST_MEMBERS and operation.kind != "barrier" and not operation.groups
    known = (*algorithms(operation.kind), *("greedy",) * (operation.kind in BY_TREES), "optimal")
    known += ("searched",) * small
    for name in names:
        require_known(f"unknown algorithm of {operation.kind}", name, known, NetworkError)
    if not names and (many > MOST_PACKED or operation.kind == "barrier"):
        known = tuple(name for name in known if name != "optimal")
    require_room(operation, names)
    known = tuple(sorted(known, key=SELDOM_BEST.__contains__))
    unit, refused, taken = replace(operation, size=Fraction(1)), list[NetworkError](), False
    for name in names or known:
        try:
            placed = arranged(platform, unit, name, group) if searched and group else group
            choices = _candidates(platform, unit, name, placed, pieces, routes)
        except NetworkError as error:
            refused.append(error)
            continue
        taken = True
        yield choices
    if not taken:
        raise refused[0]


def _candidates(
    platform: Platform,
    unit: Operation,
    name: str,
    group: Group | None,
    pieces: Sequence[int],
    routes: ScheduleRoutes | None,
) -> list[AlgorithmProposal]:
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
                choices = _candidates(platform, unit, name, group, BEGUN_WITH, routes)
                yield min((one.start_order(size) for one in choices), key=lambda one: one.time)

    def fastest(size: Fraction) -> StartOrder:
        spread = at_once(platform, replace(unit, size=size), ways)
        return min(
            searched_from(starts(size), ways), StartOrder(spread, float(spread.time)), key=lambda one: one.time
        )

    def floor(size: Fraction) -> float:
        return float(bound(platform, replace(unit, size=size)).time)

    return [AlgorithmProposal("searched", 1, 0.0, 0.0, 0.0, fastest, floor)]


def best(choices: Sequence[AlgorithmProposal], size: Fraction, looked_at: int = LOOKED_AT) -> Schedule:
    """Return the schedule of least time for a size; of equals that with fewer pieces.

    What cannot be faster by `ALIKE`, by its busiest channel, is not made.

    Parameters
    ----------
    choices : Sequence[Candidate]
        What :func:`candidates` returned.
    size : Fraction
        Size of the operation.
    looked_at : int
        Candidates whose starts are looked for: those of least time by steps.

    Returns
    -------
    Schedule
        The fastest of them.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives.platform import platform_of
    >>> platform = platform_of(ring(4))
    >>> choices = candidates(platform, Operation("all_reduce", platform.members))
    >>> fastest = best(choices, Fraction(64))
    >>> fastest.name, fastest.pieces, fastest.time
    ('bidirectional_ring', 1, Fraction(97, 1))
    """
    ordered = sorted(
        choices,
        key=lambda one: (
            one.algorithm == "searched",
            one.algorithm != "greedy",
            round(one.time(size), 9),
            one.pieces,
            one.algorithm != "optimal",
        ),
    )
    chosen, looked = ordered[0].start_order(size), int(ordered[0].algorithm != "greedy")
    for one in ordered[1:]:
        if one.floor is not None and chosen.time > NEAR * one.floor(size):
            looked = 0
        elif one.floor or one.least * float(size) >= chosen.time * (1 - ALIKE) or looked == looked_at:
            continue
        looked += one.algorithm != "greedy"
        made = one.start_order(size)
        if (round(made.time, 9), one.pieces) < (round(chosen.time, 9), chosen.schedule.pieces):
            chosen = made
    return chosen.exact()
