# mypy: ignore-errors
"""Greatest fixpoints over the states on cycles of dependencies, by deletion; blocked heads of what is left."""

import numpy as np

from unknot._base.kernels.lazy_kernel import I32, I64, READ64, kernel
from unknot.verify.cells_kernel import (
    Cells,
    DeletionMarks,
    Inner,
    Kinds,
    LivingRules,
    cell_of,
    first_word,
    size_of,
    words_of,
)
from unknot.verify.follow_kernel import WIDTH

ALL = (1 << WIDTH) - 1
"""Set of all addresses of a block."""


@kernel(inline=True)
def _go_on(bits: READ64, base: int, stop: int) -> int:
    """States of a cell with a remaining successor."""
    some = 0
    for k in range(base + 2, stop, 2):
        some |= bits[k]
    return some


@kernel(inline=True)
def _stack(c: int, some: int, marks: DeletionMarks) -> None:
    """Stack states of a cell that are to be dealt with."""
    if marks.dead[c] == 0:
        marks.stack[marks.cursor[2]] = c
        marks.cursor[2] += 1
    marks.dead[c] |= some


@kernel
def begin(inner: Inner, cells: Cells, kinds: Kinds, rules: LivingRules, marks: DeletionMarks) -> None:
    """Count what supports states and VCs at first; delete VCs, and stack states, that nothing supports."""
    cell_first, _, word, bits = cells
    cyclic, kind = inner.cyclic, kinds.of
    live, owner, blocked, _, on, removed, queue, _, cursor = marks
    live[:] = True
    on[:] = 0
    removed[:] = -1
    cursor[:] = 0
    for v in range(cyclic.size):
        stride = words_of(inner, v)
        base = word[v]
        for c in range(cell_first[v], cell_first[v + 1]):
            waits = 0
            for k in range(base + 3, base + stride, 2):
                waits |= bits[k]
            owner[c] = v
            blocked[c] = waits & (bits[base + 1] if rules.entered else ALL)
            on[kind[v]] += size_of(bits[base] if rules.spread else blocked[c])
            if rules.spread:
                lost = bits[base] & ~blocked[c] & ~_go_on(bits, base, base + stride)
                if lost:
                    _stack(c, lost, marks)
            base += stride
    # VCs off all cycles hold no states either, but were never in question.
    for k in range(on.size):
        if on[k] == 0 and cyclic[kinds.member[kinds.first[k]]]:
            removed[k] = cursor[1]
            queue[cursor[1]] = k
            cursor[1] += 1


@kernel
def strand(inner: Inner, cells: Cells, marks: DeletionMarks) -> bool:
    """Stack the remaining states that reach no blocked state; return whether any exist.

    They can only be states that support each other in a cycle: others die with their last successor. Nothing else
    may be stacked before. What is reached is noted in the words of those that enter, which are read by `begin` alone.
    """
    bits, word, block, owner, dead, stack, cursor = (
        cells.bits, cells.word, cells.block, marks.owner, marks.dead, marks.stack, marks.cursor,
    )  # fmt: skip
    for v in range(word.size):
        base = word[v]
        for c in range(cells.first[v], cells.first[v + 1]):
            bits[base + 1] = marks.blocked[c]
            if marks.blocked[c]:
                _stack(c, marks.blocked[c], marks)
            base += words_of(inner, v)
    while cursor[2]:
        cursor[2] -= 1
        c = np.int64(stack[cursor[2]])
        some, v = dead[c], owner[c]
        dead[c] = 0
        for r in range(inner.back_first[v], inner.back_first[v + 1]):
            u = inner.back[r]
            d = cell_of(cells, u, block[c])
            if d >= 0:
                base = first_word(inner, cells, u, d)
                fresh = bits[base + 2 + 2 * inner.back_edge[r]] & some & ~bits[base + 1]
                if fresh:
                    bits[base + 1] |= fresh
                    _stack(d, fresh, marks)
    for v in range(word.size):
        base = word[v]
        for c in range(cells.first[v], cells.first[v + 1]):
            lost = bits[base] & ~bits[base + 1]
            if lost:
                _stack(c, lost, marks)
            base += words_of(inner, v)
    return cursor[2] > 0


@kernel(inline=True)
def _take_off(k: int, some: int, marks: DeletionMarks) -> None:
    """Count states off their kind of VC, and queue it with its last."""
    cursor = marks.cursor
    marks.on[k] -= size_of(some)
    if marks.on[k] == 0:
        marks.removed[k] = cursor[1]
        marks.queue[cursor[1]] = k
        cursor[1] += 1


