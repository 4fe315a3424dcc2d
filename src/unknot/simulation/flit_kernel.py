# mypy: ignore-errors
"""The flit-level kernel: cycle by cycle, router by router.

Timing of one hop with the delays of `Router` as they are by default: a header read in cycle a is routed in a, requests
an output VC from a + 1, and the switch from the cycle after it has one; a flit granted the switch in T is on the channel
in T + 1 and read in T + 2 + latency; its credit is read upstream in T + 1 + latency. Under saf a header requests nothing
before its tail is in the buffer. Whatever a router does reaches another one two cycles later or more, so that neither
the order of routers nor their division among threads makes a difference.
"""

import numpy as np
from numba import njit, types
from numba.np.unsafe.ndarray import to_fixed_tuple

from unknot.simulation.inject_kernel import inject
from unknot.simulation.layout import (
    ARRIVED_BITS,
    ATOMIC,
    CREDIT_BITS,
    CREDITS,
    DEPTH,
    ENTRIES,
    FIRST_ROUTER,
    FLIT_HOPS,
    FLITS_IN,
    FLITS_OUT,
    FRESH,
    HEAD_BITS,
    HEADS,
    IDLE,
    IN_CELL,
    LAST_MOVE,
    LAST_ROUTER,
    MASK,
    MEASURED_ARRIVED,
    MOVERS,
    MOVING,
    NEW_HEADS,
    NOW,
    NUM_VCS,
    OPEN,
    OUT,
    OUT_CELL,
    OWNER,
    PART,
    PARTS,
    PATIENCE,
    PLAIN,
    READER,
    READY_BITS,
    ROUTING,
    STALLED,
    STATE,
    STORED,
    TECHNIQUE,
    WINNERS,
    WRITER,
    State,
)
from unknot.simulation.state_kernel import DONE, FULL, QUIET, STATE_TYPE
from unknot.simulation.switch_general_kernel import switch_generally
from unknot.simulation.switch_kernel import switch_plainly, wake
from unknot.simulation.vc_kernel import allocate_vcs
from unknot.simulation.words_kernel import columns, let_others_run, load, lowest, natural, store
from unknot.types_kernel import RULE

FAILED = 1 << 62
"""Progress of a part that gave up, so that no other part waits for it."""


@njit(_nrt=False, forceinline=True)
def route(s, b, word, bit, now):
    """The flit in front of buffer b, read or come to the front in this cycle, is a header: it is routed."""
    s.inputs[b, STATE], s.inputs[b, OUT] = FRESH, -1
    if s.setup[ROUTING] == 1:
        s.masks[word, NEW_HEADS] |= bit
    elif s.setup[ROUTING] == 0:
        s.masks[word, HEADS] |= bit
    else:
        s.inbox[natural((now + s.setup[ROUTING]) & s.setup[MASK]), word, HEAD_BITS] |= bit


@njit(_nrt=False, forceinline=True)
def take_credits(s, bits, word, w0, w1):
    """Credits come back to the upstream ends of buffers."""
    inputs, outputs = s.inputs, s.outputs
    while bits != 0:
        w = natural(s.buffers[natural(64 * word + lowest(bits)), WRITER])
        bits &= bits - 1
        free = outputs[w, CREDITS] + 1
        outputs[w, CREDITS] = free
        if w >= s.setup[NUM_VCS]:
            continue
        u = np.int64(outputs[w, OWNER])
        if u < 0:
            if s.setup[TECHNIQUE] == ATOMIC:
                if free < s.setup[DEPTH]:
                    continue
                cell = np.int64(s.wire[w, OUT_CELL])
                s.masks[natural(cell >> 6), OPEN] |= np.int64(1) << (cell & 63)
            wake(s, w0, w1)
        elif free == 1 and inputs[u, STATE] == STALLED and inputs[u, STORED] > 0:
            cell = np.int64(s.wire[u, IN_CELL])
            inputs[u, STATE] = MOVING
            s.masks[natural(cell >> 6), MOVERS] |= np.int64(1) << (cell & 63)


@njit(_nrt=False, forceinline=True)
def take_flits(s, bits, word, now):
    """Flits are read into buffers."""
    inputs = s.inputs
    while bits != 0:
        b = natural(s.buffers[natural(64 * word + lowest(bits)), READER])
        bit = bits & -bits
        bits ^= bit
        inputs[b, STORED] += 1
        if inputs[b, STATE] == IDLE:
            route(s, b, word, bit, now)
        elif inputs[b, STATE] == STALLED and can_move(s, b):
            inputs[b, STATE] = MOVING
            s.masks[word, MOVERS] |= bit


@njit(_nrt=False, forceinline=True)
def finish_stages(s, bits, word, now):
    """Buffers whose VC or switch allocation took longer than a cycle go on."""
    inputs = s.inputs
    while bits != 0:
        b = natural(s.buffers[natural(64 * word + lowest(bits)), READER])
        bit = bits & -bits
        bits ^= bit
        if inputs[b, OUT] < 0:
            inputs[b, STATE] = IDLE
            if inputs[b, STORED] > 0:
                route(s, b, word, bit, now)
        elif inputs[b, STORED] > 0 and can_move(s, b):
            inputs[b, STATE] = MOVING
            s.masks[word, MOVERS] |= bit
        else:
            inputs[b, STATE] = STALLED


