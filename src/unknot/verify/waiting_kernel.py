# mypy: ignore-errors
"""States on cycles of dependencies, in cells of a VC and a block of addresses: how they are collected."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import kernel
from unknot.network.graph_kernel import strong_components
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.verify.states_kernel import WIDTH, explore, follow, layout_types, note_types, scratch_types


def number_types(t):
    """Room for a number for each VC, and for each state."""
    return t.Tuple((t.I32, t.I32))


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
    before : int64 array, shape (cells,), or empty
        Number of states in the cells before it.
    ring, leader : int64 and int32 arrays, shape (states,), or empty
        Where states of one address form cycles: cell (times 64) and bit of the next state of the same cycle
        component, and the number of its first one.
    """

    first: npt.NDArray[np.int64]
    block: npt.NDArray[np.int32]
    word: npt.NDArray[np.int64]
    bits: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]
    ring: npt.NDArray[np.int64]
    leader: npt.NDArray[np.int32]


def inner_types(t):
    return t.NamedTuple((t.READ32, t.READ_BOOL, t.READ64, t.READ32, t.READ64, t.READ64, t.READ32, t.READ32), Inner)


def cell_types(t):
    return t.NamedTuple((t.READ64, t.I32, t.READ64, t.I64, t.READ64, t.I64, t.I32), Cells)


@kernel(lambda t: t.int64(t.int64))
def size_of(some):
    """Number of members of a set of addresses of a block."""
    # LLVM makes one instruction of this loop.
    size = 0
    while some:
        some &= some - 1
        size += 1
    return size


