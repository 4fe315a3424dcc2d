"""The best schedule of an operation for a size, among all algorithms and numbers of pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from unknot._base.errors import NetworkError, require_known
from unknot._base.memory import require
from unknot._base.numbers import require_whole
from unknot.traffic.collectives.chunks import ChunkSchedule
from unknot.traffic.collectives.compact import compacted
from unknot.traffic.collectives.greedy import greedy
from unknot.traffic.collectives.operation import Operation
from unknot.traffic.collectives.optimal import optimal
from unknot.traffic.collectives.platform import Platform
from unknot.traffic.collectives.textbook import Group, algorithms, textbook
from unknot.traffic.collectives.trees import PathOf, spread, up_and_down

GREEDY = ("broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce")
"""Operations of greedy trees."""
PIECES = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of pieces that are tried."""
MOST_TRANSFERS = 100_000
"""Transfers of the largest schedule that is tried, unless it is the only one."""
MOST_GREEDY = 300
"""Chunks of greedy trees; the time grows with the square of their number."""
MOST_PACKED = 40
"""Members up to which `best` packs trees: the time grows with the fourth power of their number."""


@dataclass(frozen=True)
class Candidate:
    """An algorithm with a number of pieces: what it costs, and how to make its schedule.

    Attributes
    ----------
    algorithm : str
    pieces : int
    latency : float
        Time if the operation had no size.
    busy : float
        Time for each unit of size besides.
    base : ChunkSchedule
        A schedule of size 1.
    cut : int
        Pieces into which its chunks are still to be cut.
    """

    algorithm: str
    pieces: int
    latency: float
    busy: float
    base: ChunkSchedule
    cut: int = 1

    def time(self, size: Fraction) -> float:
        """Time of the operation for a size."""
        return self.latency + self.busy * float(size)

    def schedule(self, size: Fraction) -> ChunkSchedule:
        """Return the schedule for a size."""
        return self.base.resized(size).pipelined(self.cut)


def candidates(
    platform: Platform,
    operation: Operation,
    names: Sequence[str] = (),
    *,
    path: PathOf | None = None,
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
    path, group : PathOf or None, Group or None
        As `textbook` takes them.
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
        if not names and name == "optimal" and len(operation.members) > MOST_PACKED:
            continue
        require(f"transfers among {len(operation.members)} members", 300 * len(operation.members) ** 2)
        try:
            if name == "greedy":
                made += _greedy(platform, unit, pieces)
                continue
            base = optimal(platform, unit) if name == "optimal" else textbook(platform, unit, name, path, group)
        except NetworkError as error:
            refused.append(error)
            continue
        for count in pieces:
            if count > 1 and count * len(base.transfers) > MOST_TRANSFERS:
                break
            latency, busy, _ = base.pipelined_costs(count)
            made.append(Candidate(name, count, latency, busy, base, count))
            if name == "optimal" and count * len(base.transfers) <= MOST_TRANSFERS // 10:
                dense = compacted(base.pipelined(count))
                latency = float(dense.latency)
                made.append(Candidate(name, count, latency, float(dense.time) - latency, dense))
    if not made:
        raise refused[0]
    return made


def _greedy(platform: Platform, unit: Operation, pieces: Sequence[int]) -> list[Candidate]:
    """Return candidates of greedy trees; the slowest channel carries up to as many chunks in a step as a root has."""
    made, kind = list[Candidate](), unit.kind
    platform = replace(platform, members=unit.members)
    roots = unit.members if unit.root is None else (unit.root,)
    for count in pieces:
        if count > 1 and count * len(roots) > MOST_GREEDY:
            break
        for most in {1, *(count // k for k in (2, 3, 1) if count // k)}:
            down = [] if kind in ("reduce", "reduce_scatter") else greedy(platform, roots, count, most)
            up = [] if kind in ("broadcast", "all_gather") else greedy(platform.reversed(), roots, count, most)
            if kind == "all_reduce":
                up, down = ([replace(t, share=t.share / len(roots)) for t in trees] for trees in (up, down))
                schedule = up_and_down("greedy", platform, unit, up, down)
            else:
                schedule = spread("greedy", platform, unit, up or down)
            latency = float(schedule.latency)
            made.append(Candidate("greedy", count, latency, float(schedule.time) - latency, schedule))
    return made


def best(choices: Sequence[Candidate], size: Fraction) -> Candidate:
    """Return the candidate of least time for a size; of equals that with fewer pieces.

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
    >>> from unknot.network.families import torus
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> platform = platform_of(torus(4, 4))
    >>> choices = candidates(platform, Operation("all_reduce", platform.members))
    >>> fastest = best(choices, Fraction(64))
    >>> fastest.algorithm, fastest.pieces, fastest.time(Fraction(64))
    ('direct', 1, 128.0)
    """
    return min(choices, key=lambda one: (round(one.time(size), 9), one.pieces))
