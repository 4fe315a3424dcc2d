"""Naive twin of `unknot.verify.controllers.network`: all states of nodes and of the channels of a small network.

Messages of a flit wait in their nodes in any order, take free VCs hop by hop, and receive queues hold one for each
message class. Cells are those of `tests.reference.controllers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.reference.controllers import TooLargeError, Twin
from unknot.routing.relation import Relation
from unknot.traffic.trace import addresses
from unknot.verify.controllers import StateTable


class CarriedTwin(Twin):
    """All states of some addresses at terminals in a row; without classes all share the VCs and a receive queue."""

    def __init__(
        self, table: StateTable, relation: Relation, caches: int, addresses: int, *, shared: bool, most: int
    ) -> None:
        super().__init__(table, caches, addresses, shared=shared, most=most)
        self.relation = relation
        places = sorted(
            {self.place(n, a) for n in range(len(self.nodes)) for a in range(addresses)},
            key=lambda place: (not self.nodes[place[0]][0].many, place),
        )
        self.terminal = {place: k for k, place in enumerate(places)}

    def queue(self, message: Any) -> Any:
        where, network = super().queue(message)
        return where, network if self.relation.classes else ""

    def group(self, message: Any) -> Any:
        """What keeps its order while it waits in its node."""
        return self.line(message)

    def ways(self, at: int, message: Any) -> Iterator[int]:
        """VCs that a message may take next, or −1 for its receive queue."""
        address, name, source, target, _ = message
        ends = [self.terminal[self.place(node, address)] for node in (source, target)]
        classes = self.relation.classes
        kind = classes.index(self.table.network(name)) if classes else -1
        first = self.relation.num_vcs + ends[0] if at < 0 else at
        for one in self.relation.candidates(first, addresses(self.relation, *ends, kind)[0]):
            yield -1 if one.vc is None else one.vc

    def steps(self, state: Any) -> Iterator[tuple[Any, bool]]:
        rows, waiting, heads, beside = state
        aside = tuple(one for one in beside if len(one) == 5)
        inside = dict(one for one in beside if len(one) == 2)
        node_state = (rows, waiting, heads, aside)

        def joined(after: Any, vcs: dict[int, Any]) -> Any:
            return (*after[:3], tuple(sorted((*after[3], *vcs.items()), key=repr)))

        for after, counts in super().steps(node_state):
            arrives = after is not None and len(after[2]) > len(heads)
            if not arrives:
                yield (None if after is None else joined(after, inside)), counts
        busy = {where for where, _ in heads}
        places = [(-1, one) for one in self.leaving(waiting)] + list(inside.items())
        for at, message in places:
            left = {vc: one for vc, one in inside.items() if vc != at}
            lines = list(waiting)
            if at < 0:
                lines.remove(message)
            for to in self.ways(at, message):
                if to >= 0 and to not in inside:
                    yield joined((rows, tuple(lines), heads, aside), {**left, to: message}), True
                elif to < 0 and self.queue(message) not in busy:
                    arrived = tuple(sorted((*heads, (self.queue(message), message)), key=repr))
                    yield joined((rows, tuple(lines), arrived, aside), left), True

    def leaving(self, waiting: Any) -> Iterator[Any]:
        """Messages that may leave their nodes: the first of each line."""
        lines = set()
        for message in waiting:
            if self.group(message) not in lines:
                lines.add(self.group(message))
                yield message


def deadlocks(table: StateTable, relation: Relation, caches: int, addresses: int, most: int) -> bool | None:
    """Whether nodes at a network can deadlock, with one home or several; None for too many states."""
    answer: bool | None = False
    for shared in (True, False)[: 1 + (addresses > 1)]:
        try:
            if CarriedTwin(table, relation, caches, addresses, shared=shared, most=most).deadlock() is not None:
                return True
        except TooLargeError:
            answer = None
    return answer
