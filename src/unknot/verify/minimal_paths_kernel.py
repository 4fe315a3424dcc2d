# mypy: ignore-errors
"""Shortest paths, channel by channel, that some choice of virtual channels permits: sets of states, and counts."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ32, READ64, READ_BOOL, kept
from unknot._base.splitmix import STEP
from unknot.routing.contract import EJECT, VC_MASK

I64, U64 = types.int64[::1], types.uint64[::1]
DESTINATION = types.Tuple((READ64, READ64, READ64, READ64, READ_BOOL, READ32, READ32, READ64, READ32, READ32, READ32))
"""Candidates of the states, the number of addresses, the number of each state, pairs in use, hops to the destination;
router, first VC, channel, target and index of virtual channels."""
SCRATCH = types.Tuple((U64, I64, I64))
STATES = types.Tuple((I64, I64, U64, I64, I64))


@kept(types.int64(types.int64, U64, types.int64, types.int64, I64, I64, U64, types.int64), nogil=True)
def number_of(place, sets, words, begin, table, place_of, known, count):
    """Return the number of the pair of a place and the set at ``sets[begin:]``; a new one is entered as `count`.

    `table` is a hash table of numbers with linear probing; it is never full.
    """
    # The low bits of a product depend on the low bits of its factors alone, so high ones are folded in after each.
    key = np.uint64(place + 1) * STEP
    for w in range(words):
        key = (key ^ sets[begin + w]) * np.uint64(0xD1342543DE82EF95)
        key ^= key >> np.uint64(29)
    mask = np.int64(table.size - 1)
    # The low bits of the last product are the worst mixed.
    slot = np.int64(key >> np.uint64(20)) & mask
    while table[slot] >= 0:
        pair = table[slot]
        same = place_of[pair] == place
        for w in range(words):
            same = same and known[pair * words + w] == sets[begin + w]
        if same:
            return pair
        slot = (slot + 1) & mask
    table[slot] = count
    place_of[count] = place
    for w in range(words):
        known[count * words + w] = sets[begin + w]
    return count


@kept(types.int64(DESTINATION, types.int64, types.int64, SCRATCH, STATES), nogil=True)
def path_sets(destination, width, words, scratch, states):
    """States that follow shortest paths: a channel, and the set of its VCs a header may sit on after the same way.

    `destination` holds the candidates of the states (input VC, address) of all its addresses in compressed rows.
    ``slot[address × input VCs + input VC]`` numbers the states; state t < terminals is terminal t before injection.
    The bits of a set are address × width + index of the VC. `sets` must be zero and is left zero.

    Returns
    -------
    int
        Number of states, or −1 when an array is too small. Where a shortest path ends, ``edge_to`` holds one entry:
        −1 when the header may eject there.
    """
    first, candidates, number, slot, used, distance, router, first_vc, channel_of, channel_target, index_of = (
        destination
    )
    sets, touched, stamp = scratch
    table, at_channel, known, edge_first, edge_to = states
    vcs = channel_of.size
    input_vcs = router.size
    terminals = input_vcs - vcs
    addresses = number[0]
    table[:] = -1
    stamp[:] = -1
    count = terminals
    edges = 0
    edge_first[0] = 0
    # States are numbered as they are met and looked at in that order: those behind `state` wait for their turn.
    state = 0
    while state < count:
        root = state < terminals
        channel = -1 if root else at_channel[state]
        here = router[vcs + state] if root else channel_target[channel]
        if count + first_vc.size >= at_channel.size or edges + first_vc.size + 1 > edge_to.size:
            return -1
        if 2 * (count + first_vc.size) > table.size:
            return -1
        reached = 0
        for bit in range(addresses if root else words * 64):
            if root:
                k, input_vc = bit, vcs + state
                if not used[k * terminals + state]:
                    continue
            else:
                word = known[state * words + (bit >> 6)]
                if word >> np.uint64(bit & 63) == 0:
                    continue
                if not (word >> np.uint64(bit & 63)) & np.uint64(1):
                    continue
                k = bit // width
                input_vc = first_vc[channel] + bit - k * width
            # A member of a set was offered before, so it was visited and has a number.
            i = slot[k * input_vcs + input_vc]
            for c in range(first[i], first[i + 1]):
                vc = candidates[c] & VC_MASK
                if vc == EJECT:
                    if distance[here] == 0 and edges == edge_first[state]:
                        edge_to[edges] = -1
                        edges += 1
                    continue
                to = channel_of[vc]
                if distance[here] <= 0 or distance[channel_target[to]] != distance[here] - 1:
                    continue
                if stamp[to] != state:
                    stamp[to] = state
                    touched[reached] = to
                    reached += 1
                position = k * width + index_of[vc]
                sets[to * words + (position >> 6)] |= np.uint64(1) << np.uint64(position & 63)
        # Each set is looked up, and cleared for the next state.
        for j in range(reached):
            to = touched[j]
            number_to = number_of(to, sets, words, to * words, table, at_channel, known, count)
            count = max(count, number_to + 1)
            edge_to[edges] = number_to
            edges += 1
            for w in range(words):
                sets[to * words + w] = 0
        state += 1
        edge_first[state] = edges
    return count


@kept(types.void(READ64, READ64, READ64, types.int64, U64), nogil=True)
def count_paths(order, first, after, limbs, counts):
    """Count the paths from every node to an end, −1 among the nodes after one, in `limbs` words of 64 bits each.

    `order` lists the nodes from the ends on.
    """
    for node in order:
        for k in range(first[node], first[node + 1]):
            if after[k] < 0:
                counts[node * limbs] = 1
                continue
            a, b, carry = node * limbs, after[k] * limbs, np.uint64(0)
            for word in range(limbs):
                # An unsigned sum has run over where it is less than a summand; of both sums of a word only one can.
                one = counts[a + word] + counts[b + word]
                over = np.uint64(one < counts[b + word])
                two = one + carry
                carry = over | np.uint64(two < one)
                counts[a + word] = two
