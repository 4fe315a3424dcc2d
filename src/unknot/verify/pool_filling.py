"""Paths from an empty network to buffers full of packets that block each other, where VCs share pools of slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from unknot._base.deadline import clock
from unknot._base.work import spend
from unknot.certificates.verdict import Message
from unknot.flow_control.model import FlowControl
from unknot.routing.relation import Relation
from unknot.verify.explorer import Ways

FILLED = 2e-5
"""Work to try the filling of a VC after another."""
FIRST = 12
"""VCs of a knot with which a filling is begun, one after the other."""


@dataclass(frozen=True)
class Head:
    """A header: its VC, its address, its awaited VCs, and the addresses of packets that may queue behind."""

    vc: int
    address: int
    waited: tuple[int, ...]
    behind: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SentPacket:
    """A packet that was sent to the VC of a header; its path begins with the injection port."""

    head: Head
    address: int
    path: tuple[int, ...]


class Buffers:
    """Packets in each VC, and the VCs of marked slots."""

    def __init__(self, flow: FlowControl, held: Sequence[int], marks: tuple[int, ...]) -> None:
        self.flow, self.held, self.marks = flow, [*held], marks

    def copy(self) -> Buffers:
        """Return the same buffers, to be filled otherwise."""
        return Buffers(self.flow, self.held, self.marks)

    def takes(self, at: int, vc: int) -> bool:
        """Whether a packet in an input VC, or at a port, may go to a VC."""
        return self.flow.takes(self.held, self.marks, at, vc)

    def opens(self, at: int, vc: int) -> bool:
        """Whether a packet may come to a VC from a port, or by way of an empty VC."""
        return (at >= len(self.held) or not self.held[at]) and self.takes(at, vc)

    def move(self, at: int, vc: int) -> None:
        """Move a packet; a mark goes back from the slot that the packet takes to the slot left."""
        if at < len(self.held):
            self.held[at] -= 1
        self.held[vc] += 1
        self.marks = self.flow.marks_after(self.held, self.marks, at, vc)

    def full(self, vc: int) -> bool:
        """Whether a VC takes nothing, wherever it comes from."""
        flow, held = self.flow, self.held
        pools = [flow.pools[p] for p in flow.pools_of.get(vc, ())]
        return held[vc] >= flow.packets or any(held[vc] >= pool.own and pool.free(held) < 1 for pool in pools)

    def add(self, ways: Ways, address: int, vc: int) -> tuple[int, ...] | None:
        """Send one packet more to a VC, if there is a path through empty VCs; return the path, its port first."""
        path = next(ways.to(vc, address, self.opens), None)
        if path is None:
            return None
        trial = self.copy()
        for at, v in pairwise(path):
            if not trial.takes(at, v):
                return None
            trial.move(at, v)
        self.held, self.marks = trial.held, trial.marks
        return path

    def fill(self, ways: Ways, head: Head) -> list[SentPacket]:
        """Send packets to the VC of a header until it takes no more, that of the header first."""
        sent: list[SentPacket] = []
        for address in dict.fromkeys((head.address, *head.behind)):
            if self.held[head.vc] == 0 and address != head.address:
                break
            while (path := self.add(ways, address, head.vc)) is not None:
                sent.append(SentPacket(head, address, path))
        return sent

    def after(self, ways: Ways, head: Head) -> Buffers:
        """Return the buffers after packets were sent to the VC of a header."""
        trial = self.copy()
        trial.fill(ways, head)
        return trial


def filling(
    relation: Relation, flow: FlowControl, knot: dict[int, Head], length: int, end: float
) -> list[Message] | None:
    """Messages that fill the VCs of a knot one after the other until its headers block each other.

    VCs are filled one by one, next always the one after which the most others can still be filled to the brim. None
    if no filling from one of the first VCs leads there in time.

    Parameters
    ----------
    length : int
        Flits per message.
    """
    ways = Ways(relation)
    for first in sorted(knot)[:FIRST]:
        buffers = Buffers(flow, [0] * relation.num_vcs, flow.marks)
        sent, left = list[SentPacket](), dict(knot)
        following: int | None = first
        while following is not None and clock() < end:
            spend(FILLED * len(left) ** 2)
            head = left.pop(following)
            sent += buffers.fill(ways, head)
            following = _next(ways, buffers, left)
        # What leads into a VC that was filled early may have room for more.
        sent += [packet for head in knot.values() for packet in buffers.fill(ways, head)]
        blocked = all(
            buffers.held[head.vc] == 0 or not any(buffers.takes(head.vc, v) for v in head.waited)
            for head in knot.values()
        )
        if blocked and sent:
            return _messages(relation, sent, length)
    return None


def _next(ways: Ways, buffers: Buffers, left: dict[int, Head]) -> int | None:
    """The VC to fill next, after which the most others can still be filled to the brim; ties go to marked VCs."""

    def promise(head: Head) -> tuple[int, bool]:
        trial = buffers.after(ways, head)
        others = sum(trial.after(ways, other).full(other.vc) for other in left.values() if other is not head)
        return trial.full(head.vc) + others, head.vc in buffers.marks

    return max(left.values(), key=promise).vc if left else None


def _messages(relation: Relation, sent: list[SentPacket], length: int) -> list[Message]:
    """Packets as messages; the first of each VC waits for what its header wants."""
    begun: set[int] = set()
    messages = []
    for packet in sent:
        head = packet.head
        awaited = () if head.vc in begun else head.waited
        begun.add(head.vc)
        lead, source = packet.path[1:-1], packet.path[0] - relation.num_vcs
        messages.append(Message(source, packet.address, length, lead, (head.vc,), awaited))
    return messages
