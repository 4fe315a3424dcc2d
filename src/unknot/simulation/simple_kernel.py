# mypy: ignore-errors
"""One cycle of a router with one word whose options are as by default: the same as in the other kernels, all at once.

What its buffers hold is known here by masks and by counters of `planes_kernel` alone, and all of them are counted at
once; no option is looked at. What headers with a prescribed path do is left to the others.
"""

from typing import Any, NamedTuple

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
    ENDS,
    FILLED,
    FIRST_INPUT,
    FIRST_OUTPUT,
    FLIT_HOPS,
    FRESH,
    FROM_PORT,
    FRONT,
    GRANT,
    HEAD_BITS,
    HEADS,
    HOPS,
    IN_CELL,
    IN_LATENCY,
    LAST_MOVE,
    LENGTH,
    MASK,
    NEXT_VC,
    NO_CREDIT,
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
    PORT,
    READ,
    READER,
    RING,
    ROOM,
    SAF,
    SELECT,
    SENT,
    SIZE,
    STATE,
    TECHNIQUE,
    TURN,
    VCT,
    WHERE,
    WORDS,
)
from unknot.simulation.planes_kernel import FLITS, SLOTS, add, at_least, counted, ones, subtract
from unknot.simulation.selection_kernel import ALL, CYCLIC, RANDOM, at_random
from unknot.simulation.state_kernel import BROKEN_RULE, DEAD_END, DONE, eject, enqueue, outputs_of, post, wake
from unknot.words_kernel import beyond, how_many, lowest, natural

WISH, OF, BIDDER, KEY, FROM, OFFER, OFFER_KEY = range(7)
"""Columns of `asked`. In the row of an input: what its header requests and its packet. In the row of an output port:
the input that bids best for it, how good the bid is, the port it comes from. In the row of an input port: the output
port that it accepts, and how good that is."""


class Here(NamedTuple):
    """The rows of one router: what is a row elsewhere, also in OUT and OWNER, is a number from 0 here."""

    first_input: Any
    first_output: Any
    cells: Any
    inputs: Any
    outputs: Any
    sending: Any
    receiving: Any
    ring: Any


@njit(_nrt=False, forceinline=True)
def in_turn(mask, pointer):
    """The first bit of a mask at or after a pointer, going round; its number."""
    rest = mask & -(np.int64(1) << (pointer & 63))
    return lowest(rest if rest != 0 else mask)


@njit(_nrt=False, forceinline=True)
def front_of(s, here, at):
    """The packet in front of an input."""
    return natural(here.ring[natural(at * s.setup[RING] + here.inputs[natural(at), READ])])


@njit(_nrt=False, forceinline=True)
def whole_again(s, here, w, returned):
    """The outputs without owner among these that have all their credits."""
    left = whole = returned & at_least(s, w, SLOTS, s.setup[DEPTH])
    while left != 0:
        if here.outputs[natural(lowest(left)), OWNER] >= 0:
            whole ^= left & -left
        left &= left - 1
    return whole


@njit(_nrt=False, forceinline=True)
def take_in(s, here, w, row):
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
        here.outputs[natural(lowest(ends)), CREDITS] += 1
        ends &= ends - 1
    regained = returned & ~masks[w, ROOM]
    masks[w, ROOM] |= returned
    add(s, w, SLOTS, returned)
    while regained != 0:
        owner = np.int64(here.outputs[natural(lowest(regained)), OWNER])
        regained &= regained - 1
        if owner >= 0:
            masks[w, NO_CREDIT] &= ~(np.int64(1) << owner)
    if setup[TECHNIQUE] != NONATOMIC:
        awaited = returned & masks[w, OPEN]
        if setup[TECHNIQUE] == ATOMIC:
            awaited = whole_again(s, here, w, returned)
            masks[w, OPEN] |= awaited
        if awaited != 0:
            wake(s, w, w + 1)
    return fresh


