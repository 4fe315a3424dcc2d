# mypy: ignore-errors
"""The lonely output allocator."""

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, lowest, none
from unknot._base.kernels.types_kernel import called, inlined
from unknot.simulation.engine.matrix_kernel import grant_matched, join, number_requests
from unknot.simulation.engine.rows_kernel import (
    input_row,
    match_ports,
    match_vcs,
    output_row,
    requested,
    rivals_for,
)
from unknot.simulation.engine.selection_kernel import in_turn
from unknot.simulation.engine.view_kernel import view


@inlined
def match(raw, n, w0, w1, of_switch, now):
    """Match the first n requests of the router of words w0 to w1."""
    s = view(raw)
    inputs, outputs = number_requests(s, n, w0, of_switch)
    loa(s, n, inputs, outputs, w0, of_switch != 0)
    grant_matched(s, n)


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


@inlined
def next_of(pointer, many):
    """Return a pointer moved on by one, going round."""
    return pointer + 1 if pointer + 1 < many else np.int64(0)


@inlined
def match_rows(s, at, ends):
    """Match `ends`, see `rows_kernel`: the same with outputs counted in planes, as on paper."""
    rows, planes, width, many, left = s.whole.wants.row, s.whole.wants.digit, s.setup.width, np.int64(0), ends
    while left != 0:
        carry, k = rows[lowest(left) * width], np.int64(0)
        left &= left - 1
        while carry != 0:
            if k == many:
                planes[k * width], many = none(carry), many + 1
            plane = planes[k * width]
            planes[k * width] = plane ^ carry
            carry &= plane
            k += 1
    left = ends
    while left != 0:
        into = lowest(left)
        left &= left - 1
        # From the highest digit of the counts down, outputs with a 0 there have fewer requests than the others.
        mask, k = rows[into * width], many
        while k > 0:
            k -= 1
            fewer = mask & ~planes[k * width]
            mask = fewer if fewer != 0 else mask
        rows[into * width] = bit_at(mask, in_turn(mask, at.input_pointer[input_row(s, at, into)]))
    _, twice = requested(s, ends)
    while twice != 0:
        bit = twice & -twice
        rivals = rivals_for(s, ends, bit)
        rivals ^= bit_at(rivals, in_turn(rivals, at.output_pointer[output_row(s, at, lowest(bit))]))
        ends ^= rivals
        while rivals != 0:
            rows[lowest(rivals) * width] = none(rivals)
            rivals &= rivals - 1
        twice ^= bit
    while ends != 0:
        into = lowest(ends)
        ends &= ends - 1
        u, w = input_row(s, at, into), output_row(s, at, lowest(rows[into * width]))
        at.input_pointer[u] = next_of(at.input_pointer[u], at.outputs)
        at.output_pointer[w] = next_of(at.output_pointer[w], at.inputs)


@inlined
def sweep_vcs(s, w, now):
    """Match headers of the router of word w to outputs, as `match_vcs` does."""
    match_vcs(s, w, now, match_rows, True)


@inlined
def sweep_switch(s, w, now):
    """Match the ports of input VCs of the router of word w, as `match_ports` does."""
    match_ports(s, w, now, match_rows, True)
