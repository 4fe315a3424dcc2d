"""A collective operation: who takes part, how much each has, and what schedules of it take in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from unknot._base.errors import UnknotError, require_known
from unknot._base.memory import require

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
            columns = " or ".join(map(str, sorted(set(map(len, self.blocks)))))
            got = f"got {len(self.blocks)} rows of {columns}"
            raise UnknotError(f"{kind}: blocks are for all_to_all, {count} rows of {count} for its members; {got}")
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
        """In an all_to_all, what each member has for each other, in sizes; pairs that send nothing are left out."""
        if not self.blocks:
            return {(a, b): Fraction(1) for part in self.parts for a in part for b in part if a != b}
        rows = zip(self.members, self.blocks, strict=True)
        pairs = ((a, b, block) for a, row in rows for b, block in zip(self.members, row, strict=True))
        return {(a, b): Fraction(block) for a, b, block in pairs if a != b and block}


def ends_of(operation: Operation, part: Sequence[int]) -> tuple[set[int], set[int]]:
    """Return the members of a group whose bytes are needed elsewhere, and the members in need of bytes."""
    members, kind = set(part), operation.kind
    root = {operation.root} if operation.root is not None else set[int]()
    return root if kind in ("broadcast", "scatter") else members, root if kind in ("reduce", "gather") else members


PER_PAIR = 2000
"""About the bytes of a transfer with its path, of which most algorithms have one for each two members."""
SLENDER = ("double_tree", "chain", "binomial")
"""Algorithms with a few transfers for each member, where these do not all gather or exchange."""


def require_room(operation: Operation, names: Sequence[str] = ()) -> None:
    """Refuse schedules that do not fit the memory that may be used, before any is made.

    Parameters
    ----------
    names : sequence of str
        Algorithms; empty: all of them.

    Raises
    ------
    SizeError
        With what to do.
    """
    many = len(operation.members)
    rooted = operation.kind in ROOTED
    is_slender = rooted or (
        operation.kind in ("all_reduce", "barrier") and bool(names) and set(names) <= set(SLENDER)
    )
    transfers = sum(len(part) if is_slender else len(part) ** 2 for part in operation.parts)
    hint = "" if is_slender or operation.kind != "all_reduce" else " (double_tree, chain and binomial take little)"
    require(f"transfers of {operation.kind} among {many} members{hint}", PER_PAIR * transfers)
