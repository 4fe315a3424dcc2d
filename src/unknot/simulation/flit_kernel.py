# mypy: ignore-errors
"""The flit-level kernel: all routers of a network, cycle by cycle.

Timing of one hop: a header read in cycle a is routed in a, requests an output VC from a + 1, and the switch from the
cycle after it has one; a flit granted the switch in T is on the channel in T + 1 and read in T + 2 + latency; its
credit is read upstream in T + 1 + latency. Under saf a header requests nothing before its tail is in the buffer.

Both allocators are one iteration of iSLIP (McKeown 1999) over all routers at once: every output grants the first
request at or after its pointer, every input accepts the first grant at or after its own, and both pointers move past
a match. What is granted does not depend on the order in which requests are seen.
"""

import numpy as np
from numba import njit, types

from unknot.routing.relation import NO_WAIT, VC_MASK
from unknot.simulation.choice_kernel import compare
from unknot.simulation.layout import (
    ACCEPT,
    ADDRESS,
    ARRIVED,
    ATOMIC,
    BEST,
    BLOCKED,
    CARRIED,
    CHANCE,
    CHOICE,
    COMMITS,
    COMPARES,
    CREATED,
    CREATED_PACKETS,
    CREDITS,
    DELAY,
    DEPTH,
    DRAWN,
    EVERYONE,
    FLIT_HOPS,
    FLITS,
    FLITS_IN,
    FLITS_OUT,
    FLITS_OUT_MEASURED,
    FREE,
    FRESH,
    GRANT,
    HEADS,
    HIGH,
    HOPS,
    HOPS_SUM,
    IDLE,
    INJECTED,
    KEY,
    LAST,
    LAST_MOVE,
    LATENCY_SUM,
    LEFT,
    LENGTH,
    LOCAL,
    MASK,
    MEASURE_FROM,
    MEASURE_TO,
    MEASURED_ARRIVED,
    MEASURED_CREATED,
    MOVERS,
    MOVING,
    NETWORK_SUM,
    NEXT_VC,
    NONATOMIC,
    NOW,
    NUM_VCS,
    OUT,
    OWNER,
    PACKET,
    PORT_BEST,
    PORT_KEY,
    PORT_STAMP,
    READ,
    SAF,
    SCRIPT,
    SENT,
    SOURCE,
    STALLED,
    STAMP,
    STATE,
    STOP,
    STORED,
    TECHNIQUE,
    TURN,
    VC,
    WAKE,
    WHERE,
    WRITE,
)
from unknot.simulation.state_kernel import (
    BROKEN_RULE,
    DEAD_END,
    DONE,
    FULL,
    QUIET,
    STATE_TYPE,
    available,
    candidates,
    expand,
    natural,
)
from unknot.types_kernel import RULE

CYCLIC = 0x7FFFFFFF
EJECTION = 3
"""Cycles from the switch grant of a flit to its ejection: the switch, a channel of latency 1, the latch."""


@njit(_nrt=False, forceinline=True)
def new_head(s, b, wake):
    """The packet in front of buffer b begins to look for an output VC in cycle `wake`."""
    inputs = s.inputs
    inputs[b, STATE], inputs[b, OUT], inputs[b, CHOICE] = FRESH, -1, -1
    inputs[b, SENT], inputs[b, WAKE] = 0, wake
    s.heads[s.count[HEADS]] = b
    s.count[HEADS] += 1


@njit(_nrt=False, forceinline=True)
def send_later(s, slot, b):
    """Let one flit arrive in buffer b when the wheel comes to `slot`."""
    s.flits[slot, natural(s.flit_count[slot])] = b
    s.flit_count[slot] += 1


@njit(_nrt=False, forceinline=True)
def enqueue(s, b, p):
    """Packet p is the next one in the ring of buffer b."""
    position = natural(s.outputs[b, WRITE])
    s.ring[b, position] = p
    s.outputs[b, WRITE] = position + 1 if position + 1 < s.setup[DEPTH] else 0


