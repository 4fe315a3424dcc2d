# mypy: ignore-errors
"""VC allocation of one router: headers request output VCs, outputs grant, headers accept.

One iteration of iSLIP (McKeown 1999): every output grants the first request at or after its pointer, every input
accepts the first grant at or after its own, and both pointers move past a match. What is granted does not depend on
the order in which requests are seen. Of a router with one word a request is a bit, and headers none of whose requests
another one shares have what they want. Other allocators are in `match_kernel`.
"""

import numpy as np
from numba import njit

from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK
from unknot.simulation.layout import (
    ACCEPT,
    ADDRESS,
    AGED,
    ALLOCATION,
    ASLEEP,
    BLOCKED,
    CELL,
    COMMITS,
    CREATED,
    CREDITS,
    GRANT,
    HEADS,
    HOPS,
    IN_CELL,
    LENGTH,
    LOCAL,
    MOVING,
    NUM_VCS,
    OPEN,
    OUT,
    OUT_CELL,
    OUT_PORT,
    OWNER,
    PENDING,
    PLAIN,
    PORT,
    READ,
    READER,
    READY_BITS,
    SAF,
    SALT,
    SELECT,
    SENT,
    SIZE,
    SPECULATIVE,
    STALLED,
    STANDS,
    STATE,
    STORED,
    TECHNIQUE,
    VCT,
    WHERE,
    WINNERS,
    WRITER,
)
from unknot.simulation.match_kernel import FIRST, FIRST_KEY, REQUESTED, REQUESTER, SECOND, SECOND_KEY, WON, match
from unknot.simulation.state_kernel import (
    BROKEN_RULE,
    DEAD_END,
    DONE,
    available,
    candidates,
    expand,
    need,
    post,
)
from unknot.simulation.words_kernel import lowest, natural

CYCLIC = 0x7FFFFFFF
ALL, FIRST_ONE, RANDOM, ROUND_ROBIN, MOST_CREDITS = range(5)
"""Codes of the selection functions, in the order of `SELECTIONS`."""


@njit(_nrt=False)
def commit(s, b, p, count):
    """Index of the one candidate a header keeps: a free one of the lowest tier, else one it waits for, the first."""
    best, best_rank = 0, 1 << 30
    needed = need(s.setup, s.packets[p, LENGTH])
    for k in range(count):
        first, many = expand(s, b, p, s.offered[k])
        free = False
        for w in range(first, first + many):
            free = free or available(s, w, needed)
        rank = (s.offered[k] >> 40) & 0xFF
        if not free:
            rank += 512 if s.offered[k] & NO_WAIT == 0 else 1024
        if rank < best_rank:
            best, best_rank = k, rank
    return best


@njit(_nrt=False)
def select(s, b, found, base, now):
    """Leave one of the output VCs in ``s.wanted``, by the selection function."""
    wanted, chosen = s.wanted, 0
    if s.setup[SELECT] == RANDOM:
        z = np.uint64(s.setup[SALT]) ^ np.uint64((np.int64(now) << 32) + b)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        chosen = np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) % found
    elif s.setup[SELECT] == ROUND_ROBIN:
        turn = base + s.inputs[b, ACCEPT]
        for k in range(1, found):
            if (s.wire[wanted[k], OUT_CELL] - turn) & CYCLIC < (s.wire[wanted[chosen], OUT_CELL] - turn) & CYCLIC:
                chosen = k
    elif s.setup[SELECT] == MOST_CREDITS:
        most = np.int64(-1)
        for k in range(found):
            room, w = np.int64(1) << 40, np.int64(wanted[k])
            if w < s.setup[NUM_VCS]:
                room, low = np.int64(0), w
                while low > 0 and s.wire[low - 1, PORT] == s.wire[w, PORT]:
                    low -= 1
                while low < s.setup[NUM_VCS] and s.wire[low, PORT] == s.wire[w, PORT]:
                    room += s.outputs[low, CREDITS]
                    low += 1
            if room > most:
                chosen, most = k, room
    wanted[0] = wanted[chosen]


