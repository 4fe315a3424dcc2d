# mypy: ignore-errors
"""Packets that can never move again: the complement of a least fixpoint over the buffers."""

import numpy as np
from numba import njit, types

from unknot.simulation.engine.state import BLOCKED, STALLED
from unknot.simulation.engine.state_kernel import ask_rule, available, need, outputs_of, packet_of
from unknot.simulation.engine.view_kernel import view
from unknot.types_kernel import RULE
from unknot.words_kernel import natural


@njit(_nrt=False, forceinline=True)
def gives_way(s, w, reader, stuck):
    """Return whether a full or allocated VC may yet take another flit."""
    stored = s.inputs.stored[reader]
    return stored == 0 or not stuck[s.buffer[reader]] or (s.outputs.owner[w] >= 0 and stored < s.setup.depth)


@njit(_nrt=False, forceinline=True)
def may_move(rule, s, b, stuck):
    """Return whether the front flit of input row b, in a state that only others can end, may yet move."""
    inputs = s.inputs
    if inputs.state[b] == STALLED:
        reader = np.int64(s.outputs.reader[natural(inputs.out[b])])
        return reader < 0 or inputs.stored[reader] < s.setup.depth or not stuck[s.buffer[reader]]
    p = packet_of(s, b)
    count = ask_rule(rule, s, b, p)
    for k in range(count):
        w, many = outputs_of(s, s.packets.address[p], s.candidates[k])
        if many == 0 or s.outputs.reader[w] < 0:
            return True
        if available(s, w, need(s.setup, s.packets.length[p])):
            return True
        if gives_way(s, w, natural(s.outputs.reader[w]), stuck):
            return True
    return count <= 0


@njit(types.int64(RULE, types.int64[::1], types.boolean[::1]), cache=True, nogil=True, _nrt=False)
def find_stuck(rule, raw, stuck):
    """Mark the VCs whose front packet can never move whatever happens; return how many.

    A VC is cleared as soon as its front flit can move now, or soon by itself, or after a flit of a cleared VC has
    moved. What remains is the greatest set that waits only for itself. Passes go on until nothing changes.
    """
    s = view(raw)
    left = 0
    for v in range(stuck.size):
        b = natural(s.in_row[v])
        state = s.inputs.state[b]
        stuck[v] = s.inputs.stored[b] > 0 and (state == BLOCKED or state == STALLED)
        left += stuck[v]
    before = left + 1
    while 0 < left < before:
        before = left
        for v in range(stuck.size):
            if stuck[v] and may_move(rule, s, natural(s.in_row[v]), stuck):
                stuck[v] = False
                left -= 1
    return left
