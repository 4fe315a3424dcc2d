"""Structured buffer pools: classes that grow with every hop cannot block each other; packets of one class can."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.contract.drawing import draw
from tests.routing.flow_controls.test_damq import explore
from unknot._base.errors import RelationError
from unknot.certificates import Rejected, accept, accept_verdict, document, verdict_claim
from unknot.network import Network
from unknot.network.families import fat_tree, line, mesh, ring, torus
from unknot.routing import dimension_order, hop_number
from unknot.routing.flow_controls import structured_pool
from unknot.simulation import replay, simulate
from unknot.verify import check
from unknot.verify.testing import check_flow_control


@pytest.mark.parametrize("network", [line(4), mesh(3, 3), torus(4, 4), fat_tree(2, 3)], ids=str)
@pytest.mark.parametrize(("slots", "reserved"), [(1, 1), (4, 1), (2, 3)])
def test_classes_of_hops_are_free(network: Network, slots: int, reserved: int) -> None:
    """The claim of the authors; without slots that lower classes lack, higher ones are shut."""
    relation = hop_number(network)
    verdict = check(relation, flow=structured_pool(relation, slots=slots, reserved=reserved))
    assert verdict.deadlock_free is True
    accept_verdict(relation, verdict)
    accept(document(relation.network, relation, [verdict_claim(verdict)]))
    assert check(relation, flow=structured_pool(relation, slots=slots, reserved=0)).deadlock_free is False


def test_what_is_reserved_counts_for_the_checker() -> None:
    """A proof of reserved slots says nothing about a pool that has none."""
    relation = hop_number(line(4))
    free = check(relation, flow=structured_pool(relation))
    with pytest.raises(Rejected, match=r"waits at .* for nothing that drains"):
        accept_verdict(relation, replace(free, flow=structured_pool(relation, reserved=0)))


@pytest.mark.parametrize("slots", [1, 3, 8])
def test_two_routers_block_each_other(slots: int) -> None:
    """Dimension order is free with buffers of its channels, and not where routers share theirs."""
    relation = dimension_order(mesh(3, 3))
    assert check(relation).deadlock_free is True
    verdict = check(relation, flow=structured_pool(relation, slots=slots))
    assert verdict.deadlock_free is False
    accept_verdict(relation, verdict)
    assert replay(relation, verdict.configuration).stuck


def test_a_run_meets_it_just_without_classes() -> None:
    for relation, stuck in ((dimension_order(line(4)), True), (hop_number(line(4)), False)):
        flow = structured_pool(relation, slots=1)
        run = simulate(
            relation, 1.0, flow=flow, packet_length=2, buffer_depth=2 * flow.packets, warmup=0, measure=3000
        )
        assert (run.deadlock is not None) is stuck


def test_slots_of_classes() -> None:
    relation = hop_number(line(3), vcs=2)
    flow = structured_pool(relation, slots=3, reserved=2)
    target = relation.network.target[relation.vcs.channel]
    assert [(pool.slots, {int(target[v]) for v in pool.vcs}) for pool in flow.pools] == [
        (slots, {router}) for router in range(3) for slots in (3, 5)
    ]  # fmt: skip
    assert flow.packets == 5
    for low, high in zip(flow.pools[::2], flow.pools[1::2], strict=True):
        into = np.flatnonzero(target == target[low.vcs[0]]).tolist()
        assert (set(low.vcs), set(high.vcs)) == ({v for v in into if v % 2 == 0}, {*into})
    for number, inner in enumerate(flow.inner):
        assert inner == ([flow.pools[number - 1]] if number % 2 else [])
    # However many lower packets a router may hold, they fill three of its slots.
    low, high = flow.pools[2:4]
    held = [5 * (v in low.vcs) for v in range(relation.num_vcs)]
    assert (high.free(held), high.free(held, flow.inner[3])) == (5 - 5 * len(low.vcs), 2)


def test_slots_are_needed() -> None:
    relation = dimension_order(ring(4))
    with pytest.raises(RelationError, match="slots"):
        structured_pool(relation, slots=0)
    with pytest.raises(RelationError, match="reserved"):
        structured_pool(relation, reserved=-1)


@pytest.mark.long
def test_as_its_states() -> None:
    assert Counter(check_flow_control(structured_pool, slots=1).values())[False] > 0
    hops = [(network, "hop_number") for network in ("line(3)", "ring(3)", "ring(3, directed=true)")]
    assert [*check_flow_control(structured_pool, hops, slots=1).values()] == [True] * 3
    assert False in check_flow_control(structured_pool, hops, slots=1, reserved=0).values()


def judge(seed: int, seen: Counter[str], limit: int) -> None:
    """Decide one drawn relation, or hops counted on its network, under structured pools, and explore it."""
    chance = random.Random(seed)
    relation, _ = draw(chance.randrange(1 << 40), small=True)
    if chance.random() < 0.4:
        relation = hop_number(relation.network)
    slots, reserved = chance.choice(((1, 0), (2, 0), (1, 1), (1, 2), (2, 1)))
    explore(seed, relation, structured_pool(relation, slots=slots, reserved=reserved), seen, limit)


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
    assert seen["open"] <= 4, (first, seen)
