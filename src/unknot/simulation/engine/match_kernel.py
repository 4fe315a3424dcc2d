# mypy: ignore-errors
"""Allocators: iSLIP of one or several rounds, with priorities or without, and separable input-first.

A request joins an input and an output of a router, numbered from 0. Of several requests an end prefers the one with
the smaller key: first the age, then round robin from the pointer of that end, or the other end chosen longest ago.
"""

from typing import Any, NamedTuple

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import call_at
from unknot._base.splitmix import STEP
from unknot.simulation.engine.codes import BLOCKED, INPUTS_FIRST, LOA, MAX_SIZE, PIM, RR_WAVEFRONT, SELECT
from unknot.simulation.engine.state_kernel import packet_of, random_bits
from unknot.simulation.engine.view_kernel import view
from unknot.traffic.workload import HIGHEST_PRIORITY

CYCLIC = 0x3FFFFFFF
"""Mask of the part of a key that goes round; the bit above it is for the tier of a request."""
HOPE = 1 << 62
"""The part of a key that puts a header that speculates last; larger than any age."""
BY_CLASS = 2
"""Where `setup.priority` says that classes have priorities, see `router.PRIORITIES`."""
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
    if s.setup.priority == 0:
        return np.int64(0)
    if s.setup.priority == BY_CLASS:
        return (HIGHEST_PRIORITY - s.classes.priority[s.forms.of[s.packets.form[p]]]) << 31
    # Smaller for the older one, never negative, and above the 31 bits of tier and turn: ages beyond 2³¹ are alike.
    return max(np.int64(0), s.packets.created[p] - now + (np.int64(1) << 31)) << 31


