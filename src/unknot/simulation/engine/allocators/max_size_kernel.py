# mypy: ignore-errors
"""Matching of maximum size."""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
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
    while augment(s, n, inputs, turn):
        pass


@called
def augment(s, n, inputs, turn):
    """Enlarge the matching by one along a shortest augmenting path, if any."""
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
