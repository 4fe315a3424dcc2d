# mypy: ignore-errors
"""One cycle of a router with one word whose options are as by default: the same as in the other kernels, all at once.

What its buffers hold is known here by masks and by counters of `planes_kernel` alone, and all of them are counted at
once; no option is looked at. What headers with a prescribed path do is left to the others.
"""

import numpy as np
from numba import njit

from unknot.routing.relation import NO_WAIT
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
    DRY,
    ENDS,
    FILLED,
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
    IN_CELL,
    IN_LATENCY,
    LAST_MOVE,
    LENGTH,
    MASK,
    MEASURE_FROM,
    MEASURE_TO,
    NEXT_VC,
    NONATOMIC,
    NUM_VCS,
    OPEN,
    OUT,
    OUT_LATENCY,
    OUT_PORT,
    OWNER,
    OWNING,
    PARTS,
    PLACE,
    PLANES,
    PORT,
    READ,
    READER,
    RING,
    ROOM,
    SAF,
    SENT,
    SIZE,
    STATE,
    TECHNIQUE,
    TURN,
    VCT,
    WHERE,
    WORDS,
)
from unknot.simulation.planes_kernel import FLITS, SLOTS, add, counted, ones, place_of, subtract
from unknot.simulation.selection_kernel import CYCLIC
from unknot.simulation.state_kernel import BROKEN_RULE, DEAD_END, DONE, enqueue, outputs_of, packet_of, post
from unknot.simulation.switch_kernel import retire, wake
from unknot.words_kernel import how_many, lowest, natural

WISH, OF, BIDDER, KEY, FROM, OFFER, OFFER_KEY = range(7)
"""Columns of `asked`. In the row of an input: what its header requests and its packet. In the row of an output port:
the input that bids best for it, how good the bid is, the port it comes from. In the row of an input port: the output
port that it accepts, and how good that is."""


@njit(_nrt=False, forceinline=True)
def in_turn(mask, pointer):
    """The first bit of a mask at or after a pointer, going round; its number."""
    rest = mask & -(np.int64(1) << (pointer & 63))
    return lowest(rest if rest != 0 else mask)


@njit(_nrt=False, forceinline=True)
def whole_again(s, w, returned, first_output):
    """The outputs without owner among these that have all their credits."""
    whole = returned
    for k in range(s.setup[PLANES]):
        plane = s.planes[natural(place_of(s, w, SLOTS) + 2 * k)]
        whole &= plane if (s.setup[DEPTH] >> k) & 1 else ~plane
    left = whole
    while left != 0:
        if s.outputs[natural(first_output + lowest(left)), OWNER] >= 0:
            whole ^= left & -left
        left &= left - 1
    return whole


@njit(_nrt=False, forceinline=True)
def take_in(s, w, row, first_input, first_output):
    """Credits and flits of this cycle; the headers that request from the next cycle on."""
    masks, inbox, setup = s.masks, s.inbox, s.setup
    flits, returned = inbox[row, ARRIVED_BITS], inbox[row, CREDIT_BITS]
    masks[w, HEADS] |= inbox[row, HEAD_BITS]
    inbox[row, ARRIVED_BITS], inbox[row, CREDIT_BITS], inbox[row, HEAD_BITS] = 0, 0, 0
    if setup[PARTS] > 1:
        flits |= s.outside[row, ARRIVED_BITS]
        returned |= s.outside[row, CREDIT_BITS]
        s.outside[row, ARRIVED_BITS], s.outside[row, CREDIT_BITS] = 0, 0
    fresh = flits & ~(masks[w, OWNING] | masks[w, FILLED])
    masks[w, FILLED] |= flits
    add(s, w, FLITS, flits)
    ends = returned & masks[w, ENDS]
    returned ^= ends
    while ends != 0:
        s.outputs[natural(first_output + lowest(ends)), CREDITS] += 1
        ends &= ends - 1
    wet = returned & ~masks[w, ROOM]
    masks[w, ROOM] |= returned
    add(s, w, SLOTS, returned)
    while wet != 0:
        owner = np.int64(s.outputs[natural(first_output + lowest(wet)), OWNER])
        wet &= wet - 1
        if owner >= 0:
            masks[w, DRY] &= ~(np.int64(1) << (owner - first_input))
    if setup[TECHNIQUE] != NONATOMIC:
        awaited = returned & masks[w, OPEN]
        if setup[TECHNIQUE] == ATOMIC:
            awaited = whole_again(s, w, returned, first_output)
            masks[w, OPEN] |= awaited
        if awaited != 0:
            wake(s, w, w + 1)
    return fresh


