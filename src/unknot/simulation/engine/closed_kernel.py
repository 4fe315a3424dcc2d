# mypy: ignore-errors
"""Ports of the switch that take no requests, since a packet holds them or nothing fits behind them; speculation."""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest
from unknot._base.kernels.types_kernel import inlined
from unknot.simulation.engine.codes import MOVING, PENDING
from unknot.simulation.engine.match_kernel import HOPE
from unknot.simulation.engine.state_kernel import has_room
from unknot.simulation.engine.switch_kernel import claim_ports, put_forward, switch_ends, takes_none
from unknot.simulation.engine.view_kernel import view


@inlined
def is_full(s, w, now):
    """Return whether the output buffer behind the port of output row w is full at the beginning of this step.

    Flits that won the switch in the step before are still crossing it.
    """
    port = s.outputs.port[w]
    # `free_from` counts what won in the last step, which has not crossed yet; `before` is without it.
    crossing = s.out_ports.step[port] == s.count.step - 1
    upto = s.out_ports.before[port] if crossing else s.out_ports.free_from[port]
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
    if s.setup.queues == 1 and s.outputs.reader[w] < 0:
        if s.out_ports.free_from[s.outputs.port[w]] - now > s.setup.most_queued:
            return True
    if s.setup.hold_switch == 0:
        return False
    return s.out_ports.busy[s.outputs.port[w]] == 1 or s.in_ports.busy[s.inputs.port[b]] == 1


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
            if ready or s.inputs.state[b] == PENDING:
                s.out_ports.busy[s.outputs.port[s.inputs.out[b]]] = 1
                s.in_ports.busy[s.inputs.port[b]] = 1
                if ready:
                    s.winners[sent] = b
                    sent += 1
            else:
                s.masks.holders[word] ^= bit
    return sent


@inlined
def request_in_hope(raw, count, w0, w1, n, now):
    """Let headers request the switch for each output port of which they requested a VC that has a credit.

    Their requests are put forward, after n others, or if n is −1 their ports are claimed. Returns the requests.
    """
    s = view(raw)
    ends = switch_ends(s, w0, w1)
    many, first_output = w1 - w0, s.words.first_output[w0]
    for k in range(count):
        b, port = s.headers[k], np.int64(-1)
        for j in range(many):
            left = s.wishes.requested[k * many + j]
            while left != 0:
                w = first_output + (j << 6) + lowest(left)
                left &= left - 1
                if s.outputs.port[w] != port and has_room(s, w) and not takes_none(s, b, w, now):
                    port = s.outputs.port[w]
                    into, out = s.inputs.port_bit[b], s.out_ports.first_bit[port]
                    if n >= 0:
                        n = put_forward(s, ends, n, b, into, out, now, np.int64(HOPE))
                    else:
                        # Twice, so that both ports count as shared: a match may be wasted on the header, so whoever
                        # wants one of its ports is never let through without a match.
                        claim_ports(s, into, out)
                        claim_ports(s, into, out)
    return n
