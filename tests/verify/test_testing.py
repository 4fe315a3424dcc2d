"""The public checks find what is wrong with relations and routings, and the strategies draw nothing that is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.conformance import check_network
from tests.drawing import draw_until
from tests.reference.brute_force import states_of
from tests.strategies import networks, relations, table_relation
from unknot._base.errors import RelationError
from unknot.network import Network, Places
from unknot.network.families import complete, line, mesh, ring, torus
from unknot.routing import EJECT, NO_WAIT, Relation, dimension_order, west_first
from unknot.routing.parts import Published
from unknot.routing.tabulate import compile_relation
from unknot.verify.testing import NETWORKS, ConformanceError, check_relation, check_routing


def straight(at: int, address: int, out: Any) -> int:
    """On line(3) with one VC: channels 0 … 3 are 0→1, 1→2, 1→0, 2→1."""
    here = (1, 2, 0, 1, 0, 1, 2)[at]
    if here == address:
        out[0] = EJECT
    elif here < address:
        out[0] = (0, 1)[here]
    else:
        out[0] = (-1, 2, 3)[here]
    return 1


def test_good_relations_pass() -> None:
    check_relation(dimension_order(mesh(3, 2)))
    claims = {"saf": True, "wormhole": True, "wormhole-nonatomic": True}
    check_relation(Relation(line(3), 1, straight, name="straight", published=Published(claims, claims_minimal=True)))
    check_relation(Relation(line(3), 1, straight, name="straight"))


def test_wrong_claims_are_found() -> None:
    relation = Relation(line(3), 1, straight, name="mine")
    for claims, message in (
        ({"wormhole": False}, "mine: it claims that under wormhole it can deadlock, but"),
        ({"vct": True, "saf": False}, "mine: it claims that under saf it can deadlock, but"),
    ):
        with pytest.raises(ConformanceError, match=message):
            check_relation(replace(relation, published=replace(relation.published, claims=claims)), compiled=False)
    unsafe = dimension_order(ring(4))
    with pytest.raises(ConformanceError, match="claims that under wormhole it cannot deadlock, but"):
        check_relation(
            replace(unsafe, published=replace(unsafe.published, claims={"wormhole": True})), compiled=False
        )
    with pytest.raises(ConformanceError, match="it claims to be not minimal, but every route is a shortest"):
        check_relation(replace(relation, published=replace(relation.published, claims_minimal=False)), compiled=False)


def test_detours_are_found() -> None:
    """The long way round a ring of three."""
    network = ring(3)
    up = [int(network.between(r, (r + 1) % 3)[0]) for r in range(3)]
    table = {}
    for address in range(3):
        for at in range(9):
            here = int(network.target[at]) if at < 6 else at - 6
            table[at, address] = [EJECT] if here == address else [up[here]]
    relation = table_relation(network, 1, table, claims_minimal=True)
    with pytest.raises(ConformanceError, match="claims to be minimal, but a route is longer than the shortest"):
        check_relation(relation, compiled=False)


def test_undelivered_pairs_are_found() -> None:
    relation = table_relation(line(3), 1, {(4, 2): [0]})
    with pytest.raises(ConformanceError, match="pairs are not delivered"):
        check_relation(relation, compiled=False)


def test_illegal_answers_are_found() -> None:
    for wrong, message in (
        ([2], "does not leave router"),
        ([EJECT], "it ejects at"),
        ([NO_WAIT], "wait for nothing"),
    ):
        with pytest.raises(RelationError, match=message):
            check_relation(table_relation(line(3), 1, {(4, 2): wrong}), compiled=False)
    with pytest.raises(ConformanceError, match="injection port of t0 for t2: it offers the same candidate twice"):
        check_relation(table_relation(line(3), 1, {(4, 2): [0, 0]}), compiled=False)


def test_moody_rules_are_found() -> None:
    asked: Counter[tuple[int, int]] = Counter()

    def moody(patience: int) -> Relation:
        def rule(at: int, address: int, out: Any) -> int:
            asked[at, address] += 1
            return straight(at, address, out) if asked[at, address] <= patience else 0

        asked.clear()
        return Relation(line(3), 1, rule, name="moody")

    with pytest.raises(ConformanceError, match="asked twice, it answers differently"):
        check_relation(moody(1), compiled=False)
    with pytest.raises(ConformanceError, match="asked again later, it answers differently"):
        check_relation(moody(2), compiled=False)
    with pytest.raises(ConformanceError, match="the compiled rule does not answer as the plain one"):
        check_relation(moody(3), compiled=False)


def test_compiled_rules_that_differ_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a rule captured was changed after it had been compiled."""
    table = np.array([straight_value(at, address) for at in range(7) for address in range(3)], dtype=np.int64)

    def reading(at: int, address: int, out: Any) -> int:
        out[0] = table[3 * at + address]
        return 1

    changed = Relation(line(3), 1, reading, name="changed")
    before = compile_relation(changed)
    assert not before.tabulated
    check_relation(changed)
    monkeypatch.setattr("unknot.routing.tabulate.compile_relation", lambda relation: before)
    table[3 * 4 + 0] = 0  # t0 to itself now goes to router 1 first, and back
    with pytest.raises(ConformanceError, match="for t0: the compiled rule does not answer as the plain one"):
        check_relation(changed)


def straight_value(at: int, address: int) -> int:
    out = np.zeros(1, dtype=np.int64)
    straight(at, address, out)
    return int(out[0])


