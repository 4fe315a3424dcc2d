"""Pairs that lanes have to serve, with the walks that may serve them; pairs that exclude each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil, lcm
from typing import Any

import numpy as np

from unknot.certificates import plain
from unknot.certificates.documents import plain_table
from unknot.lane_assignment.lane_model import LaneModel, LoadModel
from unknot.lane_assignment.path_set import Flags
from unknot.lane_assignment.tables import LaneTable
from unknot.lane_assignment.walks import (
    ChangingWalks,
    Failures,
    GivenWalks,
    Pair,
    ShortestWalks,
    State,
    SurvivingWalks,
    Walks,
)
from unknot.network import Network
from unknot.network.graph import path_to, reached_from
from unknot.routing.relation import Relation

KEPT = ("none", "shared")
"""Changes of lanes that packets keep."""
FEW = 4
"""Most shortest paths of a pair that is looked at for others that it excludes."""
MOST_ORDERED = 3_000_000
"""Most pairs of channels, one after the other on a path, that are looked at."""
STARTS = 300
"""Pairs from which a clique is grown."""


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of the loads of channels, in whole units.

    Attributes
    ----------
    amounts : dict of pair to int
        What each router sends to each terminal.
    most : tuple of int
        What each channel carries at most.
    claim : dict
        The same for the checker.
    """

    amounts: dict[Pair, int]
    most: tuple[int, ...]
    claim: dict[str, Any]

    @classmethod
    def below(cls, load: Fraction, network: Network, flows: Any, claim: dict[str, Any]) -> Limits:
        """Loads below one, of some flows between terminals; None: each sends 1 to every other."""
        sent: dict[Pair, Fraction] = {}
        terminals = network.num_terminals
        for s, t in np.argwhere(~np.eye(terminals, dtype=bool) if flows is None else flows > 0).tolist():
            if network.inject[s] != network.eject[t]:
                pair = int(network.inject[s]), t
                sent[pair] = sent.get(pair, Fraction(0)) + (1 if flows is None else Fraction(float(flows[s, t])))
        parts = lcm(*(amount.denominator for amount in sent.values()))
        most = tuple(ceil(load * parts * Fraction(float(wide))) - 1 for wide in network.bandwidth)
        return cls({pair: int(amount * parts) for pair, amount in sent.items()}, most, claim)


@dataclass(frozen=True, eq=False)
class ServedPairs:
    """Pairs that lanes have to serve.

    Attributes
    ----------
    network : Network
    pairs : list of pairs
        Of routers; of a source terminal and an address where routes are given; of a router and a terminal where loads
        are limited.
    walks : Walks
    home : sequence of int
        The router of the second of each pair.
    given : plain.Table, optional
        The relation of given routes, as the checker reads a relation.
    failures : tuple of tuples of int
        Failures after which pairs are to be served.
    limits : Limits, optional
        Of loads; then all pairs are taken together.
    """

    network: Network
    pairs: list[Pair]
    walks: Walks
    home: Sequence[int]
    given: plain.Table | None = None
    failures: Failures = ()
    limits: Limits | None = None

    def ends(self, pair: Pair) -> Pair:
        """The two routers of a pair, in order."""
        start = pair[0] if self.given is None else int(self.network.inject[pair[0]])
        low, high = sorted((start, self.home[pair[1]]))
        return low, high

    def model(self, lanes: int, changes: str) -> LaneModel:
        """The clauses of the search for a number of lanes, without pairs so far."""
        together = self.ends if changes == "shared" else None
        if self.limits is not None:
            return LoadModel(
                self.walks, lanes, together, amounts=self.limits.amounts, most=self.limits.most,
                source=self.network.source.tolist(), table=self.limits.claim["table"],
            )  # fmt: skip
        if changes in KEPT:
            return LaneModel(self.walks, lanes, together)
        return LaneModel(ChangingWalks(self.walks, lanes, changes == "rising"), 1)

    @cached_property
    def turns(self) -> int:
        """Turns from a channel to the next, in all."""
        leaving = self.network.outgoing.width
        return int(leaving[self.network.target].sum())


def _sending(network: Network, sends: Flags | None) -> list[Pair]:
    """Different routers between whose terminals something is sent; by default every terminal sends to every other."""
    terminals = network.num_terminals
    source, target = np.nonzero(~np.eye(terminals, dtype=bool) & (True if sends is None else np.asarray(sends)))
    ends = np.unique(np.stack([network.inject[source], network.eject[target]], axis=1), axis=0)
    return [(u, v) for u, v in ends.tolist() if u != v]


def shortest_pairs(network: Network, sends: Flags | None) -> ServedPairs:
    """The pairs of routers that send, each of which takes any of its shortest paths."""
    home = range(network.num_routers)
    return ServedPairs(network, _sending(network, sends), ShortestWalks(network, home), home)


def surviving_pairs(network: Network, sends: Flags | None, failures: Failures) -> ServedPairs:
    """Sending pairs of routers, and the pairs left with a path by each failure; see `SurvivingWalks`."""
    routers = network.num_routers
    home = [*range(routers)] * (1 + len(failures))
    walks = SurvivingWalks(network, home, failures)
    pairs = [(u, v + routers * f) for f in range(1 + len(failures)) for u, v in _sending(network, sends)]
    return ServedPairs(network, [pair for pair in pairs if walks.begin(pair)], walks, home, failures=failures)