@njit(_nrt=False, forceinline=True)
def wish(rule, s, w, b, p, opened, first_output, end):
    """What a header requests, as a mask of cells, 0 if it finds nothing free; and the status."""
    offered, limit, mask, k = s.offered, s.setup[NUM_VCS], np.int64(0), np.int64(0)
    count = rule(np.int64(s.inputs[b, PLACE]), s.packets[p, ADDRESS], np.int64(offered.ctypes.data))
    if count <= 0 or count > offered.size:
        return np.int64(0), np.int64(DEAD_END if count == 0 else BROKEN_RULE)
    # VCs that follow each other and are of this router have rows that do so too.
    while k < count:
        vc, many = offered[natural(k)], np.int64(1)
        while k + many < count and offered[natural(k + many)] == vc + many:
            many += 1
        if vc < 0 or vc + many > limit:
            break
        out, last = np.int64(s.out_row[natural(vc)]), np.int64(s.out_row[natural(vc + many - 1)])
        if out < first_output or last >= end or last - out != many - 1:
            return np.int64(0), np.int64(BROKEN_RULE)
        mask |= ones(many) << (out - first_output)
        k += many
    if k == count and s.setup[TECHNIQUE] >= ATOMIC:
        return mask & opened, np.int64(DONE)
    return choose(s, w, b, p, count, opened, first_output, end)


@njit(_nrt=False, forceinline=True)
def choose(s, w, b, p, count, opened, first_output, end):
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
        cells = (ones(many) << (out - first_output)) & opened
        if cells == 0 or rank > tier:
            continue
        ejects = s.outputs[natural(out), READER] < 0
        if (
            s.setup[TECHNIQUE] <= VCT
            and not ejects
            and counted(s, w, SLOTS, out - first_output) < s.packets[p, LENGTH]
        ):
            continue
        mask = cells if rank < tier else mask | cells
        tier = rank
    return mask, np.int64(DONE if may else BROKEN_RULE)


@njit(_nrt=False, forceinline=True)
def settle(s, askers, twice, first_output):
    """Outputs that several headers request grant one of them: the others request them no more."""
    asked = s.asked
    while twice != 0:
        out, bit = natural(first_output + lowest(twice)), twice & -twice
        twice ^= bit
        rivals, left = np.int64(0), askers
        while left != 0:
            if asked[natural(lowest(left)), WISH] & bit != 0:
                rivals |= left & -left
            left &= left - 1
        rivals ^= np.int64(1) << in_turn(rivals, np.int64(s.outputs[out, GRANT]))
        while rivals != 0:
            asked[natural(lowest(rivals)), WISH] ^= bit
            rivals &= rivals - 1