@njit(_nrt=False, forceinline=True)
def start_moving(s, b):
    """Buffer b has a flit and a credit: it requests the switch."""
    s.inputs[b, STATE] = MOVING
    s.movers[s.count[MOVERS]] = b
    s.count[MOVERS] += 1


@njit(_nrt=False, forceinline=True)
def arrive(s, now):
    """Flits and credits that are read in this cycle."""
    inputs, outputs, num_vcs = s.inputs, s.outputs, s.setup[NUM_VCS]
    slot = natural(now & s.setup[MASK])
    for k in range(s.flit_count[slot]):
        b = natural(s.flits[slot, k])
        inputs[b, STORED] += 1
        if inputs[b, STATE] == IDLE:
            new_head(s, b, now + 1)
        elif inputs[b, STATE] == STALLED:
            w = natural(inputs[b, OUT])
            if w >= num_vcs or outputs[w, CREDITS] > 0:
                start_moving(s, b)
    s.flit_count[slot] = 0
    for k in range(s.credit_count[slot]):
        b = natural(s.credits[slot, k])
        outputs[b, CREDITS] += 1
        if b < num_vcs:
            u = outputs[b, OWNER]
            if u < 0:
                s.changed[natural(s.leaves[b])] = now
            elif inputs[u, STATE] == STALLED and inputs[u, STORED] > 0:
                start_moving(s, u)
    s.credit_count[slot] = 0


@njit(_nrt=False, forceinline=True)
def commit(s, b, p, count):
    """Index of the one candidate a header keeps: a free one of the lowest tier, else one it waits for, the first."""
    best, best_rank = 0, 1 << 30
    for k in range(count):
        first, many = expand(s, b, p, s.offered[k])
        free = False
        for w in range(first, first + many):
            free = free or available(s.setup, s.outputs, w, s.packets[p, LENGTH])
        rank = (s.offered[k] >> 40) & 0xFF
        if not free:
            rank += 512 if s.offered[k] & NO_WAIT == 0 else 1024
        if rank < best_rank:
            best, best_rank = k, rank
    return best


@njit(_nrt=False, forceinline=True)
def request(rule, s, b, p, now, touched):
    """Requests of one header: all its available candidates of the lowest tier that has one.

    Returns the new number of touched output VCs, or minus the status when the rule failed.
    """
    setup, inputs, outputs, offered = s.setup, s.inputs, s.outputs, s.offered
    count = candidates(rule, s, b, p)
    if count == 0:
        return touched
    if count < 0:
        return np.int64(-DEAD_END if count == -2 else -BROKEN_RULE)
    if setup[COMMITS] == 1 and inputs[b, OUT] < 0:
        offered[0] = offered[commit(s, b, p, count)]
        inputs[b, OUT] = min(offered[0] & VC_MASK, setup[NUM_VCS])
        count = 1
    length = s.packets[p, LENGTH]
    found, tier = 0, 256
    for k in range(count):
        rank = (offered[k] >> 40) & 0xFF
        if rank > tier:
            continue
        first, many = expand(s, b, p, offered[k])
        if many == 0:
            return np.int64(-BROKEN_RULE)
        for w in range(first, first + many):
            if available(setup, outputs, w, length):
                if rank < tier:
                    found, tier = 0, rank
                s.wanted[found] = w
                found += 1
    if found == 0:
        inputs[b, STATE], inputs[b, WAKE] = BLOCKED, -1 - now
    for k in range(found):
        w = natural(s.wanted[k])
        key = (b - outputs[w, GRANT]) & CYCLIC
        if outputs[w, STAMP] != now:
            outputs[w, STAMP] = now
            s.touched[touched] = w
            touched += 1
            outputs[w, KEY], outputs[w, BEST] = key, b
        elif key < outputs[w, KEY]:
            outputs[w, KEY], outputs[w, BEST] = key, b
    return touched


