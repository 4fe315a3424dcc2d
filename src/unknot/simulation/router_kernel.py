# mypy: ignore-errors
"""One cycle of a router with any number of VCs and any options.

In the order of the stages: credits and flits come in, headers are routed, VCs are allocated, the switch is
allocated, and flits that win it are sent, with a credit for whoever sent them. Every stage works on what was there
when the cycle began. Routers with at most 64 VCs a side and default options go through `simple_kernel` instead.
"""

import numpy as np
from numba import njit

from unknot.simulation.layout import (
    ACCEPT,
    AGED,
    ALLOCATION,
    ARRIVED_BITS,
    ATOMIC,
    BUSY,
    CARRIED,
    CELL,
    CREATED,
    CREDIT,
    CREDIT_BITS,
    CREDIT_CELL,
    CREDITS,
    DEPTH,
    FIRST_INPUT,
    FIRST_OUTPUT,
    FLIT_HOPS,
    FRESH,
    GRANT,
    HEAD_BITS,
    HEADS,
    HOLDERS,
    HOLDS,
    HOPS,
    IDLE,
    IN_CELL,
    IN_LATENCY,
    IN_PORT,
    LAST_MOVE,
    LENGTH,
    MASK,
    MOVERS,
    MOVING,
    NEW_HEADS,
    NEXT_VC,
    NONATOMIC,
    OPEN,
    OUT,
    OUT_LATENCY,
    OUT_PORT,
    OWNER,
    PARTS,
    PENDING,
    PORT,
    READ,
    READER,
    READY_BITS,
    RING,
    ROUTING,
    SAF,
    SENT,
    SEPARABLE,
    SIZE,
    SPECULATIVE,
    STALLED,
    STATE,
    STORED,
    SWITCHED,
    TECHNIQUE,
    TRAVERSAL,
    TURN,
    WHERE,
    WINNERS,
    WORDS,
)
from unknot.simulation.match_kernel import BID, FIRST, FIRST_KEY, REQUESTED, REQUESTER, SECOND, SECOND_KEY, WON, match
from unknot.simulation.selection_kernel import CYCLIC, request
from unknot.simulation.state_kernel import DONE, eject, enqueue, has_room, packet_of, post, wake
from unknot.simulation.view_kernel import view
from unknot.words_kernel import lowest, natural

HOPE = 1 << 62
"""The part of a key that puts a header that speculates last; larger than any age."""


@njit(_nrt=False, forceinline=True)
def bit_of(s, b, w0):
    """Word and bit of input row b in the masks of its router, which begins with word w0."""
    cell = b - s.frames[w0, FIRST_INPUT]
    return natural(w0 + (cell >> 6)), np.int64(1) << (cell & 63)


# Input: credits, flits, and buffers whose stage is over.


@njit(_nrt=False, forceinline=True)
def route(s, b, word, bit, now):
    """The flit in front of input row b, read or come to the front in this cycle, is a header: it is routed."""
    s.inputs[b, STATE], s.inputs[b, OUT] = FRESH, -1
    if s.setup[ROUTING] == 1:
        s.masks[word, NEW_HEADS] |= bit
    elif s.setup[ROUTING] == 0:
        s.masks[word, HEADS] |= bit
    else:
        row = natural(((now + s.setup[ROUTING]) & s.setup[MASK]) * s.setup[WORDS] + word)
        s.inbox[row, HEAD_BITS] |= bit


@njit(_nrt=False, forceinline=True)
def start_moving(s, b, word, bit):
    """Input row b has a flit, an output VC and a credit: it requests the switch."""
    s.inputs[b, STATE] = MOVING
    s.masks[word, MOVERS] |= bit


@njit(_nrt=False, forceinline=True)
def take_credits(s, bits, word, w0, w1):
    """Credits come back to the upstream ends of buffers."""
    inputs, outputs = s.inputs, s.outputs
    while bits != 0:
        bit = bits & -bits
        w = natural(s.frames[word, FIRST_OUTPUT] + lowest(bits))
        bits ^= bit
        free = outputs[w, CREDITS] + 1
        outputs[w, CREDITS] = free
        u = np.int64(outputs[w, OWNER])
        if u < 0:
            if s.setup[TECHNIQUE] >= ATOMIC:
                if s.setup[TECHNIQUE] == NONATOMIC or free < s.setup[DEPTH]:
                    continue
                s.masks[word, OPEN] |= bit
            wake(s, w0, w1)
        elif free == 1 and inputs[u, STATE] == STALLED and inputs[u, STORED] > 0:
            there, mine = bit_of(s, u, w0)
            start_moving(s, u, there, mine)


