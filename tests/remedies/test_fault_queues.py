"""Fewest queues for all routes after failures."""

from __future__ import annotations

from itertools import combinations
from random import Random

import networkx as nx
import pytest

from unknot._base.errors import UnknotError
from unknot.lane_assignment.flow_paths import graph_of_relations
from unknot.lane_assignment.queues import fewest_queues
from unknot.network import Network, from_edges
from unknot.network.families import ring, xgft
from unknot.network.metrics import hops_from_any
from unknot.remedies.fault_queues import fault_queues, pairs_without_valley_free_path
from unknot.routing.ethernet import bgp, ospf
from unknot.routing.relation import Relation
from unknot.verify import check
from unknot.verify.failures import Failures, parts_of, rerouting
from unknot.verify.fault_sweep import fault_sweep


def by_tier(network: Network) -> Relation:
    """BGP with one AS for the spines."""
    return bgp(network, plan="rfc7938")


@pytest.mark.long
def test_two_spines_and_four_leaves_take_two_queues_after_two_failures() -> None:
    network = xgft([1, 4], [1, 2])
    after = fault_queues(network, bgp, failures=Failures(at_once=2))
    sweep = fault_sweep(network, bgp, failures=Failures(at_once=2))
    assert after.deadlocks == sweep.counts["deadlock"] == 12
    assert (after.queues.count, after.queues.lower_bound, after.evidence_holds) == (2, 2, True)
    assert (after.state_queues, after.state_lower_bound) == (2, 2)
    assert after.refuted.endswith("1 for those after (0,0)–(1,0), (0,1)–(1,1) alone")
    assert after.free
    assert (after.valley_free_cut, after.valley_free_pairs) == (12, 2)


@pytest.mark.parametrize("routing", [bgp, ospf])
def test_one_failure_needs_no_second_queue(routing: object) -> None:
    after = fault_queues(xgft([1, 4], [1, 2]), routing)  # type: ignore[arg-type]
    assert (after.queues.count, after.deadlocks, after.free, after.valley_free_cut) == (1, 0, True, 0)


def test_one_as_for_the_spines_needs_one_queue_and_cuts_pairs_off() -> None:
    after = fault_queues(xgft([1, 3], [1, 2]), by_tier, failures=Failures(at_once=2))
    assert (after.queues.count, after.deadlocks, after.valley_free_cut) == (1, 0, 6)


def test_routes_of_states_that_are_free_alone_can_need_a_queue_more_together() -> None:
    after = fault_queues(xgft([1, 3], [1, 2]), bgp, failures=Failures(at_once=2))
    assert after.deadlocks == 0
    assert (after.queues.lower_bound, after.free) == (2, True)
    assert (after.state_queues, after.state_lower_bound) == (1, 1)


def test_a_number_refuted_for_routes_that_never_hold_at_once_is_not_called_needed() -> None:
    """Each state of a ring of three is free in one queue; its routes together are not."""
    after = fault_queues(ring(3), ospf)
    assert (after.states, after.deadlocks) == (4, 0)
    assert (after.state_queues, after.state_lower_bound) == (1, 1)
    assert (after.queues.count, after.queues.lower_bound, after.evidence_holds) == (2, 2, True)
    assert after.refuted == "1 for the routes of all 4 states together, which never hold at once"


@pytest.mark.parametrize("seed", range(3))
def test_queues_of_each_state_are_those_found_state_by_state(seed: int) -> None:
    """By the definition: the highest of the fewest queues of every state."""
    random, ring_of_5 = Random(seed), {(i, (i + 1) % 5) for i in range(5)}
    network = from_edges(sorted(ring_of_5 | {*random.sample([(0, 2), (1, 3), (2, 4), (0, 3), (1, 4)], 2)}))
    after, fewest = fault_queues(network, ospf), list[int]()
    for failed in [(), *(numbers for _, numbers in parts_of(network, "links"))]:
        left = network.without(channels=failed)
        if nx.is_connected(nx.Graph(zip(left.source.tolist(), left.target.tolist(), strict=True))):
            queues = fewest_queues(graph_of_relations(network, [ospf(left)]), range(5))
            assert queues.lower_bound == queues.count
            fewest.append(queues.count)
    assert len(fewest) == after.states
    assert after.state_queues == after.state_lower_bound == max(fewest) <= after.queues.count


def test_pairs_without_a_valley_free_path_equal_paths_one_by_one() -> None:
    network = xgft([1, 3], [1, 2])
    tiers = hops_from_any(network, network.eject)
    for failed in combinations([numbers for _, numbers in parts_of(network, "links")], 2):
        left = network.without(channels=[c for numbers in failed for c in numbers])
        graph = nx.DiGraph(zip(left.source.tolist(), left.target.tolist(), strict=True))
        graph.add_nodes_from(range(left.num_routers))
        ends = left.eject.tolist()
        lost = sum(
            not any(len(path) == 3 for path in nx.all_simple_paths(graph, s, t)) for s in ends for t in ends if s != t
        )
        assert pairs_without_valley_free_path(left, tiers) == lost


@pytest.mark.long
def test_cables_that_are_dead_already_are_no_part_of_the_routes() -> None:
    network = xgft([1, 4], [1, 3]).without(links=[(0, 4), (1, 5)])
    after = fault_queues(network, rerouting(network, "bgp"), Failures(at_once=2))
    sweep = fault_sweep(network, "bgp", failures=Failures(at_once=2, fewer=True))
    assert after.deadlocks == sweep.counts["deadlock"] > 0
    assert (after.queues.count, after.queues.evidence_holds, after.free) == (2, True, True)


def test_more_sets_than_the_budget_are_refused_with_their_number() -> None:
    with pytest.raises(UnknotError, match="37 sets of at most 2 failed links"):
        fault_queues(xgft([1, 4], [1, 2]), bgp, failures=Failures(at_once=2, budget=36))


@pytest.mark.long
def test_the_relation_in_queues_is_free_after_each_failure_and_not_in_one() -> None:
    network = xgft([1, 4], [1, 2])
    queues = fault_queues(network, ospf, failures=Failures(at_once=2)).queues
    refuted = [
        left
        for failed in combinations([numbers for _, numbers in parts_of(network, "links")], 2)
        for left in [network.without(channels=[c for numbers in failed for c in numbers])]
        if check(ospf(left)).deadlock_free is False
    ]
    assert refuted
    assert all(check(queues.relation(ospf(left))).deadlock_free for left in refuted[:3])
