# mypy: ignore-errors
"""Switch allocation of one router, and what becomes of a flit that wins the switch.

One iteration of iSLIP over ports: each input port puts forward, for each output port, the first ready VC at or after
its pointer; every output port grants, every input port accepts. Other allocators are in `general_kernel`.
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
    FIRST_INPUT,
    FIRST_OUTPUT,
    FLITS_OUT,
    FLITS_OUT_MEASURED,
    FREE,
    FRESH,
    HEAD_BITS,
    HEADS,
    HOPS,
    HOPS_SUM,
    IDLE,
    IN_CELL,
    IN_LATENCY,
    IN_PORT,
    INJECTED,
    KEY,
    LATENCY_SUM,
    MEASURE_FROM,
    MEASURE_TO,
    MEASURED_ARRIVED,
    MOVERS,
    MOVING,
    NETWORK_SUM,
    NEXT_VC,
    OPEN,
    OUT,
    OUT_LATENCY,
    OWNER,
    PENDING,
    PORT,
    READ,
    READER,
    READY_BITS,
    RING,
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
from unknot.simulation.selection_kernel import CYCLIC
from unknot.simulation.state_kernel import enqueue, packet_of, post
from unknot.words_kernel import lowest, natural


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
def wake(s, w0, w1):
    """An output VC of the router is free, or has a credit more: headers that sleep request again."""
    for word in range(w0, w1):
        s.masks[natural(word), HEADS] |= s.masks[natural(word), ASLEEP]
        s.masks[natural(word), ASLEEP] = 0


@njit(_nrt=False, forceinline=True)
def send(s, b, w0, w1, now, stay):
    """The front flit of input row b has won the switch and leaves after so many cycles more than one."""
    inputs, outputs, setup = s.inputs, s.outputs, s.setup
    w = natural(inputs[b, OUT])
    stored, sent = inputs[b, STORED] - 1, inputs[b, SENT] + 1
    inputs[b, STORED], inputs[b, SENT] = stored, sent
    gone = now + 1 + stay
    post(s, gone + inputs[b, IN_LATENCY] + setup[CREDIT], np.int64(inputs[b, CREDIT_CELL]), CREDIT_BITS)
    tail = sent == inputs[b, SIZE]
    more = stored > 0
    s.sending[natural(outputs[w, PORT]), CARRIED] += 1
    if outputs[w, READER] >= 0:
        if sent == 1:
            enqueue(s, w, packet_of(s, b))
        free = outputs[w, CREDITS] - 1
        outputs[w, CREDITS] = free
        more = more and free > 0
        post(s, gone + setup[TRAVERSAL] + outputs[w, OUT_LATENCY], np.int64(outputs[w, IN_CELL]), ARRIVED_BITS)
    else:
        s.count[FLITS_OUT] += 1
        s.count[FLITS_OUT_MEASURED] += setup[MEASURE_FROM] <= now < setup[MEASURE_TO]
        if tail:
            retire(s, packet_of(s, b), gone + setup[TRAVERSAL] + 1)
    cell = b - s.frames[w0, FIRST_INPUT]
    word, bit = natural(w0 + (cell >> 6)), np.int64(1) << (cell & 63)
    if tail:
        outputs[w, OWNER] = -1
        if outputs[w, READER] < 0 or setup[TECHNIQUE] != ATOMIC:
            out = w - s.frames[w0, FIRST_OUTPUT]
            s.masks[natural(w0 + (out >> 6)), OPEN] |= np.int64(1) << (out & 63)
        wake(s, w0, w1)
        inputs[b, READ] = inputs[b, READ] + 1 if inputs[b, READ] + 1 < setup[RING] else 0
        inputs[b, OUT] = -1
        s.masks[word, MOVERS] &= ~bit
        if stay > 0:
            inputs[b, STATE] = PENDING
            post(s, gone, 64 * w0 + cell, READY_BITS)
        elif stored > 0:
            inputs[b, STATE] = FRESH
            post(s, gone + setup[ROUTING], 64 * w0 + cell, HEAD_BITS)
        else:
            inputs[b, STATE] = IDLE
    elif stay > 0:
        inputs[b, STATE] = PENDING
        s.masks[word, MOVERS] &= ~bit
        post(s, gone, 64 * w0 + cell, READY_BITS)
    elif more:
        inputs[b, STATE] = MOVING
        s.masks[word, MOVERS] |= bit
    else:
        inputs[b, STATE] = STALLED
        s.masks[word, MOVERS] &= ~bit


@njit(_nrt=False, forceinline=True)
def grant(s, b, out, into, w0, w1, now):
    """Ports are matched, with input row b: their pointers move past each other and past it, and its flit is sent."""
    s.sending[out, TURN], s.receiving[into, TURN] = s.receiving[into, CELL] + 1, s.sending[out, CELL] + 1
    s.receiving[into, NEXT_VC] = b - s.frames[w0, FIRST_INPUT] + 1
    send(s, b, w0, w1, now, s.setup[SWITCHED] - 1)


@njit(_nrt=False, forceinline=True)
def ask(s, word, movers, first_input, outs):
    """Buffers of a word request the switch; output ports keep the best request. How many ports were asked."""
    sending, receiving, inputs = s.sending, s.receiving, s.inputs
    while movers != 0:
        b = natural(s.frames[word, FIRST_INPUT] + lowest(movers))
        movers &= movers - 1
        out, into = natural(s.outputs[natural(inputs[b, OUT]), PORT]), natural(inputs[b, IN_PORT])
        key = (receiving[into, CELL] - sending[out, TURN]) & CYCLIC
        if sending[out, BEST] < 0:
            s.touched[natural(outs)] = out
            outs += 1
        elif key > sending[out, KEY]:
            continue
        elif key == sending[out, KEY]:
            turn = first_input + receiving[into, NEXT_VC]
            if (b - turn) & CYCLIC > (sending[out, BEST] - turn) & CYCLIC:
                continue
        sending[out, KEY], sending[out, BEST] = key, b
    return outs


@njit(_nrt=False, forceinline=True)
def answer(s, outs, w0, w1, now):
    """Output ports grant, input ports accept, and flits are sent; how many."""
    sending, receiving, ends = s.sending, s.receiving, outs
    for i in range(outs):
        out = natural(s.touched[natural(i)])
        into = natural(s.inputs[natural(sending[out, BEST]), IN_PORT])
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
        grant(s, natural(sending[out, BEST]), out, into, w0, w1, now)
    for i in range(outs):
        sending[natural(s.touched[natural(i)]), BEST] = -1
    return ends - outs


@njit(_nrt=False, forceinline=True)
def switch_plainly(s, w0, w1, now):
    """Switch allocation of the router of words `w0` to `w1`; how many flits won."""
    outs = np.int64(0)
    for word in range(w0, w1):
        outs = ask(s, natural(word), s.masks[natural(word), MOVERS], np.int64(s.frames[w0, FIRST_INPUT]), outs)
    return answer(s, outs, natural(w0), natural(w1), now)
