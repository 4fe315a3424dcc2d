"""Failures of Ethernet fabrics that route anew: what becomes of buffers and pairs after one set of them, or any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from unknot._base.arrays import Flags, Ints
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.network import Network
from unknot.network.automorphisms import ColouredGraph
from unknot.network.graph import components, shortest_cycle, strong_components
from unknot.routing.ethernet import PathVector, path_vector
from unknot.routing.lossless import PfcModel
from unknot.routing.lossless_classes import ClassWalk
from unknot.routing.path_vector_kernel import BITS, Policy
from unknot.routing.paths import homes_of
from unknot.verify.adaptive_next_hops import PacketChoices, fabric_of_routes, judge_packets
from unknot.verify.failure_routes import RouteChoices, RoutesBefore
from unknot.verify.failures import Failed, FailureCase, Outcome, Part, Parts, failed_of, left_after, parts_of
from unknot.verify.pfc_replay import flows_that_wait, replay

FREE = "buffers depend on one another in no cycle"
Words = Ints
REPLAYED, RUNS = "; in a replay flows on it stand still for ever", 8
"""Words for a replay after failures, and its most runs."""
OPEN = "no choice of routes is known to close a cycle, but choices that follow one another may"


@dataclass(frozen=True)
class Decided:
    """What becomes of buffers and pairs after some failures.

    Attributes
    ----------
    fault : FailureCase
    choices : int
        Routers at which the age of a route could change those of others.
    circle : list of int
        Channels whose buffers wait for one another; empty: none do.
    """

    fault: FailureCase
    choices: int = 0
    circle: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class FailureSets:
    """All sets of failed parts: the given parts, none of the kept parts, and `more` others."""

    failed: tuple[int, ...]
    kept: frozenset[int]
    more: int

    def count(self, parts: int) -> int:
        """The number of these sets among `parts` parts in total."""
        return comb(parts - len(self.failed) - len(self.kept), self.more)

    def members(self, parts: int) -> Iterator[tuple[int, ...]]:
        """Yield each of these sets."""
        free = [part for part in range(parts) if part not in self.kept and part not in self.failed]
        for more in combinations(free, self.more):
            yield tuple(sorted((*self.failed, *more)))


@dataclass(frozen=True, eq=False)
class AfterFailures:
    """A fabric and its path vector, to be decided after failures.

    Attributes
    ----------
    vector : PathVector
        Every terminal injects and ejects at one router.
    kind : {"cables", "links", "routers", "any"}
    parts : sequence of Part
        Those that may fail.
    """

    vector: PathVector
    kind: Parts
    parts: Sequence[Part]

    @cached_property
    def hosts(self) -> Ints:
        """Terminals at each router."""
        return np.bincount(self.vector.network.inject, minlength=self.vector.network.num_routers).astype(np.int64)

    @cached_property
    def homes(self) -> Ints:
        """Routers with terminals."""
        return homes_of(self.vector.network)[0]

    @cached_property
    def places(self) -> tuple[Words, Words]:
        """The part of each channel and of each router; −1: it cannot fail."""
        network = self.vector.network
        link, own = np.full(network.num_channels, -1), np.full(network.num_routers, -1)
        for number, (_, numbers) in enumerate(self.parts):
            routers, channels = failed_of(network, self.kind, numbers)
            own[routers], link[channels] = number, number
        return link, own

    def left(self, numbers: Sequence[int]) -> tuple[Flags, Ints]:
        """The channels that are alive after failures, and the terminals at each router then."""
        network, dead = self.vector.network, np.zeros(self.vector.network.num_routers, dtype=bool)
        routers, channels = failed_of(network, self.kind, numbers)
        dead[routers] = True
        alive = ~(dead[network.source] | dead[network.target])
        alive[channels] = False
        return alive, np.where(dead, 0, self.hosts)

    def decide(self, failed: Failed) -> Decided:
        """Announce all paths anew and see what becomes of buffers and pairs."""
        vector, network = self.vector, self.vector.network
        alive, hosts = self.left(failed.numbers)
        part, _ = components(network, alive)
        cut = "" if np.unique(part[hosts > 0]).size == 1 else left_after(network, self.kind, failed.numbers)
        if isinstance(cut, str) and cut:
            return Decided(FailureCase(failed.names, "disconnected", 0, 0, cut, failed.alike))
        circle, undelivered, totals = self.by_changes(alive, hosts), 0, np.zeros(4, dtype=np.int64)
        if circle is None:
            circle, undelivered, totals = self.circle(alive, hosts, self.homes)
        open_to, settled = False, int(totals[0])
        if (vector.oldest and settled) or (vector.most and circle):
            choices = RouteChoices(vector, alive, hosts, self.homes)
            circle, undelivered = choices.closed(), choices.undelivered
            open_to = not circle and any(choices.circles())
        pairs = int(hosts.sum()) * (int(hosts.sum()) - 1)
        outcome: Outcome = "deadlock" if circle else "undelivered" if undelivered else "holds"
        why = f"buffers wait in a cycle: {' → '.join(map(network.channel_name, circle))}" if circle else FREE
        if outcome == "undelivered":
            lost, home = map(network.router_name, totals[2:].tolist())
            why = (
                f"bound for {home}, no way on from {lost}" if totals[2:].any() else "the age of routes cuts pairs off"
            )
        if open_to:
            outcome, why = "undecided", OPEN
        packets = PacketChoices(None, None)
        fabric = fabric_of_routes(vector, alive, hosts, self.homes) if circle else None
        if fabric is not None:
            walk = ClassWalk(PfcModel(fabric))
            waits = zip(circle, [*circle[1:], circle[0]], strict=True)
            flows = flows_that_wait(walk, ((walk.first[held], walk.first[wanted], None) for held, wanted in waits))
            packets = judge_packets(walk, flows, cyclic=True, seeds=RUNS)
            why += REPLAYED if replay(walk, flows, seeds=RUNS) is not None else ""
        free = packets.spraying_free, packets.adaptive_free
        fault = FailureCase(failed.names, outcome, undelivered, pairs, why, failed.alike, *free)
        return Decided(fault, 0 if vector.oldest else settled, circle)

    @cached_property
    def before(self) -> RoutesBefore | None:
        """Routes before failures; None where routers choose among shortest paths or refuse some."""
        vector, network = self.vector, self.vector.network
        if not vector.relax or vector.most is not None or vector.shared.any():
            return None
        alive = np.ones(network.num_channels, dtype=bool)
        pairs = self.pairs(self.dependencies(alive, self.hosts, self.homes, vector.policy)[0])
        return RoutesBefore(network, self.homes, *pairs)

    def by_changes(self, alive: Flags, hosts: Words) -> list[int] | None:
        """Channels that wait for one another, found by the destinations with longer routes.

        An empty list: none do. None: routes to all destinations are needed.
        """
        if self.before is None:
            return None
        longer = self.before.longer(alive)
        after, _, _ = self.dependencies(alive, hosts, longer, self.vector.policy)
        possible = self.before.circle(alive, *self.pairs(after))
        if not possible:
            return []
        on_circle = self.before.destinations(possible)
        return self.circle(alive, hosts, np.union1d(longer, on_circle))[0] or None

    def circle(self, alive: Flags, hosts: Words, homes: Words) -> tuple[list[int], int, Words]:
        """Channels that wait for one another on routes to some destinations; undelivered pairs; `totals`."""
        after, undelivered, totals = self.dependencies(alive, hosts, homes, self.vector.policy)
        return shortest_cycle(*self.pairs(after), 1), undelivered, totals

    def dependencies(self, alive: Flags, hosts: Words, homes: Words, policy: Policy) -> tuple[Words, int, Words]:
        """What waits for what, as words of bits for each channel; undelivered pairs; `totals` of the kernel."""
        from unknot.verify.failure_kernel import dependencies

        vector, size = self.vector, self.vector.network.num_routers
        after, totals = np.zeros(vector.network.num_channels * vector.words, np.int64), np.zeros(4, dtype=np.int64)
        undelivered = dependencies(
            vector.graph, alive, policy, np.full(size, -1, dtype=np.int32), homes, hosts,
            vector.no_routes(), np.zeros(size, dtype=bool), after, totals,
        )  # fmt: skip
        return after, undelivered, totals

    def pairs(self, after: Ints) -> tuple[Ints, Ints]:
        """Pairs of a channel and an awaited channel, from words of bits."""
        rows = after.reshape(self.vector.network.num_channels, -1)
        tail, head = self.vector.turns(np.flatnonzero(rows.any(axis=1)))
        position = self.vector.graph.position[head]
        waits = rows[tail, position // BITS] >> position % BITS & 1 > 0
        return tail[waits], head[waits]

    def graph(self) -> ColouredGraph:
        """The fabric with ASes, hosts and what sessions accept as colours, and the parts that may fail."""
        network, size = self.vector.network, self.vector.network.num_routers
        members = np.flatnonzero(self.vector.shared)
        systems = size + np.unique(self.vector.systems[members], return_inverse=True)[1].reshape(-1)
        tail = np.concatenate([network.source, members, systems]).astype(np.int64)
        head = np.concatenate([network.target, systems, members]).astype(np.int64)
        accepts = np.unique(self.vector.limits, return_inverse=True)[1].reshape(-1)
        colour = np.concatenate([accepts + 1, np.zeros(2 * members.size, dtype=np.int64)])
        own = np.zeros(int(systems.max(initial=size - 1)) + 1, dtype=np.int64)
        own[:size] = np.unique(self.hosts, return_inverse=True)[1].reshape(-1) + 1
        ends = list[tuple[int, int]]()
        for _, numbers in self.parts:
            routers, channels = failed_of(network, self.kind, numbers)
            ends += [(r, r) for r in routers]
            ends += map(network.ends_of, channels[:1])
        return ColouredGraph(tail, head, colour, own, np.sort(np.array(ends, dtype=np.int64), axis=1))

    def ranks(self, pairs: tuple[Words, Words]) -> list[int]:
        """Ranks of all channels, higher for the second of each pair, which close no cycle."""
        label, _ = strong_components(*pairs, self.vector.network.num_channels)
        return [int(rank) for rank in label.max(initial=0) - label]

    def claim(
        self,
        proof: dict[str, Any],
        sets: FailureSets | None = None,
        unless: Iterable[frozenset[int]] = (),
    ) -> dict[str, Any]:
        """The claim that buffers wait in no cycle, or in one; without `sets`: after any failures."""

        def ends(parts: Iterable[int]) -> dict[str, list[int]]:
            numbers = [n for part in sorted(parts) for n in self.parts[part][1]]
            routers, channels = failed_of(self.vector.network, self.kind, numbers)
            return {"routers": routers, "channels": channels}

        of_sets = FailureSets((), frozenset(), 0) if sets is None else sets
        return {
            "subject": "failures", "kind": self.kind, "more": None if sets is None else sets.more,
            "failed": ends(of_sets.failed), "kept": ends(of_sets.kept),
            "unless": [ends(parts) for parts in sorted(unless, key=sorted)], "deadlock_free": "rank" in proof,
            "systems": self.vector.systems.tolist(), "limit": self.vector.limit, "proof": proof,
            **({"cables": self.places[0].tolist()} if self.kind == "cables" else {}),
        }  # fmt: skip


def fabric_of(network: Network, routing: str, kind: Parts) -> AfterFailures | None:
    """Return the fabric that a routing's text makes of a network; None if it is no path vector."""
    vector = path_vector(network, routing)
    if vector is None or kind == "channels" or not np.array_equal(network.inject, network.eject):
        return None
    return AfterFailures(vector, kind, list(parts_of(network, kind)))


