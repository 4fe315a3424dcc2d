# mypy: ignore-errors
"""Switch allocation of one router by any allocator, by age, with speculation and with packets that hold the switch."""

import numpy as np
from numba import njit

from unknot.simulation.layout import (
    AGED,
    ALLOCATION,
    BUSY,
    CELL,
    CREATED,
    HOLDERS,
    HOLDS,
    IN_CELL,
    MOVERS,
    MOVING,
    NEXT_VC,
    OUT,
    OWNER,
    PENDING,
    PORT,
    READ,
    READER,
    READY_BITS,
    SPECULATIVE,
    STATE,
    STORED,
    SWITCHED,
    TURN,
    WINNERS,
    WRITER,
)
from unknot.simulation.match_kernel import FIRST, FIRST_KEY, REQUESTED, REQUESTER, SECOND, SECOND_KEY, WON, match
from unknot.simulation.state_kernel import post
from unknot.simulation.switch_kernel import send, wake
from unknot.simulation.vc_kernel import CYCLIC, aged
from unknot.simulation.words_kernel import lowest, natural


@njit(_nrt=False)
def dispatch(s, v, w0, w1, now, stay):
    """Send a flit of buffer v; its ports are busy for this cycle, and go on to be held if holding is on."""
    w = natural(s.inputs[v, OUT])
    s.sending[natural(s.wire[w, PORT]), BUSY] = 1
    s.receiving[natural(s.wire[v, PORT]), BUSY] = 1
    cell = np.int64(s.wire[v, IN_CELL])
    word, bit = natural(cell >> 6), np.int64(1) << (cell & 63)
    if send(s, v, now, stay):
        s.masks[word, MOVERS] |= bit
    else:
        s.masks[word, MOVERS] &= ~bit
    s.masks[word, WINNERS] &= ~bit
    if s.outputs[w, OWNER] < 0:
        wake(s, w0, w1)
    if s.setup[HOLDS] == 1 and s.inputs[v, OUT] >= 0 and s.inputs[v, STORED] > 0:
        s.masks[word, HOLDERS] |= bit
    else:
        s.masks[word, HOLDERS] &= ~bit


@njit(_nrt=False)
def go_on(s, w0, w1, now):
    """Buffers that hold the switch send, or let it go; how many flits were sent."""
    sent = np.int64(0)
    for word in range(w0, w1):
        holders = s.masks[word, HOLDERS]
        while holders != 0:
            bit = holders & -holders
            holders ^= bit
            v = natural(s.buffers[natural(64 * word + lowest(bit)), READER])
            if s.inputs[v, STATE] == MOVING:
                dispatch(s, v, w0, w1, now, s.setup[SWITCHED] - 1)
                sent += 1
            elif s.inputs[v, STATE] == PENDING:
                s.sending[natural(s.wire[natural(s.inputs[v, OUT]), PORT]), BUSY] = 1
                s.receiving[natural(s.wire[v, PORT]), BUSY] = 1
            else:
                s.masks[word, HOLDERS] ^= bit
    return sent


@njit(_nrt=False)
def put_forward(s, w0, w1, column, now):
    """The requests of the buffers in a column of `masks`: for each pair of ports not busy the preselected VC.

    REQUESTER is that VC, REQUESTED its rank among those of its port.
    """
    asked, n, base = s.asked, np.int64(0), 64 * w0
    for word in range(w0, w1):
        ready = s.masks[word, column]
        while ready != 0:
            v = natural(s.buffers[natural(64 * word + lowest(ready)), READER])
            ready &= ready - 1
            out, into = natural(s.wire[natural(s.inputs[v, OUT]), PORT]), natural(s.wire[v, PORT])
            if s.sending[out, BUSY] == 1 or s.receiving[into, BUSY] == 1:
                continue
            age = np.int64(0)
            if s.setup[AGED] == 1:
                age = aged(now, s.packets[natural(s.ring[v, natural(s.inputs[v, READ])]), CREATED])
            rank = age | ((s.wire[v, IN_CELL] - base - s.receiving[into, NEXT_VC]) & CYCLIC)
            first, second = np.int64(s.receiving[into, CELL]), np.int64(s.sending[out, CELL])
            k = np.int64(0)
            while k < n and (asked[k, FIRST] != first or asked[k, SECOND] != second):
                k += 1
            if k < n and asked[k, REQUESTED] <= rank:
                continue
            asked[k, FIRST], asked[k, SECOND] = first, second
            asked[k, FIRST_KEY] = age | ((second - s.receiving[into, TURN]) & CYCLIC)
            asked[k, SECOND_KEY] = age | ((first - s.sending[out, TURN]) & CYCLIC)
            asked[k, REQUESTER], asked[k, REQUESTED] = v, rank
            n = max(n, k + 1)
    return n


@njit(_nrt=False)
def match_ports(s, n, w0, w1, now, stay):
    """Match the requests that were put forward and send; how many flits were sent."""
    match(s, n)
    sent = np.int64(0)
    for i in range(n):
        if s.asked[i, WON] > 0:
            v = natural(s.asked[i, REQUESTER])
            out, into = natural(s.wire[natural(s.inputs[v, OUT]), PORT]), natural(s.wire[v, PORT])
            if s.asked[i, WON] == 1:
                s.sending[out, TURN], s.receiving[into, TURN] = s.receiving[into, CELL] + 1, s.sending[out, CELL] + 1
            s.receiving[into, NEXT_VC] = s.wire[v, IN_CELL] - 64 * w0 + 1
            dispatch(s, v, w0, w1, now, stay)
            sent += 1
    return sent


@njit(_nrt=False)
def hold_back(s, w0, w1, now):
    """Headers that speculated in vain request the switch when their VC allocation is over."""
    for word in range(w0, w1):
        unlucky = s.masks[word, WINNERS]
        s.masks[word, WINNERS] = 0
        while unlucky != 0:
            cell = 64 * word + lowest(unlucky)
            unlucky &= unlucky - 1
            s.inputs[natural(s.buffers[natural(cell), READER]), STATE] = PENDING
            post(s, now + s.setup[ALLOCATION], cell, READY_BITS)


@njit(_nrt=False)
def switch_generally(s, w0, w1, now):
    """Switch allocation of the router of words `w0` to `w1`; how many flits were sent."""
    setup = s.setup
    sent = go_on(s, w0, w1, now) if setup[HOLDS] == 1 else np.int64(0)
    sent += match_ports(s, put_forward(s, w0, w1, MOVERS, now), w0, w1, now, setup[SWITCHED] - 1)
    if setup[SPECULATIVE] == 1:
        stay = max(setup[ALLOCATION], setup[SWITCHED]) - 1
        sent += match_ports(s, put_forward(s, w0, w1, WINNERS, now), w0, w1, now, stay)
        if setup[ALLOCATION] > 1:
            hold_back(s, w0, w1, now)
    for word in range(w0, w1):
        for cell in range(64 * word, 64 * word + 64):
            if s.buffers[cell, READER] >= 0:
                s.receiving[natural(s.wire[natural(s.buffers[cell, READER]), PORT]), BUSY] = 0
            if s.buffers[cell, WRITER] >= 0:
                s.sending[natural(s.wire[natural(s.buffers[cell, WRITER]), PORT]), BUSY] = 0
    return sent
