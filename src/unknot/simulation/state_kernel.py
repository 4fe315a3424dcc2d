# mypy: ignore-errors
"""What the simulation kernels share: the type of the state, and what a header may ask for."""

import numpy as np
from numba import njit, types

from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK
from unknot.simulation.layout import (
    ADDRESS,
    ATOMIC,
    BLOCKED,
    CREDITS,
    DEPTH,
    FIRST_WORD,
    HOLD,
    HOPS,
    LAST_WORD,
    LEAVES,
    LOCAL,
    MASK,
    NONATOMIC,
    NUM_VCS,
    OUT,
    OWNER,
    PARTS,
    PLACE,
    SCRIPT,
    STANDS,
    STATE,
    STOP,
    TECHNIQUE,
    WRITE,
    State,
)
from unknot.simulation.words_kernel import atomic_or, natural
from unknot.types_kernel import RULE

_I1, _I2 = types.int32[::1], types.int32[:, ::1]
_L1, _L2 = types.int64[::1], types.int64[:, ::1]
_TYPES = {
    "int64 1": "setup count pair_first address_range keep other latencies offered",
    "int32 1": "words free local_terminals terminal_first destination addresses direct script wanted touched",
    "int64 2": "sending masks progress packets terminals lengths best asked",
    "int32 2": "inputs outputs wire ring receiving buffers",
    "int64 3": "inbox outside",
    "uint64 1": "random",
}
_KIND = {
    "int64 1": _L1,
    "int32 1": _I1,
    "int64 2": _L2,
    "int32 2": _I2,
    "int64 3": types.int64[:, :, ::1],
    "uint64 1": types.uint64[::1],
}
_TYPE = {name: _KIND[kind] for kind, names in _TYPES.items() for name in names.split()}
STATE_TYPE = types.NamedTuple(tuple(_TYPE[name] for name in State._fields), State)

DONE, FULL, QUIET, BROKEN_RULE, DEAD_END = range(5)
"""How a kernel call ended: cycle reached; room for latencies used up; nothing moves any more; the rule failed or gave
what it must not; a header has no candidate (place in ``count[WHERE]``)."""


@njit(types.void(RULE, types.int64[::1], types.int64[::1], types.int64[::1]), cache=True, _nrt=False)
def served(rule, place, offered, count):
    """Number of candidates of the packet to each address at its place, into `count`; −1 where the rule fails."""
    pointer = np.int64(offered.ctypes.data)
    for address in range(place.size):
        count[address] = rule(place[address], address, pointer)


@njit(_nrt=False, forceinline=True)
def post(s, cycle, cell, column):
    """Set the bit of a cell in the inbox of a cycle to come, at least two cycles ahead if another part reads it."""
    slot, word, bit = natural(cycle & s.setup[MASK]), natural(cell >> 6), np.int64(1) << (cell & 63)
    if s.setup[PARTS] == 1 or s.setup[FIRST_WORD] <= word < s.setup[LAST_WORD]:
        s.inbox[slot, word, column] |= bit
    else:
        atomic_or(np.int64(s.outside.ctypes.data) + 8 * (2 * (slot * s.inbox.shape[1] + word) + column), bit)


@njit(_nrt=False, forceinline=True)
def enqueue(s, b, p):
    """Packet p is the next one in the ring of buffer b."""
    position = natural(s.outputs[b, WRITE])
    s.ring[b, position] = p
    s.outputs[b, WRITE] = position + 1 if position + 1 < s.ring.shape[1] else 0


@njit(_nrt=False, forceinline=True)
def need(setup, length):
    """Credits that an output VC must have for a packet of this length to be allocated it."""
    technique = setup[TECHNIQUE]
    if technique == ATOMIC:
        return setup[DEPTH]
    return np.int64(-1) if technique == NONATOMIC else length


@njit(_nrt=False, forceinline=True)
def available(s, w, needed):
    """Whether output VC `w` can be allocated to a packet that needs so many credits."""
    return s.outputs[w, OWNER] < 0 and (w >= s.setup[NUM_VCS] or s.outputs[w, CREDITS] >= needed)


@njit(_nrt=False, forceinline=True)
def candidates(rule, s, b, p):
    """What the header in buffer b, of packet p, may request now, into ``s.offered`` as the rule writes it.

    Returns how many; −1 if the rule broke its contract, −2 if it offers nothing, 0 if the header is held back.
    """
    offered = s.offered
    start, waits_only = s.packets[p, SCRIPT], s.inputs[b, STATE] == BLOCKED
    if start >= 0 and s.packets[p, HOPS] <= s.packets[p, STOP]:
        step = s.packets[p, HOPS]
        if step == s.packets[p, STOP] and s.setup[HOLD] == 1:
            return np.int64(0)
        if s.script[start + step] >= 0:
            offered[0] = s.script[start + step]
            return np.int64(1)
        waits_only = True
    if s.inputs[b, OUT] >= 0:
        chosen = np.int64(s.inputs[b, OUT])
        offered[0] = chosen if chosen < s.setup[NUM_VCS] else EJECT
        return np.int64(1)
    count = rule(np.int64(s.wire[b, PLACE]), s.packets[p, ADDRESS], np.int64(offered.ctypes.data))
    if count <= 0 or count > offered.size:
        return np.int64(-2 if count == 0 else -1)
    if waits_only:
        kept = 0
        for k in range(count):
            if offered[k] & NO_WAIT == 0:
                offered[kept] = offered[k]
                kept += 1
        return np.int64(kept if kept > 0 else -1)
    return count


@njit(_nrt=False, forceinline=True)
def expand(s, b, p, value):
    """First output VC and how many of them a candidate stands for; 0 of them if it does not leave the router."""
    first, many = value & VC_MASK, np.int64(1)
    if first == EJECT:
        many = s.setup[LOCAL]
        first = s.setup[NUM_VCS] + s.destination[s.packets[p, ADDRESS]] * many
    elif first >= s.setup[NUM_VCS]:
        return np.int64(0), np.int64(0)
    if s.wire[first, LEAVES] != s.wire[b, STANDS]:
        return np.int64(0), np.int64(0)
    return natural(first), many
