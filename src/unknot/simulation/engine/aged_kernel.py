# mypy: ignore-errors
"""Wavefront allocation of the fast path with priorities: the best priority first, then the next diagonal."""

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, lowest, none
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.match_kernel import age_key
from unknot.simulation.engine.state_kernel import packet_of
from unknot.simulation.engine.sweep_kernel import next_turn, output_on, renumbered, turned

SEVEN = 7
"""Bits of a diagonal, and of the distance of a VC from its turn."""


@inlined
def best_of(s, left):
    """Return the requester with the smallest key."""
    best = lowest(left)
    while left != 0:
        if s.contest.key[lowest(left)] < s.contest.key[best]:
            best = lowest(left)
        left &= left - 1
    return best


@inlined
def rank(s, at):
    """Put the next diagonal of a header below its priority."""
    s.contest.key[at] = (s.contest.key[at] >> SEVEN << SEVEN) | lowest(s.whole.wants.row[at * s.setup.width])


@inlined
def sweep_vcs(s, w, now):
    """Match headers of the router of word w to outputs; each `requested` becomes the match or 0."""
    contest, wants, ordinals, cell, width = s.contest, s.whole.wants, s.ordinals, 64 * w, s.setup.width
    requesters = left = s.whole.asked.ends[0]
    size, row = np.int64(max(ordinals.inputs[cell], ordinals.outputs[cell])), s.words.first_output[w]
    turn, first, absent = s.outputs.grant_pointer[row], np.int64(-1), ordinals.absent[cell] > 0
    while left != 0:
        at = lowest(left)
        left &= left - 1
        mask, shift = wants.requested[at * width], ordinals.vc[cell + at] - turn
        mask = renumbered(ordinals.out_vc, cell, mask) if absent else mask
        shift += size if shift < 0 else 0
        wants.row[at * width], wants.requested[at * width] = turned(mask, shift, size), none(mask)
        contest.number[at] = shift
        contest.key[at] = age_key(s, now, contest.packet[at])
        rank(s, at)
    while requesters != 0:
        best = best_of(s, requesters)
        diagonal = lowest(wants.row[best * width])
        first = diagonal if first < 0 else first
        out = output_on(contest, best, diagonal, size)
        wants.requested[best * width] = bit_at(requesters, ordinals.cell[cell + out] if absent else out)
        requesters ^= bit_at(requesters, best)
        left = requesters
        while left != 0:
            at, bit = lowest(left), left & -left
            left ^= bit
            place = out + contest.number[at]
            mask = wants.row[at * width] & ~bit_at(left, place - size if place >= size else place)
            wants.row[at * width] = mask
            if mask == 0:
                requesters ^= bit
            else:
                rank(s, at)
    s.outputs.grant_pointer[row] = next_turn(turn, first, size, s.setup.allocator)


@inlined
def sweep_switch(s, w, now):
    """Match the ports of input VCs of the router of word w; ``asked.won`` are the VCs that win.

    Of a pair of ports the VC of the best priority comes first, then the next in turn; so VCs are matched directly.
    """
    cell, contest, ordinals, inputs = 64 * w, s.contest, s.ordinals, s.inputs
    first_input, row = s.words.first_input[w], s.words.first_output[w]
    size, turn = np.int64(max(ordinals.entries[cell], ordinals.exits[cell])), s.out_ports.pointer[row]
    requesting = left = s.whole.asked.ends[0]
    won, first = none(left), np.int64(-1)
    while left != 0:
        at = lowest(left)
        left &= left - 1
        b = first_input + at
        into, out = inputs.port_bit[b], inputs.out_port_bit[b]
        diagonal = (ordinals.into[cell + into] + ordinals.out[cell + out] - turn + size) % size
        distance = (at - s.in_ports.vc_pointer[first_input + into]) & ((1 << SEVEN) - 1)
        contest.key[at] = age_key(s, now, packet_of(s, b)) | (diagonal << SEVEN) | distance
    while requesting != 0:
        best = best_of(s, requesting)
        won |= bit_at(won, best)
        first = (contest.key[best] >> SEVEN) & ((1 << SEVEN) - 1) if first < 0 else first
        into, out, left = inputs.port_bit[first_input + best], inputs.out_port_bit[first_input + best], requesting
        while left != 0:
            b = first_input + lowest(left)
            if inputs.port_bit[b] == into or inputs.out_port_bit[b] == out:
                requesting ^= left & -left
            left &= left - 1
    s.out_ports.pointer[row] = next_turn(turn, first, size, s.setup.switch_allocator)
    s.whole.asked.won[0] = won
