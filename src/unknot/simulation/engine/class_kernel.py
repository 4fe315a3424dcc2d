# mypy: ignore-errors
"""Terminals with several traffic classes: a source queue for each, and at most one flit in a cycle into each subnet.

Of the classes that have a flit, a VC of their own and a credit, that of the highest priority injects, and of equals
the next one in turn. Replies go before new requests of their class, which are not drawn while replies wait. Row
`c × terminals + t` of `terminals` is class c of terminal t.
"""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import call_at
from unknot.simulation.engine.codes import UNDECIDED, UNEQUAL
from unknot.simulation.engine.inject_kernel import creates, draw, draw_pair, new_packet, put_at_head
from unknot.simulation.engine.match_kernel import BY_CLASS
from unknot.simulation.engine.meter_kernel import count_allocated
from unknot.simulation.engine.state_kernel import (
    count_slot,
    destination_of,
    enqueue,
    has_credits,
    has_room,
    need,
    post_flit,
    reader_of,
)
from unknot.simulation.engine.view_kernel import view


@inlined
def whom(s, c, row, t):
    """Draw the address, of the first message class, of the next packet of class c of terminal t."""
    everyone = s.classes.everyone[c]
    if everyone >= 0:
        address = draw(s, row) % (s.setup.nodes - 1 + everyone)
        return address + 1 if everyone == 0 and address >= t - s.setup.first_home else address
    begin, many = draw_pair(s, row, everyone == UNEQUAL)
    return s.addresses[begin + (draw(s, row) % many if many > 1 else 0)]


@inlined
def whom_to_answer(s, row, t, to):
    """Return the address, of the first message class, of a reply from terminal t."""
    node = to - s.setup.first_home
    if s.reply_range.size == 0:
        return np.int64(node)
    entry = (t - s.setup.first_home) * s.setup.nodes + node
    begin, many = s.reply_range[2 * entry], s.reply_range[2 * entry + 1] - s.reply_range[2 * entry]
    return s.reply_addresses[begin + (draw(s, row) % many if many > 1 else 0)]


@inlined
def create_in(s, c, row, t, cycle):
    """Note that class c of terminal t has created a packet in a cycle; return False if its queue is full."""
    p = new_packet(s)
    if p < 0:
        return False
    address, form = whom(s, c, row, t), s.classes.first_form[c]
    if form + 1 < s.classes.end_form[c]:
        x = draw(s, row)
        while x >= s.forms.upto[form]:
            form += 1
    s.packets.address[p], s.packets.length[p] = address + s.forms.shift[form], s.forms.flits[form]
    s.courses.form[p] = form
    put_at_head(s, row, t, p, cycle)
    return True


@inlined
def draws(s, c, row):
    """Draw whether class c creates a packet in the next cycle of row `row`."""
    return s.terminals.chance[row] != 0 and creates(s, row, s.classes.begins[c], s.classes.ends[c])


@called
def fill(raw, c, t, now):
    """Fill the head of the source queue of class c of terminal t, which is empty, with a reply or a packet drawn."""
    s = view(raw)
    terminals, replies, row = s.terminals, s.replies, c * s.turns.size + t
    # A reply is noted when its request is sent to the terminal, some cycles before it arrives and the reply is made.
    first = replies.first[row]
    if first >= 0 and s.packets.created[first] < now:
        p = first
        replies.first[row] = s.waiting[p]
        to = s.packets.source[p]
        form = s.courses.form[p]
        s.packets.address[p] = whom_to_answer(s, row, t, to) + s.forms.shift[form]
        s.packets.source[p] = t
        terminals.packet[row], terminals.left[row] = first, s.packets.length[p]
        s.count.measured_created += s.setup.measure_from <= s.packets.created[p] < s.setup.measure_to
        return
    while terminals.drawn[row] <= now and terminals.packet[row] < 0:
        if draws(s, c, row) and not create_in(s, c, row, t, terminals.drawn[row]):
            return
        terminals.drawn[row] += 1


@inlined
def rank(s, p):
    """Return the priority of packet p at injection; the higher, the earlier."""
    if s.setup.priority == BY_CLASS:
        return s.classes.priority[s.forms.of[s.courses.form[p]]]
    return -s.packets.created[p] if s.setup.priority == 1 else np.int64(0)


@inlined
def port_of(s, row, p):
    """Row of `terminals` of the port where packet p of a source row is injected: that of its subnet."""
    return row - s.setup.first_home + s.forms.subnet[s.courses.form[p]] * s.setup.nodes


@called
def way_in(raw, c, t):
    """Return the row of `outputs` into which class c of terminal t may send a flit now, or −1."""
    s = view(raw)
    terminals, many = s.terminals, s.turns.size
    row = c * many + t
    vc = terminals.vc[row]
    if vc >= 0:
        return vc if has_room(s, vc) else np.int64(-1)
    p = terminals.packet[row]
    form = s.courses.form[p]
    low, wide = s.forms.low[form], s.forms.high[form] - s.forms.low[form]
    needed = max(need(s.setup, s.packets.length[p]), np.int64(1))
    port = port_of(s, row, p)
    base, start = terminals.first_output[port], terminals.last_vc[port] + 1 - low
    # After the VC used last, going round; from the first where that is outside of the range, as of another form.
    tries = np.int64(1) if s.setup.first_alone == 1 and not 0 < start <= wide else wide
    if not 0 < start < wide:
        start = 0
    for _ in range(tries):
        vc_row = base + low + start
        start = start + 1 if start + 1 < wide else 0
        # Another class of the terminal may be in the midst of a packet there.
        free = has_credits(s, vc_row, needed)
        for other in range(s.classes.size):
            free &= terminals.vc[other * many + t] != vc_row
        if free:
            return vc_row
    return np.int64(-1)


