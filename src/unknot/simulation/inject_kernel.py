# mypy: ignore-errors
"""Terminals: they create packets, lazily, and inject at most one flit in a cycle."""

import numpy as np
from numba import njit

from unknot.simulation.choice_kernel import compare
from unknot.simulation.layout import (
    ADDRESS,
    ARRIVED_BITS,
    BEGIN,
    CHANCE,
    COMPARES,
    CREATED,
    CREATED_PACKETS,
    CREDITS,
    DRAWN,
    END,
    EVERYONE,
    FIRST_END,
    FLITS_IN,
    FREE,
    HIGH,
    HOPS,
    IN_CELL,
    INJECTED,
    LAST,
    LAST_MOVE,
    LEFT,
    LENGTH,
    LOCAL,
    MEASURE_FROM,
    MEASURE_TO,
    MEASURED_CREATED,
    ON,
    PACKET,
    SCRIPT,
    SOURCE,
    STOP,
    VC,
)
from unknot.simulation.state_kernel import enqueue, mixed, need, post
from unknot.words_kernel import natural

AHEAD = 64
"""Most cycles that a terminal without a packet draws for in advance."""
STEP = np.uint64(0x9E3779B97F4A7C15)


@njit(_nrt=False, forceinline=True)
def draw(s, t):
    """The next 53 random bits of terminal t (SplitMix64)."""
    s.random[t] += STEP
    return mixed(s.random[t])


@njit(_nrt=False, forceinline=True)
def choose_address(s, t):
    """Whom terminal t sends its next packet to."""
    setup = s.setup
    if setup[EVERYONE] >= 0:
        address = draw(s, t) % (s.terminals.shape[0] - 1 + setup[EVERYONE])
        return address + 1 if setup[EVERYONE] == 0 and address >= t else address
    first = s.pair_first[t]
    pair = first + draw(s, t) % (s.pair_first[t + 1] - first)
    if s.keep.size and draw(s, t) >= s.keep[pair]:
        pair = s.other[pair]
    begin, many = s.address_range[2 * pair], s.address_range[2 * pair + 1] - s.address_range[2 * pair]
    address = np.int64(s.addresses[begin + (draw(s, t) % many if many > 1 else 0)])
    while setup[COMPARES] > 0 and many > 2 and no_detour(s, t, address):
        address = np.int64(s.addresses[begin + draw(s, t) % many])
    return address


@njit(_nrt=False, forceinline=True)
def no_detour(s, t, address):
    """Whether an address leads by the source's own waypoint or by the destination's own."""
    to, terminals = np.int64(s.destination[address]), s.terminals.shape[0]
    return address == s.direct[t * terminals + to] or address == s.direct[to * terminals + to]


@njit(_nrt=False, forceinline=True)
def create(s, t, cycle):
    """A packet of terminal t, created in `cycle`, takes its place at the head of the source queue."""
    setup, count, packets = s.setup, s.count, s.packets
    address = choose_address(s, t)
    which = 0
    if s.lengths.shape[0] > 1:
        x = draw(s, t)
        while x >= s.lengths[which, 0]:
            which += 1
    length = s.lengths[which, 1]
    if count[FREE] > 0:
        count[FREE] -= 1
        p = np.int64(s.free[natural(count[FREE])])
    else:
        p = count[HIGH]
        count[HIGH] += 1
    packets[p, CREATED], packets[p, ADDRESS], packets[p, LENGTH] = cycle, address, length
    packets[p, HOPS], packets[p, SOURCE], packets[p, SCRIPT], packets[p, STOP] = 0, t, -1, 0
    count[CREATED_PACKETS] += 1
    count[MEASURED_CREATED] += setup[MEASURE_FROM] <= cycle < setup[MEASURE_TO]
    s.terminals[t, PACKET], s.terminals[t, LEFT] = p, length


@njit(_nrt=False, forceinline=True)
def draw_ahead(s, t, now):
    """Draw for every cycle in which no packet waits until one is to be created, at most so many beyond `now`."""
    terminals = s.terminals
    chance, cycle, found = terminals[t, CHANCE], terminals[t, DRAWN], False
    if terminals[t, PACKET] == -1:
        while not found and cycle <= now + AHEAD:
            found = draw(s, t) < chance
            cycle += not found
        terminals[t, DRAWN] = cycle
        if not found:
            return
    if cycle > now:
        terminals[t, PACKET] = -2
        return
    create(s, t, cycle)
    terminals[t, DRAWN] = cycle + 1


@njit(_nrt=False, forceinline=True)
def draw_packets(s, t, now):
    """Draw for every cycle up to `now` in which no packet waited, until one is created."""
    terminals, setup = s.terminals, s.setup
    chance, cycle = terminals[t, CHANCE], terminals[t, DRAWN]
    if chance == 0:
        terminals[t, DRAWN] = now + 1
        return
    if setup[BEGIN] < 0:
        draw_ahead(s, t, now)
        return
    while cycle <= now and terminals[t, PACKET] < 0:
        x = draw(s, t)
        on = x >= setup[END] if terminals[t, ON] == 1 else x < setup[BEGIN]
        terminals[t, ON] = on
        if on and draw(s, t) < chance:
            create(s, t, cycle)
        cycle += 1
    terminals[t, DRAWN] = cycle


@njit(_nrt=False, forceinline=True)
def inject(rule, s, t, now):
    """Terminal t creates packets, not while one is being injected, and injects a flit if it can."""
    terminals, outputs, setup = s.terminals, s.outputs, s.setup
    if terminals[t, PACKET] < 0:
        if terminals[t, DRAWN] > now:
            return
        draw_packets(s, t, now)
        if terminals[t, PACKET] < 0:
            return
    p, local, base = natural(terminals[t, PACKET]), setup[LOCAL], terminals[t, FIRST_END]
    if terminals[t, VC] < 0:
        needed = max(need(setup, s.packets[p, LENGTH]), np.int64(1))
        vc = terminals[t, LAST]
        for _ in range(local):
            vc = vc + 1 if vc + 1 < local else 0
            if outputs[natural(base + vc), CREDITS] >= needed:
                terminals[t, VC], terminals[t, LAST] = base + vc, vc
                enqueue(s, natural(base + vc), p)
                s.packets[p, INJECTED] = now
                if setup[COMPARES] > 0 and s.packets[p, SCRIPT] < 0:
                    compare(rule, s, t, p)
                break
        if terminals[t, VC] < 0:
            return
    b = natural(terminals[t, VC])
    if outputs[b, CREDITS] == 0:
        return
    outputs[b, CREDITS] -= 1
    post(s, now + 2, np.int64(outputs[b, IN_CELL]), ARRIVED_BITS)
    s.count[FLITS_IN] += 1
    s.count[LAST_MOVE] = now
    terminals[t, LEFT] -= 1
    if terminals[t, LEFT] == 0:
        terminals[t, PACKET], terminals[t, VC] = -1, -1
