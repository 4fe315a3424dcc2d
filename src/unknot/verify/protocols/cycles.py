"""Cycles of places, each held by a message that waits for the next, with no more transactions than may be under way.

In a deadlock the first message of a full place waits for another full place, and so on until one comes again. All
messages of such a cycle are there at once, so no terminal began more of them than its limit allows. Where no cycle
can be made of messages so, there is no deadlock; and no deadlock has fewer messages than the smallest cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from heapq import heappop, heappush
from itertools import takewhile

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from unknot._base.deadline import clock
from unknot._base.work import spend
from unknot.network.graph import backwards, reached_from
from unknot.verify.protocols.machine import destination, follow_ups
from unknot.verify.protocols.machine_state import MachineMessage
from unknot.verify.protocols.protocol import Protocol
from unknot.verify.protocols.queue_room import entries
from unknot.verify.protocols.system import System

FOLLOWED, STEP = 2e-5, 2e-6
"""Work to follow a message, and of a step on the way to a cycle."""


@dataclass(frozen=True)
class Target:
    """A message with its header in a place, alone or with a second message behind.

    `origins` are the terminals that may have begun its transaction.
    """

    place: int
    held: int
    kind: int
    source: int
    address: int
    origins: tuple[int, ...]


def targets(system: System) -> Iterator[Target]:
    """Every message that can be sent, in its send queue."""
    began: dict[Link, list[int]] = {}
    if system.reaches is None:
        for origin in [terminal for terminal, peers in enumerate(system.peers) if peers]:
            for link in reached_from(first_links(system, origin), partial(next_links, system, origin)):
                began.setdefault(link, []).append(origin)
    for kind, reached in enumerate(system.reaches or ()):
        for source, home in np.argwhere(reached.any(axis=2)).tolist():
            for address in system.addresses(kind, source, home):
                began[kind, source, address] = np.flatnonzero(reached[source, home]).tolist()
    for link, origins in began.items():
        place = system.send_place(link[1], link[0])
        yield Target(place, place, *link, tuple(origins))


Link = tuple[int, int, int]
"""Class, source and address of a message."""


def first_links(system: System, origin: int) -> list[Link]:
    """Messages with which a terminal begins transactions."""
    return [(kind, origin, address) for sends in system.groups(origin) for kind, address in sends]


def next_links(system: System, origin: int, link: Link) -> list[Link]:
    """Messages that one of a transaction is consumed for, or carries."""
    sent = follow_ups(system, MachineMessage(*link, origin, 0))
    carried = system.classes[link[0]].carries
    links = [(kind, system.home(link[2]), address) for choices in sent for kind, address in choices]
    return links + ([(system.number[carried], *link[1:])] if carried else [])


@dataclass(frozen=True, eq=False)
class Waits:
    """What may hold a place and wait for another one.

    Attributes
    ----------
    system : System
    end : float
        Time of `clock` up to which they are looked for; what is found later is left out.
    edges : dict
        By the place that is held, that which is waited for, and who began the transaction: a message.
    inside : dict
        Who may have begun the transaction of a message in a place.
    at_once : float
        Messages at once of a transaction.
    """

    system: System
    end: float = float("inf")
    edges: dict[int, dict[int, dict[int, Target]]] = field(default_factory=dict, init=False)
    inside: dict[int, set[int]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for target in takewhile(lambda _: clock() < self.end, targets(self.system)):
            self._follow(target)

    @property
    def at_once(self) -> float:
        protocol = self.system.protocol
        return max(sum(together(protocol, name) for name in group) for group in protocol.begins)

    @cached_property
    def _most(self) -> float:
        """Messages at once of the transactions that a terminal began."""
        return self.at_once * (self.system.protocol.outstanding or float("inf"))

    def _follow(self, sent: Target) -> None:
        """Add the places on a message's path, with the places it waits for."""
        spend(FOLLOWED)
        system, onward = self.system, dict[int, list[int]]()
        message = MachineMessage(sent.kind, sent.source, sent.address, sent.origins[0], 0)

        def after(place: int) -> list[int]:
            to = [destination(system, place, message, to) for to in system.onward(place, message.address)[0]]
            onward[place] = [one for one in to if one is not None]
            return onward[place]

        for held in reached_from([sent.place], after):
            self.inside.setdefault(held, set()).update(sent.origins)
            for place in reached_from([held], onward.__getitem__) if system.worms else [held]:
                for to in self._awaited(place, message):
                    known = self.edges.setdefault(held, {}).setdefault(to, {})
                    target = replace(sent, place=place, held=held)
                    for origin in sent.origins[: None if system.protocol.outstanding else 1]:
                        known.setdefault(origin, target)

    def _awaited(self, place: int, message: MachineMessage) -> list[int]:
        """Places for which a header may wait for ever."""
        system = self.system
        every, waited = system.onward(place, message.address)
        rooms = [
            destination(system, place, message, to) for to in (every if system.commits or system.queueing else waited)
        ]
        awaited = [room for room in rooms if room is not None]
        if len(awaited) < len(rooms) and not (system.commits or system.queueing):
            awaited = []
        if system.at_head(place, 0):
            rule = system.classes[message.kind]
            sent = [system.number[f.message] for f in rule.follows for _ in range(f.count if rule.at_once else 1)]
            awaited += entries(system, system.home(message.address), sent)
        return awaited

    def need(self, place: int) -> int:
        """Return the least number of messages in a place while another place waits for it."""
        at_once = [sum(follow.count for follow in one.follows) for one in self.system.classes if one.at_once]
        spare = max([1, *at_once]) - 1 if self.system.vcs <= place < self.system.first_receive else 0
        return max(1, self.system.depth(place) - spare)

    def cycles(self, most: float = float("inf")) -> Iterator[list[Target]]:
        """Iterate over cycles of at most some messages, the fewest first, until the time is over."""
        before = backwards(self.edges)
        most = min(most, self._most * self.system.terminals, sum(map(self.need, self.edges)))
        back = {start: self._back(start, before, most) for start in self.edges}
        back = {start: far for start, far in back.items() if any(to in far for to in self.edges[start])}
        total = 0
        while back and total < most and clock() < self.end:
            total += 1
            for start, far in back.items():
                yield from self._closed([start], [], far, total)

    def _back(self, start: int, before: dict[int, list[int]], most: float) -> dict[int, int]:
        """Messages from each place on until a cycle is at its first one again, whose places have higher numbers."""
        far: dict[int, int] = {}
        todo = [(0, start)]
        while todo:
            messages, place = heappop(todo)
            if place not in far and messages < most:
                far[place] = messages
                for other in before.get(place, ()):
                    if other > start:
                        heappush(todo, (messages + self.need(other), other))
        return far

    def _closed(
        self, path: list[int], heads: list[dict[int, Target]], far: dict[int, int], left: int
    ) -> Iterator[list[Target]]:
        """Iterate over the cycles that begin with some places and have a number of messages left."""
        here, left = path[-1], left - self.need(path[-1])
        for to, by_origin in self.edges.get(here, {}).items():
            spend(STEP)
            if (far.get(to, left + 1) if to != path[0] else 0) > left or to in path[1:] or clock() > self.end:
                continue
            if to == path[0] and left:
                continue
            chosen = self._begun([*heads, by_origin], path)
            if chosen is not None:
                if to == path[0]:
                    yield chosen
                else:
                    yield from self._closed([*path, to], [*heads, by_origin], far, left)

    def _begun(self, heads: list[dict[int, Target]], path: list[int]) -> list[Target] | None:
        """The first messages of places, if terminals may have begun all that are there, a flow of transactions."""
        if self._most == float("inf"):
            return [next(iter(head.values())) for head in heads]
        origins: list[Iterable[int]] = [*heads]
        for place in path:
            origins += [self.inside[place]] * (self.need(place) - 1)
        slots = int(min(self._most, len(origins)))
        pairs = [(i, o * slots + k) for i, some in enumerate(origins) for o in some for k in range(slots)]
        shape = len(origins), slots * self.system.terminals
        graph = csr_array((np.ones(len(pairs), dtype=bool), np.transpose(pairs)), shape)
        began = maximum_bipartite_matching(graph, perm_type="column") // slots
        if began.min() < 0:
            return None
        return [replace(head[o], origins=(o,)) for head, o in zip(heads, began.tolist(), strict=False)]


def together(protocol: Protocol, name: str, depth: int = 0) -> float:
    """Most simultaneous messages caused by one of a class, itself included; infinite without a limit."""
    one = protocol[name]
    if depth > len(protocol.classes):
        return float("inf")
    after = sum(follow.count * together(protocol, follow.message, depth + 1) for follow in one.follows)
    carried = together(protocol, one.carries, depth + 1) if one.carries else 0
    return carried + max(1, after + (not one.at_once))
