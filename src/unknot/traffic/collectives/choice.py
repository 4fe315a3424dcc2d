"""The best schedule of an operation for a size, among all algorithms and numbers of pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

from unknot._base.errors import NetworkError, require_known
from unknot._base.memory import require
from unknot._base.numbers import require_whole
from unknot.traffic.collectives.greedy import PATIENCE, Connection, connections, greedy
from unknot.traffic.collectives.operation import Operation
from unknot.traffic.collectives.optimal import optimal
from unknot.traffic.collectives.orders import Group
from unknot.traffic.collectives.platform import Platform
from unknot.traffic.collectives.schedule import Schedule
from unknot.traffic.collectives.textbook import algorithms, textbook
from unknot.traffic.collectives.timing import begun, order_of_starts
from unknot.traffic.collectives.trees import Tree, spread, up_and_down

GREEDY = ("broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce")
"""Operations of greedy trees."""
PIECES = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of pieces that are tried."""
MOST_TRANSFERS = 100_000
"""Transfers of the largest schedule that is tried, unless it is the only one."""
MOST_TIMED = 20_000
"""Transfers of the largest schedule that goes without barriers."""
MOST_PACKED = 40
"""Members up to which `best` packs trees: the time grows with the fourth power of their number."""
LOOKED_AT = 8
"""Candidates whose starts `best` looks for: those of least time by steps."""


@dataclass(frozen=True)
class Draft:
    """A schedule before its times are computed exactly: its time, rounded, and what makes it."""

    time: float
    schedule: Callable[[], Schedule]


@dataclass(frozen=True)
class Candidate:
    """An algorithm with a number of pieces: what it costs by steps, and how to make its schedule.

    Attributes
    ----------
    algorithm : str
    pieces : int
    latency : float
        Time by steps if the operation had no size.
    busy : float
        Time by steps for each unit of size besides.
    least : float
        Time of the busiest channel for each unit of size.
    draft : callable
        Returns the time for a size, and a function that makes the schedule.
    """

    algorithm: str
    pieces: int
    latency: float
    busy: float
    least: float
    draft: Callable[[Fraction], Draft] = field(repr=False, compare=False)

    def time(self, size: Fraction) -> float:
        """Time of the operation for a size by steps; of greedy trees that of the busiest channel."""
        return self.latency + self.busy * float(size)

    def schedule(self, size: Fraction) -> Schedule:
        """Return the schedule for a size, with starts unless it is large or needs its steps."""
        return self.draft(size).schedule()


def candidates(
    platform: Platform,
    operation: Operation,
    names: Sequence[str] = (),
    *,
    group: Group | None = None,
    pieces: Sequence[int] = PIECES,
) -> list[Candidate]:
    """Return all algorithms, or those named, with numbers of pieces; those that do not take the members are left out.

    Parameters
    ----------
    platform : Platform
        Nodes and channels.
    operation : Operation
        The operation.
    names : sequence of str
        Of `algorithms`, or ``optimal``: packed trees, and paths of a flow; or, without switches, ``greedy``.
    group : Group, optional
        The members in the order of rings and trees.
    pieces : Sequence[int]
        Numbers of pieces into which chunks are cut.

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
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> platform = platform_of(ring(4))
    >>> choices = candidates(platform, Operation("all_gather", platform.members), ["ring", "direct"], pieces=(1, 2))
    >>> [(one.algorithm, one.pieces) for one in choices]
    [('ring', 1), ('ring', 2), ('direct', 1), ('direct', 2)]
    """
    for count in pieces:
        require_whole("pieces", count, 1, PIECES[-1], error=NetworkError)
    known = ("optimal", *("greedy",) * (operation.kind in GREEDY), *algorithms(operation.kind))
    unit, made, refused = replace(operation, size=Fraction(1)), list[Candidate](), list[NetworkError]()
    for name in names or known:
        require_known(f"unknown algorithm of {operation.kind}", name, known, NetworkError)
        if not names and name == "optimal" and (len(operation.members) > MOST_PACKED or operation.kind == "barrier"):
            continue
        require(f"transfers among {len(operation.members)} members", 300 * len(operation.members) ** 2)
        try:
            if name == "greedy":
                made += _greedy(platform, unit, pieces)
                continue
            base = optimal(platform, unit) if name == "optimal" else textbook(platform, unit, name, group)
        except NetworkError as error:
            refused.append(error)
            continue
        least = float(base.busiest)
        for count in pieces if operation.kind != "barrier" else (1,):
            if count > 1 and count * len(base.transfers) > MOST_TRANSFERS:
                break
            latency, busy, _ = base.pipelined_costs(count)
            costs = latency, busy
            made.append(Candidate(name, count, latency, busy, least, cache(partial(_cut, base, count, costs))))
    if not made:
        raise refused[0]
    return made


