# mypy: ignore-errors
"""VC allocation of one router: headers request output VCs, outputs grant, headers accept.

One iteration of iSLIP (McKeown 1999): every output grants the first request at or after its pointer, every input
accepts the first grant at or after its own, and both pointers move past a match. What is granted does not depend on
the order in which requests are seen. Other allocators are in `general_kernel`; routers that are simple do all this in
`simple_kernel`.
"""

import numpy as np
from numba import njit

from unknot.simulation.layout import (
    ACCEPT,
    ALLOCATION,
    CELL,
    FIRST_INPUT,
    FIRST_OUTPUT,
    GRANT,
    HEADS,
    HOPS,
    LENGTH,
    MOVING,
    OPEN,
    OUT,
    OUT_PORT,
    OWNER,
    PENDING,
    PORT,
    READER,
    READY_BITS,
    SAF,
    SENT,
    SIZE,
    SPECULATIVE,
    STALLED,
    STATE,
    STORED,
    TECHNIQUE,
    WHERE,
    WINNERS,
)
from unknot.simulation.selection_kernel import CYCLIC, request
from unknot.simulation.state_kernel import DONE, has_room, packet_of, post
from unknot.words_kernel import lowest, natural


@njit(_nrt=False, forceinline=True)
def win(s, b, w, w0, now):
    """Input row b of the router that begins with word w0 is allocated output row w."""
    inputs, outputs = s.inputs, s.outputs
    p = packet_of(s, b)
    cell, out = b - s.frames[w0, FIRST_INPUT], w - s.frames[w0, FIRST_OUTPUT]
    word, bit = natural(w0 + (cell >> 6)), np.int64(1) << (cell & 63)
    outputs[w, OWNER] = b
    s.masks[natural(w0 + (out >> 6)), OPEN] &= ~(np.int64(1) << (out & 63))
    inputs[b, OUT], inputs[b, SENT], inputs[b, SIZE] = w, 0, s.packets[p, LENGTH]
    inputs[b, OUT_PORT] = s.sending[natural(outputs[w, PORT]), CELL]
    s.packets[p, HOPS] += outputs[w, READER] >= 0
    s.masks[word, HEADS] &= ~bit
    ready = has_room(s, w)
    if s.setup[ALLOCATION] > 1 and not (ready and s.setup[SPECULATIVE] == 1):
        inputs[b, STATE] = PENDING
        post(s, now + s.setup[ALLOCATION], 64 * w0 + cell, READY_BITS)
    elif ready:
        inputs[b, STATE] = MOVING
        s.masks[word, WINNERS] |= bit
    else:
        inputs[b, STATE] = STALLED


@njit(_nrt=False, forceinline=True)
def accept(s, b, w, w0, now):
    """A match of the first round: both pointers move past it."""
    s.outputs[w, GRANT] = b - s.frames[w0, FIRST_INPUT] + 1
    s.inputs[b, ACCEPT] = w - s.frames[w0, FIRST_OUTPUT] + 1
    win(s, b, w, w0, now)


@njit(_nrt=False, forceinline=True)
def front(s, b):
    """The packet in front of input row b, or −1 when its header may not go on before its tail has come."""
    p = packet_of(s, b)
    if s.setup[TECHNIQUE] == SAF and s.inputs[b, STORED] < s.packets[p, LENGTH]:
        return np.int64(-1)
    return p


@njit(_nrt=False, forceinline=True)
def allocate_plainly(rule, s, w0, w1, now):
    """VC allocation of a router, one iteration of iSLIP.

    Columns of `best`: for each output its best request and the key of that, for each input its best grant.
    """
    best, touched = s.best, np.int64(0)
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
                return -found
            for k in range(found):
                w = natural(s.wanted[natural(k)])
                key = (b - first_input - s.outputs[w, GRANT]) & CYCLIC
                local = natural(w - first_output)
                if best[local, 0] < 0:
                    s.touched[natural(touched)] = w
                    touched += 1
                elif key >= best[local, 1]:
                    continue
                best[local, 0], best[local, 1] = b, key
    many = np.int64(0)
    for i in range(touched):
        w = natural(s.touched[natural(i)])
        local = natural(w - first_output)
        b = natural(best[local, 0])
        best[local, 0] = -1
        mine = natural(b - first_input)
        old, pointer = best[mine, 2], np.int64(s.inputs[b, ACCEPT])
        if old < 0:
            s.touched[natural(many)] = b
            many += 1
            best[mine, 2] = w
        elif (local - pointer) & CYCLIC < (old - first_output - pointer) & CYCLIC:
            best[mine, 2] = w
    for i in range(many):
        b = natural(s.touched[natural(i)])
        mine = natural(b - first_input)
        w = natural(best[mine, 2])
        best[mine, 2] = -1
        accept(s, b, w, w0, now)
    return np.int64(DONE)
