# mypy: ignore-errors
"""Parts shared by the kernels of the simulator: inboxes, packets, credits and slots."""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import atomic_or, call_at, mixed
from unknot.simulation.engine.codes import EMPTY, TAIL
from unknot.simulation.engine.view_kernel import place_of, view


@inlined
def random_bits(state):
    """Return 53 random bits of a state of SplitMix64."""
    return np.int64(mixed(state) >> np.uint64(11))


@inlined
def inbox_of(s, cycle, word):
    """Return the row of the inbox of a word in a cycle."""
    # `slots` is a power of two less one: inboxes take turns, and are emptied before their turn comes again.
    return (cycle & s.setup.slots) * s.setup.num_words + word


@inlined
def bring_near(s, begin, end):
    """Put what was posted far ahead for some cycles into the inboxes that take turns, as their cycles come."""
    if s.setup.queues == 0 or s.count.far < begin or s.setup.far_slots == 0:
        return
    inbox = s.inbox
    for cycle in range(begin, end):
        near = inbox_of(s, cycle, np.int64(0))
        for far in range(far_inbox_of(s, cycle, np.int64(0)), far_inbox_of(s, cycle, s.setup.num_words)):
            inbox.flits[near] |= inbox.flits[far]
            inbox.credits[near] |= inbox.credits[far]
            inbox.flits[far] = inbox.credits[far] = 0
            near += 1


@inlined
def far_inbox_of(s, cycle, word):
    """Return the row of the inbox of a word in a cycle far ahead."""
    return (s.setup.slots + 1 + (cycle & s.setup.far_slots)) * s.setup.num_words + word


@inlined
def note(s, box, cycle, cell):
    """Set a bit, counted over all routers, in the inbox of a cycle to come."""
    row = inbox_of(s, cycle, cell >> 6)
    if s.setup.queues == 1 and s.setup.far_slots != 0 and cycle - s.count.now > s.setup.slots:
        row = far_inbox_of(s, cycle, cell >> 6)
        s.count.far = max(s.count.far, cycle)
    box[row] |= np.int64(1) << (cell & 63)


@inlined
def post(s, box, outside, cycle, cell):
    """Post an event at least two cycles ahead, for a router that may belong to another part."""
    word = cell >> 6
    if s.setup.parts == 1 or s.setup.first_own_word <= word < s.setup.last_own_word:
        note(s, box, cycle, cell)
    else:
        # Several parts may set bits of one word at a time; its owner reads it a cycle later at the earliest, when all
        # of them have passed the cycle that set them. A row of `outside` has 16 bytes.
        atomic_or(place_of(outside) + 16 * inbox_of(s, cycle, word), np.int64(1) << (cell & 63))


@inlined
def reader_of(s, w):
    """Return the row of `inputs` that flits of output row w go to, −1 for ejection."""
    port = s.outputs.port[w]
    first = s.out_ports.reader[port]
    return first + w - port if first >= 0 else first


@called
def vcs_of(s, port):
    """Return the number of VCs of an output port, by its first row."""
    end = port + 1
    while end < s.outputs.size and s.outputs.port[end] == port:
        end += 1
    return end - port


@inlined
def post_flit(s, w, leaves):
    """Post a flit that leaves for output row w in a cycle."""
    port, ports = s.outputs.port[w], s.out_ports
    post(s, s.inbox.flits, s.outside.flits, leaves + ports.latency[port], ports.flit_bit[port] + w - port)


@inlined
def enqueue(s, w, reader, p):
    """Queue packet p as the next one to come into the buffer of output row w, which input row `reader` reads."""
    position, held = s.outputs.back[w], s.setup.ring
    s.ring[reader * held + position] = p
    s.outputs.back[w] = position + 1 if position + 1 < held else 0


@inlined
def wake(s, w0, w1):
    """Wake the headers of a router that sleep, since an output VC is free or has a credit more."""
    for word in range(w0, w1):
        s.masks.heads[word] |= s.masks.asleep[word]
        s.masks.asleep[word] = 0


@inlined
def see(raw, p, arrival):
    """Count measured packet p, which arrives in a cycle, for its pair of terminals."""
    s = view(raw)
    packets = s.packets
    row = packets.source[p] * s.ejection_row.size + destination_of(s, packets.address[p])
    s.seen.packets[row] += 1
    s.seen.latency[row] += arrival - packets.created[p]
    s.seen.network_latency[row] += arrival - packets.injected[p]
    s.seen.hops[row] += packets.hops[p]


