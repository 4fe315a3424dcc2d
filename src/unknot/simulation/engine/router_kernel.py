# mypy: ignore-errors
"""One cycle of a router with any number of VCs and any options.

In the order of the stages: credits and flits come in, headers are routed, VCs are allocated, the switch is
allocated, and flits that win it are sent, with a credit for whoever sent them. Every stage works on what was there
when the cycle began. Routers with at most 64 VCs a side and default options go through `simple_kernel` instead.
"""

import numpy as np
from numba import njit

from unknot.simulation.engine.match_kernel import CYCLIC, match, match_one, numbered, offer
from unknot.simulation.engine.selection_kernel import request
from unknot.simulation.engine.state import ATOMIC, FRESH, IDLE, MOVING, NONATOMIC, PENDING, SAF, STALLED
from unknot.simulation.engine.state_kernel import DONE, eject, enqueue, has_room, note, packet_of, post, wake
from unknot.simulation.engine.view_kernel import view
from unknot.words_kernel import lowest, natural

HOPE = 1 << 62
"""The part of a key that puts a header that speculates last; larger than any age."""


@njit(_nrt=False, forceinline=True)
def bit_of(s, b, w0):
    """Word and bit of input row b in the masks of its router, which begins with word w0."""
    cell = b - s.words.first_input[w0]
    return natural(w0 + (cell >> 6)), np.int64(1) << (cell & 63)


# Input: credits, flits, and buffers whose stage is over.


@njit(_nrt=False, forceinline=True)
def route(s, b, word, bit, now):
    """The flit in front of input row b, read or come to the front in this cycle, is a header: it is routed."""
    s.inputs.state[b], s.inputs.out[b] = FRESH, -1
    if s.setup.routing == 1:
        s.masks.new_heads[word] |= bit
    elif s.setup.routing == 0:
        s.masks.heads[word] |= bit
    else:
        row = natural(((now + s.setup.routing) & s.setup.slots) * s.setup.num_words + word)
        s.inbox.heads[row] |= bit


@njit(_nrt=False, forceinline=True)
def start_moving(s, b, word, bit):
    """Input row b has a flit, an output VC and a credit: it requests the switch."""
    s.inputs.state[b] = MOVING
    s.masks.movers[word] |= bit


@njit(_nrt=False, forceinline=True)
def take_credits(s, bits, word, w0, w1):
    """Credits come back to the upstream ends of buffers."""
    inputs, outputs = s.inputs, s.outputs
    while bits != 0:
        bit = bits & -bits
        w = natural(s.words.first_output[word] + lowest(bits))
        bits ^= bit
        free = outputs.credits[w] + 1
        outputs.credits[w] = free
        u = np.int64(outputs.owner[w])
        if u < 0:
            if s.setup.technique >= ATOMIC:
                if s.setup.technique == NONATOMIC or free < s.setup.depth:
                    continue
                s.masks.open[word] |= bit
            wake(s, w0, w1)
        elif free == 1 and inputs.state[u] == STALLED and inputs.stored[u] > 0:
            there, mine = bit_of(s, u, w0)
            start_moving(s, u, there, mine)


@njit(_nrt=False, forceinline=True)
def take_flits(s, bits, word, now):
    """Flits are read into buffers."""
    inputs = s.inputs
    while bits != 0:
        b = natural(s.words.first_input[word] + lowest(bits))
        bit = bits & -bits
        bits ^= bit
        inputs.stored[b] += 1
        if inputs.state[b] == IDLE:
            route(s, b, word, bit, now)
        elif inputs.state[b] == STALLED and has_room(s, natural(inputs.out[b])):
            start_moving(s, b, word, bit)


@njit(_nrt=False, forceinline=True)
def finish_stages(s, bits, word, now):
    """Buffers whose VC or switch allocation took longer than a cycle go on."""
    inputs = s.inputs
    while bits != 0:
        b = natural(s.words.first_input[word] + lowest(bits))
        bit = bits & -bits
        bits ^= bit
        if inputs.out[b] < 0:
            inputs.state[b] = IDLE
            if inputs.stored[b] > 0:
                route(s, b, word, bit, now)
        elif inputs.stored[b] > 0 and has_room(s, natural(inputs.out[b])):
            start_moving(s, b, word, bit)
        else:
            inputs.state[b] = STALLED


