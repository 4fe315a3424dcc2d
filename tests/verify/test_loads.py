"""Channel loads against walks written out, closed forms, and the linear program."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from tests.drawing import draw_until
from tests.strategies import networks, relations, table_relation
from unknot._base.errors import RelationError, UnknotError
from unknot.network import Network, from_edges
from unknot.network.families import hypercube, line, mesh, ring, torus
from unknot.routing import (
    EJECT,
    TIER,
    Relation,
    VirtualChannels,
    dimension_order,
    duato,
    fully_adaptive,
    lcfaa,
    o1turn,
    vba,
)
from unknot.verify import deliver
from unknot.verify.best_split import best_loads
from unknot.verify.loads import Loads, loads, rates


def walked(relation: Relation, matrix: np.ndarray) -> tuple[list[Fraction], list[Fraction]]:
    """Loads of all VCs, each walk followed by itself, and what is sent first into VCs of each number.

    The relation must not go round.
    """
    load, sent = [Fraction(0)] * relation.num_vcs, [Fraction(0)] * relation.vcs.widest

    def walk(at: int, address: int, flow: Fraction) -> None:
        found = relation.candidates(at, address)
        lowest = [c for c in found if c.tier == min(f.tier for f in found)]
        for candidate in lowest:
            if candidate.vc is not None:
                part = flow / len(lowest)
                load[candidate.vc] += part
                if at >= relation.num_vcs:
                    sent[relation.vcs.index[candidate.vc]] += part
                walk(candidate.vc, address, part)

    for source in range(relation.network.num_terminals):
        for home in range(relation.network.num_terminals):
            mine = [a for a in range(relation.num_addresses) if relation.destination[a] == home]
            mine = [a for a in mine if relation.may_use is None or relation.may_use[source, a]]
            for address in mine:
                if matrix[source, home]:
                    walk(relation.num_vcs + source, address, Fraction(matrix[source, home]) / len(mine))
    return load, sent


def one_route_each(relation: Relation, matrix: np.ndarray) -> bool:
    """Whether each message has one sequence of channels, all of them written out; the relation must not go round."""

    def routes(at: int, address: int) -> set[tuple[int, ...]]:
        found = set()
        for candidate in relation.candidates(at, address):
            if candidate.vc is None:
                found.add(())
            else:
                channel = int(relation.vcs.channel[candidate.vc])
                found |= {(channel, *rest) for rest in routes(candidate.vc, address)}
        return found

    return all(
        len(routes(relation.num_vcs + source, address)) == 1
        for address, home in enumerate(relation.destination.tolist())
        for source in range(relation.network.num_terminals)
        if matrix[source, home] and (relation.may_use is None or relation.may_use[source, address])
    )


def test_loads_of_random_relations_are_those_of_all_walks() -> None:
    seen = {"compared": 0, "refused": 0}

    @given(relations(networks(max_routers=5, max_channels=10)))
    @settings(max_examples=10)
    def run(relation: Relation) -> None:
        delivery = deliver(relation)
        terminals = relation.network.num_terminals
        matrix = np.arange(terminals**2, dtype=float).reshape(terminals, terminals) / 8
        try:
            found = loads(relation, matrix)
        except RelationError:
            seen["refused"] += 1
            return
        if not delivery.livelock_free:
            return
        seen["compared"] += 1
        by_vc, sent = walked(relation, matrix)
        expected, highest = [Fraction(0)] * relation.network.num_channels, [Fraction(0)] * relation.vcs.widest
        for vc, load in enumerate(by_vc):
            expected[relation.vcs.channel[vc]] += load
            highest[relation.vcs.index[vc]] = max(load, highest[relation.vcs.index[vc]])
        assert found.vc_sent == pytest.approx([float(x) for x in sent])
        assert found.vc_highest == pytest.approx([float(x) for x in highest])
        assert found.channel == pytest.approx([float(x) for x in expected])
        assert found.highest == pytest.approx(float(max(expected, default=0)))
        assert found.mean_hops * matrix.sum() == pytest.approx(float(sum(expected)))
        best = best_loads(relation, matrix)
        assert best.highest <= found.highest + 1e-6
        if delivery.delivered:
            assert best.forced == found.forced == one_route_each(relation, matrix)
        if found.forced:
            assert best.channel == pytest.approx(found.channel, abs=1e-6)

    draw_until(lambda: seen["compared"] > 15 and seen["refused"] > 5, run)


def test_vcs_of_one_channel_may_be_a_choice_of_routes() -> None:
    """From a to d by way of b: VC 0 goes on to c, VC 1 of a higher tier goes to d at once."""
    network = from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("b", "d")], directed=True)
    counts = [2, 1, 1, 1]

    def relation(second: int) -> Relation:
        def rule(at: int, address: int, out: np.ndarray) -> int:
            out[0], out[1] = (2, second, 3, EJECT, EJECT, 0, 2, 3, EJECT)[at], 1 + TIER
            return 2 if at == 5 else 1

        return Relation(network, VirtualChannels(network, counts), rule)

    traffic = [3, -1, -1, -1]
    for second, forced in ((4, False), (2, True)):
        found, best = loads(relation(second), traffic), best_loads(relation(second), traffic)
        assert (found.forced, best.forced, found.method) == (forced, forced, "routes")
        assert found.channel.tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("relation", "highest", "hops"),
    [
        (dimension_order(mesh(4, 4)), 4 / 4, 2.5),
        (dimension_order(mesh(8)), 8 / 4, 63 / 24),
        (fully_adaptive(ring(8)), 8 / 8, 2.0),
        (dimension_order(hypercube(4)), 0.5, 2.0),
        (vba(hypercube(3)), 0.5, 1.5),
        (dimension_order(torus(4, 4), 2, either_way=True), 0.5, 2.0),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_uniform_traffic_in_closed_form(relation: Relation, highest: float, hops: float) -> None:
    """k/4 on a line of k, k/8 on a ring (k even), 1/2 on a hypercube; hops are the mean distance, self included."""
    found = loads(relation)
    assert found.highest == pytest.approx(highest)
    assert found.mean_hops == pytest.approx(hops)
    assert found.throughput == pytest.approx(1 / max(highest, 1.0))
    assert found.busiest is not None
    assert found.channel[found.busiest] == found.highest


def test_permutations() -> None:
    """Transpose on a k × k mesh by dimension order: the corner's row carries k − 1; tornado round a ring."""
    network = mesh(6, 6)
    transpose = [(i % 6) * 6 + i // 6 for i in range(36)]
    found = loads(dimension_order(network), transpose)
    assert (found.highest, found.method, found.forced) == (5.0, "routes", True)
    assert best_loads(fully_adaptive(network), transpose).highest < 2.5
    tornado = [(i + 3) % 8 for i in range(8)]
    round_the_ring = dimension_order(ring(8), 2)
    assert loads(round_the_ring, tornado).highest == 3.0
    assert loads(round_the_ring, [-1] * 7 + [0]).highest == 1.0
    nobody = loads(round_the_ring, [-1] * 8)
    assert (nobody.highest, nobody.busiest, nobody.mean_hops, nobody.throughput) == (0.0, None, 0.0, float("inf"))


def test_splitting_and_the_best_split() -> None:
    """A square: two paths to the opposite corner, shared equally; with three tiers only the lowest is taken."""
    network = mesh(2, 2)
    across = [3, -1, -1, -1]
    relation = fully_adaptive(network)
    found = loads(relation, across)
    assert (found.method, found.forced, found.highest) == ("equal", False, 0.5)
    assert best_loads(relation, across).highest == pytest.approx(0.5)
    rule = relation.rule

    def first(at: int, address: int, out: np.ndarray) -> int:
        count = rule(at, address, out)
        for i in range(1, count):
            out[i] += TIER
        return count

    tiers = Relation(network, 1, first)
    one = loads(tiers, across)
    assert (one.method, one.forced, one.highest) == ("routes", False, 1.0)
    assert best_loads(tiers, across).highest == pytest.approx(0.5)


def test_progress_counts_all_addresses() -> None:
    heard: list[tuple[str, int, int]] = []
    loads(o1turn(mesh(2, 2)), progress=lambda *news: heard.append(news))
    assert heard == [("addresses", i, 8) for i in range(1, 9)]


def test_virtual_channels_do_not_change_the_best_split() -> None:
    network = mesh(4, 3)
    plain = best_loads(fully_adaptive(network))
    for relation in (duato(network), vba(network), lcfaa(network), fully_adaptive(network, 3)):
        assert best_loads(relation).highest == pytest.approx(plain.highest, abs=1e-6)


def test_several_addresses_share_the_traffic() -> None:
    network = mesh(4, 4)
    both = loads(o1turn(network), [(i % 4) * 4 + i // 4 for i in range(16)])
    assert both.highest == pytest.approx(1.5)
    assert both.forced


@pytest.mark.parametrize("split", [loads, best_loads])
def test_terminals_limit_the_throughput_too(split: Callable[..., Loads]) -> None:
    """Two neighbours send to the middle of a line, or the middle to both: two flits for one flit a cycle."""
    relation = dimension_order(line(3))
    for matrix in (np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]]), np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0]])):
        found = split(relation, matrix)
        assert found.highest == pytest.approx(1.0)
        assert found.throughput == pytest.approx(0.5)


