# mypy: ignore-errors
"""One cycle of a router with one word whose options are as by default: the same as in the other kernels, all at once.

Its masks are loaded once and stored once, and no option is looked at. What headers with a prescribed path do is left
to the others.
"""

import numpy as np
from numba import njit

from unknot.routing.relation import NO_WAIT, VC_MASK
from unknot.simulation.layout import (
    ACCEPT,
    ADDRESS,
    ARRIVED_BITS,
    ASLEEP,
    ATOMIC,
    BLOCKED,
    CARRIED,
    CREDIT_BITS,
    CREDIT_CELL,
    CREDITS,
    DEPTH,
    FIRST_INPUT,
    FIRST_OUTPUT,
    FLIT_HOPS,
    FLITS_OUT,
    FLITS_OUT_MEASURED,
    FRESH,
    FROM_PORT,
    GRANT,
    HEAD_BITS,
    HEADS,
    HOPS,
    IDLE,
    IN_CELL,
    IN_LATENCY,
    LAST_MOVE,
    LENGTH,
    MASK,
    MEASURE_FROM,
    MEASURE_TO,
    MOVERS,
    MOVING,
    NEXT_VC,
    NONATOMIC,
    NUM_VCS,
    OPEN,
    OUT,
    OUT_LATENCY,
    OUT_PORT,
    OWNER,
    PARTS,
    PLACE,
    PORT,
    READ,
    READER,
    RING,
    SAF,
    SENT,
    SIZE,
    STALLED,
    STATE,
    STORED,
    TECHNIQUE,
    TURN,
    VCT,
    WHERE,
    WORDS,
)
from unknot.simulation.selection_kernel import CYCLIC
from unknot.simulation.state_kernel import (
    BROKEN_RULE,
    DEAD_END,
    DONE,
    enqueue,
    has_room,
    outputs_of,
    packet_of,
    post,
)
from unknot.simulation.switch_kernel import retire
from unknot.simulation.words_kernel import lowest, natural

GOT, WISH, GRANTED, OF = range(4)
"""Columns of `asked`: row of a header, what it requests, what it is granted, its packet."""


@njit(_nrt=False, forceinline=True)
def in_turn(mask, pointer):
    """The first bit of a mask at or after a pointer, going round; its number."""
    rest = mask & -(np.int64(1) << (pointer & 63))
    return lowest(rest if rest != 0 else mask)


@njit(_nrt=False, forceinline=True)
def take_in(s, w, row, heads, asleep, movers, opened):
    """Credits and flits of this cycle; the masks after it, and the headers that request from the next cycle on."""
    inputs, outputs, inbox, setup = s.inputs, s.outputs, s.inbox, s.setup
    flits, credits_in = inbox[row, ARRIVED_BITS], inbox[row, CREDIT_BITS]
    heads |= inbox[row, HEAD_BITS]
    inbox[row, ARRIVED_BITS], inbox[row, CREDIT_BITS], inbox[row, HEAD_BITS] = 0, 0, 0
    if setup[PARTS] > 1:
        flits |= s.outside[row, ARRIVED_BITS]
        credits_in |= s.outside[row, CREDIT_BITS]
        s.outside[row, ARRIVED_BITS], s.outside[row, CREDIT_BITS] = 0, 0
    first_input, first_output = np.int64(s.frames[w, FIRST_INPUT]), np.int64(s.frames[w, FIRST_OUTPUT])
    while credits_in != 0:
        at = lowest(credits_in)
        credits_in &= credits_in - 1
        out = natural(first_output + at)
        free, owner = outputs[out, CREDITS] + 1, np.int64(outputs[out, OWNER])
        outputs[out, CREDITS] = free
        if owner < 0:
            if setup[TECHNIQUE] >= ATOMIC:
                if setup[TECHNIQUE] == NONATOMIC or free < setup[DEPTH]:
                    continue
                opened |= np.int64(1) << at
            heads |= asleep
            asleep = np.int64(0)
        elif free == 1 and inputs[natural(owner), STATE] == STALLED and inputs[natural(owner), STORED] > 0:
            inputs[natural(owner), STATE] = MOVING
            movers |= np.int64(1) << (owner - first_input)
    fresh = np.int64(0)
    while flits != 0:
        at, bit = lowest(flits), flits & -flits
        flits ^= bit
        b = natural(first_input + at)
        inputs[b, STORED] += 1
        if inputs[b, STATE] == IDLE:
            inputs[b, STATE] = FRESH
            fresh |= bit
        elif inputs[b, STATE] == STALLED:
            if has_room(s, natural(inputs[b, OUT])):
                inputs[b, STATE] = MOVING
                movers |= bit
    return heads, asleep, movers, opened, fresh


