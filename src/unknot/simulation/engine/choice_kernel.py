# mypy: ignore-errors
"""VC selection: policies that look at all candidates or credits, headers that commit, and the VC of a winner.

Of a router on the fast path w is the first word, and its credits are in planes; else w is −1.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import how_many, lowest
from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.routing.contract import VC_MASK
from unknot.simulation.engine.candidate_kernel import ends_of, of_same_port, outputs_of, preferred, tier_of
from unknot.simulation.engine.codes import (
    BETTER_OF_TWO,
    ENDLESS,
    EVERY_HOP,
    LEAST_WEIGHT,
    MOST_CREDITS,
    MOVING,
    PENDING,
    ROUND_ROBIN,
    STALLED,
    WHOLE,
)
from unknot.simulation.engine.meter_kernel import count_header
from unknot.simulation.engine.pack_kernel import free_slots, is_in, slots_taken
from unknot.simulation.engine.selection_kernel import at_random, first_in_turn
from unknot.simulation.engine.state_kernel import (
    available,
    bit_of,
    may_request,
    need,
    note,
    packet_of,
    part_of,
    vcs_of,
)
from unknot.simulation.engine.view_kernel import view


@called
def credits_of(s, w, row):
    """Return the free slots behind an output row; ejection VCs that never run out have more than any other."""
    if w < 0 or s.setup.shared > 0 or s.outputs.credits[row] == ENDLESS:
        return np.int64(s.outputs.credits[row])
    return free_slots(s, w, row - s.words.first_output[w])


@called
def is_free(s, w, b, row, needed, now):
    """Return whether an output row can be allocated to the packet in front of input row b."""
    if w < 0:
        return available(s, b, row, needed, now)
    # Of those that are open the owner is gone and, under atomic allocation, all credits are back.
    cell = row - s.words.first_output[w]
    if not is_in(s.masks.open, w, cell):
        return False
    if s.setup.entry == WHOLE:
        return credits_of(s, w, row) >= needed
    return s.setup.claim < 0 or is_in(s.masks.room, w, cell)


@inlined
def commit(s, w, b, p, count, now):
    """Return the index of the candidate a header keeps: a free one of the lowest tier, else the first of it."""
    best, best_rank = 0, 1 << 30
    needed = need(s.setup, s.packets.length[p])
    for k in range(count):
        first, many = ends_of(s, b, s.packets.address[p], s.candidates[k])
        free = False
        for row in range(first, first + many):
            free = free or is_free(s, w, b, row, needed, now)
        rank = tier_of(s.candidates[k])
        if not free:
            rank += 512
        if rank < best_rank:
            best, best_rank = k, rank
    return best


@inlined
def lightest(raw, b, p, count, first_output, end, now, word):
    """Leave the candidates of the least weight; return how many, 0 if none may be chosen.

    The weight is the time that the rest of the way would take if it were all like its first hop: hops, times what an
    empty hop takes and the flits that wait, or are on their way, in those VCs of the channel that are named one after
    the other. Of equal ones the lower tier counts, then whether the VC is free. A header that will keep its choice
    chooses among all, another among the free ones."""
    s = view(raw)
    needed, kept, least = need(s.setup, s.packets.length[p]), np.int64(0), np.int64(1) << 62
    address = s.packets.address[p]
    block = s.home[address] * (s.first_word.size - 1)
    upto, queued, port = np.int64(0), np.int64(0), np.int64(-1)
    for k in range(count):
        candidate = s.candidates[k]
        first, many = ends_of(s, b, address, candidate)
        if first < first_output or first + many > end:
            s.candidates[0] = candidate
            return np.int64(1)
        w, weight, free = first, np.int64(0), False
        if s.out_ports.reader[s.outputs.port[w]] >= 0:
            if k >= upto:
                port, queued, upto = s.outputs.port[w], np.int64(0), np.int64(k)
                while upto < count:
                    row, _ = outputs_of(s, address, s.candidates[upto])
                    if row < 0 or s.outputs.port[row] != port:
                        break
                    queued += s.setup.depth - credits_of(s, word, row)
                    upto += 1
            empty = s.setup.empty_hop + 2 * s.out_ports.latency[s.outputs.port[w]]
            weight = (empty + queued) * (1 + s.hops_left[block + s.next_router[w]])
        for row in range(first, first + many):
            free = free or is_free(s, word, b, row, needed, now)
        if not free and s.setup.commits == 0:
            continue
        # Below the weight 8 bits of the tier, and below those one for what is not free: one comparison for all three.
        weight = (weight << 9) + (tier_of(candidate) << 1) + (not free)
        if weight > least:
            continue
        if weight < least:
            least, kept = weight, np.int64(0)
        # In place: `kept` is at most k, so nothing is overwritten that is still to be read.
        s.candidates[kept] = candidate
        kept += 1
    return kept


@inlined
def nth_of_tier(s, tier, number):
    """Return the candidate at position `number` of a tier."""
    k = 0
    while tier_of(s.candidates[k]) != tier or number > 0:
        number -= tier_of(s.candidates[k]) == tier
        k = k + 1
    return s.candidates[k]


@called
def credits_of_port(s, w, row):
    """Return the free slots behind all VCs of the output port of a row."""
    port, room = s.outputs.port[row], np.int64(0)
    end = port + vcs_of(s, port)
    if w >= 0 and s.setup.shared == 0 and s.outputs.credits[port] != ENDLESS:
        first = s.words.first_output[w]
        return (end - port) * s.setup.depth - slots_taken(s, w, port - first, end - first)
    for low in range(port, end):
        room += s.outputs.credits[low] + s.setup.shared
    return room


@inlined
def better_of_two(raw, b, p, count, now, w):
    """Leave the candidates of one port for the header to keep: of two drawn ports, the one with more credits."""
    s = view(raw)
    lowest, many = tier_of(s.candidates[preferred(s, count)]), np.int64(0)
    for k in range(count):
        many += tier_of(s.candidates[k]) == lowest
    # One draw for both: the remainder and the quotient of a uniform number are independent of one another.
    drawn = at_random(s, b, now, np.int64(1) << 53)
    first, second = nth_of_tier(s, lowest, drawn % many), nth_of_tier(s, lowest, drawn // many % many)
    address = s.packets.address[p]
    mine, other = outputs_of(s, address, first)[0], outputs_of(s, address, second)[0]
    if mine < 0 or other < 0:
        s.candidates[0] = first if mine < 0 else second
        return np.int64(1)
    if credits_of_port(s, w, other) > credits_of_port(s, w, mine):
        first = second
    s.inputs.out[b] = min(first & VC_MASK, s.setup.num_vcs)
    return of_same_port(raw, b, p, count)


@inlined
def narrow(raw, b, p, count, first_output, end, now, w):
    """Leave the candidates that a header may request which chooses among all; return how many, 0 if none."""
    s = view(raw)
    if s.setup.selection == BETTER_OF_TWO:
        return better_of_two(raw, b, p, count, now, w)
    if s.setup.selection == LEAST_WEIGHT:
        count = lightest(raw, b, p, count, first_output, end, now, w)
        if count == 0:
            return np.int64(0)
        kept = s.candidates[at_random(s, b, now, count)]
    else:
        kept = s.candidates[commit(s, w, b, p, count, now)]
    s.candidates[0] = kept
    if s.setup.commits == 1:
        # Without its tier, as `ask_rule` gives it in the cycles in which the header waits.
        s.inputs.out[b], s.candidates[0] = min(kept & VC_MASK, s.setup.num_vcs), kept & VC_MASK
    return np.int64(1)


@inlined
def nth(masks, begin, number):
    """Return the bit of several words that has `number` bits before it."""
    at = begin
    while number >= how_many(masks[at]):
        number -= how_many(masks[at])
        at = at + 1
    word = masks[at]
    for _ in range(number):
        word &= word - 1  # without its lowest bit
    return ((at - begin) << 6) + lowest(word)


@inlined
def keep_most_credits(s, begin, end, first_output):
    """Leave the outputs whose port has the most credits."""
    most, port, room = np.int64(-1), np.int64(-1), np.int64(0)
    for at in range(begin, end):
        left = s.vc_masks.requested[at]
        while left != 0:
            bit = left & -left
            w = first_output + ((at - begin) << 6) + lowest(left)
            left ^= bit
            if s.outputs.port[w] != port:
                port, room = s.outputs.port[w], credits_of_port(s, np.int64(-1), w)
            if room > most:
                most = room
                # A better port than all before: −bit keeps this bit and those above it, which are still to come.
                for before in range(begin, at):
                    s.vc_masks.requested[before] = 0
                s.vc_masks.requested[at] &= -bit
            elif room < most:
                s.vc_masks.requested[at] ^= bit


@inlined
def select(raw, b, begin, end, first_output, now):
    """Leave one of the requested outputs, by the selection function; `FIRST_ONE` has left one already."""
    s, many = view(raw), np.int64(0)
    masks = s.vc_masks.requested
    if s.setup.selection == ROUND_ROBIN:
        chosen = first_in_turn(masks, begin, end, s.inputs.accept_pointer[b])
    else:
        if s.setup.selection == MOST_CREDITS:
            keep_most_credits(s, begin, end, first_output)
        for at in range(begin, end):
            many += how_many(masks[at])
        chosen = nth(masks, begin, at_random(s, b, now, many) if many > 1 else np.int64(0))
    for at in range(begin, end):
        masks[at] = 0
    masks[begin + (chosen >> 6)] = np.int64(1) << (chosen & 63)


@inlined
def win(s, b, w, w0, now):
    """Allocate output row w to input row b of the router that begins with word w0.

    Another header that won in this cycle may have taken the slot of a pool: then this one requests again.
    """
    inputs, outputs = s.inputs, s.outputs
    if s.setup.slotted != 0 and call_at(s.setup.enter, (s.raw, b, w, now)) == 0:
        return
    p, out = packet_of(s, b), w - s.words.first_output[w0]
    word, bit = bit_of(s, b, w0)
    outputs.owner[w] = b
    s.masks.open[w0 + (out >> 6)] &= ~(np.int64(1) << (out & 63))
    inputs.out[b], inputs.sent[b], inputs.length[b] = w, 0, s.packets.length[p]
    inputs.out_port_bit[b] = part_of(s, b, w) - s.words.first_output[w0]
    s.packets.hops[p] += s.out_ports.reader[outputs.port[w]] >= 0
    if s.setup.metered == EVERY_HOP:
        count_header(s, w, p)
    s.masks.heads[word] &= ~bit
    ready = may_request(s, w)
    if s.setup.vc_allocation_delay > 1 and not (ready and s.setup.speculative == 1):
        inputs.state[b] = PENDING
        note(s, s.stages.ready, now + s.setup.vc_allocation_delay, 64 * w0 + b - s.words.first_input[w0])
    elif ready:
        inputs.state[b] = MOVING
        s.masks.winners[word] |= bit
    else:
        inputs.state[b] = STALLED
