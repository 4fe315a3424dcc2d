# mypy: ignore-errors
"""Fast path: one cycle of a router with at most 64 VCs a side and common options, bit-identical to `router_kernel`.

Input and output VCs are bits of a word, and flits and credits are counted in planes (`pack_kernel`), for all VCs of
a router at once. `Router.is_packable` says which options it knows. Headers with a prescribed path go through
`router_kernel`.
"""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at, call_rule, how_many, lowest
from unknot.routing.contract import NO_WAIT
from unknot.simulation.engine.bid_kernel import pass_by, rows_of, winners_of
from unknot.simulation.engine.codes import (
    ALL,
    ATOMIC,
    BLOCKED,
    BROKEN_RULE,
    DEAD_END,
    DONE,
    FRESH,
    INPUTS_FIRST,
    NONATOMIC,
    RANDOM,
    SAF,
    VCT,
    WAVEFRONT,
)
from unknot.simulation.engine.pack_kernel import count_arrivals, count_departures, flits_in, ones, with_slots
from unknot.simulation.engine.selection_kernel import at_random, in_turn
from unknot.simulation.engine.state_kernel import (
    eject,
    ends_of,
    enqueue,
    note,
    post,
    wake,
)
from unknot.simulation.engine.view_kernel import place_of


@inlined
def front_of(s, here, at):
    """Return the packet in front of an input."""
    return here.ring[at * s.setup.ring + here.inputs.front[at]]


@inlined
def whole_again(s, here, w, returned):
    """Return those of some outputs that have no owner and all their credits."""
    # Only outputs to which a credit came back now are looked at: one that has had all of them for longer is open, or
    # has an owner and is opened when that sends its tail and the credits of it are back. So none is missed.
    left = whole = returned & with_slots(s, w, s.setup.depth)
    while left != 0:
        # In two's complement `left & -left` is the lowest bit that is set, and `left & (left - 1)` the others.
        if here.outputs.owner[lowest(left)] >= 0:
            whole ^= left & -left
        left &= left - 1
    return whole


@inlined
def take_in(s, here, w, row):
    """Take in the credits and flits of this cycle; return the headers that request from the next cycle on."""
    masks, inbox, setup = s.masks, s.inbox, s.setup
    flits, returned = inbox.flits[row], inbox.credits[row]
    masks.heads[w] |= inbox.heads[row]
    inbox.flits[row], inbox.credits[row], inbox.heads[row] = 0, 0, 0
    if setup.parts > 1:
        flits |= s.outside.flits[row]
        returned |= s.outside.credits[row]
        s.outside.flits[row], s.outside.credits[row] = 0, 0
    # A flit is a header in front exactly where the VC was empty and owns no output VC: else it is behind others, or
    # part of the packet that owns it. So this is asked before `filled` has the flits of this cycle.
    fresh = flits & ~(masks.owning[w] | masks.filled[w])
    masks.filled[w] |= flits
    # Terminals look up their credits in rows, between the cycles of routers, so those are not counted in planes.
    ends = returned & masks.injection[w]
    returned ^= ends
    while ends != 0:
        here.outputs.credits[lowest(ends)] += 1
        ends &= ends - 1
    # Where the count was 0, the owner has been waiting for this credit.
    regained = returned & ~masks.room[w]
    masks.room[w] |= returned
    count_arrivals(s, w, flits, returned)
    while regained != 0:
        owner = here.outputs.owner[lowest(regained)]
        regained &= regained - 1
        if owner >= 0:
            masks.no_credit[w] &= ~(np.int64(1) << owner)
    # Headers sleep until something they may have been waiting for happens. Under saf and vct that is a credit of an
    # open output, which may now have room for the whole packet; under wormhole the last credit, which opens it.
    # Under wormhole-nonatomic an output is free as soon as its owner has sent the tail: `switch` wakes them then.
    if setup.technique != NONATOMIC:
        awaited = returned & masks.open[w]
        if setup.technique == ATOMIC:
            awaited = whole_again(s, here, w, returned)
            masks.open[w] |= awaited
        if awaited != 0:
            wake(s, w, w + 1)
    return fresh


