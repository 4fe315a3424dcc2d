# mypy: ignore-errors
"""Matching of maximum size."""

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, lowest, none
from unknot._base.kernels.types_kernel import called, inlined
from unknot.simulation.engine.matrix_kernel import (
    grant_matched,
    in_order_of_keys,
    join,
    number_requests,
    set_turn,
    turn_of,
)
from unknot.simulation.engine.rows_kernel import match_ports, match_vcs
from unknot.simulation.engine.view_kernel import view


@inlined
def match(raw, n, w0, w1, of_switch, now):
    """Match the first n requests of the router of words w0 to w1."""
    s = view(raw)
    inputs, _ = number_requests(s, n, w0, of_switch)
    turn = turn_of(s, w0, of_switch)
    maximum(s, n, inputs, turn)
    set_turn(s, w0, of_switch, (turn + 1) % inputs)
    grant_matched(s, n)


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
    if not have_rivals(s, n):
        for i in range(n):
            if pairing.mate[cells.into[i]] < 0:
                join(s, cells.into[i], cells.key[pairing.start[cells.into[i]]] & 0x7FFFFFFF)
        return
    while augment(s, n, inputs, turn):
        pass


@called
def have_rivals(s, n):
    """Return whether two of the first n requests are for the same output."""
    cells, pairing, rivals = s.cells, s.pairing, False
    for i in range(n):
        pairing.origin[cells.out[i]] = -1
    for i in range(n):
        rivals = rivals or pairing.origin[cells.out[i]] == 0
        pairing.origin[cells.out[i]] = 0
    return rivals


@called
def augment(s, n, inputs, turn):
    """Enlarge the matching by one along a shortest augmenting path, if any."""
    cells, pairing, waiting, free = s.cells, s.pairing, np.int64(0), False
    for k in range(n):
        pairing.origin[cells.out[k]] = -1
        free = free or pairing.other[cells.out[k]] < 0
    if not free:
        return False
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
            shift(s, into, out)
            return True
    return False


@inlined
def shift(s, into, out):
    """Match a free output to the last input of a path, and along the path each output to the input before.

    Returns the input that was free.
    """
    pairing = s.pairing
    while True:
        before = pairing.mate[into]
        join(s, into, out)
        if before < 0:
            return into
        out, into = before, pairing.origin[before]


@inlined
def match_rows(s, at, ends):
    """Match `ends`, see `rows_kernel`: the same paths, a row of outputs at a time."""
    pairing, rows, width, left = s.pairing, s.whole.wants.row, s.setup.width, ends
    turn = at.output_pointer[at.first_output]
    at.output_pointer[at.first_output] = turn + 1 if turn + 1 < at.inputs else 0
    if at.twice == 0:
        while ends != 0:
            rows[lowest(ends) * width] &= -rows[lowest(ends) * width]
            ends &= ends - 1
        return
    while left != 0:
        pairing.mate[lowest(left)] = -1
        left &= left - 1
    free, waits = at.once, ends
    # Where no input or no output is free there is no path, and no need to look for one.
    while waits != 0 and free != 0:
        unseen, next_free, waiting, done = at.once, waits & -bit_at(waits, turn), np.int64(0), np.int64(0)
        later = waits ^ next_free
        while True:
            if next_free == 0:
                next_free, later = later, none(later)
            if next_free != 0:
                into = lowest(next_free)
                next_free &= next_free - 1
            elif done < waiting:
                into = pairing.queue[done]
                done += 1
            else:
                into = np.int64(-1)
                break
            reached = rows[into * width] & unseen
            unseen ^= reached
            if reached & free != 0:
                break
            while reached != 0:
                out = lowest(reached)
                reached &= reached - 1
                pairing.origin[out], pairing.queue[waiting] = into, pairing.other[out]
                waiting += 1
        if into < 0:
            break
        out = lowest(reached & free)
        free ^= bit_at(free, out)
        waits ^= bit_at(waits, shift(s, into, out))
    while ends != 0:
        into = lowest(ends)
        ends &= ends - 1
        mate = pairing.mate[into]
        rows[into * width] = none(ends) if mate < 0 else bit_at(ends, mate)


@inlined
def sweep_vcs(s, w, now):
    """Match headers of the router of word w to outputs, as `match_vcs` does."""
    match_vcs(s, w, now, match_rows, True)


@inlined
def sweep_switch(s, w, now):
    """Match the ports of input VCs of the router of word w, as `match_ports` does."""
    match_ports(s, w, now, match_rows, True)
