# mypy: ignore-errors
"""VC allocation of the fast path: what headers request, and what outputs grant, as bits of a word."""

import numpy as np

from unknot._base.kernels.mask_kernel import bit_at, how_many, lowest, none, ones
from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import call_at, call_rule
from unknot.routing.contract import IN_ROUTER, NO_WAIT
from unknot.simulation.engine.bid_kernel import arbiters_of, front_of, is_by_turns
from unknot.simulation.engine.candidate_kernel import ask_rule, ends_of, tier_of
from unknot.simulation.engine.choice_kernel import credits_of_port
from unknot.simulation.engine.codes import (
    ALL,
    BETTER_OF_TWO,
    BLOCKED,
    BROKEN_RULE,
    DEAD_END,
    DONE,
    EVERY_HOP,
    FRESH,
    INPUTS_FIRST,
    ISLIP,
    MOST_CREDITS,
    ROUND_ROBIN,
    UNDECIDED,
    WHOLE,
)
from unknot.simulation.engine.compare_kernel import FIRST_WORD
from unknot.simulation.engine.match_kernel import age_key, longest_ago, remember
from unknot.simulation.engine.meter_kernel import count_header
from unknot.simulation.engine.pack_kernel import flits_in, with_slots
from unknot.simulation.engine.selection_kernel import at_random, in_turn
from unknot.simulation.engine.state_kernel import need
from unknot.simulation.engine.view_kernel import place_of


@inlined
def requests_of(rule, s, here, w, at, p, now):
    """Return a header's requests as a mask of outputs, 0 if it finds nothing free; and the status."""
    candidates, limit, answers, k = s.candidates, s.setup.num_vcs, s.whole.answers, np.int64(0)
    address, free = s.packets.address[p], s.whole.masks.open[w]
    mask = none(free)
    if s.setup.claim > 0:
        free &= s.whole.masks.room[w]
    if s.setup.entry == WHOLE:
        free &= with_slots(s, w, need(s.setup, s.packets.length[p]))
    if s.cache.size > 0:
        kind = s.input_class[here.first_input + at]
        # Answers with NO_WAIT are not cached, so one holds for blocked headers as well.
        kept = s.cache[kind * s.setup.num_addresses + address]
        if kept > 0:
            row = s.first_answer[w] + (kept - 1) * s.setup.width
            if s.setup.selection == BETTER_OF_TWO:
                call_at(s.setup.keep_port, (s.raw, w, at, row, now))
                return s.whole.wants.requested[at * s.setup.width] & free, np.int64(DONE)
            mask, other = answers.first[row] & free, answers.second[row] & free
            if s.setup.all_tiers == 1:
                return mask | other, np.int64(DONE)
            return mask if mask != 0 else other, np.int64(DONE)
    if s.setup.narrow != 0:
        return of_choice(rule, s, here, w, at, p, now, free)
    count, first_vc = call_rule(rule, here.inputs.at[at], address, place_of(candidates)), s.words.first_vc[w]
    if count <= 0 or count > candidates.size:
        return mask, np.int64(DEAD_END if count == 0 else BROKEN_RULE)
    # VCs that follow each other and are of this router have rows that do so too. Candidates with a tier or NO_WAIT,
    # and EJECT, are larger than any VC: at the first of those `choose` takes over.
    while k < count:
        vc, many = candidates[k], np.int64(1)
        while k + many < count and candidates[k + many] == vc + many:
            many += 1
        if vc < 0 or vc + many > limit:
            break
        cell, last = vc - first_vc, vc + many - 1 - first_vc
        if cell < 0 or vc + many > s.words.end_vc[w]:
            cell, last = s.out_row[vc] - here.first_output, s.out_row[vc + many - 1] - here.first_output
        if cell < 0 or last >= here.cells or last - cell != many - 1:
            return none(free), np.int64(BROKEN_RULE)
        mask |= ones(free, many) << cell
        k += many
    if k == count:
        return mask & free, np.int64(DONE)
    return choose(s, here, at, address, count, free, here.inputs.state[at] == BLOCKED)