@njit(_nrt=False, forceinline=True)
def wish(rule, s, here, w, at, p):
    """What a header requests, as a mask of outputs, 0 if it finds nothing free; and the status."""
    offered, limit, mask, k = s.offered, s.setup[NUM_VCS], np.int64(0), np.int64(0)
    address, free = s.packets[p, ADDRESS], s.masks[w, OPEN]
    if s.setup[TECHNIQUE] <= VCT:
        free &= at_least(s, w, SLOTS, s.packets[p, LENGTH])
    if s.decided.shape[0] > 0:
        place = np.int64(s.place_class[natural(here.first_input + at)])
        kept = s.decided[natural(place * s.destination.shape[0] + address)]
        if kept > 0:
            row = natural(s.first_decision[w] + kept - 1)
            mask = s.decisions[row, 0] & free
            return mask if mask != 0 else s.decisions[row, 1] & free, np.int64(DONE)
    count = rule(np.int64(here.inputs[at, PLACE]), address, np.int64(offered.ctypes.data))
    if count <= 0 or count > offered.size:
        return np.int64(0), np.int64(DEAD_END if count == 0 else BROKEN_RULE)
    # VCs that follow each other and are of this router have rows that do so too.
    while k < count:
        vc, many = offered[natural(k)], np.int64(1)
        while k + many < count and offered[natural(k + many)] == vc + many:
            many += 1
        if vc < 0 or vc + many > limit:
            break
        cell = s.out_row[natural(vc)] - here.first_output
        last = s.out_row[natural(vc + many - 1)] - here.first_output
        if cell < 0 or last >= here.cells or last - cell != many - 1:
            return np.int64(0), np.int64(BROKEN_RULE)
        mask |= ones(many) << cell
        k += many
    if k == count:
        return mask & free, np.int64(DONE)
    return choose(s, here, at, address, count, free)


@njit(_nrt=False, forceinline=True)
def choose(s, here, at, address, count, free):
    """The same where candidates have tiers, are not waited for, or eject."""
    offered = s.offered
    only, mask, tier, may = here.inputs[at, STATE] == BLOCKED, np.int64(0), np.int64(256), False
    for k in range(count):
        value = offered[natural(k)]
        if only and value & NO_WAIT != 0:
            continue
        may = True
        rank = (value >> 40) & 0xFF
        out, many = outputs_of(s, address, value)
        cell = out - here.first_output
        if cell < 0 or cell >= here.cells:
            return np.int64(0), np.int64(BROKEN_RULE)
        cells = (ones(many) << cell) & free
        if cells == 0 or rank > tier:
            continue
        mask = cells if rank < tier else mask | cells
        tier = rank
    return mask, np.int64(DONE if may else BROKEN_RULE)


@njit(_nrt=False, forceinline=True)
def select(s, here, at, mask, now):
    """Leave one of several outputs, at random or in turn."""
    if s.setup[SELECT] == RANDOM:
        for _ in range(at_random(s, here.first_input + at, now, how_many(mask))):
            mask &= mask - 1
        return mask & -mask
    return np.int64(1) << in_turn(mask, np.int64(here.inputs[at, ACCEPT]))


@njit(_nrt=False, forceinline=True)
def settle(s, here, askers, twice):
    """Outputs that several headers request grant one of them: the others request them no more."""
    asked = s.asked
    while twice != 0:
        bit, rivals, left = twice & -twice, np.int64(0), askers
        while left != 0:
            if asked[natural(lowest(left)), WISH] & bit != 0:
                rivals |= left & -left
            left &= left - 1
        rivals ^= np.int64(1) << in_turn(rivals, np.int64(here.outputs[natural(lowest(twice)), GRANT]))
        while rivals != 0:
            asked[natural(lowest(rivals)), WISH] ^= bit
            rivals &= rivals - 1
        twice ^= bit


