"""A watchdog in each router, which drops packets that are blocked at two looks in a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import BLOCKED
from unknot.simulation.engine.dropping import remove
from unknot.simulation.engine.state_arrays import State


class Watchdog:
    """Looks at the packets in front of the VCs of a network, once in each interval.

    A packet that is whole in its buffer, and blocked there at two looks in a row, is dropped: it has stood still for
    one to two intervals. Its credits are upstream at once, and its terminal sends it before new packets. Under saf
    and vct every blocked packet is whole in a buffer sooner or later.
    """

    def __init__(self, relation: Relation, part: State, interval: int) -> None:
        self.interval = interval
        vcs = relation.vcs
        self.rows = part.in_row[: vcs.total].astype(np.int64)
        self.outputs = part.out_row[: vcs.total].astype(np.int64)
        self.stood: npt.NDArray[Any] = np.full((2, vcs.total), -1)

    def next_look(self, now: int) -> int:
        """The first cycle after `now` in which it looks."""
        return now + self.interval - now % self.interval

    def look(self, part: State) -> None:
        """Drop what stood still since the last look."""
        rows = self.rows
        packets = part.ring[rows * part.setup.ring + part.inputs.front[rows]]
        whole = part.inputs.stored[rows] >= part.packets.length[packets]
        blocked = (part.inputs.state[rows] == BLOCKED) & whole
        stands = np.where(blocked, [packets, part.packets.injected[packets]], -1)
        for vc in np.flatnonzero(blocked & (stands == self.stood).all(axis=0)).tolist():
            self._drop(part, vc, int(packets[vc]))
        self.stood = stands

    def _drop(self, part: State, vc: int, packet: int) -> None:
        output, length = int(self.outputs[vc]), int(part.packets.length[packet])
        source = int(part.packets.source[packet])
        remove(part, packet, 0)
        slots = part.slots[output] if len(part.slots) else None
        member = -1 if slots is None else int(slots.member)
        if slots is not None and slots.flits:
            slots.slack -= -length % int(slots.flits)
        while member >= 0:
            part.members.left[member] += 1
            part.pools.left_in[part.members.pool[member]] = -1  # free at once
            member = int(part.members.next[member])
        part.count.dropped += 1
        part.waiting[packet] = -1
        if part.replies.first[source] < 0:
            part.replies.first[source] = packet
        else:
            part.waiting[part.replies.last[source]] = packet
        part.replies.last[source] = packet
