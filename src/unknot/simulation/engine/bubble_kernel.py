# mypy: ignore-errors
"""Bubble flow control: whether a packet may enter a ring, and the room and the marked slot that rings keep.

Room is counted in slots of one packet of the greatest length; a shorter one takes a slot too, and the flits that it
lacks are the slack of its buffer. Routers work one after the other, each with what those before it did in this
cycle, so that two of them never take the last slot of a ring at once. A slot that is left counts from the next cycle
on: what a router finds does not depend on those that come after it.
"""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.codes import CRITICAL, GLOBAL, LOCALISED
from unknot.simulation.engine.state_kernel import packet_of
from unknot.simulation.engine.view_kernel import view


@inlined
def settle_ring(s, r, now):
    """Take the slots of ring r that were left in an earlier cycle out of those that are taken."""
    if s.rings.left_in[r] < now:
        s.rings.taken[r] -= s.rings.left[r]
        s.rings.left[r] = 0


@inlined
def may_enter(raw, b, w, now):
    """Return whether the packet in front of input row b may be allocated output row w, by the rule of its rings."""
    s = view(raw)
    m, rule, guarded = s.first_member[w], s.setup.bubble, np.int64(0)
    if m < 0:
        return True
    free = (s.outputs.credits[w] - s.members.slack[m]) // s.setup.slot
    while m >= 0:
        if s.members.guarded[m] == 1 and s.members.before[m] != b:
            r, guarded = s.members.ring[m], np.int64(1)
            if rule == CRITICAL:
                free -= s.rings.mark[r] == w
            elif rule == GLOBAL:
                settle_ring(s, r, now)
                if s.rings.taken[r] + 2 > s.rings.slots[r]:
                    return False
        m = s.members.next[m]
    # By the localised rule who enters a ring leaves a slot of this very buffer free; the others have looked before.
    # A packet that stays in its ring needs no more than the slot it takes: it leaves another one behind.
    return free > (guarded if rule == LOCALISED else 0)


@inlined
def enter(raw, b, w, now):
    """Take a slot of output row w for the packet in front of input row b; return whether the rule still lets it.

    A mark whose slot a packet of its ring takes goes back to the slot that this packet leaves.
    """
    s = view(raw)
    m = s.first_member[w]
    if m < 0:
        return True
    if not may_enter(raw, b, w, now):
        return False
    # With fewer than two slots free this packet takes the last one, which is the marked one if the mark is here.
    last = s.outputs.credits[w] - s.members.slack[m] < 2 * s.setup.slot
    s.members.slack[m] += s.setup.slot - s.packets.length[packet_of(s, b)]
    while m >= 0:
        r = s.members.ring[m]
        s.rings.taken[r] += 1
        if last and s.rings.mark[r] == w and s.members.before[m] == b:
            s.rings.mark[r] = s.out_row[s.inputs.at[b]]
        m = s.members.next[m]
    return True


@inlined
def leave(raw, b, now):
    """Free the slot of input row b whose tail was sent: in its rings from the next cycle on.

    In its buffer the slot is free when the credit of the tail has come back.
    """
    s = view(raw)
    if s.inputs.at[b] >= s.setup.num_vcs:
        return 0
    m = s.first_member[s.out_row[s.inputs.at[b]]]
    if m >= 0:
        s.members.slack[m] -= s.setup.slot - s.inputs.length[b]
    while m >= 0:
        r = s.members.ring[m]
        settle_ring(s, r, now)
        s.rings.left[r] += 1
        s.rings.left_in[r] = now
        m = s.members.next[m]
    return 0


@inlined
def is_settled(s, w):
    """Return whether no flit is on its way into the buffer of output row w, and no credit on its way back."""
    reader = s.outputs.reader[w]
    return s.outputs.owner[w] < 0 and s.outputs.credits[w] + s.inputs.stored[reader] == s.setup.depth


@inlined
def may_drain(s, w, stuck):
    """Return whether the packets in the buffer of output row w may yet leave it, or are on their way."""
    reader = s.outputs.reader[w]
    return not is_settled(s, w) or (s.inputs.stored[reader] > 0 and not stuck[s.buffer[reader]])


@inlined
def may_yet_enter(s, b, w, stuck):
    """Return whether a packet that its rings keep out of output row w may be let in later, by packets now inside.

    A slot that is marked, of an empty buffer, may be left by a mark when some other packet comes.
    """
    if may_drain(s, w, stuck) or (s.setup.bubble == CRITICAL and s.inputs.stored[s.outputs.reader[w]] == 0):
        return True
    m = s.first_member[w]
    while m >= 0 and s.setup.bubble == GLOBAL:
        r = s.members.ring[m]
        for other in range(s.rings.first[r], s.rings.end[r]):
            if may_drain(s, s.members.row[other], stuck):
                return True
        m = s.members.next[m]
    return False
