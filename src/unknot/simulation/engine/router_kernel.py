# mypy: ignore-errors
"""One cycle of a router with any number of VCs and any options.

In the order of the stages: credits and flits come in (`inbox_kernel`), headers are routed, VCs are allocated
(`allocation_kernel`), the switch is allocated (`switch_kernel`), and flits that win it are sent, with a credit for
whoever sent them. Every stage works on what was there when the cycle began. Routers with at most 128 VCs a side and
common options go through `simple_kernel` instead.
"""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.simulation.engine.allocation_kernel import allocate_vcs
from unknot.simulation.engine.codes import DONE, EMPTY, FRESH, IDLE, MOVING, PENDING, STALLED
from unknot.simulation.engine.inbox_kernel import begin_routing
from unknot.simulation.engine.state_kernel import (
    bit_of,
    count_slot,
    eject,
    enqueue,
    has_room,
    note,
    packet_of,
    post,
    post_flit,
    wake,
)
from unknot.simulation.engine.switch_kernel import allocate_switch, hold_back


@inlined
def in_order(s, won):
    """Sort the rows that won the switch in the order of their queue behind the switch."""
    # By insertion: few rows send in a step, and they are nearly in order.
    for k in range(1, won):
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
    # A header that speculated won the switch while its VC was allocated: it leaves when both stages are over.
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
    into, port = inputs.port[b], outputs.port[w]
    reader, latency = s.out_ports.reader[port], s.out_ports.latency[port]
    credit_bit = s.in_ports.credit_bit[into] + b - into
    post(s, s.inbox.credits, s.outside.credits, back + s.in_ports.latency[into], credit_bit)
    s.out_ports.carried[port] += 1
    if latency > 0:
        count_slot(s, w, -1)
        more = more and (outputs.credits[w] > 0 or setup.shared > 0)
    if reader >= 0:
        if sent == 1:
            enqueue(s, w, reader + w - port, packet_of(s, b))
        post_flit(s, w, leaves)
    else:
        eject(s, packet_of(s, b), tail, now, leaves + 1)
        if latency > 0:
            note(s, s.inbox.credits, leaves + latency, 64 * w0 + w - s.words.first_output[w0])
    s.masks.winners[word] &= ~bit
    if tail:
        release(s, w, w0, w1)
        inputs.front[b] = inputs.front[b] + 1 if inputs.front[b] + 1 < setup.ring else 0
        inputs.out[b] = -1
        if setup.slotted != 0:
            call_at(setup.leave, (s.raw, b, now))
    if stay > 0:
        inputs.state[b] = PENDING
        note(s, s.stages.ready, gone, 64 * w0 + b - s.words.first_input[w0])
    elif not tail:
        inputs.state[b] = MOVING if more else STALLED
    elif stored > 0:
        inputs.state[b] = FRESH
        # With a speedup routing takes a step, of which a cycle has several: noted for a cycle it would be late.
        if setup.queues == 0:
            begin_routing(s, b, w0, gone)
        elif setup.routing_delay == 0:
            s.masks.new_heads[word] |= bit
        else:
            s.masks.later_heads[word] |= bit
    else:
        inputs.state[b] = IDLE
    if inputs.state[b] == MOVING:
        s.masks.requesting[word] |= bit
    else:
        s.masks.requesting[word] &= ~bit
    if setup.hold_switch == 1:
        if not tail and stored > 0:
            s.masks.holders[word] |= bit
        else:
            s.masks.holders[word] &= ~bit


@inlined
def release(s, w, w0, w1):
    """Free output row w, into which a tail was sent; under atomic allocation it is free when its credits are back."""
    s.outputs.owner[w] = -1
    if s.setup.entry != EMPTY or s.outputs.credits[w] >= s.setup.depth:
        out = w - s.words.first_output[w0]
        s.masks.open[w0 + (out >> 6)] |= np.int64(1) << (out & 63)
    wake(s, w0, w1)


@inlined
def step(rule, s, w0, w1, now, left):
    """Run a step of a cycle in which `left` more of them follow; return the status."""
    s.count.step, masks = ((now + 1) * s.setup.speed >> 20) - left, s.masks
    headers = allocate_vcs(rule, s, w0, w1, now)
    if headers < 0:
        return -headers
    wants = np.int64(s.setup.hold_switch) | (headers if s.setup.speculative == 1 else np.int64(0))
    for w in range(w0, w1):
        wants |= masks.requesting[w]
    sent, won = np.int64(0), allocate_switch(s, headers, w0, w1, now) if wants != 0 else np.int64(0)
    if s.setup.queues == 1:
        in_order(s, won)
    for k in range(won):
        # Of two that won the switch in one step the first may take the last slot that VCs share.
        if s.setup.shared == 0 or has_room(s, s.inputs.out[s.winners[k]]):
            send(s, s.winners[k], w0, w1, now, np.int64(left == 0))
            sent += 1
    if s.setup.speculative == 1 and s.setup.vc_allocation_delay > 1:
        hold_back(s, w0, w1, now)
    if sent:
        s.count.flit_hops += sent
        s.count.last_move = max(s.count.last_move, now)
    for w in range(w0, w1):
        # What became ready in this step takes part from the next one on, so that no stage sees another's work.
        masks.requesting[w] |= masks.winners[w]
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