def test_networks() -> None:
    for network in (line(1), ring(2), mesh(3, 3), torus(4, 2, 3), mesh(3, 3).without(routers=[4])):
        check_network(network)
    named = Network("n", 3, [0, 1, 2], [1, 2, 0], places=Places(router_labels=("2", "0", "1")))
    check_network(named)
    check_network(Network("n", 3, [0, 1], [1, 2], places=Places(router_labels=("a b", "#", "#"))))


def test_broken_networks_are_found() -> None:
    loose = mesh(3, 2)
    loose.source.setflags(write=True)
    with pytest.raises(ConformanceError, match="source must be a read-only int32 array"):
        check_network(loose)
    lost = mesh(3, 2)
    first, channels = lost.outgoing
    lost.__dict__["outgoing"] = (first, channels[::-1])
    with pytest.raises(ConformanceError, match="outgoing lists a channel at the wrong router"):
        check_network(lost)
    lost.__dict__["outgoing"] = (first, np.zeros_like(channels))
    with pytest.raises(ConformanceError, match="outgoing does not list every channel once"):
        check_network(lost)


@given(relations(networks(loops=True, strongly_connected=None)))
@settings(max_examples=20)
def test_drawn_relations_are_well_formed(relation: Relation) -> None:
    """Every reachable answer passes the checks of `Relation.candidates`; minimal ones are, single ones are."""
    for answers in states_of(relation):
        for at, answer in answers.items():
            assert answer.waits <= answer.may
            if relation.name == "single":
                assert len(answer.may) + answer.may_leave <= 1
            if relation.name == "escape" and at < relation.num_vcs:
                assert answer.may or answer.may_leave


def test_strategies_draw_every_shape() -> None:
    seen: Counter[str] = Counter()

    @given(relations(networks(loops=True, strongly_connected=None)))
    @settings(max_examples=37)
    def look(relation: Relation) -> None:
        network = relation.network
        pairs = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
        answers = [answer for answers in states_of(relation) for answer in answers.values()]
        seen[relation.name] += 1
        seen["parallel channels"] += len(set(pairs)) < len(pairs)
        seen["one way"] += any((v, u) not in pairs for u, v in pairs)
        seen["loop"] += any(u == v for u, v in pairs)
        seen["differing latencies"] += len(set(network.latency.tolist())) > 1
        seen["differing VCs"] += len(set(relation.vcs.counts.tolist())) > 1
        seen["free terminals"] += network.inject.tolist() != list(range(network.num_routers))
        seen["ejects elsewhere"] += network.inject.tolist() != network.eject.tolist()
        seen["commits"] += relation.commits
        seen["several addresses"] += relation.may_use is not None
        seen["marks"] += any(answer.waits != answer.may for answer in answers)
        seen["dead end"] += any(not answer.may and not answer.may_leave for answer in answers)
        seen["passes home"] += any(answer.may and answer.may_leave for answer in answers)

    draw_until(lambda: len(seen) == 5 + 12 and min(seen.values()) >= 5, look)


SMALL = ["line(3)", "mesh(2, 2)", "ring(4)", "complete(3)"]


def plain(network: Network) -> Relation:
    return west_first(network)


def test_a_good_one_passes_where_it_applies() -> None:
    assert check_routing(plain, SMALL) == ("line(3)", "mesh(2, 2)")
    assert check_routing(plain, [mesh(3, 2), ring(4)]) == ("mesh(3, 2)",)
    assert "mesh(3, 3)" in check_routing(plain)
    assert len(set(NETWORKS)) == len(NETWORKS)


def test_refusing_everything_is_no_algorithm() -> None:
    with pytest.raises(ConformanceError, match="plain refuses every network it was tried on"):
        check_routing(plain, ["ring(4)", "complete(3)"])


def test_other_exceptions_are_no_refusal() -> None:
    def careless(network: Network) -> Relation:
        if network.coordinates is None:
            raise KeyError("x")
        return plain(network)

    with pytest.raises(ConformanceError, match=r"careless on complete\(3\): .* must be refused by an UnknotError"):
        check_routing(careless, SMALL[::-1])


def test_what_is_returned_must_be_a_relation_of_the_network() -> None:
    for wrong in (None, dimension_order(line(3))):

        def returns(network: Network, wrong: Any = wrong) -> Any:
            return wrong

        with pytest.raises(ConformanceError, match=r"returns on line\(3\): it returned .*, not a relation of that"):
            check_routing(returns, SMALL)


def test_moods_are_found() -> None:
    turn = count()

    def moody(network: Network) -> Relation:
        order = [0, 1] if next(turn) % 2 else [1, 0]
        return dimension_order(network, order=order)

    with pytest.raises(ConformanceError, match=r"moody on mesh\(2, 2\): .* made twice, it answers differently"):
        check_routing(moody, ["mesh(2, 2)"])

    def growing(network: Network) -> Relation:
        return dimension_order(network, vcs=1 + next(turn))

    with pytest.raises(ConformanceError, match="made twice, it has other VCs or addresses"):
        check_routing(growing, ["mesh(2, 2)"])


def test_false_claims_are_found_with_the_network() -> None:
    def boastful(network: Network) -> Relation:
        return replace(dimension_order(network), published=Published({"vct": True}))

    assert check_routing(boastful, ["line(3)"]) == ("line(3)",)
    with pytest.raises(ConformanceError, match=r"boastful on ring\(4\): .* under vct it cannot deadlock, but"):
        check_routing(boastful, SMALL)


def test_broken_rules_are_found_with_the_network() -> None:
    def broken(network: Network) -> Relation:
        if network.num_routers > 3:
            raise RelationError("too large")
        return replace(dimension_order(network), rule=lambda at, address, out: 99)

    with pytest.raises(ConformanceError, match=r"broken on line\(3\): .*the rule returned 99"):
        check_routing(broken, [complete(5), *SMALL])
