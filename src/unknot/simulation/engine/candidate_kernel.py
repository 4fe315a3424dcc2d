# mypy: ignore-errors
"""Candidates of a header: what its rule answers, the outputs that they name, and their tiers."""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import call_at, call_rule
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.simulation.engine.codes import ANY, BETTER_OF_TWO, BLOCKED, LEAVES, UNDECIDED
from unknot.simulation.engine.state_kernel import destination_of
from unknot.simulation.engine.view_kernel import place_of, view


@inlined
def served(rule, at, candidates, count):
    """Count the candidates of packets with these addresses at their input VCs; −1 where the rule fails."""
    pointer = np.int64(candidates.ctypes.data)
    for address in range(at.size):
        count[address] = call_rule(rule, at[address], address, pointer)
    return 0


@inlined
def of_same_port(raw, b, p, count):
    """Leave the candidates of the port that the header in input row b chose; return how many."""
    s = view(raw)
    chosen, address, kept = s.inputs.out[b], s.packets.address[p], np.int64(0)
    row, _ = outputs_of(s, address, chosen if chosen < s.setup.num_vcs else np.int64(EJECT))
    # In place, as `kept` is at most k.
    for k in range(count):
        other, _ = outputs_of(s, address, s.candidates[k])
        if other >= 0 and s.outputs.port[other] == s.outputs.port[row]:
            s.candidates[kept] = s.candidates[k]
            kept += 1
    return kept


@inlined
def ask_rule(rule, s, b, p):
    """Ask the rule for the candidates of packet p in front of input row b, into ``s.candidates``.

    Returns how many; −1 if the rule broke its contract, −2 if it names no candidate, 0 if the header is held back.
    """
    candidates = s.candidates
    start, waits_only = np.int64(UNDECIDED), s.inputs.state[b] == BLOCKED
    if s.courses.size > 0:
        start = s.courses.script[p]
    if start >= 0 and s.packets.hops[p] <= s.courses.stop[p]:
        step = s.packets.hops[p]
        if step == s.courses.stop[p] and s.setup.hold == 1:
            return np.int64(0)
        if s.script[start + step] != ANY:
            candidates[0] = s.script[start + step] if s.script[start + step] != LEAVES else EJECT
            return np.int64(1)
        waits_only = True
    chosen = s.inputs.out[b]
    if chosen >= 0 and s.setup.selection != BETTER_OF_TWO:
        candidates[0] = chosen if chosen < s.setup.num_vcs else EJECT
        return np.int64(1)
    count = call_rule(rule, s.inputs.at[b], s.packets.address[p], place_of(candidates))
    if count <= 0 or count > candidates.size:
        return np.int64(-2 if count == 0 else -1)
    if chosen >= 0:
        return call_at(s.setup.of_same_port, (s.raw, b, p, count))
    if waits_only:
        kept = 0
        for k in range(count):
            if candidates[k] & NO_WAIT == 0:
                candidates[kept] = candidates[k]
                kept += 1
        return np.int64(kept if kept > 0 else -1)
    return count


@inlined
def outputs_of(s, address, candidate):
    """Return the first row of `outputs` of a candidate for an address and their number; −1 if it is no candidate."""
    vc = candidate & VC_MASK
    if vc < s.setup.num_vcs:
        return s.out_row[vc], np.int64(1)
    if vc == EJECT:
        return s.ejection_row[destination_of(s, address)], s.setup.taking
    return np.int64(-1), np.int64(0)


@inlined
def ends_of(s, b, address, candidate):
    """Return the same for the header in input row b, which may leave by some of the ejection VCs alone."""
    first, many = outputs_of(s, address, candidate)
    if s.setup.ejection == 1 and candidate & VC_MASK == EJECT:
        return first + min(b - s.in_ports.first[s.inputs.port[b]], many - 1), np.int64(1)
    if s.setup.ejection == 2 and candidate & VC_MASK == EJECT:
        kind = address // s.setup.of_kind
        return first + s.leaving.low[kind], s.leaving.high[kind] - s.leaving.low[kind]
    return first, many


@inlined
def tier_of(candidate):
    """Return the tier of a candidate, below 256: its bits 40 to 47, between the VC and `NO_WAIT`."""
    return (candidate >> 40) & 0xFF


@inlined
def preferred(s, count):
    """Return the position of the first candidate of the lowest tier."""
    best = 0
    for k in range(count):
        if tier_of(s.candidates[k]) < tier_of(s.candidates[best]):
            best = k
    return best