@njit(_nrt=False, forceinline=True)
def wish(rule, s, b, p, opened, first_output, end):
    """What a header requests, as a mask of cells, 0 if it finds nothing free; and the status."""
    offered, address = s.offered, s.packets[p, ADDRESS]
    count = rule(np.int64(s.inputs[b, PLACE]), address, np.int64(offered.ctypes.data))
    if count <= 0 or count > offered.size:
        return np.int64(0), np.int64(DEAD_END if count == 0 else BROKEN_RULE)
    mask, all_bits, many = np.int64(0), np.int64(0), end - first_output
    for k in range(count):
        value = offered[natural(k)]
        all_bits |= value
        if value & VC_MASK >= s.setup[NUM_VCS]:
            all_bits = np.int64(-1)
            break
        cell = s.out_row[natural(value & VC_MASK)] - first_output
        if cell < 0 or cell >= many:
            return np.int64(0), np.int64(BROKEN_RULE)
        mask |= np.int64(1) << cell
    if all_bits >> 40 == 0 and s.setup[TECHNIQUE] >= ATOMIC:
        return mask & opened, np.int64(DONE)
    return choose(s, b, p, count, opened, first_output, end)


@njit(_nrt=False, forceinline=True)
def choose(s, b, p, count, opened, first_output, end):
    """The same where candidates have tiers, are not waited for, eject, or must have room for a whole packet."""
    offered = s.offered
    only, mask, tier, may = s.inputs[b, STATE] == BLOCKED, np.int64(0), np.int64(256), False
    for k in range(count):
        value = offered[natural(k)]
        if only and value & NO_WAIT != 0:
            continue
        may = True
        rank = (value >> 40) & 0xFF
        out, many = outputs_of(s, p, value)
        if out < first_output or out >= end:
            return np.int64(0), np.int64(BROKEN_RULE)
        cells = (((np.int64(1) << many) - 1) << (out - first_output)) & opened
        if cells == 0 or rank > tier:
            continue
        ejects = s.outputs[natural(out), READER] < 0
        if s.setup[TECHNIQUE] <= VCT and not ejects and s.outputs[natural(out), CREDITS] < s.packets[p, LENGTH]:
            continue
        mask = cells if rank < tier else mask | cells
        tier = rank
    return mask, np.int64(DONE if may else BROKEN_RULE)


@njit(_nrt=False, forceinline=True)
def settle(s, n, first_input, first_output, twice):
    """Outputs that several headers request grant one of them."""
    asked = s.asked
    for k in range(n):
        asked[natural(k), GRANTED] = asked[natural(k), WISH] & ~twice
    while twice != 0:
        out, bit = natural(first_output + lowest(twice)), twice & -twice
        twice ^= bit
        askers = np.int64(0)
        for k in range(n):
            if asked[natural(k), WISH] & bit != 0:
                askers |= np.int64(1) << (asked[natural(k), GOT] - first_input)
        winner = first_input + in_turn(askers, np.int64(s.outputs[out, GRANT]))
        for k in range(n):
            if asked[natural(k), GOT] == winner:
                asked[natural(k), GRANTED] |= bit


