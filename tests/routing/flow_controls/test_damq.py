"""Shared slots of an input port: with a slot reserved for each VC as under virtual cut-through, without refuted."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.contract.drawing import draw
from unknot._base.errors import RelationError
from unknot.certificates import accept, accept_verdict, document, verdict_claim
from unknot.flow_control import FlowControl
from unknot.network import Network
from unknot.network.families import fat_tree, mesh, ring, torus
from unknot.routing import Relation, dimension_order, duato
from unknot.routing.flow_controls import damq
from unknot.routing.named import routing
from unknot.verify import check
from unknot.verify.testing import check_flow_control
from unknot.verify.testing_flow import States


def test_a_dateline_needs_reserved_slots() -> None:
    relation = dimension_order(torus(4, 4), vcs=2)
    for reserved, free in ((0, False), (1, True), (2, True)):
        verdict = check(relation, flow=damq(relation, reserved=reserved))
        assert verdict.deadlock_free is free
        accept_verdict(relation, verdict)
        accept(document(relation.network, relation, [verdict_claim(verdict)]))
    assert repr(verdict).startswith("<Verdict deadlock-free under damq(slots=4, reserved=2)")


def test_slots_are_needed() -> None:
    relation = dimension_order(ring(4))
    with pytest.raises(RelationError, match="without a slot no packet can enter"):
        damq(relation, slots=0, reserved=0)
    with pytest.raises(RelationError, match="reserved"):
        damq(relation, reserved=-1)
    assert check(relation, flow=damq(relation, slots=0)).deadlock_free is False


@pytest.mark.parametrize(
    ("network", "name"), [(mesh(4, 4), "lcfaa"), (torus(4, 4), "duato"), (fat_tree(2, 3), "nca")], ids=str
)
def test_reserved_slots_are_as_without_pools(network: Network, name: str) -> None:
    relation = routing(network, name)
    assert check(relation, flow=damq(relation)).deadlock_free is check(relation).deadlock_free is True


def test_a_lane_to_escape_needs_a_slot_of_its_own() -> None:
    relation = duato(torus(4, 4))
    verdict = check(relation, flow=damq(relation, reserved=0))
    assert verdict.deadlock_free is False
    accept_verdict(relation, verdict)


@pytest.mark.long
def test_as_its_states() -> None:
    found = check_flow_control(damq, slots=1)
    assert Counter(found.values())[False] > 0
    dated = [("ring(3, directed=true)", "dimension_order(vcs=2)")]
    assert [*check_flow_control(damq, dated, slots=1, reserved=0).values()] == [False]
    assert [*check_flow_control(damq, dated, slots=0).values()] == [True]


def judge(seed: int, seen: Counter[str], limit: int) -> None:
    """Decide one drawn relation whose channels share slots, and explore it."""
    chance = random.Random(seed)
    relation, _ = draw(chance.randrange(1 << 40), small=True)
    slots, reserved = chance.choice(((1, 0), (2, 0), (1, 1), (0, 1), (2, 1), (0, 2)))
    explore(seed, relation, damq(relation, slots=slots, reserved=reserved), seen, limit)


def explore(seed: int, relation: Relation, flow: FlowControl, seen: Counter[str], limit: int) -> None:
    """Decide a relation with pools, and explore it."""
    seen["all"] += 1
    search = States(relation, flow).deadlock(limit)
    if not search.complete:
        seen["too large"] += 1
        return
    stuck = search.run is not None
    verdict = check(relation, flow=flow)
    if verdict.deadlock_free is None:
        seen["open"] += 1
        return
    assert verdict.deadlock_free is not stuck, (seed, verdict)
    accept_verdict(relation, verdict)
    seen["stuck" if stuck else "free"] += 1


@pytest.mark.campaign
def test_many_drawn_relations() -> None:
    seen: Counter[str] = Counter()
    first = random.randrange(1 << 40)
    for seed in range(first, first + 1200):
        judge(seed, seen, 3000)
    print(f"\nrelations from {first} on: {dict(sorted(seen.items()))}")
    assert seen["stuck"] + seen["free"] >= 300
    assert min(seen["stuck"], seen["free"]) >= 30


def test_drawn_relations() -> None:
    seen: Counter[str] = Counter()
    first = random.randrange(1 << 40)
    for seed in range(first, first + 25):
        judge(seed, seen, 800)
    assert seen["open"] <= 2, (first, seen)
