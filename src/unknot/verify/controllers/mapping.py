"""The fewest virtual networks of a state table, by what may share one.

What shares a network blocks more and never less, and the states of an address do not depend on networks. So groups
that deadlock on one network, with all others alone, share none in any mapping that is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from unknot._base.work import spend
from unknot.verify.controllers.blocking import WaitingStates
from unknot.verify.controllers.joined import Deadlock, Joints
from unknot.verify.controllers.reachable import Reached
from unknot.verify.controllers.steps import Controllers
from unknot.verify.controllers.table import StateTable

TRIAL = 0.02
"""Work of a mapping that is judged, in seconds."""
Network = Sequence[int]
"""The number of the virtual network of each group."""


@dataclass
class Judge:
    """Judge of mappings by the states of an address, with the deadlocks that were found."""

    controllers: Controllers
    reached: Reached
    addresses: int
    deadlocks: list[Deadlock] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.states = WaitingStates(self.controllers, self.reached.waiting())

    def __call__(self, network: Network) -> tuple[bool | None, Deadlock | None]:
        """Whether a mapping is free of deadlock, with a deadlock if there is one; None where neither is found."""
        spend(TRIAL)
        joints = self.joints(network)
        for one in self.deadlocks:
            if joints.stands(one.states, dict(one.order), one.homes):
                return False, one
        if not (left := self.states.blocked(network)):
            return (True if self.reached.whole else None), None
        found = joints.deadlock(left, self.addresses)
        if found is None:
            return None, None
        self.deadlocks.append(found)
        return False, found

    def joints(self, network: Network) -> Joints:
        """The search for deadlocks of several addresses under a mapping."""
        return Joints(self.controllers, self.reached, network)


def numbered(table: StateTable) -> list[int]:
    """Virtual network of each group in the design."""
    names = list(table.designed)
    messages = {table.group(name): names.index(table.network(name)) for name in table.messages}
    return [messages[group] for group in table.groups]


class Fewest:
    """Search for the fewest networks.

    Parameters
    ----------
    groups : int
        How many groups there are.
    mapped : sequence of int
        Those that need a network; all others have their own.
    judge : callable
        Whether a mapping is free; None where that is open.
    """

    def __init__(self, groups: int, mapped: Sequence[int], judge: Callable[[Network], bool | None]) -> None:
        self.groups, self.mapped, self.judge = groups, mapped, judge
        self.known: dict[frozenset[int], bool | None] = {}

    def numbered(self, rows: Iterable[Iterable[int]]) -> list[int]:
        """Network of each group; rows share one, and all others have their own."""
        network = list(range(self.groups))
        for row in rows:
            members = list(row)
            for group in members:
                network[group] = members[0]
        return network

    def may_share(self, row: frozenset[int]) -> bool | None:
        """Whether groups are free of deadlock on one network, with all others alone."""
        if row not in self.known:
            self.known[row] = self.judge(self.numbered([row]))
        return self.known[row]

    def found(self, over: Callable[[], bool]) -> tuple[list[list[int]], bool]:
        """A free mapping to the fewest networks, empty without any, and whether fewer are refuted."""
        proved = True
        for count in range(1, len(self.mapped) + 1):
            for rows in self._rows(count):
                if over():
                    return [], False
                free = self.judge(self.numbered(rows))
                if free:
                    return rows, proved and None not in self.known.values()
                proved = proved and free is False
        return [], proved and None not in self.known.values()

    def _rows(self, count: int) -> Iterator[list[list[int]]]:
        """Ways to put groups on a number of networks, none with a row that is not known to be free."""

        def put(at: int, rows: list[list[int]]) -> Iterator[list[list[int]]]:
            if len(rows) + len(self.mapped) - at < count:
                return
            if at == len(self.mapped):
                yield [list(row) for row in rows]
                return
            for row in rows:
                if self.may_share(frozenset([*row, self.mapped[at]])):
                    row.append(self.mapped[at])
                    yield from put(at + 1, rows)
                    row.pop()
            if len(rows) < count:
                rows.append([self.mapped[at]])
                yield from put(at + 1, rows)
                rows.pop()

        yield from put(0, [])