@inlined
def of_choice(rule, s, here, w, at, p, now, free):
    """Return the requests of a header that looks at all its candidates, and may keep an earlier choice."""
    b = here.first_input + at
    count = ask_rule(rule, s, b, p)
    if count <= 0:
        return none(free), np.int64(DEAD_END if count == -2 else BROKEN_RULE)
    if here.inputs.out[at] < 0:
        end = here.first_output + here.cells
        count = call_at(s.setup.narrow, (s.raw, b, p, count, here.first_output, end, now, w))
    if count == 0:
        return none(free), np.int64(DONE)
    return choose(s, here, at, s.packets.address[p], count, free, False)


@inlined
def choose(s, here, at, address, count, free, only):
    """Choose an output VC where candidates have tiers, are not waited for, or eject; with `only` those waited for."""
    candidates = s.candidates
    # A tier has 8 bits, so 256 is above all of them.
    mask, tier, remains = none(free), np.int64(256), False
    for k in range(count):
        candidate = candidates[k]
        if only and candidate & NO_WAIT != 0:
            continue
        remains = True
        rank = tier_of(candidate)
        out, many = ends_of(s, here.first_input + at, address, candidate)
        cell = out - here.first_output
        if cell < 0 or cell >= here.cells:
            return none(free), np.int64(BROKEN_RULE)
        cells = (ones(free, many) << cell) & free
        if s.setup.all_tiers == 1:
            rank = np.int64(0)
        if cells == 0 or rank > tier:
            continue
        mask = cells if rank < tier else mask | cells
        tier = rank
    return mask, np.int64(DONE if remains else BROKEN_RULE)


@inlined
def select(s, here, w, at, mask, now):
    """Keep one of several outputs: at random, at random among ports with the most credits, or in turn."""
    if s.setup.selection == MOST_CREDITS:
        left, most, port, room = mask, np.int64(-1), np.int64(-1), np.int64(-1)
        while left != 0:
            if here.outputs.port[lowest(left)] != port:
                port = here.outputs.port[lowest(left)]
                room = credits_of_port(s, w, port)
            if room > most:
                # A better port than all before: −bit keeps this bit and those above it, which are still to come.
                most = room
                mask &= -(left & -left)
            elif room < most:
                mask ^= left & -left
            left &= left - 1
    if s.setup.selection != ROUND_ROBIN:
        # As many of the lowest bits are taken off as the number drawn says; the next one is left.
        for _ in range(at_random(s, here.first_input + at, now, how_many(mask))):
            mask &= mask - 1
        return mask & -mask
    return bit_at(mask, in_turn(mask, here.inputs.accept_pointer[at]))


@inlined
def oldest(s, rivals, now):
    """Leave the headers of the best priority."""
    best, least = none(rivals), np.int64(0)
    while rivals != 0:
        age = age_key(s, now, s.contest.packet[lowest(rivals)])
        if best == 0 or age < least:
            best, least = none(rivals), age
        if age == least:
            best |= rivals & -rivals
        rivals &= rivals - 1
    return best


@called
def longest_waiting(s, here, w, mask, end, of_input):
    """Return which of a mask of outputs an input chooses by its matrix arbiter or, if `of_input` is 0, vice versa."""
    arbiters, best, least = arbiters_of(s, here, w, s.setup.allocator, np.int64(0)), np.int64(-1), np.int64(0)
    while mask != 0:
        other = lowest(mask)
        into, out = (end, other) if of_input == 1 else (other, end)
        rank = longest_ago(s, arbiters, into, out, of_input)
        if best < 0 or rank < least:
            best, least = other, rank
        mask &= mask - 1
    return best


@inlined
def settle(s, here, w, requesters, twice, now):
    """Let each output with several requests grant a single header, and delete the other requests."""
    # One bit of each mask is looked at for each output, so outputs may come in any order. Afterwards no output is in
    # two masks: whatever the headers then accept, in whatever order, is a matching. That is a round of iSLIP: first
    # each output grants the request next in its turn, then each input accepts the grant next in its own.
    wants, width = s.whole.wants, s.setup.width
    while twice != 0:
        bit, rivals, left = twice & -twice, none(twice), requesters
        while left != 0:
            if wants.requested[lowest(left) * width] & bit != 0:
                rivals |= left & -left
            left &= left - 1
        first = rivals
        if s.setup.priority != 0 and s.setup.allocator != ISLIP:
            first = oldest(s, rivals, now)
        best = in_turn(first, here.outputs.grant_pointer[lowest(twice)])
        if s.setup.arbiter != 0 and s.setup.allocator != ISLIP:
            best = longest_waiting(s, here, w, first, lowest(twice), np.int64(0))
        rivals ^= bit_at(rivals, best)
        # All rivals have the bit in their masks, so that XOR takes it out.
        while rivals != 0:
            wants.requested[lowest(rivals) * width] ^= bit
            rivals &= rivals - 1
        twice ^= bit


