# mypy: ignore-errors
"""Reachable states, address by address: exploration, and the edges of dependencies."""

import numpy as np

from unknot._base.kernels.lazy_kernel import call_rule, kernel
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK


def layout_types(t):
    """Types of the layout of `explore`."""
    return t.Tuple((t.READ32,) * 4 + (t.READ_BOOL,) + (t.READ64,) * 4 + (t.int64,))


WIDTH = 63
"""Addresses that `depend` follows at a time: the bits of a word that is never negative."""


def scratch_types(t):
    """Where `explore` works: stamps of VCs, states in order, first candidates, candidates, the answer of a rule."""
    return t.Tuple((t.I32, t.I64, t.I64, t.I64, t.I64))


@kernel(lambda t: t.int64(t.int64, t.int64, t.READ64, t.READ64, t.READ64, t.READ64, t.I64))
def looked_up(at, address, first, input_vc, start, candidates, out):
    """The answer of a table for a state, as a rule gives it; −1 if it has more candidates than there can be."""
    low, high = first[address], first[address + 1]
    while low < high:
        middle = (low + high) >> 1
        if input_vc[middle] < at:
            low = middle + 1
        else:
            high = middle
    if low == first[address + 1] or input_vc[low] != at:
        return 0
    count = start[low + 1] - start[low]
    if count > len(out):
        return -1
    for k in range(count):
        out[k] = candidates[start[low] + k]
    return count


@kernel(
    lambda t: t.int64(
        t.int64, t.int64, t.int64, t.READ32, t.READ32, t.int64, t.READ64, t.READ64, t.READ64, t.READ64, t.int64, t.I64
    ),
    inline=True,
)  # fmt: skip
def _ask(rule, at, address, router, tail, home, row_first, row_place, row_start, row_value, commits, out):
    """Write the candidates of a state to `out`; returns how many, or −1 if it breaks the contract."""
    if len(row_first):
        offered = looked_up(at, address, row_first, row_place, row_start, row_value, out)
    else:
        offered = call_rule(rule, at, address, np.int64(out.ctypes.data))
    if offered < 0 or offered > len(out):
        return -1
    waits = offered == 0
    for k in range(offered):
        candidate = out[k] & ~NO_WAIT if commits else out[k]
        vc = candidate & VC_MASK
        waits = waits or (candidate & NO_WAIT) == 0
        if vc == EJECT:
            if router[at] != home or candidate & NO_WAIT:
                return -1
        elif vc >= len(tail) or tail[vc] != router[at]:
            return -1
        out[k] = candidate
    return offered if waits else -1


@kernel(lambda t: t.int64(t.int64, t.int64, layout_types(t), scratch_types(t), t.int64))
def explore(rule, address, layout, scratch, stamp):
    """Visit every state of an address, breadth first.

    Layout is (router of each input VC, source router of each VC, eject router of each terminal, terminal of each
    address, may_use or an empty array; the columns of a table of the rule, which then is not asked, or empty arrays;
    whether headers commit). Those of state order[i] are candidates[first[i]:first[i + 1]], without NO_WAIT where
    headers commit: they wait for whatever they chose.

    Returns
    -------
    int
        Number of states, or −1 − i when state i breaks the contract.
    """
    router, tail, eject, destination, may_use, row_first, row_place, row_start, row_value, commits = layout
    seen, order, first, candidates, out = scratch
    vcs = len(tail)
    home = eject[destination[address]]
    count = 0
    for terminal in range(len(router) - vcs):
        if len(may_use) == 0 or may_use[terminal * len(destination) + address]:
            order[count] = vcs + terminal
            count += 1
    first[0] = 0
    # `order` is queue and answer in one: states behind i wait for their turn. What was seen bears the stamp of this
    # visit, so that nothing is cleared between addresses.
    i = 0
    while i < count:
        at = order[i]
        offered = _ask(
            rule, at, address, router, tail, home, row_first, row_place, row_start, row_value, commits, out
        )
        filled = first[i]
        if offered < 0 or filled + offered > len(candidates):
            return -1 - i
        for k in range(offered):
            vc = out[k] & VC_MASK
            if vc != EJECT and seen[vc] != stamp:
                seen[vc] = stamp
                order[count] = vc
                count += 1
            candidates[filled] = out[k]
            filled += 1
        i += 1
        first[i] = filled
    return count


@kernel(lambda t: t.Tuple((t.I64, t.I64))(t.int64, t.READ64, t.READ64, t.READ64, t.I64))
def predecessors(count, order, first, candidates, slot):
    """Return compressed rows of the states from which each of `count` states is entered, by their numbers.

    ``slot[input VC]`` becomes the number of its state.
    """
    for i in range(count):
        slot[order[i]] = i
    before = np.zeros(count + 1, np.int64)
    for k in range(first[count]):
        vc = candidates[k] & VC_MASK
        if vc != EJECT:
            before[slot[vc] + 1] += 1
    for i in range(count):
        before[i + 1] += before[i]
    cursor = before.copy()
    back = np.empty(before[count], np.int64)
    for i in range(count):
        for k in range(first[i], first[i + 1]):
            vc = candidates[k] & VC_MASK
            if vc != EJECT:
                back[cursor[slot[vc]]] = i
                cursor[slot[vc]] += 1
    return before, back


