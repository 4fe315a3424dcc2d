# mypy: ignore-errors
"""Allocation in one router by any allocator, by age, with speculation and with packets that hold the switch."""

import numpy as np
from numba import njit

from unknot.simulation.layout import (
    ACCEPT,
    AGED,
    ALLOCATION,
    BUSY,
    CELL,
    CREATED,
    FIRST_INPUT,
    FIRST_OUTPUT,
    GRANT,
    HEADS,
    HOLDERS,
    HOLDS,
    IN_PORT,
    MOVERS,
    MOVING,
    NEXT_VC,
    OUT,
    PENDING,
    PORT,
    READY_BITS,
    SEPARABLE,
    SPECULATIVE,
    STATE,
    STORED,
    SWITCHED,
    TURN,
    WHERE,
    WINNERS,
)
from unknot.simulation.match_kernel import BID, FIRST, FIRST_KEY, REQUESTED, REQUESTER, SECOND, SECOND_KEY, WON, match
from unknot.simulation.selection_kernel import CYCLIC, request
from unknot.simulation.state_kernel import DONE, has_room, packet_of, post
from unknot.simulation.switch_kernel import send
from unknot.simulation.vc_kernel import accept, front, win
from unknot.simulation.view_kernel import view
from unknot.words_kernel import lowest, natural

HOPE = 1 << 62
"""The part of a key that puts a header that speculates last; larger than any age."""


@njit(_nrt=False, forceinline=True)
def aged(now, created):
    """The part of a key that puts the older packet first."""
    return max(np.int64(0), created - now + (np.int64(1) << 31)) << 31


@njit(_nrt=False)
def allocate_generally(rule, raw, w0, w1, now):
    """VC allocation of a router by whatever allocator and priority.

    Headers that speculate bid for the switch: BID of the rows of `asked`, up to a −1, is an output row that has a
    credit, above the header's input row in the low 32 bits.
    """
    s = view(raw)
    w0, w1 = natural(w0), natural(w1)
    asked, n, bids = s.asked, np.int64(0), np.int64(0)
    first_input, first_output = np.int64(s.frames[w0, FIRST_INPUT]), np.int64(s.frames[w0, FIRST_OUTPUT])
    for word in range(w0, w1):
        heads = s.masks[word, HEADS]
        while heads != 0:
            b = natural(s.frames[word, FIRST_INPUT] + lowest(heads))
            heads &= heads - 1
            p = front(s, b)
            found = request(rule, s, b, p, w0, w1, now) if p >= 0 else np.int64(0)
            if found < 0:
                s.count[WHERE] = b
                return -found
            for k in range(found):
                w = natural(s.wanted[k])
                first, second = b - first_input, w - first_output
                asked[n, FIRST], asked[n, SECOND] = first, second
                asked[n, FIRST_KEY] = (second - s.inputs[b, ACCEPT]) & CYCLIC
                asked[n, SECOND_KEY] = (first - s.outputs[w, GRANT]) & CYCLIC
                if s.setup[AGED] == 1:
                    asked[n, SECOND_KEY] |= aged(now, s.packets[p, CREATED])
                asked[n, REQUESTER], asked[n, REQUESTED] = b, w
                n += 1
                if s.setup[SPECULATIVE] == 1 and has_room(s, w):
                    asked[bids, BID] = (np.int64(w) << 32) | np.int64(b)
                    bids += 1
    if s.setup[SPECULATIVE] == 1:
        asked[bids, BID] = -1
    match(raw, n)
    for i in range(n):
        b, w = natural(asked[i, REQUESTER]), natural(asked[i, REQUESTED])
        if asked[i, WON] == 1:
            accept(s, b, w, w0, now)
        elif asked[i, WON] > 1:
            win(s, b, w, w0, now)
    return np.int64(DONE)


@njit(_nrt=False)
def dispatch(raw, b, w0, w1, now, stay):
    """Send a flit of input row b; its ports are busy for this cycle, and go on to be held if holding is on."""
    s = view(raw)
    b, w0, w1 = natural(b), natural(w0), natural(w1)
    s.sending[natural(s.outputs[natural(s.inputs[b, OUT]), PORT]), BUSY] = 1
    s.receiving[natural(s.inputs[b, IN_PORT]), BUSY] = 1
    send(s, b, w0, w1, now, stay)
    cell = b - s.frames[w0, FIRST_INPUT]
    word, bit = natural(w0 + (cell >> 6)), np.int64(1) << (cell & 63)
    s.masks[word, WINNERS] &= ~bit
    if s.setup[HOLDS] == 1 and s.inputs[b, OUT] >= 0 and s.inputs[b, STORED] > 0:
        s.masks[word, HOLDERS] |= bit
    else:
        s.masks[word, HOLDERS] &= ~bit


@njit(_nrt=False, forceinline=True)
def go_on(s, w0, w1, now):
    """Buffers that hold the switch send, or let it go; how many flits were sent."""
    sent = np.int64(0)
    for word in range(w0, w1):
        holders = s.masks[word, HOLDERS]
        while holders != 0:
            bit = holders & -holders
            b = natural(s.frames[word, FIRST_INPUT] + lowest(holders))
            holders ^= bit
            if s.inputs[b, STATE] == MOVING:
                dispatch(s.raw, b, w0, w1, now, s.setup[SWITCHED] - 1)
                sent += 1
            elif s.inputs[b, STATE] == PENDING:
                s.sending[natural(s.outputs[natural(s.inputs[b, OUT]), PORT]), BUSY] = 1
                s.receiving[natural(s.inputs[b, IN_PORT]), BUSY] = 1
            else:
                s.masks[word, HOLDERS] ^= bit
    return sent