def limited_pairs(network: Network, limits: Limits) -> ServedPairs:
    """The pairs of routers and terminals between which something is sent, whose loads are limited."""
    home = network.eject.tolist()
    return ServedPairs(network, [*limits.amounts], ShortestWalks(network, home), home, limits=limits)


def cut_pairs(served: ServedPairs) -> list[Pair]:
    """The pairs before failures, and of those that a failure takes all shortest paths of, the nearest.

    These contradict each other sooner than all pairs: they are few, and their paths around the failure have no choice
    of ends.
    """
    routers, cut = served.network.num_routers, dict[int, list[tuple[int, Pair]]]()
    for pair in served.pairs:
        failure, home = divmod(pair[1], routers)
        before = hops_of(served.walks, (pair[0], home))
        if failure and hops_of(served.walks, pair) > before:
            cut.setdefault(failure, []).append((before, pair))
    near = [pair for several in cut.values() for hops, pair in several if hops == min(several)[0]]
    return [*(pair for pair in served.pairs if pair[1] < routers), *near]


def hops_of(walks: Walks, pair: Pair) -> int:
    """Hops of a shortest walk of a pair."""
    return len(shortest_walk(walks, pair, walks.after))


def shortest_walk(walks: Walks, pair: Pair, onward: Callable[[State], Iterable[State]]) -> list[State]:
    """A shortest walk of a pair by some of the steps; empty without any."""
    before = reached_from(walks.begin(pair), onward)
    end = next((state for state in before if not walks.after(state)), None)
    return [] if end is None else path_to(end, before)


def given_pairs(relation: Relation, table: LaneTable) -> ServedPairs:
    """A terminal and an address for each router and row of tables, with the route that the relation has for them."""
    row, network = table.addresses.row, relation.network
    users = table.addresses.may_use & table.wanted[network.inject][:, row]
    terminal, address = np.nonzero(users)
    key = network.inject[terminal].astype(np.int64) * len(table.home) + row[address]
    _, first = np.unique(key, return_index=True)
    pairs = [(int(terminal[i]), int(address[i])) for i in first]
    home = table.home[row].tolist()
    routes = {pair: _route(table, int(network.inject[pair[0]]), int(row[pair[1]])) for pair in pairs}
    return ServedPairs(network, pairs, GivenWalks(routes), home, given=plain_table(relation))


def _route(table: LaneTable, router: int, row: int) -> list[int]:
    """The channels from a router by a row of tables."""
    route = list[int]()
    while router != table.home[row]:
        route.append(int(table.next_channel[row, router]))
        router = int(table.network.target[route[-1]])
    return route


def plain_flows(sends: Flags | None) -> list[list[int]] | None:
    """Pairs of terminals that send; None: every terminal sends to every other."""
    return None if sends is None else [[int(s), int(t)] for s, t in zip(*sends.nonzero(), strict=True)]


def clique(served: ServedPairs) -> list[Pair]:
    """Pairs of which no two fit into the same lane: fewer lanes than pairs cannot serve them.

    Two pairs exclude each other if for any of their paths there are two channels that these take in opposite orders.
    Where every channel has one back no two shortest paths do; those of one-way networks, or of tables, may. Cliques
    are grown from those that exclude most. Time: pairs × the square of hops, and for each of `STARTS` beginnings the
    square of its neighbours.
    """
    from scipy.sparse import csr_array

    channels = served.network.num_channels
    ordered: list[tuple[int, int]] = []
    owner: list[int] = []
    for i, pair in enumerate(served.pairs):
        for path in _few_paths(served.walks, pair):
            ordered += [(len(owner), a * channels + b) for a, b in combinations(path, 2)]
            owner.append(i)
        if len(ordered) > MOST_ORDERED:
            return []
    if not ordered:
        return []
    path, forth = np.array(ordered).T
    back = forth % channels * channels + forth // channels
    both = np.isin(forth, back)
    numbers, column = np.unique(np.concatenate([forth[both], back[both]]), return_inverse=True)
    ones, shape = np.ones(path[both].size), (len(owner), numbers.size)
    takes = csr_array((ones, (path[both], column[: ones.size])), shape=shape)
    opposite = csr_array((ones, (path[both], column[ones.size :])), shape=shape)
    of_pair = csr_array((np.ones(len(owner)), (owner, np.arange(len(owner)))), shape=(len(served.pairs), len(owner)))
    clashes = (of_pair @ ((takes @ opposite.T) > 0).astype(float) @ of_pair.T).tocoo()
    count = np.bincount(owner, minlength=len(served.pairs))
    excluded = clashes.data == count[clashes.row] * count[clashes.col]
    others: dict[int, set[int]] = {}
    for one, other in zip(clashes.row[excluded].tolist(), clashes.col[excluded].tolist(), strict=True):
        others.setdefault(one, set()).add(other)
    best: list[int] = []
    for start in sorted(others, key=lambda i: (-len(others[i]), i))[:STARTS]:
        members, left = [start], others[start]
        while left:
            members.append(max(sorted(left), key=lambda i: len(others[i] & left)))
            left = left & others[members[-1]]
        best = max(best, members, key=len)
    return [served.pairs[i] for i in best]


def _few_paths(walks: Walks, pair: Pair) -> Sequence[list[int]]:
    """The paths of a pair, as channels; none if there are more than `FEW`."""
    paths, longer = list[list[State]](), [[state] for state in walks.begin(pair)]
    while longer and len(longer) <= FEW:
        paths, longer = longer, [[*path, state] for path in longer for state in walks.after(path[-1])]
    return [] if longer else [[channel for channel, _ in path] for path in paths]
