"""Packets that vanish from a network between two cycles: their flits, the VCs they own, and the credits they took."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.simulation.engine.state import ATOMIC, FRESH, IDLE, MOVING, PENDING, STALLED
from unknot.simulation.engine.state_arrays import State

Numbers = npt.NDArray[np.int64]


def residents(state: State, rows: Numbers) -> tuple[Numbers, Numbers]:
    """Packets that have begun to come into these rows of `inputs` and have not left them whole, in their order.

    Returns
    -------
    index, packets : int64 arrays
        Which of the rows each packet is in, ascending, and the packet.
    """
    inputs, ring = state.inputs[rows], int(state.setup.ring)
    flying = _flying(state, rows).any(axis=0)
    count = (state.outputs.back[_upstream(state, rows)] - inputs.front) % ring
    at_rest = (inputs.state == IDLE) | ((inputs.state == PENDING) & (inputs.out < 0))
    empty = at_rest & (inputs.stored == 0) & ~flying
    count = np.where((count == 0) & ~empty, ring, count)
    index = np.repeat(np.arange(rows.size), count)
    place = np.arange(index.size) - np.repeat(np.cumsum(count) - count, count)
    packets = state.ring[rows[index] * ring + (inputs.front[index] + place) % ring]
    return index, packets.astype(np.int64)


def lose(state: State, packets: Numbers) -> int:
    """Remove packets whole, as if they had never been sent; how many flits of them were in the network.

    What stood behind them goes on from this cycle. Credits of their flits, stored or on wires, are back at once.
    """
    rows = np.unique(np.flatnonzero(np.isin(state.ring, packets)) // int(state.setup.ring))
    index, inside = residents(state, rows)
    gone = np.isin(inside, packets)
    flits = 0
    for i in np.unique(index[gone]).tolist():
        mine = index == i
        flits += _clear(state, int(rows[i]), inside[mine], gone[mine])
    for i in np.unique(index[gone]).tolist():
        _resume_upstream(state, int(rows[i]))
    injecting = np.isin(state.terminals.packet, packets)
    state.terminals.packet[injecting], state.terminals.vc[injecting], state.terminals.left[injecting] = -1, -1, 0
    count, setup = state.count, state.setup
    created = state.packets.created[packets]
    count.measured_created -= ((created >= setup.measure_from) & (created < setup.measure_to)).sum()
    count.flits_in -= flits
    state.free[count.free : count.free + packets.size] = packets
    count.free += packets.size
    wake(state)
    return flits


def wake(state: State) -> None:
    """Make all headers that sleep request again."""
    state.masks.heads[:] |= state.masks.asleep
    state.masks.asleep[:] = 0


def owns(state: State, rows: Numbers) -> npt.NDArray[np.bool_]:
    """Whether the packet in front of each row of `inputs` has been allocated an output VC."""
    kind = state.inputs.state[rows]
    moving = (kind == STALLED) | (kind == MOVING) | (kind == PENDING)
    owning: npt.NDArray[np.bool_] = moving & (state.inputs.out[rows] >= 0)
    return owning


def release(state: State, row: int) -> None:
    """The packet in front of a row, no flit of which was sent on, gives back its output VC and requests anew."""
    out, ring = int(state.inputs.out[row]), int(state.setup.ring)
    state.packets.hops[state.ring[row * ring + state.inputs.front[row]]] -= state.outputs.reader[out] >= 0
    _free(state, row, out)
    restart(state, row, 0)


def restart(state: State, row: int, delay: int) -> None:
    """Make the first flit in a row, if any, a header that requests after the delay of routing."""
    word, bit = _cell(state, row)
    for mask in ("heads", "asleep", "movers", "holders"):
        state.masks[mask][word] &= ~bit
    box = state.inbox.reshape(-1, int(state.setup.num_words))
    box.heads[:, word] &= ~bit
    box.ready[:, word] &= ~bit
    state.inputs.out[row] = -1
    if state.inputs.stored[row] > 0:
        state.inputs.state[row] = FRESH
        box.heads[(int(state.count.now) + delay) & int(state.setup.slots), word] |= bit
    else:
        state.inputs.state[row] = IDLE


def _clear(state: State, row: int, here: Numbers, gone: npt.NDArray[np.bool_]) -> int:
    """Remove some of the packets that are in a row; how many flits that were."""
    inputs, ring = state.inputs[row], int(state.setup.ring)
    up, owned = int(_upstream(state, np.array([row]))[0]), bool(owns(state, np.array([row]))[0])
    stored, read = int(inputs.stored), int(inputs.front)
    flying = np.flatnonzero(_flying(state, np.array([row]))[:, 0])
    length = state.packets.length[here].copy()
    if owned:
        length[0] -= inputs.sent
    until = np.minimum(np.cumsum(length), stored + flying.size)
    stays = ~np.repeat(gone, np.diff(until, prepend=0))
    word, bit = _cell(state, row)
    box = state.inbox.reshape(-1, int(state.setup.num_words))
    slots = (int(state.count.now) + flying[~stays[stored:]]) & int(state.setup.slots)
    box.flits[slots, word] &= ~bit
    inputs.stored = stays[:stored].sum()
    state.outputs.credits[up] += (~stays).sum()
    kept = here[~gone]
    state.ring[row * ring + (read + np.arange(kept.size)) % ring] = kept
    state.outputs.back[up] = (read + kept.size) % ring
    still_leaving = inputs.state == PENDING and not owned
    if gone[0] and not still_leaving:
        if owned:
            _free(state, row, int(inputs.out))
        restart(state, row, int(state.setup.routing_delay))
    return int((~stays).sum())


def _free(state: State, row: int, out: int) -> None:
    """An output row, that the packet in front of an input row of the same router owns, is nobody's."""
    state.outputs.owner[out] = -1
    word = int(np.searchsorted(state.first_word, _cell(state, row)[0], side="right")) - 1
    first = int(state.first_word[word])
    _reopen(state, out, 64 * first + out - int(state.words.first_output[first]))