@kernel(lambda t: t.int64(cell_types(t), t.int64, t.int64))
def cell_of(cells, vc, wanted):
    """Return the cell of a VC for a block of addresses; −1 if there is none."""
    block = cells.block
    low, high = cells.first[vc], cells.first[vc + 1] - 1
    if low > high or block[low] > wanted or block[high] < wanted:
        return -1
    # Blocks ascend, so that there are at most as many cells in between as blocks; mostly they are as many.
    low, high = max(low, high - (block[high] - wanted)), min(high, low + wanted - block[low])
    while low < high:
        middle = (low + high) >> 1
        if block[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if block[low] == wanted else -1


@kernel(lambda t: t.boolean(t.READ32, t.READ_BOOL, scratch_types(t), number_types(t), t.int64))
def _components(label, cyclic, scratch, numbers, count):
    """Components of the states of the address just explored, over transitions within a component of dependencies.

    The k-th of them that stands on a cyclic VC is numbered k; `numbers` takes that number for the VC, and the
    component for the number. Returns whether some lie on a cycle.
    """
    _, order, first, candidates, _ = scratch
    slot, component = numbers
    size = 0
    for i in range(count):
        at = order[i]
        if at < label.size and cyclic[at]:
            slot[at] = size
            size += 1
    next_first = np.empty(size + 1, np.int64)
    target = np.empty(first[count], np.int32)
    size, filled = 0, 0
    for i in range(count):
        at = order[i]
        if at < label.size and cyclic[at]:
            next_first[size] = filled
            size += 1
            for k in range(first[i], first[i + 1]):
                vc = candidates[k] & VC_MASK
                if vc != EJECT and cyclic[vc] and label[vc] == label[at]:
                    target[filled] = slot[vc]
                    filled += 1
    next_first[size] = filled
    loops = np.empty(size, np.bool_)
    strong_components(next_first, target[:filled], component[:size], loops)
    return loops.any()


@kernel(lambda t: t.void(t.int64, note_types(t)), inline=True)
def _clear(v, notes):
    """Forget what was noted of a VC."""
    _, first, goes, waits, entered, outside = notes
    for slot in range(first[v], first[v + 1]):
        goes[slot] = waits[slot] = 0
    entered[v] = outside[v] = 0


@kernel(lambda t: t.boolean(inner_types(t), t.I64, note_types(t)))
def _cycles(inner, reached, notes):
    """Whether some states of the addresses just followed lie on a cycle, by taking away those that have no successor.

    Uses up what was noted of the slots.
    """
    _, cyclic, inner_first, _, slot_of, back_first, back, back_edge = inner
    goes = notes.goes
    left, gone = np.zeros(cyclic.size, np.int64), np.zeros(cyclic.size, np.int64)
    stack, size = np.empty(cyclic.size, np.int32), 0
    for v in range(cyclic.size):
        if cyclic[v] and reached[v]:
            left[v] = gone[v] = reached[v]
            for e in range(inner_first[v], inner_first[v + 1]):
                gone[v] &= ~goes[slot_of[e]]
            if gone[v]:
                stack[size] = v
                size += 1
    while size:
        size -= 1
        v = stack[size]
        some, gone[v] = gone[v], 0
        left[v] &= ~some
        for r in range(back_first[v], back_first[v + 1]):
            u = back[r]
            slot = slot_of[inner_first[u] + back_edge[r]]
            more = goes[slot] & some
            if more:
                goes[slot] &= ~more
                for e in range(inner_first[u], inner_first[u + 1]):
                    more &= ~goes[slot_of[e]]
                if more and not gone[u]:
                    stack[size] = u
                    size += 1
                gone[u] |= more
    return left.any()


@kernel(
    lambda t: t.int64(
        t.int64, layout_types(t), t.READ64, t.int64, t.int64, scratch_types(t), t.I64, note_types(t), inner_types(t),
        t.I32, t.I64,
    )
)  # fmt: skip
def count_cells(rule, layout, addresses, start, stop, scratch, reached, notes, inner, counts, totals):
    """Count the cells of each cyclic VC in `counts`.

    Adds the states in them to totals[3]; totals[4] becomes 1 if some states of an address lie on a cycle. Returns −1,
    or the address of a broken state.
    """
    cyclic = inner.cyclic
    for low in range(start, stop, WIDTH):
        broken = follow(rule, layout, addresses, low, min(WIDTH, stop - low), scratch, reached, notes, totals)
        if broken >= 0:
            return broken
        totals[4] = totals[4] or _cycles(inner, reached, notes)
        for v in range(cyclic.size):
            if reached[v]:
                _clear(v, notes)
                if cyclic[v]:
                    counts[v] += 1
                    totals[3] += size_of(reached[v])
    return -1


@kernel(lambda t: t.void(inner_types(t), cell_types(t), t.I64))
def count_before(inner, cells, before):
    """Number the states of all cells: write how many there are in those before each."""
    states = 0
    for v in range(inner.cyclic.size):
        base = cells.word[v]
        for c in range(cells.first[v], cells.first[v + 1]):
            before[c] = states
            states += size_of(cells.bits[base])
            base += 2 * (1 + inner.first[v + 1] - inner.first[v])


@kernel(
    lambda t: t.int64(
        t.int64, layout_types(t), t.READ64, t.int64, t.int64, scratch_types(t), t.I64, note_types(t), inner_types(t),
        t.I64, cell_types(t), t.I64,
    )
)  # fmt: skip
def fill_cells(rule, layout, addresses, start, stop, scratch, reached, notes, inner, cursor, cells, totals):
    """Write the cells of some addresses, as `unknot.verify.waiting` says; cursor[v] is the next cell of VC v.

    Returns −1, or an address of which there are other states than were counted.
    """
    _, cyclic, inner_first, _, slot_of, _, _, _ = inner
    cell_first, block, word, bits, _, _, _ = cells
    _, first, goes, waits, entered, outside = notes
    commits = layout.commits
    for low in range(start, stop, WIDTH):
        broken = follow(rule, layout, addresses, low, min(WIDTH, stop - low), scratch, reached, notes, totals)
        for v in range(cyclic.size if broken < 0 else 0):
            if not reached[v]:
                continue
            if not cyclic[v]:
                _clear(v, notes)
                continue
            c = cursor[v]
            if c == cell_first[v + 1]:
                broken = addresses[low]
                break
            cursor[v] = c + 1
            block[c] = low // WIDTH
            begin, end = inner_first[v], inner_first[v + 1]
            base = word[v] + (c - cell_first[v]) * 2 * (1 + end - begin)
            bits[base], bits[base + 1] = reached[v], entered[v]
            some = outside[v]
            for e in range(begin, end):
                bits[base + 2 + 2 * (e - begin)] = goes[slot_of[e]]
                bits[base + 3 + 2 * (e - begin)] = waits[slot_of[e]]
                waits[slot_of[e]] = 0
            # A header that waits for something outside the component never blocks for good: that drains before.
            for slot in range(first[v], first[v + 1]):
                some |= waits[slot]
            if not commits:
                for e in range(end - begin):
                    bits[base + 3 + 2 * e] &= ~some
            _clear(v, notes)
        if broken >= 0:
            return broken
    return -1


@kernel(
    lambda t: t.void(
        t.int64, layout_types(t), t.READ64, t.int64, t.int64, scratch_types(t), number_types(t), inner_types(t),
        cell_types(t),
    )
)  # fmt: skip
def link_cycles(rule, layout, addresses, start, stop, scratch, numbers, inner, cells):
    """Link the states of each cycle of an address in a circle, and take out the steps along it.

    States on a cycle stand and fall together.
    """
    order = scratch.order
    slot, component = numbers
    label, cyclic, inner_first, target, _, _, _, _ = inner
    cell_first, _, word, bits, before, ring, leader = cells
    vcs = label.size
    lead = np.empty(vcs, np.int64)
    for a in range(start, stop):
        count = explore(rule, addresses[a], layout, scratch, addresses[a] + 1)
        _components(label, cyclic, scratch, numbers, count)
        lead[:] = -1
        bit = a % WIDTH
        for i in range(count):
            v = order[i]
            if v >= vcs or not cyclic[v]:
                continue
            c = cell_of(cells, v, a // WIDTH)
            base = word[v] + (c - cell_first[v]) * 2 * (1 + inner_first[v + 1] - inner_first[v])
            for e in range(inner_first[v], inner_first[v + 1]):
                # Slots are good for this address where it stands on the VC.
                k = base + 2 + 2 * (e - inner_first[v])
                if (bits[k] >> bit) & 1 and component[slot[target[e]]] == component[slot[v]]:
                    bits[k] &= ~(1 << bit)
            s = before[c] + size_of(bits[base] & ((1 << bit) - 1))
            # A new one goes in behind the first, its leader.
            own = component[slot[v]]
            if lead[own] < 0:
                lead[own] = s
                ring[s] = c << 6 | bit
            else:
                ring[s] = ring[lead[own]]
                ring[lead[own]] = c << 6 | bit
            leader[s] = lead[own]


@kernel(lambda t: t.boolean(t.READ64, t.int64, t.int64, t.READ64, t.int64, t.int64))
def _within(some, low, high, others, start, stop):
    """Whether each of some[low:high] is among others[start:stop]."""
    for k in range(low, high):
        among = False
        for j in range(start, stop):
            among = among or some[k] == others[j]
        if not among:
            return False
    return True


@kernel(lambda t: t.int64(t.int64, layout_types(t), t.int64, t.int64, scratch_types(t), t.Tuple((t.READ32,) * 7)))
def commutes(rule, layout, start, stop, scratch, group):
    """Compare the addresses `start` to `stop`, counted along the orbits, with the representatives of their orbits.

    `group` holds the columns of `Translations` and the representative of each orbit of addresses. Returns how many
    agree before the first that does not, or stop − start.
    """
    radices, place_at, kind, digit, address_at, address_digit, stands = group
    seen, order, first, candidates, _ = scratch
    input_vcs, dimensions = kind.size, radices.size
    shifts = 1
    for radix in radices:
        shifts *= radix
    row = np.empty(input_vcs, np.int64)
    known_first, known = np.empty(input_vcs + 1, np.int64), np.empty(candidates.size, np.int64)
    moved = np.empty(input_vcs, np.int64)
    held, size = -1, 0
    for a in range(start, stop):
        orbit = a // shifts
        # Addresses come orbit by orbit, so the representative is explored once for all that it stands for.
        if orbit != held:
            held = orbit
            # Stamps are good for one visit of an address; this one is visited more than once.
            seen[:] = 0
            size = explore(rule, stands[orbit], layout, scratch, stands[orbit] + 1)
            if size < 0:
                return a - start
            seen[:] = 0
            row[:] = -1
            for i in range(size):
                row[order[i]] = i
            for i in range(size + 1):
                known_first[i] = first[i]
            for k in range(first[size]):
                known[k] = candidates[k] & (VC_MASK | NO_WAIT)
        address = address_at[a]
        count = explore(rule, address, layout, scratch, address + 1)
        if count != size:
            return a - start
        for p in range(input_vcs):
            position, weight = 0, 1
            for i in range(dimensions):
                back = digit[i * input_vcs + p] - address_digit[i * address_at.size + address]
                if back < 0:
                    back += radices[i]
                position += back * weight
                weight *= radices[i]
            moved[p] = place_at[kind[p] * shifts + position]
        for i in range(count):
            r = row[moved[order[i]]]
            if r < 0 or first[i + 1] - first[i] != known_first[r + 1] - known_first[r]:
                return a - start
            for k in range(first[i], first[i + 1]):
                vc = candidates[k] & VC_MASK
                candidates[k] = (vc if vc == EJECT else moved[vc]) | (candidates[k] & NO_WAIT)
            # Sets are compared, not rows: a rule may write its candidates in any order, and one twice.
            if not _within(candidates, first[i], first[i + 1], known, known_first[r], known_first[r + 1]):
                return a - start
            if not _within(known, known_first[r], known_first[r + 1], candidates, first[i], first[i + 1]):
                return a - start
    return stop - start