@njit(_nrt=False, forceinline=True)
def sleep(s, b, word, bit):
    """A header that finds nothing free waits for a sign."""
    s.inputs[b, STATE] = BLOCKED
    s.masks[word, HEADS] &= ~bit
    s.masks[word, ASLEEP] |= bit


@njit(_nrt=False)
def request(rule, s, b, p, now):
    """The output VCs that one header requests, into ``s.wanted``: available ones of the lowest tier that has one.

    Returns how many, or minus the status when the rule failed. A header that finds none falls asleep.
    """
    setup, inputs, offered = s.setup, s.inputs, s.offered
    count = candidates(rule, s, b, p)
    if count <= 0:
        return count if count == 0 else np.int64(-DEAD_END if count == -2 else -BROKEN_RULE)
    if setup[COMMITS] == 1 and inputs[b, OUT] < 0:
        offered[0] = offered[commit(s, b, p, count)]
        inputs[b, OUT] = min(offered[0] & VC_MASK, setup[NUM_VCS])
        count = np.int64(1)
    needed = need(setup, s.packets[p, LENGTH])
    found, tier = np.int64(0), np.int64(256)
    for k in range(count):
        rank = (offered[k] >> 40) & 0xFF
        if rank > tier:
            continue
        first, many = expand(s, b, p, offered[k])
        if many == 0:
            return np.int64(-BROKEN_RULE)
        for w in range(first, first + many):
            if available(s, w, needed):
                if rank < tier:
                    found, tier = np.int64(0), rank
                s.wanted[natural(found)] = w
                found += 1
    if found == 0:
        cell = np.int64(s.wire[b, IN_CELL])
        sleep(s, b, natural(cell >> 6), np.int64(1) << (cell & 63))
    elif setup[SELECT] != ALL and found > 1:
        select(s, b, found, 64 * s.words[s.wire[b, STANDS]], now)
        found = np.int64(1)
    return found


@njit(_nrt=False, forceinline=True)
def wishes(rule, s, b, p, word, bit, now):
    """What a header of a router with one word requests, as a mask of cells; and the status."""
    setup, offered, wire = s.setup, s.offered, s.wire
    if setup[SELECT] != ALL or setup[COMMITS] == 1:
        found = request(rule, s, b, p, now)
        mask = np.int64(0)
        for k in range(found):
            mask |= np.int64(1) << (np.int64(wire[natural(s.wanted[k]), OUT_CELL]) & 63)
        return mask, max(np.int64(0), -found)
    count = candidates(rule, s, b, p)
    if count <= 0:
        return np.int64(0), np.int64(DONE if count == 0 else DEAD_END if count == -2 else BROKEN_RULE)
    length, fits = s.packets[p, LENGTH], setup[TECHNIQUE] == SAF or setup[TECHNIQUE] == VCT
    open_cells, mask, tier = s.masks[word, OPEN], np.int64(0), np.int64(256)
    for k in range(count):
        value = offered[natural(k)]
        w, rank, many = value & VC_MASK, (value >> 40) & 0xFF, np.int64(1)
        if w >= setup[NUM_VCS]:
            if w != EJECT:
                return np.int64(0), np.int64(BROKEN_RULE)
            many = (np.int64(1) << setup[LOCAL]) - 1
            w = setup[NUM_VCS] + s.destination[natural(s.packets[p, ADDRESS])] * setup[LOCAL]
        cell = np.int64(wire[natural(w), OUT_CELL])
        if cell >> 6 != word:
            return np.int64(0), np.int64(BROKEN_RULE)
        cells = (many << (cell & 63)) & open_cells
        if cells == 0 or rank > tier or (fits and w < setup[NUM_VCS] and s.outputs[natural(w), CREDITS] < length):
            continue
        if rank < tier:
            mask, tier = np.int64(0), rank
        mask |= cells
    if mask == 0:
        sleep(s, b, word, bit)
    return mask, np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def win(s, b, w, now):
    """Buffer b is allocated output VC w."""
    inputs, outputs, wire = s.inputs, s.outputs, s.wire
    p = natural(s.ring[b, natural(inputs[b, READ])])
    cell, out_cell = np.int64(wire[b, IN_CELL]), np.int64(wire[w, OUT_CELL])
    word, bit = natural(cell >> 6), np.int64(1) << (cell & 63)
    outputs[w, OWNER] = b
    s.masks[natural(out_cell >> 6), OPEN] &= ~(np.int64(1) << (out_cell & 63))
    inputs[b, OUT], inputs[b, SENT], inputs[b, SIZE] = w, 0, s.packets[p, LENGTH]
    inputs[b, OUT_PORT] = s.sending[natural(wire[w, PORT]), CELL]
    s.packets[p, HOPS] += 1
    s.masks[word, HEADS] &= ~bit
    ready = w >= s.setup[NUM_VCS] or outputs[w, CREDITS] > 0
    if s.setup[ALLOCATION] > 1 and not (ready and s.setup[SPECULATIVE] == 1):
        inputs[b, STATE] = PENDING
        post(s, now + s.setup[ALLOCATION], cell, READY_BITS)
    elif ready:
        inputs[b, STATE] = MOVING
        s.masks[word, WINNERS] |= bit
    else:
        inputs[b, STATE] = STALLED


