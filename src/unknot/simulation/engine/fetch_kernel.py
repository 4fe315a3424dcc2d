# mypy: ignore-errors
"""Rows of the routers that come next, fetched while one is simulated, where tables are larger than a cache."""

import numpy as np

from unknot._base.kernels.mask_kernel import lowest
from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import prefetch
from unknot.simulation.engine.pack_kernel import is_simple
from unknot.simulation.engine.state import TABLES
from unknot.simulation.engine.state_kernel import inbox_of, packet_of
from unknot.simulation.engine.view_kernel import place_of, view

INPUT, OUTPUT, OUT_PORT, IN_PORT, PACKET, MASK, INBOX = (
    TABLES[name].itemsize for name in ("inputs", "outputs", "out_ports", "in_ports", "packets", "masks", "inbox")
)
"""Bytes of their rows."""
LINE = 64
"""Bytes of a cache line."""
FIRST, FAR, NEAR, NEXT = 11, 7, 5, 3
"""How many routers ahead of the one that is visited bits are fetched, rows, what they point to, and the next."""


@inlined
def fetch_bits(s, r, now):
    """Prefetch the bits of router r."""
    masks, inbox = place_of(s.masks), place_of(s.inbox)
    for w in range(s.first_word[r], s.first_word[r + 1]):
        prefetch(masks + MASK * w)
        if s.setup.packable == 0:
            prefetch(masks + MASK * w + MASK // 2)
        for cycle in range(now, now + s.setup.span):
            prefetch(inbox + INBOX * inbox_of(s, cycle, w))


@inlined
def headers(s, w, row):
    """Return the input VCs of word w whose headers request while its router is visited; row is that of its inbox."""
    heads = s.masks.heads[w] | s.masks.new_heads[w]
    return heads if s.setup.span == 1 else heads | (s.inbox.flits[row] & ~(s.masks.owning[w] | s.masks.filled[w]))


@inlined
def fetch_far_ends(s, b, out, now):
    """Prefetch what input row b writes to in other routers if it sends a flit to output row `out`."""
    inbox, ring, (inputs, outputs) = place_of(s.inbox), place_of(s.ring), (s.inputs, s.outputs)
    into, port = inputs.port[b], outputs.port[out]
    cell, reader = s.in_ports.credit_bit[into] + b - into, s.out_ports.reader[port]
    prefetch(inbox + INBOX * inbox_of(s, now + 1 + s.in_ports.latency[into], cell >> 6))
    if reader >= 0:
        cell = s.out_ports.flit_bit[port] + out - port
        prefetch(inbox + INBOX * inbox_of(s, now + 2 + s.out_ports.latency[port], cell >> 6))
        prefetch(ring + 4 * ((reader + out - port) * s.setup.ring + outputs.back[out]))
    else:
        prefetch(place_of(s.packets) + PACKET * inputs.packet[b])


@inlined
def fetch_ports(s, w):
    """Prefetch the ports of word w, as if all had as many VCs as those of terminals."""
    for row in range(s.words.first_input[w], s.words.first_input[w + 1], s.setup.local):
        prefetch(place_of(s.in_ports) + IN_PORT * row)
    for row in range(s.words.first_output[w], s.words.first_output[w + 1], s.setup.local):
        prefetch(place_of(s.out_ports) + OUT_PORT * row)


@inlined
def fetch_ends(s, r, now):
    """Prefetch the rows that router r will need in this cycle, as far as its bits show."""
    inputs, outputs = place_of(s.inputs), place_of(s.outputs)
    ring, simple = place_of(s.ring), is_simple(s, r)
    for w in range(s.first_word[r], s.first_word[r + 1]):
        row = inbox_of(s, now, w)
        first, bits, heads = s.words.first_input[w], s.masks.owning[w], headers(s, w, row)
        returned = s.inbox.credits[row]
        if not simple:
            bits |= s.inbox.flits[row] | s.masks.requesting[w]
            heads |= s.stages.heads[row]
        left = bits | heads
        while left != 0:
            place = inputs + INPUT * (first + lowest(left))
            prefetch(place)
            prefetch(place + INPUT - 1)
            left &= left - 1
        left = heads
        while left != 0:
            prefetch(ring + 4 * s.setup.ring * (first + lowest(left)))
            left &= left - 1
        if simple and heads | bits | returned:
            place, end = outputs + OUTPUT * s.words.first_output[w], outputs + OUTPUT * s.words.first_output[w + 1]
            while place < end:
                prefetch(place)
                place += LINE
        while not simple and returned != 0:
            prefetch(outputs + OUTPUT * (s.words.first_output[w] + lowest(returned)))
            returned &= returned - 1


@inlined
def fetch_beyond(s, r, now):
    """Prefetch the rows that those of `fetch_ends` point to: packets of headers, outputs and ports of requesting."""
    packets = place_of(s.packets)
    out_ports, in_ports, outputs = place_of(s.out_ports), place_of(s.in_ports), place_of(s.outputs)
    simple, w0 = is_simple(s, r), s.first_word[r]
    first_input, first_output = s.words.first_input[w0], s.words.first_output[w0]
    for w in range(s.first_word[r], s.first_word[r + 1]):
        first, bits = s.words.first_input[w], s.masks.owning[w] if simple else s.masks.requesting[w]
        heads = headers(s, w, inbox_of(s, now, w))
        if simple and s.setup.span > 1:
            if heads | bits != 0:
                fetch_ports(s, w)  # who wins an output VC now sends in the next cycle, so any may be needed
            bits = np.int64(0)
        while bits != 0:
            b = first + lowest(bits)
            prefetch(out_ports + OUT_PORT * (first_output + s.inputs.out_port_bit[b]))
            prefetch(in_ports + IN_PORT * (first_input + s.inputs.port_bit[b]))
            if not simple:
                prefetch(outputs + OUTPUT * s.inputs.out[b])
            bits &= bits - 1
        while heads != 0:
            prefetch(packets + PACKET * packet_of(s, first + lowest(heads)))
            heads &= heads - 1


@inlined
def fetch_routers(s, r, now):
    """Prefetch what a router on the fast path writes to in others."""
    first_output = s.words.first_output[s.first_word[r]]
    for w in range(s.first_word[r], s.first_word[r + 1]):
        first, bits = s.words.first_input[w], s.masks.owning[w]
        while bits != 0:
            b = first + lowest(bits)
            fetch_far_ends(s, b, first_output + s.inputs.out[b], now)
            bits &= bits - 1


@inlined
def fetch(raw, r, now):
    """Prefetch what the routers after router r will need in a cycle."""
    s = view(raw)
    if r + FIRST < s.setup.last_router:
        fetch_bits(s, r + FIRST, now)
    if r + FAR < s.setup.last_router:
        fetch_ends(s, r + FAR, now)
        fetch_beyond(s, r + NEAR, now)
        if is_simple(s, r + NEXT):
            fetch_routers(s, r + NEXT, now)
