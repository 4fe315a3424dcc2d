# mypy: ignore-errors
"""Flits that queue behind the switch, before channels, and credits that queue before terminals and channels."""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.view_kernel import view


@inlined
def cycle_of(s, step):
    """Return the cycle of a step."""
    # Steps up to the end of cycle c are (c + 1) × speed, rounded down; this is the least c with that many, by a
    # division that rounds up: −(−a // b).
    return -((-step << 20) // s.setup.speed) - 1


@inlined
def next_crossing(s, w0):
    """Return the step in which a switch that takes in nothing while it is at work takes in what wins it now."""
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
    port, ports = s.outputs.port[w], s.out_ports
    begin = now + final
    if s.setup.in_batches == 1:
        begin = cycle_of(s, next_crossing(s, w0))
    leaves, free = begin + s.setup.traversal_delay, ports.free_from[port]
    if ports.step[port] != s.count.step:
        ports.step[port], ports.before[port] = s.count.step, free
    idles, leaves = leaves > free, max(leaves, free)
    parts, many = ports.cycles[port], ports.flits[port]
    if many > 1:
        # Parts of a cycle in which no flit leaves count for the next one, as long as the channel does not idle.
        parts += np.int64(0) if idles else ports.rest[port]
        ports.rest[port] = parts % many
        parts //= many
    ports.free_from[port] = leaves + parts
    return leaves


@inlined
def return_credit(raw, b, now):
    """Return the cycle in which a credit leaves the input port of row b: one at a time."""
    s = view(raw)
    port = s.inputs.port[b]
    back = max(now + 1, s.in_ports.credits_from[port])
    s.in_ports.credits_from[port] = back + 1
    return back
