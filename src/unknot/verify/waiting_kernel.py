# mypy: ignore-errors
"""States on cycles of dependencies, in cells of a VC and a block of addresses: how they are collected."""

import numpy as np

from unknot._base.kernels.lazy_kernel import kernel
from unknot.network.graph_kernel import strong_components
from unknot.routing.contract import EJECT, VC_MASK
from unknot.verify.cells_kernel import cell_of, cell_types, first_word, inner_types, size_of, state_of, words_of
from unknot.verify.follow_kernel import WIDTH, follow, note_types
from unknot.verify.states_kernel import explore, scratch_types, traversal_types


def number_types(t):
    """Room for a number for each VC, and for each state."""
    return t.Tuple((t.I32, t.I32))


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
    first, goes, waits, entered, outside = notes.first, notes.goes, notes.waits, notes.entered, notes.outside
    for slot in range(first[v], first[v + 1]):
        goes[slot] = waits[slot] = 0
    entered[v] = outside[v] = 0


@kernel(lambda t: t.boolean(inner_types(t), note_types(t)))
def _cycles(inner, notes):
    """Whether some states of the addresses just followed lie on a cycle, by taking away those that have no successor.

    Uses up what was noted of the slots.
    """
    _, cyclic, inner_first, _, slot_of, back_first, back, back_edge = inner
    goes, reached = notes.goes, notes.reached
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


@kernel(lambda t: t.int64(traversal_types(t), t.READ64, t.int64, t.int64, note_types(t), inner_types(t), t.I32))
def count_cells(traversal, addresses, start, stop, notes, inner, counts):
    """Count the cells of each cyclic VC in `counts`.

    Adds the states in them to totals[3]; totals[4] becomes 1 if some states of an address lie on a cycle. Returns −1,
    or the address of a broken state.
    """
    cyclic, reached, totals = inner.cyclic, notes.reached, notes.totals
    for low in range(start, stop, WIDTH):
        broken = follow(traversal, addresses, low, min(WIDTH, stop - low), notes)
        if broken >= 0:
            return broken
        totals[4] = totals[4] or _cycles(inner, notes)
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
            base += words_of(inner, v)


@kernel(
    lambda t: t.int64(
        traversal_types(t), t.READ64, t.int64, t.int64, note_types(t), inner_types(t), t.I64, cell_types(t)
    )
)
def fill_cells(traversal, addresses, start, stop, notes, inner, cursor, cells):
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
            # A header that waits for something outside the component never blocks for good: that drains before.
            for slot in range(first[v], first[v + 1]):
                some |= waits[slot]
            if not commits:
                for e in range(end - begin):
                    bits[base + 3 + 2 * e] &= ~some
            _clear(v, notes)
    return -1


@kernel(
    lambda t: t.void(traversal_types(t), t.READ64, t.int64, t.int64, number_types(t), inner_types(t), cell_types(t))
)
def link_cycles(traversal, addresses, start, stop, numbers, inner, cells):
    """Link the states of each cycle of an address in a circle, and take out the steps along it.

    Such states live and die together.
    """
    order = traversal.scratch.order
    slot, component = numbers
    label, cyclic, inner_first, target, _, _, _, _ = inner
    bits, ring, leader = cells.bits, cells.ring, cells.leader
    vcs = label.size
    lead = np.empty(vcs, np.int64)
    for a in range(start, stop):
        count = explore(traversal, addresses[a], addresses[a] + 1)
        _components(label, cyclic, traversal.scratch, numbers, count)
        lead[:] = -1
        bit = a % WIDTH
        for i in range(count):
            v = order[i]
            if v >= vcs or not cyclic[v]:
                continue
            c = cell_of(cells, v, a // WIDTH)
            base = first_word(inner, cells, v, c)
            for e in range(inner_first[v], inner_first[v + 1]):
                # `slot` is of this address only for VCs that it reaches, as the target does where the bit is set.
                k = base + 2 + 2 * (e - inner_first[v])
                if (bits[k] >> bit) & 1 and component[slot[target[e]]] == component[slot[v]]:
                    bits[k] &= ~(1 << bit)
            s = state_of(cells, c, base, 1 << bit)
            # A state goes in behind the first one of its cycle, the leader.
            own = component[slot[v]]
            if lead[own] < 0:
                lead[own] = s
                ring[s] = c << 6 | bit
            else:
                ring[s] = ring[lead[own]]
                ring[lead[own]] = c << 6 | bit
            leader[s] = lead[own]