@njit(_nrt=False, forceinline=True)
def allocate(rule, s, w, heads, asleep, opened):
    """VC allocation; the masks after it, those that request the switch from the next cycle on, and the status."""
    asked, inputs, outputs, packets = s.asked, s.inputs, s.outputs, s.packets
    first_input, first_output = np.int64(s.frames[w, FIRST_INPUT]), np.int64(s.frames[w, FIRST_OUTPUT])
    end = np.int64(s.frames[w + 1, FIRST_OUTPUT])
    n, once, twice, winners = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    left = heads
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        b = natural(first_input + at)
        p = packet_of(s, b)
        if s.setup[TECHNIQUE] == SAF and inputs[b, STORED] < packets[p, LENGTH]:
            continue
        mask, status = wish(rule, s, b, p, opened, first_output, end)
        if status != DONE:
            s.count[WHERE] = b
            return heads, asleep, opened, winners, status
        if mask == 0:
            inputs[b, STATE] = BLOCKED
            heads ^= bit
            asleep |= bit
            continue
        twice |= once & mask
        once |= mask
        at = natural(n)
        asked[at, GOT], asked[at, WISH], asked[at, OF] = b, mask, p
        n += 1
    if twice != 0:
        settle(s, n, first_input, first_output, twice)
    for k in range(n):
        at = natural(k)
        b, mask, p = natural(asked[at, GOT]), asked[at, WISH], natural(asked[at, OF])
        if mask & twice != 0:
            mask = asked[at, GRANTED]
            if mask == 0:
                continue
        cell = in_turn(mask, np.int64(inputs[b, ACCEPT]))
        out, bit = natural(first_output + cell), np.int64(1) << (b - first_input)
        outputs[out, GRANT], outputs[out, OWNER] = b - first_input + 1, b
        inputs[b, ACCEPT], inputs[b, OUT], inputs[b, OUT_PORT] = cell + 1, out, outputs[out, PORT] - first_output
        inputs[b, SENT], inputs[b, SIZE] = 0, packets[p, LENGTH]
        packets[p, HOPS] += 1
        heads ^= bit
        opened ^= np.int64(1) << cell
        if has_room(s, out):
            inputs[b, STATE] = MOVING
            winners |= bit
        else:
            inputs[b, STATE] = STALLED
    return heads, asleep, opened, winners, np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def send(s, w, b, bit, out, now, movers, opened, heads, asleep):
    """The front flit of input row b has won the switch; the masks after that."""
    inputs, outputs, setup = s.inputs, s.outputs, s.setup
    stored, sent = inputs[b, STORED] - 1, inputs[b, SENT] + 1
    inputs[b, STORED], inputs[b, SENT] = stored, sent
    post(s, now + 1 + inputs[b, IN_LATENCY], np.int64(inputs[b, CREDIT_CELL]), CREDIT_BITS)
    tail = sent == inputs[b, SIZE]
    ejected = outputs[out, READER] < 0
    more = stored > 0
    if not ejected:
        if sent == 1:
            enqueue(s, out, packet_of(s, b))
        free = outputs[out, CREDITS] - 1
        outputs[out, CREDITS] = free
        more = more and free > 0
        post(s, now + 2 + outputs[out, OUT_LATENCY], np.int64(outputs[out, IN_CELL]), ARRIVED_BITS)
    else:
        s.count[FLITS_OUT] += 1
        s.count[FLITS_OUT_MEASURED] += setup[MEASURE_FROM] <= now < setup[MEASURE_TO]
        if tail:
            retire(s, packet_of(s, b), now + 3)
    if tail:
        outputs[out, OWNER] = -1
        if ejected or setup[TECHNIQUE] != ATOMIC:
            opened |= np.int64(1) << (out - s.frames[w, FIRST_OUTPUT])
        heads |= asleep
        asleep = np.int64(0)
        inputs[b, READ] = inputs[b, READ] + 1 if inputs[b, READ] + 1 < setup[RING] else 0
        inputs[b, OUT] = -1
        movers ^= bit
        if stored > 0:
            inputs[b, STATE] = FRESH
            s.inbox[natural(((now + 2) & setup[MASK]) * setup[WORDS] + w), HEAD_BITS] |= bit
        else:
            inputs[b, STATE] = IDLE
    elif not more:
        inputs[b, STATE] = STALLED
        movers ^= bit
    return movers, opened, heads, asleep