def other_routes(fabric: EthernetFabric, vector: PathVector) -> tuple[list[str], int]:
    """Routes of a fabric that are not those computed, in words, and how many were compared.

    Parameters
    ----------
    vector : PathVector
        On `fabric.hosted`.
    """
    hops, name, other, compared = vector.next_hops(), fabric.network.router_name, list[str](), 0
    place = {int(home): number for number, home in enumerate(hops.homes)}
    for one in fabric.destinations:
        others = [router for router in range(fabric.network.num_routers) if router not in one.owners]
        for router in others if one.hosts and not one.dropped and len(one.owners) == 1 else ():
            read, computed = sorted(one.next_hops.get(router, ())), hops.row(place[one.owners[0]], router)
            compared += 1
            if read != computed:
                both = [
                    [name(int(fabric.network.target[c])) for c in some] or ["nowhere"] for some in (read, computed)
                ]
                words = " and ".join(both[0]), " and ".join(both[1])
                other.append(f"{name(router)} to {one.name}: by {words[0]}, computed {words[1]}")
    return other, compared


def never_circular(vector: PathVector) -> dict[str, Any] | None:
    """Return the claim that no failures let buffers wait in a cycle, whatever paths routers announce; None if open.

    A path without a repeated AS leads through three different ones at any router. If such steps from channel to
    channel form no cycle, none can come about. That is sufficient, not necessary.
    """
    network, systems = vector.network, vector.systems
    if vector.limit:
        return None
    tail, head = vector.turns(np.arange(network.num_channels))
    via, source, to = systems[network.target[tail]], systems[network.source[tail]], systems[network.target[head]]
    steps = (source != via) & (via != to) & (to != source)
    pairs = tail[steps], head[steps]
    if strong_components(*pairs, network.num_channels)[1].any():
        return None
    fabric = AfterFailures(vector, "links", ())
    return fabric.claim({"rank": fabric.ranks(pairs)})