@njit(_nrt=False, forceinline=True)
def allocate_vcs(rule, s, now):
    """Headers request output VCs; outputs grant, headers accept. Winners go to the end of the movers' list."""
    inputs, outputs, heads = s.inputs, s.outputs, s.heads
    total, touched = s.count[HEADS], np.int64(0)
    for i in range(total):
        b = natural(heads[i])
        wake = inputs[b, WAKE]
        if wake > now or (wake < 0 and s.changed[natural(s.stands[b])] < -1 - wake):
            continue
        p = natural(s.ring[b, natural(inputs[b, READ])])
        if s.setup[TECHNIQUE] == SAF and inputs[b, STORED] < s.packets[p, LENGTH]:
            continue
        touched = request(rule, s, b, p, now, touched)
        if touched < 0:
            s.count[WHERE] = b
            return -touched
    if touched == 0:
        return DONE
    for i in range(touched):
        w = natural(s.touched[i])
        b = natural(outputs[w, BEST])
        old, pointer = np.int64(inputs[b, CHOICE]), np.int64(inputs[b, ACCEPT])
        if old < 0 or (w - pointer) & CYCLIC < (old - pointer) & CYCLIC:
            inputs[b, CHOICE] = w
    kept = 0
    for i in range(total):
        b = natural(heads[i])
        w = np.int64(inputs[b, CHOICE])
        if w < 0:
            heads[kept] = b
            kept += 1
            continue
        outputs[w, OWNER], outputs[w, GRANT] = b, b + 1
        inputs[b, OUT], inputs[b, ACCEPT], inputs[b, CHOICE] = w, w + 1, -1
        inputs[b, STATE] = STALLED
        if w >= s.setup[NUM_VCS] or outputs[w, CREDITS] > 0:
            start_moving(s, b)
    s.count[HEADS] = kept
    return DONE


@njit(_nrt=False, forceinline=True)
def retire(s, p, now):
    """The tail of packet p will be ejected in cycle `now`."""
    packets, count = s.packets, s.count
    latency = now - packets[p, CREATED]
    count[ARRIVED] += 1
    count[LATENCY_SUM] += latency
    if s.setup[MEASURE_FROM] <= packets[p, CREATED] < s.setup[MEASURE_TO]:
        s.latencies[count[MEASURED_ARRIVED]] = latency
        count[MEASURED_ARRIVED] += 1
        count[NETWORK_SUM] += now - packets[p, INJECTED]
        count[HOPS_SUM] += packets[p, HOPS]
    s.free[count[FREE]] = p
    count[FREE] += 1


@njit(_nrt=False, forceinline=True)
def send(s, v, now):
    """The front flit of buffer v crosses the switch."""
    inputs, outputs, packets, num_vcs = s.inputs, s.outputs, s.packets, s.setup[NUM_VCS]
    w = natural(inputs[v, OUT])
    p = natural(s.ring[v, natural(inputs[v, READ])])
    stored, sent = inputs[v, STORED] - 1, inputs[v, SENT] + 1
    inputs[v, STORED], inputs[v, SENT] = stored, sent
    slot = (now + 1 + s.receiving[natural(s.port[v]), DELAY]) & s.setup[MASK]
    s.credits[slot, natural(s.credit_count[slot])] = v
    s.credit_count[slot] += 1
    if sent == 1:
        packets[p, HOPS] += 1
    tail = sent == packets[p, LENGTH]
    more = stored > 0
    if w < num_vcs:
        if sent == 1:
            enqueue(s, w, p)
        outputs[w, CREDITS] -= 1
        more = more and outputs[w, CREDITS] > 0
        send_later(s, (now + 2 + s.sending[natural(s.port[w]), DELAY]) & s.setup[MASK], w)
    else:
        s.count[FLITS_OUT] += 1
        s.count[FLITS_OUT_MEASURED] += s.setup[MEASURE_FROM] <= now < s.setup[MEASURE_TO]
        if tail:
            retire(s, p, now + EJECTION)
    if tail:
        outputs[w, OWNER] = -1
        s.changed[natural(s.leaves[w])] = now
        inputs[v, READ] = inputs[v, READ] + 1 if inputs[v, READ] + 1 < s.setup[DEPTH] else 0
        inputs[v, STATE] = IDLE
        if stored > 0:
            new_head(s, v, now + 2)
    elif not more:
        inputs[v, STATE] = STALLED


