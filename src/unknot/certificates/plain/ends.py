"""End points of a protocol: queues of terminals, and messages that follow each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from unknot.certificates.plain.reading import (
    EJECT,
    KEPT_STATE,
    LOOK,
    MOST_VCS,
    Rejected,
    Unchecked,
    at_most,
    field,
    number,
    pay,
    word,
)
from unknot.certificates.plain.tables import Network, Table, closure

MOST_FOLLOWERS = 1000
"""Messages of a class that follow one message."""
MOST_FOLLOWED = 40
"""Terminals up to which it is followed who sends the messages of a protocol to whom."""
MOST_NAME = 1000
"""Characters of a name in a protocol."""
Place = int | tuple[str, int, str, int]
"""Where a message stands: a VC; or side, terminal, name and stage of a queue: 2, or of worms that come into it 1."""


class Ends:
    """Message classes of a protocol, the queues of every terminal, and the places in which messages stand.

    A place is a VC, which has room for one message unless the protocol says for how many, or a queue, ("send" or
    "receive", terminal, name, 2). Of worms, which may hold several places, each place has room for one, and a queue
    is two places in a row, stages 1 and 2.
    """

    def __init__(self, table: Table, document: Any) -> None:
        self.table = table
        self.classes = field(document, "classes", dict)
        parts = field(document, "networks", list)
        if not self.classes or table.addresses % max(1, len(parts)):
            raise Rejected("a protocol has message classes, and the relation addresses for each of its networks")
        self.block = table.addresses // max(1, len(parts))
        at_most(max(map(len, (*self.classes, *map(str, parts)))), MOST_NAME, "characters of a name")
        self.begins = field(document, "begins", list)
        self.room = number({"room": 1, **document}, "room", 1)
        self.limit = None if document.get("outstanding") is None else number(document, "outstanding", 1)
        self.depths = {side: field(document, side, dict) for side in ("send", "receive")}
        self.first: dict[str, int] = {}
        for name, one in self.classes.items():
            for key in ("together", "carries", "at_once", "reserved"):
                field(one, key, str if key in ("together", "carries") else bool)
            for follow in field(one, "follows", list):
                word(follow, "class", self.classes)
                word(follow, "to", ("sender", "origin", "any"))
                number(follow, "count", 1, MOST_FOLLOWERS + 1)
            for side, queues in self.depths.items():
                number(field(queues, field(one, side, str), dict), "depth", 1)
            field(self.depths["receive"][one["receive"]], "ordered", bool)
            network = word(one, "network", parts or [one.get("network")])
            self.first[name] = parts.index(network) * self.block if parts else 0
        for group in self.begins:
            if not isinstance(group, list) or not group or not all(name in self.classes for name in group):
                raise Rejected("a transaction begins with a list of message classes")
        self.starting = {name for group in self.begins for name in group}
        self.partners = {one["together"]: name for name, one in reversed(self.classes.items()) if one["together"]}
        self.by_source: dict[tuple[int, int], list[int]] = {}
        for first in {*self.first.values()}:
            for a in range(first, first + self.block):
                for source in table.sources[a]:
                    if source != table.destination[a]:
                        self.by_source.setdefault((first, source), []).append(a)

    def depth(self, place: Place) -> int:
        """Messages that a place holds, if they are no worms."""
        return self.room if isinstance(place, int) else int(self.depths[place[0]][place[2]]["depth"])

    def ordered(self, place: Place) -> bool:
        """Whether the first message of a place alone may leave it."""
        return isinstance(place, int) or self.depths[place[0]][place[2]].get("ordered", True) is not False

    def sends(self, name: str, source: int) -> list[int]:
        """The addresses by which a terminal sends messages of a class to other ones."""
        return self.by_source.get((self.first[name], source), [])

    def partner(self, name: str) -> str:
        """The class with which alone a message is consumed, whichever of the two says so; empty: none."""
        together: str = self.classes[name]["together"]
        return together or self.partners.get(name, "")

    def receivers(self, to: str, source: int, origin: int) -> set[int]:
        """Terminals to which what follows goes: the sender, the origin of the transaction, or any but the origin."""
        one = {"sender": {source}, "origin": {origin}}
        pay(2 if to in one else 2 + self.table.network.terminals)
        return one.get(to) or {*range(self.table.network.terminals)} - {origin}

    def slots(self, message: Sent) -> list[tuple[str, list[int]]]:
        """Class of each follower of a message, with the addresses to which the follower may go."""
        terminal, listed = self.table.destination[message.address], []
        for follow in self.classes[message.kind]["follows"]:
            to = self.receivers(follow["to"], message.source, message.origin)
            pay(follow["count"] + len(self.sends(follow["class"], terminal)))
            addresses = [a for a in self.sends(follow["class"], terminal) if self.table.destination[a] in to]
            listed += [(follow["class"], addresses)] * (follow["count"] if addresses else 0)
        return listed

    def most(self) -> dict[tuple[str, str], float]:
        """Most messages in each queue of a terminal, by its side and name, as outstanding transactions allow."""
        many = dict.fromkeys(self.classes, 0.0)
        parents: dict[str, list[tuple[str, str, int]]] = {name: [] for name in self.classes}
        for name, one in self.classes.items():
            for follow in one["follows"]:
                parents[follow["class"]].append((name, follow["to"], follow["count"]))
            if one["carries"]:
                parents[one["carries"]].append((name, "any", 1))
        pay(len(many) * sum(map(len, self.begins)) >> 3)
        begun = {name: max((group.count(name) for group in self.begins), default=0) for name in many}
        before: dict[str, float] = {}
        for _ in range(len(many) + 1):
            if many == before:
                break
            pay(LOOK * sum(1 + len(ways) for ways in parents.values()))
            before = many
            many = {name: begun[name] + sum(before[up] * n for up, _, n in parents[name]) for name in many}
        if many != before:
            many = dict.fromkeys(many, float("inf"))
        everyone, held = self.table.network.terminals, defaultdict[tuple[str, str], float](float)
        for name, one in self.classes.items():
            answers = name not in self.starting and all(
                to == "origin" or (to == "sender" and not parents[up]) for up, to, _ in parents[name]
            )
            for side, alone in (("send", not parents[name]), ("receive", answers)):
                most = many[name] * (self.limit or float("inf")) * (1 if alone else everyone)
                held[side, one[side]] += most if many[name] else 0
        return held

    def travels(self) -> set[tuple[str, int, int, int]]:
        """Class, source and home of every message that can be sent, and who began its transaction.

        Of many terminals, all messages that have addresses, begun by anybody.
        """
        everyone = range(self.table.network.terminals)
        pay(4 * KEPT_STATE * len(self.classes) * (len(everyone) + sum(map(len, self.by_source.values()))))
        each = [(name, source, a) for name in self.classes for source in everyone for a in self.sends(name, source)]
        pairs = {(name, source, self.table.destination[a]) for name, source, a in each}
        if len(everyone) > MOST_FOLLOWED:
            return {(*pair, 0) for pair in pairs}

        def after(one: tuple[str, int, int, int]) -> Iterable[tuple[str, int, int, int]]:
            name, source, home, origin = one
            if self.classes[name]["carries"]:
                yield self.classes[name]["carries"], source, home, origin
            for follow in self.classes[name]["follows"]:
                for t in self.receivers(follow["to"], source, origin):
                    if (follow["class"], home, t) in pairs:
                        yield follow["class"], home, t, origin

        return set(closure([(*pair, pair[1]) for pair in pairs if pair[0] in self.starting], after))

    def waits(self, name: str, ample: set[str], stages: int) -> list[str]:
        """Send queues without room in which a message of a class may stay in its receive queue for ever."""
        one, other = self.classes[name], self.partner(name)
        pay(len(self.classes))
        rules = [one] if not other or one["together"] else [self.classes[other]]
        if one["together"]:
            room = self.depths["receive"][one["receive"]]
            if not (
                one["carries"] == other
                and one["receive"] != self.classes[other]["receive"]
                and (room["depth"] == stages == 1 or room.get("ordered", True) is False)
            ):
                raise Rejected(f"ranks show nothing of {name}, which waits for a {other} on a way of its own")
            rules += [rule for rule in self.classes.values() if rule["receive"] == self.classes[other]["receive"]]
        queues = [self.classes[follow["class"]]["send"] for rule in rules for follow in rule["follows"]]
        return [queue for queue in dict.fromkeys(queues) if f"send {queue}" not in ample]


def extended(ends: Ends, stages: int, ample: list[Any]) -> Table:
    """The relation with the queues of terminals as VCs: `stages` VCs in a row for each queue, and one that always
    drains.

    A message that waits for one of several full queues stands for as many addresses. VCs of the network come first,
    then the send queues of all terminals, stage by stage, then the receive queues and, of each terminal, room that
    is reserved or `ample`.
    """
    table, network = ends.table, ends.table.network
    most = ends.most()
    for name in ample:
        side, _, queue = str(name).partition(" ")
        if most.get((side, queue), float("inf")) > field(field(ends.depths.get(side, {}), queue, dict), "depth", int):
            raise Rejected(f"the {side} queue {queue!r} may be filled")
    queues = {side: list(dict.fromkeys(one[side] for one in ends.classes.values())) for side in ("send", "receive")}
    sends, receives, terminals = len(queues["send"]), len(queues["receive"]) + 1, network.terminals
    node = [network.routers + t for t in range(terminals)]
    between = [[network.routers + k * terminals + t for t in range(terminals)] for k in range(1, 2 * stages - 1)]
    out = [node, *between[: stages - 1], network.inject]
    back = [network.eject, *between[stages - 1 :], node]
    if (terminals**2) * len(ends.classes) > MOST_VCS * 4:
        raise Unchecked(f"{len(ends.classes)} classes of {terminals} terminals are more than are checked here")
    first_receive = table.vcs + stages * terminals * sends
    total = first_receive + stages * terminals * receives
    counts = Counter(table.channel)
    rows: list[list[list[int]]] = []
    destination: list[int] = []
    sources: list[list[int]] = []
    travels = {one[:3] for one in ends.travels()}

    def lead(states: dict[int, list[int]], first: int, width: int, t: int, which: int, onward: list[int]) -> int:
        """Lead through the stages of a queue of a terminal, and then on; return where that begins."""
        queue = [first + (k * terminals + t) * width + which for k in range(stages)]
        states.update({here: [then] for here, then in pairwise(queue)})
        states[queue[-1]] = onward
        return queue[0]

    for name, one in ends.classes.items():
        send, receive = queues["send"].index(one["send"]), queues["receive"].index(one["receive"])
        safe = one["reserved"] or f"receive {one['receive']}" in ample
        waits: list[int | None] = [queues["send"].index(w) for w in ends.waits(name, {str(n) for n in ample}, stages)]
        for wait in waits or [None]:
            for address in range(ends.first[name], ends.first[name] + ends.block):
                home = table.destination[address]
                rooms = first_receive + home * receives
                enter = [rooms + receives - 1, -rooms - receive - 2] if safe else [rooms + receive]
                states: dict[int, list[int]] = {}
                for at, may in table.may[address].items():
                    waited = {*table.waits[address][at]}
                    pay(KEPT_STATE * (2 + len(may)))
                    onward = [w for v in may for w in (enter if v == EJECT else [v if v in waited else -v - 2])]
                    t = at - table.vcs
                    if t < 0:
                        states[at] = onward
                    else:
                        states[total + t] = [lead(states, table.vcs, sends, t, send, onward if t != home else [])]
                last = EJECT  # or the queue that it waits for, where this address ends
                if wait is not None:
                    last = lead(states, table.vcs, sends, home, wait, [])
                for kept in (receive, receives - 1) if safe else (receive,):
                    lead(states, first_receive, receives, home, kept, [last if kept == receive else EJECT])
                pay(KEPT_STATE * len(states) + LOOK * len(table.sources[address]))
                rows.append([[at, *onward] for at, onward in states.items()])
                destination.append(home)
                sources.append([t for t in table.sources[address] if (name, t, home) in travels])
    document = {
        "name": network.name,
        "routers": network.routers + terminals * (2 * stages - 1),
        "source": network.source + [v for part in (*out[:-1], *back[:-1]) for v in part],
        "target": network.target + [v for part in (*out[1:], *back[1:]) for v in part],
        "inject": node,
        "eject": node,
    }
    width = [counts[c] for c in range(network.channels)]
    width += [sends] * (stages * terminals) + [receives] * (stages * terminals)
    about = {"vcs": width, "commits": table.commits, "destination": destination, "sources": sources, "states": rows}
    return Table(Network(document), about)


class Sent:
    """A message under way: class, sender, address, who began its transaction, and its number there.

    Then follow-ups already sent, the places that it holds behind its header, tail first, and whether its tail has
    left its terminal: until then it holds all places that it came through, and from then on as many as it does then.
    Under wormhole-nonatomic, the place that its header has chosen while that was full.
    """

    def __init__(
        self, kind: str, source: int, address: int, origin: int, transaction: int, done: int = 0,
        behind: tuple[Place, ...] = (), whole: bool = True, chosen: Place | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.source, self.address = kind, source, address
        self.origin, self.transaction, self.done = origin, transaction, done
        self.behind, self.whole, self.chosen = behind, whole, chosen
