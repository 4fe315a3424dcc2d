"""A watchdog in every router: it drops packets that stand still, and their terminals send them again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import Relation
from unknot.simulation.engine.codes import BLOCKED, FRESH, IDLE
from unknot.simulation.engine.state_arrays import State, set_bit


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
        self.upstream, self.here = (end[vcs.channel] for end in (relation.network.source, relation.network.target))
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
        row, output = int(self.rows[vc]), int(self.outputs[vc])
        length, source = int(part.packets.length[packet]), int(part.packets.source[packet])
        inputs = part.inputs[row]
        inputs.stored -= length
        inputs.front = (inputs.front + 1) % part.setup.ring
        inputs.out, inputs.state = -1, FRESH if inputs.stored else IDLE
        part.outputs.credits[output] += length
        part.wake(self.upstream[vc])
        part.wake(self.here[vc])
        if not inputs.stored:
            set_bit(part.masks.heads, part.words.first_input, row, False)
        member = int(part.first_member[output]) if len(part.first_member) else -1
        if member >= 0:
            part.members.slack[member] -= part.setup.slot - length
        while member >= 0:
            part.rings.taken[part.members.ring[member]] -= 1
            member = int(part.members.next[member])
        part.count.flits_in -= length
        part.count.dropped += 1
        part.waiting[packet] = -1
        if part.replies.first[source] < 0:
            part.replies.first[source] = packet
        else:
            part.waiting[part.replies.last[source]] = packet
        part.replies.last[source] = packet
