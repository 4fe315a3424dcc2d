# mypy: ignore-errors
"""Terminals: creation of packets when they are needed, one flit a cycle injected."""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at
from unknot._base.splitmix import STEP
from unknot.routing.contract import IN_ROUTER
from unknot.simulation.engine.codes import UNDECIDED
from unknot.simulation.engine.meter_kernel import count_allocated
from unknot.simulation.engine.pack_kernel import choose_at_once
from unknot.simulation.engine.state_kernel import (
    count_slot,
    destination_of,
    direct_of,
    enqueue,
    has_credits,
    has_room,
    need,
    post,
    random_bits,
)

AHEAD = 64
"""Most cycles that a terminal without a packet draws for in advance."""


@inlined
def draw(s, t):
    """Return the next 53 random bits of terminal t (SplitMix64)."""
    s.random[t] += STEP
    return random_bits(s.random[t])


@inlined
def draw_pair(s, row, unequal):
    """Draw a destination of a source; return where its addresses begin, and how many there are."""
    first = s.pair_first[row]
    pair = first + draw(s, row) % (s.pair_first[row + 1] - first)
    # Walker's alias method: an entry stays with its own probability, and else becomes one other entry.
    if unequal and draw(s, row) >= s.keep[pair]:
        pair = s.other[pair]
    begin = s.address_range[2 * pair]
    return begin, s.address_range[2 * pair + 1] - begin


@inlined
def put_at_head(s, row, t, p, cycle):
    """Put packet p of terminal t, created in `cycle`, at the head of a source queue; it has address and length."""
    packets = s.packets
    packets.created[p], packets.hops[p], packets.source[p] = cycle, 0, t
    if s.courses.size > 0:
        s.courses.script[p] = UNDECIDED
    s.count.created += 1
    s.count.measured_created += s.setup.measure_from <= cycle < s.setup.measure_to
    s.terminals.packet[row], s.terminals.left[row] = p, packets.length[p]


@inlined
def new_packet(s):
    """Return a row of `packets` that is not in use, or −1."""
    count = s.count
    if count.free > 0:
        count.free -= 1
        return s.free[count.free]
    if count.high == s.packets.size:
        return np.int64(-1)
    count.high += 1
    return count.high - 1


@inlined
def choose_address(s, t):
    """Draw the address of the next packet of terminal t."""
    setup = s.setup
    if setup.everyone >= 0:
        # Of all but itself: those from its own number on move up by one.
        to = draw(s, t) % (s.terminals.size - 1 + setup.everyone)
        to += setup.everyone == 0 and to >= t
        if setup.num_addresses == setup.tiled:
            return to
        if setup.tiled > 0:
            begin, many = to, setup.num_addresses // setup.tiled
        else:
            begin, many = s.address_range[2 * to], s.address_range[2 * to + 1] - s.address_range[2 * to]
    else:
        begin, many = draw_pair(s, t, s.keep.size > 0)
    address = address_at(s, begin, draw(s, t) % many if many > 1 else 0)
    # There are more than these two, so this ends.
    while 0 < setup.compares < IN_ROUTER and many > 2 and no_detour(s, t, address):
        address = address_at(s, begin, draw(s, t) % many)
    return address


@inlined
def address_at(s, begin, k):
    """Return the k-th of the addresses for a terminal, whose place, or the first of which, is `begin`."""
    # Large dragonflies have a million addresses, and each look at a table of them misses the cache.
    return begin + k * s.setup.tiled if s.addresses.size == 0 else np.int64(s.addresses[begin + k])


@inlined
def no_detour(s, t, address):
    """Return whether an address leads by the source's own waypoint or by the destination's own."""
    to = destination_of(s, address)
    return address == direct_of(s, t, to) or address == direct_of(s, to, to)


@inlined
def create(s, t, cycle):
    """Put a packet of terminal t, created in `cycle`, at the head of its source queue."""
    address = choose_address(s, t)
    which = 0
    if s.lengths.size > 1:
        x = draw(s, t)
        while x >= s.lengths.upto[which]:
            which += 1
    p = new_packet(s)  # there is always one: `tables` counts all that buffers and queues can hold
    s.packets.address[p], s.packets.length[p] = address, s.lengths.flits[which]
    put_at_head(s, t, t, p, cycle)