@inlined
def is_for(s, row, subnet):
    """Return whether a source row has a packet for a subnet."""
    p = s.terminals.packet[row]
    return p >= 0 and s.forms.subnet[s.courses.form[p]] == subnet


@inlined
def chosen_class(s, t, subnet, turn):
    """Return the class of which terminal t injects a flit into a subnet, −1 for none, and the row of `outputs`.

    Of row `turn` of `turns` is the class that did so last.
    """
    many, classes, last = s.turns.size, s.classes.size, s.turns[turn]
    best, best_rank, into, others = np.int64(-1), np.int64(0), np.int64(-1), classes
    if s.setup.hold_switch == 1:
        row = last * many + t
        if is_for(s, row, subnet) and s.terminals.vc[row] >= 0:
            into = way_in(s.raw, last, t)
            if into >= 0:
                best, best_rank, others = last, rank(s, s.terminals.packet[row]), classes - 1
    c = last
    for _ in range(others):
        c = c + 1 if c + 1 < classes else 0
        p = s.terminals.packet[c * many + t]
        if not is_for(s, c * many + t, subnet) or (best >= 0 and best_rank >= rank(s, p)):
            continue
        entry = way_in(s.raw, c, t)
        if entry >= 0:
            best, best_rank, into = c, rank(s, p), entry
    return best, into


@inlined
def inject_classes(rule, raw, r, now):
    """Create packets of each class at the terminals of router r, and inject a flit of each into each subnet."""
    s = view(raw)
    terminals, many = s.terminals, s.turns.size
    for i in range(s.first_terminal[r], s.first_terminal[r + 1]):
        t = s.local_terminals[i]
        if t < s.setup.first_home:
            continue
        waits = False
        for c in range(s.classes.size):
            row = c * many + t
            if terminals.packet[row] < 0 and terminals.drawn[row] <= now:
                fill(raw, c, t, now)
            waits |= terminals.packet[row] >= 0
        if not waits:
            continue
        for subnet in range(s.setup.subnets):
            turn = t - s.setup.first_home + subnet * s.setup.nodes
            c, into = chosen_class(s, t, subnet, turn)
            if c < 0:
                continue
            row, w = c * many + t, into
            if terminals.vc[row] < 0:
                port = port_of(s, row, terminals.packet[row])
                terminals.vc[row], terminals.last_vc[port] = into, into - terminals.first_output[port]
                enqueue(s, w, reader_of(s, w), terminals.packet[row])
                if s.setup.metered != 0:
                    count_allocated(s, w, terminals.packet[row])
                s.packets.injected[terminals.packet[row]] = now
                # Into other subnets a router decides for itself: it may be some cycles behind or ahead.
                if s.setup.choose != 0 and s.setup.routing_delay == 0 and s.setup.subnets == 1:
                    call_at(s.setup.choose, (rule, raw, r, t, terminals.packet[row]))
            count_slot(s, w, -1)
            post_flit(s, w, now + 1)
            s.count.flits_in += 1
            s.count.last_move = now
            s.turns[turn] = c
            terminals.left[row] -= 1
            if terminals.left[row] == 0:
                terminals.packet[row], terminals.vc[row] = -1, -1


@inlined
def arrive_in_class(raw, p, arrival, now):
    """Count packet p, whose tail was sent to arrive in a cycle to come; return whether it goes on as a reply.

    A reply is created in the cycle in which the request arrives, and queues behind the others that its
    terminal is to send in that class. Until it is sent its source is the terminal that it goes to.
    """
    s = view(raw)
    setup, packets = s.setup, s.packets
    form = s.courses.form[p]
    c = s.forms.of[form]
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
    home = setup.first_home + destination_of(s, packets.address[p]) % setup.nodes
    row = c * s.turns.size + home
    packets.created[p], packets.length[p] = arrival, s.forms.flits[reply]
    packets.hops[p], s.courses.form[p], s.courses.script[p] = 0, reply, UNDECIDED
    s.count.created += 1
    # Not always last: a request whose header speculated wins the switch before others and may arrive after them.
    after, before = s.replies.first[row], np.int64(-1)
    if after >= 0 and packets.created[s.replies.last[row]] <= arrival:
        after, before = np.int64(-1), s.replies.last[row]
    while after >= 0 and packets.created[after] <= arrival:
        after, before = s.waiting[after], after
    s.waiting[p] = after
    if before < 0:
        s.replies.first[row] = p
    else:
        s.waiting[before] = p
    if after < 0:
        s.replies.last[row] = np.int64(p)
    return True
