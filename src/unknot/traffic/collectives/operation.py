"""A collective operation: who takes part, and how much each has."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from unknot._base.errors import UnknotError, require_known

ROOTED = ("broadcast", "reduce", "scatter", "gather")
"""Operations in which one member has or gets all."""
KINDS = (*ROOTED, "all_gather", "reduce_scatter", "all_reduce", "all_to_all")
"""Operations by name."""


@dataclass(frozen=True)
class Operation:
    """A collective operation.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    members : tuple of int
        Nodes of a platform that take part.
    size : Fraction
        Bytes: the whole vector for broadcast, reduce and all_reduce; else the block of one member,
        in all_to_all for each other one.
    root : int or None
        Member that has or gets all, for `ROOTED` operations only.

    Raises
    ------
    UnknotError
        If the kind is unknown, members are fewer than two or named twice, the size is not positive, or the root is
        missing, superfluous or no member.

    Examples
    --------
    >>> Operation("broadcast", (0, 1, 2), Fraction(64), root=0).root
    0
    """

    kind: str
    members: tuple[int, ...]
    size: Fraction = Fraction(1)
    root: int | None = None

    def __post_init__(self) -> None:
        require_known("unknown collective operation", self.kind, KINDS)
        if len(set(self.members)) < max(2, len(self.members)):
            raise UnknotError(f"{self.kind}: at least two members, each once, are needed, got {self.members!r:.80}")
        if self.size <= 0:
            raise UnknotError(f"{self.kind}: the size must be positive, got {self.size}")
        if self.kind in ROOTED and self.root not in self.members:
            raise UnknotError(f"{self.kind}: the root must be one of the members, got {self.root}")
        if self.kind not in ROOTED and self.root is not None:
            raise UnknotError(f"{self.kind} has no root, got {self.root}; leave it out")