@pytest.mark.parametrize("split", [loads, best_loads])
def test_traffic_is_divided_over_the_addresses_a_source_may_use(split: Callable[..., Loads]) -> None:
    """Two parallel channels, an address for each; the first terminal may use both, the second only the second."""
    network = Network("pair", 2, np.array([0, 0]), np.array([1, 1]), inject=np.array([0, 0]), eject=np.array([1, 1]))
    table = {(2, 0): [0], (2, 1): [1], (3, 1): [1], (0, 0): [EJECT], (1, 1): [EJECT]}
    may_use = np.array([[True, True], [False, True]])
    relation = table_relation(network, 1, table, addresses=2, destination=[0, 0], may_use=may_use)
    found = split(relation, np.array([[0.5, 0.0], [0.25, 0.0]]))
    assert found.channel == pytest.approx([0.25, 0.5])
    assert found.forced


def test_walks_that_go_round_end_in_the_mean() -> None:
    """From r0 a packet goes on to r1 or back with equal chance: it passes the first channel twice on average."""
    network = from_edges([(0, 1), (1, 0), (1, 2)], directed=True)
    relation = table_relation(network, 1, {(3, 2): [0], (0, 2): [1, 2], (1, 2): [0], (2, 2): [EJECT]})
    found = loads(relation, [2, -1, -1])
    assert found.channel == pytest.approx([2.0, 1.0, 1.0])
    assert not found.forced
    assert best_loads(relation, [2, -1, -1]).channel == pytest.approx([1.0, 0.0, 1.0])


