# mypy: ignore-errors
"""The loop over cycles and routers, for the kernels of `flit_kernel` and `plain_kernel`.

Timing of one hop with the default delays of `Router`: a header read in cycle a is routed in a,
requests an output VC from a + 1, and the switch from the cycle after it has one; a flit granted the switch in T is on
the channel in T + 1 and read in T + 2 + latency; its credit is read upstream in T + 1 + latency. Under saf a header
requests nothing before its tail is in the buffer. Whatever a router does reaches another one two cycles later or
more, so that neither the order of routers nor their division among threads makes a difference.
"""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import address_of, let_others_run, load, lowest, natural, prefetch, store
from unknot.simulation.engine.inject_kernel import inject
from unknot.simulation.engine.pack_kernel import is_simple, pack
from unknot.simulation.engine.simple_kernel import run_router
from unknot.simulation.engine.state import DONE, FULL, QUIET, TABLES
from unknot.simulation.engine.state_kernel import packet_of
from unknot.simulation.engine.view_kernel import view

INPUT, OUTPUT, OUT_PORT, IN_PORT, PACKET = (
    TABLES[name].dtype.itemsize for name in ("inputs", "outputs", "out_ports", "in_ports", "packets")
)
"""Bytes of their rows."""
FAILED = 1 << 62
"""Progress of a part that gave up, so that no other part waits for it."""
FAR, NEAR = 5, 3
"""How many routers ahead of the one that is visited rows are fetched, and what they point to."""
SPINS = 2000
"""Looks at the progress of another part before the processor is given up for a moment."""


@inlined
def fetch_ends(s, r, now):
    """Prefetch the rows that router r will need in this cycle, as far as its bits show."""
    inputs, outputs = address_of(s.inputs), address_of(s.outputs)
    ring, start, simple = address_of(s.ring), (now & s.setup.slots) * s.setup.num_words, is_simple(s, r)
    for word in range(s.first_word[r], s.first_word[r + 1]):
        row, w = natural(start + word), natural(word)
        first, bits = np.int64(s.words.first_input[w]), s.masks.movers[w] | s.masks.owning[w]
        returned = s.inbox.credits[row]
        if not simple:
            bits |= s.inbox.flits[row]
        heads = s.inbox.heads[row] | s.masks.heads[w]
        left = bits | heads
        while left != 0:
            prefetch(inputs + INPUT * (first + lowest(left)))
            left &= left - 1
        left = heads
        while left != 0:
            prefetch(ring + 4 * s.setup.ring * (first + lowest(left)))
            left &= left - 1
        if simple and heads | bits | returned:
            for end in range(s.words.first_output[w], s.words.first_output[w + 1], 2):
                prefetch(outputs + OUTPUT * end)
        while not simple and returned != 0:
            prefetch(outputs + OUTPUT * (s.words.first_output[w] + lowest(returned)))
            returned &= returned - 1


@inlined
def fetch_beyond(s, r):
    """Prefetch the rows that those of `fetch_ends` point to: packets of headers, outputs of movers."""
    packets = address_of(s.packets)
    out_ports, in_ports, outputs = address_of(s.out_ports), address_of(s.in_ports), address_of(s.outputs)
    simple, w0 = is_simple(s, r), natural(s.first_word[r])
    first_input, first_output = np.int64(s.words.first_input[w0]), np.int64(s.words.first_output[w0])
    for word in range(s.first_word[r], s.first_word[r + 1]):
        w = natural(word)
        first, bits = np.int64(s.words.first_input[w]), s.masks.movers[w] | s.masks.owning[w]
        while bits != 0:
            b = natural(first + lowest(bits))
            prefetch(out_ports + OUT_PORT * (first_output + s.inputs.out_port_bit[b]))
            prefetch(in_ports + IN_PORT * (first_input + s.inputs.port_bit[b]))
            if not simple:
                prefetch(outputs + OUTPUT * s.inputs.out[b])
            bits &= bits - 1
        bits = s.masks.heads[w]
        while bits != 0:
            prefetch(packets + PACKET * packet_of(s, natural(first + lowest(bits))))
            bits &= bits - 1


@inlined
def inject_all(rule, s, r, now, inject_classes):
    """Inject at the terminals of router r."""
    if s.setup.classes > 0:
        inject_classes(s.raw, r, now)
        return
    for i in range(s.first_terminal[r], s.first_terminal[r + 1]):
        inject(rule, s, natural(s.local_terminals[natural(i)]), now)


@inlined
def cycles(rule, raw, until, open_inbox, work, inject_classes):
    """Simulate from ``count.now`` up to, not including, cycle `until`; the status says if it stopped before.

    The last three arguments are functions for routers that `simple_kernel` does not take, and for traffic classes.
    Several parts of a network are advanced at once, each by a thread of its own; none is ever more than one cycle
    ahead of another.
    """
    s = view(raw)
    setup, count = s.setup, s.count
    parts, part = setup.parts, setup.part
    first, last = setup.first_router, setup.last_router
    progress = address_of(s.progress)
    if count.packed == 0:
        pack(s)
    for now in range(count.now, until):
        if count.measured_arrived + setup.arrivals > s.latencies.size:
            count.now = now
            store(progress + 128 * part, np.int64(FAILED))
            return np.int64(FULL)  # before the cycle: within it there would be no way back
        if parts == 1:
            if count.flits_in > count.flits_out and now - count.last_move > setup.patience:
                # Nothing on a wire or in a stage takes that long, so nothing will move by itself any more.
                count.now, count.last_move = now, now
                return np.int64(QUIET)
        else:
            for other in range(parts):
                spins = 0
                # What a part does in a cycle reaches others two cycles later or more, so one that has finished the
                # cycle before the last has posted all that is due now. `load` and `store` order those writes too.
                while load(progress + 128 * other) < now - 1:
                    spins += 1
                    if spins % SPINS == 0:
                        let_others_run()
        for r in range(first, last):
            if setup.large == 1 and r + FAR < last:
                fetch_ends(s, natural(r + FAR), now)
                fetch_beyond(s, natural(r + NEAR))
            # Written out: as a function of its own it would be optimised twice, a sixth of all compiling.
            w0, w1 = natural(s.first_word[natural(r)]), natural(s.first_word[natural(r + 1)])
            status, steps = np.int64(DONE), np.int64(0)
            if is_simple(s, natural(r)):
                status = run_router(rule, s, w0, now)
            elif open_inbox(s, w0, w1, now):
                steps = ((now + 1) * setup.speed >> 20) - (now * setup.speed >> 20)
            inject_all(rule, s, natural(r), now, inject_classes)
            while steps > 0 and status == DONE:
                steps -= 1
                status = work(rule, s.raw, w0, w1, now, steps)
            if status != DONE:
                count.now = now
                store(progress + 128 * part, np.int64(FAILED))
                return status
        if parts > 1:
            store(progress + 128 * part, now + 1)
    count.now = until
    return np.int64(DONE)
