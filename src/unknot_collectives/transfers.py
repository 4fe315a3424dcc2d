"""What a schedule is made of: chunks of the data, and transfers of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Chunk:
    """A part of the data, in bytes.

    Attributes
    ----------
    size : Fraction
    source : int or None
        Member that has it at the beginning; None: every member of the group has one, and they are to be reduced.
    target : int or None
        Member that has it at the end, or all of it reduced; None: every member of the group.
    group : int
        Number of the group.

    Examples
    --------
    >>> Chunk(Fraction(8), source=2, target=None).size
    Fraction(8, 1)
    """

    size: Fraction
    source: int | None
    target: int | None
    group: int = 0


@dataclass(frozen=True)
class Transfer:
    """A chunk sent from one node to another in a step, over channels that follow each other.

    What is sent is what the source had when the step began.

    Attributes
    ----------
    step : int
        When it is sent.
    chunk : int
        Number of the chunk.
    source, target : int
        Nodes.
    path : tuple of int
        Channels from one to the other.
    reduces : bool
        Whether the target adds it to its own; else it replaces its own.
    rate : Fraction or None
        Bytes per unit of time at which a transfer with a start passes its path, so that others may pass beside it;
        None: at the bandwidth of the slowest channel.

    Examples
    --------
    >>> Transfer(step=0, chunk=0, source=2, target=4, path=(7, 9)).reduces
    False
    """

    step: int
    chunk: int
    source: int
    target: int
    path: tuple[int, ...]
    reduces: bool = False
    rate: Fraction | None = None


PassageKey = tuple[Fraction, tuple[int, ...], Fraction | None]
"""Size of a chunk, the path that it takes, and its rate."""


def in_steps(transfers: Sequence[Transfer]) -> tuple[Transfer, ...]:
    """Return transfers ordered by step; those of one step stay in their order."""
    return tuple(sorted(transfers, key=lambda sent: sent.step))
