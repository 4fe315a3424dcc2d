# mypy: ignore-errors
"""Switch allocation of one router, and what becomes of a flit that wins the switch.

One iteration of iSLIP over ports: each input port puts forward, for each output port, the first ready VC at or after
its pointer; every output port grants, every input port accepts. Other allocators are in `switch_general_kernel`.
"""

import numpy as np
from numba import njit

from unknot.simulation.layout import (
    ARRIVED,
    ARRIVED_BITS,
    ASLEEP,
    ATOMIC,
    BEST,
    CARRIED,
    CELL,
    CREATED,
    CREDIT,
    CREDIT_BITS,
    CREDIT_CELL,
    CREDITS,
    FLITS_OUT,
    FLITS_OUT_MEASURED,
    FREE,
    FRESH,
    FROM_PORT,
    HEAD_BITS,
    HEADS,
    HOPS,
    HOPS_SUM,
    IDLE,
    IN_CELL,
    INJECTED,
    KEY,
    LATENCY,
    LATENCY_SUM,
    MEASURE_FROM,
    MEASURE_TO,
    MEASURED_ARRIVED,
    MOVERS,
    MOVING,
    NETWORK_SUM,
    NEXT_VC,
    NUM_VCS,
    OPEN,
    OUT,
    OUT_CELL,
    OUT_PORT,
    OWNER,
    PENDING,
    PORT,
    READ,
    READER,
    READY_BITS,
    ROUTING,
    SENT,
    SIZE,
    STALLED,
    STATE,
    STORED,
    SWITCHED,
    TECHNIQUE,
    TRAVERSAL,
    TURN,
)
from unknot.simulation.state_kernel import enqueue, post
from unknot.simulation.vc_kernel import CYCLIC
from unknot.simulation.words_kernel import lowest, natural


@njit(_nrt=False, forceinline=True)
def retire(s, p, now):
    """The tail of packet p will be ejected in cycle `now`."""
    packets, count = s.packets, s.count
    latency = now - packets[p, CREATED]
    count[ARRIVED] += 1
    count[LATENCY_SUM] += latency
    if s.setup[MEASURE_FROM] <= packets[p, CREATED] < s.setup[MEASURE_TO]:
        s.latencies[natural(count[MEASURED_ARRIVED])] = latency
        count[MEASURED_ARRIVED] += 1
        count[NETWORK_SUM] += now - packets[p, INJECTED]
        count[HOPS_SUM] += packets[p, HOPS]
    s.free[natural(count[FREE])] = p
    count[FREE] += 1


@njit(_nrt=False, forceinline=True)
def new_head(s, b, cycle):
    """The packet in front of buffer b begins to look for an output VC in a cycle to come."""
    s.inputs[b, STATE], s.inputs[b, OUT] = FRESH, -1
    post(s, cycle, np.int64(s.wire[b, IN_CELL]), HEAD_BITS)


@njit(_nrt=False, forceinline=True)
def send(s, v, now, stay):
    """The front flit of buffer v has won the switch and leaves after so many cycles more than one.

    Returns whether the buffer requests the switch again in the next cycle.
    """
    inputs, outputs, wire, setup = s.inputs, s.outputs, s.wire, s.setup
    w = natural(inputs[v, OUT])
    stored, sent = inputs[v, STORED] - 1, inputs[v, SENT] + 1
    inputs[v, STORED], inputs[v, SENT] = stored, sent
    gone = now + 1 + stay
    post(s, gone + wire[v, LATENCY] + setup[CREDIT], np.int64(wire[v, CREDIT_CELL]), CREDIT_BITS)
    tail = sent == inputs[v, SIZE]
    more = stored > 0
    if w < setup[NUM_VCS]:
        if sent == 1:
            enqueue(s, w, s.ring[v, natural(inputs[v, READ])])
        outputs[w, CREDITS] -= 1
        more = more and outputs[w, CREDITS] > 0
        post(s, gone + setup[TRAVERSAL] + wire[w, LATENCY], np.int64(wire[w, IN_CELL]), ARRIVED_BITS)
    else:
        s.count[FLITS_OUT] += 1
        s.count[FLITS_OUT_MEASURED] += setup[MEASURE_FROM] <= now < setup[MEASURE_TO]
        if tail:
            retire(s, natural(s.ring[v, natural(inputs[v, READ])]), gone + setup[TRAVERSAL] + 1)
    s.sending[natural(wire[w, PORT]), CARRIED] += 1
    if tail:
        outputs[w, OWNER] = -1
        if w >= setup[NUM_VCS] or setup[TECHNIQUE] != ATOMIC:
            out_cell = np.int64(wire[w, OUT_CELL])
            s.masks[natural(out_cell >> 6), OPEN] |= np.int64(1) << (out_cell & 63)
        inputs[v, READ] = inputs[v, READ] + 1 if inputs[v, READ] + 1 < s.ring.shape[1] else 0
        inputs[v, OUT] = -1
        if stay > 0:
            inputs[v, STATE] = PENDING
            post(s, gone, np.int64(wire[v, IN_CELL]), READY_BITS)
        elif stored > 0:
            new_head(s, v, gone + setup[ROUTING])
        else:
            inputs[v, STATE] = IDLE
        return False
    if stay > 0:
        inputs[v, STATE] = PENDING
        post(s, gone, np.int64(wire[v, IN_CELL]), READY_BITS)
        return False
    inputs[v, STATE] = MOVING if more else STALLED
    return more