@njit(_nrt=False, forceinline=True)
def accept(s, b, w, base, now):
    """A match of the first round: both pointers move past it."""
    s.outputs[w, GRANT], s.inputs[b, ACCEPT] = s.wire[b, IN_CELL] - base + 1, s.wire[w, OUT_CELL] - base + 1
    win(s, b, w, now)


@njit(_nrt=False, forceinline=True)
def front(s, b):
    """The packet in front of buffer b, or −1 when a header may not go on before its tail has come."""
    p = natural(s.ring[b, natural(s.inputs[b, READ])])
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
    """VC allocation of a router with one word; columns of `asked`: cell of the header, what it requests, is granted."""
    asked, buffers = s.asked, s.buffers
    base, n, once, twice = 64 * word, np.int64(0), np.int64(0), np.int64(0)
    heads = s.masks[word, HEADS]
    while heads != 0:
        cell, bit = lowest(heads), heads & -heads
        heads ^= bit
        b = natural(buffers[natural(base + cell), READER])
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
        asked[natural(n), 0], asked[natural(n), 1] = cell, mask
        n += 1
    if twice != 0:
        settle(s, n, base, twice)
    for k in range(n):
        b = natural(buffers[natural(base + asked[k, 0]), READER])
        mask = asked[k, 1]
        if mask & twice != 0:
            mask = asked[k, 2]
            if mask == 0:
                continue
        chosen = in_turn(mask, np.int64(s.inputs[b, ACCEPT]))
        accept(s, b, natural(s.buffers[natural(base + chosen), WRITER]), base, now)
    return np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def settle(s, n, base, twice):
    """Outputs that several headers request grant one of them."""
    asked = s.asked
    for k in range(n):
        asked[k, 2] = asked[k, 1] & ~twice
    while twice != 0:
        out, bit = lowest(twice), twice & -twice
        twice ^= bit
        askers = np.int64(0)
        for k in range(n):
            if asked[k, 1] & bit != 0:
                askers |= np.int64(1) << asked[k, 0]
        winner = in_turn(askers, np.int64(s.outputs[natural(s.buffers[natural(base + out), WRITER]), GRANT]))
        for k in range(n):
            if asked[k, 0] == winner:
                asked[k, 2] |= bit


