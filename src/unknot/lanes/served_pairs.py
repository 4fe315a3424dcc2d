"""Pairs that a refutation is about, with their paths as the checker encodes them; pairs that exclude each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from unknot.certificates import plain
from unknot.certificates.documents import network_of, plain_table
from unknot.lanes.path_set import Flags
from unknot.lanes.tables import Table
from unknot.network import Network
from unknot.routing.relation import Relation

Pair = tuple[int, int]
Failures = tuple[tuple[int, ...], ...]
"""The channels that each failure takes."""
FEW = 4
"""Most shortest paths of a pair that is looked at for others that it excludes."""
MOST_ORDERED = 3_000_000
"""Most pairs of channels, one after the other on a path, that are looked at."""
STARTS = 300
"""Pairs from which a clique is grown."""


@dataclass(frozen=True, eq=False)
class ServedPairs:
    """Pairs that lanes have to serve.

    Attributes
    ----------
    network : Network
    pairs : list of pairs
        Of routers; of a source terminal and an address where routes are given.
    encoder : callable(int, str)
        The checker's encoder for a number of lanes and a kind of changes, without clauses.
    given : bool
        Whether each pair has a route that is given.
    limited : bool
        Whether the encoder limits loads, so that its clauses are about all pairs together.
    """

    network: Network
    pairs: list[Pair]
    encoder: Callable[[int, str], plain.Encoder]
    given: bool
    limited: bool = False


def shortest_pairs(network: Network, sends: Flags | None) -> ServedPairs:
    """The pairs of routers that send, each of which takes any of its shortest paths."""
    graph = plain.Network(network_of(network))
    pairs = sorted(plain.sending_pairs(graph, plain_flows(sends)))
    return ServedPairs(network, pairs, partial(plain.Encoder, graph), False)


def surviving_pairs(network: Network, sends: Flags | None, failures: Failures) -> ServedPairs:
    """The pairs of routers that send, and those that each failure leaves a path to take; see `SurvivingEncoder`."""
    graph = plain.Network(network_of(network))

    def encoder(lanes: int, changes: str) -> plain.Encoder:
        return plain.SurvivingEncoder(graph, lanes, [list(failed) for failed in failures])

    ends, pairs = sorted(plain.sending_pairs(graph, plain_flows(sends))), list[Pair]()
    checked = encoder(1, "none")
    for number in range(1 + len(failures)):
        for pair in ((u, v + graph.routers * number) for u, v in ends):
            with suppress(plain.Rejected):
                checked.reach(pair)
                pairs.append(pair)
    return ServedPairs(network, pairs, encoder, False)


def cut_pairs(served: ServedPairs, failures: Failures) -> list[Pair]:
    """The pairs before failures, and of those that a failure takes all shortest paths of, the nearest.

    These contradict each other sooner than all pairs: they are few, and their paths around the failure have no choice
    of ends.
    """
    routers, known, cut = served.network.num_routers, served.encoder(1, "none"), dict[int, list[tuple[int, Pair]]]()
    assert isinstance(known, plain.SurvivingEncoder)
    for pair in served.pairs:
        failure, home = divmod(pair[1], routers)
        before = known.left(home)[pair[0]]
        if failure and known.left(pair[1])[pair[0]] > before:
            cut.setdefault(failure, []).append((before, pair))
    near = [pair for several in cut.values() for hops, pair in several if hops == min(several)[0]]
    return [*(pair for pair in served.pairs if pair[1] < routers), *near]


def given_pairs(relation: Relation, table: Table) -> ServedPairs:
    """A terminal and an address for each router and row of tables, with the route that the relation has for them."""
    row = table.addresses.row
    users = table.addresses.may_use & table.wanted[relation.network.inject][:, row]
    terminal, address = np.nonzero(users)
    key = relation.network.inject[terminal].astype(np.int64) * len(table.home) + row[address]
    _, first = np.unique(key, return_index=True)
    checked = plain_table(relation)
    pairs = [(int(terminal[i]), int(address[i])) for i in first]
    return ServedPairs(relation.network, pairs, partial(plain.RouteEncoder, checked), True)


def plain_flows(sends: Flags | None) -> list[list[int]] | None:
    """Pairs of terminals that send; None: every terminal sends to every other."""
    return None if sends is None else [[int(s), int(t)] for s, t in zip(*sends.nonzero(), strict=True)]


def clique(served: ServedPairs) -> list[Pair]:
    """Pairs each two of which exclude each other from a lane: with as many lanes less one they cannot be served.

    Two pairs exclude each other if for any of their paths there are two channels that these take in opposite orders.
    Where every channel has one back no two shortest paths do; those of one-way networks, or of tables, may. Cliques
    are grown from those that exclude most. Time: pairs × the square of hops, and for each of `STARTS` beginnings the
    square of its neighbours.
    """
    from scipy.sparse import csr_array

    encoder, channels = served.encoder(1, "none"), served.network.num_channels
    ordered: list[tuple[int, int]] = []
    owner: list[int] = []
    for i, pair in enumerate(served.pairs):
        encoder.reach(pair)
        paths = _few_paths(encoder, pair)
        for path in paths:
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


def _few_paths(encoder: plain.Encoder, pair: Pair) -> Sequence[list[int]]:
    """The paths of a pair; none if there are more than `FEW`."""
    paths, longer = list[list[int]](), [[c] for c in encoder.begin(pair)]
    while longer and len(longer) <= FEW:
        paths, longer = longer, [[*path, e] for path in longer for e in encoder.after(pair, path[-1])]
    return [] if longer else paths
