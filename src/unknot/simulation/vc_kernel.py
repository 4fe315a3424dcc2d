# mypy: ignore-errors
"""VC allocation of one router: headers request output VCs, outputs grant, headers accept.

One iteration of iSLIP (McKeown 1999): every output grants the first request at or after its pointer, every input
accepts the first grant at or after its own, and both pointers move past a match. What is granted does not depend on
the order in which requests are seen. Of a router with one word a request is a bit, and headers none of whose requests
another one shares have what they want.
"""

import numpy as np
from numba import njit

from unknot.routing.relation import EJECT, VC_MASK
from unknot.simulation.layout import (
    ACCEPT,
    ADDRESS,
    ALLOCATION,
    CELL,
    COMMITS,
    CREDITS,
    FIRST_INPUT,
    FIRST_OUTPUT,
    GRANT,
    HEADS,
    HOPS,
    LENGTH,
    LOCAL,
    MOVING,
    NUM_VCS,
    OPEN,
    OUT,
    OUT_PORT,
    OWNER,
    PENDING,
    PORT,
    READER,
    READY_BITS,
    SAF,
    SELECT,
    SENT,
    SIZE,
    SPECULATIVE,
    STALLED,
    STATE,
    STORED,
    TECHNIQUE,
    VCT,
    WHERE,
    WINNERS,
)
from unknot.simulation.selection_kernel import ALL, CYCLIC, request, sleep
from unknot.simulation.state_kernel import BROKEN_RULE, DEAD_END, DONE, candidates, packet_of, post, view
from unknot.simulation.words_kernel import lowest, natural


@njit(_nrt=False, forceinline=True)
def wishes(rule, s, b, p, word, bit, now):
    """What a header of a router with one word requests, as a mask of cells; and the status."""
    setup, offered = s.setup, s.offered
    first, end = np.int64(s.frames[word, FIRST_OUTPUT]), np.int64(s.frames[word + 1, FIRST_OUTPUT])
    if setup[SELECT] != ALL or setup[COMMITS] == 1:
        found = request(rule, s.raw, b, p, word, word + 1, now)
        mask = np.int64(0)
        for k in range(found):
            mask |= np.int64(1) << (s.wanted[natural(k)] - first)
        return mask, max(np.int64(0), -found)
    count = candidates(rule, s, b, p)
    if count <= 0:
        return np.int64(0), np.int64(DONE if count == 0 else DEAD_END if count == -2 else BROKEN_RULE)
    length, fits = s.packets[p, LENGTH], setup[TECHNIQUE] == SAF or setup[TECHNIQUE] == VCT
    open_cells, mask, tier = s.masks[word, OPEN], np.int64(0), np.int64(256)
    for k in range(count):
        value = offered[natural(k)]
        vc, rank, many = value & VC_MASK, (value >> 40) & 0xFF, np.int64(1)
        if vc < setup[NUM_VCS]:
            w = np.int64(s.out_row[natural(vc)])
        elif vc == EJECT:
            w = np.int64(s.ejection_row[natural(s.destination[natural(s.packets[p, ADDRESS])])])
            many = (np.int64(1) << setup[LOCAL]) - 1
        else:
            return np.int64(0), np.int64(BROKEN_RULE)
        if w < first or w >= end:
            return np.int64(0), np.int64(BROKEN_RULE)
        cells = (many << (w - first)) & open_cells
        if cells == 0 or rank > tier or (fits and vc != EJECT and s.outputs[natural(w), CREDITS] < length):
            continue
        if rank < tier:
            mask, tier = np.int64(0), rank
        mask |= cells
    if mask == 0:
        sleep(s, b, word, bit)
    return mask, np.int64(DONE)


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
    s.packets[p, HOPS] += 1
    s.masks[word, HEADS] &= ~bit
    ready = outputs[w, READER] < 0 or outputs[w, CREDITS] > 0
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
def in_turn(mask, pointer):
    """The first bit of a mask at or after a pointer, going round; its number."""
    rest = mask & -(np.int64(1) << (pointer & 63))
    return lowest(rest if rest != 0 else mask)


@njit(_nrt=False, forceinline=True)
def allocate_in_word(rule, s, word, now):
    """VC allocation of a router with one word; columns of `asked`: row of the header, what it requests, is granted."""
    asked, first_input, first_output = s.asked, s.frames[word, FIRST_INPUT], s.frames[word, FIRST_OUTPUT]
    n, once, twice = np.int64(0), np.int64(0), np.int64(0)
    heads = s.masks[word, HEADS]
    while heads != 0:
        b, bit = natural(first_input + lowest(heads)), heads & -heads
        heads ^= bit
        p = front(s, b)
        if p < 0:
            continue
        mask, status = wishes(rule, s, b, natural(p), word, bit, now)
        if status != DONE:
            s.count[WHERE] = b
            return status
        if mask == 0:
            continue
        twice |= once & mask
        once |= mask
        asked[natural(n), 0], asked[natural(n), 1] = b, mask
        n += 1
    if twice != 0:
        settle(s, n, first_input, first_output, twice)
    for k in range(n):
        b, mask = natural(asked[natural(k), 0]), asked[natural(k), 1]
        if mask & twice != 0:
            mask = asked[natural(k), 2]
            if mask == 0:
                continue
        accept(s, b, natural(first_output + in_turn(mask, np.int64(s.inputs[b, ACCEPT]))), word, now)
    return np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def settle(s, n, first_input, first_output, twice):
    """Outputs that several headers request grant one of them."""
    asked = s.asked
    for k in range(n):
        asked[natural(k), 2] = asked[natural(k), 1] & ~twice
    while twice != 0:
        out, bit = natural(first_output + lowest(twice)), twice & -twice
        twice ^= bit
        askers = np.int64(0)
        for k in range(n):
            if asked[natural(k), 1] & bit != 0:
                askers |= np.int64(1) << (asked[natural(k), 0] - first_input)
        winner = first_input + in_turn(askers, np.int64(s.outputs[out, GRANT]))
        for k in range(n):
            if asked[natural(k), 0] == winner:
                asked[natural(k), 2] |= bit


@njit(_nrt=False)
def allocate_in_words(rule, raw, w0, w1, now):
    """VC allocation of a router of several words, one iteration of iSLIP.

    Columns of `best`: for each output its best request and the key of that, for each input its best grant.
    """
    s = view(raw)
    best, touched = s.best, np.int64(0)
    first_input, first_output = np.int64(s.frames[w0, FIRST_INPUT]), np.int64(s.frames[w0, FIRST_OUTPUT])
    for word in range(w0, w1):
        heads = s.masks[natural(word), HEADS]
        while heads != 0:
            b = natural(s.frames[natural(word), FIRST_INPUT] + lowest(heads))
            heads &= heads - 1
            p = front(s, b)
            found = request(rule, raw, b, p, w0, w1, now) if p >= 0 else np.int64(0)
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


@njit(_nrt=False, forceinline=True)
def allocate_plainly(rule, s, w0, w1, now):
    """VC allocation of the router of words `w0` to `w1`; DONE, or the status when the rule failed."""
    heads = s.masks[w0, HEADS]
    for word in range(w0 + 1, w1):
        heads |= s.masks[natural(word), HEADS]
    if heads == 0:
        return np.int64(DONE)
    if w1 == w0 + 1:
        return allocate_in_word(rule, s, w0, now)
    return allocate_in_words(rule, s.raw, w0, w1, now)
