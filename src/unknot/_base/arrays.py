"""Arrays: types by what they hold, and compressed rows.

Compressed rows are entries of one row after the other in one array, and where each row begins in another.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
IntArray = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def offsets(counts: npt.ArrayLike) -> Ints:
    """Return where each row begins, and the end, from the number of entries of each.

    >>> offsets([1, 0, 2]).tolist()
    [0, 1, 1, 3]
    """
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def starts(row: npt.NDArray[Any], rows: int) -> Ints:
    """Return where each row begins, and the end: int64 array, shape (rows + 1,), from the row of each entry.

    >>> starts(np.array([0, 2, 2]), 3).tolist()
    [0, 1, 1, 3]
    """
    return offsets(np.bincount(row, minlength=rows))


class Rows(NamedTuple):
    """Compressed rows.

    Attributes
    ----------
    first : int64 array, shape (rows + 1,)
        Where each row begins, and the end.
    entries : array

    Examples
    --------
    >>> some = Rows(np.array([0, 1, 1, 3]), np.array([7, 8, 9]))
    >>> some.at(2), some.row.tolist(), some.lists()
    ([8, 9], [0, 2, 2], [[7], [], [8, 9]])
    """

    first: Ints
    entries: npt.NDArray[Any]

    @property
    def width(self) -> Ints:
        """Number of entries of each row."""
        return np.diff(self.first)

    @property
    def row(self) -> Ints:
        """Row of each entry."""
        return row_of(self.first)

    def of(self, row: int) -> npt.NDArray[Any]:
        """Return the entries of a row as an array."""
        return self.entries[self.first[row] : self.first[row + 1]]

    def at(self, row: int) -> list[int]:
        """Return the entries of a row as a list."""
        entries: list[int] = self.of(row).tolist()
        return entries

    def lists(self) -> list[list[int]]:
        """Return the entries of every row."""
        entries = self.entries.tolist()
        return [entries[low:high] for low, high in pairwise(self.first.tolist())]

    def take(self, rows: npt.NDArray[Any]) -> Rows:
        """Return some of the rows, in their order."""
        return Rows(offsets(self.width[rows]), self.entries[positions(self.first, rows)])

    def where(self, kept: Flags) -> Rows:
        """Return the rows with some of their entries."""
        return Rows(starts(self.row[kept], self.first.size - 1), self.entries[kept])


def row_of(first: Ints) -> Ints:
    """Return the row of each entry, from where rows begin.

    >>> row_of(np.array([0, 1, 1, 3])).tolist()
    [0, 2, 2]
    """
    return np.repeat(np.arange(first.size - 1), np.diff(first))


def grouped(row: npt.NDArray[Any], rows: int) -> Rows:
    """Return rows of the numbers of their entries, ascending within a row.

    >>> first, entries = grouped(np.array([2, 0, 2]), 3)
    >>> first.tolist(), entries.tolist()
    ([0, 1, 1, 3], [1, 0, 2])
    """
    return Rows(starts(row, rows), np.argsort(row, kind="stable").astype(np.int32))


def columns(pairs: Iterable[Any]) -> Ints:
    """Return the first and the second parts of pairs of numbers, as two rows.

    >>> columns([(1, 2), (3, 4)]).tolist()
    [[1, 3], [2, 4]]
    """
    return np.array([*pairs], dtype=np.int64).reshape(-1, 2).T


def ranks(row: npt.NDArray[Any]) -> Ints:
    """Return the number of each entry among those of its row, in their order; rows may be any numbers.

    >>> ranks(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(row, kind="stable")
    rank = np.empty(row.size, dtype=np.int64)
    rank[order] = np.arange(row.size) - np.searchsorted(row[order], row[order])
    return rank


def positions(first: Ints, rows: npt.NDArray[Any]) -> Ints:
    """Return the positions of the entries of some rows, row after row.

    >>> positions(np.array([0, 1, 1, 3]), np.array([2, 0])).tolist()
    [1, 2, 0]
    """
    begin, width = first[rows].astype(np.int64), np.diff(first)[rows].astype(np.int64)
    ends = np.cumsum(width)
    places: Ints = np.arange(int(width.sum()), dtype=np.int64) + np.repeat(begin - (ends - width), width)
    return places
