"""Routes after failures."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise
from typing import Any

from unknot.certificates.plain.free import require_climbing
from unknot.certificates.plain.reading import (
    KEPT_STATE,
    LOOK,
    Rejected,
    around,
    field,
    found,
    integers,
    number,
    numbers,
    pay,
    word,
)
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Network, backwards, closure


class AnnouncedRoutes:
    """Routes that path vectors announce after some parts of a network failed, and up to `more` others.

    A router of some AS takes no path in which its own is more often than `limit` says. Paths are as many hops as
    there are ASes in them, and all of the shortest are used. `unless` has sets of parts that do not all fail.
    """

    def __init__(self, network: Network, claim: Any) -> None:
        self.network, self.kind = network, word(claim, "kind", ("links", "cables", "routers", "any"))
        self.system = numbers(claim, "systems", 0, 2**32, network.routers)
        self.limit = field(claim, "limit", int)
        self.more = None if claim.get("more", 0) is None else number(claim, "more", 0)
        ends, cables = [*zip(network.source, network.target, strict=True)], [0] * network.channels
        if self.kind == "cables":
            cables = numbers(claim, "cables", 0, 2**31, network.channels)
        self.links = [(min(pair), max(pair), cable) for pair, cable in zip(ends, cables, strict=True)]
        gone, dead = network.parts(field(claim, "failed", dict))
        self.kept = self._parts(field(claim, "kept", dict))
        self.unless = [self._parts(one) for one in field(claim, "unless", list)]
        links, routers = self.kind != "routers", self.kind in ("routers", "any")
        self.of_channel: list[Any] = [link if links and link not in self.kept else None for link in self.links]
        self.of_router: list[Any] = [r if routers and r not in self.kept else None for r in range(network.routers)]
        self.after: dict[int, list[int]] = {
            r: [c for c in network.leaving.get(r, ()) if c not in gone and network.target[c] not in dead
                and self.system[ends[c][0]] != self.system[ends[c][1]]]
            for r in range(network.routers) if r not in dead
        }  # fmt: skip
        self.before = backwards({c: [network.target[c]] for onward in self.after.values() for c in onward})
        self.hosts = sorted({*network.inject, *network.eject} - dead)
        self.shared = len({*self.system}) < network.routers

    def _parts(self, named: Any) -> set[Any]:
        """A link by its ends, a cable by its number too, both directions being one part; a router by its number."""
        channels, routers = self.network.parts(named)
        return {*(self.links[c] for c in channels), *routers}

    def shortest(self, home: int) -> dict[int, list[int]]:
        """Channels of shortest paths from hosts, by router; nobody must be able to refuse one.

        If all routers of an AS on them are as far, none is behind another.
        """
        hops = self.network.hops_to(home, self.before)
        onward: dict[int, list[int]] = {start: [] for start in self.hosts if start in hops}
        for router in sorted(hops, key=lambda r: -hops[r]):
            pay(1 + (len(self.after[router]) if router in onward else 0))
            for c in self.after[router] if router in onward else ():
                to = self.network.target[c]
                if hops.get(to) == hops[router] - 1:
                    onward[router].append(c)
                    onward.setdefault(to, [])
        far: dict[int, int] = {}
        if self.shared and any(far.setdefault(self.system[r], hops[r]) != hops[r] for r in onward):
            raise Rejected(f"paths to router {home} may be refused, and longer ones taken")
        return onward

    def path(self, start: int, home: int, onward: dict[int, list[int]], failed: Set[Any]) -> list[int] | None:
        """A shortest path on which nothing failed, as channels; None if there is none."""
        came, choices, way = {start: -1}, [iter(onward[start])], list[int]()
        while choices and home not in came:
            pay(2)
            c = next(choices[-1], None)
            if c is None:
                choices.pop()
                continue
            to = self.network.target[c]
            free = to not in came and self.of_channel[c] not in failed
            if free and (to == home or self.of_router[to] not in failed):
                came[to] = c
                choices.append(iter(onward[to]))
        if home not in came:
            return None
        while home != start:
            pay(KEPT_STATE)
            way.append(came[home])
            home = self.network.source[way[-1]]
        return way[::-1]

    def inner(self, way: list[int]) -> set[Any]:
        """The parts of a path that can fail, without its ends."""
        routers = (self.of_router[self.network.target[c]] for c in way[:-1])
        return {*(self.of_channel[c] for c in way), *routers} - {None}

    def require_near(self, start: int, home: int, onward: dict[int, list[int]]) -> None:
        """Check that a shortest path survives: of more disjoint paths than failures, at least one has
        no failed part.
        """
        more, used, apart = self.more or 0, set[Any](), 0
        while apart <= more and (way := self.path(start, home, onward, used)) is not None:
            parts = self.inner(way)
            used |= parts
            apart = apart + 1 if parts else more + 1
        if apart > more:
            return

        def worse(failed: frozenset[Any]) -> Iterator[frozenset[Any]]:
            """Failures of one more part that may break all paths; every path has to contain a failed part."""
            pay(LOOK * (len(failed) + len(self.unless)))
            if any(parts <= failed for parts in self.unless):
                return
            way = self.path(start, home, onward, failed)
            if way is None:
                raise Rejected(f"{len(failed)} failures break all shortest paths from router {start} to {home}")
            pay((KEPT_STATE + len(failed)) * len(way))
            yield from (failed | {part} for part in self.inner(way) if len(failed) < more)

        closure([frozenset[Any]()], worse)

    def require_order(self, home: int, rank: list[int]) -> None:
        """Check that channels climb on all routes to a router."""
        onward = self.shortest(home)
        for start in self.hosts:
            if start not in onward:
                raise Rejected(f"no path leads from router {start} to {home}")
            self.require_near(start, home, onward)
        lowest = {router: min(channels, key=rank.__getitem__) for router, channels in onward.items() if channels}
        for c in (c for channels in onward.values() for c in channels):
            e = lowest.get(self.network.target[c])
            if e is not None and rank[e] <= rank[c]:
                raise Rejected(f"after some failures: channel {c} may be followed by channel {e}, no higher")

    def following(self, c: int) -> Iterator[int]:
        """Channels by which a path may go on from a channel: not back, and not to an AS passed before."""
        here, systems = self.network.target[c], self.system
        been = () if self.limit else (systems[self.network.source[c]], systems[here])
        pay(1 + len(self.after[here]))
        for e in self.after[here]:
            there = self.network.target[e]
            if there != self.network.source[c] and systems[there] not in been:
                yield e

    def require_waiting(self, c: int, e: int, path: Any) -> None:
        """Check that a shortest path takes channel e after channel c, and that all its parts survive."""
        way, network = integers(path, "path", 0, self.network.channels), self.network
        if (c, e) not in pairwise(way):
            raise Rejected(f"a path does not take channel {c} and then {e}")
        start, home = network.source[way[0]], network.target[way[-1]]
        onward = self.shortest(home)
        routers = [start, *(network.target[channel] for channel in way)]
        if home not in self.hosts or start not in self.hosts:
            raise Rejected(f"the path from router {start} to {home} is not one between hosts")
        if not all(channel in onward.get(router, ()) for router, channel in zip(routers, way, strict=False)):
            raise Rejected(f"the path from router {start} to {home} is no shortest one")
        parts = {*map(self.of_channel.__getitem__, way), *map(self.of_router.__getitem__, routers)} - {None}
        if self.more and not all(found({part}, self.unless) for part in parts):
            raise Rejected(f"the path from router {start} to {home} may fail")


@checks("failures", "network", "deadlock_free")
def check_failures(network: Network, claim: Any, proof: Any) -> str:
    """Check that buffers wait in no cycle, or in one, on routes after any of some failures.

    Claim: `deadlock_free`; `kind` of the failing parts (`links`, `cables`, `routers`, `any`); `systems`, the AS of
    each router, and `limit`, how often a path may visit the router's own AS; parts that have `failed`, parts `kept`
    from failing, and how many `more` fail, or `null` for any number; `unless`, sets of parts that do not fail
    together; with `cables` a number for each channel
    Proof: if free `rank`, a number for each channel; else `circle`, channels, and `paths`, one through each turn
    """
    failures, free = AnnouncedRoutes(network, claim), field(claim, "deadlock_free", bool)
    kept = f" of all but {len(failures.kept)}" if failures.kept else ""
    unless = f", but for {len(failures.unless)} sets and those that contain one," if failures.unless else ""
    lost = [f"{network.source[c]}→{network.target[c]}" for c in claim["failed"]["channels"]]
    lost += map(str, claim["failed"]["routers"])
    conditions = [f"after failures of {', '.join(lost)}"] * bool(lost)
    if failures.more or not lost:
        conditions.append(f"when up to {failures.more}{kept} {failures.kind} more fail{unless}")
    when = ", ".join(conditions)
    if not free:
        circle = numbers(proof, "circle", 0, network.channels)
        if failures.more is None or not circle:
            raise Rejected("a cycle of no channels, or one after whatever fails")
        paths = field(proof, "paths", list)
        if len(paths) != len(circle):
            raise Rejected(f"{len(paths)} paths for a cycle of {len(circle)} channels")
        for (c, e), path in zip(around(circle), paths, strict=True):
            failures.require_waiting(c, e, path)
        return f"{when} buffers wait in a cycle"
    rank = numbers(proof, "rank", 0, 2**31, network.channels)
    if failures.more is None:
        left = (c for onward in failures.after.values() for c in onward)
        require_climbing("after some failures", rank, ((c, failures.following(c)) for c in left))
        return "whatever fails, no routes let buffers wait in a cycle"
    for home in failures.hosts:
        failures.require_order(home, rank)
    return f"{when} no routes let buffers wait in a cycle"