@kernel
def _unblock(
    u: int, edge: int, inner: Inner, cells: Cells, kinds: Kinds, rules: LivingRules, marks: DeletionMarks
) -> int:
    """Remove the states of VC u that were blocked by waiting for a dead edge; return the number of cells seen."""
    cell_first, word, bits, inner_first, kind = cells.first, cells.word, cells.bits, inner.first, kinds.of
    live, blocked = marks.live, marks.blocked
    first, stride = inner_first[u], words_of(inner, u)
    live[first + edge] = False
    if marks.on[kind[u]] == 0:
        return 0
    base = word[u]
    for c in range(cell_first[u], cell_first[u + 1]):
        # All waits of a blocked header are live, so the first that dies ends it; one that commits has a single wait,
        # but may have made any of these choices, and is blocked as long as one of them is live.
        lost = blocked[c] & bits[base + 3 + 2 * edge]
        if lost and rules.commits:
            for e in range(first, inner_first[u + 1]):
                if live[e]:
                    lost &= ~bits[base + 3 + 2 * (e - first)]
        if lost:
            blocked[c] &= ~lost
            if not rules.spread:
                _take_off(kind[u], lost, marks)
            else:
                lost &= ~_go_on(bits, base, base + stride)
                if lost:
                    _stack(c, lost, marks)
        base += stride
    return cell_first[u + 1] - cell_first[u]


@kernel
def drain(inner: Inner, cells: Cells, kinds: Kinds, rules: LivingRules, marks: DeletionMarks, budget: int) -> bool:
    """Delete VCs until each one left has a state from which a header may come to block for good.

    Without `spread` (saf, vct) that is a state all of whose waits are left. With `spread` (wormhole) it is a state
    from which such a state is reached over states that are left: it dies with the last state that it goes on to, in
    linear time. States that then support each other in a cycle are found by a search from all blocked ones.

    Goes on from where it stopped; returns whether it is done, or False after about `budget` looks at cells.
    """
    block, bits = cells.block, cells.bits
    back_first, back, back_edge = inner.back_first, inner.back, inner.back_edge
    _, owner, blocked, dead, _, _, queue, stack, cursor = marks
    spent = 0
    while spent < budget:
        # Dead states, depth first; then the next VC that has lost its last one.
        if cursor[2]:
            cursor[2] -= 1
            c = np.int64(stack[cursor[2]])
            some, v = dead[c], owner[c]
            dead[c] = 0
            bits[first_word(inner, cells, v, c)] &= ~some
            _take_off(kinds.of[v], some, marks)
            for r in range(back_first[v], back_first[v + 1]):
                u = back[r]
                d = cell_of(cells, u, block[c])
                if d < 0:
                    continue
                base = first_word(inner, cells, u, d)
                lost = bits[base + 2 + 2 * back_edge[r]] & some
                if lost:
                    bits[base + 2 + 2 * back_edge[r]] &= ~lost
                    # One of a cycle may be gone before those that it goes on to.
                    lost &= bits[base] & ~(blocked[d] | _go_on(bits, base, base + words_of(inner, u)))
                    if lost:
                        _stack(d, lost, marks)
            spent += 1 + back_first[v + 1] - back_first[v]
        elif cursor[0] < cursor[1]:
            k = queue[cursor[0]]
            cursor[0] += 1
            for v in kinds.member[kinds.first[k] : kinds.first[k + 1]]:
                for r in range(back_first[v], back_first[v + 1]):
                    spent += _unblock(back[r], back_edge[r], inner, cells, kinds, rules, marks)
        elif rules.spread and strand(inner, cells, marks):
            spent += block.size
        else:
            return True
    return False


@kernel
def pick(
    inner: Inner,
    cells: Cells,
    kinds: Kinds,
    rules: LivingRules,
    marks: DeletionMarks,
    addresses: READ64,
    most: int,
    heads: tuple[I32, I32, I64, I32],
) -> int:
    """Pick for each remaining VC up to `most` blocked states, no two with the same remaining awaited VCs.

    Heads are written as for `unknot.verify.waiting.BlockedHeads`: a header that commits has a head for each choice.
    Returns the number of heads.
    """
    cell_first, block, word, bits = cells
    inner_first, kind = inner.first, kinds.of
    live, blocked, removed, commits = marks.live, marks.blocked, marks.removed, rules.commits
    head_vc, address, first, wait = heads
    widest = 0
    for v in range(kind.size):
        widest = max(widest, inner_first[v + 1] - inner_first[v])
    known = np.empty((most, widest), np.bool_)
    count, filled = 0, 0
    first[0] = 0
    for v in range(kind.size):
        if removed[kind[v]] >= 0:
            continue
        degree = inner_first[v + 1] - inner_first[v]
        picked, base = 0, word[v]
        for c in range(cell_first[v], cell_first[v + 1]):
            rest = blocked[c]
            while rest and picked < most:
                one, alike = rest & -rest, rest
                for e in range(degree):
                    waits = bits[base + 3 + 2 * e] if live[inner_first[v] + e] else 0
                    known[picked, e] = (waits & one) != 0
                    alike &= waits if waits & one else ~waits
                # Those that wait for the same as this one need not be looked at, even where it is left out itself.
                rest &= ~alike
                f, same = 0, False
                while f < picked and not same:
                    same = True
                    for e in range(degree):
                        same = same and known[f, e] == known[picked, e]
                    f += 1
                if same:
                    continue
                for e in range(degree):
                    if known[picked, e]:
                        wait[filled] = inner.target[inner_first[v] + e]
                        filled += 1
                    if filled > first[count] and (commits or e + 1 == degree):
                        head_vc[count] = v
                        address[count] = addresses[WIDTH * block[c] + size_of(one - 1)]
                        count += 1
                        first[count] = filled
                picked += 1
            base += words_of(inner, v)
    return count