@njit(_nrt=False)
def allocate_in_words(rule, s, w0, w1, now):
    """VC allocation of a router of several words, one iteration of iSLIP.

    Columns of `best`: for each output its best request and the key of that, for each input its best grant.
    """
    best, wire, touched = s.best, s.wire, np.int64(0)
    base = 64 * w0
    for word in range(w0, w1):
        heads = s.masks[word, HEADS]
        while heads != 0:
            b = natural(s.buffers[natural(64 * word + lowest(heads)), READER])
            heads &= heads - 1
            p = front(s, b)
            found = request(rule, s, b, p, now) if p >= 0 else np.int64(0)
            if found < 0:
                s.count[WHERE] = b
                return -found
            for k in range(found):
                w = natural(s.wanted[natural(k)])
                key = (wire[b, IN_CELL] - base - s.outputs[w, GRANT]) & CYCLIC
                local = natural(wire[w, OUT_CELL] - base)
                if best[local, 0] < 0:
                    s.touched[natural(touched)] = w
                    touched += 1
                elif key >= best[local, 1]:
                    continue
                best[local, 0], best[local, 1] = b, key
    many = np.int64(0)
    for i in range(touched):
        w = natural(s.touched[natural(i)])
        local = natural(wire[w, OUT_CELL] - base)
        b = natural(best[local, 0])
        best[local, 0] = -1
        mine = natural(wire[b, IN_CELL] - base)
        old, pointer = best[mine, 2], np.int64(s.inputs[b, ACCEPT])
        if old < 0:
            s.touched[natural(many)] = b
            many += 1
            best[mine, 2] = w
        elif (local - pointer) & CYCLIC < (wire[natural(old), OUT_CELL] - base - pointer) & CYCLIC:
            best[mine, 2] = w
    for i in range(many):
        b = natural(s.touched[natural(i)])
        mine = natural(wire[b, IN_CELL] - base)
        w = natural(best[mine, 2])
        best[mine, 2] = -1
        accept(s, b, w, base, now)
    return np.int64(DONE)


@njit(_nrt=False)
def allocate_generally(rule, s, w0, w1, now):
    """VC allocation of a router by whatever allocator and priority."""
    asked, n, base = s.asked, np.int64(0), 64 * w0
    for word in range(w0, w1):
        heads = s.masks[word, HEADS]
        while heads != 0:
            b = natural(s.buffers[natural(64 * word + lowest(heads)), READER])
            heads &= heads - 1
            p = front(s, b)
            found = request(rule, s, b, p, now) if p >= 0 else np.int64(0)
            if found < 0:
                s.count[WHERE] = b
                return -found
            for k in range(found):
                w = natural(s.wanted[k])
                first, second = s.wire[b, IN_CELL] - base, s.wire[w, OUT_CELL] - base
                asked[n, FIRST], asked[n, SECOND] = first, second
                asked[n, FIRST_KEY] = (second - s.inputs[b, ACCEPT]) & CYCLIC
                asked[n, SECOND_KEY] = (first - s.outputs[w, GRANT]) & CYCLIC
                if s.setup[AGED] == 1:
                    asked[n, SECOND_KEY] |= aged(now, s.packets[p, CREATED])
                asked[n, REQUESTER], asked[n, REQUESTED] = b, w
                n += 1
    match(s, n)
    for i in range(n):
        b, w = natural(asked[i, REQUESTER]), natural(asked[i, REQUESTED])
        if asked[i, WON] == 1:
            accept(s, b, w, base, now)
        elif asked[i, WON] > 1:
            win(s, b, w, now)
    return np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def aged(now, created):
    """The part of a key that puts the older packet first."""
    return max(np.int64(0), created - now + (np.int64(1) << 31)) << 31


@njit(_nrt=False, forceinline=True)
def allocate_vcs(rule, s, w0, w1, now):
    """VC allocation of the router of words `w0` to `w1`; DONE, or the status when the rule failed."""
    heads = s.masks[w0, HEADS]
    for word in range(w0 + 1, w1):
        heads |= s.masks[word, HEADS]
    if heads == 0:
        return np.int64(DONE)
    if s.setup[PLAIN] == 0:
        return allocate_generally(rule, s, w0, w1, now)
    if w1 == w0 + 1:
        return allocate_in_word(rule, s, w0, now)
    return allocate_in_words(rule, s, w0, w1, now)