@njit(_nrt=False, forceinline=True)
def take_flits(s, bits, word, now):
    """Flits are read into buffers."""
    inputs = s.inputs
    while bits != 0:
        b = natural(s.frames[word, FIRST_INPUT] + lowest(bits))
        bit = bits & -bits
        bits ^= bit
        inputs[b, STORED] += 1
        if inputs[b, STATE] == IDLE:
            route(s, b, word, bit, now)
        elif inputs[b, STATE] == STALLED and has_room(s, natural(inputs[b, OUT])):
            start_moving(s, b, word, bit)


@njit(_nrt=False, forceinline=True)
def finish_stages(s, bits, word, now):
    """Buffers whose VC or switch allocation took longer than a cycle go on."""
    inputs = s.inputs
    while bits != 0:
        b = natural(s.frames[word, FIRST_INPUT] + lowest(bits))
        bit = bits & -bits
        bits ^= bit
        if inputs[b, OUT] < 0:
            inputs[b, STATE] = IDLE
            if inputs[b, STORED] > 0:
                route(s, b, word, bit, now)
        elif inputs[b, STORED] > 0 and has_room(s, natural(inputs[b, OUT])):
            start_moving(s, b, word, bit)
        else:
            inputs[b, STATE] = STALLED


@njit(_nrt=False, forceinline=True)
def open_inbox(s, w0, w1, now):
    """What happens to the buffers of a router in this cycle; whether anything goes on in it."""
    inbox, masks, start = s.inbox, s.masks, (now & s.setup[MASK]) * s.setup[WORDS]
    for word in range(w0, w1):
        row = natural(start + word)
        flits, returned = inbox[row, ARRIVED_BITS], inbox[row, CREDIT_BITS]
        heads, ready = inbox[row, HEAD_BITS], inbox[row, READY_BITS]
        if s.setup[PARTS] > 1:
            flits |= s.outside[row, ARRIVED_BITS]
            returned |= s.outside[row, CREDIT_BITS]
            s.outside[row, ARRIVED_BITS], s.outside[row, CREDIT_BITS] = 0, 0
        if flits | returned | heads | ready:
            inbox[row, ARRIVED_BITS], inbox[row, CREDIT_BITS] = 0, 0
            inbox[row, HEAD_BITS], inbox[row, READY_BITS] = 0, 0
            masks[natural(word), HEADS] |= heads
            take_credits(s, returned, natural(word), w0, w1)
            take_flits(s, flits, natural(word), now)
            if ready:
                finish_stages(s, ready, natural(word), now)
    busy = np.int64(0)
    for word in range(w0, w1):
        w = natural(word)
        busy |= masks[w, HEADS] | masks[w, MOVERS] | masks[w, NEW_HEADS] | masks[w, HOLDERS]
    return busy != 0


# VC allocation: headers request output VCs, outputs and inputs choose.


@njit(_nrt=False, forceinline=True)
def age_key(s, now, p):
    """The part of a key that puts the older packet first; 0 without priority."""
    if s.setup[AGED] == 0:
        return np.int64(0)
    return max(np.int64(0), s.packets[p, CREATED] - now + (np.int64(1) << 31)) << 31


@njit(_nrt=False, forceinline=True)
def front(s, b):
    """The packet in front of input row b, or −1 when its header may not go on before its tail has come."""
    p = packet_of(s, b)
    if s.setup[TECHNIQUE] == SAF and s.inputs[b, STORED] < s.packets[p, LENGTH]:
        return np.int64(-1)
    return p


@njit(_nrt=False, forceinline=True)
def request_vcs(rule, s, w0, w1, now):
    """Requests of all headers; how many, or minus the status when the rule failed.

    Headers that speculate bid for the switch: BID of the rows of `asked`, up to a −1, is an output row that has a
    credit, above the header's input row in the low 32 bits.
    """
    asked, n, bids = s.asked, np.int64(0), np.int64(0)
    first_input, first_output = np.int64(s.frames[w0, FIRST_INPUT]), np.int64(s.frames[w0, FIRST_OUTPUT])
    for word in range(w0, w1):
        heads = s.masks[natural(word), HEADS]
        while heads != 0:
            b = natural(s.frames[natural(word), FIRST_INPUT] + lowest(heads))
            heads &= heads - 1
            p = front(s, b)
            found = request(rule, s, b, p, w0, w1, now) if p >= 0 else np.int64(0)
            if found < 0:
                s.count[WHERE] = b
                return found
            for k in range(found):
                w, i = natural(s.wanted[natural(k)]), natural(n)
                asked[i, FIRST], asked[i, SECOND] = b - first_input, w - first_output
                asked[i, FIRST_KEY] = (w - first_output - s.inputs[b, ACCEPT]) & CYCLIC
                asked[i, SECOND_KEY] = age_key(s, now, p) | ((b - first_input - s.outputs[w, GRANT]) & CYCLIC)
                n += 1
                if s.setup[SPECULATIVE] == 1 and has_room(s, w):
                    asked[natural(bids), BID] = (np.int64(w) << 32) | np.int64(b)
                    bids += 1
    if s.setup[SPECULATIVE] == 1:
        asked[natural(bids), BID] = -1
    return n