def _reopen(state: State, out: int, cell: int) -> None:
    """Set the bit of an output row, in the cell given, if it can be allocated."""
    row, setup = state.outputs[out], state.setup
    whole = setup.technique != ATOMIC or row.credits >= setup.depth
    if row.owner < 0 and whole:
        state.masks.open[cell >> 6] |= np.int64(1) << np.int64(cell & 63)


def _resume_upstream(state: State, row: int) -> None:
    """A row got credits back: its VC may be allocated, or its owner send."""
    out = int(_upstream(state, np.array([row]))[0])
    if state.buffer[row] >= state.setup.num_vcs:
        return
    _reopen(state, out, int(state.inputs.credit_bit[row]))
    owner = int(state.outputs.owner[out])
    if owner < 0 or state.outputs.credits[out] == 0:
        return
    if state.inputs.state[owner] == STALLED and state.inputs.stored[owner] > 0:
        word, bit = _cell(state, owner)
        state.inputs.state[owner] = MOVING
        state.masks.movers[word] |= bit


def _upstream(state: State, rows: Numbers) -> Numbers:
    """Rows of `outputs` that are the upstream ends of rows of `inputs`."""
    ends: Numbers = state.out_row[state.buffer[rows]].astype(np.int64)
    return ends


def _cell(state: State, row: int) -> tuple[int, np.int64]:
    """Word and bit of a row of `inputs`."""
    cell = int(state.outputs.flit_bit[state.out_row[state.buffer[row]]])
    return cell >> 6, np.int64(1) << np.int64(cell & 63)


def _flying(state: State, rows: Numbers) -> npt.NDArray[np.bool_]:
    """Whether a flit comes into each of these rows in each of the next cycles: shape (cycles, rows)."""
    words, mask = int(state.setup.num_words), int(state.setup.slots)
    cell = state.outputs.flit_bit[_upstream(state, rows)].astype(np.int64)
    slots = (int(state.count.now) + np.arange(mask + 1)) & mask
    box = state.inbox.reshape(-1, words).flits[slots]
    coming: npt.NDArray[np.bool_] = (box[:, cell >> 6] >> (cell & 63)) & 1 == 1
    return coming
