# mypy: ignore-errors
"""Requests as rows of bits, for allocators that look at all of them: of headers, and of the ports of input VCs.

`row` of `wants` is that of an input, by its number in the matrix of requests; bits are the numbers of outputs. A row
has as many words as the router, and that of input n begins at n times the width. An allocator is a function of the
state, the ends of a match and a mask of the inputs with requests, each `row` of which it cuts down to the match or 0.
"""

from typing import Any, NamedTuple

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, lowest, none
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.match_kernel import CYCLIC, SPECULATIVE, age_key
from unknot.simulation.engine.selection_kernel import in_turn
from unknot.simulation.engine.state_kernel import packet_of


class Matching(NamedTuple):
    """How many inputs and outputs a match has, and the pointers of both from the first row of the router on.

    `once` are the outputs with requests, `twice` those with several.

    `input_row` and `output_row` say in which row the pointer of an end stands.
    """

    inputs: Any
    outputs: Any
    input_pointer: Any
    first_input: Any
    output_pointer: Any
    first_output: Any
    now: Any
    of_switch: Any
    once: Any
    twice: Any


@inlined
def match_vcs(s, w, now, match, by_place):
    """Match headers of the router of word w to outputs; each `requested` becomes the match or 0.

    Inputs have their numbers among all by the places of their ports, or those of their bits.
    """
    requesters, wants, contest, width = s.whole.asked.ends[0], s.whole.wants, s.contest, s.setup.width
    cell, ends, once, twice = 64 * w, none(requesters), none(requesters), none(requesters)
    while requesters != 0:
        at = lowest(requesters)
        requesters &= requesters - 1
        into, mask = np.int64(s.ordinals.vc[cell + at] if by_place else at), wants.requested[at * width]
        wants.row[into * width], contest.bidder[into] = mask, at
        twice |= once & mask
        once |= mask
        ends |= bit_at(ends, into)
    match(
        s,
        Matching(
            np.int64(s.ordinals.inputs[cell] if by_place else 64 * width),
            np.int64(s.ordinals.outputs[cell] if by_place else 64 * width),
            s.inputs.accept_pointer,
            s.words.first_input[w],
            s.outputs.grant_pointer,
            s.words.first_output[w],
            now,
            False,
            once,
            twice,
        ),
        ends,
    )
    while ends != 0:
        into = lowest(ends)
        ends &= ends - 1
        wants.requested[contest.bidder[into] * width] = wants.row[into * width]


@inlined
def age_of(s, b, now):
    """Return the part of a key that puts older packets first, of the packet in front of input row b."""
    return np.int64(0) if s.setup.priority == 0 else age_key(s, now, packet_of(s, b))


@inlined
def numbers_of(s, cell, b, out, by_place):
    """Return the numbers of the input port of input row b and of the output port that begins with a bit."""
    into = s.inputs.port_bit[b]
    if by_place:
        return np.int64(s.ordinals.into[cell + into]), np.int64(s.ordinals.out[cell + out])
    return np.int64(into), np.int64(out)


@inlined
def add_request(s, rows, into, out, ends, outs, twice):
    """Let an input port request an output port, given by their numbers.

    Returns the inputs and the outputs with requests, the outputs with several, and what is not 0 if an end had any.
    """
    end, bit, row = bit_at(ends, into), bit_at(outs, out), into * s.setup.width
    shared = (ends & end) | (outs & bit)
    if ends & end == 0:
        rows[row] = none(bit)
    twice |= outs & bit & ~rows[row]
    rows[row] |= bit
    return ends | end, outs | bit, twice, shared


@inlined
def next_port(s, w, b, cells):
    """Return the first bit of the output port of the lowest of some output VCs, and the VCs of other ports."""
    first_output = s.words.first_output[w]
    port = s.outputs.port[first_output + lowest(cells)]
    while cells != 0 and s.outputs.port[first_output + lowest(cells)] == port:
        cells &= cells - 1
    return np.int64(port + s.inputs.out_part[b] - first_output), cells


@inlined
def match_ports(s, w, now, match, by_place):
    """Match the ports of input VCs of the router of word w; ``asked.won`` are the VCs that win.

    Ports have numbers by their places, or those of their first bits. Headers that speculate request several ports.
    """
    requesting, rows, contest, width = s.whole.asked.ends[0], s.whole.wants.row, s.contest, s.setup.width
    cell, first_input, left = 64 * w, s.words.first_input[w], requesting
    ends, outs, twice, shared = none(left), none(left), none(left), none(left)
    while left != 0:
        b = first_input + lowest(left)
        left &= left - 1
        into, out = numbers_of(s, cell, b, s.inputs.out_port_bit[b], by_place)
        ends, outs, twice, again = add_request(s, rows, into, out, ends, outs, twice)
        shared |= again
        contest.bidder[into], contest.offer[out] = s.inputs.port_bit[b], s.inputs.out_port_bit[b]
    ahead = none(left)
    if s.setup.speculative == 1:
        left = ahead = s.whole.asked.ahead[0]
        shared |= ahead
    while left != 0:
        b = first_input + lowest(left)
        left &= left - 1
        ports = s.whole.wants.speculated[(b - first_input) * width]
        while ports != 0:
            port, ports = next_port(s, w, b, ports)
            into, out = numbers_of(s, cell, b, port, by_place)
            ends, outs, twice, _ = add_request(s, rows, into, out, ends, outs, twice)
            contest.bidder[into], contest.offer[out] = s.inputs.port_bit[b], port
    match(
        s,
        Matching(
            np.int64(s.ordinals.entries[cell] if by_place else 64 * width),
            np.int64(s.ordinals.exits[cell] if by_place else 64 * width),
            s.in_ports.pointer,
            first_input,
            s.out_ports.pointer,
            s.words.first_output[w],
            now,
            True,
            outs,
            twice,
        ),
        ends,
    )
    if shared == 0:
        s.whole.asked.won[0] = requesting
        return
    ends, won, left = none(requesting), none(requesting), requesting
    # Of the VCs of a pair that was matched the one next in turn is put forward.
    while left != 0:
        b = first_input + lowest(left)
        left &= left - 1
        into, out = numbers_of(s, cell, b, s.inputs.out_port_bit[b], by_place)
        if rows[into * width] & bit_at(outs, out) != 0:
            ends, won = put_forward(s, b, b - first_input, into, np.int64(0), now, ends, won)
    if ahead != 0:
        won = with_ahead(s, w, now, by_place, ends, won)
    s.whole.asked.won[0] = won


