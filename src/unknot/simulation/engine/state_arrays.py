"""The state of a part of a run, in memory: its tables by name, and their addresses for kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.native import Native
from unknot.simulation.engine.setup import COUNT, ENTRIES, FIRST_TABLE, SETUP
from unknot.simulation.engine.state import TABLES

LINE = 64
"""Bytes of a cache line, on which tables begin."""


class StateWords:
    """Words of a state by name, each read and written as a whole number.

    A record of NumPy would do it in ten times as long, which short runs notice.
    """

    __slots__ = ("_places", "_words")

    def __init__(self, row: np.dtype[Any], words: npt.NDArray[np.int64]) -> None:
        object.__setattr__(self, "_places", {name: k for k, name in enumerate(row.names or ())})
        object.__setattr__(self, "_words", memoryview(words))  # type: ignore[arg-type]  # it is a buffer

    def __getattr__(self, name: str) -> Any:
        try:
            return self._words[self._places[name]]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self._words[self._places[name]] = int(value)

    __getitem__ = __getattr__

    def write(self, **entries: Any) -> None:
        """Write some words."""
        for name, value in entries.items():
            setattr(self, name, value)


class State:
    """Everything one part of a run consists of.

    `raw` is all that kernels are given: setup, counters, and for each of the tables its address and number of rows.
    The rest is the same by name: `setup`, `count`, and the tables.
    """

    def __init__(self, tables: dict[str, Any], like: State | None = None) -> None:
        """`tables` were made by `placed`; setup and counters are 0, or those of another state."""
        self.raw = np.zeros(FIRST_TABLE + 2 * len(TABLES), dtype=np.int64)
        if like is not None:
            self.raw[:FIRST_TABLE] = like.raw[:FIRST_TABLE]
        for k, name in enumerate(TABLES):
            self.raw[FIRST_TABLE + 2 * k : FIRST_TABLE + 2 * k + 2] = tables[name].ctypes.data, len(tables[name])
        self.tables = {name: tables[name] for name in TABLES}
        self.address = int(self.raw.ctypes.data)  # found once, which short runs notice
        self.setup = StateWords(SETUP, self.raw[:ENTRIES])
        self.linked: Native | None = None  # the loop, once `kernels.link` has written addresses
        self.count = StateWords(COUNT, self.raw[ENTRIES:FIRST_TABLE])

    def __getattr__(self, name: str) -> Any:
        if name in TABLES:
            return self.tables[name]
        raise AttributeError(name)

    @property
    def differ(self) -> bool:
        """Whether packets have classes or several lengths: then flits of a port do not say how many packets went."""
        return self.setup.classes > 0 or len(self.lengths) > 1

    def wake(self) -> None:
        """Let all sleeping headers request again, as `state_kernel.wake` does those of a router."""
        self.masks.heads |= self.masks.asleep
        self.masks.asleep[:] = 0

    def new_packet(self) -> int:
        """Take the number of a packet that is not in use."""
        count = self.count
        if count.free:
            count.free -= 1
            return int(self.free[count.free])
        count.high += 1
        return int(count.high) - 1

    def set_open(self, row: int, is_open: bool) -> None:
        """Let headers be granted an output VC, or keep it from them."""
        set_bit(self.masks.open, self.words.first_output, row, is_open)

    def replaced(self, **tables: Any) -> State:
        """The state with some tables replaced."""
        return State(self.tables | placed(tables), self)


def set_bit(mask: npt.NDArray[np.int64], first: npt.NDArray[np.int64], row: int, on: bool) -> None:
    """Set or clear the bit of a row; `first` are the rows that the words of the mask begin with."""
    # They need not ascend: a router's later words may begin after its last row, but no later router's before that.
    word = int(np.flatnonzero(first[:-1] <= row)[-1])
    bit = np.int64(1) << np.int64(row - first[word])
    mask[word] = mask[word] | bit if on else mask[word] & ~bit


def row_count(content: Any) -> int:
    """Rows of a table by its contents: their number, the length of its first column, or the number of values."""
    first = next(iter(content.values())) if isinstance(content, dict) else content
    return first if isinstance(first, int) else len(first)


def placed(contents: dict[str, Any]) -> dict[str, Any]:
    """Tables on cache lines of their own, one behind the other: a number of rows, columns or values each."""
    sizes = [TABLES[name].itemsize * row_count(content) for name, content in contents.items()]
    starts = np.cumsum([0, *(size + -size % (2 * LINE) for size in sizes)]).tolist()
    # Of 4 MB and more NumPy asks for large pages, which a processor finds its way in with a few entries of its table.
    # All begin in the second half of a pair of lines, fetched as one: on large networks that takes a twentieth less.
    room = np.zeros(starts[-1] + 2 * LINE, dtype=np.uint8)
    room = room[(LINE - room.ctypes.data) % (2 * LINE) :]
    return {
        name: _filled(room[start : start + size].view(TABLES[name]), content)
        for (name, content), start, size in zip(contents.items(), starts, sizes, strict=False)
    }


def _filled(table: npt.NDArray[Any], content: Any) -> Any:
    """A table that is 0 with its content: nothing if that is a number of rows, columns by name, or all values."""
    if table.dtype.names:
        table = table.view(np.recarray)
    if isinstance(content, dict):
        for name, column in content.items():
            table[name] = column
    elif not isinstance(content, int) and len(table):
        table[...] = content
    return table
