"""Networks, relations as tables, and what can be reached there."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any

from unknot.certificates.plain.flow import Technique, choices, keeps_choice
from unknot.certificates.plain.reading import (
    EJECT,
    KEPT_STATE,
    LOOK,
    MOST_VCS,
    Rejected,
    T,
    Unchecked,
    at_most,
    digest,
    field,
    integers,
    number,
    numbers,
    pay,
    printable,
)


class Network:
    """Routers, directed channels, and the routers at which each terminal injects and ejects."""

    def __init__(self, document: Any) -> None:
        self.name = printable(field(document, "name", str))
        self.routers = number(document, "routers", 0, 2**31)
        pay(LOOK * self.routers)
        self.source = numbers(document, "source", 0, self.routers)
        self.channels = len(self.source)
        self.target = numbers(document, "target", 0, self.routers, self.channels)
        self.inject = numbers(document, "inject", 0, self.routers)
        self.terminals = len(self.inject)
        self.eject = numbers(document, "eject", 0, self.routers, self.terminals)
        self.size = self.routers + 2 * (self.channels + self.terminals)
        pay(LOOK * self.size)
        self.leaving = backwards({c: [u] for c, u in enumerate(self.source)})
        self.entering = backwards({c: [v] for c, v in enumerate(self.target)})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the arrays, by which a network is recognised whatever its name."""
        return digest([self.routers, self.source, self.target, self.inject, self.eject])

    def parts(self, named: Any) -> tuple[set[int], set[int]]:
        """The channels and the routers that a JSON object names."""
        return {*numbers(named, "channels", 0, self.channels)}, {*numbers(named, "routers", 0, self.routers)}

    def vcs(self, relation: Any) -> list[int]:
        """The channel of each VC of a relation, which has a number of VCs for each channel."""
        counts = numbers(relation, "vcs", 0, 2**20, self.channels)
        at_most(sum(counts), MOST_VCS, "VCs")
        pay(LOOK * (self.channels + sum(counts)))
        return [c for c, count in enumerate(counts) for _ in range(count)]

    def without(self, failed: Any) -> Network:
        """The network of the survivors, in their order, when channels and routers with all that they have failed."""
        channels, dead = self.parts(failed)
        pay(LOOK * self.size)
        links = [ends for c, ends in enumerate(zip(self.source, self.target, strict=True)) if c not in channels]
        ports = [*zip(self.inject, self.eject, strict=True)]
        order = sorted(dead)
        survivors: dict[str, Any] = {"name": f"{self.name} with faults", "routers": self.routers - len(dead)}
        for names, pairs in ((("source", "target"), links), (("inject", "eject"), ports)):
            left = [pair for pair in pairs if dead.isdisjoint(pair)]
            survivors |= {name: [pair[i] - bisect(order, pair[i]) for pair in left] for i, name in enumerate(names)}
        return Network(survivors)

    def hops_to(self, router: int, entering: Mapping[int, Collection[int]] | None = None) -> dict[int, int]:
        """Hops from every router from which `router` can be reached, by all channels or those entering each."""
        hops = {router: 0}
        before: Mapping[int, Collection[int]] = self.entering if entering is None else entering
        for v in (queue := [router]):
            channels = before.get(v, ())
            pay(KEPT_STATE + len(channels))
            for channel in channels:
                u = self.source[channel]
                if u not in hops:
                    hops[u] = hops[v] + 1
                    queue.append(u)
        return hops


