"""Packets that vanish from a network between two cycles: their flits, the VCs they own, and the credits they took."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.simulation.layout import (
    ARRIVED_BITS,
    ASLEEP,
    ATOMIC,
    CREATED,
    CREDIT_CELL,
    CREDITS,
    DEPTH,
    FIRST_OUTPUT,
    FLITS_IN,
    FREE,
    FRESH,
    HEAD_BITS,
    HEADS,
    HOLDERS,
    HOPS,
    IDLE,
    IN_CELL,
    LEFT,
    LENGTH,
    MASK,
    MEASURE_FROM,
    MEASURE_TO,
    MEASURED_CREATED,
    MOVERS,
    MOVING,
    NOW,
    NUM_VCS,
    OPEN,
    OUT,
    OWNER,
    PACKET,
    PENDING,
    READ,
    READER,
    READY_BITS,
    RING,
    ROUTING,
    SENT,
    STALLED,
    STATE,
    STORED,
    TECHNIQUE,
    VC,
    WORDS,
    WRITE,
    State,
)

Numbers = npt.NDArray[np.int64]


def residents(state: State, rows: Numbers) -> tuple[Numbers, Numbers]:
    """Packets that have begun to come into these rows of `inputs` and have not left them whole, in their order.

    Returns
    -------
    index, packets : int64 arrays
        Which of the rows each packet is in, ascending, and the packet.
    """
    inputs, ring = state.inputs[rows], int(state.setup[RING])
    flying = _flying(state, rows).any(axis=0)
    count = (state.outputs[_upstream(state, rows), WRITE] - inputs[:, READ]) % ring
    at_rest = (inputs[:, STATE] == IDLE) | ((inputs[:, STATE] == PENDING) & (inputs[:, OUT] < 0))
    empty = at_rest & (inputs[:, STORED] == 0) & ~flying
    count = np.where((count == 0) & ~empty, ring, count)
    index = np.repeat(np.arange(rows.size), count)
    place = np.arange(index.size) - np.repeat(np.cumsum(count) - count, count)
    found = state.ring[rows[index] * ring + (inputs[index, READ] + place) % ring]
    return index, found.astype(np.int64)


def lose(state: State, packets: Numbers) -> int:
    """Remove packets whole, as if they had never been sent; how many flits of them were in the network.

    What stood behind them goes on from this cycle. Credits of their flits, stored or on wires, are back at once.
    """
    rows = np.unique(np.flatnonzero(np.isin(state.ring, packets)) // int(state.setup[RING]))
    index, found = residents(state, rows)
    gone = np.isin(found, packets)
    flits = 0
    for i in np.unique(index[gone]).tolist():
        mine = index == i
        flits += _clear(state, int(rows[i]), found[mine], gone[mine])
    for i in np.unique(index[gone]).tolist():
        _resume_upstream(state, int(rows[i]))
    sending = np.isin(state.terminals[:, PACKET], packets)
    state.terminals[sending, PACKET], state.terminals[sending, VC], state.terminals[sending, LEFT] = -1, -1, 0
    count, setup = state.count, state.setup
    created = state.packets[packets, CREATED]
    count[MEASURED_CREATED] -= ((created >= setup[MEASURE_FROM]) & (created < setup[MEASURE_TO])).sum()
    count[FLITS_IN] -= flits
    state.free[count[FREE] : count[FREE] + packets.size] = packets
    count[FREE] += packets.size
    wake(state)
    return flits


def wake(state: State) -> None:
    """All headers that sleep request again."""
    state.masks[:, HEADS] |= state.masks[:, ASLEEP]
    state.masks[:, ASLEEP] = 0


def owns(state: State, rows: Numbers) -> npt.NDArray[np.bool_]:
    """Whether the packet in front of each row of `inputs` has been allocated an output VC."""
    kind = state.inputs[rows, STATE]
    moving = (kind == STALLED) | (kind == MOVING) | (kind == PENDING)
    found: npt.NDArray[np.bool_] = moving & (state.inputs[rows, OUT] >= 0)
    return found


def release(state: State, row: int) -> None:
    """The packet in front of a row, no flit of which was sent on, gives back its output VC and requests anew."""
    out, ring = int(state.inputs[row, OUT]), int(state.setup[RING])
    state.packets[state.ring[row * ring + state.inputs[row, READ]], HOPS] -= state.outputs[out, READER] >= 0
    _free(state, row, out)
    restart(state, row, 0)


def restart(state: State, row: int, delay: int) -> None:
    """What is first in a row now is a header that requests in so many cycles, if there is anything."""
    word, bit = _cell(state, row)
    state.masks[word, [HEADS, ASLEEP, MOVERS, HOLDERS]] &= ~bit
    box = state.inbox.reshape(-1, int(state.setup[WORDS]), 4)
    box[:, word, HEAD_BITS] &= ~bit
    box[:, word, READY_BITS] &= ~bit
    state.inputs[row, OUT] = -1
    if state.inputs[row, STORED] > 0:
        state.inputs[row, STATE] = FRESH
        box[(int(state.count[NOW]) + delay) & int(state.setup[MASK]), word, HEAD_BITS] |= bit
    else:
        state.inputs[row, STATE] = IDLE


def _clear(state: State, row: int, here: Numbers, gone: npt.NDArray[np.bool_]) -> int:
    """Remove some of the packets that are in a row; how many flits that were."""
    inputs, ring = state.inputs[row], int(state.setup[RING])
    up, owned = int(_upstream(state, np.array([row]))[0]), bool(owns(state, np.array([row]))[0])
    stored, read = int(inputs[STORED]), int(inputs[READ])
    flying = np.flatnonzero(_flying(state, np.array([row]))[:, 0])
    length = state.packets[here, LENGTH].copy()
    if owned:
        length[0] -= inputs[SENT]
    until = np.minimum(np.cumsum(length), stored + flying.size)
    stays = ~np.repeat(gone, np.diff(until, prepend=0))
    word, bit = _cell(state, row)
    box = state.inbox.reshape(-1, int(state.setup[WORDS]), 4)
    slots = (int(state.count[NOW]) + flying[~stays[stored:]]) & int(state.setup[MASK])
    box[slots, word, ARRIVED_BITS] &= ~bit
    inputs[STORED] = stays[:stored].sum()
    state.outputs[up, CREDITS] += (~stays).sum()
    kept = here[~gone]
    state.ring[row * ring + (read + np.arange(kept.size)) % ring] = kept
    state.outputs[up, WRITE] = (read + kept.size) % ring
    still_leaving = inputs[STATE] == PENDING and not owned
    if gone[0] and not still_leaving:
        if owned:
            _free(state, row, int(inputs[OUT]))
        restart(state, row, int(state.setup[ROUTING]))
    return int((~stays).sum())


def _free(state: State, row: int, out: int) -> None:
    """An output row, that the packet in front of an input row of the same router owns, is nobody's."""
    state.outputs[out, OWNER] = -1
    word = int(np.searchsorted(state.words, _cell(state, row)[0], side="right")) - 1
    first = int(state.words[word])
    _reopen(state, out, 64 * first + out - int(state.frames[first, FIRST_OUTPUT]))


