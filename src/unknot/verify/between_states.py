"""States between two converged ones: buffers while routers learn of a failure, one after the other.

With link-state tables each router changes from its old table to its new one at one moment, in any order: the mixture
of `unknot.verify.update`, exactly. BGP passes through states that neither table has. At most, a router uses any next
hop that a neighbour may announce: an over-approximation. Replayed orders of messages are an under-approximation.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from random import Random

from unknot._base.arrays import Rows, columns
from unknot._base.deadline import Deadline
from unknot._base.three_valued import ThreeValued
from unknot.certificates import evidence_holds
from unknot.network import Network
from unknot.network.graph import backwards, reached_from, shortest_cycle, survivors
from unknot.network.parts import frozen
from unknot.routing.ethernet import PathVector
from unknot.routing.forwarding_table import NextHops
from unknot.routing.paths import homes_of
from unknot.verify.check import check
from unknot.verify.failure_routes import Step, route_steps
from unknot.verify.update import update

ORDERS, EVENTS = 20, 4000
"""Orders of messages that are replayed, and messages after which one is broken off."""
MOST = 10**6
"""Destinations × channels up to which it is followed what neighbours may announce."""
Path = tuple[int, ...]
"""Routers, from that which announces it to the destination."""


@dataclass(frozen=True)
class Between(ThreeValued, asks="free"):
    """Whether no state between can deadlock, packets that circle included; None: open."""

    free: bool | None
    established: str


def states_between(before: PathVector, after: PathVector, seed: int, time_limit: float | Deadline) -> Between:
    """Judge the states between the routes of a network and the routes after failures."""
    if before.name == "ospf":
        return between_tables(before, after, time_limit)
    return between_announcements(before, after, seed, time_limit)


def between_tables(vector: PathVector, after: PathVector, time_limit: float | Deadline) -> Between:
    """Judge a change of link-state tables: after some failures each router follows its old or its new one.

    Parameters
    ----------
    vector, after : PathVector
        On a network, and on what failures left of it.
    """
    old = vector.next_hops().left(after.network).relation("old tables")
    change = update(old, after.next_hops().relation("new tables"), "vct", time_limit=time_limit)
    loops = f"; packets can circle meanwhile (cycles: {len(change.loops)})" if change.loops else ""
    free = None if change.evidence_holds is False else change.deadlock_free
    return Between(free, f"while routers change their tables: {change.established}{loops}")


def between_announcements(vector: PathVector, after: PathVector, seed: int, time_limit: float | Deadline) -> Between:
    """Judge a change of BGP: free if no announcements can close a cycle, not free if a replayed order does."""
    if homes_of(vector.network)[0].size * vector.network.num_channels <= MOST:
        # What was announced before the failures may still be believed.
        relation = announceable(vector).left(after.network).relation("next hops that neighbours may announce")
        verdict = check(relation, "vct", time_limit=time_limit)
        if verdict.deadlock_free and evidence_holds(relation, verdict):
            return Between(True, "whatever next hops neighbours announce meanwhile, no cycle of buffers closes")
    for number in range(ORDERS):
        speakers = _Speakers(vector, Random(seed + number))
        for _ in speakers.converge():
            pass
        speakers.lose(after.network)
        for count, circle in enumerate(map(speakers.circle, speakers.converge()), 1):
            if circle:
                names = " → ".join(map(vector.network.channel_name, circle))
                return Between(False, f"in a replayed order buffers wait in a cycle after {count} messages: {names}")
    return Between(None, f"{ORDERS} replayed orders of messages close no cycle, which proves nothing for others")


def announceable(vector: PathVector) -> NextHops:
    """All next hops that neighbours may announce: neighbours with a path of accepted ASes to the destination.

    An AS is not in a path twice, and a router takes none with its own, so that the way is sought apart from the ASes
    of the router and its neighbour. That is necessary, and not sufficient.
    """
    network, systems = vector.network, vector.systems.tolist()
    between = vector.systems[network.source] != vector.systems[network.target]
    spoken = network.outgoing.where(between[network.outgoing.entries])
    onward = Rows(spoken.first, network.target[spoken.entries]).lists()
    beside = backwards(dict(enumerate(onward)))

    @cache
    def reaching(home: int, without: frozenset[int]) -> frozenset[int]:
        """Routers with a way to a destination apart from some ASes."""
        starts = [home] if systems[home] not in without else []
        return frozenset(
            reached_from(starts, lambda router: [r for r in beside.get(router, ()) if systems[r] not in without])
        )

    homes, rows, begins = homes_of(network)[0], list[int](), [0]
    for home in homes.tolist():
        for router, channels in enumerate(spoken.lists()):
            for c, near in zip(channels, onward[router], strict=True) if router != home else ():
                without = frozenset() if vector.limit else frozenset((systems[router], systems[near]))
                if near == home or not reaching(home, without).isdisjoint(onward[near]):
                    rows.append(c)
            begins.append(len(rows))
    return NextHops(network, homes, frozen(begins), frozen(rows))


@dataclass(eq=False)
class _Speakers:
    """BGP speakers: the routes heard from each neighbour, the announced routes, and messages under way."""

    vector: PathVector
    random: Random
    heard: dict[tuple[int, int], dict[int, Path]] = field(default_factory=lambda: defaultdict(dict))
    best: dict[tuple[int, int], Path] = field(default_factory=dict)
    queues: dict[tuple[int, int], deque[tuple[int, Path]]] = field(default_factory=lambda: defaultdict(deque))
    gone: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        network = self.vector.network
        self.homes = homes_of(network)[0].tolist()
        self.channels: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for c, ends in enumerate(network.ends):
            if self.vector.systems[ends[0]] != self.vector.systems[ends[1]]:
                self.channels[ends].append(c)
        for home in self.homes:
            self.best[home, home] = (home,)
            self._tell(home, home)

    def lose(self, left: Network) -> None:
        """Cut failed links; both ends of a session notice the failure at arbitrary times."""
        whole = self.vector.network
        self.gone = {*range(whole.num_channels)}.difference(survivors(whole, left).channels.tolist())
        for (near, far), channels in self.channels.items():
            if self.gone.issuperset(channels):
                self.queues[near, far] = deque((home, ()) for home in self.homes)

    def converge(self) -> Iterator[None]:
        """Handle messages in a random order until none is left, the first of any session at a time."""
        for _ in range(EVENTS):
            ready = [ends for ends, queue in self.queues.items() if queue]
            if not ready:
                return
            near, far = ready[self.random.randrange(len(ready))]
            home, path = self.queues[near, far].popleft()
            if self._hear(far, near, home, path):
                yield

    def _hear(self, router: int, near: int, home: int, path: Path) -> bool:
        """Process a neighbour's announcement, or its withdrawal; return whether routes change."""
        if router == home:
            return False
        systems, heard = self.vector.systems, self.heard[router, home]
        before = dict(heard)
        heard.pop(near, None)
        own = sum(systems[r] == systems[router] for r in path)
        if path and own <= self.vector.limits[self.channels[router, near][0]] and router not in path:
            heard[near] = path
        least = min(map(len, heard.values()), default=0)
        equal = sorted(n for n, told in heard.items() if len(told) == least)
        now = self.best.get((router, home), ())
        keep = self.vector.oldest and len(now) > 1 and now[1] in equal
        best = (router, *heard[now[1] if keep else equal[0]]) if equal else ()
        if best != now:
            self.best[router, home] = best
            self._tell(router, home)
        return before != heard

    def _tell(self, router: int, home: int) -> None:
        for near, far in self.channels:
            if near == router and not self.gone.issuperset(self.channels[near, far]):
                self.queues[near, far].append((home, self.best[router, home]))

    def next_hops(self, router: int, home: int) -> list[int]:
        """Channels by which a router sends packets at present."""
        heard, systems = self.heard[router, home], self.vector.systems
        least = min(map(len, heard.values()), default=0)
        best = self.best.get((router, home), ())
        return [
            c for near, path in heard.items()
            if len(path) == least and (self.vector.relax or systems[near] == systems[best[1]])
            for c in self.channels[router, near] if c not in self.gone
        ]  # fmt: skip

    def circle(self, _: None) -> list[int]:
        """Channels that wait for one another in a cycle at present; none if none do."""
        turns, target = set[Step](), self.vector.network.target
        for home in self.homes:
            turns |= {*route_steps(self.homes, cache(partial(self.next_hops, home=home)), target)}
        tails, heads = columns(sorted(turns))
        return shortest_cycle(tails, heads, 1)
