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
from unknot.simulation.engine.match_kernel import CYCLIC, age_key
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
def numbers_of(s, cell, b, by_place):
    """Return the numbers of the input port of input row b and of the output port that it requests."""
    into, out = s.inputs.port_bit[b], s.inputs.out_port_bit[b]
    if by_place:
        return np.int64(s.ordinals.into[cell + into]), np.int64(s.ordinals.out[cell + out])
    return np.int64(into), np.int64(out)


@inlined
def match_ports(s, w, now, match, by_place):
    """Match the ports of input VCs of the router of word w; ``asked.won`` are the VCs that win.

    Ports have numbers by their places, or those of their first bits.
    """
    requesting, rows, contest, width = s.whole.asked.ends[0], s.whole.wants.row, s.contest, s.setup.width
    cell, first_input, left = 64 * w, s.words.first_input[w], requesting
    ends, outs, twice, shared = none(left), none(left), none(left), none(left)
    while left != 0:
        b = first_input + lowest(left)
        left &= left - 1
        into, out = numbers_of(s, cell, b, by_place)
        end, bit = bit_at(ends, into), bit_at(outs, out)
        shared |= (ends & end) | (outs & bit)  # not 0 if an end has come before
        if ends & end == 0:
            rows[into * width], contest.bidder[into] = none(bit), s.inputs.port_bit[b]
            ends |= end
        twice |= outs & bit & ~rows[into * width]
        outs |= bit
        rows[into * width] |= bit
        contest.offer[out] = s.inputs.out_port_bit[b]
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
        at, bit = lowest(left), left & -left
        left ^= bit
        b = first_input + at
        into, out = numbers_of(s, cell, b, by_place)
        end = bit_at(ends, into)
        if rows[into * width] & bit_at(ends, out) == 0:
            continue
        key = age_of(s, b, now) | ((at - s.in_ports.vc_pointer[first_input + s.inputs.port_bit[b]]) & CYCLIC)
        if ends & end != 0:
            if key > contest.key[into]:
                continue
            won ^= bit_at(won, contest.bidder[into])
        ends |= end
        won |= bit
        contest.bidder[into], contest.key[into] = at, key
    s.whole.asked.won[0] = won


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
