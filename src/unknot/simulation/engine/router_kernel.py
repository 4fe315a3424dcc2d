# mypy: ignore-errors
"""One cycle of a router with any number of VCs and any options.

In the order of the stages: credits and flits come in, headers are routed, VCs are allocated, the switch is
allocated (`switch_kernel`), and flits that win it are sent, with a credit for whoever sent them. Every stage works
on what was there when the cycle began. Routers with at most 64 VCs a side and common options go through
`simple_kernel` instead.
"""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at, lowest
from unknot.routing.contract import IN_ROUTER
from unknot.simulation.engine.codes import (
    ATOMIC,
    DONE,
    FRESH,
    GLOBAL,
    IDLE,
    MOVING,
    NONATOMIC,
    PENDING,
    SAF,
    STALLED,
    UNDECIDED,
    WAVEFRONT,
)
from unknot.simulation.engine.match_kernel import (
    CYCLIC,
    ends_of_match,
    honoured,
    match,
    offer,
    remember,
    standing,
)
from unknot.simulation.engine.selection_kernel import first_in_turn, request
from unknot.simulation.engine.state_kernel import (
    bit_of,
    eject,
    enqueue,
    may_request,
    note,
    packet_of,
    post,
    wake,
)
from unknot.simulation.engine.switch_kernel import allocate_switch, hold_back
from unknot.simulation.engine.view_kernel import as_array

# Input: credits, flits, and buffers whose stage is over.


@inlined
def next_batch(began, cycle, delay):
    """Return when a stage of `delay` cycles, begun last or to begin in `began`, takes in what comes in a cycle."""
    if cycle >= began + delay:
        return cycle
    return began + delay if cycle > began else began


@inlined
def begin_routing(s, b, w0, cycle):
    """Begin to route the header in front of input row b, in a cycle or as soon as the stage takes it."""
    if s.setup.in_batches == 1:
        cycle = next_batch(s.masks.routed[w0], cycle, s.setup.routing_delay)
        s.masks.routed[w0] = cycle
    note(s, s.inbox.heads, cycle + s.setup.routing_delay, 64 * w0 + b - s.words.first_input[w0])


@inlined
def route(s, b, word, bit, w0, now):
    """Route the header that came to the front of input row b in this cycle."""
    s.inputs.state[b], s.inputs.out[b] = FRESH, -1
    if s.setup.routing_delay == 1:
        s.masks.new_heads[word] |= bit
    elif s.setup.routing_delay == 0:
        s.masks.heads[word] |= bit
    else:
        begin_routing(s, b, w0, now)


@inlined
def start_moving(s, b, word, bit):
    """Let input row b, which has a flit, an output VC and a credit, request the switch."""
    s.inputs.state[b] = MOVING
    s.masks.movers[word] |= bit


@inlined
def take_credits(s, bits, word, w0, w1):
    """Take in the credits of a cycle."""
    inputs, outputs = s.inputs, s.outputs
    while bits != 0:
        bit = bits & -bits
        w = s.words.first_output[word] + lowest(bits)
        bits ^= bit
        free = outputs.credits[w] + 1
        outputs.credits[w] = free
        u = outputs.owner[w]
        if u < 0:
            # Headers are woken only for a credit that can have been missing: see `simple_kernel.take_in`.
            if s.setup.technique == NONATOMIC:
                if s.setup.claim < 0 or (free > 1 and s.setup.shared == 0):
                    continue
            elif s.setup.technique == ATOMIC:
                if free < s.setup.depth:
                    continue
                s.masks.open[word] |= bit
            wake(s, w0, w1)
        elif free == 1 and inputs.state[u] == STALLED and inputs.stored[u] > 0:
            there, mine = bit_of(s, u, w0)
            start_moving(s, u, there, mine)
        if s.setup.shared > 0 and s.setup.claim > 0:
            wake(s, w0, w1)


