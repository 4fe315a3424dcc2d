# mypy: ignore-errors
"""Requests of headers: a mask of available candidates, of which a selection function may leave one.

Masks are words of `State.wishes`, one after the other, from the one that is given.
"""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import how_many, lowest
from unknot.routing.contract import VC_MASK
from unknot.simulation.engine.pack_kernel import ones
from unknot.simulation.engine.state import (
    ATOMIC,
    BETTER_OF_TWO,
    BLOCKED,
    BROKEN_RULE,
    DEAD_END,
    FIRST_ONE,
    LEAST_WEIGHT,
    MOST_CREDITS,
    ROUND_ROBIN,
)
from unknot.simulation.engine.state_kernel import (
    ask_rule,
    available,
    ends_of,
    has_credits,
    need,
    of_same_port,
    outputs_of,
    preferred,
    random_bits,
)
from unknot.simulation.engine.view_kernel import view

HELD = 2
"""What `find` says of a header that is held back."""


@inlined
def commit(s, b, p, count):
    """Return the index of the candidate a header keeps: a free one of the lowest tier, else the first of it."""
    best, best_rank = 0, 1 << 30
    needed = need(s.setup, s.packets.length[p])
    for k in range(count):
        first, many = ends_of(s, b, s.packets.address[p], s.candidates[k])
        free = False
        for w in range(first, first + many):
            free = free or available(s, w, needed)
        rank = (s.candidates[k] >> 40) & 0xFF
        if not free:
            rank += 512
        if rank < best_rank:
            best, best_rank = k, rank
    return best


@called
def lightest(raw, b, p, count, first_output, end):
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
        if s.outputs.reader[w] >= 0:
            if k >= upto:
                port, queued, upto = s.outputs.port[w], np.int64(0), np.int64(k)
                while upto < count:
                    row, _ = outputs_of(s, address, s.candidates[upto])
                    if row < 0 or s.outputs.port[row] != port:
                        break
                    queued += s.setup.depth - s.outputs.credits[row]
                    upto += 1
            empty = s.setup.empty_hop + 2 * s.outputs.latency[w]
            weight = (empty + queued) * (1 + s.hops_left[block + s.next_router[w]])
        for row in range(first, first + many):
            free = free or available(s, row, needed)
        if not free and s.setup.commits == 0:
            continue
        # Below the weight 8 bits of the tier, and below those one for what is not free: one comparison for all three.
        weight = (weight << 9) + (((candidate >> 40) & 0xFF) << 1) + (not free)
        if weight > least:
            continue
        if weight < least:
            least, kept = weight, np.int64(0)
        # In place: `kept` is at most k, so nothing is overwritten that is still to be read.
        s.candidates[kept] = candidate
        kept += 1
    return kept


@inlined
def at_random(s, b, now, many):
    """Return a random number below `many` for the header in input row b in this cycle."""
    return random_bits(np.uint64(s.setup.salt) ^ np.uint64((np.int64(now) << 32) + s.buffer[b])) % many


@inlined
def in_turn(mask, pointer):
    """Return the number of the first bit of a mask at or after a pointer, going round."""
    # −(1 << p) is the word with all bits from p on. A pointer past the last bit is 64, and the shift by 0 then leaves
    # the whole mask, from its first bit on: that is going round.
    rest = mask & -(np.int64(1) << (pointer & 63))
    return lowest(rest if rest != 0 else mask)


@inlined
def first_in_turn(wishes, begin, end, pointer):
    """Return the first bit from a pointer on, going round several words."""
    if end == begin + 1:
        return in_turn(wishes[begin], pointer)
    at = begin + (pointer >> 6)
    if at < end:
        rest = wishes[at] & -(np.int64(1) << (pointer & 63))
        while rest == 0 and at + 1 < end:
            at += 1
            rest = wishes[at]
        if rest != 0:
            return ((at - begin) << 6) + lowest(rest)
    at = begin
    while wishes[at] == 0:
        at += 1
    return ((at - begin) << 6) + lowest(wishes[at])


@inlined
def nth(wishes, begin, number):
    """Return the bit of several words that has `number` bits before it."""
    at = begin
    while number >= how_many(wishes[at]):
        number -= how_many(wishes[at])
        at = at + 1
    word = wishes[at]
    for _ in range(number):
        word &= word - 1  # without its lowest bit
    return ((at - begin) << 6) + lowest(word)


@inlined
def credits_of_port(s, w):
    """Return the free slots behind all VCs of the output port of row w; without credits more than any other has."""
    room, port = np.int64(0), s.outputs.port[w]
    low = port
    while low < s.outputs.size and s.outputs.port[low] == port:
        room += s.outputs.credits[low] + s.setup.shared
        low += 1
    return room