@njit(_nrt=False, forceinline=True)
def allocate(rule, s, here, w, now):
    """VC allocation; the status."""
    asked, inputs, outputs, packets, masks = s.asked, here.inputs, here.outputs, s.packets, s.masks
    askers, once, twice, left = np.int64(0), np.int64(0), np.int64(0), masks[w, HEADS]
    while left != 0:
        at, bit = natural(lowest(left)), left & -left
        left ^= bit
        p = front_of(s, here, at)
        if s.setup[TECHNIQUE] == SAF and counted(s, w, FLITS, at) < packets[p, LENGTH]:
            continue
        mask, status = wish(rule, s, here, w, at, p)
        if status != DONE:
            s.count[WHERE] = here.first_input + at
            return status
        if mask == 0:
            inputs[at, STATE] = BLOCKED
            masks[w, HEADS] ^= bit
            masks[w, ASLEEP] |= bit
            continue
        if s.setup[SELECT] != ALL and mask & (mask - 1) != 0:
            mask = select(s, here, at, mask, now)
        twice |= once & mask
        once |= mask
        askers |= bit
        asked[at, WISH], asked[at, OF] = mask, p
    if twice != 0:
        settle(s, here, askers, twice)
    won, taken, room = np.int64(0), np.int64(0), masks[w, ROOM]
    while askers != 0:
        at, bit = natural(lowest(askers)), askers & -askers
        askers ^= bit
        mask, p = asked[at, WISH], natural(asked[at, OF])
        if mask == 0:
            continue
        out = natural(in_turn(mask, np.int64(inputs[at, ACCEPT])))
        outputs[out, GRANT], outputs[out, OWNER] = at + 1, at
        inputs[at, ACCEPT], inputs[at, OUT] = out + 1, out
        inputs[at, OUT_PORT] = outputs[out, PORT] - here.first_output
        inputs[at, SENT], inputs[at, SIZE], inputs[at, FRONT], inputs[at, STATE] = 0, packets[p, LENGTH], p, FRESH
        packets[p, HOPS] += outputs[out, READER] >= 0
        won |= bit
        taken |= np.int64(1) << out
        if (room >> out) & 1 == 0:
            masks[w, NO_CREDIT] |= bit
    masks[w, HEADS] ^= won
    masks[w, OWNING] |= won
    masks[w, OPEN] ^= taken
    return np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def send(s, here, at, out, now):
    """The front flit of an input has won the switch; whether it is a tail, and whether it is ejected."""
    inputs, outputs, setup = here.inputs, here.outputs, s.setup
    sent = inputs[at, SENT] + 1
    inputs[at, SENT] = sent
    post(s, now + 1 + inputs[at, IN_LATENCY], np.int64(inputs[at, CREDIT_CELL]), CREDIT_BITS)
    tail, ejected = sent == inputs[at, SIZE], outputs[out, READER] < 0
    if not ejected:
        if sent == 1:
            enqueue(s, natural(here.first_output + out), inputs[at, FRONT])
        post(s, now + 2 + outputs[out, OUT_LATENCY], np.int64(outputs[out, IN_CELL]), ARRIVED_BITS)
    else:
        eject(s, natural(inputs[at, FRONT]), tail, now, now + 3)
    if tail:
        outputs[out, OWNER] = -1
        inputs[at, READ] = inputs[at, READ] + 1 if inputs[at, READ] + 1 < setup[RING] else 0
    return tail, ejected


@njit(_nrt=False, forceinline=True)
def prefer(s, here, rivals):
    """iSLIP among buffers that share ports: the mask of those that win."""
    inputs, asked = here.inputs, s.asked
    outs, ins, won = np.int64(0), np.int64(0), np.int64(0)
    while rivals != 0:
        at = natural(lowest(rivals))
        rivals &= rivals - 1
        into, out = natural(inputs[at, FROM_PORT]), natural(inputs[at, OUT_PORT])
        key, bit = (into - here.sending[out, TURN]) & CYCLIC, np.int64(1) << out
        if outs & bit != 0:
            if key > asked[out, KEY]:
                continue
            if key == asked[out, KEY]:
                turn = np.int64(here.receiving[into, NEXT_VC])
                if (at - turn) & CYCLIC > (asked[out, BIDDER] - turn) & CYCLIC:
                    continue
        outs |= bit
        asked[out, BIDDER], asked[out, KEY], asked[out, FROM] = at, key, into
    while outs != 0:
        out = natural(lowest(outs))
        outs &= outs - 1
        into = natural(asked[out, FROM])
        key, bit = (out - here.receiving[into, TURN]) & CYCLIC, np.int64(1) << into
        if ins & bit != 0:
            if key > asked[into, OFFER_KEY]:
                continue
            won ^= np.int64(1) << asked[natural(asked[into, OFFER]), BIDDER]
        ins |= bit
        won |= np.int64(1) << asked[out, BIDDER]
        asked[into, OFFER], asked[into, OFFER_KEY] = out, key
    return won


