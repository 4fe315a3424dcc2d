# mypy: ignore-errors
"""Cells: the states on a VC for a block of addresses, as sets of bits."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import kernel


class Inner(NamedTuple):
    """Dependencies within components.

    Attributes
    ----------
    label : int32 array, shape (VCs,)
        Component of each VC.
    cyclic : bool array, shape (VCs,)
    first, target : compressed rows over VCs
        VCs of the same component on which a VC depends; "edge e of VC v" is number ``first[v] + e``.
    slot : int64 array
        Slot of each edge in `Notes`.
    back_first, back, back_edge : compressed rows over VCs
        VCs with an edge to a VC, and its number among their edges.
    """

    label: npt.NDArray[np.int32]
    cyclic: npt.NDArray[np.bool_]
    first: npt.NDArray[np.int64]
    target: npt.NDArray[np.int32]
    slot: npt.NDArray[np.int64]
    back_first: npt.NDArray[np.int64]
    back: npt.NDArray[np.int32]
    back_edge: npt.NDArray[np.int32]


class Cells(NamedTuple):
    """The states on cycles of dependencies: a cell has those on a VC for a block of addresses.

    Attributes
    ----------
    first : int64 array, shape (VCs + 1,)
        Cells of VC v are ``first[v]`` to ``first[v + 1]``.
    block : int32 array, shape (cells,)
        Block of addresses of each cell, ascending within a VC.
    word : int64 array, shape (VCs,)
        Where the words of the cells of each VC begin: for each cell the addresses that reach it and those that enter
        it from a terminal, and for each edge of the VC those that go on over it and those that wait for it.
    bits : int64 array
        These words.
    """

    first: npt.NDArray[np.int64]
    block: npt.NDArray[np.int32]
    word: npt.NDArray[np.int64]
    bits: npt.NDArray[np.int64]


def inner_types(t):
    return t.NamedTuple((t.READ32, t.READ_BOOL, t.READ64, t.READ32, t.READ64, t.READ64, t.READ32, t.READ32), Inner)


def cell_types(t):
    return t.NamedTuple((t.READ64, t.I32, t.READ64, t.I64), Cells)


@kernel(lambda t: t.int64(t.int64))
def size_of(some):
    """Number of members of a set of addresses of a block."""
    # LLVM recognises this loop and makes one instruction of it.
    size = 0
    while some:
        some &= some - 1
        size += 1
    return size


@kernel(lambda t: t.int64(inner_types(t), t.int64), inline=True)
def words_of(inner, vc):
    """Number of words of each cell of a VC."""
    return 2 * (1 + inner.first[vc + 1] - inner.first[vc])


@kernel(lambda t: t.int64(inner_types(t), cell_types(t), t.int64, t.int64), inline=True)
def first_word(inner, cells, vc, cell):
    """Where the words of a cell of a VC begin."""
    return cells.word[vc] + (cell - cells.first[vc]) * words_of(inner, vc)


@kernel(lambda t: t.int64(cell_types(t), t.int64, t.int64))
def cell_of(cells, vc, block):
    """Return the cell of a VC for a block of addresses; −1 if there is none."""
    blocks = cells.block
    low, high = cells.first[vc], cells.first[vc + 1] - 1
    if low > high or blocks[low] > block or blocks[high] < block:
        return -1
    # Blocks ascend by at least one from cell to cell, which bounds the search from both ends; mostly the bounds meet.
    low, high = max(low, high - (blocks[high] - block)), min(high, low + block - blocks[low])
    while low < high:
        middle = (low + high) >> 1
        if blocks[middle] < block:
            low = middle + 1
        else:
            high = middle
    return low if blocks[low] == block else -1
