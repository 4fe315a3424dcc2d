# mypy: ignore-errors
"""Routes of flows, each the cheapest by the load of its channels so far."""

import numpy as np
from numba import njit, types

from unknot._base.kernels.lazy_kernel import call_rule
from unknot._base.kernels.types_kernel import READ32, READ64, kept
from unknot.routing.contract import EJECT, TIER, VC_MASK

F64, I64, I32 = types.float64[::1], types.int64[::1], types.int32[::1]
READ_F64 = types.Array(types.float64, 1, "C", readonly=True)
POWER = 4.0
"""Power of the loads whose sum a route adds least to: with a high power the highest load counts alone."""
PASSES = 3
"""Times that each flow is routed, beside the others of its phase."""
OVERALL = 0.5
"""Weight of the load of earlier phases beside that of the phase."""


@njit
def _push(heap, size, cost, state):
    """Add a state to a binary heap of costs and states; return its new size."""
    i = size
    heap[i, 0], heap[i, 1] = cost, state
    while i > 0 and heap[(i - 1) // 2, 0] > heap[i, 0]:
        up = (i - 1) // 2
        for k in range(2):
            heap[i, k], heap[up, k] = heap[up, k], heap[i, k]
        i = up
    return size + 1


@njit
def _pop(heap, size):
    """Take the root from a heap, with `size` before; the root stays readable at the end."""
    size -= 1
    for k in range(2):
        heap[0, k], heap[size, k] = heap[size, k], heap[0, k]
    i = 0
    while True:
        low = i
        for child in (2 * i + 1, 2 * i + 2):
            if child < size and heap[child, 0] < heap[low, 0]:
                low = child
        if low == i:
            return size
        for k in range(2):
            heap[i, k], heap[low, k] = heap[low, k], heap[i, k]
        i = low


@kept(
    types.int64(
        types.int64,
        READ64,
        READ64,
        READ_F64,
        READ64,
        READ32,
        READ_F64,
        types.int64[::1],
        F64,
        F64,
        types.float64[:, ::1],
        I64,
        types.float64[:, ::1],
        I32,
        types.int64[:, ::1],
        I64,
    ),
    nogil=True,
)
def route(
    rule, start, address, flits, phase, channel_of, slowness, at_work, now, sent, reached, before, heap, path, rows,
    out,
):  # fmt: skip
    """Route flows, phase by phase and each `PASSES` times, until all are routed or `path` is full.

    Of the routes of the lowest tier a flow takes the cheapest: a channel costs the growth of its load to the power of
    `POWER`. The load is that of the phase, `now`, and in part that of all, `sent`, in cycles: flits times `slowness`.
    Phases ascend. ``reached[vc]`` is the last search that came to a VC and its cost, ``before[vc]`` the state before.
    ``path[rows[i, 0]:rows[i, 1]]`` are the channels of flow i. `at_work` is kept from call to call: the first flow of
    the phase, the flow at work, the pass, the search, and the end of `path`.

    Returns
    -------
    int
        Number of flows routed so far, or −1 − i where flow i does not arrive.
    """
    pointer, vcs = np.int64(out.ctypes.data), channel_of.size
    first, i, turn, search, used = at_work
    while i < start.size:
        if used + vcs > path.size:
            at_work[:] = first, i, turn, search, used
            return i
        search += 1
        for k in range(rows[i, 0], rows[i, 1]):
            now[path[k]] -= flits[i] * slowness[path[k]]
            sent[path[k]] -= flits[i] * slowness[path[k]]
        size, end = _push(heap, 0, 0.0, float(start[i])), np.int64(-1)
        while size:
            size = _pop(heap, size)
            cost, at = heap[size, 0], np.int64(heap[size, 1])
            if at < vcs and (reached[at, 0] != search or cost > reached[at, 1]):
                continue
            count, low = call_rule(rule, at, address[i], pointer), np.int64(256)
            for k in range(max(count, 0)):
                low = min(low, (out[k] // TIER) & 0xFF)
            for k in range(max(count, 0)):
                vc = out[k] & VC_MASK
                if (out[k] // TIER) & 0xFF != low:
                    continue
                if vc == EJECT:
                    end, size = at, 0
                    break
                c = channel_of[vc]
                load, more = now[c] + OVERALL * (sent[c] - now[c]), flits[i] * slowness[c]
                there = cost + (load + more) ** POWER - load**POWER
                if reached[vc, 0] != search or there < reached[vc, 1]:
                    if size == heap.shape[0]:
                        return -1 - i
                    reached[vc, 0], reached[vc, 1], before[vc] = search, there, at
                    size = _push(heap, size, there, float(vc))
        if end == -1:
            return -1 - i
        rows[i, 0] = used
        while end < vcs:
            path[used] = channel_of[end]
            used, end = used + 1, before[end]
        rows[i, 1] = used
        path[rows[i, 0] : used] = path[rows[i, 0] : used][::-1].copy()
        for k in range(rows[i, 0], used):
            now[path[k]] += flits[i] * slowness[path[k]]
            sent[path[k]] += flits[i] * slowness[path[k]]
        i += 1
        if i == start.size or phase[i] != phase[first]:
            turn += 1
            if turn < PASSES:
                i = first
            else:
                now[:] = 0.0
                first, turn = i, 0
    return start.size
