"""The best schedule of an operation for a size, among all algorithms and numbers of pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from unknot._base.errors import NetworkError, require_known
from unknot._base.numbers import require_whole
from unknot_collectives.arrangements import arranged
from unknot_collectives.on_routes import ScheduleRoutes
from unknot_collectives.operation import Operation, require_room
from unknot_collectives.orders import Group
from unknot_collectives.platform import Platform
from unknot_collectives.proposals import BY_TREES, AlgorithmProposal, proposals
from unknot_collectives.schedule import Schedule
from unknot_collectives.searching import MOST_MEMBERS
from unknot_collectives.textbook import algorithms

PIECES = (1, 2, 4, 8, 16, 32, 64)
MOST_PACKED = 40
"""Members up to which `best` packs trees: the time grows with the fourth power of their number."""
ALIKE = 1e-4
"""Share of the time by which a schedule that is looked for has to be faster."""
NEAR = 1.02
"""Times its bound up to which no faster schedule is searched for."""
LOOKED_AT = 14
"""Candidates whose starts `best` looks for."""
SELDOM_BEST = ("pairwise", "recursive_doubling", "bruck")
"""Algorithms that are tried last: they are large, and others are mostly faster."""


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
            choices = proposals(platform, unit, name, placed, pieces, routes)
        except NetworkError as error:
            refused.append(error)
            continue
        taken = True
        yield choices
    if not taken:
        raise refused[0]


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
