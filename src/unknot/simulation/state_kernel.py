# mypy: ignore-errors
"""What the simulation kernels share: the type of the state, and what a header may ask for."""

import numpy as np
from numba import njit, types

from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK
from unknot.simulation.layout import (
    ADDRESS,
    ARRIVED,
    ASLEEP,
    ATOMIC,
    BLOCKED,
    CREATED,
    CREDITS,
    DEPTH,
    FIRST_WORD,
    FLITS_OUT,
    FLITS_OUT_MEASURED,
    FREE,
    HEADS,
    HOLD,
    HOPS,
    HOPS_SUM,
    INJECTED,
    LAST_WORD,
    LATENCY_SUM,
    LOCAL,
    MASK,
    MEASURE_FROM,
    MEASURE_TO,
    MEASURED_ARRIVED,
    NETWORK_SUM,
    NONATOMIC,
    NUM_VCS,
    OUT,
    OWNER,
    PARTS,
    PLACE,
    READ,
    READER,
    RING,
    SCRIPT,
    STATE,
    STOP,
    TECHNIQUE,
    WORDS,
    WRITE,
)
from unknot.types_kernel import RULE
from unknot.words_kernel import atomic_or, natural

DONE, FULL, QUIET, BROKEN_RULE, DEAD_END = range(5)
"""How a kernel call ended: cycle reached; room for latencies used up; nothing moves any more; the rule failed or gave
what it must not; a header has no candidate (place in ``count[WHERE]``)."""


@njit(types.void(RULE, types.int64[::1], types.int64[::1], types.int64[::1]), cache=True, nogil=True, _nrt=False)
def served(rule, place, offered, count):
    """Number of candidates of the packet to each address at its place, into `count`; −1 where the rule fails."""
    pointer = np.int64(offered.ctypes.data)
    for address in range(place.size):
        count[address] = rule(place[address], address, pointer)


@njit(_nrt=False, forceinline=True)
def mixed(z):
    """53 random bits from a word (the output function of SplitMix64, as `traffic.scramble`)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))


@njit(_nrt=False, forceinline=True)
def post(s, cycle, cell, column):
    """Set the bit of a cell in the inbox of a cycle to come, at least two cycles ahead if another part reads it."""
    slot, word, bit = natural(cycle & s.setup[MASK]), natural(cell >> 6), np.int64(1) << (cell & 63)
    row = natural(slot * s.setup[WORDS] + word)
    if s.setup[PARTS] == 1 or s.setup[FIRST_WORD] <= word < s.setup[LAST_WORD]:
        s.inbox[row, column] |= bit
    else:
        atomic_or(np.int64(s.outside.ctypes.data) + 8 * (2 * row + column), bit)


@njit(_nrt=False, forceinline=True)
def enqueue(s, w, p):
    """Packet p is the next one to come into the buffer of output row w."""
    position, held = np.int64(s.outputs[w, WRITE]), s.setup[RING]
    s.ring[natural(s.outputs[w, READER] * held + position)] = p
    s.outputs[w, WRITE] = position + 1 if position + 1 < held else 0


@njit(_nrt=False, forceinline=True)
def wake(s, w0, w1):
    """An output VC of the router is free, or has a credit more: headers that sleep request again."""
    for word in range(w0, w1):
        s.masks[natural(word), HEADS] |= s.masks[natural(word), ASLEEP]
        s.masks[natural(word), ASLEEP] = 0


@njit(_nrt=False, forceinline=True)
def eject(s, p, tail, now, arrival):
    """A flit of packet p was granted the switch to an ejection port and will be ejected in cycle `arrival`."""
    packets, count, setup = s.packets, s.count, s.setup
    count[FLITS_OUT] += 1
    count[FLITS_OUT_MEASURED] += setup[MEASURE_FROM] <= now < setup[MEASURE_TO]
    if not tail:
        return
    latency = arrival - packets[p, CREATED]
    count[ARRIVED] += 1
    count[LATENCY_SUM] += latency
    if setup[MEASURE_FROM] <= packets[p, CREATED] < setup[MEASURE_TO]:
        s.latencies[natural(count[MEASURED_ARRIVED])] = latency
        count[MEASURED_ARRIVED] += 1
        count[NETWORK_SUM] += arrival - packets[p, INJECTED]
        count[HOPS_SUM] += packets[p, HOPS]
    s.free[natural(count[FREE])] = p
    count[FREE] += 1


@njit(_nrt=False, forceinline=True)
def packet_of(s, b):
    """The packet in front of input row b."""
    return natural(s.ring[natural(b * s.setup[RING] + s.inputs[b, READ])])


@njit(_nrt=False, forceinline=True)
def need(setup, length):
    """Credits that an output VC must have for a packet of this length to be allocated it."""
    technique = setup[TECHNIQUE]
    if technique == ATOMIC:
        return setup[DEPTH]
    return np.int64(-1) if technique == NONATOMIC else length


@njit(_nrt=False, forceinline=True)
def available(s, w, needed):
    """Whether output row `w` can be allocated to a packet that needs so many credits."""
    return s.outputs[w, OWNER] < 0 and (s.outputs[w, READER] < 0 or s.outputs[w, CREDITS] >= needed)


@njit(_nrt=False, forceinline=True)
def has_room(s, w):
    """Whether a flit may be sent into output row w: there is a credit, or it is ejected."""
    return s.outputs[w, READER] < 0 or s.outputs[w, CREDITS] > 0


@njit(_nrt=False, forceinline=True)
def candidates(rule, s, b, p):
    """What the header in input row b, of packet p, may request now, into ``s.offered`` as the rule writes it.

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
    count = rule(np.int64(s.inputs[b, PLACE]), s.packets[p, ADDRESS], np.int64(offered.ctypes.data))
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
def outputs_of(s, address, value):
    """First row of `outputs` and how many of them a candidate for an address stands for; −1 if it is none at all."""
    vc = value & VC_MASK
    if vc < s.setup[NUM_VCS]:
        return np.int64(s.out_row[natural(vc)]), np.int64(1)
    if vc == EJECT:
        return np.int64(s.ejection_row[natural(s.destination[natural(address)])]), s.setup[LOCAL]
    return np.int64(-1), np.int64(0)
