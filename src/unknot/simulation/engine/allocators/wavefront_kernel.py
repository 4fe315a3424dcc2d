# mypy: ignore-errors
"""Wavefront allocation with any number of VCs."""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot.simulation.engine.allocators.registry import RR_WAVEFRONT
from unknot.simulation.engine.matrix_kernel import (
    grant_matched,
    in_order_of_keys,
    join,
    number_requests,
    set_turn,
    turn_of,
)
from unknot.simulation.engine.view_kernel import view


@inlined
def match(raw, n, w0, w1, of_switch, now):
    """Match the first n requests of the router of words w0 to w1."""
    s = view(raw)
    kind = s.setup.switch_allocator if of_switch != 0 else s.setup.allocator
    inputs, outputs = number_requests(s, n, w0, of_switch)
    square, turn = max(inputs, outputs), turn_of(s, w0, of_switch)
    diagonal = wavefront(s, n, square, turn)
    set_turn(s, w0, of_switch, ((diagonal if kind == RR_WAVEFRONT else turn) + 1) % square)
    grant_matched(s, n)


@called
def wavefront(s, n, square, turn):
    """Match along the diagonals of the matrix of requests, from `turn` on, the best priority first.

    Returns the diagonal of the first match.
    """
    cells, first = s.cells, np.int64(-1)
    for i in range(n):
        # Cells of a diagonal share neither input nor output, so their order among themselves does not matter; a
        # sweep of the diagonals is therefore the same as taking requests in the order of these keys.
        diagonal = np.int64(cells.into[i] + cells.out[i] - turn)
        diagonal += square if diagonal < 0 else -square if diagonal >= square else 0
        cells.key[i] = s.requests.age[i] | diagonal
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