def _cut(base: Schedule, pieces: int, costs: tuple[float, float], size: Fraction) -> Draft:
    """Return a schedule of unit size for another size, in pieces, by steps or by starts, whichever is faster."""
    steps = base.resized(size).pipelined(pieces)
    by_steps = costs[0] + costs[1] * float(size)
    whole = Draft(by_steps, lambda: steps)
    if len(steps.transfers) > MOST_TIMED:
        return whole
    try:
        order, time = order_of_starts(steps)
    except NetworkError:
        return whole
    return whole if by_steps <= time * (1 + 1e-9) else Draft(time, cache(partial(begun, steps, order)))


def _greedy(platform: Platform, unit: Operation, pieces: Sequence[int]) -> list[Candidate]:
    """Return candidates of greedy trees, which are made for a size."""
    if unit.groups:
        raise NetworkError("greedy trees are those of one group")
    platform = replace(platform, members=unit.members)
    connected, many, made = list(connections(platform, Fraction(1))), len(unit.members), list[Candidate]()
    _require_reach(platform, unit, connected)
    uneven = len({way.taken for way in connected}) > 1
    for count in pieces:
        transfers = count * (many - 1) * (many if unit.root is None else 1)
        if count > 1 and transfers > MOST_TIMED:
            break
        draws = range(max(1, min(4, 2000 // transfers)))
        for patience, seed in product(PATIENCE if uneven else PATIENCE[-1:], draws):
            make = cache(partial(_grown, platform, unit, count, patience, seed))
            made.append(Candidate("greedy", count, 0.0, 0.0, 0.0, make))
    return made


def _require_reach(platform: Platform, unit: Operation, connected: Sequence[Connection]) -> None:
    """Refuse members that connections do not lead to from each root, or from which they do not lead to it."""
    import networkx as nx

    graph: Any = nx.DiGraph([(way.source, way.target) for way in connected])
    graph.add_nodes_from(unit.members)
    graph = graph.reverse(copy=False) if unit.kind in ("reduce", "reduce_scatter") else graph
    for root in unit.members if unit.root is None else (unit.root,):
        if len(nx.descendants(graph, root)) < len(unit.members) - 1:
            raise NetworkError(f"{platform.name}: no channel leads from each root to each member")


def _grown(platform: Platform, unit: Operation, pieces: int, patience: float, seed: int, size: Fraction) -> Draft:
    """Return the schedule of greedy trees; those that add up are grown on the reversed platform."""
    operation, kind = replace(unit, size=size), unit.kind
    roots = unit.members if unit.root is None else (unit.root,)
    block = size / len(roots) if kind == "all_reduce" else size
    up, down, order, time = list[Tree](), list[Tree](), list[tuple[int, int, int, bool]](), 0.0
    if kind not in ("broadcast", "all_gather"):
        up, starts, last = greedy(platform.reversed(), roots, block, pieces, patience=patience, seed=seed)
        order, time = [(number, edge.child, edge.parent, True) for number, edge in reversed(starts)], last
    if kind not in ("reduce", "reduce_scatter"):
        down, starts, last = greedy(platform, roots, block, pieces, patience=patience, seed=seed)
        order, time = [*order, *((number, edge.parent, edge.child, False) for number, edge in starts)], time + last

    def schedule() -> Schedule:
        return _of_greedy(platform, operation, up, down, order)

    return Draft(time, cache(schedule))


def _of_greedy(
    platform: Platform,
    operation: Operation,
    up: list[Tree],
    down: list[Tree],
    order: Sequence[tuple[int, int, int, bool]],
) -> Schedule:
    roots = dict.fromkeys(tree.root for tree in up or down)
    if operation.kind == "all_reduce":
        up, down = ([replace(t, share=t.share / len(roots)) for t in trees] for trees in (up, down))
        made = up_and_down("greedy", platform, operation, up, down)
    else:
        made = spread("greedy", platform, operation, up or down)
    place = {(sent.chunk, sent.source, sent.target, sent.reduces): i for i, sent in enumerate(made.transfers)}
    return begun(made, [place[ends] for ends in order])


def best(choices: Sequence[Candidate], size: Fraction) -> Candidate:
    """Return the candidate of least time for a size; of equals that with fewer pieces.

    Greedy trees, and the best by steps, are made. What cannot be faster, by its busiest channel, is not.

    Parameters
    ----------
    choices : Sequence[Candidate]
        What :func:`candidates` returned.
    size : Fraction
        Size of the operation.

    Returns
    -------
    Candidate
        The fastest of them.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> platform = platform_of(ring(4))
    >>> choices = candidates(platform, Operation("all_reduce", platform.members))
    >>> fastest = best(choices, Fraction(64))
    >>> fastest.algorithm, fastest.pieces, fastest.schedule(Fraction(64)).time
    ('bidirectional_ring', 1, Fraction(97, 1))
    """
    ordered = sorted(choices, key=lambda one: (one.algorithm != "greedy", round(one.time(size), 9), one.pieces))
    chosen, least, looked = ordered[0], float("inf"), 0
    for one in ordered:
        if one.least * float(size) >= least or looked == LOOKED_AT:
            continue
        looked += one.algorithm != "greedy"
        time = one.draft(size).time
        if (round(time, 9), one.pieces) < (round(least, 9), chosen.pieces):
            chosen, least = one, time
    return chosen