@njit(_nrt=False, forceinline=True)
def open_inbox(s, w0, w1, now):
    """What happens to the buffers of a router in this cycle; whether anything goes on in it."""
    inbox, masks, start = s.inbox, s.masks, (now & s.setup.slots) * s.setup.num_words
    for word in range(w0, w1):
        row = natural(start + word)
        flits, returned = inbox.flits[row], inbox.credits[row]
        heads, ready = inbox.heads[row], inbox.ready[row]
        if s.setup.parts > 1:
            flits |= s.outside.flits[row]
            returned |= s.outside.credits[row]
            s.outside.flits[row], s.outside.credits[row] = 0, 0
        if flits | returned | heads | ready:
            inbox.flits[row], inbox.credits[row] = 0, 0
            inbox.heads[row], inbox.ready[row] = 0, 0
            masks.heads[natural(word)] |= heads
            take_credits(s, returned, natural(word), w0, w1)
            take_flits(s, flits, natural(word), now)
            if ready:
                finish_stages(s, ready, natural(word), now)
    busy = np.int64(0)
    for word in range(w0, w1):
        w = natural(word)
        busy |= masks.heads[w] | masks.movers[w] | masks.new_heads[w] | masks.holders[w]
    return busy != 0


# VC allocation: headers request output VCs, outputs and inputs choose.


@njit(_nrt=False, forceinline=True)
def age_key(s, now, p):
    """The part of a key that puts the older packet first; 0 without priority."""
    if s.setup.aged == 0:
        return np.int64(0)
    return max(np.int64(0), s.packets.created[p] - now + (np.int64(1) << 31)) << 31


@njit(_nrt=False, forceinline=True)
def front(s, b):
    """The packet in front of input row b, or −1 when its header may not go on before its tail has come."""
    p = packet_of(s, b)
    if s.setup.technique == SAF and s.inputs.stored[b] < s.packets.length[p]:
        return np.int64(-1)
    return p


@njit(_nrt=False, forceinline=True)
def request_vcs(rule, s, ends, w0, w1, now):
    """Requests of all headers: how many, or minus the status when the rule failed; and of how many headers.

    Headers that speculate bid for the switch: `bid` of the rows of `requests`, up to a −1, is an output row with a
    credit, above the header's input row in the low 32 bits.
    """
    requests, n, bids, headers = s.requests, np.int64(0), np.int64(0), np.int64(0)
    for word in range(w0, w1):
        heads = s.masks.heads[natural(word)]
        while heads != 0:
            b = natural(s.words.first_input[natural(word)] + lowest(heads))
            heads &= heads - 1
            p = front(s, b)
            found = request(rule, s, b, p, w0, w1, now) if p >= 0 else np.int64(0)
            if found < 0:
                s.count.failed_at = b
                return found, headers
            headers += found > 0
            for k in range(found):
                w, i = natural(s.chosen[natural(k)]), natural(n)
                requests.input[i], requests.output[i] = b - ends.first_input, w - ends.first_output
                requests.age[i] = age_key(s, now, p)
                offer(s, ends, i)
                n += 1
                if s.setup.speculative == 1 and has_room(s, w):
                    requests.bid[natural(bids)] = (np.int64(w) << 32) | np.int64(b)
                    bids += 1
    if s.setup.speculative == 1:
        requests.bid[natural(bids)] = -1
    return n, headers


@njit(_nrt=False, forceinline=True)
def win(s, b, w, w0, now):
    """Input row b of the router that begins with word w0 is allocated output row w."""
    inputs, outputs = s.inputs, s.outputs
    p, out = packet_of(s, b), w - s.words.first_output[w0]
    word, bit = bit_of(s, b, w0)
    outputs.owner[w] = b
    s.masks.open[natural(w0 + (out >> 6))] &= ~(np.int64(1) << (out & 63))
    inputs.out[b], inputs.sent[b], inputs.length[b] = w, 0, s.packets.length[p]
    inputs.out_port_bit[b] = s.out_ports.first_bit[natural(outputs.port[w])]
    s.packets.hops[p] += outputs.reader[w] >= 0
    s.masks.heads[word] &= ~bit
    ready = has_room(s, w)
    if s.setup.vc_allocation > 1 and not (ready and s.setup.speculative == 1):
        inputs.state[b] = PENDING
        note(s, s.inbox.ready, now + s.setup.vc_allocation, 64 * w0 + b - s.words.first_input[w0])
    elif ready:
        inputs.state[b] = MOVING
        s.masks.winners[word] |= bit
    else:
        inputs.state[b] = STALLED


@njit(_nrt=False, forceinline=True)
def allocate_vcs(rule, s, w0, w1, now):
    """VC allocation of a router; the status. Pointers move past a match of the first round."""
    first_input, first_output = np.int64(s.words.first_input[w0]), np.int64(s.words.first_output[w0])
    ends = numbered(s, s.inputs.accept_pointer, first_input, s.outputs.grant_pointer, first_output)
    n, headers = request_vcs(rule, s, ends, w0, w1, now)
    if n <= 0:
        return -n if n < 0 else np.int64(DONE)
    if headers == 1:
        match_one(s, ends, n)
    else:
        match(s, ends, n)
    for k in range(n):
        i = natural(k)
        if s.requests.won[i] > 0:
            into, out = s.requests.input[i], s.requests.output[i]
            b, w = natural(first_input + into), natural(first_output + out)
            if s.requests.won[i] == 1:
                s.outputs.grant_pointer[w], s.inputs.accept_pointer[b] = into + 1, out + 1
            win(s, b, w, w0, now)
    return np.int64(DONE)


