"""A bound with its evidence: a cut, or lengths of channels, and the bytes that must pass these."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from unknot._base.errors import NetworkError
from unknot_collectives.lengths import carried
from unknot_collectives.operation import Operation, ends_of
from unknot_collectives.platform import Platform
from unknot_collectives.time_cuts import TimeCut

BY_SOURCE = ("gather", "all_gather", "all_to_all")
"""Operations in which each source has bytes of its own, for all."""
BY_TARGET = ("scatter", "reduce_scatter", "all_to_all")
"""Operations in which each target needs bytes of its own, of all."""


@dataclass(frozen=True)
class Bound:
    """A time that no schedule of an operation on a platform can be below.

    Attributes
    ----------
    platform : Platform
    operation : Operation
    time : Fraction
    cut : tuple of int
        Nodes, ascending; what must leave them takes that time.
    lengths : tuple of int
        In place of a cut: of each channel. What `carried` returns, over bandwidth times length of all channels, is
        that time.
    source, target : int or None
        The only members whose bytes, and to which they, are counted at the cut; None: all.
    in_time : tuple of TimeCut
        In place of both: cuts in time, by whose windows the operation does not end by that time.
    rounds : str
        In place of all: by how many messages the data of a ``source`` come to all who need them, or those that a
        ``target`` needs come to the target; else empty.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives import Operation, bound, platform_of
    >>> platform = platform_of(ring(4))
    >>> lower = bound(platform, Operation("all_reduce", platform.members, Fraction(8)))
    >>> lower.time, lower.lengths
    (Fraction(12, 1), (0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1))
    """

    platform: Platform
    operation: Operation
    time: Fraction
    cut: tuple[int, ...]
    lengths: tuple[int, ...] = ()
    source: int | None = None
    target: int | None = None
    in_time: tuple[TimeCut, ...] = ()
    rounds: str = ""

    def claim(self) -> dict[str, Any]:
        """Return the claim that `unknot.certificates` checks, with the cut as its proof."""
        proof: dict[str, Any] = {"cut": list(self.cut), "source": self.source, "target": self.target}
        if self.rounds:
            proof = {"rounds": self.rounds}
        elif self.in_time:
            proof = {"cuts": [one.words for one in self.in_time]}
        elif self.lengths:
            proof = {"lengths": list(self.lengths)}
        return {"subject": "collective", **self.platform.claim(self.operation, self.time), "proof": proof}


def by_cut(platform: Platform, operation: Operation, cut: frozenset[int]) -> Bound:
    """Return the bound by what must leave a cut."""
    room = sum(c.bandwidth for c in platform.channels if c.source in cut and c.target not in cut)
    leaving = leaving_bytes(operation, cut)
    if leaving and not room:
        raise NetworkError(f"{platform.name}: no channel leads from members that send to others that receive")
    return Bound(platform, operation, leaving / room if room else Fraction(0), tuple(sorted(cut)))


def by_lengths(platform: Platform, operation: Operation, lengths: Sequence[int]) -> Bound:
    """Return the bound by lengths of channels."""
    room = sum((c.bandwidth * w for c, w in zip(platform.channels, lengths, strict=True)), Fraction(0))
    time = operation.size * carried(platform, operation, lengths) / room
    return Bound(platform, operation, time, (), tuple(lengths))


def leaving_bytes(
    operation: Operation, cut: Collection[int], source: int | None = None, target: int | None = None
) -> Any:
    """Return how many bytes must leave a cut, of one source or all, to one target or all."""
    if operation.blocks:
        sent = sum(
            amount
            for (a, b), amount in operation.amounts.items()
            if a in cut and b not in cut and source in (None, a) and target in (None, b)
        )
        return operation.size * sent
    leaving = 0
    for part in operation.parts:
        senders, receivers = ends_of(operation, part)
        inside = len((senders if source is None else senders & {source}) & set(cut))
        outside = len((receivers if target is None else receivers & {target}) - set(cut))
        own = inside if operation.kind in BY_SOURCE else min(inside, 1)
        leaving += own * (outside if operation.kind in BY_TARGET else min(outside, 1))
    return operation.size * leaving