@njit(_nrt=False, forceinline=True)
def win(s, b, w, w0, now):
    """Input row b of the router that begins with word w0 is allocated output row w."""
    inputs, outputs = s.inputs, s.outputs
    p, out = packet_of(s, b), w - s.frames[w0, FIRST_OUTPUT]
    word, bit = bit_of(s, b, w0)
    outputs[w, OWNER] = b
    s.masks[natural(w0 + (out >> 6)), OPEN] &= ~(np.int64(1) << (out & 63))
    inputs[b, OUT], inputs[b, SENT], inputs[b, SIZE] = w, 0, s.packets[p, LENGTH]
    inputs[b, OUT_PORT] = s.sending[natural(outputs[w, PORT]), CELL]
    s.packets[p, HOPS] += outputs[w, READER] >= 0
    s.masks[word, HEADS] &= ~bit
    ready = has_room(s, w)
    if s.setup[ALLOCATION] > 1 and not (ready and s.setup[SPECULATIVE] == 1):
        inputs[b, STATE] = PENDING
        post(s, now + s.setup[ALLOCATION], 64 * w0 + b - s.frames[w0, FIRST_INPUT], READY_BITS)
    elif ready:
        inputs[b, STATE] = MOVING
        s.masks[word, WINNERS] |= bit
    else:
        inputs[b, STATE] = STALLED


@njit(_nrt=False, forceinline=True)
def allocate_vcs(rule, s, w0, w1, now):
    """VC allocation of a router; the status. Pointers move past a match of the first round."""
    n = request_vcs(rule, s, w0, w1, now)
    if n <= 0:
        return -n if n < 0 else np.int64(DONE)
    match(s, n)
    for k in range(n):
        i = natural(k)
        if s.asked[i, WON] > 0:
            into, out = s.asked[i, FIRST], s.asked[i, SECOND]
            b, w = natural(s.frames[w0, FIRST_INPUT] + into), natural(s.frames[w0, FIRST_OUTPUT] + out)
            if s.asked[i, WON] == 1:
                s.outputs[w, GRANT], s.inputs[b, ACCEPT] = into + 1, out + 1
            win(s, b, w, w0, now)
    return np.int64(DONE)


# Switch allocation: input ports request output ports, each pair with one VC.


@njit(_nrt=False, forceinline=True)
def put_forward(s, n, start, b, w, w0, now, hope):
    """Input row b requests the port of output row w; how many requests there are then.

    Those of its input port begin at `start`. Of the VCs that request the same port the first in turn is put forward:
    it is the REQUESTER of the pair, and REQUESTED its rank.
    """
    asked = s.asked
    out, into = natural(s.outputs[w, PORT]), natural(s.inputs[b, IN_PORT])
    if s.setup[HOLDS] == 1 and (s.sending[out, BUSY] == 1 or s.receiving[into, BUSY] == 1):
        return n
    age = age_key(s, now, packet_of(s, b))
    rank = hope | age | ((b - s.frames[w0, FIRST_INPUT] - s.receiving[into, NEXT_VC]) & CYCLIC)
    first, second = np.int64(s.receiving[into, CELL]), np.int64(s.sending[out, CELL])
    k = natural(start)
    while k < n and (asked[k, SECOND] != second or asked[k, FIRST] != first):
        k = natural(k + 1)
    if k < n and asked[k, REQUESTED] <= rank:
        return n
    if s.setup[SEPARABLE] == 1:
        age |= hope
    asked[k, FIRST], asked[k, SECOND] = first, second
    asked[k, FIRST_KEY] = age | ((second - s.receiving[into, TURN]) & CYCLIC)
    asked[k, SECOND_KEY] = age | ((first - s.sending[out, TURN]) & CYCLIC)
    asked[k, REQUESTER], asked[k, REQUESTED] = b, rank
    return max(n, k + 1)


