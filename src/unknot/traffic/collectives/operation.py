"""A collective operation: who takes part, and how much each has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from unknot._base.errors import UnknotError, require_known

ROOTED = ("broadcast", "reduce", "scatter", "gather")
"""Operations in which one member has or gets all."""
KINDS = (*ROOTED, "all_gather", "reduce_scatter", "all_reduce", "barrier", "all_to_all")
"""Operations by name."""


@dataclass(frozen=True)
class Operation:
    """A collective operation, or the same one in several groups at the same time.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    members : tuple of int
        Nodes of a platform that take part.
    size : Fraction
        Bytes: the whole vector for broadcast, reduce and all_reduce; a message for barrier; else the block of one
        member, in all_to_all for each other one.
    root : int or None
        Member that has or gets all, for `ROOTED` operations only.
    groups : tuple of tuple of int
        The members in groups, each of which does the operation by itself; empty: one group. Not for `ROOTED` ones.
    blocks : tuple of tuple of Fraction
        For all_to_all, by sender and receiver in the order of the members: how many times `size` the one has for the
        other; what is on the diagonal is not sent. Empty: once each.

    Raises
    ------
    UnknotError
        If the kind is unknown, members are fewer than two or named twice, the size is not positive, the root is
        missing, superfluous or no member, groups are not made of the members, or blocks are no square matrix.

    Examples
    --------
    >>> Operation("broadcast", (0, 1, 2), Fraction(64), root=0).root
    0
    >>> pairs = Operation("all_to_all", (0, 1, 2, 3), groups=((0, 2), (1, 3)))
    >>> sorted(pairs.amounts)
    [(0, 2), (1, 3), (2, 0), (3, 1)]
    """

    kind: str
    members: tuple[int, ...]
    size: Fraction = Fraction(1)
    root: int | None = None
    groups: tuple[tuple[int, ...], ...] = ()
    blocks: tuple[tuple[Fraction, ...], ...] = ()

    def __post_init__(self) -> None:
        kind, count = self.kind, len(self.members)
        require_known("unknown collective operation", kind, KINDS)
        for group in (self.members, *self.groups):
            if len(set(group)) < max(2, len(group)):
                got = f"{len(group)}, of which {len(set(group))} are different"
                raise UnknotError(f"{kind}: at least two members, each once, are needed, got {got}")
        if self.size <= 0:
            raise UnknotError(f"{kind}: the size must be positive, got {self.size}")
        if kind in ROOTED and self.root not in self.members:
            raise UnknotError(f"{kind}: the root must be one of the members, got {self.root}")
        if kind not in ROOTED and self.root is not None:
            raise UnknotError(f"{kind} has no root, got {self.root}; leave it out")
        if self.groups and (kind in ROOTED or self.blocks):
            raise UnknotError(f"{kind}{' by a matrix' * bool(self.blocks)} has no groups")
        if self.groups and sorted(node for group in self.groups for node in group) != sorted(self.members):
            raise UnknotError(f"{kind}: each member must be in one of the groups, and nobody else")
        if self.blocks and (kind != "all_to_all" or {len(self.blocks), *map(len, self.blocks)} != {count}):
            raise UnknotError(f"{kind}: blocks are for all_to_all, a row and a column for each of {count} members")
        if self.blocks and (min(map(min, self.blocks)) < 0 or not self.amounts):
            raise UnknotError(f"{kind}: blocks must not be negative, and one of them must be sent")

    @property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The groups, or the only one."""
        return self.groups or (self.members,)

    @cached_property
    def part_of(self) -> Mapping[int, int]:
        """Number of the group of each member."""
        return {member: number for number, part in enumerate(self.parts) for member in part}

    @cached_property
    def amounts(self) -> Mapping[tuple[int, int], Fraction]:
        """For all_to_all, what each sender has for each receiver, in sizes; pairs that send nothing are left out."""
        if not self.blocks:
            return {(a, b): Fraction(1) for part in self.parts for a in part for b in part if a != b}
        rows = zip(self.members, self.blocks, strict=True)
        pairs = ((a, b, block) for a, row in rows for b, block in zip(self.members, row, strict=True))
        return {(a, b): Fraction(block) for a, b, block in pairs if a != b and block}
