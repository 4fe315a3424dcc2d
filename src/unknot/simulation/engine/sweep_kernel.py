# mypy: ignore-errors
"""Wavefront allocation (Tamir & Chi 1993) of a router whose inputs and outputs are bits of a word.

A row of the matrix of requests, turned by the number of its input, says on which diagonals the input has requests.
Cells of a diagonal share neither input nor output, so their order among themselves does not matter; taking the row
with the lowest diagonal again and again is therefore the same as sweeping the diagonals.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest, ones
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.allocators.registry import RR_WAVEFRONT
from unknot.simulation.engine.match_kernel import CYCLIC
from unknot.simulation.engine.view_kernel import view


@inlined
def turned(mask, shift, size):
    """Return a mask of `size` bits with each bit moved up by `shift` < `size`, going round."""
    if shift == 0:
        return mask
    # The shift to the right copies the sign; `ones` takes the copies off.
    return ((mask << shift) & ones(mask, size)) | ((mask >> (size - shift)) & ones(mask, shift))


@inlined
def output_on(contest, at, diagonal, size):
    """Return the output of an input on a diagonal."""
    out = diagonal - contest.number[at]
    return out + size if out < 0 else out


@inlined
def sweep(s, ends, turn, size):
    """Match `ends`, whose `requested` is cut down to the match or 0; return the diagonal of the first match."""
    contest, wants, first, left = s.contest, s.wants, np.int64(64), ends
    once, twice = np.int64(0), np.int64(0)
    while left != 0:
        at = lowest(left)
        left &= left - 1
        shift = contest.number[at] - turn
        shift += size if shift < 0 else 0
        twice |= once & wants.requested[at]
        once |= wants.requested[at]
        # From here on `number` is how far the row is turned: the cell of an output lies on diagonal out + number.
        contest.number[at], wants.requested[at] = shift, turned(wants.requested[at], shift, size)
    if twice == 0:
        # Nobody competes, so each is matched on the first of its diagonals.
        while ends != 0:
            at = lowest(ends)
            ends &= ends - 1
            first = min(first, lowest(wants.requested[at]))
            wants.requested[at] = np.int64(1) << output_on(contest, at, lowest(wants.requested[at]), size)
        return first
    while ends != 0:
        best, diagonal, left = 0, np.int64(64), ends
        while left != 0:
            at = lowest(left)
            left &= left - 1
            if lowest(wants.requested[at]) < diagonal:
                best, diagonal = at, lowest(wants.requested[at])
        first = min(first, diagonal)
        ends ^= np.int64(1) << best
        out = output_on(contest, best, diagonal, size)
        wants.requested[best] = np.int64(1) << out
        left = ends
        while left != 0:
            at, bit = lowest(left), left & -left
            left ^= bit
            place = out + contest.number[at]
            wants.requested[at] &= ~(np.int64(1) << (place - size if place >= size else place))
            if wants.requested[at] == 0:
                ends ^= bit
    return first


@inlined
def next_turn(turn, first, size, allocator):
    """Return the next first diagonal: the successor of the current one, or of the first match."""
    turn += 1 + (first if allocator == RR_WAVEFRONT else 0)
    return turn - size if turn >= size else turn


@inlined
def renumbered(numbers, cell, mask):
    """Return a mask with its bits at their numbers, which stand in a column from `cell` on."""
    moved = np.int64(0)
    while mask != 0:
        moved |= np.int64(1) << numbers[cell + lowest(mask)]
        mask &= mask - 1
    return moved


@inlined
def sweep_vcs(raw, requesters, w, now):
    """Match headers of the router of word w to outputs; each `requested` becomes the match or 0."""
    s = view(raw)
    left = requesters
    cell, row = 64 * w, s.words.first_output[w]
    size = np.int64(max(s.ordinals.inputs[cell], s.ordinals.outputs[cell]))
    turn = s.outputs.grant_pointer[row]
    while left != 0:
        at = lowest(left)
        left &= left - 1
        s.contest.number[at] = s.ordinals.vc[cell + at]
        if s.ordinals.absent[cell] > 0:
            s.wants.requested[at] = renumbered(s.ordinals.out_vc, cell, s.wants.requested[at])
    s.outputs.grant_pointer[row] = next_turn(turn, sweep(s, requesters, turn, size), size, s.setup.allocator)
    left = requesters if s.ordinals.absent[cell] > 0 else np.int64(0)
    while left != 0:
        at = lowest(left)
        left &= left - 1
        s.wants.requested[at] = renumbered(s.ordinals.cell, cell, s.wants.requested[at])


@inlined
def sweep_switch(raw, requesting, w, now):
    """Match the ports of input VCs of the router of word w; ``count.won`` are the VCs that win."""
    s = view(raw)
    cell, contest, wants, first_input = 64 * w, s.contest, s.wants, s.words.first_input[w]
    size, row = np.int64(max(s.ordinals.entries[cell], s.ordinals.exits[cell])), s.words.first_output[w]
    ports, outs, shared, won, left = np.int64(0), np.int64(0), np.int64(0), np.int64(0), requesting
    while left != 0:
        b = first_input + lowest(left)
        left &= left - 1
        into, out = s.inputs.port_bit[b], s.ordinals.out[cell + s.inputs.out_port_bit[b]]
        shared |= ((ports >> into) | (outs >> out)) & 1  # whether a port has come before, of any of them
        if (ports >> into) & 1 == 0:
            wants.requested[into], contest.number[into] = 0, s.ordinals.into[cell + into]
            ports |= np.int64(1) << into
        wants.requested[into] |= np.int64(1) << out
        outs |= np.int64(1) << out
    turn, first = s.out_ports.pointer[row], np.int64(0)
    if shared != 0 or s.setup.switch_allocator == RR_WAVEFRONT:
        first = sweep(s, ports, turn, size)
    s.out_ports.pointer[row] = next_turn(turn, first, size, s.setup.switch_allocator)
    if shared == 0:
        s.count.won = requesting
        return
    ports, left = np.int64(0), requesting
    # Of the VCs of a pair that was matched the one next in turn is put forward.
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        b = first_input + at
        into, out = s.inputs.port_bit[b], s.ordinals.out[cell + s.inputs.out_port_bit[b]]
        if (wants.requested[into] >> out) & 1 == 0:
            continue
        key = (at - s.in_ports.vc_pointer[first_input + into]) & CYCLIC
        if (ports >> into) & 1:
            if key > contest.key[into]:
                continue
            won ^= np.int64(1) << contest.bidder[into]
        ports |= np.int64(1) << into
        won |= bit
        contest.bidder[into], contest.key[into] = at, key
    s.count.won = won
