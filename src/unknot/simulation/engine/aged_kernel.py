# mypy: ignore-errors
"""Wavefront allocation of the fast path with priorities: the best priority first, then the next diagonal."""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.match_kernel import age_key
from unknot.simulation.engine.state_kernel import packet_of
from unknot.simulation.engine.sweep_kernel import next_turn, output_on, renumbered, turned
from unknot.simulation.engine.view_kernel import view

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
    s.contest.key[at] = (s.contest.key[at] >> SEVEN << SEVEN) | lowest(s.wants.row[at])


@inlined
def sweep_vcs(raw, requesters, w, now):
    """Match headers of the router of word w to outputs; each `requested` becomes the match or 0."""
    s = view(raw)
    contest, wants, ordinals, cell, left = s.contest, s.wants, s.ordinals, 64 * w, requesters
    size, row = np.int64(max(ordinals.inputs[cell], ordinals.outputs[cell])), s.words.first_output[w]
    turn, first, absent = s.outputs.grant_pointer[row], np.int64(-1), ordinals.absent[cell] > 0
    while left != 0:
        at = lowest(left)
        left &= left - 1
        mask, shift = wants.requested[at], ordinals.vc[cell + at] - turn
        mask = renumbered(ordinals.out_vc, cell, mask) if absent else mask
        shift += size if shift < 0 else 0
        contest.number[at], wants.row[at], wants.requested[at] = shift, turned(mask, shift, size), 0
        contest.key[at] = age_key(s, now, contest.packet[at])
        rank(s, at)
    while requesters != 0:
        best = best_of(s, requesters)
        diagonal = lowest(wants.row[best])
        first = diagonal if first < 0 else first
        out = output_on(contest, best, diagonal, size)
        wants.requested[best] = np.int64(1) << (ordinals.cell[cell + out] if absent else out)
        requesters ^= np.int64(1) << best
        left = requesters
        while left != 0:
            at, bit = lowest(left), left & -left
            left ^= bit
            place = out + contest.number[at]
            wants.row[at] &= ~(np.int64(1) << (place - size if place >= size else place))
            if wants.row[at] == 0:
                requesters ^= bit
            else:
                rank(s, at)
    s.outputs.grant_pointer[row] = next_turn(turn, first, size, s.setup.allocator)


@inlined
def sweep_switch(raw, requesting, w, now):
    """Match the ports of input VCs of the router of word w; ``count.won`` are the VCs that win.

    Of a pair of ports the VC of the best priority comes first, then the next in turn; so VCs are matched directly.
    """
    s = view(raw)
    cell, contest, ordinals, inputs = 64 * w, s.contest, s.ordinals, s.inputs
    first_input, row = s.words.first_input[w], s.words.first_output[w]
    size, turn = np.int64(max(ordinals.entries[cell], ordinals.exits[cell])), s.out_ports.pointer[row]
    left, won, first = requesting, np.int64(0), np.int64(-1)
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
        won |= np.int64(1) << best
        first = (contest.key[best] >> SEVEN) & ((1 << SEVEN) - 1) if first < 0 else first
        into, out, left = inputs.port_bit[first_input + best], inputs.out_port_bit[first_input + best], requesting
        while left != 0:
            b = first_input + lowest(left)
            if inputs.port_bit[b] == into or inputs.out_port_bit[b] == out:
                requesting ^= left & -left
            left &= left - 1
    s.out_ports.pointer[row] = next_turn(turn, first, size, s.setup.switch_allocator)
    s.count.won = won
