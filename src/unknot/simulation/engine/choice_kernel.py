# mypy: ignore-errors
"""The choice between the direct way and a detour, by the queues that the source router knows.

Variants of UGAL as published: Singh 2005 (UGAL-L); Kim, Dally, Scott & Abts 2008 (UGAL-L_VC, UGAL-L_VCH).
"""

import numpy as np
from numba import njit

from unknot.routing.relation import EJECT, VC_MASK
from unknot.simulation.engine.state import NO_CYCLE
from unknot.simulation.engine.view_kernel import view

BY_PORT, BY_VC, HYBRID = 1, 2, 3
"""UGAL-L, UGAL-L_VC, UGAL-L_VCH: as `Relation.comparison` numbers them."""


@njit(_nrt=False, forceinline=True)
def preferred(s, count):
    """Position of the first candidate of the lowest tier."""
    best = 0
    for k in range(count):
        if (s.candidates[k] >> 40) & 0xFF < (s.candidates[best] >> 40) & 0xFF:
            best = k
    return best


@njit(_nrt=False, forceinline=True)
def queued(s, row):
    """Flits sent to the input buffer behind an output VC whose credits have not come back."""
    return s.setup.depth - s.outputs.credits[row]


@njit(_nrt=False)
def queues(s, count):
    """Output port of the preferred candidate, flits queued for it, and those on its VCs of the same tier."""
    best = s.candidates[preferred(s, count)]
    row, tier = np.int64(s.out_row[best & VC_MASK]), (best >> 40) & 0xFF
    port, by_port, by_vc = np.int64(s.outputs.port[row]), np.int64(0), np.int64(0)
    while row > 0 and s.outputs.port[row - 1] == port:
        row -= 1
    while row < s.outputs.shape[0] and s.outputs.port[row] == port:
        by_port += queued(s, row)
        row += 1
    for k in range(count):
        vc = s.candidates[k] & VC_MASK
        if vc != EJECT and (s.candidates[k] >> 40) & 0xFF == tier and s.outputs.port[s.out_row[vc]] == port:
            by_vc += queued(s, s.out_row[vc])
    return port, by_port, by_vc


@njit(_nrt=False)
def way(rule, raw, t, address):
    """The way of an address from terminal t: its first port, the flits queued there by port and by VC, and its hops.

    The way goes by the preferred candidates; one that never ends counts as longer than any other.
    """
    s = view(raw)
    num_vcs, pointer = s.setup.num_vcs, np.int64(s.candidates.ctypes.data)
    at, port, by_port, by_vc = num_vcs + t, np.int64(-1), np.int64(0), np.int64(0)
    for hops in range(num_vcs + 1):
        count = rule(at, address, pointer)
        if count <= 0 or count > s.candidates.size:
            break
        vc = s.candidates[preferred(s, count)] & VC_MASK
        if vc == EJECT:
            return port, by_port, by_vc, np.int64(hops)
        if vc < 0 or vc >= num_vcs:
            break
        if hops == 0:
            port, by_port, by_vc = queues(s, count)
        at = vc
    return port, np.int64(1), np.int64(1), np.int64(NO_CYCLE)


@njit(_nrt=False, forceinline=True)
def compare(rule, s, t, p):
    """A packet about to be injected takes the direct address instead of its own, unless that costs more now."""
    own = s.packets.address[p]
    direct = np.int64(s.direct[t * s.terminals.shape[0] + s.destination[own]])
    if direct < 0 or direct == own:
        return
    port, by_port, by_vc, hops = way(rule, s.raw, t, direct)
    other_port, other_by_port, other_by_vc, other_hops = way(rule, s.raw, t, own)
    how = s.setup.compares
    if how == BY_VC or (how == HYBRID and port == other_port):
        shorter = by_vc * hops <= other_by_vc * other_hops
    else:
        shorter = by_port * hops <= other_by_port * other_hops
    if shorter:
        s.packets.address[p] = direct