@njit(_nrt=False, forceinline=True)
def allocate(rule, s, w, first_input, first_output):
    """VC allocation; the status."""
    asked, inputs, outputs, packets, masks = s.asked, s.inputs, s.outputs, s.packets, s.masks
    end, opened = np.int64(s.frames[w + 1, FIRST_OUTPUT]), masks[w, OPEN]
    askers, once, twice, left = np.int64(0), np.int64(0), np.int64(0), masks[w, HEADS]
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        b = natural(first_input + at)
        p = packet_of(s, b)
        if s.setup[TECHNIQUE] == SAF and counted(s, w, FLITS, at) < packets[p, LENGTH]:
            continue
        mask, status = wish(rule, s, w, b, p, opened, first_output, end)
        if status != DONE:
            s.count[WHERE] = b
            return status
        if mask == 0:
            inputs[b, STATE] = BLOCKED
            masks[w, HEADS] ^= bit
            masks[w, ASLEEP] |= bit
            continue
        twice |= once & mask
        once |= mask
        askers |= bit
        asked[natural(at), WISH], asked[natural(at), OF] = mask, p
    if twice != 0:
        settle(s, askers, twice, first_output)
    won, taken, room = np.int64(0), np.int64(0), masks[w, ROOM]
    while askers != 0:
        at, bit = lowest(askers), askers & -askers
        askers ^= bit
        mask, p, b = asked[natural(at), WISH], natural(asked[natural(at), OF]), natural(first_input + at)
        if mask == 0:
            continue
        cell = in_turn(mask, np.int64(inputs[b, ACCEPT]))
        out = natural(first_output + cell)
        outputs[out, GRANT], outputs[out, OWNER] = at + 1, b
        inputs[b, ACCEPT], inputs[b, OUT], inputs[b, OUT_PORT] = cell + 1, out, outputs[out, PORT] - first_output
        inputs[b, SENT], inputs[b, SIZE], inputs[b, STATE] = 0, packets[p, LENGTH], FRESH
        packets[p, HOPS] += 1
        won |= bit
        taken |= np.int64(1) << cell
        if (room >> cell) & 1 == 0:
            masks[w, DRY] |= bit
    masks[w, HEADS] ^= won
    masks[w, OWNING] |= won
    masks[w, OPEN] ^= taken
    return np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def send(s, b, out, now):
    """The front flit of input row b has won the switch; whether it is a tail, and whether it is ejected."""
    inputs, outputs, setup = s.inputs, s.outputs, s.setup
    sent = inputs[b, SENT] + 1
    inputs[b, SENT] = sent
    post(s, now + 1 + inputs[b, IN_LATENCY], np.int64(inputs[b, CREDIT_CELL]), CREDIT_BITS)
    tail, ejected = sent == inputs[b, SIZE], outputs[out, READER] < 0
    if not ejected:
        if sent == 1:
            enqueue(s, out, packet_of(s, b))
        post(s, now + 2 + outputs[out, OUT_LATENCY], np.int64(outputs[out, IN_CELL]), ARRIVED_BITS)
    else:
        s.count[FLITS_OUT] += 1
        s.count[FLITS_OUT_MEASURED] += setup[MEASURE_FROM] <= now < setup[MEASURE_TO]
        if tail:
            retire(s, packet_of(s, b), now + 3)
    if tail:
        outputs[out, OWNER] = -1
        inputs[b, READ] = inputs[b, READ] + 1 if inputs[b, READ] + 1 < setup[RING] else 0
    return tail, ejected


@njit(_nrt=False, forceinline=True)
def prefer(s, rivals, first_input, first_output):
    """iSLIP among buffers that share ports: the mask of those that win."""
    inputs, sending, receiving, asked = s.inputs, s.sending, s.receiving, s.asked
    outs, ins, won = np.int64(0), np.int64(0), np.int64(0)
    while rivals != 0:
        at = lowest(rivals)
        rivals &= rivals - 1
        b = natural(first_input + at)
        into, out = np.int64(inputs[b, FROM_PORT]), natural(inputs[b, OUT_PORT])
        key, bit = (into - sending[natural(first_output + out), TURN]) & CYCLIC, np.int64(1) << out
        if outs & bit != 0:
            if key > asked[out, KEY]:
                continue
            if key == asked[out, KEY]:
                turn = np.int64(receiving[natural(first_input + into), NEXT_VC])
                if (at - turn) & CYCLIC > (asked[out, BIDDER] - turn) & CYCLIC:
                    continue
        outs |= bit
        asked[out, BIDDER], asked[out, KEY], asked[out, FROM] = at, key, into
    while outs != 0:
        out = natural(lowest(outs))
        outs &= outs - 1
        into = natural(asked[out, FROM])
        key, bit = (out - receiving[natural(first_input + into), TURN]) & CYCLIC, np.int64(1) << into
        if ins & bit != 0:
            if key > asked[into, OFFER_KEY]:
                continue
            won ^= np.int64(1) << asked[natural(asked[into, OFFER]), BIDDER]
        ins |= bit
        won |= np.int64(1) << asked[out, BIDDER]
        asked[into, OFFER], asked[into, OFFER_KEY] = out, key
    return won