@inlined
def allocate(rule, s, here, w, now):
    """Allocate VCs; return the status, and the headers that requested any."""
    inputs, outputs, packets, width = here.inputs, here.outputs, s.packets, s.setup.width
    contest, wants, masks, left = s.contest, s.whole.wants, s.whole.masks, s.whole.masks.heads[w]
    requesters, once, twice = none(left), none(left), none(left)
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        p = front_of(s, here, at)
        if s.setup.complete == 1 and flits_in(s, w, at) < packets.length[p]:
            continue
        if s.setup.compares == IN_ROUTER and inputs.at[at] >= s.setup.num_vcs:
            if s.courses.script[p] == UNDECIDED:
                call_at(s.setup.choose, (rule, s.raw, FIRST_WORD - w, inputs.at[at] - s.setup.num_vcs, p))
        mask, status = requests_of(rule, s, here, w, at, p, now)
        if status != DONE:
            s.count.failed_at = here.first_input + at
            return status, requesters
        if mask == 0:
            inputs.state[at] = BLOCKED
            masks.heads[w] ^= bit
            masks.asleep[w] |= bit
            continue
        if ALL < s.setup.selection < BETTER_OF_TWO and mask & (mask - 1) != 0:
            mask = select(s, here, w, at, mask, now)
        if s.setup.speculative == 1:
            wants.speculated[at * width] = mask & masks.room[w]
        if s.setup.allocator == INPUTS_FIRST:
            out = in_turn(mask, inputs.accept_pointer[at])
            if s.setup.arbiter != 0:
                out = longest_waiting(s, here, w, mask, at, np.int64(1))
            mask = bit_at(mask, out)
        # Two bits of a counter for each output: requested by one, by more than one.
        twice |= once & mask
        once |= mask
        requesters |= bit
        wants.requested[at * width], contest.packet[at] = mask, p
    by_turns = is_by_turns(s.setup.allocator, s.setup.iterations)
    if not by_turns:
        if requesters != 0:
            s.whole.asked.ends[0] = requesters
            call_at(s.setup.sweep_vcs, (s.raw, w, now))
    elif twice != 0:
        settle(s, here, w, requesters, twice, now)
    won, taken, room, left = none(requesters), none(requesters), masks.room[w], requesters
    ejection = s.whole.borders.ejection[w]
    while left != 0:
        at, bit = lowest(left), left & -left
        left ^= bit
        mask, p = wants.requested[at * width], contest.packet[at]
        if mask == 0:
            continue  # granted nothing; it is still in `heads` and requests again in the next cycle
        out = in_turn(mask, inputs.accept_pointer[at])
        if s.setup.arbiter != 0 and s.setup.allocator != ISLIP and by_turns:
            out = longest_waiting(s, here, w, mask, at, np.int64(1))
            remember(s, arbiters_of(s, here, w, s.setup.allocator, np.int64(0)), at, out)
        outputs.owner[out], inputs.out[at] = at, out
        if by_turns:
            outputs.grant_pointer[out], inputs.accept_pointer[at] = at + 1, out + 1
        inputs.out_port_bit[at] = outputs.port[out] - here.first_output
        if s.setup.queues == 1:
            inputs.out_port_bit[at] += inputs.out_part[at]  # with an output speedup
        inputs.sent[at], inputs.length[at], inputs.packet[at], inputs.state[at] = 0, packets.length[p], p, FRESH
        packets.hops[p] += ejection & bit_at(requesters, out) == 0
        if s.setup.metered == EVERY_HOP:
            count_header(s, here.first_output + out, p)
        won |= bit
        taken |= bit_at(requesters, out)
        if room & bit_at(requesters, out) == 0:
            masks.no_credit[w] |= bit
    # Winners were in `heads` and what they took in `open`, so that XOR clears both.
    masks.heads[w] ^= won
    masks.owning[w] |= won
    masks.open[w] ^= taken
    return np.int64(DONE), requesters