@njit(_nrt=False, forceinline=True)
def can_move(s, b):
    """Whether a buffer that has an output VC also has a credit for it."""
    w = natural(s.inputs[b, OUT])
    return w >= s.setup[NUM_VCS] or s.outputs[w, CREDITS] > 0


@njit(_nrt=False, forceinline=True)
def visit(rule, s, r, now, slot):
    """One cycle of router r and of the terminals that inject there; the status."""
    w0, w1 = natural(s.words[r]), natural(s.words[r + 1])
    inbox, masks = s.inbox, s.masks
    busy = np.int64(0)
    for word in range(w0, w1):
        flits, returned = inbox[slot, word, ARRIVED_BITS], inbox[slot, word, CREDIT_BITS]
        heads, ready = inbox[slot, word, HEAD_BITS], inbox[slot, word, READY_BITS]
        if s.setup[PARTS] > 1:
            flits |= s.outside[slot, word, ARRIVED_BITS]
            returned |= s.outside[slot, word, CREDIT_BITS]
            s.outside[slot, word, ARRIVED_BITS], s.outside[slot, word, CREDIT_BITS] = 0, 0
        if flits | returned | heads | ready:
            inbox[slot, word, ARRIVED_BITS], inbox[slot, word, CREDIT_BITS] = 0, 0
            inbox[slot, word, HEAD_BITS], inbox[slot, word, READY_BITS] = 0, 0
            masks[word, HEADS] |= heads
            take_credits(s, returned, word, w0, w1)
            take_flits(s, flits, word, now)
            if ready:
                finish_stages(s, ready, word, now)
        busy |= masks[word, HEADS] | masks[word, MOVERS] | masks[word, NEW_HEADS]
    for i in range(s.terminal_first[r], s.terminal_first[r + 1]):
        inject(rule, s, natural(s.local_terminals[i]), now)
    if busy == 0:
        return np.int64(DONE)
    status = allocate_vcs(rule, s, w0, w1, now)
    if status != DONE:
        return status
    sent = switch_plainly(s, w0, w1, now) if s.setup[PLAIN] == 1 else switch_generally(s, w0, w1, now)
    if sent:
        s.count[FLIT_HOPS] += sent
        s.count[LAST_MOVE] = now
    for word in range(w0, w1):
        masks[word, MOVERS] |= masks[word, WINNERS]
        masks[word, HEADS] |= masks[word, NEW_HEADS]
        masks[word, WINNERS], masks[word, NEW_HEADS] = 0, 0
    return np.int64(DONE)


@njit(_nrt=False, forceinline=True)
def fixed(s):
    """The state with its setup as values that no store to memory can change."""
    return State(
        to_fixed_tuple(s.setup, ENTRIES),
        s.count,
        columns(s.inputs, 8),
        columns(s.outputs, 4),
        columns(s.wire, 8),
        s.ring,
        columns(s.sending, 8),
        columns(s.receiving, 8),
        s.words,
        columns(s.buffers, 4),
        columns(s.inbox, 4),
        columns(s.outside, 2),
        columns(s.masks, 8),
        s.progress,
        columns(s.packets, 8),
        s.free,
        columns(s.terminals, 8),
        s.local_terminals,
        s.terminal_first,
        s.random,
        columns(s.lengths, 2),
        s.destination,
        s.pair_first,
        s.address_range,
        s.addresses,
        s.keep,
        s.other,
        s.direct,
        s.script,
        s.latencies,
        s.offered,
        s.wanted,
        s.touched,
        columns(s.best, 4),
        columns(s.asked, 8),
    )


@njit(types.int64(RULE, STATE_TYPE, types.int64), cache=True, nogil=True, _nrt=False)
def advance(rule, s, until):
    """Simulate from ``count[NOW]`` up to, not including, cycle `until`; the status says if it stopped before.

    Several parts of a network are advanced at once, each by a thread of its own; none is ever more than one cycle ahead
    of another.
    """
    s = fixed(s)
    setup, count = s.setup, s.count
    parts, part = setup[PARTS], setup[PART]
    first, last = setup[FIRST_ROUTER], setup[LAST_ROUTER]
    begin, end = natural(s.terminal_first[first]), natural(s.terminal_first[last])
    progress = np.int64(s.progress.ctypes.data)
    for now in range(count[NOW], until):
        if count[MEASURED_ARRIVED] + (end - begin) > s.latencies.size:
            count[NOW] = now
            return np.int64(FULL)
        if parts == 1:
            if count[FLITS_IN] > count[FLITS_OUT] and now - count[LAST_MOVE] > setup[PATIENCE]:
                count[NOW], count[LAST_MOVE] = now, now
                return np.int64(QUIET)
        else:
            for other in range(parts):
                spins = 0
                while load(progress + 128 * other) < now - 1:
                    spins += 1
                    if spins % 2000 == 0:
                        let_others_run()
        slot = natural(now & setup[MASK])
        for r in range(first, last):
            status = visit(rule, s, natural(r), now, slot)
            if status != DONE:
                count[NOW] = now
                store(progress + 128 * part, np.int64(FAILED))
                return status
        if parts > 1:
            store(progress + 128 * part, now + 1)
    count[NOW] = until
    return np.int64(DONE)