@inlined
def take_flits(s, bits, word, w0, now):
    """Read the flits of a cycle into buffers."""
    inputs = s.inputs
    while bits != 0:
        b = s.words.first_input[word] + lowest(bits)
        bit = bits & -bits
        bits ^= bit
        inputs.stored[b] += 1
        if inputs.state[b] == IDLE:
            route(s, b, word, bit, w0, now)
        elif inputs.state[b] == STALLED and may_request(s, inputs.out[b]):
            start_moving(s, b, word, bit)


@inlined
def finish_stages(s, bits, word, w0, now):
    """Let buffers go on whose VC or switch allocation took longer than a cycle and ends now."""
    inputs = s.inputs
    while bits != 0:
        b = s.words.first_input[word] + lowest(bits)
        bit = bits & -bits
        bits ^= bit
        if inputs.out[b] < 0:
            inputs.state[b] = IDLE
            if inputs.stored[b] > 0:
                route(s, b, word, bit, w0, now)
        elif inputs.stored[b] > 0 and may_request(s, inputs.out[b]):
            start_moving(s, b, word, bit)
        else:
            inputs.state[b] = STALLED


@inlined
def open_inbox(s, r, now):
    """Take in the flits and credits due at router r in this cycle; return whether it has work."""
    w0, w1 = s.first_word[r], s.first_word[r + 1]
    inbox, masks, start = s.inbox, s.masks, (now & s.setup.slots) * s.setup.num_words
    for word in range(w0, w1):
        row = start + word
        flits, returned = inbox.flits[row], inbox.credits[row]
        heads, ready = inbox.heads[row], inbox.ready[row]
        if s.setup.parts > 1:
            flits |= s.outside.flits[row]
            returned |= s.outside.credits[row]
            s.outside.flits[row], s.outside.credits[row] = 0, 0
        if flits | returned | heads | ready:
            inbox.flits[row], inbox.credits[row] = 0, 0
            inbox.heads[row], inbox.ready[row] = 0, 0
            masks.heads[word] |= heads
            take_credits(s, returned, word, w0, w1)
            take_flits(s, flits, word, w0, now)
            if ready:
                finish_stages(s, ready, word, w0, now)
    busy = np.int64(0)
    for w in range(w0, w1):
        busy |= masks.heads[w] | masks.movers[w] | masks.new_heads[w] | masks.holders[w]
    return busy != 0


# VC allocation: headers request output VCs, outputs and inputs choose.


@inlined
def front(s, b):
    """Return the packet in front of input row b, or −1 when its header may not go on before its tail has come."""
    p = packet_of(s, b)
    if s.setup.technique == SAF and s.inputs.stored[b] < s.packets.length[p]:
        return np.int64(-1)
    return p


@inlined
def request_vcs(rule, s, w0, w1, now):
    """Collect the requests of all headers; return how many have any, or minus the status when the rule failed.

    `headers` are their input rows, and as many words as the router has are for each of them in `wishes`.
    """
    many, count = w1 - w0, np.int64(0)
    for word in range(w0, w1):
        heads = s.masks.heads[word]
        while heads != 0:
            b = s.words.first_input[word] + lowest(heads)
            heads &= heads - 1
            p = front(s, b)
            if p < 0:
                continue
            if s.setup.compares == IN_ROUTER and s.inputs.at[b] >= s.setup.num_vcs:
                if s.packets.script[p] == UNDECIDED:
                    call_at(s.setup.choose, (rule, s.raw, s.inputs.at[b] - s.setup.num_vcs, p))
            status = request(rule, s, b, p, w0, w1, now, count * many)
            if status < 0:
                s.count.failed_at = b
                return status
            if status > 0:
                s.headers[count] = b
                count += 1
    return count


