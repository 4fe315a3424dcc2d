# mypy: ignore-errors
"""Whether what a header may still do is what a message injected at its router could do."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ32, READ64, kept
from unknot._base.splitmix import STEP
from unknot.routing.candidate import EJECT, VC_MASK

I64, U64 = types.int64[::1], types.uint64[::1]


@kept(types.void(READ64, READ64, READ64, I64, types.boolean[::1]), nogil=True)
def delivering(order, first, value, slot, delivers):
    """Mark the states of an address from which ejection is reached; fill ``slot[input VC]`` with their numbers."""
    count = order.size
    for i in range(count):
        slot[order[i]] = i
        delivers[i] = False
    before = np.zeros(count + 1, np.int64)
    for k in range(first[count]):
        vc = value[k] & VC_MASK
        if vc != EJECT:
            before[slot[vc] + 1] += 1
    for i in range(count):
        before[i + 1] += before[i]
    cursor = before[:count].copy()
    back = np.empty(before[count], np.int64)
    stack = np.empty(count, np.int64)
    size = 0
    for i in range(count):
        for k in range(first[i], first[i + 1]):
            vc = value[k] & VC_MASK
            if vc != EJECT:
                back[cursor[slot[vc]]] = i
                cursor[slot[vc]] += 1
            elif not delivers[i]:
                delivers[i] = True
                stack[size] = i
                size += 1
    while size:
        size -= 1
        i = stack[size]
        for k in range(before[i], before[i + 1]):
            p = back[k]
            if not delivers[p]:
                delivers[p] = True
                stack[size] = p
                size += 1


@kept(types.int64(types.int64, U64, types.int64, I64, I64, U64, types.int64), nogil=True)
def _enter(state, sets, words, table, at_state, known, count):
    """Enter the pair (state, set) as number `count`; −1 when it is there already."""
    key = np.uint64(state + 1) * STEP
    for w in range(words):
        key = (key ^ sets[w]) * np.uint64(0xD1342543DE82EF95)
        key ^= key >> np.uint64(29)
    mask = np.int64(table.size - 1)
    where = np.int64(key >> np.uint64(20)) & mask
    while table[where] >= 0:
        pair = table[where]
        same = at_state[pair] == state
        for w in range(words):
            same = same and known[pair * words + w] == sets[w]
        if same:
            return -1
        where = (where + 1) & mask
    table[where] = count
    at_state[count] = state
    for w in range(words):
        known[count * words + w] = sets[w]
    return count


@kept(
    types.int64(
        READ64, READ64, READ64, I64, types.boolean[::1], READ32, READ64, READ32, READ32, READ64, READ32, types.int64,
        U64, I64, I64, U64
    ),
    nogil=True,
)  # fmt: skip
def incoherent(
    order, first, value, slot, delivers, router, first_vc, channel_of, index_of, seat_first, seat, words, sets, table,
    at_state, known
):  # fmt: skip
    """Look for a state that can follow channels to ejection which a terminal at its router could not.

    ``seat[seat_first[r]:seat_first[r + 1]]`` are the injection states, as numbers, of terminals at router r. Pairs
    (state, set of the VCs a message injected where the route is taken up may sit on) are followed; a set that holds
    the state itself needs no more.

    Returns
    -------
    int
        1 when there is one, 0 when there is none, −1 when an array is too small.
    """
    vcs = channel_of.size
    count = 0
    table[:] = -1
    root = 0
    pair = 0
    position = 0
    while True:
        # take the next pair: first those at terminals, then those entered
        if root < order.size:
            here = router[order[root]]
            if order[root] >= vcs or not delivers[root] or seat_first[here] + position >= seat_first[here + 1]:
                root += 1
                position = 0
                continue
            state = root
            lone = np.int64(seat[seat_first[here] + position])
            position += 1
        elif pair < count:
            state = at_state[pair]
            lone = np.int64(-1)
            pair += 1
        else:
            return 0
        channel = channel_of[order[state]]
        if count + first[state + 1] - first[state] >= at_state.size or 2 * count + 64 > table.size:
            return -1
        for k in range(first[state], first[state + 1]):
            vc = value[k] & VC_MASK
            ejects = vc == EJECT
            if not ejects and not delivers[slot[vc]]:
                continue
            found = False
            inside = False
            for w in range(words):
                sets[w] = 0
            for bit in range(1 if lone >= 0 else first_vc[channel + 1] - first_vc[channel]):
                other = lone
                if lone < 0:
                    if not (known[(pair - 1) * words + (bit >> 6)] >> np.uint64(bit & 63)) & np.uint64(1):
                        continue
                    other = slot[first_vc[channel] + bit]
                for c in range(first[other], first[other + 1]):
                    to = value[c] & VC_MASK
                    if to == EJECT:
                        found = found or ejects
                    elif not ejects and channel_of[to] == channel_of[vc] and delivers[slot[to]]:
                        found = True
                        inside = inside or to == vc
                        sets[index_of[to] >> 6] |= np.uint64(1) << np.uint64(index_of[to] & 63)
            if not found:
                return 1
            if not ejects and not inside and _enter(slot[vc], sets, words, table, at_state, known, count) >= 0:
                count += 1