# Switch allocation: input ports request output ports, each pair with one VC.


@njit(_nrt=False, forceinline=True)
def put_forward(s, ends, n, start, b, w, now, hope):
    """Input row b requests the port of output row w; how many requests there are then.

    Those of its input port begin at `start`. Of the VCs that request the same port the first in turn is put forward:
    it is the `vc` of the request, and `rank` says how far from its turn it is.
    """
    requests = s.requests
    out, into = natural(s.outputs.port[w]), natural(s.inputs.port[b])
    if s.setup.holds == 1 and (s.out_ports.busy[out] == 1 or s.in_ports.busy[into] == 1):
        return n
    age = age_key(s, now, packet_of(s, b))
    rank = hope | age | ((b - ends.first_input - s.in_ports.vc_pointer[into]) & CYCLIC)
    first, second = np.int64(s.in_ports.first_bit[into]), np.int64(s.out_ports.first_bit[out])
    k = natural(start)
    while k < n and (requests.output[k] != second or requests.input[k] != first):
        k = natural(k + 1)
    if k < n and requests.rank[k] <= rank:
        return n
    if s.setup.separable == 1:
        age |= hope
    requests.input[k], requests.output[k], requests.age[k] = first, second, age
    requests.vc[k], requests.rank[k] = b, rank
    offer(s, ends, k)
    return max(n, k + 1)


@njit(_nrt=False, forceinline=True)
def request_ports(s, ends, w0, w1, now):
    """Requests of the buffers that have a flit and a credit, and of headers that speculate; how many."""
    n, start, port = np.int64(0), np.int64(0), np.int64(-1)
    for word in range(w0, w1):
        ready = s.masks.movers[natural(word)]
        while ready != 0:
            b = natural(s.words.first_input[natural(word)] + lowest(ready))
            ready &= ready - 1
            if s.inputs.port[b] != port:
                start, port = n, np.int64(s.inputs.port[b])
            n = put_forward(s, ends, n, start, b, natural(s.inputs.out[b]), now, np.int64(0))
    if s.setup.speculative == 1:
        bids = natural(0)
        while s.requests.bid[bids] >= 0:
            bid = s.requests.bid[bids]
            n = put_forward(s, ends, n, 0, natural(bid & 0xFFFFFFFF), natural(bid >> 32), now, np.int64(HOPE))
            bids = natural(bids + 1)
    return n


@njit(_nrt=False, forceinline=True)
def wasted(s, i, b, out, w0):
    """Whether a match was for a header that speculated and has no VC of that port, with a credit."""
    if s.requests.rank[i] < HOPE:
        return False
    word, bit = bit_of(s, b, w0)
    return s.masks.winners[word] & bit == 0 or s.outputs.port[natural(s.inputs.out[b])] != out


@njit(_nrt=False, forceinline=True)
def allocate_switch(s, w0, w1, now):
    """Switch allocation of a router; how many flits were sent. Pointers move past a match of the first round."""
    setup = s.setup
    sent = go_on(s, w0, w1, now) if setup.holds == 1 else np.int64(0)
    first_input, first_output = np.int64(s.words.first_input[w0]), np.int64(s.words.first_output[w0])
    ends = numbered(s, s.in_ports.pointer, first_input, s.out_ports.pointer, first_output)
    n = request_ports(s, ends, w0, w1, now)
    if n == 1:
        match_one(s, ends, n)
    elif n > 1:
        match(s, ends, n)
    for k in range(n):
        i = natural(k)
        if s.requests.won[i] > 0:
            b = natural(s.requests.vc[i])
            out, into = natural(first_output + s.requests.output[i]), natural(first_input + s.requests.input[i])
            if s.requests.won[i] == 1:
                s.out_ports.pointer[out], s.in_ports.pointer[into] = s.requests.input[i] + 1, s.requests.output[i] + 1
            s.in_ports.vc_pointer[into] = b - first_input + 1
            if not wasted(s, i, b, out, w0):
                first = setup.vc_allocation if s.requests.rank[i] >= HOPE else np.int64(1)
                send(s.raw, b, w0, w1, now, max(first, setup.switch_allocation) - 1)
                sent += 1
    if setup.speculative == 1 and setup.vc_allocation > 1:
        hold_back(s, w0, w1, now)
    if setup.holds == 1:
        for b in range(first_input, s.words.first_input[w1]):
            s.in_ports.busy[natural(s.inputs.port[natural(b)])] = 0
        for w in range(first_output, s.words.first_output[w1]):
            s.out_ports.busy[natural(s.outputs.port[natural(w)])] = 0
    return sent