@njit(_nrt=False, forceinline=True)
def prefer(s, rivals, first_input, first_output):
    """iSLIP among buffers that share ports: the mask of those that win."""
    inputs, sending, receiving = s.inputs, s.sending, s.receiving
    asked, n, left = s.asked, np.int64(0), rivals
    while left != 0:
        b = natural(first_input + lowest(left))
        left &= left - 1
        into, out = np.int64(inputs[b, FROM_PORT]), np.int64(inputs[b, OUT_PORT])
        key = (into - sending[natural(first_output + out), TURN]) & CYCLIC
        k = np.int64(0)
        while k < n and asked[natural(k), 0] != out:
            k += 1
        at = natural(k)
        if k < n:
            if key > asked[at, 1]:
                continue
            if key == asked[at, 1]:
                turn = first_input + receiving[natural(first_input + into), NEXT_VC]
                if (b - turn) & CYCLIC > (asked[at, 2] - turn) & CYCLIC:
                    continue
        else:
            n += 1
        asked[at, 0], asked[at, 1], asked[at, 2], asked[at, 3] = out, key, b, into
    won = np.int64(0)
    for k in range(n):
        into, out = asked[natural(k), 3], asked[natural(k), 0]
        turn, best = np.int64(receiving[natural(first_input + into), TURN]), True
        for other in range(n):
            if (
                asked[natural(other), 3] == into
                and (asked[natural(other), 0] - turn) & CYCLIC < (out - turn) & CYCLIC
            ):
                best = False
        if best:
            won |= np.int64(1) << (asked[natural(k), 2] - first_input)
    return won


@njit(_nrt=False, forceinline=True)
def switch(s, w, now, movers, opened, heads, asleep):
    """Switch allocation; the masks after it, and how many flits won."""
    inputs, sending, receiving = s.inputs, s.sending, s.receiving
    first_input, first_output = np.int64(s.frames[w, FIRST_INPUT]), np.int64(s.frames[w, FIRST_OUTPUT])
    won = movers
    if movers & (movers - 1) != 0:
        ins, outs, shared_ins, shared_outs = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        left = movers
        while left != 0:
            b = natural(first_input + lowest(left))
            left &= left - 1
            into, out = np.int64(1) << inputs[b, FROM_PORT], np.int64(1) << inputs[b, OUT_PORT]
            shared_ins |= ins & into
            shared_outs |= outs & out
            ins |= into
            outs |= out
        if shared_ins | shared_outs:
            rivals, left = np.int64(0), movers
            while left != 0:
                bit = left & -left
                b = natural(first_input + lowest(left))
                left ^= bit
                if ((shared_ins >> inputs[b, FROM_PORT]) | (shared_outs >> inputs[b, OUT_PORT])) & 1:
                    rivals |= bit
            won = (movers ^ rivals) | prefer(s, rivals, first_input, first_output)
    sent = np.int64(0)
    while won != 0:
        at, bit = lowest(won), won & -won
        won ^= bit
        b = natural(first_input + at)
        out, into, port = natural(inputs[b, OUT]), np.int64(inputs[b, FROM_PORT]), np.int64(inputs[b, OUT_PORT])
        port_row, into_row = natural(first_output + port), natural(first_input + into)
        sending[port_row, TURN] = into + 1
        sending[port_row, CARRIED] += 1
        receiving[into_row, TURN], receiving[into_row, NEXT_VC] = port + 1, at + 1
        movers, opened, heads, asleep = send(s, w, b, bit, out, now, movers, opened, heads, asleep)
        sent += 1
    return movers, opened, heads, asleep, sent


@njit(_nrt=False, forceinline=True)
def run_router(rule, s, w, now):
    """The router of word w, after which its terminals inject; the status."""
    masks, row = s.masks, natural((now & s.setup[MASK]) * s.setup[WORDS] + w)
    heads, asleep, movers, opened, fresh = take_in(
        s, w, row, masks[w, HEADS], masks[w, ASLEEP], masks[w, MOVERS], masks[w, OPEN]
    )
    winners, status, sent = np.int64(0), np.int64(DONE), np.int64(0)
    if heads != 0:
        heads, asleep, opened, winners, status = allocate(rule, s, w, heads, asleep, opened)
    if status == DONE and movers != 0:
        movers, opened, heads, asleep, sent = switch(s, w, now, movers, opened, heads, asleep)
        s.count[FLIT_HOPS] += sent
        s.count[LAST_MOVE] = now
    masks[w, HEADS], masks[w, ASLEEP] = heads | fresh, asleep
    masks[w, MOVERS], masks[w, OPEN] = movers | winners, opened
    return status
