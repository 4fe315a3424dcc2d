# mypy: ignore-errors
"""Counters of each traffic class when a packet arrives, and requests that become replies."""

import numpy as np

from unknot._base.kernels.types_kernel import called
from unknot._base.kernels.words_kernel import natural
from unknot.simulation.engine.state import UNDECIDED
from unknot.simulation.engine.view_kernel import view


@called
def arrive_in_class(raw, p, arrival, now):
    """Count packet p, whose tail was sent to arrive in a cycle to come; return whether it goes on as a reply.

    A reply is created in the cycle in which the request arrives, and queues behind the others that its
    terminal is to send in that class. Until it is sent its source is the terminal that it goes to.
    """
    s = view(raw)
    setup, packets, p = s.setup, s.packets, natural(p)
    form = natural(packets.form[p])
    c = natural(s.forms.of[form])
    classes, created = s.classes, packets.created[p]
    if setup.measure_from <= now < setup.measure_to:
        classes.flits_out[c] += packets.length[p]
    if setup.measure_from <= created < setup.measure_to:
        classes.arrived[c] += 1
        classes.latency[c] += arrival - created
        classes.network_latency[c] += arrival - packets.injected[p]
        classes.hops[c] += packets.hops[p]
    reply = s.forms.reply[form]
    if reply < 0:
        return False
    home = setup.first_home + s.destination[natural(packets.address[p])] % setup.nodes
    row = natural(c * s.turns.shape[0] + home)
    packets.created[p], packets.length[p] = arrival, s.forms.flits[natural(reply)]
    packets.hops[p], packets.form[p], packets.script[p] = 0, reply, UNDECIDED
    s.count.created += 1
    s.waiting[p] = -1
    if s.replies.first[row] < 0:
        s.replies.first[row] = p
    else:
        s.waiting[natural(s.replies.last[row])] = p
    s.replies.last[row] = np.int64(p)
    return True