@njit(_nrt=False, forceinline=True)
def winners_of(s, movers, first_input, first_output):
    """Switch allocation: the mask of those that win."""
    inputs, left = s.inputs, movers
    ins, outs, shared_ins, shared_outs = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    if movers & (movers - 1) == 0:
        return movers
    while left != 0:
        b = natural(first_input + lowest(left))
        left &= left - 1
        into, out = np.int64(1) << inputs[b, FROM_PORT], np.int64(1) << inputs[b, OUT_PORT]
        shared_ins |= ins & into
        shared_outs |= outs & out
        ins |= into
        outs |= out
    if shared_ins | shared_outs == 0:
        return movers
    rivals, left = np.int64(0), movers
    while left != 0:
        bit = left & -left
        b = natural(first_input + lowest(left))
        left ^= bit
        if ((shared_ins >> inputs[b, FROM_PORT]) | (shared_outs >> inputs[b, OUT_PORT])) & 1:
            rivals |= bit
    return (movers ^ rivals) | prefer(s, rivals, first_input, first_output)


@njit(_nrt=False, forceinline=True)
def switch(s, w, first_input, first_output, now, movers):
    """Switch allocation; the winners are sent."""
    inputs, sending, receiving, masks = s.inputs, s.sending, s.receiving, s.masks
    won = winners_of(s, movers, first_input, first_output)
    left, tails, freed, spent = won, np.int64(0), np.int64(0), np.int64(0)
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        b = natural(first_input + at)
        out, into, port = natural(inputs[b, OUT]), np.int64(inputs[b, FROM_PORT]), np.int64(inputs[b, OUT_PORT])
        port_row, into_row = natural(first_output + port), natural(first_input + into)
        sending[port_row, TURN] = into + 1
        sending[port_row, CARRIED] += 1
        receiving[into_row, TURN], receiving[into_row, NEXT_VC] = port + 1, at + 1
        tail, ejected = send(s, b, out, now)
        cell = np.int64(1) << (out - first_output)
        if not ejected:
            spent |= cell
        if tail:
            tails |= bit
            if ejected or s.setup[TECHNIQUE] != ATOMIC:
                freed |= cell
    s.count[FLIT_HOPS] += how_many(won)
    s.count[LAST_MOVE] = now
    filled, room = subtract(s, w, won, spent)
    masks[w, FILLED], masks[w, ROOM] = filled, room
    spent &= ~room
    while spent != 0:
        owner = np.int64(s.outputs[natural(first_output + lowest(spent)), OWNER])
        spent &= spent - 1
        if owner >= 0:
            masks[w, DRY] |= np.int64(1) << (owner - first_input)
    if tails != 0:
        masks[w, OPEN] |= freed
        masks[w, OWNING] ^= tails
        wake(s, w, w + 1)
        s.inbox[natural(((now + 2) & s.setup[MASK]) * s.setup[WORDS] + w), HEAD_BITS] |= tails & filled


@njit(_nrt=False, forceinline=True)
def run_router(rule, s, w, now):
    """The router of word w, after which its terminals inject; the status."""
    masks, row = s.masks, natural((now & s.setup[MASK]) * s.setup[WORDS] + w)
    first_input, first_output = np.int64(s.frames[w, FIRST_INPUT]), np.int64(s.frames[w, FIRST_OUTPUT])
    fresh = take_in(s, w, row, first_input, first_output)
    movers = masks[w, OWNING] & masks[w, FILLED] & ~masks[w, DRY]
    if masks[w, HEADS] != 0:
        status = allocate(rule, s, w, first_input, first_output)
        if status != DONE:
            return status
    if movers != 0:
        switch(s, w, first_input, first_output, now, movers)
    masks[w, HEADS] |= fresh
    return np.int64(DONE)
