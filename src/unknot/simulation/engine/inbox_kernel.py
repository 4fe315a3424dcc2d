# mypy: ignore-errors
"""What comes into a router with any number of VCs: credits, flits, and buffers whose stage is over."""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.codes import EMPTY, FRESH, IDLE, MOVING, STALLED, TAIL
from unknot.simulation.engine.state_kernel import bit_of, count_slot, inbox_of, may_request, note, wake


@inlined
def next_batch(began, cycle, delay):
    """Return when a stage of `delay` cycles, begun last or to begin in `began`, takes in what comes in a cycle."""
    # Idle: at once. Under way: when it ends, with all that come till then. Not begun yet: with that batch.
    if cycle >= began + delay:
        return cycle
    return began + delay if cycle > began else began


@inlined
def begin_routing(s, b, w0, cycle):
    """Begin to route the header in front of input row b, in a cycle or as soon as the stage takes it."""
    if s.setup.in_batches == 1:
        cycle = next_batch(s.masks.routed[w0], cycle, s.setup.routing_delay)
        s.masks.routed[w0] = cycle
    note(s, s.stages.heads, cycle + s.setup.routing_delay, 64 * w0 + b - s.words.first_input[w0])


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
    s.masks.requesting[word] |= bit


@inlined
def take_credits(s, bits, word, w0, w1):
    """Take in the credits of a cycle."""
    inputs, outputs = s.inputs, s.outputs
    while bits != 0:
        bit = bits & -bits
        w = s.words.first_output[word] + lowest(bits)
        bits ^= bit
        count_slot(s, w, 1)
        free = outputs.credits[w]
        u = outputs.owner[w]
        if u < 0:
            # Headers are woken only for a credit that can have been missing: see `simple_kernel.take_in`.
            if s.setup.entry == TAIL:
                if s.setup.claim < 0 or (free > 1 and s.setup.shared == 0):
                    continue
            elif s.setup.entry == EMPTY:
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
def begin_next_stage(s, b, word, bit, w0, now):
    """Route the flit in front of input row b, or let it request the switch, if that comes next."""
    if s.inputs.state[b] == IDLE:
        route(s, b, word, bit, w0, now)
    elif s.inputs.state[b] == STALLED and may_request(s, s.inputs.out[b]):
        start_moving(s, b, word, bit)


@inlined
def take_flits(s, bits, word, w0, now):
    """Read the flits of a cycle into buffers."""
    while bits != 0:
        b = s.words.first_input[word] + lowest(bits)
        bit = bits & -bits
        bits ^= bit
        s.inputs.stored[b] += 1
        begin_next_stage(s, b, word, bit, w0, now)


@inlined
def finish_stages(s, bits, word, w0, now):
    """End the VC or switch allocation of buffers for which it took longer than a cycle."""
    while bits != 0:
        b = s.words.first_input[word] + lowest(bits)
        bit = bits & -bits
        bits ^= bit
        s.inputs.state[b] = IDLE if s.inputs.out[b] < 0 else STALLED
        if s.inputs.stored[b] > 0:
            begin_next_stage(s, b, word, bit, w0, now)


@inlined
def open_inbox(s, r, now):
    """Take in the flits and credits due at router r in this cycle; return whether it has work."""
    w0, w1 = s.first_word[r], s.first_word[r + 1]
    inbox, stages, masks = s.inbox, s.stages, s.masks
    for word in range(w0, w1):
        row = inbox_of(s, now, word)
        flits, returned = inbox.flits[row], inbox.credits[row]
        heads, ready = stages.heads[row], stages.ready[row]
        if s.setup.parts > 1:
            flits |= s.outside.flits[row]
            returned |= s.outside.credits[row]
            s.outside.flits[row], s.outside.credits[row] = 0, 0
        if flits | returned | heads | ready:
            inbox.flits[row], inbox.credits[row] = 0, 0
            stages.heads[row], stages.ready[row] = 0, 0
            masks.heads[word] |= heads
            take_credits(s, returned, word, w0, w1)
            take_flits(s, flits, word, w0, now)
            if ready:
                finish_stages(s, ready, word, w0, now)
    busy = np.int64(0)
    for w in range(w0, w1):
        busy |= masks.heads[w] | masks.requesting[w] | masks.new_heads[w] | masks.holders[w]
    return busy != 0