@njit(_nrt=False, forceinline=True)
def go_on(s, w0, w1, now):
    """Buffers that hold the switch send, or let it go; how many flits were sent."""
    sent = np.int64(0)
    for word in range(w0, w1):
        holders = s.masks.holders[natural(word)]
        while holders != 0:
            bit = holders & -holders
            b = natural(s.words.first_input[natural(word)] + lowest(holders))
            holders ^= bit
            if s.inputs.state[b] == MOVING or s.inputs.state[b] == PENDING:
                s.out_ports.busy[natural(s.outputs.port[natural(s.inputs.out[b])])] = 1
                s.in_ports.busy[natural(s.inputs.port[b])] = 1
                if s.inputs.state[b] == MOVING:
                    send(s.raw, b, w0, w1, now, s.setup.switch_allocation - 1)
                    sent += 1
            else:
                s.masks.holders[natural(word)] ^= bit
    return sent


@njit(_nrt=False, forceinline=True)
def hold_back(s, w0, w1, now):
    """Headers that speculated in vain request the switch when their VC allocation is over."""
    for word in range(w0, w1):
        unlucky = s.masks.winners[natural(word)]
        s.masks.winners[natural(word)] = 0
        while unlucky != 0:
            bit = lowest(unlucky)
            unlucky &= unlucky - 1
            s.inputs.state[natural(s.words.first_input[natural(word)] + bit)] = PENDING
            note(s, s.inbox.ready, now + s.setup.vc_allocation, 64 * word + bit)


# Traversal.


@njit(_nrt=False)
def send(raw, b, w0, w1, now, stay):
    """Send the front flit of input row b, which has won the switch; `stay` is the delay beyond one cycle."""
    s = view(raw)
    b, w0, w1 = natural(b), natural(w0), natural(w1)
    inputs, outputs, setup = s.inputs, s.outputs, s.setup
    w, gone = natural(inputs.out[b]), now + 1 + stay
    stored, sent = inputs.stored[b] - 1, inputs.sent[b] + 1
    inputs.stored[b], inputs.sent[b] = stored, sent
    tail, more = sent == inputs.length[b], stored > 0
    post(
        s, s.inbox.credits, s.outside.credits, gone + inputs.latency[b] + setup.credit, np.int64(inputs.credit_bit[b])
    )
    s.out_ports.carried[natural(outputs.port[w])] += 1
    if outputs.reader[w] >= 0:
        if sent == 1:
            enqueue(s, w, packet_of(s, b))
        free = outputs.credits[w] - 1
        outputs.credits[w] = free
        more = more and free > 0
        post(
            s,
            s.inbox.flits,
            s.outside.flits,
            gone + setup.traversal + outputs.latency[w],
            np.int64(outputs.flit_bit[w]),
        )
    else:
        eject(s, packet_of(s, b), tail, now, gone + setup.traversal + 1)
    word, bit = bit_of(s, b, w0)
    s.masks.winners[word] &= ~bit
    if tail:
        release(s, w, w0, w1)
        inputs.front[b] = inputs.front[b] + 1 if inputs.front[b] + 1 < setup.ring else 0
        inputs.out[b] = -1
    if stay > 0:
        inputs.state[b] = PENDING
        note(s, s.inbox.ready, gone, 64 * w0 + b - s.words.first_input[w0])
    elif not tail:
        inputs.state[b] = MOVING if more else STALLED
    elif stored > 0:
        inputs.state[b] = FRESH
        note(s, s.inbox.heads, gone + setup.routing, 64 * w0 + b - s.words.first_input[w0])
    else:
        inputs.state[b] = IDLE
    if inputs.state[b] == MOVING:
        s.masks.movers[word] |= bit
    else:
        s.masks.movers[word] &= ~bit
    if setup.holds == 1:
        if not tail and stored > 0:
            s.masks.holders[word] |= bit
        else:
            s.masks.holders[word] &= ~bit


@njit(_nrt=False, forceinline=True)
def release(s, w, w0, w1):
    """A tail was sent into output row w: another packet may be allocated it, under atomic allocation not yet."""
    s.outputs.owner[w] = -1
    if s.outputs.reader[w] < 0 or s.setup.technique != ATOMIC:
        out = w - s.words.first_output[w0]
        s.masks.open[natural(w0 + (out >> 6))] |= np.int64(1) << (out & 63)
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
        s.count.flit_hops += sent
        s.count.last_move = now
    for word in range(w0, w1):
        w = natural(word)
        masks.movers[w] |= masks.winners[w]
        masks.heads[w] |= masks.new_heads[w]
        masks.winners[w], masks.new_heads[w] = 0, 0
    return np.int64(DONE)
