"""The record of a flow control: what a packet holds, when a header enters a buffer, whether it may choose again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from unknot.flow_control.pools import Held, Pool

Holds = Literal["buffer", "row"]
Enters = Literal["packet", "empty", "empty or packet", "tail"]


@dataclass(frozen=True)
class FlowControl:
    """How packets take and give back the buffers of virtual channels (VCs).

    Attributes
    ----------
    name : str
        Name of the technique, as ``--switching`` takes it.
    holds : {"buffer", "row"}
        Buffers of a blocked packet: the one buffer that its header stands in, or a row of buffers back to its tail.
    enters : {"packet", "empty", "empty or packet", "tail"}
        When a header may be granted a VC: there is room for the whole packet; the buffer is empty; either of both;
        the tail of the last packet granted the VC has come in, whatever the room.
    keeps : bool
        Whether a header keeps the candidate that it was first granted. Otherwise a blocked header chooses again in
        every cycle, and waits until any of its candidates can be entered.
    complete : bool
        Whether a packet goes on only when all its flits have arrived.
    holding : str
        Words for reports: the buffers of a blocked packet, and the event that ends its wait.
    packets : int
        Slots of each VC, for a packet of the greatest length each; 0 where `pools` do not count any.
    pools : tuple of Pool
        Slots that VCs of a relation share, and slots that packets from outside a ring leave free: a flow control
        with pools belongs to that relation.
    cell : int
        Flits of a credit: a packet takes whole cells of the buffer that it enters.

    Examples
    --------
    >>> from unknot.flow_control import technique
    >>> technique("vct").holds, technique("wormhole").enters, technique("wormhole-nonatomic").keeps
    ('buffer', 'empty', True)
    """

    name: str
    holds: Holds
    enters: Enters
    keeps: bool
    complete: bool
    holding: str
    packets: int = 0
    pools: tuple[Pool, ...] = ()
    cell: int = 1

    @cached_property
    def pools_of(self) -> dict[int, tuple[int, ...]]:
        """For each VC that has any: positions of its pools."""
        pools: dict[int, list[int]] = {}
        for number, pool in enumerate(self.pools):
            for v in pool.vcs:
                pools.setdefault(v, []).append(number)
        return {v: tuple(numbers) for v, numbers in pools.items()}

    @cached_property
    def marks(self) -> tuple[int, ...]:
        """The VC of the marked slot of each pool before anything is sent, −1 in pools without; empty without any."""
        marks = tuple(pool.vcs[0] if pool.keeps == "marked slot" else -1 for pool in self.pools)
        return marks if max(marks, default=-1) >= 0 else ()

    @cached_property
    def inner(self) -> list[list[Pool]]:
        """For each pool without own slots: pools among its VCs, from small to large, each within the next."""

        def by_size(pool: Pool) -> tuple[int, list[int], int]:
            return len(pool.vcs), sorted(pool.vcs), pool.slots

        inner = list[list[Pool]]()
        for number, pool in enumerate(self.pools):
            beside = {p for v in pool.vcs for p in self.pools_of[v] if len(self.pools_of[v]) > 1} - {number}
            inner.append([])
            for other in sorted((self.pools[p] for p in beside if not pool.own), key=by_size):
                chain = *inner[-1][-1:], other, pool
                if not other.own and all({*a.vcs} < {*b.vcs} for a, b in pairwise(chain)):
                    inner[-1].append(other)
        return inner

    def guarding(self, at: int, vc: int) -> list[int]:
        """Positions of the pools in which a packet that goes to a VC has to leave something free."""
        return [p for p in self.pools_of.get(vc, ()) if self.pools[p].guards(at, vc)]

    def takes(self, held: Held, marks: Mapping[int, int] | Sequence[int], at: int, vc: int) -> bool:
        """Whether a packet in an input VC, or at a port, may go to a VC.

        `held` has the packets in each VC, or the most that may be there. A packet stays in its VC until its move is
        done, so that a pool counts the slot it leaves as taken.
        """
        guarding = self.guarding(at, vc)
        kept = any(self.pools[p].keeps == "slot of the buffer" for p in guarding)
        marked = sum(marks[p] == vc for p in guarding) if marks else 0
        if held[vc] + kept + marked >= self.packets:
            return False
        return all(self.pools[p].takes(held, at, vc, self.inner[p]) for p in self.pools_of.get(vc, ()))

    def marks_after(self, held: Held, marks: tuple[int, ...], at: int, vc: int) -> tuple[int, ...]:
        """Marks after the move of a packet, with the packets held then."""
        if not marks or held[vc] < self.packets:
            return marks
        return tuple(at if mark == vc and (at, vc) in self.pools[p].hops else mark for p, mark in enumerate(marks))

    @cached_property
    def limiting(self) -> tuple[bool, ...]:
        """Of each pool whether it may keep a packet out for want of a slot, where other guards keep none out."""
        port = 1 + max((v for pool in self.pools for v in pool.vcs), default=-1)
        held, limiting = [self.packets] * port, list[bool]()
        for pool in self.pools:
            limiting.append(pool.keeps in ("nothing", "slot of the pool"))
            # The hardest case for a VC: room for one packet more in itself, and all other VCs full.
            for v in pool.vcs:
                held[v] -= 1
                limiting[-1] |= not pool.takes(held, port, v)
                held[v] += 1
        return tuple(limiting)

    @property
    def alone(self) -> bool:
        """Whether a blocked packet holds no buffer but that of its header."""
        return self.holds == "buffer"

    @property
    def whole(self) -> bool:
        """Whether buffers are granted to whole packets, so that each must have room for the longest."""
        return self.enters == "packet"

    @property
    def slotted(self) -> bool:
        """Whether packets take whole slots or cells of buffers, and not flits alone."""
        return bool(self.pools) or self.cell > 1

    def slot(self, longest: int) -> int:
        """Flits of a slot for packets of up to so many flits, or of a cell without pools."""
        return -(-longest // self.cell) * self.cell if self.pools else self.cell

    @property
    def exclusive(self) -> bool:
        """Whether a buffer holds flits of one packet at a time."""
        return self.enters == "empty"

    @property
    def queueing(self) -> bool:
        """Whether headers queue behind tails and keep the VC granted, so that every cycle of VCs is a deadlock."""
        return self.enters == "tail" and self.keeps

    @property
    def waiting(self) -> tuple[Holds, Enters, bool]:
        """Properties that decide about deadlock; techniques with equal properties have equal verdicts."""
        return self.holds, self.enters, self.keeps