@inlined
def wish(rule, s, here, w, at, p):
    """Return a header's requests as a mask of outputs, 0 if it finds nothing free; and the status."""
    candidates, limit, mask, k = s.candidates, s.setup.num_vcs, np.int64(0), np.int64(0)
    address, free = s.packets.address[p], s.masks.open[w]
    if s.setup.technique <= VCT:
        free &= with_slots(s, w, s.packets.length[p])
    if s.cache.size > 0:
        kind = s.input_class[here.first_input + at]
        # Answers with NO_WAIT are not cached, so one holds for blocked headers as well.
        kept = s.cache[kind * s.destination.size + address]
        if kept > 0:
            row = s.first_answer[w] + kept - 1
            mask, other = s.answers.first[row] & free, s.answers.second[row] & free
            if s.setup.all_tiers == 1:
                return mask | other, np.int64(DONE)
            return mask if mask != 0 else other, np.int64(DONE)
    count = call_rule(rule, here.inputs.at[at], address, place_of(candidates))
    if count <= 0 or count > candidates.size:
        return np.int64(0), np.int64(DEAD_END if count == 0 else BROKEN_RULE)
    # VCs that follow each other and are of this router have rows that do so too. Candidates with a tier or NO_WAIT,
    # and EJECT, are larger than any VC: at the first of those `choose` takes over.
    while k < count:
        vc, many = candidates[k], np.int64(1)
        while k + many < count and candidates[k + many] == vc + many:
            many += 1
        if vc < 0 or vc + many > limit:
            break
        cell = s.out_row[vc] - here.first_output
        last = s.out_row[vc + many - 1] - here.first_output
        if cell < 0 or last >= here.cells or last - cell != many - 1:
            return np.int64(0), np.int64(BROKEN_RULE)
        mask |= ones(many) << cell
        k += many
    if k == count:
        return mask & free, np.int64(DONE)
    return choose(s, here, at, address, count, free)


@inlined
def choose(s, here, at, address, count, free):
    """Choose an output VC where candidates have tiers, are not waited for, or eject."""
    candidates = s.candidates
    # A tier has 8 bits, so 256 is above all of them.
    only, mask, tier, may = here.inputs.state[at] == BLOCKED, np.int64(0), np.int64(256), False
    for k in range(count):
        candidate = candidates[k]
        if only and candidate & NO_WAIT != 0:
            continue
        may = True
        rank = (candidate >> 40) & 0xFF
        out, many = ends_of(s, here.first_input + at, address, candidate)
        cell = out - here.first_output
        if cell < 0 or cell >= here.cells:
            return np.int64(0), np.int64(BROKEN_RULE)
        cells = (ones(many) << cell) & free
        if s.setup.all_tiers == 1:
            rank = np.int64(0)
        if cells == 0 or rank > tier:
            continue
        mask = cells if rank < tier else mask | cells
        tier = rank
    return mask, np.int64(DONE if may else BROKEN_RULE)


@inlined
def select(s, here, at, mask, now):
    """Leave one of several outputs, at random or in turn."""
    if s.setup.selection == RANDOM:
        for _ in range(at_random(s, here.first_input + at, now, how_many(mask))):
            mask &= mask - 1
        return mask & -mask
    return np.int64(1) << in_turn(mask, here.inputs.accept_pointer[at])


@inlined
def settle(s, here, askers, twice):
    """Let outputs that several headers request grant one of them, and take the requests of the others back."""
    # One bit of each wish is looked at for each output, so outputs may come in any order. Afterwards no output is in
    # two wishes: whatever the headers then accept, in whatever order, is a matching. That is a round of iSLIP: first
    # each output grants the request next in its turn, then each input accepts the grant next in its own.
    contest = s.contest
    while twice != 0:
        bit, rivals, left = twice & -twice, np.int64(0), askers
        while left != 0:
            if contest.wish[lowest(left)] & bit != 0:
                rivals |= left & -left
            left &= left - 1
        rivals ^= np.int64(1) << in_turn(rivals, here.outputs.grant_pointer[lowest(twice)])
        # All rivals have the bit in their wishes, so that XOR takes it out.
        while rivals != 0:
            contest.wish[lowest(rivals)] ^= bit
            rivals &= rivals - 1
        twice ^= bit


