"""Search of all that queues of whole packets can come to hold, for packets that wait for each other for good.

Nothing is lost by leaving out packets that stay nowhere: what they leave behind only has more room. Marks of rings
may be another matter, so where there are any, packets also leave.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from unknot.certificates.verdict import Message
from unknot.flow_control.model import FlowControl
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.verify.effort import Effort
from unknot.verify.explorer import Exploration, Explorer, explored

STATES = 30_000
"""States that are looked at."""
QUEUED = 5e-5
"""Work of a state of the queues."""
MOST_TABLE = 5_000
"""States of a relation up to which queues are searched."""
Place = tuple[int, int]
"""An input VC or port, and an address."""
State = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""Kinds of the packets in each VC, the first in front; and the marks of rings."""
Move = tuple[int, int, int]
"""From an input VC or port, to a VC or `EJECT`, and the kind of the packet there."""


@dataclass(frozen=True)
class PacketKind:
    """Packets at a place that go on and wait alike, from there on.

    Attributes
    ----------
    at : int
    onward : tuple of (VC, kind)
        Where they may go.
    choices : tuple of tuple of int
        Sets of candidates, any one of which a blocked header may wait for; `EJECT` among them.
    ejects : bool
        Whether they may leave the network.
    leaves : bool
        The same, or that they can never go on.
    """

    at: int
    onward: tuple[tuple[int, int], ...]
    choices: tuple[tuple[int, ...], ...]
    ejects: bool
    leaves: bool


def kinds_of(relation: Relation, effort: Effort) -> tuple[dict[Place, int], list[PacketKind]]:
    """Number the kinds of packets at each place; packets with equal ways are of one kind."""
    rows: dict[Place, tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]] = {}
    for address, visit in Explorer(relation).visits("kinds of packets", effort):
        for at, candidates in visit.headers():
            waited = sorted({v & VC_MASK for v in candidates if relation.commits or not v & NO_WAIT})
            choices = tuple((v,) for v in waited) if relation.commits else (tuple(waited),) * bool(waited)
            rows[at, address] = tuple(sorted({v & VC_MASK for v in candidates})), choices
    number, many = dict.fromkeys(rows, 0), 0
    while True:
        kinds: dict[PacketKind, int] = {}
        after = {}
        for (at, address), (may, choices) in rows.items():
            onward = tuple((v, number[v, address]) for v in may if v != EJECT)
            kind = PacketKind(at, onward, choices, EJECT in may, EJECT in may or not may)
            after[at, address] = kinds.setdefault(kind, len(kinds))
        if len(kinds) == many:
            return number, list(kinds)
        number, many = after, len(kinds)