@njit(_nrt=False, forceinline=True)
def request_ports(s, w0, w1, now):
    """Requests of the buffers that have a flit and a credit, and of headers that speculate; how many."""
    n, start, port = np.int64(0), np.int64(0), np.int64(-1)
    for word in range(w0, w1):
        ready = s.masks[natural(word), MOVERS]
        while ready != 0:
            b = natural(s.frames[natural(word), FIRST_INPUT] + lowest(ready))
            ready &= ready - 1
            if s.inputs[b, IN_PORT] != port:
                start, port = n, np.int64(s.inputs[b, IN_PORT])
            n = put_forward(s, n, start, b, natural(s.inputs[b, OUT]), w0, now, np.int64(0))
    if s.setup[SPECULATIVE] == 1:
        bids = natural(0)
        while s.asked[bids, BID] >= 0:
            bid = s.asked[bids, BID]
            n = put_forward(s, n, 0, natural(bid & 0xFFFFFFFF), natural(bid >> 32), w0, now, np.int64(HOPE))
            bids = natural(bids + 1)
    return n


@njit(_nrt=False, forceinline=True)
def wasted(s, i, b, out, w0):
    """Whether a match was for a header that speculated and has no VC of that port, with a credit."""
    if s.asked[i, REQUESTED] < HOPE:
        return False
    word, bit = bit_of(s, b, w0)
    return s.masks[word, WINNERS] & bit == 0 or s.outputs[natural(s.inputs[b, OUT]), PORT] != out


@njit(_nrt=False, forceinline=True)
def allocate_switch(s, w0, w1, now):
    """Switch allocation of a router; how many flits were sent. Pointers move past a match of the first round."""
    setup = s.setup
    sent = go_on(s, w0, w1, now) if setup[HOLDS] == 1 else np.int64(0)
    n = request_ports(s, w0, w1, now)
    if n > 0:
        match(s, n)
    first_input, first_output = s.frames[w0, FIRST_INPUT], s.frames[w0, FIRST_OUTPUT]
    for k in range(n):
        i = natural(k)
        if s.asked[i, WON] > 0:
            b = natural(s.asked[i, REQUESTER])
            out, into = natural(first_output + s.asked[i, SECOND]), natural(first_input + s.asked[i, FIRST])
            if s.asked[i, WON] == 1:
                s.sending[out, TURN], s.receiving[into, TURN] = s.asked[i, FIRST] + 1, s.asked[i, SECOND] + 1
            s.receiving[into, NEXT_VC] = b - first_input + 1
            if not wasted(s, i, b, out, w0):
                late = max(setup[ALLOCATION], setup[SWITCHED]) if s.asked[i, REQUESTED] >= HOPE else setup[SWITCHED]
                send(s.raw, b, w0, w1, now, late - 1)
                sent += 1
    if setup[SPECULATIVE] == 1 and setup[ALLOCATION] > 1:
        hold_back(s, w0, w1, now)
    if setup[HOLDS] == 1:
        for b in range(first_input, s.frames[w1, FIRST_INPUT]):
            s.receiving[natural(s.inputs[natural(b), IN_PORT]), BUSY] = 0
        for w in range(first_output, s.frames[w1, FIRST_OUTPUT]):
            s.sending[natural(s.outputs[natural(w), PORT]), BUSY] = 0
    return sent


@njit(_nrt=False, forceinline=True)
def go_on(s, w0, w1, now):
    """Buffers that hold the switch send, or let it go; how many flits were sent."""
    sent = np.int64(0)
    for word in range(w0, w1):
        holders = s.masks[natural(word), HOLDERS]
        while holders != 0:
            bit = holders & -holders
            b = natural(s.frames[natural(word), FIRST_INPUT] + lowest(holders))
            holders ^= bit
            if s.inputs[b, STATE] == MOVING or s.inputs[b, STATE] == PENDING:
                s.sending[natural(s.outputs[natural(s.inputs[b, OUT]), PORT]), BUSY] = 1
                s.receiving[natural(s.inputs[b, IN_PORT]), BUSY] = 1
                if s.inputs[b, STATE] == MOVING:
                    send(s.raw, b, w0, w1, now, s.setup[SWITCHED] - 1)
                    sent += 1
            else:
                s.masks[natural(word), HOLDERS] ^= bit
    return sent