@kernel(lambda t: t.void(t.READ64, t.READ64, t.boolean[::1]))
def mark_back(before, back, marked):
    """Mark every state from which a marked one can be reached, given the predecessors of all."""
    stack = np.empty(marked.size, np.int64)
    size = 0
    for i in range(marked.size):
        if marked[i]:
            stack[size] = i
            size += 1
    while size:
        size -= 1
        i = stack[size]
        for k in range(before[i], before[i + 1]):
            p = back[k]
            if not marked[p]:
                marked[p] = True
                stack[size] = p
                size += 1


@kernel(lambda t: t.void(t.int64, t.READ64, t.READ64, t.READ64, t.I64, t.boolean[::1]))
def find_delivering(count, order, first, candidates, slot, delivers):
    """Mark every state from which ejection can be reached; the other arguments are those of `predecessors`."""
    before, back = predecessors(count, order, first, candidates, slot)
    mark_delivering(first, candidates, before, back, delivers)


@kernel(lambda t: t.void(t.READ64, t.READ64, t.READ64, t.READ64, t.boolean[::1]))
def mark_delivering(first, candidates, before, back, delivers):
    """Mark every state from which ejection can be reached."""
    for i in range(delivers.size):
        delivers[i] = False
        for k in range(first[i], first[i + 1]):
            if candidates[k] & VC_MASK == EJECT:
                delivers[i] = True
    mark_back(before, back, delivers)


@kernel(
    lambda t: t.int64(
        t.int64, t.READ64, t.int64, t.int64, t.int64, t.I64, t.I64, t.I64, t.int64, t.int64, t.READ32, t.READ64,
        t.uint64[::1]
    ),
    inline=True,
)  # fmt: skip
def _enter(at, candidates, count, addresses, vcs, reached, pending, queue, head, size, rank, first_word, word):
    """Note the dependencies of an answer and queue the VCs that some addresses reach by it.

    The queue is a ring of the input VCs with pending states, from `head` on. Returns its size.
    """
    for k in range(count):
        vc = candidates[k] & VC_MASK
        if vc == EJECT:
            continue
        if at < vcs:
            # VCs are numbered among those that leave their router: as many bits as a router has outputs.
            word[first_word[at] + (rank[vc] >> 6)] |= np.uint64(1) << np.uint64(rank[vc] & 63)
        fresh = addresses & ~reached[vc]
        if fresh:
            reached[vc] |= fresh
            if pending[vc] == 0:
                end = head + size
                queue[end if end < len(queue) else end - len(queue)] = vc
                size += 1
            pending[vc] |= fresh
    return size


@kernel(
    lambda t: t.int64(
        t.int64, layout_types(t), t.int64, t.int64, scratch_types(t), t.I64, t.READ32, t.READ64, t.uint64[::1], t.I64
    )
)
def depend(rule, layout, start, stop, scratch, reached, rank, first_word, word, totals):
    """Set bit rank[v] in the words of VC u for every candidate v of a reachable state at u; addresses start to stop.

    Addresses are followed `WIDTH` at a time, a bit each in `reached` for every VC: what is read of a VC serves all of
    them, and those that get the same answer go on together. Adds the number of states to totals[0] and that of
    addresses to totals[1]. Returns −1, or the address of a broken state with its input VC in totals[2].
    """
    router, tail, eject, destination, may_use, row_first, row_place, row_start, row_value, commits = layout
    _, queue, pending, held, out = scratch
    vcs = len(tail)
    for low in range(start, stop, WIDTH):
        width = min(WIDTH, stop - low)
        head, size = 0, 0
        for at in range(len(router)):
            pending[at] = 0
            if at < vcs:
                reached[at] = 0
                continue
            for b in range(width):
                if len(may_use) == 0 or may_use[(at - vcs) * len(destination) + low + b]:
                    pending[at] |= 1 << b
            if pending[at]:
                queue[size] = at
                size += 1
        while size:
            at, size = queue[head], size - 1
            head = head + 1 if head + 1 < len(queue) else 0
            bits, address = pending[at], low
            pending[at] = 0
            count, alike = 0, 0
            while bits:
                while bits & 255 == 0:
                    bits >>= 8
                    address += 8
                if bits & 1:
                    home = eject[destination[address]]
                    offered = _ask(
                        rule,
                        at,
                        address,
                        router,
                        tail,
                        home,
                        row_first,
                        row_place,
                        row_start,
                        row_value,
                        commits,
                        out,
                    )
                    if offered < 0:
                        totals[2] = at
                        return address
                    same = offered == count
                    for k in range(offered if same else 0):
                        same = same and out[k] == held[k]
                    if not same:
                        size = _enter(
                            at, held, count, alike, vcs, reached, pending, queue, head, size, rank, first_word, word
                        )
                        for k in range(offered):
                            held[k] = out[k]
                        count, alike = offered, 0
                    alike |= 1 << (address - low)
                    totals[0] += 1
                bits >>= 1
                address += 1
            size = _enter(at, held, count, alike, vcs, reached, pending, queue, head, size, rank, first_word, word)
        totals[1] += width
    return -1