@inlined
def offer_outputs(s, ends, count, many, w0):
    """Write to `grants` which outputs headers still request; of separable input-first one of them each."""
    for k in range(count):
        b = s.headers[k]
        word, bit = bit_of(s, b, w0)
        waits = s.masks.heads[word] & bit != 0
        for j in range(many):
            free = s.masks.open[w0 + j]
            s.wishes.granted[k * many + j] = s.wishes.asked[k * many + j] & free if waits else np.int64(0)
        if ends.inputs_first:
            out = first_in_turn(s.wishes.granted, k * many, (k + 1) * many, s.inputs.accept_pointer[b])
            for j in range(many):
                s.wishes.granted[k * many + j] = 0
            s.wishes.granted[k * many + (out >> 6)] = np.int64(1) << (out & 63)


@inlined
def settle(s, ends, count, many):
    """Let each output in `grants` of several headers grant one of them its request, and take it from the others."""
    # Afterwards no output is in two masks: whatever the headers then accept, in any order, is a matching. That is
    # a round of iSLIP: each output grants the request next in its turn, then each input accepts a grant in its own.
    for j in range(many):
        once, twice = np.int64(0), np.int64(0)  # requested by one, by more than one
        for k in range(count):
            mask = s.wishes.granted[k * many + j]
            twice |= once & mask
            once |= mask
        while twice != 0:
            bit, best, least = twice & -twice, np.int64(-1), np.int64(0)
            pointer = s.outputs.grant_pointer[ends.first_output + (j << 6) + lowest(twice)]
            twice ^= bit
            for k in range(count):
                if s.wishes.granted[k * many + j] & bit == 0:
                    continue
                turn, loser = (s.headers[k] - ends.first_input - pointer) & CYCLIC, np.int64(k)
                if best < 0 or turn < least:
                    best, least, loser = np.int64(k), turn, best
                if loser >= 0:
                    s.wishes.granted[loser * many + j] ^= bit


@inlined
def match_masks(s, ends, count, many, w0, now):
    """Match headers to outputs by turns alone, as masks; what `match` does with a list of requests."""
    inputs, outputs = s.inputs, s.outputs
    for number in range(ends.rounds):
        won = False
        offer_outputs(s, ends, count, many, w0)
        if count > 1:
            settle(s, ends, count, many)
        for k in range(count):
            granted = np.int64(0)
            for j in range(many):
                granted |= s.wishes.granted[k * many + j]
            if granted == 0:
                continue
            b = s.headers[k]
            out = first_in_turn(s.wishes.granted, k * many, (k + 1) * many, inputs.accept_pointer[b])
            w = ends.first_output + out
            if number == 0:
                outputs.grant_pointer[w], inputs.accept_pointer[b] = b - ends.first_input + 1, out + 1
            win(s, b, w, w0, now)
            won = True
        if not won:
            return


@inlined
def list_requests(s, ends, k, many, n, now):
    """List the requests of header k for a match, after n others; return their number."""
    requests, b = s.requests, s.headers[k]
    age, known = standing(s, now, b), honoured(s.setup.allocator, np.int64(1))
    for j in range(many):
        left = s.wishes.asked[k * many + j]
        while left != 0:
            i = n
            requests.input[i], requests.output[i] = b - ends.first_input, (j << 6) + lowest(left)
            requests.age[i] = age * known
            if s.setup.empty_first | s.setup.all_tiers:
                w, rank = ends.first_output + requests.output[i], np.int64(0)
                if s.setup.empty_first == 1 and s.outputs.credits[w] < s.setup.depth:
                    rank = np.int64(2)
                if s.setup.all_tiers == 1:
                    rank |= (s.lesser[k * many + j] >> (requests.output[i] & 63)) & 1
                requests.age[i] = known * ((age << 1) | (rank << 30))
            offer(s, ends, i)
            left &= left - 1
            n += 1
    return n