@njit(_nrt=False, forceinline=True)
def winners_of(s, here, movers):
    """Switch allocation: the mask of those that win."""
    inputs, left = here.inputs, movers
    ins, outs, shared_ins, shared_outs = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    if movers & (movers - 1) == 0:
        return movers
    while left != 0:
        at = natural(lowest(left))
        left &= left - 1
        into, out = np.int64(1) << inputs[at, FROM_PORT], np.int64(1) << inputs[at, OUT_PORT]
        shared_ins |= ins & into
        shared_outs |= outs & out
        ins |= into
        outs |= out
    if shared_ins | shared_outs == 0:
        return movers
    rivals, left = np.int64(0), movers
    while left != 0:
        at, bit = natural(lowest(left)), left & -left
        left ^= bit
        if ((shared_ins >> inputs[at, FROM_PORT]) | (shared_outs >> inputs[at, OUT_PORT])) & 1:
            rivals |= bit
    return (movers ^ rivals) | prefer(s, here, rivals)


@njit(_nrt=False, forceinline=True)
def switch(s, here, w, now, movers):
    """Switch allocation; the winners are sent."""
    inputs, masks = here.inputs, s.masks
    won = winners_of(s, here, movers)
    left, tails, freed, spent = won, np.int64(0), np.int64(0), np.int64(0)
    while left != 0:
        at, bit = natural(lowest(left)), left & -left
        left ^= bit
        out, into, port = natural(inputs[at, OUT]), natural(inputs[at, FROM_PORT]), natural(inputs[at, OUT_PORT])
        here.sending[port, TURN] = into + 1
        here.sending[port, CARRIED] += 1
        here.receiving[into, TURN], here.receiving[into, NEXT_VC] = port + 1, at + 1
        tail, ejected = send(s, here, at, out, now)
        cell = np.int64(1) << out
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
        owner = np.int64(here.outputs[natural(lowest(spent)), OWNER])
        spent &= spent - 1
        if owner >= 0:
            masks[w, NO_CREDIT] |= np.int64(1) << owner
    if tails != 0:
        masks[w, OPEN] |= freed
        masks[w, OWNING] ^= tails
        wake(s, w, w + 1)
        s.inbox[natural(((now + 2) & s.setup[MASK]) * s.setup[WORDS] + w), HEAD_BITS] |= tails & filled


@njit(_nrt=False, forceinline=True)
def rows_of(s, w):
    """The rows of the router of word w."""
    first_input, first_output = natural(s.frames[w, FIRST_INPUT]), natural(s.frames[w, FIRST_OUTPUT])
    return Here(
        first_input,
        first_output,
        s.frames[w + 1, FIRST_OUTPUT] - first_output,
        beyond(s.inputs, first_input),
        beyond(s.outputs, first_output),
        beyond(s.sending, first_output),
        beyond(s.receiving, first_input),
        beyond(s.ring, first_input * s.setup[RING]),
    )


@njit(_nrt=False, forceinline=True)
def run_router(rule, s, w, now):
    """The router of word w, after which its terminals inject; the status."""
    masks, here = s.masks, rows_of(s, w)
    fresh = take_in(s, here, w, natural((now & s.setup[MASK]) * s.setup[WORDS] + w))
    movers = masks[w, OWNING] & masks[w, FILLED] & ~masks[w, NO_CREDIT]
    if masks[w, HEADS] != 0:
        status = allocate(rule, s, here, w, now)
        if status != DONE:
            return status
    if movers != 0:
        switch(s, here, w, now, movers)
    masks[w, HEADS] |= fresh
    return np.int64(DONE)
