# mypy: ignore-errors
"""Requests of headers: a mask of available candidates, of which a selection function may leave one.

Masks are words of `State.vc_masks`, one after the other, from the one that is given.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, lowest, ones
from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.routing.contract import VC_MASK
from unknot.simulation.engine.candidate_kernel import ask_rule, ends_of, tier_of
from unknot.simulation.engine.codes import (
    BETTER_OF_TWO,
    BLOCKED,
    BROKEN_RULE,
    DEAD_END,
    FIRST_ONE,
    LEAST_WEIGHT,
    WHOLE,
)
from unknot.simulation.engine.state_kernel import has_credits, is_let_in, need, random_bits

HELD = 2
"""What `find` says of a header that is held back."""


@inlined
def at_random(s, b, now, many):
    """Return a random number below `many` for the header in input row b in this cycle."""
    return random_bits(np.uint64(s.setup.salt) ^ np.uint64((np.int64(now) << 32) + s.buffer[b])) % many


@inlined
def in_turn(mask, pointer):
    """Return the number of the first bit of a mask at or after a pointer, going round."""
    # −(1 << p) is the mask with all bits from p on. A pointer past the last bit is taken for 0, which leaves the
    # whole mask, from its first bit on: that is going round.
    rest = mask & -bit_at(mask, pointer)
    return lowest(rest if rest != 0 else mask)


@inlined
def first_in_turn(masks, begin, end, pointer):
    """Return the first bit from a pointer on, going round several words."""
    if end == begin + 1:
        return in_turn(masks[begin], pointer)
    at = begin + (pointer >> 6)
    if at < end:
        rest = masks[at] & -(np.int64(1) << (pointer & 63))
        while rest == 0 and at + 1 < end:
            at += 1
            rest = masks[at]
        if rest != 0:
            return ((at - begin) << 6) + lowest(rest)
    at = begin
    while masks[at] == 0:
        at += 1
    return ((at - begin) << 6) + lowest(masks[at])


@inlined
def available_of(s, b, mask, word, p, now):
    """Return the outputs of a mask that packet p in front of input row b may be allocated now."""
    mask &= s.masks.open[word]
    if s.setup.entry == WHOLE or s.setup.claim > 0:
        left, first, needed = mask, s.words.first_output[word], need(s.setup, s.packets.length[p])
        while left != 0:
            w = first + lowest(left)
            if not (has_credits(s, w, needed) and is_let_in(s, b, w, now)):
                mask ^= left & -left
            left &= left - 1
    return mask


@inlined
def sleep(s, b, word, bit):
    """Put a header that finds nothing free to sleep until an output VC of its router is freed or gets a credit.

    Where pools may run out of slots before their VCs, or packets leave slack, the header stays awake.
    """
    s.inputs.state[b] = BLOCKED
    if s.setup.awake == 1:
        return
    s.masks.heads[word] &= ~bit
    s.masks.asleep[word] |= bit


@inlined
def collect(s, b, p, count, w0, w1, begin, now):
    """Write masks of the available candidates of the lowest tier that has one.

    Returns 1, 0 if there is none, or minus the status if the rule names a VC of another router."""
    candidates, address, first_output = s.candidates, s.packets.address[p], s.words.first_output[w0]
    cells = s.words.first_output[w1] - first_output
    every = s.setup.all_tiers == 1
    for at in range(begin, begin + w1 - w0):
        s.vc_masks.requested[at] = 0
        if every:
            s.lesser[at] = 0
    k, tier, only = np.int64(0), np.int64(256), s.setup.selection == FIRST_ONE
    while k < count:
        candidate = candidates[k]
        rank = tier_of(candidate)
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
            mask = available_of(s, b, ones(candidate, some) << (cell & 63), w0 + (cell >> 6), p, now)
            if mask != 0 and not (only and rank == tier):
                if every and rank > 0:
                    s.lesser[begin + (cell >> 6)] |= mask
                if rank < tier and not every:
                    for before in range(begin, begin + w1 - w0):
                        s.vc_masks.requested[before] = 0
                tier = min(tier, rank)
                s.vc_masks.requested[begin + (cell >> 6)] |= mask & -mask if only else mask
            cell += some
            length -= some
    return np.int64(tier < 256)


@inlined
def recall(s, b, p, w0, w1, begin, now):
    """Collect candidates from the routing cache; return −1 if the answer is not cached."""
    # The same answer as from the rule: it depends on the input VC and the address alone, NO_WAIT and more than two
    # tiers are not cached, and of two tiers the second counts only where the first has nothing available.
    address = s.packets.address[p]
    kept = s.cache[s.input_class[b] * s.setup.num_addresses + address]
    if kept == 0:
        return np.int64(-1)
    many, every = w1 - w0, s.setup.all_tiers == 1
    row, anything = s.first_answer[w0] + (kept - 1) * many, np.int64(0)
    for j in range(many):
        # Written, not added: the words are of this header alone, and still hold those of one in another cycle.
        mask = available_of(s, b, s.answers.first[row + j], w0 + j, p, now)
        s.vc_masks.requested[begin + j] = mask
        anything |= mask
    if anything != 0 and not every:
        return np.int64(1)
    for j in range(many):
        mask = available_of(s, b, s.answers.second[row + j], w0 + j, p, now)
        # Whoever requests all tiers has its answers cached only where no tier comes before another.
        s.vc_masks.requested[begin + j] = mask | (s.vc_masks.requested[begin + j] if every else 0)
        anything |= mask
    return np.int64(anything != 0)


@inlined
def find(rule, s, b, p, w0, w1, begin, now):
    """Collect the available candidates of a header, from the cache or the rule; return as `request` does."""
    draws = s.setup.selection == BETTER_OF_TWO  # and keeps what it drew
    if s.cache.size > 0 and s.courses.script[p] < 0 and (draws or s.inputs.out[b] < 0):
        if draws:
            answer = call_at(s.setup.recall_port, (s.raw, b, p, w0, w1, begin, now))
        else:
            answer = recall(s, b, p, w0, w1, begin, now)
        if answer >= 0:
            return answer
    count = ask_rule(rule, s, b, p)
    if count <= 0:
        return np.int64(HELD if count == 0 else -DEAD_END if count == -2 else -BROKEN_RULE)
    if (s.setup.commits == 1 or s.setup.selection >= LEAST_WEIGHT) and s.inputs.out[b] < 0:
        first, end = s.words.first_output[w0], s.words.first_output[w1]
        count = call_at(s.setup.narrow, (s.raw, b, p, count, first, end, now, np.int64(-1)))
        if count == 0:
            return np.int64(0)
    return collect(s, b, p, count, w0, w1, begin, now)


@inlined
def request(rule, s, b, p, w0, w1, now, begin):
    """Write the requests of a header to words of `vc_masks`: available outputs of the lowest tier that has one.

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
        call_at(s.setup.select, (s.raw, b, begin, begin + w1 - w0, s.words.first_output[w0], now))
    return status