@inlined
def put_forward(s, b, at, into, speculative, now, ends, won):
    """Put an input VC forward for the match of its port, unless another one comes before.

    Returns the ports for which one is put forward, and those.
    """
    contest, first_input, end = s.contest, b - at, bit_at(ends, into)
    distance = (at - s.in_ports.vc_pointer[first_input + s.inputs.port_bit[b]]) & CYCLIC
    key = speculative | age_of(s, b, now) | distance
    if ends & end != 0:
        if key > contest.key[into]:
            return ends, won
        won ^= bit_at(won, contest.bidder[into])
    contest.bidder[into], contest.key[into] = at, key
    return ends | end, won | bit_at(won, at)


@inlined
def with_ahead(s, w, now, by_place, ends, won):
    """Let headers that speculate have the matches of their ports that nobody else wants; return all who win.

    Where a header then has no VC of that port with a credit, the match is wasted, but was one.
    """
    rows, masks, width, cell = s.whole.wants.row, s.whole.masks, s.setup.width, 64 * w
    first_input, ahead = s.words.first_input[w], s.whole.asked.ahead[0]
    left = ahead
    while left != 0:
        b = first_input + lowest(left)
        left &= left - 1
        ports = s.whole.wants.speculated[(b - first_input) * width]
        while ports != 0:
            port, ports = next_port(s, w, b, ports)
            into, out = numbers_of(s, cell, b, port, by_place)
            if rows[into * width] & bit_at(won, out) != 0:
                ends, won = put_forward(s, b, b - first_input, into, np.int64(SPECULATIVE), now, ends, won)
    left, ready = won & ahead, masks.owning[w] & ~masks.no_credit[w]
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        b = first_input + at
        into, out = numbers_of(s, cell, b, s.inputs.out_port_bit[b], by_place)
        if ready & bit == 0 or rows[into * width] & bit_at(won, out) == 0:
            s.in_ports.vc_pointer[first_input + s.inputs.port_bit[b]] = at + 1
            won ^= bit
    return won


@inlined
def input_row(s, at, into):
    """Return the row that has the pointer of an input."""
    return at.first_input + s.contest.bidder[into]


@inlined
def output_row(s, at, out):
    """Return the row that has the pointer of an output."""
    return at.first_output + (s.contest.offer[out] if at.of_switch else out)


@inlined
def requested(s, ends):
    """Return the outputs requested by any of `ends`, and those requested by several."""
    once, twice = none(ends), none(ends)
    while ends != 0:
        mask = s.whole.wants.row[lowest(ends) * s.setup.width]
        ends &= ends - 1
        twice |= once & mask
        once |= mask
    return once, twice


@inlined
def rivals_for(s, ends, bit):
    """Return those of `ends` that request an output, given by its bit."""
    rivals = none(ends)
    while ends != 0:
        if s.whole.wants.row[lowest(ends) * s.setup.width] & bit != 0:
            rivals |= ends & -ends
        ends &= ends - 1
    return rivals


@inlined
def match_in_rounds(s, at, ends, start_of, note):
    """Match `ends` in rounds: every output grants one request, every input accepts one grant, each the next in turn.

    `start_of` gives where an end begins to look, and is asked only for one that has a choice; `note` is told of a
    match. Both are given the number of the round.
    """
    rows, grants, width, waits, matched = s.whole.wants.row, s.whole.wants.digit, s.setup.width, ends, none(ends)
    once, twice = at.once, at.twice
    for number in range(s.setup.switch_iterations if at.of_switch else s.setup.iterations):
        if number > 0:
            once, twice = requested(s, waits)
        if once == 0:
            break
        left, taken = waits, none(ends)
        while left != 0:
            grants[lowest(left) * width] = rows[lowest(left) * width] & ~twice
            left &= left - 1
        while twice != 0:
            out, bit = lowest(twice), twice & -twice
            twice ^= bit
            rivals = rivals_for(s, waits, bit)
            grants[in_turn(rivals, start_of(s, at, out, np.int64(0), number)) * width] |= bit
        left = waits
        while left != 0:
            into, bit = lowest(left), left & -left
            left ^= bit
            mask = grants[into * width]
            if mask == 0:
                continue
            if mask & (mask - 1) != 0:
                mask = bit_at(mask, in_turn(mask, start_of(s, at, into, np.int64(1), number)))
            note(s, at, into, lowest(mask), number)
            rows[into * width] = mask
            taken |= mask
            matched |= bit
        waits &= ~matched
        left = waits
        while left != 0:
            rows[lowest(left) * width] &= ~taken
            left &= left - 1
    while waits != 0:
        rows[lowest(waits) * width] = none(waits)
        waits &= waits - 1