@njit(_nrt=False, forceinline=True)
def allocate_switch(s, now, contenders):
    """The first `contenders` movers request their output ports; ports grant, ports accept, flits are sent."""
    inputs, port, movers, sending, receiving = s.inputs, s.port, s.movers, s.sending, s.receiving
    outs = np.int64(0)
    for i in range(contenders):
        v = natural(movers[i])
        into, out = natural(port[v]), natural(port[natural(inputs[v, OUT])])
        key = ((into - sending[out, TURN]) & CYCLIC) << 31 | ((v - receiving[into, NEXT_VC]) & CYCLIC)
        if sending[out, PORT_STAMP] != now:
            sending[out, PORT_STAMP] = now
            s.touched[outs] = out
            outs += 1
        elif key >= sending[out, PORT_KEY]:
            continue
        sending[out, PORT_KEY], sending[out, PORT_BEST] = key, v
    ends = outs
    for i in range(outs):
        out = natural(s.touched[i])
        into = natural(port[natural(sending[out, PORT_BEST])])
        key = (out - receiving[into, TURN]) & CYCLIC
        if receiving[into, PORT_STAMP] != now:
            receiving[into, PORT_STAMP] = now
            s.touched[ends] = into
            ends += 1
        elif key >= receiving[into, PORT_KEY]:
            continue
        receiving[into, PORT_KEY], receiving[into, PORT_BEST] = key, out
    for i in range(outs, ends):
        into = natural(s.touched[i])
        out = natural(receiving[into, PORT_BEST])
        v = natural(sending[out, PORT_BEST])
        sending[out, TURN], receiving[into, TURN], receiving[into, NEXT_VC] = into + 1, out + 1, v + 1
        sending[out, CARRIED] += 1
        send(s, v, now)
    if outs:
        s.count[FLIT_HOPS] += ends - outs
        s.count[LAST_MOVE] = now
    kept = 0
    for i in range(s.count[MOVERS]):
        v = natural(movers[i])
        if inputs[v, STATE] == MOVING:
            movers[kept] = v
            kept += 1
    s.count[MOVERS] = kept


@njit(_nrt=False, forceinline=True)
def draw(s, t):
    """The next 53 random bits of terminal t (SplitMix64)."""
    s.random[t] += np.uint64(0x9E3779B97F4A7C15)
    z = s.random[t]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))


@njit(_nrt=False, forceinline=True)
def create(s, t, cycle):
    """A packet of terminal t, created in `cycle`, takes its place at the head of the source queue."""
    setup, count, packets = s.setup, s.count, s.packets
    if setup[EVERYONE] >= 0:
        address = draw(s, t) % (s.terminals.shape[0] - 1 + setup[EVERYONE])
        if setup[EVERYONE] == 0 and address >= t:
            address += 1
    else:
        first = s.pair_first[t]
        pair = first + draw(s, t) % (s.pair_first[t + 1] - first)
        if s.keep.size and draw(s, t) >= s.keep[pair]:
            pair = s.other[pair]
        begin, many = s.address_range[2 * pair], s.address_range[2 * pair + 1] - s.address_range[2 * pair]
        address = np.int64(s.addresses[begin + (draw(s, t) % many if many > 1 else 0)])
    if count[FREE] > 0:
        count[FREE] -= 1
        p = np.int64(s.free[count[FREE]])
    else:
        p = count[HIGH]
        count[HIGH] += 1
    packets[p, CREATED], packets[p, ADDRESS], packets[p, LENGTH] = cycle, address, setup[FLITS]
    packets[p, HOPS], packets[p, SOURCE], packets[p, SCRIPT], packets[p, STOP] = 0, t, -1, 0
    count[CREATED_PACKETS] += 1
    count[MEASURED_CREATED] += setup[MEASURE_FROM] <= cycle < setup[MEASURE_TO]
    s.terminals[t, PACKET], s.terminals[t, LEFT] = p, setup[FLITS]


