# mypy: ignore-errors
"""Slots: whether a packet may enter a buffer whose room is counted in them, alone or in pools with other buffers.

A slot has room for one packet of the greatest length, or is a cell, of which a packet takes several; the flits that
a packet lacks of its slots are the slack of its buffer. Routers work one after the other, each with what those before
it did in this cycle, so that two of them never take the last slot of a pool at once. Slots of pools, and slack, that
are left count from the next cycle on: what a router finds does not depend on those that come after it.
"""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.codes import NO_CYCLE, SLOT_OF_BUFFER, SLOT_OF_MARK, SLOT_OF_POOL
from unknot.simulation.engine.state_kernel import packet_of, reader_of
from unknot.simulation.engine.view_kernel import view


@inlined
def settle_slack(s, w, now):
    """Take the slack of packets that left in an earlier cycle out of that of output row w."""
    if s.slots.left_in[w] < now:
        s.slots.slack[w] -= s.slots.left[w]
        s.slots.left[w] = 0


@inlined
def settle_pool(s, r, now):
    """Give back the slots of pool r that packets left in an earlier cycle."""
    if s.pools.left_in[r] < now:
        taken = np.int64(0)
        for m in range(s.pools.first[r], s.pools.end[r]):
            s.members.held[m] -= s.members.left[m]
            s.members.left[m] = 0
            taken += max(np.int64(0), s.members.held[m] - s.pools.own[r])
        s.pools.taken[r], s.pools.left_in[r] = taken, NO_CYCLE


@inlined
def is_hop(s, m, b):
    """Return whether a packet comes from input row b to a member by a hop within its pool."""
    for hop in range(s.members.first_hop[m], s.members.end_hop[m]):
        if s.hops[hop] == b:
            return True
    return False


@inlined
def may_enter(raw, b, w, now):
    """Return whether the packet in front of input row b may be allocated output row w, by its slots and pools."""
    s = view(raw)
    flits, m, kept = s.slots.flits[w], s.slots.member[w], np.int64(0)
    if flits == 0:
        return True
    settle_slack(s, w, now)
    free = (s.outputs.credits[w] - s.slots.slack[w]) // flits - (
        s.packets.length[packet_of(s, b)] + flits - 1
    ) // flits
    while m >= 0:
        if not is_hop(s, m, b):
            r = s.members.pool[m]
            keeps = s.pools.keeps[r] if s.members.guarded[m] == 1 else np.int64(0)
            if keeps == SLOT_OF_BUFFER:
                kept = np.int64(1)
            elif keeps == SLOT_OF_MARK:
                free -= s.pools.mark[r] == w
            if s.pools.limits[r] == 1:
                settle_pool(s, r, now)
                if s.members.held[m] >= s.pools.own[r]:
                    if s.pools.taken[r] + (keeps == SLOT_OF_POOL) >= s.pools.slots[r]:
                        return False
        m = s.members.next[m]
    # Who leaves a slot of this very buffer free leaves one for all pools; the others have looked before. A packet
    # that comes by a hop needs no more than the slot it takes: it leaves another one behind.
    return free >= kept


@inlined
def enter(raw, b, w, now):
    """Take slots of output row w for the packet in front of input row b; return whether they still let it.

    A mark whose slot a packet takes that comes by a hop goes back to the slot that this packet leaves.
    """
    s = view(raw)
    flits, m = s.slots.flits[w], s.slots.member[w]
    if flits == 0:
        return True
    if not may_enter(raw, b, w, now):
        return False
    # With fewer than two slots free this packet takes the last one, which is the marked one if the mark is here.
    last = s.outputs.credits[w] - s.slots.slack[w] < 2 * flits
    s.slots.slack[w] += -s.packets.length[packet_of(s, b)] % flits
    while m >= 0:
        r = s.members.pool[m]
        s.pools.taken[r] += s.members.held[m] >= s.pools.own[r]
        s.members.held[m] += 1
        if last and s.pools.mark[r] == w and is_hop(s, m, b):
            s.pools.mark[r] = s.out_row[s.inputs.at[b]]
        m = s.members.next[m]
    return True


@inlined
def leave(raw, b, now):
    """Free the slots of input row b whose tail was sent: in its pools from the next cycle on.

    In its buffer a slot is free when its last credit has come back.
    """
    s = view(raw)
    if s.inputs.at[b] >= s.setup.num_vcs:
        return 0
    w = s.out_row[s.inputs.at[b]]
    flits, m = s.slots.flits[w], s.slots.member[w]
    if flits > 0:
        settle_slack(s, w, now)
        s.slots.left[w] += -s.inputs.length[b] % flits
        s.slots.left_in[w] = now
    while m >= 0:
        r = s.members.pool[m]
        settle_pool(s, r, now)
        s.members.left[m] += 1
        s.pools.left_in[r] = now
        m = s.members.next[m]
    return 0


@inlined
def may_drain(s, w, stuck):
    """Return whether packets in the buffer of output row w may yet leave, or flits or credits are on their way."""
    reader = reader_of(s, w)
    if s.outputs.owner[w] >= 0 or s.outputs.credits[w] + s.inputs.stored[reader] != s.setup.depth:
        return True
    return s.inputs.stored[reader] > 0 and not stuck[s.buffer[reader]]


@inlined
def may_yet_enter(s, w, stuck):
    """Return whether a packet that is kept out of output row w may be let in later, by packets now inside.

    A slot that is marked, of an empty buffer, may be left by a mark when some other packet comes. A packet in a slot
    that its VC has for itself frees none of the pool.
    """
    if may_drain(s, w, stuck):
        return True
    m = s.slots.member[w]
    while m >= 0:
        r = s.members.pool[m]
        if s.pools.keeps[r] == SLOT_OF_MARK and s.inputs.stored[reader_of(s, w)] == 0:
            return True
        if s.pools.limits[r] == 1:
            own = s.pools.own[r]
            for other in range(s.pools.first[r], s.pools.end[r]):
                if (own == 0 or s.members.held[other] > own) and may_drain(s, s.members.row[other], stuck):
                    return True
        m = s.members.next[m]
    return False
