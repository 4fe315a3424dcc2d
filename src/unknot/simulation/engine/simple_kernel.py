# mypy: ignore-errors
"""Fast path: one cycle of a router with at most 128 VCs a side and common options, bit-identical to `router_kernel`.

Input and output VCs are bits of a mask of one word or two, and flits and credits are counted in planes
(`pack_kernel`), for all VCs of a router at once. `Router.is_packable` says which options it knows. Headers with a
prescribed path go through `router_kernel`.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, how_many, lowest, none
from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.simulation.engine.bid_kernel import is_by_turns, pass_by, rows_of, winners_of
from unknot.simulation.engine.codes import DONE, EMPTY, TAIL
from unknot.simulation.engine.pack_kernel import choose_at_once, count_arrivals, count_departures, with_slots
from unknot.simulation.engine.packed_allocation_kernel import allocate
from unknot.simulation.engine.state_kernel import (
    count_slot,
    eject,
    enqueue,
    has_room,
    inbox_of,
    note,
    post,
    vcs_of,
    wake,
)

FIRST_IDLE, IDLE_ROUTER = -1, -2
"""What `quiet` says of a router that has no work, after a cycle with work and later."""


@inlined
def whole_again(s, here, w, returned):
    """Return those of some outputs that have no owner and all their credits."""
    # Only outputs to which a credit came back now are looked at: one that has had all of them for longer is open, or
    # has an owner and is opened when that sends its tail and the credits of it are back. So none is missed.
    left = whole = returned if s.setup.shared > 0 else returned & with_slots(s, w, s.setup.depth)
    while left != 0:
        if s.setup.shared > 0 and here.outputs.credits[lowest(left)] < s.setup.depth:
            whole &= ~(left & -left)
        # In two's complement `left & -left` is the lowest bit that is set, and `left & (left - 1)` the others.
        if here.outputs.owner[lowest(left)] >= 0:
            whole &= ~(left & -left)
        left &= left - 1
    return whole


@called
def count_shared(s, here, w, cells, change):
    """Count a shared slot more or fewer at each of `cells`; return the outputs whose room begins or ends."""
    changed, room = none(cells), s.whole.masks.room[w]
    while cells != 0:
        first = lowest(cells)
        end, port = first + 1, here.outputs.port[first]
        cells &= cells - 1
        before = s.common[port]
        count_slot(s, here.first_output + first, change)
        if (before > 0) != (s.common[port] > 0):
            # The last of the slots that are shared concerns all VCs of the port.
            first = port - here.first_output
            end = first + vcs_of(s, port)
        for out in range(first, end):
            bit = bit_at(cells, out)
            changed |= bit
            if has_room(s, here.first_output + out) == (room & bit != 0):
                changed ^= bit
    return changed


@inlined
def take_in(s, here, w, row):
    """Take in the credits and flits of this cycle; return the headers among them."""
    masks, inbox, outside, setup = s.whole.masks, s.whole.inbox, s.whole.outside, s.setup
    flits, returned = inbox.flits[row], inbox.credits[row]
    if setup.parts > 1:
        flits |= outside.flits[row]
        returned |= outside.credits[row]
    if flits | returned == 0:
        return flits
    inbox.flits[row] = inbox.credits[row] = none(flits)
    if setup.parts > 1:
        outside.flits[row] = outside.credits[row] = none(flits)
    # A flit is a header in front exactly where the VC was empty and owns no output VC: else it is behind others, or
    # part of the packet that owns it. So this is asked before `filled` has the flits of this cycle.
    fresh = flits & ~(masks.owning[w] | masks.filled[w])
    masks.filled[w] |= flits
    # Terminals look up their credits in rows, between the cycles of routers, so those are not counted in planes.
    ends = returned & s.whole.borders.injection[w]
    returned ^= ends
    while ends != 0:
        count_slot(s, here.first_output + lowest(ends), 1)
        ends &= ends - 1
    # Where the count was 0, the owner has been waiting for this credit.
    if setup.shared == 0:
        regained = returned & ~masks.room[w]
    else:
        regained = count_shared(s, here, w, returned, 1)
    if setup.claim > 0 and regained & masks.open[w] != 0:
        wake(s, w, w + setup.width)
    masks.room[w] |= regained
    count_arrivals(s, w, flits, returned if setup.shared == 0 else none(flits))
    while regained != 0:
        owner = here.outputs.owner[lowest(regained)]
        regained &= regained - 1
        if owner >= 0:
            masks.no_credit[w] &= ~bit_at(flits, owner)
    # Headers sleep until something they may have been waiting for happens. Under saf and vct that is a credit of an
    # open output, which may now have room for the whole packet; under wormhole the last credit, which opens it.
    # Under wormhole-nonatomic an output is free as soon as its owner has sent the tail: `switch` wakes them then.
    if setup.entry != TAIL:
        awaited = returned & masks.open[w]
        if setup.entry == EMPTY:
            awaited = whole_again(s, here, w, returned)
            masks.open[w] |= awaited
        if awaited != 0:
            wake(s, w, w + setup.width)
    return fresh


@inlined
def send(s, here, w, at, out, into, port, now, final):
    """Send a flit from port `into` to `port`; return whether it is a tail, and whether it took no credit."""
    inputs, in_ports, out_ports, setup = here.inputs, here.in_ports, here.out_ports, s.setup
    sent = inputs.sent[at] + 1
    inputs.sent[at] = sent
    leaves, back = now + 2, now + 1
    if setup.queues == 1:
        leaves = call_at(setup.queue_up, (s.raw, here.first_output + out, w, now, final))
        back = call_at(setup.return_credit, (s.raw, here.first_input + at, now))
    post(s, s.inbox.credits, s.outside.credits, back + in_ports.latency[into], in_ports.credit_bit[into] + at - into)
    tail, reader, latency = sent == inputs.length[at], out_ports.reader[port], out_ports.latency[port]
    free = reader < 0
    if not free:
        if sent == 1:
            enqueue(s, here.first_output + out, reader + out - port, inputs.packet[at])
        post(s, s.inbox.flits, s.outside.flits, leaves + latency, out_ports.flit_bit[port] + out - port)
    else:
        eject(s, inputs.packet[at], tail, now, leaves + 1)
        free = latency == 0
        if not free:
            note(s, s.inbox.credits, leaves + latency, 64 * w + out)
    if tail:
        here.outputs.owner[out] = -1
        if setup.narrow != 0:
            inputs.out[at] = -1
        # Going round by a comparison: a division takes longer than the rest of this line.
        inputs.front[at] = inputs.front[at] + 1 if inputs.front[at] + 1 < setup.ring else 0
    return tail, free


@inlined
def beside(here, requesting, held):
    """Return the input VCs at ports without a VC that holds the switch."""
    entries, exits, left = none(held), none(held), held
    while left != 0:
        at = lowest(left)
        left &= left - 1
        entries |= bit_at(held, here.inputs.port_bit[at])
        exits |= bit_at(held, here.inputs.out_port_bit[at])
    left = requesting
    while left != 0 and held != 0:
        at = lowest(left)
        shared = bit_at(held, here.inputs.port_bit[at]) & entries
        if shared | (bit_at(held, here.inputs.out_port_bit[at]) & exits) != 0:
            requesting ^= left & -left
        left &= left - 1
    return requesting


@inlined
def switch(s, here, w, now, requesting, speculating, final):
    """Allocate the switch and send the winners."""
    inputs, masks, asked = here.inputs, s.whole.masks, s.whole.asked
    by_turns, held = is_by_turns(s.setup.switch_allocator, s.setup.switch_iterations), none(requesting)
    if s.setup.hold_switch == 1:
        # Also a holder that lets go, without a credit, keeps its ports in this step.
        held = masks.holders[w] & requesting
        requesting = beside(here, requesting, masks.holders[w])
    if speculating != 0:
        asked.ends[0], asked.ahead[0] = requesting, speculating
        call_at(s.setup.speculate, (s.raw, w, now))
        won = asked.won[0]
    elif by_turns:
        won = winners_of(s, here, w, requesting, now)
    elif requesting == 0:
        won = none(requesting)
    else:
        asked.ends[0], asked.ahead[0] = requesting, speculating
        call_at(s.setup.sweep_switch, (s.raw, w, now))
        won = asked.won[0]
    won |= held
    left, tails, freed, spent = won, none(requesting), none(requesting), none(requesting)
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        out, into, port = inputs.out[at], inputs.port_bit[at], inputs.out_port_bit[at]
        if bit & held == 0:
            if by_turns:
                pass_by(s, here, w, at, into, port)
            here.in_ports.vc_pointer[into] = at + 1
        if s.setup.queues == 1:
            port = here.outputs.port[out] - here.first_output  # of which the VCs of an input port may take parts
        here.out_ports.carried[port] += 1
        tail, free = send(s, here, w, at, out, into, port, now, final)
        cell = bit_at(requesting, out)
        if not free:
            spent |= cell
        if tail:
            tails |= bit
            if free or s.setup.entry != EMPTY:
                freed |= cell
    if s.setup.hold_switch == 1:
        masks.holders[w] = won & ~tails
    if won == 0:
        return
    s.count.flit_hops += how_many(won)
    s.count.last_move = max(s.count.last_move, now)
    if choose_at_once(s.setup):
        masks.spent[w] = spent
    if s.setup.shared == 0:
        left, spent = count_departures(s, w, won, spent)
    else:
        left, _ = count_departures(s, w, won, none(won))
        spent = count_shared(s, here, w, spent, -1)
    filled = masks.filled[w] & (left | ~won)
    masks.filled[w] = filled
    if s.setup.hold_switch == 1:
        masks.holders[w] &= filled
    masks.room[w] ^= spent
    # Outputs that lost their last credit; those whose tail was sent have no owner any more.
    while spent != 0:
        owner = here.outputs.owner[lowest(spent)]
        spent &= spent - 1
        if owner >= 0:
            masks.no_credit[w] |= bit_at(requesting, owner)
    # The header behind a tail is routed in the next step, if it is there yet, and requests as soon as that is over;
    # one that comes later is seen by `take_in`, since its VC owns nothing any more.
    if tails != 0:
        masks.open[w] |= freed
        masks.owning[w] ^= tails
        wake(s, w, w + s.setup.width)
        if s.setup.queues == 0 or s.setup.routing_delay == 0:
            masks.new_heads[w] |= tails & filled
        else:
            masks.later_heads[w] |= tails & filled


@inlined
def is_empty(s, row):
    """Return whether nothing comes in by this row of the inbox, and from other parts."""
    return s.whole.inbox.flits[row] | s.whole.inbox.credits[row] == 0 and s.setup.parts == 1


@inlined
def is_idle(s, w, row):
    """Return whether nothing comes into the router of word w in this cycle, and nothing in it requests or holds."""
    masks = s.whole.masks
    work = masks.heads[w] | masks.new_heads[w] | (masks.owning[w] & masks.filled[w] & ~masks.no_credit[w])
    if s.setup.queues == 1:
        work |= masks.later_heads[w]
    if s.setup.hold_switch == 1:
        work |= masks.holders[w]
    if choose_at_once(s.setup):
        work |= masks.spent[w]
    return work == 0 and is_empty(s, row)


@inlined
def run_router(rule, s, w, now):
    """Run a cycle of the router of word w, after which its terminals inject; return the status."""
    masks, setup, row = s.whole.masks, s.setup, inbox_of(s, now, w)
    if is_idle(s, w, row):
        s.quiet[w] = FIRST_IDLE if s.quiet[w] == 0 else IDLE_ROUTER
        return np.int64(DONE)
    s.quiet[w] = 0
    here = rows_of(s, w)
    if choose_at_once(setup):
        masks.spent[w] = none(masks.spent[w])
    fresh = take_in(s, here, w, row)
    if setup.queues == 0:
        # The headers behind tails of the cycle before are as far as those that come in now.
        fresh |= masks.new_heads[w]
        masks.new_heads[w] = none(fresh)
    if setup.routing_delay == 0:
        masks.heads[w] |= fresh
        fresh = none(fresh)
    steps = np.int64(1)
    if setup.queues == 1:
        steps = ((now + 1) * setup.speed >> 20) - (now * setup.speed >> 20)
    while steps > 0:
        steps -= 1
        if setup.arbiter | setup.switch_arbiter != 0:
            s.count.matches += 1
        # All stages work on what was there when the step began: who gets a VC now requests the switch from the next
        # step on, so `requesting` is read before; a new header is routed at once and joins `heads` at the end.
        requesting, requesters = masks.owning[w] & masks.filled[w] & ~masks.no_credit[w], none(fresh)
        if masks.heads[w] != 0:
            status, requesters = allocate(rule, s, here, w, now)
            if status != DONE:
                return status
            if setup.speculative == 0:
                requesters = none(fresh)
        if requesting | requesters != 0:
            if setup.queues == 1:
                s.count.step = ((now + 1) * setup.speed >> 20) - steps
            switch(s, here, w, now, requesting, requesters, np.int64(steps == 0))
        elif setup.hold_switch == 1:
            masks.holders[w] = none(fresh)
        masks.heads[w] |= fresh
        fresh = none(fresh)
        if setup.queues == 1:
            masks.heads[w] |= masks.new_heads[w]
            masks.new_heads[w], masks.later_heads[w] = masks.later_heads[w], none(fresh)
    return np.int64(DONE)
