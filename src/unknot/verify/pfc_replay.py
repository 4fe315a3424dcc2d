"""Replay of flows under priority flow control (PFC), tick by tick, until some can never move again.

At random ports are busy with other classes, senders silent and receivers congested, as all can be. In the end every
port serves this class alone, every host receives and nobody sends: what is left then is a deadlock.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from random import Random
from typing import Literal

from unknot.network.graph import path_to, reached_from
from unknot.routing.lossless import Header, Hop, PacketPlace, Walk
from unknot.routing.lossless_classes import ClassWalk, members

Choice = Literal["hash", "spraying", "adaptive"]
"""How switches choose a next hop: once for each flow, once for each packet, or whichever is not paused."""
THRESHOLD = 2
"""Packets in a priority group at which it pauses its sender; what can happen does not depend on it."""
TICKS, SEEDS = 2000, 24
"""Ticks in which senders send, and as many for what is left; runs, each with draws of its own."""
SOURCES = 3
"""Most switches from which flows to one place are replayed."""
CHANGE = 0.06
"""Probability that a port or a sender changes between busy and idle in a tick."""


@dataclass(frozen=True)
class Flow:
    """A flow: the place at which it starts, and its steps by the choice of the hash at each switch."""

    start: PacketPlace
    hops: tuple[Hop, ...]


def flows_that_wait(classes: ClassWalk, waits: Iterable[tuple[int, int, Header | None]]) -> list[Flow]:
    """Return flows of real packets that hold a virtual channel and wait for another, from a few sources each.

    Parameters
    ----------
    waits : iterable of (int, int, Header or None)
        Held and awaited virtual channel; the header, with `ANY` destination, where only one is asked for.
    """
    flows: dict[Flow, None] = {}
    for held, wanted, header in waits:
        fits = (
            (place, part) for place, part in classes.steps()
            if classes.vc(place.channel, place.group) == held and header in (None, place.header)
            and any(wanted in classes.waits(hop) for hop in part.hops)
        )  # fmt: skip
        for place, part in islice(fits, 1):
            at = place.to(next(members(part.destinations)))
            walk = classes.to(at.destination)
            onward = next(hop for hop in walk.steps[at] if wanted in walk.waits(hop))
            after = reached_from([onward.place], walk.after)
            end = next(filter(walk.model.ends, after), onward.place)
            for lead in leads(walk, at):
                flows[Flow(lead[0], (*_hops(walk, lead), onward, *_hops(walk, path_to(end, after))))] = None
    return [*flows]


def leads(walk: Walk, at: PacketPlace) -> Iterator[list[PacketPlace]]:
    """Yield ways of packets from a few sources to a place."""
    toward = walk.leading([at])
    return (path_to(start, toward)[::-1] for start in islice((p for p in toward if p in walk.starts), SOURCES))


def _hops(walk: Walk, path: list[PacketPlace]) -> Iterator[Hop]:
    """The steps along places that follow one another."""
    return (next(hop for hop in walk.steps[here] if hop.place == there) for here, there in pairwise(path))


@dataclass(eq=False)
class _Packet:
    """A packet of a flow at a place after some steps, in the queues of the next hops that it may take."""

    flow: int
    steps: int
    place: PacketPlace
    sent: bool = False


@dataclass(eq=False)
class _Run:
    """A run: packets in the queues of ports, and their number in each priority group."""

    walk: ClassWalk
    flows: Sequence[Flow]
    random: Random
    choice: Choice
    queues: defaultdict[tuple[int, int], deque[tuple[_Packet, Hop | None]]] = field(
        default_factory=lambda: defaultdict(deque)
    )
    held: Counter[tuple[int, int]] = field(default_factory=Counter)
    busy: dict[int, bool] = field(default_factory=dict)

    def enqueue(self, packet: _Packet) -> None:
        """Put a packet into the queues of its next steps; at its last switch into the queue of its host."""
        hops = self.hops(packet)
        for hop in hops:
            self.queues[hop.channel, hop.queue].append((packet, hop))
        if not hops:
            self.queues[-1 - len(self.flows) - packet.flow, 0].append((packet, None))
        self.held[packet.place.channel, packet.place.group] += 1

    def hops(self, packet: _Packet) -> Sequence[Hop]:
        """The next hops that a packet may take."""
        if self.choice == "hash":
            return self.flows[packet.flow].hops[packet.steps : packet.steps + 1]
        hops = self.walk.to(packet.place.destination).steps[packet.place]
        return [self.random.choice(hops)] if hops and self.choice == "spraying" else hops

    def paused(self, channel: int, queue: int) -> bool:
        """Whether a group at the far end pauses a queue; a host, with a negative number, is congested or not."""
        groups = self.walk.model.pauses[channel].items() if channel >= 0 else ()
        return any(q == queue and self.held[channel, g] >= THRESHOLD for g, q in groups)

    def lot(self, key: int) -> bool:
        """Whether a port is busy in this tick, or a host, by a negative number, silent or congested."""
        if self.random.random() < CHANGE:
            self.busy[key] = not self.busy.get(key, False)
        return self.busy.get(key, False)

    def serve(self, *, free: bool) -> bool:
        """Send a packet from each idle, unpaused port; return whether any was sent."""
        for line in self.queues.values():
            while line and line[0][0].sent:
                line.popleft()
        ready = [key for key, line in self.queues.items() if line and not self.paused(*key)]
        self.random.shuffle(ready)
        moving = {key[0]: key for key in ready if free or not self.lot(key[0])}
        for key in moving.values():
            packet, hop = self.queues[key].popleft()
            if not packet.sent:
                self.leave(packet)
                if hop is not None:
                    self.enqueue(_Packet(packet.flow, packet.steps + 1, hop.place))
        return bool(moving)

    def leave(self, packet: _Packet) -> None:
        """Take a packet out of the priority group at its place."""
        packet.sent = True
        self.held[packet.place.channel, packet.place.group] -= 1

    def stands(self) -> bool:
        """Whether packets are left that no port can serve, once all ports are idle and nobody sends."""
        moves = all(self.serve(free=True) for _ in range(TICKS))
        return not moves and any(count for (channel, _), count in self.held.items() if channel >= 0)


def replay(walk: ClassWalk, flows: Sequence[Flow], choice: Choice = "hash", *, seeds: int = SEEDS) -> int | None:
    """Run some flows until they stand still for ever: every host receives and every port is idle.

    Parameters
    ----------
    choice : {"hash", "spraying", "adaptive"}
        A flow keeps its steps; each packet is put into the queue of a next hop by lot; or each packet waits for all
        next hops, and goes by the first port that serves the packet.

    Returns
    -------
    int or None
        Seed of the first run that does not drain; None if all do.
    """
    for seed in range(seeds):
        run, newest = _Run(walk, flows, Random(seed), choice), dict[int, _Packet]()
        for _ in range(TICKS):
            for number, flow in enumerate(flows):
                if not run.lot(-1 - number) and (number not in newest or newest[number].sent):
                    newest[number] = _Packet(number, 0, flow.start)
                    run.enqueue(newest[number])
            run.serve(free=False)
        if run.stands():
            return seed
    return None


def fills(classes: ClassWalk, places: Sequence[PacketPlace]) -> bool:
    """Fill the groups at some places one after the other, and return whether the packets stand still for ever then.

    Each packet comes from a host while ports beside its way are busy, and waits for all its next hops. Groups are in
    an order in which no packet passes a full one.
    """
    todo, ways = [*places], list[list[PacketPlace]]()
    while todo:
        found: dict[PacketPlace, list[PacketPlace]] = {}
        for at in todo:
            full = {classes.vc(other.channel, other.group) for other in todo if other != at}
            walk = classes.to(at.destination)

            def after(place: PacketPlace, walk: Walk = walk, full: set[int | None] = full) -> list[PacketPlace]:
                return [hop.place for hop in walk.steps[place] if full.isdisjoint(walk.waits(hop))]

            before = reached_from(walk.starts, after)
            if at in before:
                found[at] = path_to(at, before)
        if not found:
            return False
        ways = [*found.values(), *ways]
        todo = [at for at in todo if at not in found]
    run = _Run(classes, [Flow(way[0], ()) for way in ways], Random(0), "adaptive")
    for number, way in enumerate(ways):
        for _ in range(THRESHOLD):
            for steps, place in enumerate(way):
                packet = _Packet(number, steps, place)
                run.enqueue(packet)
                if place != way[-1]:
                    run.leave(packet)
    return run.stands()