@inlined
def draw_ahead(s, t, now):
    """Draw for each cycle until a packet is to be created, at most up to `AHEAD` cycles beyond `now`."""
    terminals = s.terminals
    # One draw for each cycle whenever it is made, so that packets are the same as without drawing ahead; −2 keeps one
    # that is known to come. The address is drawn in its cycle: it takes draws of its own, after that of the cycle.
    chance, cycle, creates = terminals.chance[t], terminals.drawn[t], False
    if terminals.packet[t] == -1:
        while not creates and cycle <= now + AHEAD:
            creates = draw(s, t) < chance
            cycle += not creates
        terminals.drawn[t] = cycle
        if not creates:
            return
    if cycle > now:
        terminals.packet[t] = -2
        return
    create(s, t, cycle)
    terminals.drawn[t] = cycle + 1


@inlined
def creates(s, row, begins, ends):
    """Draw whether a source creates a packet in its next cycle; with bursts, which begin and end by these chances."""
    if begins >= 0:
        x = draw(s, row)
        on = x >= ends if s.terminals.on[row] == 1 else x < begins
        s.terminals.on[row] = on
        if not on:
            return False
    return draw(s, row) < s.terminals.chance[row]


@inlined
def draw_packets(s, t, now):
    """Draw for every cycle up to `now` in which no packet waited, until one is created."""
    terminals, setup = s.terminals, s.setup
    cycle = terminals.drawn[t]
    if terminals.chance[t] == 0:
        terminals.drawn[t] = now + 1
        return
    if setup.burst_begins < 0 and setup.watchdog == 0:
        draw_ahead(s, t, now)
        return
    while cycle <= now and terminals.packet[t] < 0:
        if setup.watchdog != 0 and s.count.free == 0 and s.count.high == s.packets.size:
            break  # every row of `packets` is in use: those that were dropped keep theirs
        if creates(s, t, setup.burst_begins, setup.burst_ends):
            create(s, t, cycle)
        cycle += 1
    terminals.drawn[t] = cycle


@inlined
def send_again(s, t):
    """Put the first packet of terminal t dropped by a watchdog at the head of its source queue, if any."""
    p = s.replies.first[t]
    if p < 0:
        return False
    s.replies.first[t] = s.waiting[p]
    s.packets.hops[p], s.courses.script[p] = 0, UNDECIDED
    s.terminals.packet[t], s.terminals.left[t] = p, s.packets.length[p]
    return True


@inlined
def inject(rule, s, r, t, now):
    """Create packets of terminal t at router r, unless one is being injected, and inject a flit if possible."""
    terminals, setup = s.terminals, s.setup
    if terminals.packet[t] < 0 and not (setup.watchdog != 0 and send_again(s, t)):
        if terminals.drawn[t] > now:
            return
        draw_packets(s, t, now)
        if terminals.packet[t] < 0:
            return
    p, local, base = terminals.packet[t], setup.local, terminals.first_output[t]
    if terminals.vc[t] < 0:
        needed = max(need(setup, s.packets.length[p]), np.int64(1))
        vc = terminals.last_vc[t]
        for _ in range(local):
            vc = vc + 1 if vc + 1 < local else 0
            if has_credits(s, base + vc, needed):
                terminals.vc[t], terminals.last_vc[t] = base + vc, vc
                enqueue(s, base + vc, terminals.reader[t] + vc, p)
                if setup.metered != 0:
                    count_allocated(s, base + vc, p)
                s.packets.injected[p] = now
                if choose_at_once(setup) and s.courses.script[p] < 0:
                    call_at(setup.choose, (rule, s.raw, r, t, p))
                break
        if terminals.vc[t] < 0:
            return
    b = terminals.vc[t]
    if not has_room(s, b):
        return
    count_slot(s, b, -1)
    post(s, s.inbox.flits, s.outside.flits, now + 2, terminals.flit_bit[t] + b - base)
    s.count.flits_in += 1
    s.count.last_move = max(s.count.last_move, now)
    terminals.left[t] -= 1
    if terminals.left[t] == 0:
        terminals.packet[t], terminals.vc[t] = -1, -1
