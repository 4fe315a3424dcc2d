# mypy: ignore-errors
"""Allocators: iSLIP of one or several rounds, with priorities or without, and separable input-first.

A request joins an input and an output of a router, numbered from 0. Of several requests an end prefers the one with
the smaller key: first the age, then round robin from the pointer of that end, or the other end chosen longest ago.
"""

from typing import Any, NamedTuple

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import natural
from unknot.simulation.engine.state import BLOCKED, INPUTS_FIRST, RR_WAVEFRONT, SELECT
from unknot.simulation.engine.state_kernel import packet_of
from unknot.simulation.engine.view_kernel import view
from unknot.traffic.workload import HIGHEST_PRIORITY

CYCLIC = 0x3FFFFFFF
"""Mask of the part of a key that goes round; the bit above it is for the tier of a request."""
HOPE = 1 << 62
"""The part of a key that puts a header that speculates last; larger than any age."""
BY_CLASS = 2
"""Where `setup.aged` says that classes have priorities, see `router.PRIORITIES`."""
WAITING, LOST = 0, -1
"""What `requests.won` says before a request is matched, and when one of its ends is matched to another."""


class Ends(NamedTuple):
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
    if s.setup.aged == 0:
        return np.int64(0)
    if s.setup.aged == BY_CLASS:
        return (HIGHEST_PRIORITY - s.classes.priority[natural(s.forms.of[natural(s.packets.form[p])])]) << 31
    # Smaller for the older one, never negative, and above the 31 bits of tier and turn: ages beyond 2³¹ are alike.
    return max(np.int64(0), s.packets.created[p] - now + (np.int64(1) << 31)) << 31


@called
def donated(raw, now, b):
    """Return the best `age_key` of the packets that have a flit in input row b."""
    s = view(raw)
    b = natural(b)
    at, left = np.int64(s.inputs.front[b]), np.int64(s.inputs.stored[b])
    best, gone = np.int64(-1), np.int64(s.inputs.sent[b] if s.inputs.state[b] > BLOCKED else 0)
    while left > 0:
        p = natural(s.ring[natural(b * s.setup.ring + at)])
        age = age_key(s, now, p)
        best = age if best < 0 else min(best, age)
        left -= s.packets.length[p] - gone
        at, gone = at + 1 if at + 1 < s.setup.ring else 0, 0
    return best


@inlined
def standing(s, now, b):
    """Return the `age_key` that counts for the packet in front of input row b."""
    if s.setup.donates == 1 and s.setup.aged > 0:
        return donated(s.raw, now, b)
    return age_key(s, now, packet_of(s, b))


@inlined
def numbered(s, input_pointer, output_pointer, w0, w1, allocator, of_switch):
    """Return the ends of a new match."""
    s.count.matches += 1
    first_input, first_output = np.int64(s.words.first_input[w0]), np.int64(s.words.first_output[w0])
    inputs = np.int64(s.words.first_input[w1]) - first_input
    outputs = np.int64(s.words.first_output[w1]) - first_output
    recent = np.int64(-1)
    matrix = s.setup.switch_matrix if of_switch else s.setup.matrix
    if matrix == 1 and (allocator == INPUTS_FIRST or allocator == SELECT):
        recent = s.first_recent[w0] + 2 * of_switch * inputs * outputs
    return Ends(
        input_pointer,
        first_input,
        output_pointer,
        first_output,
        np.int64(s.count.matches),
        allocator == INPUTS_FIRST,
        recent,
        inputs,
        outputs,
        np.int64(1) if allocator == INPUTS_FIRST else s.setup.switch_rounds if of_switch else s.setup.rounds,
    )


@inlined
def last_chosen(ends, into, out, of_input):
    """Entry of `recent` for an input and an output, of the arbiter of one or the other."""
    if of_input:
        return natural(ends.recent + into * ends.outputs + out)
    return natural(ends.recent + (ends.outputs + out) * ends.inputs + into)


@inlined
def remember(s, ends, into, out):
    """An input and an output were matched in the first round: their matrix arbiters choose each other last."""
    if ends.recent >= 0:
        s.recent[last_chosen(ends, into, out, True)] = ends.number
        s.recent[last_chosen(ends, into, out, False)] = ends.number


@inlined
def honoured(allocator, key):
    """Return the key where the allocator honours priorities; else 0."""
    return key if INPUTS_FIRST <= allocator <= RR_WAVEFRONT else np.int64(0)


@inlined
def key(s, ends, i, of_input):
    """Return the rank of request i at its input if `of_input`, else at its output; the lowest is preferred."""
    here, there = s.requests.input[i], s.requests.output[i]
    if ends.recent >= 0:
        turn = CYCLIC - min(ends.number - s.recent[last_chosen(ends, here, there, of_input)], CYCLIC)
    elif of_input:
        turn = there - ends.input_pointer[natural(ends.first_input + here)]
    else:
        turn = here - ends.output_pointer[natural(ends.first_output + there)]
    # As masked, what lies before the pointer comes after all that lies beyond it: there are fewer than 2²⁹ of both.
    return s.requests.age[i] | (turn & CYCLIC)


@inlined
def end_of(s, i, of_input):
    """Return the input or the output of request i."""
    return natural(s.requests.input[i] if of_input else s.requests.output[i])


@inlined
def prefer(s, ends, i, side, of_input):
    """Note request i as the best of an end, if it is.

    Returns the one that was best before, i itself if there was none, −1 if that still is the best."""
    # Each round has a number of its own, so that entries of earlier ones need not be cleared.
    end = end_of(s, i, of_input)
    if side.match[end] != s.count.matches:
        side.match[end], side.request[end] = s.count.matches, i
        return np.int64(i)
    before = natural(side.request[end])
    if key(s, ends, i, of_input) < key(s, ends, before, of_input):
        side.request[end] = i
        return before
    return np.int64(-1)


@inlined
def is_taken(s, ends, i, side, of_input):
    """Return whether `drop_rivals` found the end of request i matched."""
    end = end_of(s, i, of_input)
    return side.match[end] == s.count.matches and side.request[end] < 0


@inlined
def offer(s, ends, i):
    """Put request i, which is new or has a better rank, to the end that chooses first."""
    s.requests.won[i] = WAITING
    prefer(s, ends, i, s.outer, ends.inputs_first)


@inlined
def drop_rivals(s, ends, n, number, inputs_first):
    """Take requests whose ends were matched in this round out of the next rounds."""
    requests = s.requests
    for k in range(n):
        i = natural(k)
        if requests.won[i] == number:
            into, out = natural(requests.input[i]), natural(requests.output[i])
            s.outer.request[into if inputs_first else out] = -1
            s.inner.request[out if inputs_first else into] = -1
    for k in range(n):
        i = natural(k)
        if requests.won[i] == WAITING and (
            is_taken(s, ends, i, s.outer, inputs_first) or is_taken(s, ends, i, s.inner, not inputs_first)
        ):
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
        for k in range(n):
            i = natural(k)
            if requests.won[i] == WAITING and s.outer.request[end_of(s, i, inputs_first)] == i:
                before = prefer(s, ends, i, s.inner, not inputs_first)
                # `before` is i where nothing was preferred yet; only then one pair more is matched.
                if before >= 0:
                    requests.won[natural(before)], requests.won[i] = WAITING, number
                    matched += before == i
        if matched == 0 or number == rounds:
            return
        drop_rivals(s, ends, n, number, inputs_first)
        s.count.matches += 1
        for k in range(n):
            if requests.won[natural(k)] == WAITING:
                prefer(s, ends, natural(k), s.outer, inputs_first)