def _reopen(state: State, out: int, cell: int) -> None:
    """Set the bit of an output row, in the cell given, if it can be allocated."""
    row, setup = state.outputs[out], state.setup
    whole = row[READER] < 0 or setup[TECHNIQUE] != ATOMIC or row[CREDITS] == setup[DEPTH]
    if row[OWNER] < 0 and whole:
        state.masks[cell >> 6, OPEN] |= np.int64(1) << np.int64(cell & 63)


def _resume_upstream(state: State, row: int) -> None:
    """A row got credits back: its VC may be allocated, or its owner send."""
    out = int(_upstream(state, np.array([row]))[0])
    if state.buffer[row] >= state.setup[NUM_VCS]:
        return
    _reopen(state, out, int(state.inputs[row, CREDIT_CELL]))
    owner = int(state.outputs[out, OWNER])
    if owner < 0 or state.outputs[out, CREDITS] == 0:
        return
    if state.inputs[owner, STATE] == STALLED and state.inputs[owner, STORED] > 0:
        word, bit = _cell(state, owner)
        state.inputs[owner, STATE] = MOVING
        state.masks[word, MOVERS] |= bit


def _upstream(state: State, rows: Numbers) -> Numbers:
    """Rows of `outputs` that are the upstream ends of rows of `inputs`."""
    found: Numbers = state.out_row[state.buffer[rows]].astype(np.int64)
    return found


def _cell(state: State, row: int) -> tuple[int, np.int64]:
    """Word and bit of a row of `inputs`."""
    cell = int(state.outputs[state.out_row[state.buffer[row]], IN_CELL])
    return cell >> 6, np.int64(1) << np.int64(cell & 63)


def _flying(state: State, rows: Numbers) -> npt.NDArray[np.bool_]:
    """Whether a flit comes into each of these rows in each of the next cycles: shape (cycles, rows)."""
    words, mask = int(state.setup[WORDS]), int(state.setup[MASK])
    cell = state.outputs[_upstream(state, rows), IN_CELL].astype(np.int64)
    slots = (int(state.count[NOW]) + np.arange(mask + 1)) & mask
    box = state.inbox[:, ARRIVED_BITS].reshape(-1, words)[slots]
    found: npt.NDArray[np.bool_] = (box[:, cell >> 6] >> (cell & 63)) & 1 == 1
    return found