@inlined
def allocate(rule, s, here, w, now):
    """Allocate VCs; return the status, and the headers that requested any."""
    contest, inputs, outputs, packets, masks = s.contest, here.inputs, here.outputs, s.packets, s.masks
    askers, once, twice, left = np.int64(0), np.int64(0), np.int64(0), masks.heads[w]
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        p = front_of(s, here, at)
        if s.setup.technique == SAF and flits_in(s, w, at) < packets.length[p]:
            continue
        mask, status = wish(rule, s, here, w, at, p)
        if status != DONE:
            s.count.failed_at = here.first_input + at
            return status, askers
        if mask == 0:
            inputs.state[at] = BLOCKED
            masks.heads[w] ^= bit
            masks.asleep[w] |= bit
            continue
        if s.setup.selection != ALL and mask & (mask - 1) != 0:
            mask = select(s, here, at, mask, now)
        if s.setup.speculative == 1:
            contest.hope[at] = mask & masks.room[w]
        if s.setup.allocator == INPUTS_FIRST:
            mask = np.int64(1) << in_turn(mask, inputs.accept_pointer[at])
        # Two bits of a counter for each output: requested by one, by more than one.
        twice |= once & mask
        once |= mask
        askers |= bit
        contest.wish[at], contest.packet[at] = mask, p
    by_turns = s.setup.allocator < WAVEFRONT
    if not by_turns:
        if askers != 0:
            call_at(s.setup.sweep_vcs, (s.raw, askers, w))
    elif twice != 0:
        settle(s, here, askers, twice)
    won, taken, room, left = np.int64(0), np.int64(0), masks.room[w], askers
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        mask, p = contest.wish[at], contest.packet[at]
        if mask == 0:
            continue  # granted nothing; it is still in `heads` and requests again in the next cycle
        out = in_turn(mask, inputs.accept_pointer[at])
        outputs.owner[out], inputs.out[at] = at, out
        if by_turns:
            outputs.grant_pointer[out], inputs.accept_pointer[at] = at + 1, out + 1
        inputs.out_port_bit[at] = outputs.port[out] - here.first_output
        inputs.sent[at], inputs.length[at], inputs.packet[at], inputs.state[at] = 0, packets.length[p], p, FRESH
        packets.hops[p] += outputs.reader[out] >= 0
        won |= bit
        taken |= np.int64(1) << out
        if (room >> out) & 1 == 0:
            masks.no_credit[w] |= bit
    # Winners were in `heads` and what they took in `open`, so that XOR clears both.
    masks.heads[w] ^= won
    masks.owning[w] |= won
    masks.open[w] ^= taken
    return np.int64(DONE), askers


@inlined
def send(s, here, w, at, out, now, final):
    """Send the front flit of an input; return whether it is a tail, and whether it took no credit."""
    inputs, outputs, setup = here.inputs, here.outputs, s.setup
    sent = inputs.sent[at] + 1
    inputs.sent[at] = sent
    leaves, back = now + 2, now + 1
    if setup.queues == 1:
        leaves = call_at(setup.queue_up, (s.raw, here.first_output + out, w, now, final))
        back = call_at(setup.return_credit, (s.raw, here.first_input + at, now))
    post(s, s.inbox.credits, s.outside.credits, back + inputs.latency[at], inputs.credit_bit[at])
    tail, free = sent == inputs.length[at], outputs.reader[out] < 0
    if not free:
        if sent == 1:
            enqueue(s, here.first_output + out, inputs.packet[at])
        post(s, s.inbox.flits, s.outside.flits, leaves + outputs.latency[out], outputs.flit_bit[out])
    else:
        eject(s, inputs.packet[at], tail, now, leaves + 1)
        free = outputs.latency[out] == 0
        if not free:
            note(s, s.inbox.credits, leaves + outputs.latency[out], 64 * w + out)
    if tail:
        outputs.owner[out] = -1
        # Going round by a comparison: a division takes longer than the rest of this line.
        inputs.front[at] = inputs.front[at] + 1 if inputs.front[at] + 1 < setup.ring else 0
    return tail, free


