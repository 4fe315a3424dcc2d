# mypy: ignore-errors
"""Packets that can never move again: the complement of a least fixpoint over the buffers."""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.candidate_kernel import ask_rule, ends_of
from unknot.simulation.engine.codes import BLOCKED, MOVING, STALLED, TAIL
from unknot.simulation.engine.pool_kernel import may_yet_enter
from unknot.simulation.engine.state_kernel import available, has_room, need, packet_of, reader_of
from unknot.simulation.engine.view_kernel import view


@inlined
def gives_way(s, w, reader, stuck):
    """Return whether a full or allocated VC may yet take another flit."""
    if s.inputs.stored[reader] == 0 or not stuck[s.buffer[reader]]:
        return True
    claims = s.setup.entry == TAIL and s.setup.claim > 0
    return (claims or s.outputs.owner[w] >= 0) and takes_more(s, w, reader, stuck)


@inlined
def takes_more(s, w, reader, stuck):
    """Return whether a buffer with flits, read by `reader`, has a slot, or may yet get a shared one."""
    if s.inputs.stored[reader] < s.setup.depth:
        return True
    if s.setup.shared == 0 or s.inputs.stored[reader] >= s.setup.depth + s.setup.most:
        return False
    port, left = s.outputs.port[w], np.int64(0)
    for low in range(port, s.outputs.size):
        if s.outputs.port[low] != port:
            break
        there = reader_of(s, low)
        beyond = max(np.int64(0), s.inputs.stored[there] - s.setup.depth)
        left += s.setup.shared - beyond
        if beyond > 0 and not stuck[s.buffer[there]]:
            return True
    return left > 0


@inlined
def may_move(rule, s, b, stuck):
    """Return whether the front flit of input row b, in a state that only others can end, may yet move."""
    inputs = s.inputs
    if inputs.state[b] >= STALLED:
        w = inputs.out[b]
        reader = reader_of(s, w)
        return reader < 0 or not stuck[s.buffer[reader]] or takes_more(s, w, reader, stuck)
    p = packet_of(s, b)
    count = ask_rule(rule, s, b, p)
    for k in range(count):
        w, many = ends_of(s, b, s.packets.address[p], s.candidates[k])
        if many == 0 or reader_of(s, w) < 0:
            return True
        if available(s, b, w, need(s.setup, s.packets.length[p]), s.count.now):
            return True
        if s.setup.slotted != 0:
            if may_yet_enter(s, w, stuck):
                return True
        elif gives_way(s, w, reader_of(s, w), stuck):
            return True
    return count <= 0


@inlined
def find_stuck(rule, raw, stuck):
    """Mark the VCs whose front packet can never move whatever happens; return how many.

    A VC is cleared as soon as its front flit can move now, or soon by itself, or after a flit of a cleared VC has
    moved. What remains is the greatest set that waits only for itself. Passes go on until nothing changes.
    """
    s = view(raw)
    left = 0
    for v in range(stuck.size):
        b = s.in_row[v]
        state = s.inputs.state[b]
        waits = state == BLOCKED or state == STALLED
        if state == MOVING and s.setup.shared > 0:
            waits = not has_room(s, s.inputs.out[b])
        stuck[v] = s.inputs.stored[b] > 0 and waits
        left += stuck[v]
    before = left + 1
    # A clearing can only make others possible, so the order of the VCs does not change what is left.
    while 0 < left < before:
        before = left
        for v in range(stuck.size):
            if stuck[v] and may_move(rule, s, s.in_row[v], stuck):
                stuck[v] = False
                left -= 1
    return left