@njit(_nrt=False, forceinline=True)
def put_forward(s, n, b, w, w0, now, hope):
    """Input row b requests the port of output row w: unless a port is busy, or another VC goes before it, row b is
    the REQUESTER of the pair, and REQUESTED its rank. How many pairs there are then."""
    asked = s.asked
    out, into = natural(s.outputs[w, PORT]), natural(s.inputs[b, IN_PORT])
    if s.sending[out, BUSY] == 1 or s.receiving[into, BUSY] == 1:
        return n
    age = np.int64(0)
    if s.setup[AGED] == 1:
        age = aged(now, s.packets[packet_of(s, b), CREATED])
    rank = hope | age | ((b - s.frames[w0, FIRST_INPUT] - s.receiving[into, NEXT_VC]) & CYCLIC)
    first, second = np.int64(s.receiving[into, CELL]), np.int64(s.sending[out, CELL])
    k = np.int64(0)
    while k < n and (asked[k, FIRST] != first or asked[k, SECOND] != second):
        k += 1
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
def ask(s, w0, w1, now):
    """Requests of the buffers that have a flit and a credit, and of headers that speculate; how many."""
    n, bids = np.int64(0), np.int64(0)
    for word in range(w0, w1):
        ready = s.masks[word, MOVERS]
        while ready != 0:
            b = natural(s.frames[word, FIRST_INPUT] + lowest(ready))
            ready &= ready - 1
            n = put_forward(s, n, b, natural(s.inputs[b, OUT]), w0, now, np.int64(0))
    if s.setup[SPECULATIVE] == 1:
        while s.asked[bids, BID] >= 0:
            bid = s.asked[bids, BID]
            n = put_forward(s, n, natural(bid & 0xFFFFFFFF), natural(bid >> 32), w0, now, np.int64(HOPE))
            bids += 1
    return n


@njit(_nrt=False)
def match_ports(raw, w0, w1, now):
    """Match the ports that are requested, and send; how many flits were sent.

    A match of a header that speculated and has no VC of that port, with a credit, is wasted.
    """
    s = view(raw)
    w0, w1 = natural(w0), natural(w1)
    setup = s.setup
    n = ask(s, w0, w1, now)
    match(raw, n)
    sent, first_input, first_output = np.int64(0), s.frames[w0, FIRST_INPUT], s.frames[w0, FIRST_OUTPUT]
    for i in range(n):
        if s.asked[i, WON] > 0:
            b = natural(s.asked[i, REQUESTER])
            cell = b - first_input
            out, into = natural(first_output + s.asked[i, SECOND]), natural(first_input + s.asked[i, FIRST])
            if s.asked[i, WON] == 1:
                s.sending[out, TURN], s.receiving[into, TURN] = s.receiving[into, CELL] + 1, s.sending[out, CELL] + 1
            s.receiving[into, NEXT_VC] = cell + 1
            stay = setup[SWITCHED] - 1
            if s.asked[i, REQUESTED] >= HOPE:
                stay = max(setup[ALLOCATION], setup[SWITCHED]) - 1
                won = (s.masks[natural(w0 + (cell >> 6)), WINNERS] >> (cell & 63)) & 1
                if won == 0 or s.outputs[natural(s.inputs[b, OUT]), PORT] != out:
                    continue
            dispatch(raw, b, w0, w1, now, stay)
            sent += 1
    return sent


@njit(_nrt=False, forceinline=True)
def hold_back(s, w0, w1, now):
    """Headers that speculated in vain request the switch when their VC allocation is over."""
    for word in range(w0, w1):
        unlucky = s.masks[word, WINNERS]
        s.masks[word, WINNERS] = 0
        while unlucky != 0:
            bit = lowest(unlucky)
            unlucky &= unlucky - 1
            s.inputs[natural(s.frames[word, FIRST_INPUT] + bit), STATE] = PENDING
            post(s, now + s.setup[ALLOCATION], 64 * word + bit, READY_BITS)


@njit(_nrt=False)
def switch_generally(raw, w0, w1, now):
    """Switch allocation of the router of words `w0` to `w1`; how many flits were sent."""
    s = view(raw)
    w0, w1 = natural(w0), natural(w1)
    setup = s.setup
    sent = go_on(s, w0, w1, now) if setup[HOLDS] == 1 else np.int64(0)
    sent += match_ports(raw, w0, w1, now)
    if setup[SPECULATIVE] == 1 and setup[ALLOCATION] > 1:
        hold_back(s, w0, w1, now)
    for b in range(s.frames[w0, FIRST_INPUT], s.frames[w1, FIRST_INPUT]):
        s.receiving[natural(s.inputs[natural(b), IN_PORT]), BUSY] = 0
    for w in range(s.frames[w0, FIRST_OUTPUT], s.frames[w1, FIRST_OUTPUT]):
        s.sending[natural(s.outputs[natural(w), PORT]), BUSY] = 0
    return sent