@njit(_nrt=False, forceinline=True)
def wake(s, w0, w1):
    """An output VC of the router is free, or has a credit more: headers that sleep request again."""
    for word in range(w0, w1):
        s.masks[word, HEADS] |= s.masks[word, ASLEEP]
        s.masks[word, ASLEEP] = 0


@njit(_nrt=False, forceinline=True)
def send_and_mark(s, v, w0, w1, now):
    """Send a flit of a buffer in MOVERS."""
    w = natural(s.inputs[v, OUT])
    if not send(s, v, now, s.setup[SWITCHED] - 1):
        cell = np.int64(s.wire[v, IN_CELL])
        s.masks[natural(cell >> 6), MOVERS] &= ~(np.int64(1) << (cell & 63))
        if s.outputs[w, OWNER] < 0:
            wake(s, w0, w1)


@njit(_nrt=False, forceinline=True)
def grant(s, v, out, into, base):
    """Ports are matched, with buffer v: their pointers move past each other and past it."""
    s.sending[out, TURN], s.receiving[into, TURN] = s.receiving[into, CELL] + 1, s.sending[out, CELL] + 1
    s.receiving[into, NEXT_VC] = s.wire[v, IN_CELL] - base + 1


@njit(_nrt=False, forceinline=True)
def switch_in_word(s, word, now):
    """Switch allocation of a router with one word; how many flits won.

    Buffers whose ports nobody else in the router wants win at once; the others go through iSLIP.
    """
    inputs, buffers, base = s.inputs, s.buffers, 64 * word
    movers = s.masks[word, MOVERS]
    ins, outs, shared_ins, shared_outs = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    left = movers
    while left != 0:
        cell = natural(base + lowest(left))
        left &= left - 1
        into = np.int64(1) << buffers[cell, FROM_PORT]
        out = np.int64(1) << inputs[natural(buffers[cell, READER]), OUT_PORT]
        shared_ins |= ins & into
        shared_outs |= outs & out
        ins |= into
        outs |= out
    sent, rivals = np.int64(0), np.int64(0)
    left = movers
    while left != 0:
        bit = left & -left
        cell = natural(base + lowest(left))
        left ^= bit
        v = natural(buffers[cell, READER])
        if (shared_ins >> buffers[cell, FROM_PORT]) & 1 or (shared_outs >> inputs[v, OUT_PORT]) & 1:
            rivals |= bit
        else:
            out, into = natural(s.wire[natural(inputs[v, OUT]), PORT]), natural(s.wire[v, PORT])
            grant(s, v, out, into, base)
            send_and_mark(s, v, word, word + 1, now)
            sent += 1
    if rivals:
        outs = ask(s, word, rivals, base, np.int64(0))
        sent += answer(s, outs, word, word + 1, now)
    return sent


@njit(_nrt=False, forceinline=True)
def ask(s, word, movers, base, outs):
    """Buffers of a word request the switch; output ports keep the best request. How many ports were asked."""
    sending, receiving, wire = s.sending, s.receiving, s.wire
    while movers != 0:
        v = natural(s.buffers[natural(64 * word + lowest(movers)), READER])
        movers &= movers - 1
        out, into = natural(wire[natural(s.inputs[v, OUT]), PORT]), natural(wire[v, PORT])
        key = (receiving[into, CELL] - sending[out, TURN]) & CYCLIC
        if sending[out, BEST] < 0:
            s.touched[natural(outs)] = out
            outs += 1
        elif key > sending[out, KEY]:
            continue
        elif key == sending[out, KEY]:
            turn = base + receiving[into, NEXT_VC]
            if (wire[v, IN_CELL] - turn) & CYCLIC > (wire[natural(sending[out, BEST]), IN_CELL] - turn) & CYCLIC:
                continue
        sending[out, KEY], sending[out, BEST] = key, v
    return outs


@njit(_nrt=False, forceinline=True)
def answer(s, outs, w0, w1, now):
    """Output ports grant, input ports accept, and flits are sent; how many."""
    sending, receiving, wire, ends = s.sending, s.receiving, s.wire, outs
    for i in range(outs):
        out = natural(s.touched[natural(i)])
        into = natural(wire[natural(sending[out, BEST]), PORT])
        key = (sending[out, CELL] - receiving[into, TURN]) & CYCLIC
        if receiving[into, BEST] < 0:
            s.touched[natural(ends)] = into
            ends += 1
        elif key >= receiving[into, KEY]:
            continue
        receiving[into, KEY], receiving[into, BEST] = key, out
    for i in range(outs, ends):
        into = natural(s.touched[natural(i)])
        out = natural(receiving[into, BEST])
        receiving[into, BEST] = -1
        v = natural(sending[out, BEST])
        grant(s, v, out, into, 64 * w0)
        send_and_mark(s, v, w0, w1, now)
    for i in range(outs):
        sending[natural(s.touched[natural(i)]), BEST] = -1
    return ends - outs


@njit(_nrt=False)
def switch_in_words(s, w0, w1, now):
    """Switch allocation of a router of several words; how many flits won."""
    outs = np.int64(0)
    for word in range(w0, w1):
        outs = ask(s, word, s.masks[word, MOVERS], 64 * w0, outs)
    return answer(s, outs, w0, w1, now)


@njit(_nrt=False, forceinline=True)
def switch_plainly(s, w0, w1, now):
    """Switch allocation of the router of words `w0` to `w1`; how many flits were sent."""
    movers = s.masks[w0, MOVERS]
    for word in range(w0 + 1, w1):
        movers |= s.masks[word, MOVERS]
    if movers == 0:
        return np.int64(0)
    if w1 == w0 + 1:
        return switch_in_word(s, w0, now)
    return switch_in_words(s, w0, w1, now)
