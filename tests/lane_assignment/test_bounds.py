"""Lower bounds: of given routes, by cliques of pairs that exclude each other, and first of all."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lane_assignment.test_changing import given_paths
from tests.lane_assignment.test_exact import effort, one_way_ring
from tests.lane_assignment.test_lanes import networks
from tests.reference import climbing
from unknot.certificates import Rejected
from unknot.lane_assignment import Refutation, RouteRefutation, accept_routes, changing_lanes, lanes, write_refutation
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.exact import ExactSearch
from unknot.lane_assignment.lane_search import Open, Solution
from unknot.lane_assignment.question import question_of
from unknot.lane_assignment.served_pairs import ServedPairs, clique, given_pairs, shortest_pairs
from unknot.lane_assignment.tables import table_of
from unknot.network import Network
from unknot.routing import shortest_paths
from unknot.routing.relation import Relation


def served(relation: Relation) -> ServedPairs:
    return given_pairs(relation, table_of(relation))


@given(networks(), st.integers(1, 3), st.integers(1, 10**6), st.sampled_from(["none", "rising", "any"]))
def test_bounds_of_given_routes_agree_with_brute_force(network: Network, count: int, seed: int, changes: str) -> None:
    relation = shortest_paths(network, choice="random", seed=seed)
    paths = given_paths(relation)
    answer = refute(served(relation), count, effort(), changes=changes, conflicts=10_000)
    if changes == "none":
        fewest = climbing.fewest_for(paths.values(), count)
    else:
        fewest = climbing.fewest_changing(network, count, changes, given=paths)
    if fewest > count:
        assert isinstance(answer, RouteRefutation)
        assert accept_routes(relation, answer) == count
        with pytest.raises(Rejected):
            accept_routes(relation, replace(answer, lanes=count + 1, steps=()))
    else:
        assert isinstance(answer, Solution)


@settings(max_examples=5)
@given(networks(), st.integers(1, 10**6))
def test_lanes_of_given_routes_are_the_fewest(network: Network, seed: int) -> None:
    relation = shortest_paths(network, choice="random", seed=seed)
    laned = lanes(network, "given", routing=relation)
    assert laned.count == laned.lower_bound == climbing.fewest_for(given_paths(relation).values(), laned.count)
    assert laned.evidence_holds is not False
    both = lanes(network, "given", routing=relation, both_ways=True)
    assert both.lower_bound >= laned.lower_bound
    assert both.evidence_holds is not False


def test_given_routes_that_need_three_lanes(tmp_path: Path) -> None:
    network = one_way_ring(5)
    relation = shortest_paths(network, choice="first")
    laned = lanes(network, "given", routing=relation)
    assert (laned.count, laned.lower_bound, laned.evidence_holds) == (3, 3, True)
    assert isinstance(laned.evidence, RouteRefutation)
    files = write_refutation(network, laned.evidence, tmp_path / "ring.cnf", given=relation)
    assert files.drat.read_text().splitlines()[-1] == "0"
    for wrong in (
        replace(laned.evidence, lanes=3),
        replace(laned.evidence, pairs=((0, 0), *laned.evidence.pairs)),
        replace(laned.evidence, pairs=((0, 99), *laned.evidence.pairs)),
        replace(laned.evidence, changes="rising"),
        replace(laned.evidence, steps=laned.evidence.steps[:-1]),
    ):
        with pytest.raises(Rejected):
            accept_routes(relation, wrong)
    assert changing_lanes(network, "given", routing=relation).count == 2


@given(networks(), st.booleans(), st.integers(1, 10**6))
def test_pairs_of_a_clique_exclude_each_other(network: Network, fixed: bool, seed: int) -> None:
    relation = shortest_paths(network, choice="random", seed=seed)
    members = clique(served(relation) if fixed else shortest_pairs(network, None))
    paths = given_paths(relation)
    eject = network.eject.tolist()
    options = [
        [paths[int(network.inject[s]), eject[t]]] if fixed else climbing.shortest_paths(network, s, t)
        for s, t in members
    ]
    for one, other in combinations(options, 2):
        assert all(climbing.fewest_for([a, b], 2) == 2 for a in one for b in other)


def test_a_clique_bounds_the_lanes() -> None:
    """Long routes around a one-way ring of 9 exclude each other; half of the routers begin one."""
    assert len(clique(shortest_pairs(one_way_ring(9), None))) >= 4
    assert not clique(shortest_pairs(one_way_ring(2), None))


@pytest.mark.long
@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(("name", "least"), [("kautz(2, 6)", 4), ("de_bruijn(2, 7)", 4)])
def test_more_than_two_lanes_are_needed(name: str, least: int) -> None:
    from unknot.network.tod import network as build

    question = question_of(build(name), "free", "none", None, None)
    exact = ExactSearch(question, effort(), 200_000)
    while exact.low < least:
        before = exact.low
        assert exact.keys(before) is None
        assert exact.low > before
    assert isinstance(exact.evidence, Refutation)
    assert len(exact.evidence.pairs) < 96 * 95  # of kautz(2, 6), and far fewer than those of de_bruijn(2, 7)


def test_no_time_leaves_it_open() -> None:
    relation = shortest_paths(one_way_ring(7), choice="first")
    late = replace(effort(), deadline=0.0)
    assert isinstance(refute(served(relation), 2, late, conflicts=1000), Open)
