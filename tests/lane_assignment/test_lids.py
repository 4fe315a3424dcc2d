"""Several LIDs for each terminal (LMC): safe, delivering, and with a load and a bound that others confirm."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.test_cli import refused
from tests.lane_assignment.test_lanes import networks
from unknot.certificates import Rejected, plain
from unknot.certificates.documents import network_of
from unknot.lane_assignment import lanes
from unknot.network import Network
from unknot.verify import check, deliver, loads


@given(networks(), st.integers(1, 2), st.integers(0, 99))
@settings(deadline=None)
def test_routes_of_all_lids_are_safe_and_load_channels_as_they_say(network: Network, lmc: int, seed: int) -> None:
    routes = lanes(network, "table", lmc=lmc, rounds=2, effort=200, seed=seed, time_limit=600)
    assert routes.relation.num_addresses == (network.num_terminals << lmc) * routes.count
    assert check(routes.relation, "wormhole-nonatomic").deadlock_free
    assert deliver(routes.relation).delivered
    assert np.allclose(
        loads(routes.relation).channel * routes.load.sum(), routes.load * loads(routes.relation).channel.sum()
    )
    assert routes.load_bound is not None
    assert routes.single_load is not None
    assert routes.load_bound - 1e-9 <= routes.highest_load <= routes.single_load + 1e-9
    assert routes.load_bound_holds


def test_two_lids_share_the_load_that_one_route_cannot() -> None:
    """Opposite routers of a ring of four: with one route for each pair some channel carries 2, with halves each 2."""
    for routers, single, shared in ((4, 2.0, 2.0), (6, 5.0, 4.5), (8, 8.0, 8.0), (10, 13.0, 12.5)):
        routes = lanes(f"ring({routers})", "table", lmc=1)
        assert (routes.single_load, routes.highest_load, routes.load_bound) == (single, shared, shared)


@given(networks(), st.integers(0, 10**6), st.booleans(), st.integers(1, 3))
def test_the_checker_adds_up_lightest_paths_as_dijkstra_finds_them(
    network: Network, seed: int, shortest: bool, pieces: int
) -> None:
    weights = np.random.default_rng(seed).integers(0, 5, network.num_channels).tolist()
    graph = nx.DiGraph()
    for u, v, weight in zip(network.source.tolist(), network.target.tolist(), weights, strict=True):
        long = 1000 * shortest + weight
        graph.add_edge(u, v, long=min(long, graph.edges[u, v]["long"] if graph.has_edge(u, v) else long))
    ends = [
        (network.inject[s], network.eject[t])
        for s in range(network.num_terminals)
        for t in range(network.num_terminals)
        if s != t
    ]
    total = sum(nx.dijkstra_path_length(graph, int(u), int(v), "long") % 1000 for u, v in ends if u != v)
    shown = plain.load_shown(
        plain.Network(network_of(network)), None, None, weights, shortest=shortest, pieces=pieces
    )
    alone, room = Fraction(int(any(u != v for u, v in ends)), pieces), sum(weights)
    assert shown == max(alone, Fraction(-(-total * pieces // room), pieces) if room else Fraction(0))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [({"pieces": 0}, "pieces"), ({"pieces": 1}, "show a load of 5, and not of 11/2"),
     ({"paths": "long"}, "none of any, shortest"),
     ({"pieces": 2, "lanes": 2}, "neither paths nor pieces"), ({"pieces": True}, "pieces")],
)  # fmt: skip
def test_wrong_claims_about_pieces_are_noticed(wrong: dict[str, object], reason: str) -> None:
    bound = lanes("ring(6)", "table", lmc=1).load_evidence
    assert bound is not None
    network = plain.Network(network_of(lanes("ring(6)").relation.network))
    assert plain.check(network, None, bound.claim)
    with pytest.raises(Rejected, match=reason):
        plain.check(network, None, {**bound.claim, "least": [11, 2], **wrong})


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--lmc", "8", "--paths", "table"], "the LMC must be a whole number from 0 to 7, got 8"),
     (["--lmc", "-1", "--paths", "table"], "from 0 to 7, got -1"),
     (["--lmc", "1"], "are for tables"), (["--lmc", "1", "--lanes", "1"], "--survive and --lmc are for"),
     (["--lmc", "1", "--paths", "table", "--worst"], "not for the worst permutation")],
)  # fmt: skip
def test_an_lmc_that_makes_no_sense_is_refused(words: list[str], said: str) -> None:
    assert said in refused("lanes", "ring(6)", *words)


def test_more_lids_than_there_are_are_refused() -> None:
    assert "more than the 49,151 LIDs of InfiniBand; try a smaller LMC" in refused(
        "lanes", "torus(20, 20)", "--paths", "table", "--lmc", "7"
    )