@inlined
def nth_of_tier(s, tier, number):
    """Return the candidate of a tier that has `number` others of it before."""
    k = 0
    while s.candidates[k] >> 40 & 0xFF != tier or number > 0:
        number -= s.candidates[k] >> 40 & 0xFF == tier
        k = k + 1
    return s.candidates[k]


@called
def better_of_two(raw, b, p, count, now):
    """Leave the candidates of one port, which the header keeps: of two drawn ones that with more credits."""
    s = view(raw)
    lowest, many = s.candidates[preferred(s, count)] >> 40 & 0xFF, np.int64(0)
    for k in range(count):
        many += s.candidates[k] >> 40 & 0xFF == lowest
    # One draw for both: the remainder and the quotient of a uniform number are independent of one another.
    drawn = at_random(s, b, now, np.int64(1) << 53)
    first, second = nth_of_tier(s, lowest, drawn % many), nth_of_tier(s, lowest, drawn // many % many)
    address = s.packets.address[p]
    mine, other = outputs_of(s, address, first)[0], outputs_of(s, address, second)[0]
    if mine < 0 or other < 0:
        s.candidates[0] = first if mine < 0 else second
        return np.int64(1)
    if credits_of_port(s, other) > credits_of_port(s, mine):
        first = second
    s.inputs.out[b] = min(first & VC_MASK, s.setup.num_vcs)
    return of_same_port(raw, b, p, count)


@inlined
def keep_most_credits(s, begin, end, first_output):
    """Leave the outputs whose port has the most credits."""
    most, port, room = np.int64(-1), np.int64(-1), np.int64(0)
    for at in range(begin, end):
        left = s.wishes[at]
        while left != 0:
            bit = left & -left
            w = first_output + ((at - begin) << 6) + lowest(left)
            left ^= bit
            if s.outputs.port[w] != port:
                port, room = s.outputs.port[w], credits_of_port(s, w)
            if room > most:
                most = room
                # A better port than all before: −bit keeps this bit and those above it, which are still to come.
                for before in range(begin, at):
                    s.wishes[before] = 0
                s.wishes[at] &= -bit
            elif room < most:
                s.wishes[at] ^= bit


@inlined
def select(s, b, begin, end, first_output, now):
    """Leave one of the requested outputs, by the selection function; `FIRST_ONE` has left one already."""
    wishes, many = s.wishes, np.int64(0)
    if s.setup.selection == ROUND_ROBIN:
        chosen = first_in_turn(wishes, begin, end, s.inputs.accept_pointer[b])
    else:
        if s.setup.selection == MOST_CREDITS:
            keep_most_credits(s, begin, end, first_output)
        for at in range(begin, end):
            many += how_many(wishes[at])
        chosen = nth(wishes, begin, at_random(s, b, now, many) if many > 1 else np.int64(0))
    for at in range(begin, end):
        wishes[at] = 0
    wishes[begin + (chosen >> 6)] = np.int64(1) << (chosen & 63)


@inlined
def available_of(s, mask, word, p):
    """Return the outputs of a mask that packet p may be allocated now."""
    mask &= s.masks.open[word]
    if s.setup.technique < ATOMIC or s.setup.claim > 0:
        left, first, needed = mask, s.words.first_output[word], need(s.setup, s.packets.length[p])
        while left != 0:
            w = first + lowest(left)
            if not has_credits(s, w, needed):
                mask ^= left & -left
            left &= left - 1
    return mask


@inlined
def sleep(s, b, word, bit):
    """Put a header that finds nothing free to sleep until an output VC of its router is freed or gets a credit."""
    s.inputs.state[b] = BLOCKED
    s.masks.heads[word] &= ~bit
    s.masks.asleep[word] |= bit


@inlined
def collect(s, b, p, count, w0, w1, begin):
    """Write masks of the available candidates of the lowest tier that has one.

    Returns 1, 0 if there is none, or minus the status if the rule names a VC of another router."""
    candidates, address, first_output = s.candidates, s.packets.address[p], s.words.first_output[w0]
    cells = s.words.first_output[w1] - first_output
    every = s.setup.all_tiers == 1
    for at in range(begin, begin + w1 - w0):
        s.wishes[at] = 0
        if every:
            s.lesser[at] = 0
    k, tier, only = np.int64(0), np.int64(256), s.setup.selection == FIRST_ONE
    while k < count:
        candidate = candidates[k]
        rank = (candidate >> 40) & 0xFF
        first, length = ends_of(s, b, address, candidate)
        k += 1
        if rank > tier and not every:
            continue
        # VCs that follow each other and are of this router have rows that do so too.
        last = (candidate & VC_MASK) + length
        if last <= s.setup.num_vcs:
            while k < count and candidates[k] == candidate + length and last < s.setup.num_vcs:
                length, last, k = length + 1, last + 1, k + 1
            if s.out_row[last - 1] != first + length - 1:
                return np.int64(-BROKEN_RULE)
        if first < first_output or first + length > first_output + cells:
            return np.int64(-BROKEN_RULE)
        cell = first - first_output
        while length > 0:
            some = min(length, 64 - (cell & 63))
            mask = available_of(s, ones(some) << (cell & 63), w0 + (cell >> 6), p)
            if mask != 0 and not (only and rank == tier):
                if every and rank > 0:
                    s.lesser[begin + (cell >> 6)] |= mask
                if rank < tier and not every:
                    for before in range(begin, begin + w1 - w0):
                        s.wishes[before] = 0
                tier = min(tier, rank)
                s.wishes[begin + (cell >> 6)] |= mask & -mask if only else mask
            cell += some
            length -= some
    return np.int64(tier < 256)


@inlined
def recall(s, b, p, w0, w1, begin):
    """Collect candidates from the routing cache; return −1 if the answer is not cached."""
    # The same answer as from the rule: it depends on the input VC and the address alone, NO_WAIT and more than two
    # tiers are not cached, and of two tiers the second counts only where the first has nothing available.
    address = s.packets.address[p]
    kept = s.cache[s.input_class[b] * s.destination.size + address]
    if kept == 0:
        return np.int64(-1)
    many, every = w1 - w0, s.setup.all_tiers == 1
    row, anything = s.first_answer[w0] + (kept - 1) * many, np.int64(0)
    for j in range(many):
        # Written, not added: the words are of this header alone, and still hold those of one in another cycle.
        mask = available_of(s, s.answers.first[row + j], w0 + j, p)
        s.wishes[begin + j] = mask
        anything |= mask
    if anything != 0 and not every:
        return np.int64(1)
    for j in range(many):
        mask = available_of(s, s.answers.second[row + j], w0 + j, p)
        # Whoever requests all tiers has its answers cached only where no tier comes before another.
        s.wishes[begin + j] = mask | (s.wishes[begin + j] if every else 0)
        anything |= mask
    return np.int64(anything != 0)


@inlined
def find(rule, s, b, p, w0, w1, begin, now):
    """Collect the available candidates of a header, from the cache or the rule; return as `request` does."""
    if s.cache.size > 0 and s.packets.script[p] < 0 and s.inputs.out[b] < 0:
        answer = recall(s, b, p, w0, w1, begin)
        if answer >= 0:
            return answer
    count = ask_rule(rule, s, b, p)
    if count <= 0:
        return np.int64(HELD if count == 0 else -DEAD_END if count == -2 else -BROKEN_RULE)
    weighs = s.setup.selection == LEAST_WEIGHT
    better = s.setup.selection == BETTER_OF_TWO
    if s.inputs.out[b] < 0 and (weighs or s.setup.commits == 1) and not better:
        if weighs:
            count = lightest(s.raw, b, p, count, s.words.first_output[w0], s.words.first_output[w1])
            if count == 0:
                return np.int64(0)
        kept = s.candidates[at_random(s, b, now, count) if weighs else commit(s, b, p, count)]
        s.candidates[0], count = kept, np.int64(1)
        if s.setup.commits == 1:
            # Without its tier, as `ask_rule` gives it in the cycles in which the header waits.
            s.inputs.out[b], s.candidates[0] = min(kept & VC_MASK, s.setup.num_vcs), kept & VC_MASK
    elif s.inputs.out[b] < 0 and better:
        count = better_of_two(s.raw, b, p, count, now)
    return collect(s, b, p, count, w0, w1, begin)


@inlined
def request(rule, s, b, p, w0, w1, now, begin):
    """Write the requests of a header to words of `wishes`: available outputs of the lowest tier that has one.

    Returns 1, 0 if there are none, or minus the status when the rule failed. A header that finds none falls asleep.
    """
    status = find(rule, s, b, p, w0, w1, begin, now)
    if status < 0:
        return status
    if status == HELD:
        return np.int64(0)
    if status == 0:
        cell = b - s.words.first_input[w0]
        sleep(s, b, w0 + (cell >> 6), np.int64(1) << (cell & 63))
    elif FIRST_ONE < s.setup.selection < BETTER_OF_TWO:
        select(s, b, begin, begin + w1 - w0, s.words.first_output[w0], now)
    return status
