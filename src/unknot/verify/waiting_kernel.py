# mypy: ignore-errors
"""States on cycles of dependencies, in cells of a VC and a block of addresses: how they are collected."""

from unknot._base.kernels.lazy_kernel import kernel
from unknot.verify.cells_kernel import cell_types, first_word, inner_types, size_of
from unknot.verify.follow_kernel import WIDTH, follow, note_types
from unknot.verify.states_kernel import traversal_types


@kernel(lambda t: t.void(t.int64, note_types(t)), inline=True)
def _clear(v, notes):
    """Forget what was noted of a VC."""
    first, goes, waits, entered, outside = notes.first, notes.goes, notes.waits, notes.entered, notes.outside
    for slot in range(first[v], first[v + 1]):
        goes[slot] = waits[slot] = 0
    entered[v] = outside[v] = 0


@kernel(lambda t: t.int64(traversal_types(t), t.READ64, t.int64, t.int64, note_types(t), inner_types(t), t.I32))
def count_cells(traversal, addresses, start, stop, notes, inner, counts):
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
                _clear(v, notes)
                if cyclic[v]:
                    counts[v] += 1
                    totals[3] += size_of(reached[v])
    return -1


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
