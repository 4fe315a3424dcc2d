# mypy: ignore-errors
"""Whether what a header may still do is what a message injected at its router could do."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ32, READ64, kept
from unknot.routing.contract import EJECT, VC_MASK
from unknot.verify.minimal_paths_kernel import number_of

I64, U64 = types.int64[::1], types.uint64[::1]


STATES = types.Tuple((READ64, READ64, READ64, I64, types.boolean[::1]))
VIRTUAL = types.Tuple((READ32, READ64, READ32, READ32))
PAIRS = types.Tuple((U64, I64, I64, U64))


@kept(types.int64(STATES, VIRTUAL, types.Tuple((READ64, READ32)), types.int64, PAIRS), nogil=True)
def incoherent(states, virtual, seats, words, pairs):
    """Look for a state that can follow channels to ejection which a terminal at its router could not.

    ``seat[seat_first[r]:seat_first[r + 1]]`` are the injection states, as numbers, of terminals at router r. Pairs
    (state, set of the VCs a message injected where the route is taken up may sit on) are followed; a set that holds
    the state itself needs no more.

    Returns
    -------
    int
        1 when there is one, 0 when there is none, −1 when an array is too small.
    """
    order, first, candidates, slot, delivers = states
    router, first_vc, channel_of, index_of = virtual
    seat_first, seat = seats
    sets, table, at_state, known = pairs
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
            vc = candidates[k] & VC_MASK
            ejects = vc == EJECT
            if not ejects and not delivers[slot[vc]]:
                continue
            follows = False
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
                    to = candidates[c] & VC_MASK
                    if to == EJECT:
                        follows = follows or ejects
                    elif not ejects and channel_of[to] == channel_of[vc] and delivers[slot[to]]:
                        follows = True
                        inside = inside or to == vc
                        sets[index_of[to] >> 6] |= np.uint64(1) << np.uint64(index_of[to] & 63)
            if not follows:
                return 1
            if not ejects and not inside:
                count += number_of(slot[vc], sets, words, 0, table, at_state, known, count) == count