@inlined
def donated(raw, now, b):
    """Return the best `age_key` of the packets that have a flit in input row b."""
    s = view(raw)
    at, left = s.inputs.front[b], s.inputs.stored[b]
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
def ends_of_match(s, input_pointer, output_pointer, w0, w1, allocator, of_switch):
    """Return the ends of the match under way, of VCs or, if `of_switch` is 1, of the switch."""
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    inputs = s.words.first_input[w1] - first_input
    outputs = s.words.first_output[w1] - first_output
    recent = np.int64(-1)
    matrix = s.setup.switch_arbiter if of_switch == 1 else s.setup.arbiter
    if matrix == 1 and (allocator == INPUTS_FIRST or allocator == SELECT):
        recent = s.first_recent[w0] + 2 * of_switch * inputs * outputs
    return Ends(
        input_pointer,
        first_input,
        output_pointer,
        first_output,
        np.int64(s.count.matches),
        1 if allocator == INPUTS_FIRST else 0,
        recent,
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
    if ends.recent >= 0:
        s.recent[last_chosen(ends, into, out, np.int64(1))] = ends.number
        s.recent[last_chosen(ends, into, out, np.int64(0))] = ends.number


@inlined
def honoured(allocator, key):
    """Return the key where the allocator honours priorities; else 0."""
    return key if INPUTS_FIRST <= allocator <= RR_WAVEFRONT else np.int64(0)


@inlined
def key(s, ends, i, of_input):
    """Return the rank of request i at its input if `of_input` is 1, else at its output; the lowest is preferred."""
    here, there = s.requests.input[i], s.requests.output[i]
    if ends.recent >= 0:
        turn = CYCLIC - min(ends.number - s.recent[last_chosen(ends, here, there, of_input)], CYCLIC)
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


MATCHED, LOST = 2, -1
OF_SWITCH = 1 << 20
"""Tags of random numbers of switch allocation begin here."""


@inlined
def match_matrix(raw, n, w0, w1, of_switch, now):
    """Match the first n requests of the router of words w0 to w1."""
    s, of_switch = view(raw), of_switch != 0
    requests, first = s.requests, 64 * w0
    inputs, outputs = s.ordinals.inputs[first], s.ordinals.outputs[first]
    kind = s.setup.switch_allocator if of_switch else s.setup.allocator
    if of_switch:
        inputs, outputs = s.ordinals.entries[first], s.ordinals.exits[first]
    for i in range(n):
        into, out = 64 * w0 + requests.input[i], requests.output[i]
        into = np.int64(s.ordinals.into[into] if of_switch else s.ordinals.vc[into])
        if of_switch:
            out = s.ordinals.out[64 * w0 + out]
        s.cells.into[i], s.cells.out[i] = into, out
        requests.won[i] = LOST
    for end in range(max(inputs, outputs)):
        s.pairing.mate[end], s.pairing.other[end] = -1, -1
    if kind == PIM:
        pim(s, n, inputs, outputs, w0, of_switch, now)
    elif kind == LOA:
        loa(s, n, inputs, outputs, w0, of_switch)
    else:
        row = s.words.first_output[w0]
        turn = s.out_ports.pointer[row] if of_switch else s.outputs.grant_pointer[row]
        if kind == MAX_SIZE:
            maximum(s, n, inputs, turn)
            turn = (turn + 1) % inputs
        else:
            diagonal, square = wavefront(s, n, max(inputs, outputs), turn), max(inputs, outputs)
            turn = ((diagonal if kind == RR_WAVEFRONT else turn) + 1) % square
        if of_switch:
            s.out_ports.pointer[row] = turn
        else:
            s.outputs.grant_pointer[row] = turn
    for i in range(n):
        if s.pairing.mate[s.cells.into[i]] == s.cells.out[i]:
            requests.won[i] = MATCHED


@called
def sift(cells, start, end):
    """Sift down the cell at `start` of a heap; the largest key comes first."""
    root = start
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and cells.key[child] < cells.key[child + 1]:
            child += 1
        if cells.key[root] >= cells.key[child]:
            return
        a, b = root, child
        cells.key[a], cells.key[b] = cells.key[b], cells.key[a]
        cells.request[a], cells.request[b] = cells.request[b], cells.request[a]
        root = child


@called
def in_order_of_keys(cells, n):
    """Sort the first n cells by key, the smallest first (heapsort)."""
    for start in range(n // 2 - 1, -1, -1):
        sift(cells, np.int64(start), np.int64(n))
    for end in range(n - 1, 0, -1):
        a, b = 0, end
        cells.key[a], cells.key[b] = cells.key[b], cells.key[a]
        cells.request[a], cells.request[b] = cells.request[b], cells.request[a]
        sift(cells, np.int64(0), np.int64(end))


@inlined
def join(s, into, out):
    """Match an input and an output."""
    s.pairing.mate[into], s.pairing.other[out] = out, into


@called
def wavefront(s, n, square, turn):
    """Match along the diagonals of the matrix of requests, from `turn` on, the best priority first.

    Returns the diagonal of the first match.
    """
    cells, first = s.cells, np.int64(-1)
    for i in range(n):
        # Cells of a diagonal share neither input nor output, so their order among themselves does not matter; a
        # sweep of the diagonals is therefore the same as taking requests in the order of these keys.
        cells.key[i] = s.requests.age[i] | ((cells.into[i] + cells.out[i] - turn) % square)
        cells.request[i] = i
    in_order_of_keys(cells, n)
    for k in range(n):
        i = cells.request[k]
        into, out = cells.into[i], cells.out[i]
        if s.pairing.mate[into] < 0 and s.pairing.other[out] < 0:
            join(s, into, out)
            if first < 0:
                first = np.int64(into + out)
    return first


@called
def chance(s, now, row, tag):
    """Return a random number of an end in a round of a cycle."""
    return random_bits(np.uint64(s.setup.salt ^ ((now << 32) + row)) + STEP * np.uint64(tag))


@called
def pim(s, n, inputs, outputs, w0, of_switch, now):
    """Parallel iterative matching (Anderson, Owicki, Saxe & Thacker 1993): cyclic choices from random starts."""
    cells, pairing = s.cells, s.pairing
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    for number in range(s.setup.switch_iterations if of_switch else s.setup.iterations):
        tag = 2 * number + 2 + (OF_SWITCH if of_switch else 0)
        for end in range(max(inputs, outputs)):
            pairing.origin[end], pairing.grant[end] = -1, -1
        for i in range(n):
            into, out = cells.into[i], cells.out[i]
            if pairing.mate[into] >= 0 or pairing.other[out] >= 0:
                continue
            start = chance(s, now, first_output + out, tag) % inputs
            best = pairing.origin[out]
            if best < 0 or (into - start) % inputs < (best - start) % inputs:
                pairing.origin[out] = into
        for o in range(outputs):
            into = pairing.origin[o]
            if into < 0:
                continue
            start = chance(s, now, first_input + into, tag + 1) % outputs
            best = pairing.grant[into]
            if best < 0 or (o - start) % outputs < (best - start) % outputs:
                pairing.grant[into] = o
        for into in range(inputs):
            if pairing.grant[into] >= 0:
                join(s, into, pairing.grant[into])


@called
def loa(s, n, inputs, outputs, w0, of_switch):
    """Match by the lonely output allocator: inputs request the output that the fewest request, outputs grant one.

    The pointers of both ends that are matched move by one.
    """
    cells, pairing = s.cells, s.pairing
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    for at in range(max(inputs, outputs)):
        pairing.origin[at], pairing.grant[at], pairing.count[at], pairing.start[at] = -1, -1, 0, 0
    for k in range(n):
        pairing.count[cells.out[k]] += 1
    for i in range(n):
        into, out = cells.into[i], cells.out[i]
        row = first_input + s.requests.input[i]
        start = s.in_ports.pointer[row] if of_switch else s.inputs.accept_pointer[row]
        best = pairing.grant[into]
        if best >= 0:
            here, there = pairing.count[out], pairing.count[best]
            if here > there or (here == there and (out - start) % outputs > (best - start) % outputs):
                continue
        pairing.grant[into] = out
    for i in range(n):
        into, out = cells.into[i], cells.out[i]
        if pairing.grant[into] != out:
            continue
        row = first_output + s.requests.output[i]
        start = s.out_ports.pointer[row] if of_switch else s.outputs.grant_pointer[row]
        best = pairing.origin[out]
        if best < 0 or (into - start) % inputs < (best - start) % inputs:
            pairing.origin[out] = into
    for i in range(n):
        into, out = cells.into[i], cells.out[i]
        if pairing.grant[into] != out or pairing.origin[out] != into:
            continue
        join(s, into, out)
        u, w = first_input + s.requests.input[i], first_output + s.requests.output[i]
        if of_switch:
            s.in_ports.pointer[u] = (s.in_ports.pointer[u] + 1) % outputs
            s.out_ports.pointer[w] = (s.out_ports.pointer[w] + 1) % inputs
        else:
            s.inputs.accept_pointer[u] = (s.inputs.accept_pointer[u] + 1) % outputs
            s.outputs.grant_pointer[w] = (s.outputs.grant_pointer[w] + 1) % inputs


@called
def maximum(s, n, inputs, turn):
    """Match the most pairs, by shortest augmenting paths; free inputs are tried from `turn` on."""
    cells, pairing = s.cells, s.pairing
    for i in range(n):
        cells.key[i], cells.request[i] = (cells.into[i] << 31) | cells.out[i], i
    in_order_of_keys(cells, n)
    for into in range(inputs + 1):
        pairing.start[into] = n
    # Backwards, so that the first request of an input is what stays.
    for k in range(n - 1, -1, -1):
        pairing.start[cells.key[k] >> 31] = k
    while augment(s, n, inputs, turn):
        pass


@called
def augment(s, n, inputs, turn):
    """Make the matching larger by one along a shortest path, if there is one."""
    cells, pairing, waiting = s.cells, s.pairing, np.int64(0)
    for k in range(n):
        pairing.origin[cells.out[k]] = -1
    for k in range(inputs):
        into = (k + turn) % inputs
        if pairing.mate[into] < 0 and pairing.start[into] < n:
            pairing.queue[waiting] = into
            waiting += 1
    done = np.int64(0)
    while done < waiting:
        into = pairing.queue[done]
        done += 1
        k = pairing.start[into]
        while k < n and cells.key[k] >> 31 == into:
            out = cells.key[k] & 0x7FFFFFFF
            k += 1
            if pairing.origin[out] >= 0 or pairing.mate[into] == out:
                continue
            pairing.origin[out] = into
            if pairing.other[out] >= 0:
                pairing.queue[waiting] = pairing.other[out]
                waiting += 1
                continue
            # A free output: along the path each input lets go the output it had, which goes to the one before.
            while out >= 0:
                back = pairing.origin[out]
                before = pairing.mate[back]
                join(s, back, out)
                out = before
            return True
    return False