def test_traffic_that_does_not_arrive_is_refused() -> None:
    network = from_edges([(0, 1), (1, 0), (1, 2)], directed=True)
    dead = table_relation(network, 1, {(3, 2): [0]})
    with pytest.raises(RelationError, match="bound for t2 runs into a dead end at r0→r1"):
        loads(dead, [2, -1, -1])
    with pytest.raises(RelationError, match="cannot be delivered"):
        best_loads(dead, [2, -1, -1])
    lost = table_relation(network, 1, {(3, 2): [0], (0, 2): [1], (1, 2): [0]})
    with pytest.raises(RelationError, match="may never leave the network from the injection port of t0 on"):
        loads(lost, [2, -1, -1])
    closed = table_relation(network, 1, {(3, 2): [0]}, may_use=np.zeros((3, 3), dtype=bool))
    with pytest.raises(RelationError, match="t0 is to send to t2, but has no address for it"):
        loads(closed, [2, -1, -1])


@pytest.mark.parametrize(
    "traffic", ["bursty", [0], [4, 0, 0], [[0.5]], np.full((3, 3), -1.0), np.full((3, 3), np.nan), [0.5] * 3]
)
def test_traffic_that_makes_no_sense(traffic: object) -> None:
    with pytest.raises(UnknotError, match="traffic"):
        loads(fully_adaptive(ring(3)), traffic)


def test_uniform_traffic_includes_oneself_where_the_rule_serves_it() -> None:
    assert rates(fully_adaptive(ring(4)))(0).tolist() == [0.25] * 4
    network = from_edges([(0, 1), (1, 0)], directed=True)
    lonely = table_relation(network, 1, {(2, 1): [0], (0, 1): [EJECT], (3, 0): [1], (1, 0): [EJECT]})
    assert rates(lonely)(0).tolist() == [0.0, 1.0]
    assert loads(lonely).channel.tolist() == [1.0, 1.0]


def test_without_channels() -> None:
    found = loads(
        fully_adaptive(Network("dot", 1, np.zeros(0, np.int32), np.zeros(0, np.int32), inject=np.array([0, 0])))
    )
    assert (found.highest, found.throughput) == (0.0, 1.0)


def test_routes_are_forced_or_not() -> None:
    for routing, forced in ((dimension_order, True), (fully_adaptive, False)):
        relation = routing(mesh(2, 2))
        assert loads(relation, np.ones((4, 4))).forced is best_loads(relation, np.ones((4, 4))).forced is forced
