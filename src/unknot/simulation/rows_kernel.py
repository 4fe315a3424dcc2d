# mypy: ignore-errors
"""From rows to masks and back: what simple routers hold is in rows between calls of the kernel, in masks within."""

import numpy as np
from numba import njit, types

from unknot.simulation.inject_kernel import STEP
from unknot.simulation.layout import (
    BLOCKED,
    CREDITS,
    DRAWN,
    ENDS,
    FILLED,
    FIRST_INPUT,
    FIRST_OUTPUT,
    FIRST_ROUTER,
    FRESH,
    FRONT,
    GATHERED,
    IDLE,
    LAST_ROUTER,
    MOVERS,
    MOVING,
    NO_CREDIT,
    NOW,
    OUT,
    OWNER,
    OWNING,
    PACKET,
    PLANES,
    READER,
    ROOM,
    SIMPLE,
    STALLED,
    STATE,
    STORED,
)
from unknot.simulation.planes_kernel import FLITS, SLOTS, counted, first_plane
from unknot.simulation.state_kernel import has_room, packet_of
from unknot.simulation.view_kernel import view
from unknot.types_kernel import RULE  # noqa: F401 imported first by every kernel
from unknot.words_kernel import natural


@njit(_nrt=False, forceinline=True)
def is_simple(s, r):
    """Whether router r is one of `simple_kernel`."""
    return s.setup[SIMPLE] == 1 and s.words[r + 1] == s.words[r] + 1


@njit(_nrt=False, forceinline=True)
def first_rows(s, w):
    """The first rows of `inputs` and `outputs` of word w."""
    return np.int64(s.frames[w, FIRST_INPUT]), np.int64(s.frames[w, FIRST_OUTPUT])


@njit(_nrt=False, forceinline=True)
def put(s, w, which, cell, count):
    """The count of a cell, 0 before."""
    k = first_plane(s, w, which)
    for i in range(s.setup[PLANES]):
        s.planes[natural(k + 2 * i)] |= np.int64((count >> i) & 1) << cell


@njit(_nrt=False, forceinline=True)
def gather_router(s, w):
    """Masks and planes of a simple router from its rows."""
    masks, (first_input, first_output) = s.masks, first_rows(s, w)
    for k in range(2 * s.setup[PLANES]):
        s.planes[natural(first_plane(s, w, 0) + k)] = 0
    owning, without, filled, room = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for cell in range(s.frames[w + 1, FIRST_OUTPUT] - first_output):
        out, bit = natural(first_output + cell), np.int64(1) << cell
        if masks[w, ENDS] & bit == 0:
            put(s, w, SLOTS, cell, -1 if s.outputs[out, READER] < 0 else np.int64(s.outputs[out, CREDITS]))
            room |= bit if has_room(s, out) else 0
            s.outputs[out, OWNER] -= first_input if s.outputs[out, OWNER] >= 0 else 0
    for cell in range(s.frames[w + 1, FIRST_INPUT] - first_input):
        b, bit = natural(first_input + cell), np.int64(1) << cell
        put(s, w, FLITS, cell, np.int64(s.inputs[b, STORED]))
        filled |= bit if s.inputs[b, STORED] > 0 else 0
        if s.inputs[b, STATE] >= STALLED:
            owning |= bit
            without |= 0 if has_room(s, natural(s.inputs[b, OUT])) else bit
            s.inputs[b, OUT] -= first_output
            s.inputs[b, FRONT] = packet_of(s, b)
    masks[w, OWNING], masks[w, NO_CREDIT], masks[w, FILLED], masks[w, ROOM] = owning, without, filled, room
    masks[w, MOVERS] = 0


@njit(_nrt=False, forceinline=True)
def scatter_router(s, w):
    """Rows of a simple router from its masks and planes."""
    masks, (first_input, first_output) = s.masks, first_rows(s, w)
    masks[w, MOVERS] = masks[w, OWNING] & masks[w, FILLED] & ~masks[w, NO_CREDIT]
    for cell in range(s.frames[w + 1, FIRST_OUTPUT] - first_output):
        out = natural(first_output + cell)
        s.outputs[out, OWNER] += first_input if s.outputs[out, OWNER] >= 0 else 0
        if s.outputs[out, READER] >= 0 and (masks[w, ENDS] >> cell) & 1 == 0:
            s.outputs[out, CREDITS] = counted(s, w, SLOTS, cell)
    for cell in range(s.frames[w + 1, FIRST_INPUT] - first_input):
        b = natural(first_input + cell)
        s.inputs[b, STORED] = counted(s, w, FLITS, cell)
        if (masks[w, OWNING] >> cell) & 1:
            s.inputs[b, STATE] = MOVING if (masks[w, MOVERS] >> cell) & 1 else STALLED
            s.inputs[b, OUT] += first_output
        else:
            s.inputs[b, OUT] = -1
            if (masks[w, FILLED] >> cell) & 1 == 0:
                s.inputs[b, STATE] = IDLE
            elif s.inputs[b, STATE] != BLOCKED:
                s.inputs[b, STATE] = FRESH
    masks[w, OWNING] = masks[w, NO_CREDIT] = masks[w, FILLED] = masks[w, ROOM] = 0


@njit(_nrt=False, forceinline=True)
def gather(s):
    """Put simple routers of a part into masks and planes."""
    for r in range(s.setup[FIRST_ROUTER], s.setup[LAST_ROUTER]):
        if is_simple(s, natural(r)):
            gather_router(s, natural(s.words[natural(r)]))
    s.count[GATHERED] = 1


@njit(types.void(types.int64[::1]), cache=True, nogil=True, _nrt=False)
def scatter(raw):
    """Bring the rows of a part up to date; what terminals drew ahead is forgotten, to be drawn again."""
    s = view(raw)
    for r in range(s.setup[FIRST_ROUTER], s.setup[LAST_ROUTER]):
        if is_simple(s, natural(r)):
            scatter_router(s, natural(s.words[natural(r)]))
        for i in range(s.terminal_first[r], s.terminal_first[r + 1]):
            t = natural(s.local_terminals[natural(i)])
            ahead = s.terminals[t, DRAWN] - s.count[NOW] + (s.terminals[t, PACKET] == -2)
            if ahead > 0:
                s.random[t] -= STEP * np.uint64(ahead)
                s.terminals[t, DRAWN], s.terminals[t, PACKET] = s.count[NOW], -1
    s.count[GATHERED] = 0
