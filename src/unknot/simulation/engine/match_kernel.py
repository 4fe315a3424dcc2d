# mypy: ignore-errors
"""Allocators: iSLIP of one or several rounds, with priorities or without, and separable input-first.

A request joins an input and an output of a router, numbered from 0. Of several requests an end prefers the one with
the smaller key: first the age, then round robin from the pointer of that end, or the other end chosen longest ago.
"""

from typing import Any, NamedTuple

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.simulation.engine.codes import BLOCKED, INPUTS_FIRST, RR_WAVEFRONT, SELECT
from unknot.simulation.engine.state_kernel import packet_of
from unknot.simulation.engine.view_kernel import view
from unknot.traffic.workload import HIGHEST_PRIORITY

CYCLIC = 0x3FFFFFFF
"""Mask of the part of a key that goes round; the bit above it is for the tier of a request."""
SPECULATIVE = 1 << 62
"""The part of a key that puts a header that speculates last; larger than any age."""
BY_CLASS = 2
"""Where `setup.priority` says that classes have priorities, see `codes.PRIORITIES`."""
WAITING, LOST = 0, -1
"""What `requests.won` says before a request is matched, and when one of its ends is matched to another."""


class MatchEnds(NamedTuple):
    """Round-robin pointers of inputs and outputs, the rows of the first ones, and the number of the first round.

    Entries of `outer` and `inner` belong to a round if they have its number, which is `count.matches` while it lasts.
    Matrix arbiters begin at `recent`; −1 without them.
    """

    input_pointer: Any
    first_input: Any
    output_pointer: Any
    first_output: Any
    number: Any
    inputs_first: Any
    recent: Any
    inputs: Any
    outputs: Any
    rounds: Any


@inlined
def age_key(s, now, p):
    """Return the part of a key that puts the older packet, or the higher class, first; 0 without priority."""
    if s.setup.priority == 0:
        return np.int64(0)
    if s.setup.priority == BY_CLASS:
        return (HIGHEST_PRIORITY - s.classes.priority[s.forms.of[s.courses.form[p]]]) << 31
    # Smaller for the older one, never negative, and above the 31 bits of tier and turn: ages beyond 2³¹ are alike.
    return max(np.int64(0), s.packets.created[p] - now + (np.int64(1) << 31)) << 31


@inlined
def donated(raw, now, b):
    """Return the best `age_key` of the packets that have a flit in input row b."""
    s = view(raw)
    at, left = s.inputs.front[b], s.inputs.stored[b]
    # Packet by packet along the ring, until all flits of the buffer are accounted for; of the first some have left.
    best, gone = np.int64(-1), np.int64(s.inputs.sent[b] if s.inputs.state[b] > BLOCKED else 0)
    while left > 0:
        p = s.ring[b * s.setup.ring + at]
        age = age_key(s, now, p)
        best = age if best < 0 else min(best, age)
        left -= s.packets.length[p] - gone
        at, gone = at + 1 if at + 1 < s.setup.ring else 0, 0
    return best


@inlined
def standing(s, now, b):
    """Return the `age_key` that counts for the packet in front of input row b."""
    if s.setup.donate_priority == 1 and s.setup.priority > 0:
        return call_at(s.setup.donated, (s.raw, now, b))
    return age_key(s, now, packet_of(s, b))


@inlined
def first_arbiter(s, w0, inputs, outputs, allocator, of_switch):
    """Return where the matrix arbiters of a router begin: of VCs or, if `of_switch` is 1, the switch; −1 without."""
    if s.setup.arbiter | s.setup.switch_arbiter == 0:
        return np.int64(-1)
    matrix = s.setup.switch_arbiter if of_switch == 1 else s.setup.arbiter
    if matrix == 1 and (allocator == INPUTS_FIRST or allocator == SELECT):
        return s.first_recent[w0] + 2 * of_switch * inputs * outputs
    return np.int64(-1)


@inlined
def ends_of_match(s, input_pointer, output_pointer, w0, w1, allocator, of_switch):
    """Return the ends of the match under way, of VCs or, if `of_switch` is 1, of the switch."""
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    inputs = s.words.first_input[w1] - first_input
    outputs = s.words.first_output[w1] - first_output
    return MatchEnds(
        input_pointer,
        first_input,
        output_pointer,
        first_output,
        np.int64(s.count.matches),
        1 if allocator == INPUTS_FIRST else 0,
        first_arbiter(s, w0, inputs, outputs, allocator, of_switch),
        inputs,
        outputs,
        1 if allocator == INPUTS_FIRST else s.setup.switch_iterations if of_switch == 1 else s.setup.iterations,
    )


