# mypy: ignore-errors
"""Queues behind the switch: flits before channels, credits before terminals, and ports that take no more flits.

A port takes none while a packet holds it, or where nothing fits behind it.
"""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.codes import MOVING, PENDING
from unknot.simulation.engine.state_kernel import has_room, part_of
from unknot.simulation.engine.view_kernel import view


@inlined
def cycle_of(s, step):
    """Return the cycle of a step."""
    # Steps up to the end of cycle c are (c + 1) × speed, rounded down; this is the least c with that many, by a
    # division that rounds up: −(−a // b).
    return -((-step << 20) // s.setup.speed) - 1


@inlined
def next_crossing(s, w0):
    """Return the step in which a busy switch takes in the next winner: the first step after its work."""
    step, began, speed = s.count.step + 1, s.masks.crossed[w0], s.setup.speed
    if began < step:
        last = began
        if s.setup.traversal_delay > 1:
            last = ((cycle_of(s, began) + s.setup.traversal_delay - 1) * speed >> 20) + 1
        began = max(step, last + 1)
        s.masks.crossed[w0] = began
    return began


@inlined
def queue_up(raw, w, w0, now, final):
    """Return the cycle in which a flit leaves for output row w: as many in some cycles as its channel passes.

    Flits that win the switch before the `final` step of a cycle cross it in the next step, in this cycle.
    """
    s = view(raw)
    port, ports = s.outputs.port[w], s.out_queues
    begin, over = now + final, s.count.step + 1
    if s.setup.in_batches == 1:
        over = next_crossing(s, w0)
        begin = cycle_of(s, over)
    leaves, free = begin + s.setup.traversal_delay, ports.free_from[port]
    idles, leaves = leaves > free, max(leaves, free)
    parts, many = ports.cycles[port], ports.flits[port]
    if many > 1:
        # Parts of a cycle in which no flit leaves count for the next one, as long as the channel does not idle.
        parts += np.int64(0) if idles else ports.rest[port]
        ports.rest[port] = parts % many
        parts //= many
    ports.free_from[port] = leaves + parts
    if s.setup.output_buffer > 0:
        if s.setup.traversal_delay > 1:
            over = ((begin + s.setup.traversal_delay - 1) * s.setup.speed >> 20) + 1
        many = s.crossings.size // ports.size
        row = port * many + over % many
        if s.crossings.step[row] != over:
            ports.before[port] = max(ports.before[port], s.crossings.free_from[row])
            s.crossings.step[row] = over
        s.crossings.free_from[row] = leaves + parts
    return leaves


@inlined
def return_credit(raw, b, now):
    """Return the cycle in which a credit leaves the input port of row b: those of a step together, step by step."""
    s = view(raw)
    port = s.in_ports.first[s.inputs.port[b]]  # of all parts of the port
    if s.in_queues.credit_step[port] != s.count.step:
        s.in_queues.credits_from[port] = max(now + 1, s.in_queues.credits_from[port]) + 1
        s.in_queues.credit_step[port] = s.count.step
    return s.in_queues.credits_from[port] - 1


@inlined
def is_full(s, w, now):
    """Return whether the output buffer behind the port of output row w is full at the beginning of this step.

    Flits that are still crossing the switch do not count. Those that have crossed leave one after the other, so that
    the cycle from which the channel is free of them says how many they are.
    """
    port, many = s.outputs.port[w], s.crossings.size // s.out_queues.size
    upto = s.out_queues.before[port]
    for row in range(port * many, port * many + many):
        if s.crossings.step[row] < s.count.step:
            upto = max(upto, s.crossings.free_from[row])
    return upto - now > s.setup.output_buffer


@inlined
def is_closed(s, w, now):
    """Return whether no flit may cross for output row w in this step: nowhere to queue, or no slot that is shared."""
    return (s.setup.shared > 0 and not has_room(s, w)) or (s.setup.output_buffer > 0 and is_full(s, w, now))


@inlined
def is_busy(raw, b, w, now):
    """Return whether the input port of input row b or the output port of output row w takes no requests.

    A packet holds it, too many flits queue behind it, or a shared buffer has no slot for another.
    """
    s = view(raw)
    if is_closed(s, w, now):
        return True
    if s.setup.queues == 1 and s.out_ports.reader[s.outputs.port[w]] < 0:
        if s.out_queues.free_from[s.outputs.port[w]] - now > s.setup.most_queued:
            return True
    if s.setup.hold_switch == 0:
        return False
    return s.out_queues.busy[part_of(s, b, w)] == 1 or s.in_queues.busy[s.inputs.port[b]] == 1


@inlined
def go_on(raw, w0, w1, now):
    """Let buffers that hold the switch send, or let it go; return how many send."""
    s, sent = view(raw), np.int64(0)
    for word in range(w0, w1):
        holders = s.masks.holders[word]
        while holders != 0:
            bit = holders & -holders
            b = s.words.first_input[word] + lowest(holders)
            holders ^= bit
            ready = s.inputs.state[b] == MOVING and not is_closed(s, s.inputs.out[b], now)
            # Also of one that lets go both ports are taken until the next step.
            s.out_queues.busy[part_of(s, b, s.inputs.out[b])] = 1
            s.in_queues.busy[s.inputs.port[b]] = 1
            if ready:
                s.winners[sent] = b
                sent += 1
            elif s.inputs.state[b] != PENDING:
                s.masks.holders[word] ^= bit
    return sent
