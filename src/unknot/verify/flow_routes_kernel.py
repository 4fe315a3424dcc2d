# mypy: ignore-errors
"""Routes of flows, each the cheapest by the load of its channels so far."""

from typing import NamedTuple

import numpy as np
from numba import njit, types

from unknot._base.arrays import Floats, Ints
from unknot._base.kernels.heap_kernel import pop, push
from unknot._base.kernels.lazy_kernel import call_rule
from unknot._base.kernels.types_kernel import READ32, kept
from unknot.routing.contract import EJECT, TIER, VC_MASK

F64, F64_2, I64, I32 = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int32[::1]
POWER = 4.0
"""Power of the loads whose sum a route adds least to: with a high power the highest load counts alone."""
PASSES = 3
"""Times that each flow is routed, beside the others of its phase."""
OVERALL = 0.5
"""Weight of the load of earlier phases beside that of the phase."""


class Flows(NamedTuple):
    """Flows by number: the input VC and the address of their headers, their size, and their phase, ascending."""

    start: Ints
    address: Ints
    flits: Floats
    phase: Ints


class Busy(NamedTuple):
    """Cycles of a flit on each channel, and busy cycles of the channel in the phase and in all phases."""

    slowness: Floats
    now: Floats
    sent: Floats


class Space(NamedTuple):
    """Room of a search: what was reached and from where, a heap of states, and candidates."""

    reached: Floats
    before: Ints
    costs: Floats
    states: Ints
    out: Ints


@njit
def _cheapest(rule, flows, i, turn, channel_of, busy, space):
    """Return the last VC of the cheapest route of flow i, its terminal where it has no channel, or −1 for no route.

    ``reached[vc]`` is the number of the last search that came to a VC, `turn`, and its cost; ``before[vc]`` the state
    before it.
    """
    pointer, vcs = np.int64(space.out.ctypes.data), channel_of.size
    reached, costs, states, out = space.reached, space.costs, space.states, space.out
    push(costs, states, 0, 0.0, flows.start[i])
    size = 1
    while size:
        cost, at = costs[0], states[0]
        size -= 1
        pop(costs, states, size)
        if at < vcs and (reached[at, 0] != turn or cost > reached[at, 1]):
            continue
        count, low = call_rule(rule, at, flows.address[i], pointer), np.int64(256)
        for k in range(max(count, 0)):
            low = min(low, (out[k] // TIER) & 0xFF)
        for k in range(max(count, 0)):
            vc = out[k] & VC_MASK
            if (out[k] // TIER) & 0xFF != low:
                continue
            if vc == EJECT:
                return at
            c = channel_of[vc]
            load = busy.now[c] + OVERALL * (busy.sent[c] - busy.now[c])
            there = cost + (load + flows.flits[i] * busy.slowness[c]) ** POWER - load**POWER
            if reached[vc, 0] != turn or there < reached[vc, 1]:
                if size == costs.size:
                    return -1
                reached[vc, 0], reached[vc, 1], space.before[vc] = turn, there, at
                push(costs, states, size, there, vc)
                size += 1
    return -1


@njit
def _carry(busy, channels, flits):
    """Add flits to the load of some channels."""
    for c in channels:
        busy.now[c] += flits * busy.slowness[c]
        busy.sent[c] += flits * busy.slowness[c]


@kept(
    types.int64(
        types.int64, types.NamedTuple((I64, I64, F64, I64), Flows), READ32,
        types.NamedUniTuple(F64, 3, Busy), types.NamedTuple((F64_2, I64, F64, I64, I64), Space), I64,
        types.int64[:, ::1], I32,
    ),
    nogil=True,
)  # fmt: skip
def route(rule, flows, channel_of, busy, space, at_work, rows, path):
    """Route flows, phase by phase and each `PASSES` times, until all are routed or `path` is full.

    Of the routes of the lowest tier a flow takes the cheapest: a channel costs the growth of its load to the power of
    `POWER`. ``path[rows[i, 0]:rows[i, 1]]`` are the channels of flow i. `at_work` is kept from call to call: the
    first flow of the phase, the flow at work, the pass, the number of the search, and the end of `path`.

    Returns
    -------
    int
        Number of flows routed so far, or −1 − i where flow i does not arrive.
    """
    vcs, phase = channel_of.size, flows.phase
    first, i, turn, search, used = at_work
    while i < phase.size:
        if used + vcs > path.size:
            at_work[:] = first, i, turn, search, used
            return i
        search += 1
        _carry(busy, path[rows[i, 0] : rows[i, 1]], -flows.flits[i])
        end = _cheapest(rule, flows, i, search, channel_of, busy, space)
        if end == -1:
            return -1 - i
        rows[i, 0] = used
        while end < vcs:
            path[used] = channel_of[end]
            used, end = used + 1, space.before[end]
        rows[i, 1] = used
        path[rows[i, 0] : used] = path[rows[i, 0] : used][::-1].copy()
        _carry(busy, path[rows[i, 0] : used], flows.flits[i])
        i += 1
        if i == phase.size or phase[i] != phase[first]:
            turn += 1
            if turn < PASSES:
                i = first
            else:
                busy.now[:] = 0.0
                first, turn = i, 0
    return phase.size