@inlined
def switch(s, here, w, now, movers, hopes, final):
    """Allocate the switch and send the winners."""
    inputs, masks, by_turns = here.inputs, s.masks, s.setup.switch_allocator < WAVEFRONT
    if hopes != 0:
        call_at(s.setup.speculate, (s.raw, w, movers, hopes))
        won = s.count.won
    elif by_turns:
        won = winners_of(s, here, movers)
    else:
        call_at(s.setup.sweep_switch, (s.raw, movers, w))
        won = s.count.won
    left, tails, freed, spent = won, np.int64(0), np.int64(0), np.int64(0)
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        out, into, port = inputs.out[at], inputs.port_bit[at], inputs.out_port_bit[at]
        if by_turns:
            pass_by(here, at, into, port)
        here.in_ports.vc_pointer[into] = at + 1
        here.out_ports.carried[port] += 1
        tail, free = send(s, here, w, at, out, now, final)
        cell = np.int64(1) << out
        if not free:
            spent |= cell
        if tail:
            tails |= bit
            if free or s.setup.technique != ATOMIC:
                freed |= cell
    if won == 0:
        return
    s.count.flit_hops += how_many(won)
    s.count.last_move = now
    left, spent = count_departures(s, w, won, spent)
    filled = masks.filled[w] & (left | ~won)
    masks.filled[w] = filled
    masks.room[w] ^= spent
    # Outputs that lost their last credit; those whose tail was sent have no owner any more.
    while spent != 0:
        owner = here.outputs.owner[lowest(spent)]
        spent &= spent - 1
        if owner >= 0:
            masks.no_credit[w] |= np.int64(1) << owner
    # The header behind a tail is routed in the next cycle, if it is there yet, and requests as soon as that is over;
    # one that comes later is seen by `take_in`, since its VC owns nothing any more. Steps of a cycle count as cycles.
    if tails != 0:
        masks.open[w] |= freed
        masks.owning[w] ^= tails
        wake(s, w, w + 1)
        if s.setup.queues == 0:
            row = ((now + 1 + s.setup.routing_delay) & s.setup.slots) * s.setup.num_words + w
            s.inbox.heads[row] |= tails & filled
        elif s.setup.routing_delay == 0:
            masks.new_heads[w] |= tails & filled
        else:
            masks.later_heads[w] |= tails & filled


@inlined
def run_router(rule, s, w, now):
    """Run a cycle of the router of word w, after which its terminals inject; return the status."""
    masks, here, setup = s.masks, rows_of(s, w), s.setup
    fresh = take_in(s, here, w, (now & setup.slots) * setup.num_words + w)
    if setup.routing_delay == 0:
        masks.heads[w] |= fresh
        fresh = np.int64(0)
    steps = np.int64(1)
    if setup.queues == 1:
        steps = ((now + 1) * setup.speed >> 20) - (now * setup.speed >> 20)
    while steps > 0:
        steps -= 1
        # All stages work on what was there when the step began: who gets a VC now requests the switch from the next
        # one on, so movers are taken before; a header that came in now is routed now, so it joins `heads` at the end.
        movers, askers = masks.owning[w] & masks.filled[w] & ~masks.no_credit[w], np.int64(0)
        if masks.heads[w] != 0:
            status, askers = allocate(rule, s, here, w, now)
            if status != DONE:
                return status
            if setup.speculative == 0:
                askers = np.int64(0)
        if movers | askers:
            if setup.queues == 1:
                s.count.step = ((now + 1) * setup.speed >> 20) - steps
            switch(s, here, w, now, movers, askers, np.int64(steps == 0))
        masks.heads[w] |= fresh
        fresh = np.int64(0)
        if setup.queues == 1:
            masks.heads[w] |= masks.new_heads[w]
            masks.new_heads[w], masks.later_heads[w] = masks.later_heads[w], 0
    return np.int64(DONE)
