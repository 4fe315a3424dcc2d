"""Packets taken out of a network between two cycles: their flits, the VCs they own, and the credits they took.

For parts all of whose routers take the general path.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints
from unknot.simulation.engine.codes import EMPTY, FRESH, IDLE, MOVING, PENDING, STALLED
from unknot.simulation.engine.state_arrays import State

OF_HEADERS = "heads", "new_heads", "later_heads", "asleep", "requesting", "winners", "holders"
"""Masks that say what the packet in front of an input VC does."""


def residents(part: State, rows: Ints) -> tuple[Ints, Ints]:
    """Packets that have begun to come into rows of `inputs` and have not left them whole, in their order.

    Returns
    -------
    index, packets : int64 array
        Which of the rows each packet is in, ascending, and the packet.
    """
    # A ring on the general path has a place more than its buffer has packets, so that it is never full.
    front, ring = part.inputs.front[rows], int(part.setup.ring)
    count = (part.outputs.back[_upstream(part, rows)] - front) % ring
    index = np.repeat(np.arange(rows.size), count)
    place = np.arange(index.size) - np.repeat(np.cumsum(count) - count, count)
    return index, part.ring[rows[index] * ring + (front[index] + place) % ring].astype(np.int64)


def owns(part: State, rows: Ints) -> Flags:
    """Whether the packet in front of each row of `inputs` has been allocated an output VC."""
    kind, out = part.inputs.state[rows], part.inputs.out[rows]
    allocated: Flags = ((kind == STALLED) | (kind == MOVING) | (kind == PENDING)) & (out >= 0)
    return allocated


def remove(part: State, packets: npt.ArrayLike, delay: int) -> int:
    """Take packets out as if they had never been sent; return how many flits of them were in the network.

    Credits of their flits, stored or on wires, are back at once. A header behind one of them requests after a delay.
    """
    rows = np.unique(np.flatnonzero(np.isin(part.ring, packets)) // int(part.setup.ring))
    index, inside = residents(part, rows)
    gone, flits = np.isin(inside, packets), 0
    touched = np.unique(index[gone]).tolist()
    for i in touched:
        here = index == i
        flits += _clear(part, int(rows[i]), inside[here], gone[here], delay)
    for i in touched:
        _resume(part, int(rows[i]))
    part.count.flits_in -= flits
    part.wake()
    return flits


def give_back(part: State, row: int) -> None:
    """Take its output VC from the packet in front of a row, of which no flit was sent on; the packet asks again."""
    packet = part.ring[row * part.setup.ring + part.inputs.front[row]]
    part.packets.hops[packet] -= readers(part, part.inputs.out[row]) >= 0
    _disown(part, int(part.inputs.out[row]))
    _restart(part, row, 0)


def _clear(part: State, row: int, here: Ints, gone: Flags, delay: int) -> int:
    """Take some of the packets `here` out of a row; return the number of their flits in it."""
    inputs, ring, up = part.inputs[row], int(part.setup.ring), int(_upstream(part, row))
    is_owner, stored, first = bool(owns(part, np.array([row]))[0]), int(inputs.stored), int(inputs.front)
    word, bit = _cell(part, row)
    boxes = part.inbox.flits.reshape(-1, int(part.setup.num_words))[:, word]
    cycles = int(part.count.now) + np.arange(boxes.size) & int(part.setup.slots)
    coming = cycles[boxes[cycles] & bit != 0]
    length = part.packets.length[here].copy()
    length[0] -= inputs.sent if is_owner else 0
    # Flits come in the order of their packets; the last packet may have some that were not sent yet.
    ends = np.minimum(np.cumsum(length), stored + coming.size)
    lost = np.repeat(gone, np.diff(ends, prepend=0))
    boxes[coming[lost[stored:]]] &= ~bit
    inputs.stored -= lost[:stored].sum()
    part.outputs.credits[up] += lost.sum()
    kept = here[~gone]
    part.ring[row * ring + (first + np.arange(kept.size)) % ring] = kept
    part.outputs.back[up] = (first + kept.size) % ring
    if gone[0] and is_owner:
        _disown(part, int(inputs.out))
    if gone[0] and (is_owner or inputs.state != PENDING):  # else the tail of another packet is still leaving
        _restart(part, row, delay)
    return int(lost.sum())


def _restart(part: State, row: int, delay: int) -> None:
    """Make the first flit in a row, if any, a header that requests after a delay."""
    word, bit = _cell(part, row)
    for mask in OF_HEADERS:
        part.masks[mask][word] &= ~bit
    stages = part.stages.reshape(-1, int(part.setup.num_words))
    stages.heads[:, word] &= ~bit
    stages.ready[:, word] &= ~bit
    part.inputs.out[row] = -1
    part.inputs.state[row] = FRESH if part.inputs.stored[row] else IDLE
    if part.inputs.stored[row]:  # as `inbox_kernel.route`: with a speedup routing takes a step, not a cycle
        soon = part.masks.new_heads if delay == 1 else part.masks.heads
        later = stages.heads[(int(part.count.now) + delay) & int(part.setup.slots)]
        (soon if delay < 2 else later)[word] |= bit


def _disown(part: State, out: int) -> None:
    part.outputs.owner[out] = -1
    _reopen(part, out)


def _reopen(part: State, out: int) -> None:
    """Let headers be granted an output VC, if nobody owns it and its credits are back as far as needed."""
    row = part.outputs[out]
    if row.owner < 0 and (part.setup.entry != EMPTY or row.credits >= part.setup.depth):
        part.set_open(out, True)


def _resume(part: State, row: int) -> None:
    """Let a VC that got credits back be allocated, or its owner send."""
    if part.buffer[row] >= part.setup.num_vcs:
        return
    out = int(_upstream(part, row))
    _reopen(part, out)
    owner = int(part.outputs.owner[out])
    if owner < 0 or part.outputs.credits[out] <= 0:
        return
    if part.inputs.state[owner] == STALLED and part.inputs.stored[owner] > 0:
        word, bit = _cell(part, owner)
        part.inputs.state[owner] = MOVING
        part.masks.requesting[word] |= bit


def readers(part: State, out: Ints | int) -> Ints:
    """Rows of `inputs` that flits of rows of `outputs` go to, −1 for ejection."""
    port = part.outputs.port[out]
    first = part.out_ports.reader[port]
    rows: Ints = np.where((first >= 0) & (np.asarray(out) >= 0), first + out - port, -1)
    return rows


def _upstream(part: State, rows: Ints | int) -> Ints:
    """Rows of `outputs` that are the upstream ends of rows of `inputs`."""
    return np.asarray(part.out_row[part.buffer[rows]], dtype=np.int64)


def _cell(part: State, row: int) -> tuple[int, np.int64]:
    """Word and bit of a row of `inputs`, over all routers."""
    up = int(_upstream(part, row))
    cell = int(part.out_ports.flit_bit[part.outputs.port[up]]) + up - int(part.outputs.port[up])
    return cell >> 6, np.int64(1) << np.int64(cell & 63)