@njit(_nrt=False, forceinline=True)
def hold_back(s, w0, w1, now):
    """Headers that speculated in vain request the switch when their VC allocation is over."""
    for word in range(w0, w1):
        unlucky = s.masks[natural(word), WINNERS]
        s.masks[natural(word), WINNERS] = 0
        while unlucky != 0:
            bit = lowest(unlucky)
            unlucky &= unlucky - 1
            s.inputs[natural(s.frames[natural(word), FIRST_INPUT] + bit), STATE] = PENDING
            post(s, now + s.setup[ALLOCATION], 64 * word + bit, READY_BITS)


# Traversal.


@njit(_nrt=False)
def send(raw, b, w0, w1, now, stay):
    """The front flit of input row b has won the switch and leaves after so many cycles more than one."""
    s = view(raw)
    b, w0, w1 = natural(b), natural(w0), natural(w1)
    inputs, outputs, setup = s.inputs, s.outputs, s.setup
    w, gone = natural(inputs[b, OUT]), now + 1 + stay
    stored, sent = inputs[b, STORED] - 1, inputs[b, SENT] + 1
    inputs[b, STORED], inputs[b, SENT] = stored, sent
    tail, more = sent == inputs[b, SIZE], stored > 0
    post(s, gone + inputs[b, IN_LATENCY] + setup[CREDIT], np.int64(inputs[b, CREDIT_CELL]), CREDIT_BITS)
    s.sending[natural(outputs[w, PORT]), CARRIED] += 1
    if outputs[w, READER] >= 0:
        if sent == 1:
            enqueue(s, w, packet_of(s, b))
        free = outputs[w, CREDITS] - 1
        outputs[w, CREDITS] = free
        more = more and free > 0
        post(s, gone + setup[TRAVERSAL] + outputs[w, OUT_LATENCY], np.int64(outputs[w, IN_CELL]), ARRIVED_BITS)
    else:
        eject(s, packet_of(s, b), tail, now, gone + setup[TRAVERSAL] + 1)
    word, bit = bit_of(s, b, w0)
    s.masks[word, WINNERS] &= ~bit
    if tail:
        release(s, w, w0, w1)
        inputs[b, READ] = inputs[b, READ] + 1 if inputs[b, READ] + 1 < setup[RING] else 0
        inputs[b, OUT] = -1
    if stay > 0:
        inputs[b, STATE] = PENDING
        post(s, gone, 64 * w0 + b - s.frames[w0, FIRST_INPUT], READY_BITS)
    elif not tail:
        inputs[b, STATE] = MOVING if more else STALLED
    elif stored > 0:
        inputs[b, STATE] = FRESH
        post(s, gone + setup[ROUTING], 64 * w0 + b - s.frames[w0, FIRST_INPUT], HEAD_BITS)
    else:
        inputs[b, STATE] = IDLE
    if inputs[b, STATE] == MOVING:
        s.masks[word, MOVERS] |= bit
    else:
        s.masks[word, MOVERS] &= ~bit
    if setup[HOLDS] == 1:
        if not tail and stored > 0:
            s.masks[word, HOLDERS] |= bit
        else:
            s.masks[word, HOLDERS] &= ~bit


@njit(_nrt=False, forceinline=True)
def release(s, w, w0, w1):
    """A tail was sent into output row w: another packet may be allocated it, under atomic allocation not yet."""
    s.outputs[w, OWNER] = -1
    if s.outputs[w, READER] < 0 or s.setup[TECHNIQUE] != ATOMIC:
        out = w - s.frames[w0, FIRST_OUTPUT]
        s.masks[natural(w0 + (out >> 6)), OPEN] |= np.int64(1) << (out & 63)
    wake(s, w0, w1)


@njit(_nrt=False)
def work(rule, raw, w0, w1, now):
    """All but the input of one cycle of the router of words w0 to w1; the status."""
    s = view(raw)
    w0, w1, masks = natural(w0), natural(w1), s.masks
    status = allocate_vcs(rule, s, w0, w1, now)
    if status != DONE:
        return status
    sent = allocate_switch(s, w0, w1, now)
    if sent:
        s.count[FLIT_HOPS] += sent
        s.count[LAST_MOVE] = now
    for word in range(w0, w1):
        w = natural(word)
        masks[w, MOVERS] |= masks[w, WINNERS]
        masks[w, HEADS] |= masks[w, NEW_HEADS]
        masks[w, WINNERS], masks[w, NEW_HEADS] = 0, 0
    return np.int64(DONE)
