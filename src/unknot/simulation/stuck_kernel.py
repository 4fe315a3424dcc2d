# mypy: ignore-errors
"""Which packets can never move again: the complement of a least fixpoint over the buffers."""

import numpy as np
from numba import njit, types

from unknot.simulation.layout import (
    BLOCKED,
    DEPTH,
    LENGTH,
    NUM_VCS,
    OUT,
    OWNER,
    READ,
    STALLED,
    STATE,
    STORED,
)
from unknot.simulation.state_kernel import STATE_TYPE, available, candidates, expand, need
from unknot.types_kernel import RULE


@njit(_nrt=False, forceinline=True)
def gives_way(s, w, stuck):
    """Whether a full or allocated VC may yet take another flit."""
    stored = s.inputs[w, STORED]
    return stored == 0 or not stuck[w] or (s.outputs[w, OWNER] >= 0 and stored < s.setup[DEPTH])


@njit(_nrt=False, forceinline=True)
def may_move(rule, s, v, stuck):
    """Whether the front flit of VC v, in a state that only others can end, still has a hope."""
    inputs, num_vcs = s.inputs, s.setup[NUM_VCS]
    if inputs[v, STATE] == STALLED:
        w = np.int64(inputs[v, OUT])
        return w >= num_vcs or inputs[w, STORED] < s.setup[DEPTH] or not stuck[w]
    p = np.int64(s.ring[v, inputs[v, READ]])
    count = candidates(rule, s, v, p)
    for k in range(count):
        first, many = expand(s, v, p, s.offered[k])
        if first >= num_vcs or many == 0:
            return True
        if available(s, first, need(s.setup, s.packets[p, LENGTH])) or gives_way(s, first, stuck):
            return True
    return count <= 0


@njit(types.int64(RULE, STATE_TYPE, types.boolean[::1]), cache=True, _nrt=False)
def find_stuck(rule, s, stuck):
    """Mark the VCs whose front packet can never move whatever happens; returns how many.

    A VC is cleared as soon as its front flit can move now, or soon by itself, or after a flit of a cleared VC has
    moved. What remains is the greatest set that waits only for itself. Passes go on until nothing changes.
    """
    inputs = s.inputs
    left = 0
    for v in range(stuck.size):
        state = inputs[v, STATE]
        stuck[v] = inputs[v, STORED] > 0 and (state == BLOCKED or state == STALLED)
        left += stuck[v]
    before = left + 1
    while 0 < left < before:
        before = left
        for v in range(stuck.size):
            if stuck[v] and may_move(rule, s, v, stuck):
                stuck[v] = False
                left -= 1
    return left