class Queues:
    """Contents of some VCs, if packets from all other VCs arrive at any time.

    VCs that are not `inside` may hold any packet that can come there, or none, at any time.
    """

    def __init__(
        self, relation: Relation, flow: FlowControl, effort: Effort, inside: Collection[int] | None = None
    ) -> None:
        self.relation, self.flow, vcs = relation, flow, relation.num_vcs
        self.number, self.kinds = kinds_of(relation, effort)
        self.inside = {*range(vcs)} if inside is None else {*inside}
        outside = [kind for kind in self.kinds if kind.at not in self.inside]
        into = {(min(kind.at, vcs), *there) for kind in outside for there in kind.onward if there[0] in self.inside}
        # VCs of no pool are alike, and ports are; a flow control may tell the latter from the former.
        self.enters = sorted({(at < vcs, *there): (at, *there) for at, *there in sorted(into)}.values())
        self.others: dict[int, set[tuple[int, ...]]] = {}
        for kind in outside:
            self.others.setdefault(kind.at, set()).update(kind.choices)
        self.ports = [(at, choice) for at in [*self.others] if at >= vcs for choice in sorted(self.others.pop(at))]
        self.end = effort.end

    @property
    def start(self) -> State:
        """Empty queues."""
        return ((),) * self.relation.num_vcs, self.flow.marks

    def blocked(self, state: State) -> set[int]:
        """VCs whose packets wait for each other for good, whatever the others do.

        Without any, ports at which a packet alone in the network is not let in.
        """
        queues, marks = state
        stuck, left = {v for v, queue in enumerate(queues) if queue} | {*self.others}, {-1}
        while stuck != left:
            left, held = stuck, [len(queue) if v in stuck else 0 for v, queue in enumerate(queues)]
            stuck = {
                at for at in left if any(self._shut(at, choice, left, held, marks) for choice in self._of(at, queues))
            }
        if stuck or not self.flow.marks:
            return stuck
        return {at for at, choice in self.ports if self._shut(at, choice, stuck, held, marks)}

    def _of(self, at: int, queues: tuple[tuple[int, ...], ...]) -> Collection[tuple[int, ...]]:
        """Sets of candidates for which a header in a VC may wait."""
        return self.others[at] if at in self.others else self.kinds[queues[at][0]].choices

    def _shut(
        self, at: int, choice: tuple[int, ...], stuck: set[int], held: list[int], marks: tuple[int, ...]
    ) -> bool:
        """Whether no candidate has room while some VCs stay as they are."""
        return EJECT not in choice and not any(
            self.flow.takes(held, marks, at, vc) if vc in self.inside else vc not in stuck for vc in choice
        )

    def moves(self, state: State) -> Iterator[tuple[Move, State]]:
        """What can move: from outside, from queue to queue, and out of these where marks remain."""
        queues, marks = state
        held = [len(queue) for queue in queues]
        heads = [(v, self.kinds[queue[0]]) for v, queue in enumerate(queues) if queue]
        steps = [(v, *there) for v, kind in heads for there in kind.onward] + self.enters
        for at, vc, k in steps:
            if vc in self.inside and self.flow.takes(held, marks, at, vc):
                yield (at, vc, k), self._moved(state, at, vc, k)
        if marks:
            for v, kind in heads:
                if kind.leaves or any(vc not in self.inside for vc, _ in kind.onward):
                    yield (v, EJECT, -1), self._moved(state, v, EJECT, -1)

    def _moved(self, state: State, at: int, vc: int, k: int) -> State:
        queues, marks = [*state[0]], state[1]
        if at < len(queues):
            queues[at] = queues[at][1:]
        if vc != EJECT:
            queues[vc] = (*queues[vc], k)
            marks = self.flow.marks_after([len(queue) for queue in queues], marks, at, vc)
        return tuple(queues), marks

    def search(self, any_blocked: bool = False) -> Exploration[Move]:
        """Search for a state with all packets, or any packet, blocked for good.

        States with more packets behind headers that cannot leave come first.
        """

        def ends(state: State) -> bool:
            stuck = self.blocked(state)
            return bool(stuck) and (any_blocked or all(v in stuck for v, queue in enumerate(state[0]) if queue))

        def rank(state: State) -> int:
            return -4 * sum(len(queue) for queue in state[0] if queue and not self.kinds[queue[0]].leaves)

        return explored(self.start, self.moves, ends, STATES, self.end, rank=rank, work=QUEUED)

    def filling(self, length: int) -> tuple[list[Message], tuple[int, ...]] | None:
        """Packets of a length that come to wait for each other for good, and whose header moves, move by move.

        No order is needed where each may move to its end before the next one begins. None where the search finds no
        packets, or packets would leave where they can never go on.
        """
        for any_blocked in (True, False)[: 1 + bool(self.flow.marks)]:
            filled = self._filling(self.search(any_blocked).run or (), length)
            if filled is not None:
                return filled
        return None

    def _filling(self, run: tuple[Move, ...], length: int) -> tuple[list[Message], tuple[int, ...]] | None:
        """The packets of a run that wait for each other for good, if these alone come to do so too."""
        ways, order, state = list[list[Move]](), list[int](), self.start
        queues: dict[int, list[int]] = {vc: [] for vc in range(self.relation.num_vcs)}
        for move in run:
            if move[0] not in queues:
                ways.append([])
            number = queues[move[0]].pop(0) if move[0] in queues else len(ways) - 1
            ways[number].append(move)
            order.append(number)
            queues.setdefault(move[1], []).append(number)
            state = self._moved(state, *move)
        standing = {number for vc in self.blocked(state) for number in queues.get(vc, ())}
        if self._fronts(ways, stay := [number for number in order if number in standing]) is not None:
            order = stay
        for number in range(len(ways)):
            fewer = [k for k in order if k != number]
            order = fewer if self._fronts(ways, fewer) is not None else order
        simple = [k for k in dict.fromkeys(order) for _ in ways[k]]
        fronts = self._fronts(ways, simple)
        if fronts is None:
            simple, fronts = [], self._fronts(ways, order)
        left = [ways[k] for k in order if ways[k][-1][1] == EJECT]
        if fronts is None or not all(self.kinds[way[-2][2]].ejects for way in left):
            return None
        named = {k: i for i, k in enumerate(dict.fromkeys(order))}
        messages = [self._message(ways[k], fronts[1].get(k, ()), length) for k in named]
        if not fronts[1]:
            messages.append(self._alone(fronts[0], length))
        return messages, () if simple else tuple(named[k] for k in order)

    def _fronts(self, ways: list[list[Move]], order: list[int]) -> tuple[State, dict[int, tuple[int, ...]]] | None:
        """The state after packets have moved in an order, and what those in front wait for then, all for good.

        None if they cannot move so, or some do not wait for good then.
        """
        state = self.start
        queues: list[list[int]] = [[] for _ in state[0]]
        onward = {k: iter(ways[k]) for k in order}
        for k in order:
            at, vc, kind = next(onward[k])
            held = [len(queue) for queue in queues]
            if at < len(queues) and queues[at].pop(0) != k:
                return None
            if vc != EJECT:
                if not self.flow.takes(held, state[1], at, vc):
                    return None
                queues[vc].append(k)
            state = self._moved(state, at, vc, kind)
        stuck = self.blocked(state)
        if not order or not stuck or any(queue and v not in stuck for v, queue in enumerate(queues)):
            return None
        held = [len(queue) for queue in queues]
        return state, {
            queue[0]: next(c for c in self._of(v, state[0]) if self._shut(v, c, stuck, held, state[1]))
            for v, queue in enumerate(queues)
            if queue
        }

    def _alone(self, state: State, length: int) -> Message:
        """A packet that no VC takes from its port in a state without other packets."""
        held, vcs = [0] * self.relation.num_vcs, self.relation.num_vcs
        at, choice = next((at, c) for at, c in self.ports if self._shut(at, c, set(), held, state[1]))
        address = next(a for (place, a), k in self.number.items() if place == at and choice in self.kinds[k].choices)
        return Message(at - vcs, address, length, (), (), choice)

    def _message(self, way: list[Move], wanted: tuple[int, ...], length: int) -> Message:
        path, start = [vc for _, vc, _ in way], (way[0][1], way[0][2])
        source, address = next(
            (at - self.relation.num_vcs, address)
            for (at, address), k in self.number.items()
            if at >= self.relation.num_vcs
            and start in self.kinds[k].onward
            and self.number[start[0], address] == start[1]
        )
        held = () if path[-1] == EJECT else (path[-1],)
        return Message(source, address, length, tuple(path[:-1]), held, wanted)
