"""Failures of Ethernet fabrics that route anew: each set judged by a kernel, or one for all that are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import comb
from time import perf_counter

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot._base.progress import Progress, reported
from unknot._base.threads import processors
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.network import Network
from unknot.network.automorphisms import ColouredGraph, Orbits
from unknot.network.graph import shortest_cycle, strong_components
from unknot.routing.ethernet import PathVector, path_vector
from unknot.routing.path_vector_kernel import BITS
from unknot.routing.paths import homes_of
from unknot.verify.failures import Failed, Fault, Outcome, Part, Parts, failed_of, left_after, sets_of_parts

FREE = "buffers depend on one another in no circle"


@dataclass(frozen=True)
class Decided:
    """The outcome after some failures, and the number of routers at which the age of a route could change others'."""

    fault: Fault
    choices: int


@dataclass(frozen=True, eq=False)
class AfterFailures:
    """A fabric and its path vector, to be decided after failures.

    Attributes
    ----------
    vector : PathVector
        Every terminal injects and ejects at one router.
    """

    vector: PathVector

    @cached_property
    def hosts(self) -> npt.NDArray[np.int64]:
        """Terminals at each router."""
        return np.bincount(self.vector.network.inject, minlength=self.vector.network.num_routers).astype(np.int64)

    @cached_property
    def homes(self) -> npt.NDArray[np.int64]:
        """Routers with terminals."""
        return homes_of(self.vector.network)[0]

    def decide(self, failed: Failed, kind: Parts) -> Decided:
        """Announce all paths anew and see what becomes of buffers and pairs."""
        from unknot.verify.ethernet_faults_kernel import dependencies

        vector, network = self.vector, self.vector.network
        dead = np.zeros(network.num_routers, dtype=bool)
        routers, channels = failed_of(network, kind, failed.numbers)
        dead[routers] = True
        alive = ~(dead[network.source] | dead[network.target])
        alive[channels] = False
        hosts = np.where(dead, 0, self.hosts)
        part, _ = strong_components(network.source[alive], network.target[alive], network.num_routers)
        cut = "" if np.unique(part[hosts > 0]).size == 1 else left_after(network, kind, failed.numbers)
        if isinstance(cut, str) and cut:
            return Decided(Fault(failed.names, "disconnected", 0, 0, cut, failed.alike), 0)
        size = network.num_routers
        after, totals = np.zeros(network.num_channels * vector.words, dtype=np.int64), np.zeros(3, dtype=np.int64)
        undelivered = dependencies(
            vector.graph, alive, vector.systems, vector.shared, vector.limit, vector.relax, self.homes, hosts, hosts,
            np.zeros(size * vector.words, dtype=np.int64), *np.zeros((3, size), dtype=np.int32),
            np.zeros(size, dtype=bool), after, totals,
        )  # fmt: skip
        circle, pairs = self._circle(after), int(hosts.sum()) * (int(hosts.sum()) - 1)
        outcome: Outcome = "deadlock" if circle else "undelivered" if undelivered else "holds"
        why = f"buffers wait in a circle: {circle}" if circle else FREE
        if outcome == "undelivered":
            lost, home = map(network.router_name, totals[1:].tolist())
            why = f"bound for {home}, no way on from {lost}"
        return Decided(Fault(failed.names, outcome, undelivered, pairs, why, failed.alike), int(totals[0]))

    def _circle(self, after: npt.NDArray[np.int64]) -> str:
        """Channels that wait for one another in a circle, by names; nothing if none do."""
        network, (first, outgoing) = self.vector.network, self.vector.network.outgoing
        tails, heads = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        rows = after.reshape(network.num_channels, -1)
        for position in range(int(np.diff(first).max(initial=0))):
            tail = np.flatnonzero(rows[:, position // BITS] >> (position % BITS) & 1)
            tails.append(tail)
            heads.append(outgoing[first[network.target[tail]] + position].astype(np.int64))
        return " → ".join(map(network.channel_name, shortest_cycle(np.concatenate(tails), np.concatenate(heads), 1)))

    def graph(self, parts: Sequence[Part], kind: Parts) -> ColouredGraph:
        """The fabric with its ASes and hosts as colours, and the parts that may fail."""
        network, size = self.vector.network, self.vector.network.num_routers
        members = np.flatnonzero(self.vector.shared)
        systems = size + np.unique(self.vector.systems[members], return_inverse=True)[1].reshape(-1)
        tail = np.concatenate([network.source, members, systems]).astype(np.int64)
        head = np.concatenate([network.target, systems, members]).astype(np.int64)
        colour = np.repeat([0, 1], [network.num_channels, 2 * members.size])
        own = np.zeros(int(systems.max(initial=size - 1)) + 1, dtype=np.int64)
        own[:size] = np.unique(self.hosts, return_inverse=True)[1].reshape(-1) + 1
        ends = list[tuple[int, int]]()
        for _, numbers in parts:
            routers, channels = failed_of(network, kind, numbers)
            ends += [(r, r) for r in routers]
            ends += [(int(network.source[c]), int(network.target[c])) for c in channels[:1]]
        return ColouredGraph(tail, head, colour, own, np.sort(np.array(ends, dtype=np.int64), axis=1))


def never_circular(vector: PathVector) -> bool:
    """Whether no failures, however many, let buffers wait in a circle, whatever paths routers announce.

    A path without a repeated AS leads through three different ones at any router. If such steps from channel to
    channel form no circle, none can come about. That is sufficient, not necessary.
    """
    network, systems = vector.network, vector.systems
    first, outgoing = network.outgoing
    if vector.limit:
        return False
    degree = np.diff(first)[network.target]
    tail = np.repeat(np.arange(network.num_channels), degree)
    offset = np.arange(tail.size) - np.repeat(np.cumsum(degree) - degree, degree)
    head = outgoing[first[network.target[tail]] + offset]
    via, source, to = systems[network.target[tail]], systems[network.source[tail]], systems[network.target[head]]
    steps = (source != via) & (via != to) & (to != source)
    return not strong_components(tail[steps], head[steps].astype(np.int64), network.num_channels)[1].any()


def sets_alike(
    fabric: AfterFailures, parts: Sequence[Part], kind: Parts, size: int, budget: int
) -> tuple[Failed, ...] | None:
    """One set of each orbit of sets of `size` parts under the automorphisms of a fabric with its AS plan.

    None if there are more than `budget` orbits.
    """
    orbits = Orbits(fabric.graph(parts, kind)).of_size(size, budget)
    if orbits is None or sum(orbit.sets for orbit in orbits) != comb(len(parts), size):
        return None
    return tuple(Failed.of([parts[n] for n in orbit.parts], orbit.sets) for orbit in orbits)


def fabric_of(network: Network, routing: str, kind: str) -> AfterFailures | None:
    """Return the fabric that a routing's text makes of a network; None if it is no path vector."""
    vector = path_vector(network, routing)
    if vector is None or kind == "channels" or not np.array_equal(network.inject, network.eject):
        return None
    return AfterFailures(vector)


def announced_faults(
    fabric: AfterFailures,
    parts: Sequence[Part],
    kind: Parts,
    size: int,
    budget: int,
    seed: int,
    notice: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> list[Fault]:
    """Judge all sets of `size` parts, one for all that are alike where there are more than `budget`, else a sample.

    One set stands for others only if no choice by the age of routes could change what becomes of it.
    """
    what, possible = f"{kind} of {fabric.vector.network.name}", comb(len(parts), size)
    alike = sets_alike(fabric, parts, kind, size, budget) if possible > budget else None
    if alike is not None:
        decided = [*_decided(fabric, alike, kind, f"{possible:,} sets of {size} {what}", notice, progress)]
        if not any(one.choices and one.fault.alike > 1 for one in decided):
            return [one.fault for one in decided]
        (notice or str)("after some of them routes depend on a choice among equal ones: sets are drawn instead")
    drawn = sets_of_parts(what, parts, size, budget, seed)
    return [
        one.fault for one in _decided(fabric, drawn, kind, f"{possible:,} sets of {size} {what}", notice, progress)
    ]


def _decided(
    fabric: AfterFailures,
    sets: Sequence[Failed],
    kind: Parts,
    what: str,
    notice: Callable[[str], None] | None,
    progress: Progress | None,
) -> Iterator[Decided]:
    """Judge sets, on all processors; tell beforehand how long it takes."""
    from unknot.verify.ethernet_faults_kernel import dependencies

    network = fabric.vector.network
    if is_small(fabric.homes.size * network.num_channels * len(sets), dependencies):
        with plainly():
            yield from reported((fabric.decide(one, kind) for one in sets), len(sets), progress, str)
        return
    # The first loads the kernel.
    for _ in range(2):
        began = perf_counter()
        fabric.decide(Failed((), ()), kind)
    threads = processors()
    seconds = (perf_counter() - began) * len(sets) / threads
    if notice is not None:
        notice(f"{what}, of which {len(sets):,} are judged: about {seconds:.0f} s")
    with ThreadPoolExecutor(threads) as pool:
        decided = pool.map(lambda one: fabric.decide(one, kind), sets)
        yield from reported(decided, len(sets), progress, lambda one: str(one.fault))


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
        for router in others if one.hosts and len(one.owners) == 1 else ():
            read, computed = sorted(one.next_hops.get(router, ())), hops.row(place[one.owners[0]], router)
            compared += 1
            if read != computed:
                both = [
                    [name(int(fabric.network.target[c])) for c in some] or ["nowhere"] for some in (read, computed)
                ]
                words = " and ".join(both[0]), " and ".join(both[1])
                other.append(f"{name(router)} to {one.name}: by {words[0]}, computed {words[1]}")
    return other, compared
