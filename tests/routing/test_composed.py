"""Routing in networks made of parts."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot import deliver
from unknot._base.errors import UnknotError
from unknot.network import Network, tod
from unknot.routing import Relation, composed, dimension_order
from unknot.verify import check


def pods(side: int, count: int, *, closed: bool = True) -> Network:
    """Meshes in a ring or a line, the last router of each joined to the first of the next."""
    names = ", ".join(map(str, range(count)))
    joints = f"(i + 1) % {count}) for i in {count if closed else count - 1}"
    return tod.network(f"(mesh({side}, {side}) * {{{names}}}) | {{({side - 1}, {side - 1}, i) -- (0, 0, {joints}}}")


def routes(relation: Relation, source: int, to: int) -> list[int]:
    """The routers of the only route of a pair."""
    at, path = relation.num_vcs + source, [int(relation.network.inject[source])]
    while True:
        (candidate,) = relation.candidates(at, to)
        if candidate.vc is None:
            return path
        at = candidate.vc
        path.append(int(relation.vcs.router[at]))


@pytest.mark.parametrize(("side", "count"), [(2, 3), (2, 4), (3, 4)])
def test_safe_parts_in_a_ring_are_not_safe_together(side: int, count: int) -> None:
    network = pods(side, count)
    assert check("mesh(3, 3)", routing="dimension_order").deadlock_free
    for legs, free in ((1, False), (2, True), (count // 2 + 1, True)):
        relation = composed(network, legs=legs)
        assert deliver(relation).delivered
        assert check(relation).deadlock_free is free
    assert check(composed(pods(side, count, closed=False))).deadlock_free


@pytest.mark.long
@given(
    side=st.integers(1, 3),
    count=st.integers(2, 4),
    closed=st.booleans(),
    inside=st.sampled_from(["dimension_order", "shortest_paths", "dimension_order(order=[1, 0])"]),
    exits=st.sampled_from(["first", "last", "spread"]),
)
def test_routes_go_straight_to_the_exit_and_over_few_links(
    side: int, count: int, closed: bool, inside: str, exits: str
) -> None:
    network = pods(side, count, closed=closed)
    if side == 1:
        inside = "shortest_paths"
    relation = composed(network, inside=inside, exits=exits)
    part = network.coordinates[:, -1] if network.coordinates is not None else np.zeros(0)
    graph = nx.DiGraph(zip(part[network.source].tolist(), part[network.target].tolist(), strict=True))
    within = nx.DiGraph(
        (u, v) for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True) if part[u] == part[v]
    )
    within.add_nodes_from(range(network.num_routers))
    for source in range(network.num_terminals):
        for to in range(network.num_terminals):
            path = routes(relation, source, to)
            assert path[-1] == network.eject[to]
            crossings = sum(part[u] != part[v] for u, v in pairwise(path))
            assert crossings == nx.shortest_path_length(graph, part[path[0]], part[path[-1]])
            first = [v for v in path if part[v] == part[path[0]]]
            assert len(first) - 1 == nx.shortest_path_length(within, first[0], first[-1])


def test_a_table_of_exits_says_where_packets_leave() -> None:
    network = pods(2, 3)
    part = network.coordinates
    assert part is not None
    number = part[:, -1]
    leaving = {
        (int(number[u]), int(number[v])): c
        for c, (u, v) in enumerate(zip(network.source, network.target, strict=True))
    }
    table = np.full((3, 3), -1)
    for p in range(3):
        for q in range(3):
            if p != q:
                table[p, q] = leaving[p, 1 if {p, q} == {0, 2} else q]
    relation = composed(network, exits=table)
    assert deliver(relation).delivered
    assert check(relation).deadlock_free, "nobody goes over the link that closes the ring"
    assert {int(number[v]) for v in routes(relation, 0, network.num_terminals - 1)} == {0, 1, 2}


def test_one_part_alone_is_routed_as_by_its_own_routing() -> None:
    network = tod.network("mesh(3, 3) * {0}")
    alone, whole = dimension_order(tod.network("mesh(3, 3)")), composed(network)
    for at in range(alone.num_vcs + 9):
        for address in range(9):
            if whole.candidates(at, address):
                assert whole.candidates(at, address) == alone.candidates(at, address)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("ring(4)", {}, "whose last coordinate says"),
        ("mesh(2, 2) * {0, 1}", {}, "no links lead from part z = 1 to part z = 0"),
        ("mesh(2, 2, 2)", {"inside": ["dimension_order"]}, "has 2 parts, and 1 routings are given"),
        ("dragonfly(2)", {}, "is not connected"),
        ("mesh(2, 2, 2)", {"legs": 0}, "whole number of at least 1"),
        ("mesh(2, 2, 2)", {"legs": 2, "vcs": 3}, "3 VCs cannot be shared out evenly among 2 legs"),
        ("mesh(2, 2, 2)", {"exits": "frist"}, "first"),
        ("mesh(2, 2, 2)", {"exits": [[0, 0], [0, 0]]}, "is no channel that leaves"),
        ("mesh(2, 2, 2)", {"dimension": "t"}, "unknown dimension"),
        ("mesh(2, 2, 2)", {"inside": "negative_frist"}, "negative_first"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(UnknotError, match=said):
        composed(tod.network(text), **options)  # type: ignore[arg-type]
