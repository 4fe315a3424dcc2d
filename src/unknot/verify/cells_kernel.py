# mypy: ignore-errors
"""Cells: the states on a VC for a block of addresses, as sets of bits; collecting and marking them."""

from typing import NamedTuple

from unknot._base.kernels.lazy_kernel import FLAGS, I32, I64, READ32, READ64, READ_BOOL, kernel
from unknot.verify.follow_kernel import WIDTH, Notes, follow
from unknot.verify.states_kernel import Traversal


class Inner(NamedTuple):
    """Dependencies within components.

    Attributes
    ----------
    cyclic : bool array, shape (VCs,)
    first, target : compressed rows over VCs
        VCs of the same component on which a VC depends; "edge e of VC v" is number ``first[v] + e``.
    slot : int64 array
        Slot of each edge in `Notes`.
    back_first, back, back_edge : compressed rows over VCs
        VCs with an edge to a VC, and its number among their edges.
    """

    cyclic: READ_BOOL
    first: READ64
    target: READ32
    slot: READ64
    back_first: READ64
    back: READ32
    back_edge: READ32


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

    first: READ64
    block: I32
    word: READ64
    bits: I64


class Kinds(NamedTuple):
    """Kinds of VCs that live and die together.

    Attributes
    ----------
    of : int32 array, shape (VCs,)
    first, member : arrays
        VCs of each kind, in compressed rows.
    """

    of: READ32
    first: READ64
    member: READ32


class LivingRules(NamedTuple):
    """Which states live.

    Attributes
    ----------
    spread : bool
        Also one from which another is reached, as under wormhole.
    commits : bool
        A header waits for the one output that it chose.
    entered : bool
        Only packets block that stand in the first VC of their route.
    """

    spread: bool
    commits: bool
    entered: bool


class DeletionMarks(NamedTuple):
    """How far deletion has come.

    Attributes
    ----------
    live : bool array, shape (edges,)
        Whether the VC to which an edge leads is left.
    owner : int32 array, shape (cells,)
        VC of each cell.
    blocked, dead : int64 arrays, shape (cells,)
        States that are blocked, and those that died and were not dealt with.
    on : int64 array, shape (kinds,)
        States that are left on the VCs of a kind.
    removed : int64 array, shape (kinds,)
        How many kinds were deleted before this one; −1 if it is left.
    queue : int32 array, shape (kinds,)
        Deleted kinds, in the order of their deletion.
    stack : int32 array, shape (cells,)
        Cells with dead states.
    cursor : int64 array, shape (3,)
        Head and tail of the queue, size of the stack.
    """

    live: FLAGS
    owner: I32
    blocked: I64
    dead: I64
    on: I64
    removed: I64
    queue: I32
    stack: I32
    cursor: I64


@kernel
def size_of(some: int) -> int:
    """Number of members of a set of addresses of a block."""
    # LLVM recognises this loop and makes one instruction of it.
    size = 0
    while some:
        some &= some - 1
        size += 1
    return size


@kernel(inline=True)
def words_of(inner: Inner, vc: int) -> int:
    """Number of words of each cell of a VC."""
    # 0: those that reach it; 1: those that enter; 2 + 2 e and 3 + 2 e: those that go on over edge e, and wait for it.
    return 2 * (1 + inner.first[vc + 1] - inner.first[vc])


@kernel(inline=True)
def first_word(inner: Inner, cells: Cells, vc: int, cell: int) -> int:
    """Where the words of a cell of a VC begin."""
    return cells.word[vc] + (cell - cells.first[vc]) * words_of(inner, vc)


@kernel
def cell_of(cells: Cells, vc: int, block: int) -> int:
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


@kernel(inline=True)
def _clear(v: int, notes: Notes) -> None:
    """Forget what was noted of a VC."""
    first, goes, waits, entered, outside = notes.first, notes.goes, notes.waits, notes.entered, notes.outside
    for slot in range(first[v], first[v + 1]):
        goes[slot] = waits[slot] = 0
    entered[v] = outside[v] = 0


@kernel
def count_cells(
    traversal: Traversal, addresses: READ64, start: int, stop: int, notes: Notes, inner: Inner, counts: I32
) -> int:
    """Count the cells of each cyclic VC in `counts`.

    Adds the states in them to totals[3]. Returns −1, or the address of a broken state.
    """
    cyclic, reached, totals = inner.cyclic, notes.reached, notes.totals
    for low in range(start, stop, WIDTH):
        broken = follow(traversal, addresses, low, min(WIDTH, stop - low), notes)
        if broken >= 0:
            return broken
        for v in range(cyclic.size):
            if reached[v]:
                # Notes of a VC that is not reached were never written.
                _clear(v, notes)
                if cyclic[v]:
                    counts[v] += 1
                    totals[3] += size_of(reached[v])
    return -1


@kernel
def fill_cells(
    traversal: Traversal,
    addresses: READ64,
    start: int,
    stop: int,
    notes: Notes,
    inner: Inner,
    cursor: I64,
    cells: Cells,
) -> int:
    """Write the cells of some addresses, as `unknot.verify.waiting` says; cursor[v] is the next cell of VC v.

    Returns −1, or an address of which there are other states than were counted.
    """
    cyclic, inner_first, slot_of = inner.cyclic, inner.first, inner.slot
    block, bits = cells.block, cells.bits
    _, first, goes, waits, entered, outside, reached, _ = notes
    commits = traversal.layout.commits
    for low in range(start, stop, WIDTH):
        broken = follow(traversal, addresses, low, min(WIDTH, stop - low), notes)
        if broken >= 0:
            return broken
        for v in range(cyclic.size):
            if not reached[v]:
                continue
            if not cyclic[v]:
                _clear(v, notes)
                continue
            # Threads fill cells of a VC at the same time: each has its share of them, counted before.
            c = cursor[v]
            if c == cells.first[v + 1]:
                return addresses[low]
            cursor[v] = c + 1
            block[c] = low // WIDTH
            begin, end = inner_first[v], inner_first[v + 1]
            base = first_word(inner, cells, v, c)
            bits[base], bits[base + 1] = reached[v], entered[v]
            some = outside[v]
            for e in range(begin, end):
                bits[base + 2 + 2 * (e - begin)] = goes[slot_of[e]]
                bits[base + 3 + 2 * (e - begin)] = waits[slot_of[e]]
                waits[slot_of[e]] = 0
            # A header that waits for something outside the component never blocks for good: that drains before. What
            # it waits for inside was cleared above, so that what is left here is outside.
            for slot in range(first[v], first[v + 1]):
                some |= waits[slot]
            if not commits:
                for e in range(end - begin):
                    bits[base + 3 + 2 * e] &= ~some
            _clear(v, notes)
    return -1