class Table:
    """The relation as a table: the candidates of every reachable state.

    A state is a pair (at, address): `at` is a VC, or VCs + terminal for an injection port. `may` has all candidates
    of a state, `waits` those that are not marked "never waited for".

    - `name`, `commits`: name of the routing; whether a header keeps its first choice
    - `vcs`: number of VCs of each channel
    - `destination`: terminal of each address
    - `sources`: terminals that send to each address, or `null` for all
    - `states`: for each address a list of rows `[at, candidate, …]`; VCs are counted channel by channel, and a
      candidate is a VC, -1 for ejection, or -v - 2 for a VC v that is taken when free and never waited for
    """

    def __init__(self, network: Network, document: Any) -> None:
        self.network = network
        self.commits = field(document, "commits", bool)
        self.channel = network.vcs(document)
        self.vcs = len(self.channel)
        self.tail = [network.source[c] for c in self.channel]
        self.router = [network.target[c] for c in self.channel] + network.inject
        self.destination = numbers(document, "destination", 0, network.terminals)
        self.addresses = len(self.destination)
        self.sources = [[*range(network.terminals)]] * self.addresses
        if document.get("sources") is not None:
            senders = field(document, "sources", list)
            self.sources = [integers(one, "sources", 0, network.terminals) for one in senders]
        states = field(document, "states", list)
        if not len(self.sources) == len(states) == self.addresses:
            raise Rejected(f"sources and states: a list for each of {self.addresses} addresses is expected")
        self.may: list[dict[int, list[int]]] = []
        self.waits: list[dict[int, list[int]]] = []
        for address, listed in enumerate(states):
            self._read(address, listed)
        self.size = self.vcs + sum(1 + len(row) for rows in self.may for row in rows.values())
        self.size += sum(1 + len(sources) for sources in self.sources)

    def _read(self, address: int, listed: Any) -> None:
        """Read rows [at, candidate, …] of an address; −v − 2 is VC v, taken when free but never waited for."""
        may: dict[int, list[int]] = {}
        waits: dict[int, list[int]] = {}
        home = self.network.eject[self.destination[address]]
        for row in listed if isinstance(listed, list) else [listed]:
            at, *entries = integers(row, "state", -self.vcs - 1, len(self.router)) or [-1]
            pay(LOOK * len(entries))
            if at < 0 or at in may:
                raise Rejected(f"address {address} has a state that does not exist, or one twice: {row}"[:200])
            may[at] = [entry if entry >= EJECT else -entry - 2 for entry in entries]
            waits[at] = [v for choice in choices(entries, self.commits) for v in choice]
            for candidate in may[at]:
                leaves = home if candidate == EJECT else self.tail[candidate] if candidate < self.vcs else -1
                if leaves != self.router[at]:
                    raise Rejected(
                        f"address {address}: {self.name(at)} has a candidate {candidate} of another router"
                    )
            if entries and not waits[at]:
                raise Rejected(f"address {address}: a blocked header at {self.name(at)} would wait for nothing")
        pay(LOOK * len(self.sources[address]))
        starts = [self.vcs + s for s in self.sources[address]]
        for at in (*starts, *(v for row in may.values() for v in row if v != EJECT)):
            if at not in may:
                raise Rejected(f"address {address} can come to {self.name(at)}, which is not in the table")
        # What cannot be reached is left out, since claims are about reachable states.
        reachable = closure(starts, lambda at: (v for v in may[at] if v != EJECT))
        self.may.append({at: may[at] for at in reachable})
        self.waits.append({at: waits[at] for at in reachable})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the relation, by which it is recognised whatever its name."""
        pay(2 * LOOK * self.size)
        states = [
            sorted([at, sorted(row), sorted(waits[at])] for at, row in may.items())
            for may, waits in zip(self.may, self.waits, strict=True)
        ]
        sources = [sorted({*senders}) for senders in self.sources]
        return digest([self.channel, self.commits, self.destination, sources, states])

    def name(self, at: int) -> str:
        """Name of a VC or an injection port, or of leaving the network."""
        if at == EJECT:
            return "ejection"
        if at >= self.vcs:
            return f"the injection port of terminal {at - self.vcs}"
        c = self.channel[at]
        index = at - self.channel.index(c)
        return f"channel {c} ({self.network.source[c]}→{self.network.target[c]}) VC {index}"

    def choices(self, at: int, address: int, switching: Technique | None = None) -> list[list[int]]:
        """The sets of candidates for which a blocked header may wait, as `choices` has them."""
        entries = (self.may if self.chosen(switching) else self.waits)[address][at]
        pay(len(entries))
        return choices(entries, self.commits, switching)

    def chosen(self, switching: Technique | None) -> bool:
        """Whether a blocked header waits for its single chosen candidate."""
        return keeps_choice(self.commits, switching)


def closure(starts: Iterable[T], after: Callable[[T], Iterable[T]], most: float = float("inf")) -> list[T]:
    """Everything that can be reached, starts included; `Unchecked` if that is too much."""
    order = list(dict.fromkeys(starts))
    seen = set(order)
    for at in order:
        visited = 0
        for other in after(at):
            visited += 1
            if other not in seen:
                seen.add(other)
                order.append(other)
        pay(KEPT_STATE + visited)
        if len(order) > most:
            raise Unchecked(f"more than {most} states are not explored here")
    return order


def reaching(ends: Iterable[T], after: Mapping[T, Iterable[T]]) -> set[T]:
    """Everything from which some ends can be reached, these included."""
    before = backwards(after)
    return {*closure(ends, lambda at: before.get(at, ()))}


def ends_first(after: Mapping[int, Iterable[int]]) -> list[int] | None:
    """Everything, each after all that may follow it; None if something follows itself."""
    try:
        return [*TopologicalSorter(after).static_order()]
    except CycleError:
        return None


def backwards(after: Mapping[T, Iterable[T]]) -> dict[T, list[T]]:
    """The keys under which each entry stands."""
    before: dict[T, list[T]] = {}
    for at, onward in after.items():
        for v in onward:
            before.setdefault(v, []).append(at)
    return before