@inlined
def eject(s, p, tail, now, arrival):
    """Count a flit of packet p that won the switch to an ejection port and will be ejected in cycle `arrival`."""
    packets, count, setup = s.packets, s.count, s.setup
    count.flits_out += 1
    count.measured_flits_out += setup.measure_from <= now < setup.measure_to
    if not tail:
        return
    latency = arrival - packets.created[p]
    count.arrived += 1
    count.latency += latency
    if setup.measure_from <= packets.created[p] < setup.measure_to:
        s.latencies[count.measured_arrived] = latency
        count.measured_arrived += 1
        count.network_latency += arrival - packets.injected[p]
        count.hops += packets.hops[p]
        if setup.see != 0:
            call_at(setup.see, (s.raw, p, arrival))
    if setup.arrive_in_class != 0 and call_at(setup.arrive_in_class, (s.raw, p, arrival, now)) != 0:
        return
    s.free[count.free] = p
    count.free += 1


@inlined
def bit_of(s, b, w0):
    """Return word and bit of input row b in the masks of its router, which begins with word w0."""
    cell = b - s.words.first_input[w0]
    return w0 + (cell >> 6), np.int64(1) << (cell & 63)


@inlined
def packet_of(s, b):
    """Return the packet in front of input row b."""
    return s.ring[b * s.setup.ring + s.inputs.front[b]]


@inlined
def need(setup, length):
    """Return the credits that an output VC must have to be allocated to a packet of this length."""
    entry = setup.entry
    if entry == EMPTY:
        return setup.depth
    return setup.claim if entry == TAIL else min(length, setup.depth)


@inlined
def available(s, b, w, needed, now):
    """Return whether output row w can be allocated to the packet in front of input row b, by credits and rules."""
    return s.outputs.owner[w] < 0 and has_credits(s, w, needed) and is_let_in(s, b, w, now)


@inlined
def is_let_in(s, b, w, now):
    """Return whether slots and pools, if any, let the packet in front of input row b into output row w."""
    return s.setup.slotted == 0 or call_at(s.setup.may_enter, (s.raw, b, w, now)) != 0


@called
def share(s):
    """Count the shared slots of all ports of a part anew: credits may have changed between calls."""
    begin, end = s.words.first_output[s.setup.first_own_word], s.words.first_output[s.setup.last_own_word]
    for row in range(begin, end):
        s.common[row] = 0  # the first row of a port comes before its others
        s.common[s.outputs.port[row]] += s.setup.shared + min(np.int64(0), s.outputs.credits[row])


@inlined
def count_slot(s, w, change):
    """Count a free slot of output row w more, or fewer with −1; credits below 0 are shared slots in use."""
    free = s.outputs.credits[w] + change
    s.outputs.credits[w] = free
    if s.setup.shared > 0 and min(free, free - change) < 0:
        s.common[s.outputs.port[w]] += change


@inlined
def has_shared_slot(s, w):
    """Return whether output row w, with all its own slots taken, may take a shared slot of its port."""
    return -s.outputs.credits[w] < s.setup.most and s.common[s.outputs.port[w]] > 0


@inlined
def has_credits(s, w, needed):
    """Return whether output row w has the credits that a packet needs to be allocated it."""
    if s.outputs.credits[w] >= needed:
        return True
    return s.setup.shared > 0 and s.setup.entry == TAIL and has_shared_slot(s, w)


@inlined
def has_room(s, w):
    """Return whether a flit may be sent into output row w."""
    if s.outputs.credits[w] > 0:
        return True
    return s.setup.shared > 0 and has_shared_slot(s, w)


@inlined
def part_of(s, b, w):
    """Return the part of the port of output row w that input row b goes through; without a speedup the port."""
    return s.outputs.port[w] + s.inputs.out_part[b]


@inlined
def may_request(s, w):
    """Return whether a buffer may request the switch for output row w; with shared slots room is looked for then."""
    return s.outputs.credits[w] > 0 or s.setup.shared > 0


@inlined
def destination_of(s, address):
    """Return the terminal that an address stands for."""
    if address < s.setup.tiled:
        return np.int64(address)
    return address % s.setup.tiled if s.setup.tiled > 0 else np.int64(s.destination[address])


@inlined
def direct_of(s, t, to):
    """Return the direct address from terminal t to another, from a table of pairs or of first addresses."""
    terminals = s.ejection_row.size
    return s.direct[t] + to if s.direct.size == terminals else s.direct[t * terminals + to]
