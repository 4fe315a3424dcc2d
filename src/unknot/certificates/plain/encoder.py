"""Clauses of lanes for shortest paths."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any

from unknot.certificates.plain.reading import (
    KEPT_STATE,
    LOOK,
    MOST_LANES,
    Clause,
    Pair,
    Rejected,
    around,
    at_most,
    field,
    integers,
    pay,
)
from unknot.certificates.plain.refuted import MOST_CLAUSES
from unknot.certificates.plain.tables import Network, closure

MOST_PATHS = 1000
"""Shortest paths of a pair of routers up to which each has a variable of its own."""
KINDS = {
    "none": "that packets keep",
    "shared": "that both directions of a pair keep",
    "rising": "that rise at hops",
    "any": "that change at hops",
}
"""Kinds of lanes by whether packets change them."""
KEPT = ("none", "shared")
"""Lanes that packets do not change: each direction of a pair has its own, or both share one."""


class Encoder:
    """Clauses that hold if some routing along shortest paths serves a set of pairs without deadlock in some lanes.

    Here paths are all shortest ones between two routers; `RouteEncoder` has given routes.

    Where packets change lanes, the clauses are of one lane in the network of VCs: VC k of channel c is channel
    c · lanes + k. Variables are numbered from 1 as they are met:

    - ("lane", pair, k): the pair uses lane k. Of lanes that both directions share, the pair is written in order.
    - ("path", pair, j): it uses its j-th shortest path, if it has at most `MOST_PATHS`.
    - ("uses", pair, c) and ("then", pair, c, e), if it has more: its path has channel c, and goes on by e.
    - ("turn", k, c, e): some route in lane k goes from c to e.
    - ("before", k, c, e), if channels are ordered: in lane k c stands before e, a later channel by number.
    """

    def __init__(self, network: Network, lanes: int, changes: str = "none") -> None:
        if lanes < 1 or changes not in KINDS:
            raise Rejected(f"at least one lane is impossible, and lanes are {', '.join(KINDS.values())}")
        at_most(lanes, MOST_LANES, "lanes")
        self.impossible, self.changes = lanes, changes
        self.levels = lanes if changes == "rising" else 1
        if changes not in KEPT:
            network, lanes = copied(network, lanes), 1
        self.shared = changes == "shared"
        self.network = network
        pay(LOOK * network.size)
        self.lanes = lanes
        self.number: dict[tuple[Any, ...], int] = {}
        self.clauses: list[Clause] = []
        self.hops_to = lru_cache(MOST_CLAUSES // (network.routers + 1))(network.hops_to)

    def can_avoid(self, pair: Pair, turn: tuple[int, int]) -> bool:
        """Whether a path of a pair does not take a turn from one channel to the next."""
        self.reach(pair)
        reached = closure(self.begin(pair), lambda c: (e for e in self.after(pair, c) if (c, e) != turn))
        return any(not self.after(pair, c) for c in reached)

    def variable(self, *meaning: Any) -> int:
        """Number of a variable."""
        pay(2 if meaning in self.number else 12)
        return self.number.setdefault(meaning, len(self.number) + 1)

    def lane(self, pair: Pair, k: int) -> int:
        """Variable of a pair in a lane."""
        return self.variable("lane", self.ends(pair) if self.shared else pair, k)

    def home(self, pair: Pair) -> int:
        """The router where the paths of a pair end."""
        return pair[1]

    def ends(self, pair: Pair) -> Pair:
        """The routers of a pair, in order."""
        return min(pair[0], self.home(pair)), max(pair[0], self.home(pair))

    def serve(self, pair: Pair, first_lanes: int) -> None:
        """Add the clauses of a pair, which is in one of the first lanes."""
        self.reach(pair)
        lanes = range(min(first_lanes, self.lanes))
        self.clauses.append(tuple(self.lane(pair, k) for k in lanes))
        paths = self.paths(pair)
        if paths is not None:
            self.clauses.append(tuple(self.variable("path", pair, j) for j in range(len(paths))))
            for j, path in enumerate(paths):
                for c, e in pairwise(path):
                    self._turn(("path", pair, j), pair, lanes, c, e)
            return
        first = self.begin(pair)
        self.clauses.append(tuple(self.variable("uses", pair, c) for c in first))
        for c in closure(first, lambda c: self.after(pair, c)):
            onward = self.after(pair, c)
            if not onward:
                continue
            self.clauses.append(
                (-self.variable("uses", pair, c), *(self.variable("then", pair, c, e) for e in onward))
            )
            for e in onward:
                self.clauses.append((-self.variable("then", pair, c, e), self.variable("uses", pair, e)))
                self._turn(("then", pair, c, e), pair, lanes, c, e)

    def reach(self, pair: Pair) -> None:
        """Work out what `begin` and `after` need; raise `Rejected` if the pair has no path."""
        if pair[0] not in self.hops_to(self.home(pair)):
            raise Rejected(f"router {pair[0]} has no way to router {self.home(pair)}")

    def begin(self, pair: Pair) -> list[int]:
        """Channels with which the paths of a pair begin."""
        hops, target = self.hops_to(self.home(pair)), self.network.target
        pay(2 + len(self.network.leaving[pair[0]]))
        return [c for c in self.network.leaving[pair[0]] if hops.get(target[c]) == hops[pair[0]] - 1]

    def after(self, pair: Pair, c: int) -> list[int]:
        """Channels that may follow a channel on paths of a pair; none at the end of the paths."""
        here = self.network.target[c]
        onward = self.begin((here, pair[1])) if here != self.home(pair) else []
        return [e for e in onward if c % self.levels <= e % self.levels]

    def paths(self, pair: Pair) -> list[list[int]] | None:
        """All paths of a pair, which have the same length; None if there are more than `MOST_PATHS`."""
        paths, longer = list[list[int]](), [[c] for c in self.begin(pair)]
        while longer:
            paths, longer = longer, []
            for path in paths:
                onward = self.after(pair, path[-1])
                pay((KEPT_STATE + len(path)) * len(onward))
                longer += [[*path, e] for e in onward]
            if len(longer) > MOST_PATHS or len(longer) * len(paths[0]) * self.lanes > MOST_CLAUSES:
                return None
        return paths

    def _turn(self, step: tuple[Any, ...], pair: Pair, lanes: range, c: int, e: int) -> None:
        """Add for each lane: if the pair takes a step, and is in the lane, the lane has its turn."""
        for k in lanes:
            self.clauses.append((-self.variable(*step), -self.lane(pair, k), self.variable("turn", k, c, e)))

    def limit(self) -> None:
        """Add what clauses say about all served pairs together: nothing here."""

    def forbid(self, cycle: Sequence[int]) -> None:
        """Add for each lane the clause that it does not have all turns of a cycle of channels."""
        turns = around(cycle)
        for k in range(self.lanes):
            pay(LOOK * len(turns))
            if all(("turn", k, *turn) in self.number for turn in turns):
                self.clauses.append(tuple(-self.variable("turn", k, *turn) for turn in turns))

    def order(self, after: int = 0) -> None:
        """Add for each lane that its turns go to later channels of an order, for variables numbered after one."""
        if not after:
            for k in range(self.lanes):
                for c, d, e in combinations(range(self.network.channels), 3):
                    circle = (self._before(k, c, d), self._before(k, d, e), self._before(k, e, c))
                    self.clauses += [circle, tuple(-x for x in circle)]
                at_most(len(self.clauses), MOST_CLAUSES, "clauses")
        for meaning, variable in list(self.number.items())[after:]:
            if meaning[0] == "turn":
                self.clauses.append((-variable, self._before(*meaning[1:])))

    def _before(self, k: int, c: int, e: int) -> int:
        """Literal of an order of a lane."""
        return self.variable("before", k, c, e) if c < e else -self.variable("before", k, e, c)


def copied(network: Network, lanes: int) -> Network:
    """The network of VCs: channel c becomes channels c · lanes, c · lanes + 1, …"""
    copies = {name: [v for v in getattr(network, name) for _ in range(lanes)] for name in ("source", "target")}
    same = {name: getattr(network, name) for name in ("name", "routers", "inject", "eject")}
    return Network({**same, **copies})


def lane_clauses(encoder: Encoder, pairs: Container[Pair], proof: Any) -> None:
    """Add the clauses of the pairs and cycles that a refutation names, and if it says so of an order of channels.

    Fewer pairs make weaker clauses, so whatever refutes them refutes all pairs. Lanes that packets keep are alike:
    the first of the pairs may be said to use the first lane, the second one of the first two, and so on.
    """
    named = [tuple(integers(pair, "pairs", 0, 2**31)) for pair in field(proof, "pairs", list)]
    if len({*named}) < len(named) or any(pair not in pairs for pair in named):
        raise Rejected("pairs: different pairs of routers that send are expected")
    for position, (s, t) in enumerate(named):
        encoder.serve((s, t), position + 1)
        at_most(len(encoder.clauses), MOST_CLAUSES, "clauses")
    encoder.limit()
    network = encoder.network
    for entries in field(proof, "cycles", list):
        cycle = integers(entries, "cycles", 0, network.channels)
        if not cycle or any(network.target[c] != network.source[e] for c, e in around(cycle)):
            raise Rejected(f"{cycle[:20]} is no cycle of channels, each beginning where the one before ends")
        encoder.forbid(cycle)
    if "order" in proof and field(proof, "order", bool):
        encoder.order()
