# mypy: ignore-errors
"""Wavefront allocation (Tamir & Chi 1993) of a router whose inputs and outputs are bits of a mask.

A row of the matrix of requests, turned by the number of its input, says on which diagonals the input has requests.
Cells of a diagonal share neither input nor output, so their order among themselves does not matter; taking the row
with the lowest diagonal again and again is therefore the same as sweeping the diagonals.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, lowest, none, ones
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.allocators.registry import RR_WAVEFRONT
from unknot.simulation.engine.match_kernel import CYCLIC


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
    contest, rows, width, left = s.contest, s.whole.wants.requested, s.setup.width, ends
    none_yet = 64 * width
    once, twice, first = none(ends), none(ends), none_yet
    while left != 0:
        at = lowest(left)
        left &= left - 1
        shift = contest.number[at] - turn
        shift += size if shift < 0 else 0
        mask = rows[at * width]
        twice |= once & mask
        once |= mask
        # From here on `number` is how far the row is turned: the cell of an output lies on diagonal out + number.
        contest.number[at], rows[at * width] = shift, turned(mask, shift, size)
    if twice == 0:
        # Nobody competes, so each is matched on the first of its diagonals.
        while ends != 0:
            at = lowest(ends)
            ends &= ends - 1
            diagonal = lowest(rows[at * width])
            first = min(first, diagonal)
            rows[at * width] = bit_at(once, output_on(contest, at, diagonal, size))
        return first
    while ends != 0:
        best, diagonal, left = np.int64(0), none_yet, ends
        while left != 0:
            at = lowest(left)
            left &= left - 1
            if lowest(rows[at * width]) < diagonal:
                best, diagonal = at, lowest(rows[at * width])
        first = min(first, diagonal)
        ends ^= bit_at(ends, best)
        out = output_on(contest, best, diagonal, size)
        rows[best * width] = bit_at(once, out)
        left = ends
        while left != 0:
            at, bit = lowest(left), left & -left
            left ^= bit
            place = out + contest.number[at]
            mask = rows[at * width] & ~bit_at(once, place - size if place >= size else place)
            rows[at * width] = mask
            if mask == 0:
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
    moved = none(mask)
    while mask != 0:
        moved |= bit_at(mask, numbers[cell + lowest(mask)])
        mask &= mask - 1
    return moved


@inlined
def sweep_vcs(s, w, now):
    """Match headers of the router of word w to outputs; each `requested` becomes the match or 0."""
    requesters, rows, width = s.whole.asked.ends[0], s.whole.wants.requested, s.setup.width
    left, cell, row = requesters, 64 * w, s.words.first_output[w]
    size = np.int64(max(s.ordinals.inputs[cell], s.ordinals.outputs[cell]))
    turn = s.outputs.grant_pointer[row]
    while left != 0:
        at = lowest(left)
        left &= left - 1
        s.contest.number[at] = s.ordinals.vc[cell + at]
        if s.ordinals.absent[cell] > 0:
            rows[at * width] = renumbered(s.ordinals.out_vc, cell, rows[at * width])
    s.outputs.grant_pointer[row] = next_turn(turn, sweep(s, requesters, turn, size), size, s.setup.allocator)
    left = requesters if s.ordinals.absent[cell] > 0 else none(requesters)
    while left != 0:
        at = lowest(left)
        left &= left - 1
        rows[at * width] = renumbered(s.ordinals.cell, cell, rows[at * width])


@inlined
def sweep_switch(s, w, now):
    """Match the ports of input VCs of the router of word w; ``asked.won`` are the VCs that win."""
    requesting, rows, width = s.whole.asked.ends[0], s.whole.wants.requested, s.setup.width
    cell, contest, first_input = 64 * w, s.contest, s.words.first_input[w]
    size, row = np.int64(max(s.ordinals.entries[cell], s.ordinals.exits[cell])), s.words.first_output[w]
    ports, outs, won, shared = none(requesting), none(requesting), none(requesting), none(requesting)
    left = requesting
    while left != 0:
        b = first_input + lowest(left)
        left &= left - 1
        into, out = s.inputs.port_bit[b], s.ordinals.out[cell + s.inputs.out_port_bit[b]]
        port, bit = bit_at(ports, into), bit_at(outs, out)
        shared |= (ports & port) | (outs & bit)  # not 0 if a port has come before, of any of them
        if ports & port == 0:
            rows[into * width], contest.number[into] = none(bit), s.ordinals.into[cell + into]
            ports |= port
        rows[into * width] |= bit
        outs |= bit
    turn, first = s.out_ports.pointer[row], np.int64(0)
    if shared != 0 or s.setup.switch_allocator == RR_WAVEFRONT:
        first = sweep(s, ports, turn, size)
    s.out_ports.pointer[row] = next_turn(turn, first, size, s.setup.switch_allocator)
    if shared == 0:
        s.whole.asked.won[0] = requesting
        return
    ports, left = none(requesting), requesting
    # Of the VCs of a pair that was matched the one next in turn is put forward.
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        b = first_input + at
        into, out = s.inputs.port_bit[b], s.ordinals.out[cell + s.inputs.out_port_bit[b]]
        port = bit_at(ports, into)
        if rows[into * width] & bit_at(ports, out) == 0:
            continue
        key = (at - s.in_ports.vc_pointer[first_input + into]) & CYCLIC
        if ports & port != 0:
            if key > contest.key[into]:
                continue
            won ^= bit_at(won, contest.bidder[into])
        ports |= port
        won |= bit
        contest.bidder[into], contest.key[into] = at, key
    s.whole.asked.won[0] = won
