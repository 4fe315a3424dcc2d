# mypy: ignore-errors
"""The loop over cycles and routers; what few runs need is called by its address, and so compiled for those alone.

Timing of one hop with the default delays of `Router`: a header read in cycle a is routed in a,
requests an output VC from a + 1, and the switch from the cycle after it has one; a flit granted the switch in T is on
the channel in T + 1 and read in T + 2 + latency; its credit is read upstream in T + 1 + latency. Under saf a header
requests nothing before its tail is in the buffer. Whatever a router does reaches another one two cycles later or
more. So neither the order of routers nor their division among threads makes a difference, and a router may run two
cycles before the next router runs them: its rows are then fetched once for both.
"""

import numpy as np

from unknot._base.kernels.types_kernel import called, inlined
from unknot._base.kernels.words_kernel import call_at, let_others_run, load, store
from unknot.simulation.engine.codes import DONE, FULL, LOST, NO_CYCLE, QUIET
from unknot.simulation.engine.inject_kernel import inject
from unknot.simulation.engine.pack_kernel import is_simple, pack
from unknot.simulation.engine.simple_kernel import FIRST_IDLE, IDLE_ROUTER, is_empty, run_router
from unknot.simulation.engine.state_kernel import bring_near, inbox_of, share
from unknot.simulation.engine.view_kernel import place_of

FAILED = 1 << 62
"""Progress of a part that gave up, so that no other part waits for it."""
SPINS = 2000
"""Looks at the progress of another part before the processor is given up for a moment."""


@inlined
def inject_all(rule, s, r, now):
    """Inject at the terminals of router r."""
    if s.setup.inject_classes != 0:
        call_at(s.setup.inject_classes, (rule, s.raw, r, now))
        return
    for i in range(s.first_terminal[r], s.first_terminal[r + 1]):
        inject(rule, s, r, s.local_terminals[i], now)


@inlined
def nothing_comes(s, r, now):
    """Return whether no flit or credit comes into router r in this cycle, and no stage of a header ends there."""
    w, row = s.first_word[r], inbox_of(s, now, s.first_word[r])
    if is_simple(s, r):
        return is_empty(s, row)
    due = np.int64(s.setup.parts > 1)  # other parts may post here at any time
    for k in range(row, row + s.first_word[r + 1] - w):
        due |= s.inbox.flits[k] | s.inbox.credits[k] | s.stages.heads[k] | s.stages.ready[k]
    return due == 0


@inlined
def open_inbox(s, r, now):
    """Take in flits and credits of router r, beyond the fast path; return whether it has work."""
    busy, w = call_at(s.setup.open_inbox, (s.raw, r, now)), s.first_word[r]
    s.quiet[w] = 0 if busy != 0 else FIRST_IDLE if s.quiet[w] == 0 else IDLE_ROUTER
    return busy


@called
def rest(s, r, now):
    """Let router r, which has no work, be passed by as long as nothing comes in and none of its terminals injects."""
    until = np.int64(NO_CYCLE) if s.setup.classes == 0 else now
    for i in range(s.first_terminal[r], s.first_terminal[r + 1]):
        t = s.local_terminals[i]
        # A loop that may end early is not made one of vectors, whose registers would be kept through all others.
        if s.terminals.packet[t] >= 0 or s.terminals.drawn[t] <= now:
            until = now
            break
        until = min(until, s.terminals.drawn[t])
    s.quiet[s.first_word[r]] = until


@inlined
def no_router(rule, s, w, now):
    """Stand in for `run_router`."""
    return np.int64(DONE)


@inlined
def no_pack(s):
    """Stand in for `pack`. With traffic classes nothing is drawn ahead, so rows say all."""
    s.count.packed = np.int64(s.setup.classes == 0)


@inlined
def cycles(rule, s, until, pack, run_router):
    """Simulate from ``count.now`` up to, not including, cycle `until`; the status says if it stopped before.

    The last two arguments are functions for routers that take the fast path. Each router runs `setup.span` cycles at
    a time. Several parts of a network are advanced at once, each by a thread of its own.
    """
    setup, count = s.setup, s.count
    parts, part = setup.parts, setup.part
    first, last = setup.first_router, setup.last_router
    progress = place_of(s.progress)
    if setup.shared > 0:
        share(s)
    if count.packed == 0:
        pack(s)
    for r in range(first, last):
        if not is_simple(s, r):
            s.quiet[s.first_word[r]] = 0  # others may have changed its rows
    begin = count.now
    while begin < until:
        end = min(begin + setup.span, until)
        count.now = begin
        crowded = count.free + s.packets.size - count.high < (end - begin) * setup.creations
        if crowded or count.measured_arrived + (end - begin) * setup.arrivals > s.latencies.size:
            store(progress + 128 * part, np.int64(FAILED))
            return np.int64(FULL)  # before the cycle: within it there would be no way back
        if parts == 1:
            still = begin - count.last_move if count.flits_in > count.flits_out else np.int64(0)
            if still > setup.patience:
                # Nothing on a wire or in a stage takes that long, so nothing will move by itself any more.
                count.last_move = begin
                return np.int64(QUIET)
            if still == setup.patience:
                end = begin + 1  # so that it is seen in the next cycle
        else:
            for other in range(parts):
                spins = 0
                # What a part does in a cycle reaches others two cycles later or more, so one that has finished the
                # cycle two before the last has posted all that is due. `load` and `store` order those writes too.
                while load(progress + 128 * other) < end - 2:
                    spins += 1
                    if spins % SPINS == 0:
                        let_others_run()
        bring_near(s, begin, end)
        for r in range(first, last):
            if setup.fetch != 0:
                call_at(setup.fetch, (s.raw, r, begin))
            for now in range(begin, end):
                status, busy, w, simple = np.int64(DONE), np.int64(0), s.first_word[r], is_simple(s, r)
                if s.quiet[w] > now and nothing_comes(s, r, now):
                    continue
                if simple:
                    status = run_router(rule, s, w, now)
                else:
                    busy = open_inbox(s, r, now)
                inject_all(rule, s, r, now)
                if s.quiet[w] == IDLE_ROUTER:
                    rest(s, r, now)
                if busy != 0:
                    status = call_at(setup.work, (rule, s.raw, r, now))
                if status != DONE:
                    count.now = now
                    store(progress + 128 * part, np.int64(FAILED))
                    return status
        begin = end
        if parts > 1:
            store(progress + 128 * part, end)
        if count.lost > 0:
            count.now = end
            return np.int64(LOST)
    count.now = until
    return np.int64(DONE)


@inlined
def advance(rule, s, until):
    """Simulate as `cycles` does."""
    return cycles(rule, s, until, pack, run_router)


@inlined
def advance_general(rule, s, until):
    """Do the same where no router takes the fast path."""
    return cycles(rule, s, until, no_pack, no_router)