@njit(_nrt=False, forceinline=True)
def inject(rule, s, now):
    """Every terminal creates packets, lazily: not while one is being injected; and injects at most one flit."""
    terminals, outputs, setup = s.terminals, s.outputs, s.setup
    local = setup[LOCAL]
    for t in range(terminals.shape[0]):
        if terminals[t, PACKET] < 0:
            chance = terminals[t, CHANCE]
            if chance == 0:
                terminals[t, DRAWN] = now + 1
                continue
            cycle = terminals[t, DRAWN]
            while cycle <= now and terminals[t, PACKET] < 0:
                if draw(s, t) < chance:
                    create(s, t, cycle)
                cycle += 1
            terminals[t, DRAWN] = cycle
            if terminals[t, PACKET] < 0:
                continue
        p = terminals[t, PACKET]
        base = setup[NUM_VCS] + t * local
        if terminals[t, VC] < 0:
            vc = terminals[t, LAST]
            for _ in range(local):
                vc = vc + 1 if vc + 1 < local else 0
                free = available_for_injection(setup, outputs, base + vc, s.packets[p, LENGTH])
                if free:
                    terminals[t, VC], terminals[t, LAST] = base + vc, vc
                    enqueue(s, base + vc, p)
                    s.packets[p, INJECTED] = now
                    if setup[COMPARES] == 1 and s.packets[p, SCRIPT] < 0:
                        compare(rule, s, t, p)
                    break
        b = terminals[t, VC]
        if b < 0 or outputs[b, CREDITS] == 0:
            continue
        outputs[b, CREDITS] -= 1
        send_later(s, (now + 2) & setup[MASK], b)
        s.count[FLITS_IN] += 1
        s.count[LAST_MOVE] = now
        terminals[t, LEFT] -= 1
        if terminals[t, LEFT] == 0:
            terminals[t, PACKET], terminals[t, VC] = -1, -1


@njit(_nrt=False, forceinline=True)
def available_for_injection(setup, outputs, b, length):
    """Whether a packet may start into injection buffer b: as for any VC, and its header needs a credit."""
    if setup[TECHNIQUE] == NONATOMIC:
        return outputs[b, CREDITS] > 0
    return outputs[b, CREDITS] >= (setup[DEPTH] if setup[TECHNIQUE] == ATOMIC else length)


@njit(types.int64(RULE, STATE_TYPE, types.int64), cache=True, _nrt=False)
def advance(rule, s, until):
    """Simulate from ``count[NOW]`` up to, not including, cycle `until`; the status says if it stopped before."""
    count = s.count
    patience = s.setup[MASK] + 8
    for now in range(count[NOW], until):
        if count[MEASURED_ARRIVED] + s.terminals.shape[0] > s.latencies.size:
            count[NOW] = now
            return FULL
        if count[FLITS_IN] > count[FLITS_OUT] and now - count[LAST_MOVE] > patience:
            count[NOW], count[LAST_MOVE] = now, now
            return QUIET
        arrive(s, now)
        inject(rule, s, now)
        contenders = count[MOVERS]
        status = allocate_vcs(rule, s, now)
        if status != DONE:
            count[NOW] = now
            return status
        allocate_switch(s, now, contenders)
    count[NOW] = until
    return DONE