@inlined
def win(s, b, w, w0, now):
    """Allocate output row w to input row b of the router that begins with word w0.

    Another header that won in this cycle may have taken the room that a ring keeps: then this one requests again.
    """
    inputs, outputs = s.inputs, s.outputs
    if s.setup.bubble != 0 and call_at(s.setup.enter, (s.raw, b, w, now)) == 0:
        return
    p, out = packet_of(s, b), w - s.words.first_output[w0]
    word, bit = bit_of(s, b, w0)
    outputs.owner[w] = b
    s.masks.open[w0 + (out >> 6)] &= ~(np.int64(1) << (out & 63))
    inputs.out[b], inputs.sent[b], inputs.length[b] = w, 0, s.packets.length[p]
    inputs.out_port_bit[b] = s.out_ports.first_bit[outputs.port[w]] + inputs.out_part[b]
    s.packets.hops[p] += outputs.reader[w] >= 0
    s.masks.heads[word] &= ~bit
    ready = may_request(s, w)
    if s.setup.vc_allocation_delay > 1 and not (ready and s.setup.speculative == 1):
        inputs.state[b] = PENDING
        note(s, s.inbox.ready, now + s.setup.vc_allocation_delay, 64 * w0 + b - s.words.first_input[w0])
    elif ready:
        inputs.state[b] = MOVING
        s.masks.winners[word] |= bit
    else:
        inputs.state[b] = STALLED


@inlined
def allocate_vcs(rule, s, w0, w1, now):
    """Allocate the VCs of a router; return how many headers requested, or minus the status when the rule failed.

    Pointers move past a match of the first round.
    """
    inputs, outputs, many, n = s.inputs, s.outputs, w1 - w0, np.int64(0)
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    count = request_vcs(rule, s, w0, w1, now)
    if count <= 0:
        return count
    allocator = s.setup.allocator
    s.count.matches += 1
    ends = ends_of_match(
        s, as_array(inputs.accept_pointer), as_array(outputs.grant_pointer), w0, w1, allocator, np.int64(0)
    )
    in_ranks = s.setup.priority | s.setup.empty_first | s.setup.all_tiers != 0 and honoured(allocator, 1) != 0
    if allocator < WAVEFRONT and (s.setup.arbiter == 0 or ends.recent < 0) and not in_ranks:
        match_masks(s, ends, count, many, w0, now)
        return count
    for k in range(count):
        n = list_requests(s, ends, k, many, n, now)
    if n > 0 and allocator >= WAVEFRONT:
        call_at(s.setup.match_matrix, (s.raw, n, w0, w1, 0, now))
    elif n > 0:
        match(s, ends, n)
    for i in range(n):
        if s.requests.won[i] > 0:
            into, out = s.requests.input[i], s.requests.output[i]
            b, w = first_input + into, first_output + out
            if s.requests.won[i] == 1:
                outputs.grant_pointer[w], inputs.accept_pointer[b] = into + 1, out + 1
                remember(s, ends, into, out)
            win(s, b, w, w0, now)
    return count


# Traversal.


@inlined
def in_order(s, sent):
    """Sort the rows that send, in the order in which they queue behind the switch."""
    # By insertion: few rows send in a step, and they are nearly in order.
    for k in range(1, sent):
        b, at = s.winners[k], k
        while at > 0 and s.winners[at - 1] > b:
            s.winners[at] = s.winners[at - 1]
            at -= 1
        s.winners[at] = b


