# mypy: ignore-errors
"""States on cycles of dependencies, grouped by VC, a word or two each: how they are collected."""

import numpy as np

from unknot._base.kernels.lazy_kernel import kernel
from unknot.network.graph_kernel import strong_components
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.verify.states_kernel import explore, layout_types, scratch_types

SPAN = 31
"""Successors that one word speaks of: bit k says "goes on to", bit 31 + k "waits for", the k-th of them."""
ENTERED = 1 << 62
"""In the first word of a state: packets enter it straight from their terminal."""


def number_types(t):
    """Room for a number for each VC, and for each state."""
    return t.Tuple((t.I32, t.I32))


def graph_types(t):
    """Component of each VC and whether it is cyclic; dependencies within components, and words for those of a VC."""
    return t.Tuple((t.READ32, t.READ_BOOL, t.READ64, t.READ32, t.READ64))


def state_types(t):
    """First state of each VC, first word of its states; address, words, next on a cycle and its first, by state."""
    return t.Tuple((t.READ64, t.READ64, t.I32, t.I64, t.I32, t.I32))


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


@kernel(
    lambda t: t.int64(
        t.int64, layout_types(t), t.READ64, t.int64, t.int64, scratch_types(t), number_types(t), graph_types(t),
        t.I32, t.boolean[::1],
    )
)  # fmt: skip
def count_states(rule, layout, addresses, start, stop, scratch, numbers, graph, counts, loops):
    """Count the states on each cyclic VC; set loops[0] if some states of an address lie on a cycle.

    Returns −1, or the address of a broken state.
    """
    order, label, cyclic = scratch.order, graph[0], graph[1]
    for a in range(start, stop):
        count = explore(rule, addresses[a], layout, scratch, addresses[a] + 1)
        if count < 0:
            return addresses[a]
        for i in range(count):
            at = order[i]
            if at < label.size and cyclic[at]:
                counts[at] += 1
        loops[0] = loops[0] or _components(label, cyclic, scratch, numbers, count)
    return -1


@kernel(
    lambda t: t.void(
        t.int64, layout_types(t), t.READ64, t.int64, t.int64, scratch_types(t), number_types(t), graph_types(t),
        t.I64, state_types(t),
    )
)  # fmt: skip
def fill_states(rule, layout, addresses, start, stop, scratch, numbers, graph, cursor, states):
    """Write the states of some addresses, as `unknot.verify.waiting` says; cursor[v] is the next state of VC v."""
    _, order, first, candidates, _ = scratch
    slot, component = numbers
    label, cyclic, inner_first, inner, live_first = graph
    state_first, word, owner, bits, ring, leader = states
    vcs, commits = label.size, layout.commits
    lead = np.empty(ring.size and vcs, np.int64)
    for a in range(start, stop):
        address = addresses[a]
        count = explore(rule, address, layout, scratch, address + 1)
        if ring.size:
            _components(label, cyclic, scratch, numbers, count)
            lead[:] = -1
        entered = 0
        while entered < count and order[entered] >= vcs:
            entered += 1
        for i in range(count):
            at = order[i]
            if at >= vcs or not cyclic[at]:
                continue
            s = cursor[at]
            cursor[at] = s + 1
            owner[s] = address
            words = live_first[at + 1] - live_first[at]
            base = word[at] + (s - state_first[at]) * words
            blockable = first[i + 1] > first[i]
            for k in range(first[i], first[i + 1]):
                vc = candidates[k] & VC_MASK
                waits = (candidates[k] & NO_WAIT) == 0
                if vc == EJECT or not cyclic[vc] or label[vc] != label[at]:
                    blockable = blockable and (commits or not waits)
                    continue
                low, high = inner_first[at], inner_first[at + 1]
                while low < high:
                    middle = (low + high) >> 1
                    if inner[middle] < vc:
                        low = middle + 1
                    else:
                        high = middle
                w, b = divmod(low - inner_first[at], SPAN)
                # Steps along a cycle of states are left out: its states stand and fall together, by `ring`.
                if ring.size == 0 or component[slot[vc]] != component[slot[at]]:
                    bits[base + w] |= 1 << b
                if waits:
                    bits[base + w] |= 1 << (SPAN + b)
            # A header that waits for something outside the component never blocks for good: that drains before.
            if not blockable:
                for w in range(base, base + words):
                    bits[w] &= (1 << SPAN) - 1
            if ring.size:
                # States of a component are linked in a circle: a new one goes in behind the first, its leader.
                c = component[slot[at]]
                if lead[c] < 0:
                    lead[c] = s
                    ring[s] = s
                else:
                    ring[s] = ring[lead[c]]
                    ring[lead[c]] = s
                leader[s] = lead[c]
        # Breadth first, the states that are entered come right after those of the terminals.
        for k in range(first[entered]):
            vc = candidates[k] & VC_MASK
            if vc != EJECT and cyclic[vc]:
                words = live_first[vc + 1] - live_first[vc]
                bits[word[vc] + (cursor[vc] - 1 - state_first[vc]) * words] |= ENTERED


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