@inlined
def last_chosen(ends, into, out, of_input):
    """Entry of `recent` for an input and an output, of the arbiter of one, with `of_input` 1, or the other."""
    if of_input != 0:
        return ends.recent + into * ends.outputs + out
    return ends.recent + (ends.outputs + out) * ends.inputs + into


@inlined
def remember(s, ends, into, out):
    """An input and an output were matched in the first round: their matrix arbiters choose each other last."""
    if s.setup.arbiter | s.setup.switch_arbiter != 0 and ends.recent >= 0:
        s.recent[last_chosen(ends, into, out, np.int64(1))] = ends.number
        s.recent[last_chosen(ends, into, out, np.int64(0))] = ends.number


@inlined
def longest_ago(s, ends, into, out, of_input):
    """Return the rank of one end in the matrix arbiter of the other, the lower the longer ago it was chosen."""
    return CYCLIC - min(ends.number - s.recent[last_chosen(ends, into, out, of_input)], CYCLIC)


@inlined
def honoured(allocator, key):
    """Return the key where the allocator honours priorities; else 0."""
    return key if INPUTS_FIRST <= allocator <= RR_WAVEFRONT else np.int64(0)


@inlined
def key(s, ends, i, of_input):
    """Return the rank of request i at its input if `of_input` is 1, else at its output; the lowest is preferred."""
    here, there = s.requests.input[i], s.requests.output[i]
    if ends.recent >= 0:
        turn = longest_ago(s, ends, here, there, of_input)
    elif of_input != 0:
        turn = there - ends.input_pointer[ends.first_input + here]
    else:
        turn = here - ends.output_pointer[ends.first_output + there]
    # As masked, what lies before the pointer comes after all that lies beyond it: there are fewer than 2²⁹ of both.
    return s.requests.age[i] | (turn & CYCLIC)


@inlined
def end_of(s, i, of_input):
    """Return the row of `best` of the input or the output of request i."""
    return s.requests.input[i] if of_input != 0 else (s.best.size >> 1) + s.requests.output[i]


@inlined
def prefer(s, ends, i, of_input):
    """Note request i as the best of an end, if it is.

    Returns the one that was best before, i itself if there was none, −1 if that still is the best."""
    # Each round has a number of its own, so that entries of earlier ones need not be cleared.
    best, end = s.best, end_of(s, i, of_input)
    if best.match[end] != s.count.matches:
        best.match[end], best.request[end] = s.count.matches, i
        return i
    before = best.request[end]
    if key(s, ends, i, of_input) < key(s, ends, before, of_input):
        best.request[end] = i
        return before
    return -1


@inlined
def is_taken(s, i, of_input):
    """Return whether `drop_rivals` found the end of request i matched."""
    end = end_of(s, i, of_input)
    return s.best.match[end] == s.count.matches and s.best.request[end] < 0


@inlined
def offer(s, ends, i):
    """Put request i, which is new or has a better rank, to the end that chooses first."""
    s.requests.won[i] = WAITING
    prefer(s, ends, i, ends.inputs_first)


@inlined
def drop_rivals(s, n, number):
    """Take requests whose ends were matched in this round out of the next rounds."""
    requests = s.requests
    for i in range(n):
        if requests.won[i] == number:
            s.best.request[end_of(s, i, np.int64(0))] = s.best.request[end_of(s, i, np.int64(1))] = -1
    for i in range(n):
        if requests.won[i] == WAITING and (is_taken(s, i, np.int64(0)) or is_taken(s, i, np.int64(1))):
            requests.won[i] = LOST


@inlined
def match(s, ends, n):
    """Match the first n requests, all put to these ends by `offer`; write the round of each to `requests.won`.

    iSLIP (McKeown 1999): outputs choose first, then inputs among what chose them; separable input-first the other way
    round, and once.
    """
    requests, inputs_first, rounds = s.requests, ends.inputs_first, ends.rounds
    for number in range(1, rounds + 1):
        matched = np.int64(0)
        for i in range(n):
            if requests.won[i] == WAITING and s.best.request[end_of(s, i, inputs_first)] == i:
                before = prefer(s, ends, i, 1 - inputs_first)
                # `before` is i where nothing was preferred yet; only then one pair more is matched.
                if before >= 0:
                    requests.won[before], requests.won[i] = WAITING, number
                    matched += before == i
        if matched == 0 or number == rounds:
            return
        drop_rivals(s, n, number)
        s.count.matches += 1
        for k in range(n):
            if requests.won[k] == WAITING:
                prefer(s, ends, k, inputs_first)
