"""The fewest lossless queues for given routes, by proof, by Tagger, and by trying all rules."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import RelationError
from unknot.certificates import Rejected, plain
from unknot.certificates.documents import network_of
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.qos import DSCPS
from unknot.lane_assignment.flow_paths import FlowGraph, graph_of_relations, graph_of_walk
from unknot.lane_assignment.queues import LosslessQueues, fewest_queues
from unknot.network import Network
from unknot.routing.ethernet import bgp, ospf
from unknot.routing.lossless import SENT, PfcModel, Walk
from unknot.verify import check

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"


def graph_of_paths(network: Network, paths: list[tuple[int, ...]]) -> FlowGraph:
    """Places of given paths, each of its own."""
    came: list[int] = []
    after: list[tuple[int, ...]] = []
    for path in paths:
        for i, channel in enumerate((SENT, *path)):
            came.append(channel)
            after.append((len(after) + 1,) if i < len(path) else ())
    return FlowGraph(network, tuple(came), tuple(after))


def enough_by_trying(paths: list[tuple[int, ...]], tags: int) -> bool:
    """Whether some rule of tags by input, tag and output leaves no cycle, by trying all rules."""
    starts = sorted({path[0] for path in paths})
    turns = sorted({turn for path in paths for turn in pairwise(path)})
    keys = [(SENT, 0, e) for e in starts] + [(c, t, e) for c, e in turns for t in range(tags)]
    for choice in product(range(tags), repeat=len(keys)):
        rule = dict(zip(keys, choice, strict=True))
        graph = nx.DiGraph()
        for path in paths:
            at = (path[0], rule[SENT, 0, path[0]])
            for e in path[1:]:
                then = (e, rule[at[0], at[1], e])
                graph.add_edge(at, then)
                at = then
        if nx.is_directed_acyclic_graph(graph):
            return True
    return False


@given(st.integers(3, 4), st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=5))
def test_fewest_on_a_one_way_ring_equal_trying_all_rules(size: int, chosen: list[tuple[int, int]]) -> None:
    ring = Network("one-way ring", size, range(size), [(i + 1) % size for i in range(size)])
    paths = [tuple((start + i) % size for i in range(min(length, size))) for start, length in chosen]
    queues = fewest_queues(graph_of_paths(ring, paths), range(size))
    assert queues.count == queues.lower_bound
    assert queues.evidence_holds is (None if queues.count == 1 else True)
    assert enough_by_trying(paths, 1) is (queues.count == 1)
    if queues.count > 1:
        assert enough_by_trying(paths, 2) is (queues.count == 2)


@pytest.mark.parametrize(("example", "count"), [("frr-all-links-up", 1), ("frr-two-links-down", 2)])
def test_queues_of_real_routes(example: str, count: int) -> None:
    queues, _ = queues_of(example)
    assert (queues.count, queues.lower_bound, queues.bounces) == (count,) * 3
    assert queues.established == ("one queue" if count == 1 else "Tagger, a tag for each bounce")
    assert queues.evidence_holds is (None if count == 1 else True)


def queues_of(example: str) -> tuple[LosslessQueues, Walk]:
    fabric = read_ethernet(EXAMPLES / example)
    walk = Walk(PfcModel(fabric, (lossless_dscp(fabric),)))
    return fewest_queues(graph_of_walk(walk), fabric.edges), walk


def lossless_dscp(fabric: EthernetFabric) -> int:
    """The first DSCP that a port of the fabric gives a lossless group."""
    ports = [port for qos in fabric.qos for port in (qos.unknown, *qos.ports.values())]
    return next(
        d for d in DSCPS if any(port.tc_to_group[port.traffic_class(d, 0)] in port.lossless for port in ports)
    )


def test_two_tors_need_two_queues_for_a_class_and_one_is_refuted() -> None:
    queues, _ = queues_of("dual-tor-one-queue")
    assert (queues.count, queues.lower_bound, queues.evidence_holds) == (2, 2, True)
    assert queues.entries == [f"{tor}: from t1-0, t1-1, tag 1, to t1-0, t1-1: tag 2" for tor in ("tor-a", "tor-b")]


def test_evidence_of_other_routes_is_refused() -> None:
    queues, _ = queues_of("frr-two-links-down")
    claim = queues.claim
    assert claim is not None
    for turn in claim["proof"]["turns"]:
        turn[2:] = claim["proof"]["turns"][0][2:]
    with pytest.raises(Rejected):
        plain.check(plain.Network(network_of(queues.network)), None, claim)
    assert queues.evidence_holds is False


@pytest.mark.parametrize("text", ["ring(7)", "ring(12)", "mesh(3, 3)"])
def test_shortest_paths_in_the_fewest_queues_are_free(text: str) -> None:
    relation = ospf(text)
    network = relation.network
    queues = fewest_queues(graph_of_relations(network, [relation]), range(network.num_routers))
    assert check(relation).deadlock_free is False
    assert (queues.count, queues.lower_bound, queues.evidence_holds) == (2, 2, True)
    assert check(queues.relation(relation)).deadlock_free


def test_tagger_takes_k_plus_one_queues_for_k_bounces() -> None:
    """Leaves 0 to 2 and spines 3 and 4: one path bounces at two leaves, and others close a cycle with it."""
    ends = [(0, 3), (3, 1), (1, 4), (4, 2), (2, 3), (3, 0), (4, 0), (0, 4)]
    network = Network("bounces", 5, [a for a, _ in ends], [b for _, b in ends])
    circling = fewest_queues(graph_of_paths(network, [(0, 1, 2, 3, 4, 5), (4, 5, 0), (2, 6, 0, 1)]), (0, 1, 2))
    assert circling.bounces == 3
    assert circling.count == circling.lower_bound == 2


def test_routes_that_circle_are_refused() -> None:
    ring = Network("ring", 3, range(3), [1, 2, 0])
    graph = FlowGraph(ring, (SENT, 0, 1, 2), ((1,), (2,), (3,), (1,)))
    with pytest.raises(RelationError, match="circle on these routes"):
        fewest_queues(graph, range(3))


def test_paths_without_failures_are_two_for_each_pair() -> None:
    relation = bgp("xgft([1, 3], [1, 2])")
    paths = graph_of_relations(relation.network, [relation]).paths()
    assert len(paths) == 12
    assert all(len(path) == 2 for path in paths)
