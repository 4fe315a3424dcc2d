# mypy: ignore-errors
"""Flits that queue behind the switch, and credits at input ports: one leaves in a cycle."""

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import natural
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
        if s.setup.traversal > 1:
            last = ((cycle_of(s, began) + s.setup.traversal - 1) * speed >> 20) + 1
        began = max(step, last + 1)
        s.masks.crossed[w0] = began
    return began


@called
def queue_up(raw, w, w0, now, final):
    """Return the cycle in which a flit leaves for output row w: one flit at a time a channel.

    Flits that win the switch before the `final` step of a cycle cross it in the next step, in this cycle.
    """
    s, w0 = view(raw), natural(w0)
    port = natural(s.outputs.port[natural(w)])
    begin = now + final
    if s.setup.in_batches == 1:
        begin = cycle_of(s, next_crossing(s, w0))
    leaves = max(begin + s.setup.traversal, s.out_ports.free_from[port])
    if s.out_ports.step[port] != s.count.step:
        s.out_ports.step[port], s.out_ports.before[port] = s.count.step, s.out_ports.free_from[port]
    s.out_ports.free_from[port] = leaves + 1
    return leaves


@called
def return_credit(raw, b, now):
    """Return the cycle in which a credit leaves the input port of row b: one at a time."""
    s = view(raw)
    port = natural(s.inputs.port[natural(b)])
    back = max(now + 1, s.in_ports.credits_from[port])
    s.in_ports.credits_from[port] = back + 1
    return back