@inlined
def send(s, b, w0, w1, now, final):
    """Send the front flit of input row b, which has won the switch."""
    inputs, outputs, setup = s.inputs, s.outputs, s.setup
    word, bit = bit_of(s, b, w0)
    stay = setup.switch_allocation_delay - 1
    if s.masks.winners[word] & bit != 0:
        stay = max(stay, setup.vc_allocation_delay - 1)
    w, gone = inputs.out[b], now + 1 + stay
    leaves, back = gone + setup.traversal_delay, gone
    if setup.queues | setup.in_batches:
        leaves = call_at(setup.queue_up, (s.raw, w, w0, now, final))
    if setup.queues == 1:
        back = call_at(setup.return_credit, (s.raw, b, now))
    stored, sent = inputs.stored[b] - 1, inputs.sent[b] + 1
    inputs.stored[b], inputs.sent[b] = stored, sent
    tail, more = sent == inputs.length[b], stored > 0
    post(s, s.inbox.credits, s.outside.credits, back + inputs.latency[b], inputs.credit_bit[b])
    s.out_ports.carried[outputs.port[w]] += 1
    if outputs.latency[w] > 0:
        free = outputs.credits[w] - 1
        outputs.credits[w] = free
        more = more and (free > 0 or setup.shared > 0)
    if outputs.reader[w] >= 0:
        if sent == 1:
            enqueue(s, w, packet_of(s, b))
        post(
            s,
            s.inbox.flits,
            s.outside.flits,
            leaves + outputs.latency[w],
            outputs.flit_bit[w],
        )
    else:
        eject(s, packet_of(s, b), tail, now, leaves + 1)
        if outputs.latency[w] > 0:
            note(s, s.inbox.credits, leaves + outputs.latency[w], 64 * w0 + w - s.words.first_output[w0])
    s.masks.winners[word] &= ~bit
    if tail:
        release(s, w, w0, w1)
        inputs.front[b] = inputs.front[b] + 1 if inputs.front[b] + 1 < setup.ring else 0
        inputs.out[b] = -1
        if setup.bubble == GLOBAL:
            call_at(setup.leave, (s.raw, b, now))
    if stay > 0:
        inputs.state[b] = PENDING
        note(s, s.inbox.ready, gone, 64 * w0 + b - s.words.first_input[w0])
    elif not tail:
        inputs.state[b] = MOVING if more else STALLED
    elif stored > 0:
        inputs.state[b] = FRESH
        if setup.queues == 0:
            begin_routing(s, b, w0, gone)
        elif setup.routing_delay == 0:
            s.masks.new_heads[word] |= bit
        else:
            s.masks.later_heads[word] |= bit
    else:
        inputs.state[b] = IDLE
    if inputs.state[b] == MOVING:
        s.masks.movers[word] |= bit
    else:
        s.masks.movers[word] &= ~bit
    if setup.hold_switch == 1:
        if not tail and stored > 0:
            s.masks.holders[word] |= bit
        else:
            s.masks.holders[word] &= ~bit


@inlined
def release(s, w, w0, w1):
    """Free output row w, into which a tail was sent; under atomic allocation it is free when its credits are back."""
    s.outputs.owner[w] = -1
    if s.setup.technique != ATOMIC or s.outputs.credits[w] >= s.setup.depth:
        out = w - s.words.first_output[w0]
        s.masks.open[w0 + (out >> 6)] |= np.int64(1) << (out & 63)
    wake(s, w0, w1)


@inlined
def step(rule, s, w0, w1, now, left):
    """Run a step, after which as many of the same cycle are `left`; return the status."""
    s.count.step, masks = ((now + 1) * s.setup.speed >> 20) - left, s.masks
    headers = allocate_vcs(rule, s, w0, w1, now)
    if headers < 0:
        return -headers
    sent = allocate_switch(s, headers, w0, w1, now)
    if s.setup.queues == 1:
        in_order(s, sent)
    for k in range(sent):
        send(s, s.winners[k], w0, w1, now, np.int64(left == 0))
    if s.setup.speculative == 1 and s.setup.vc_allocation_delay > 1:
        hold_back(s, w0, w1, now)
    if sent:
        s.count.flit_hops += sent
        s.count.last_move = now
    for w in range(w0, w1):
        # What became ready in this step takes part from the next one on, so that no stage sees another's work.
        masks.movers[w] |= masks.winners[w]
        masks.heads[w] |= masks.new_heads[w]
        masks.winners[w], masks.new_heads[w], masks.later_heads[w] = 0, masks.later_heads[w], 0
    return np.int64(DONE)


@inlined
def work(rule, s, r, now):
    """Run the steps of a cycle of router r, without its input; return the status."""
    status = np.int64(DONE)
    w0, w1 = s.first_word[r], s.first_word[r + 1]
    left = ((now + 1) * s.setup.speed >> 20) - (now * s.setup.speed >> 20)
    while left > 0 and status == DONE:
        left -= 1
        status = step(rule, s, w0, w1, now, left)
    return status
