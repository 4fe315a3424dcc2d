# mypy: ignore-errors
"""The choice between the direct way and a detour, by the queues that the source router knows (UGAL-L, Singh 2005)."""

import numpy as np
from numba import njit

from unknot.routing.relation import EJECT, VC_MASK
from unknot.simulation.layout import (
    ADDRESS,
    CREDITS,
    DEPTH,
    NO_CYCLE,
    NUM_VCS,
    PORT,
)
from unknot.simulation.view_kernel import view


@njit(_nrt=False)
def cost(rule, raw, t, address):
    """Flits queued for the first channel of the way of an address from terminal t, times the hops of that way.

    The way goes by the first candidate of the lowest tier; one that never ends costs more than any other.
    """
    s = view(raw)
    num_vcs, pointer = s.setup[NUM_VCS], np.int64(s.offered.ctypes.data)
    at, queued = num_vcs + t, np.int64(0)
    for hops in range(num_vcs + 1):
        count = rule(at, address, pointer)
        if count <= 0 or count > s.offered.size:
            break
        best = 0
        for k in range(count):
            if (s.offered[k] >> 40) & 0xFF < (s.offered[best] >> 40) & 0xFF:
                best = k
        vc = s.offered[best] & VC_MASK
        if vc == EJECT:
            return queued * hops
        if vc < 0 or vc >= num_vcs:
            break
        if hops == 0:
            low = np.int64(s.out_row[vc])
            port = s.outputs[low, PORT]
            while low > 0 and s.outputs[low - 1, PORT] == port:
                low -= 1
            while low < s.outputs.shape[0] and s.outputs[low, PORT] == port:
                queued += s.setup[DEPTH] - s.outputs[low, CREDITS]
                low += 1
        at = vc
    return NO_CYCLE


@njit(_nrt=False, forceinline=True)
def compare(rule, s, t, p):
    """A packet about to be injected takes the direct address instead of its own, unless that costs more now."""
    own = s.packets[p, ADDRESS]
    direct = np.int64(s.direct[t * s.terminals.shape[0] + s.destination[own]])
    if direct >= 0 and direct != own and cost(rule, s.raw, t, direct) <= cost(rule, s.raw, t, own):
        s.packets[p, ADDRESS] = direct
