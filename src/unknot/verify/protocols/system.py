"""A routing with the end points of a protocol: the places in which messages stand, and where they may go next.

Places are numbered: VCs, then the send queues of each terminal, then of each its receive queues and reserved room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import RelationError
from unknot.routing.relation import Relation
from unknot.verify.protocols.protocol import Follow, MessageClass, Protocol, Queue

EJECT = -1
"""The candidate "leave the network here"."""
RESERVED = ""
"""Name of the reserved room of a terminal, beside those of its receive queues."""
MOST_TERMINALS = 300
"""Terminals up to which it is followed who sends what to whom; with more, every class goes from each to each."""
Sent = tuple[int, int]
"""Message class and address of a message that a terminal sends."""
Onward = tuple[tuple[int, ...], tuple[int, ...]]
"""Candidates of a header, VCs or `EJECT`: all, and those that it waits for."""


@dataclass(frozen=True, eq=False)
class System:
    """A relation and the protocol of its terminals.

    Attributes
    ----------
    relation : Relation
    protocol : Protocol
    queueing : bool
        Whether headers queue behind tails (wormhole-nonatomic), and so have committed to a candidate.
    room : int
        Messages that a VC holds.
    worms : bool
        Whether messages are longer than a place, as under wormhole: a place holds one, or a part of one, and a queue
        is two places in a row, the second one `places` further on.

    Raises
    ------
    RelationError
        If the relation has message classes, and not those of the protocol.
    """

    relation: Relation
    protocol: Protocol
    queueing: bool = False
    room: int = 1
    worms: bool = False
    _answers: dict[tuple[int, int], Onward] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        relation, networks = self.relation, self.protocol.networks
        missing = [name for name in networks if name not in relation.classes]
        if relation.classes and missing:
            raise RelationError(
                f"{relation.name} has the message classes {', '.join(relation.classes)}; the protocol "
                f"{self.protocol.name} has {', '.join(networks)}: take message_classes(names={list(networks)}), or a "
                "routing without classes, whose VCs all messages share"
            )

    @cached_property
    def commits(self) -> bool:
        """Whether a blocked header waits for a single chosen candidate, which may be any candidate.

        Headers that queue choose only what the tail of a worm has come to, as each message that has one place.
        """
        return self.relation.commits or (self.queueing and not self.worms)

    @cached_property
    def vcs(self) -> int:
        return self.relation.num_vcs

    @cached_property
    def terminals(self) -> int:
        return self.relation.network.num_terminals

    @cached_property
    def block(self) -> int:
        """Addresses of each message class of the relation."""
        return self.relation.num_addresses // max(1, len(self.relation.classes))

    @cached_property
    def classes(self) -> tuple[MessageClass, ...]:
        return self.protocol.classes

    @cached_property
    def number(self) -> dict[str, int]:
        """Number of each message class by name."""
        return {one.name: k for k, one in enumerate(self.classes)}

    @cached_property
    def first_address(self) -> tuple[int, ...]:
        """First address of each class of the protocol."""
        known = list(self.relation.classes)
        return tuple(known.index(one.network) * self.block if known else 0 for one in self.classes)

    @cached_property
    def first_receive(self) -> int:
        return self.vcs + self.terminals * len(self.protocol.send_queues)

    @cached_property
    def places(self) -> int:
        """VCs, send queues and receive queues, each queue once, and reserved rooms."""
        return self.first_receive + self.terminals * (len(self.protocol.receive_queues) + 1)

    @cached_property
    def _described(self) -> list[tuple[str, int, str]]:
        sides = (("send", self.protocol.send_queues), ("receive", (*self.protocol.receive_queues, RESERVED)))
        queues = [(side, t, name) for side, names in sides for t in range(self.terminals) for name in names]
        return [("vc", vc, "") for vc in range(self.vcs)] + queues

    def described(self, place: int) -> tuple[str, int, str]:
        """Side, terminal and name of a queue; of a VC "vc", its number and nothing."""
        return self._described[place % self.places]

    @cached_property
    def place(self) -> dict[tuple[str, int, str], int]:
        """Number of each place by what `described` says of it; reserved room is "receive" and `RESERVED`."""
        return {described: place for place, described in enumerate(self._described)}

    def send_place(self, terminal: int, kind: int) -> int:
        """Send queue of a class at a terminal."""
        return self.place["send", terminal, self.classes[kind].send]

    def terminal_of(self, place: int) -> int | None:
        """Terminal of a queue; None of a VC."""
        side, number, _ = self.described(place)
        return None if side == "vc" else number

    @cached_property
    def _rooms(self) -> list[tuple[int, bool]]:
        """Of each place, its capacity in messages, and whether only the first message may leave."""
        protocol = self.protocol
        sends = [(protocol.send_depth(name), True) for name in protocol.send_queues]
        rooms = [*map(protocol.room, protocol.receive_queues), Queue()]
        receives = [(room.depth, room.ordered) for room in rooms]
        return [(self.room, True)] * self.vcs + sends * self.terminals + receives * self.terminals

    def depth(self, place: int) -> int:
        """Messages that a place holds."""
        return 1 if self.worms else self._rooms[place][0]

    def ordered(self, place: int) -> bool:
        """Whether the first message of a place alone may leave it."""
        return self._rooms[place % self.places][1]

    def receives(self, place: int) -> bool:
        """Whether a place is in a receive queue."""
        return place % self.places >= self.first_receive

    def at_head(self, place: int, position: int) -> bool:
        """Whether a message can be consumed where it stands: first in a receive queue, or anywhere without order."""
        first = place >= self.places if self.worms else position == 0
        return self.receives(place) and (first or not self.ordered(place))

    def has_second(self, place: int) -> bool:
        """Whether a place is the first one of a queue of two."""
        return self.worms and self.vcs <= place < self.places

    def place_name(self, place: int) -> str:
        """Name of a place in messages."""
        side, number, queue = self.described(place)
        if side == "vc":
            return self.relation.vcs.name(place)
        head = "the head of " if place >= self.places else ""
        return f"{head}{side} queue {queue} of {self.relation.network.terminal_name(number)}"

    def onward(self, place: int, address: int) -> Onward:
        """Candidates of a header."""
        if self.has_second(place):
            return (EJECT,), (EJECT,)
        if self.receives(place):
            return (), ()
        terminal = self.terminal_of(place)
        at = place if terminal is None else self.vcs + terminal
        known = self._answers.get((at, address))
        if known is None:
            candidates = self.relation.candidates(at, address)
            every, waited = (
                tuple(EJECT if one.vc is None else one.vc for one in candidates if one.waits or everything)
                for everything in (True, self.queueing)
            )
            known = self._answers[at, address] = every, waited
        return known

    def home(self, address: int) -> int:
        """Terminal that an address stands for."""
        return int(self.relation.destination[address])

    @cached_property
    def _addresses(self) -> list[list[int]]:
        """Offsets within a block of the addresses of each terminal."""
        listed: list[list[int]] = [[] for _ in range(self.terminals)]
        for offset, terminal in enumerate(self.relation.destination[: self.block].tolist()):
            listed[terminal].append(offset)
        return listed

    def addresses(self, kind: int, source: int, destination: int) -> list[int]:
        """Addresses by which a terminal sends a message of a class to another one."""
        first, use = self.first_address[kind], self.relation.may_use
        every = [first + offset for offset in self._addresses[destination]]
        return every if use is None else [address for address in every if use[source, address]]

    @cached_property
    def peers(self) -> list[list[int]]:
        """The other terminals for which each terminal has an address."""
        some = np.any([self.pairs(kind) for kind in range(len(self.classes))], axis=0)
        return [np.flatnonzero(row).tolist() for row in some]

    def groups(self, terminal: int) -> Iterator[tuple[Sent, ...]]:
        """Every choice of the first messages of a transaction that a terminal begins."""
        for group in self.protocol.begins:
            kinds = [self.number[name] for name in group]
            for destination in self.peers[terminal]:
                yield from product(*([(k, a) for a in self.addresses(k, terminal, destination)] for k in kinds))

    @cached_property
    def identified(self) -> bool:
        """Whether it matters to which transaction a message belongs."""
        return self.protocol.outstanding is not None or any(one.together for one in self.classes)

    @cached_property
    def reaches(self) -> list[Flags] | None:
        """For each class, senders, recipients and initiators of its transactions; None if too many to follow.

        bool arrays, shape (terminals, terminals, terminals).
        """
        number = self.terminals
        if number > MOST_TERMINALS:
            return None
        reached = [np.zeros((number, number, number), dtype=bool) for _ in self.classes]
        addressed = [self.pairs(kind) for kind in range(len(self.classes))]
        everyone = np.arange(number)
        for group in self.protocol.begins:
            for name in group:
                kind = self.number[name]
                reached[kind][everyone, :, everyone] |= addressed[kind]
        todo = list(range(len(self.classes)))
        while todo:
            kind = todo.pop()
            behind = self.classes[kind].carries
            grown = [(self.number[behind], reached[kind])] if behind else []
            grown += [(self.number[f.message], _answered(f, reached[kind])) for f in self.classes[kind].follows]
            for other, more in grown:
                self._require_addresses(kind, other, more)
                new = more & addressed[other][:, :, None] & ~reached[other]
                if new.any():
                    reached[other] |= new
                    todo.append(other)
        return reached

    def _require_addresses(self, kind: int, other: int, pairs: Flags) -> None:
        """Refuse flows that hold a message and not its answer."""
        follow = next((f for f in self.classes[kind].follows if f.message == self.classes[other].name), None)
        lost = np.argwhere(pairs.any(axis=2) & ~self.pairs(other) & ~np.eye(self.terminals, dtype=bool))
        if follow is not None and follow.to != "any" and lost.size:
            source, home = (self.relation.network.terminal_name(int(t)) for t in lost[0])
            raise RelationError(
                f"{self.relation.name}: {source} has no address for the {follow.message} to {home} that follows a "
                f"{self.classes[kind].name}; the flows must hold both directions"
            )

    def pairs(self, kind: int) -> Flags:
        """Pairs of different terminals, the first with an address of the second for messages of a class."""
        addresses = slice(self.first_address[kind], self.first_address[kind] + self.block)
        pairs = np.zeros((self.terminals, self.terminals), dtype=bool)
        source, offset = np.nonzero(self.relation.usable(addresses))
        pairs[source, self.relation.destination[addresses][offset]] = True
        np.fill_diagonal(pairs, False)
        return pairs


def _answered(follow: Follow, reached: Flags) -> Flags:
    """Senders, recipients and initiators of a follow-up, from the same figures of its cause."""
    number = len(reached)
    everyone = np.arange(number)
    if follow.to == "sender":
        return reached.transpose(1, 0, 2)
    at = np.asarray(reached.any(axis=0))  # of each terminal, who began
    if follow.to == "origin":
        answered = np.zeros_like(reached)
        answered[:, everyone, everyone] = at
        return answered
    answered = np.repeat(at[:, None, :], number, axis=1)
    answered[:, everyone, everyone] = False
    return answered
