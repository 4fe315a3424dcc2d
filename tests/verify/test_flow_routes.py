"""Routes of flows: permitted ones, spread over what a routing permits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot._base.errors import RelationError
from unknot.network import families, from_edges
from unknot.routing import Relation, dimension_order, dragonfly_ugal, fully_adaptive, nca, up_down
from unknot.routing.relation import EJECT, TIER, VC_MASK
from unknot.verify.flow_routes import route_flows

MADE = (
    nca(families.fat_tree(3, 2)),
    dimension_order(families.torus(4, 3), 2),
    fully_adaptive(families.torus(4, 4)),
    up_down(families.irregular(9, 4, seed=5)),
    dragonfly_ugal(families.dragonfly(2)),
)


def is_permitted(relation: Relation, source: int, home: int, channels: list[int]) -> bool:
    """Whether candidates of the lowest tier lead a header along channels to its terminal, found by sets of VCs."""
    address = int(np.flatnonzero(relation.destination == home)[0])
    if relation.direct is not None:
        address = int(relation.direct_addresses(source, home))
    out, states = np.zeros(relation.max_candidates, dtype=np.int64), {relation.num_vcs + source}

    def offered(at: int) -> list[int]:
        many = relation.rule(at, address, out)
        low = min(int(c) // TIER & 0xFF for c in out[:many])
        return [int(c) & VC_MASK for c in out[:many] if int(c) // TIER & 0xFF == low]

    for channel in channels:
        reached = {vc for at in states for vc in offered(at) if vc != EJECT}
        states = {vc for vc in reached if relation.vcs.channel[vc] == channel}
    return any(EJECT in offered(at) for at in states)


@pytest.mark.parametrize("relation", MADE, ids=lambda one: one.network.name)
@given(data=st.data())
@settings(max_examples=6)
def test_routes_are_permitted_and_add_up(relation, data):
    terminal = st.integers(0, relation.network.num_terminals - 1)
    pairs = data.draw(st.lists(st.tuples(terminal, terminal), min_size=1, max_size=30))
    pairs = [(a, b) for a, b in pairs if a != b] or [(0, 1)]
    phase = sorted(data.draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs))))
    flits = [float(1 + k % 3) for k in range(len(pairs))]
    made = route_flows(relation, *zip(*pairs, strict=True), flits, phase)
    sent = np.zeros(relation.network.num_channels)
    for (a, b), size, route in zip(pairs, flits, made.routes.lists(), strict=True):
        assert is_permitted(relation, a, b, route)
        sent[route] += size / relation.network.bandwidth[route]
    assert np.allclose(sent, made.sent)


@pytest.mark.parametrize(
    ("relation", "best"),
    [(nca(families.fat_tree(4, 2)), 12.0), (fully_adaptive(families.torus(4, 4)), 8.0)],
)
def test_an_exchange_is_spread_as_evenly_as_can_be(relation, best):
    """By counting: 12 messages cross each link of the tree, and 16 × 15 × 32 / 15 hops are on 64 channels."""
    many = relation.network.num_terminals
    pairs = [(a, (a + k) % many) for k in range(1, many) for a in range(many)]
    made = route_flows(relation, *zip(*pairs, strict=True), np.ones(len(pairs)))
    assert best <= made.sent.max() <= best + 1


def test_the_faster_of_two_channels_carries_more():
    two = from_edges([("a", "b", 1, 3), ("a", "b", 1, 1), ("b", "a", 1, 1)], directed=True)
    made = route_flows(fully_adaptive(two), [0] * 8, [1] * 8, np.ones(8))
    assert [route[0] for route in made.routes.lists()].count(0) in (6, 7)


def test_flows_of_earlier_phases_are_not_in_the_way():
    """What the last phase carries decides first: each of two phases takes both ways of a square."""
    square = fully_adaptive(families.mesh(2, 2))
    made = route_flows(square, [0, 0, 0, 0], [3, 3, 3, 3], np.ones(4), [0, 0, 1, 1])
    first = [route[0] for route in made.routes.lists()]
    assert first[0] != first[1]
    assert first[2] != first[3]


def test_routes_are_the_same_whatever_room_there_is(monkeypatch):
    relation = MADE[2]
    pairs = [(a, (a + k) % 16) for k in range(1, 16) for a in range(16)]
    roomy = route_flows(relation, *zip(*pairs, strict=True), np.ones(len(pairs)))
    monkeypatch.setattr("unknot.verify.flow_routes.ROOM", 1)
    tight = route_flows(relation, *zip(*pairs, strict=True), np.ones(len(pairs)))
    assert roomy.routes.lists() == tight.routes.lists()


def test_flows_that_do_not_arrive_and_phases_that_descend_are_refused():
    ring = families.ring(4)

    def nowhere(at: int, address: int, out: np.ndarray) -> int:
        return 0

    with pytest.raises(RelationError, match=r"a flow from t?\(?0.* to .* does not arrive"):
        route_flows(Relation(ring, 1, nowhere, "nowhere"), [0], [2], [1.0])
    with pytest.raises(RelationError, match="ascend"):
        route_flows(dimension_order(ring, 2), [0, 1], [2, 3], [1.0, 1.0], [1, 0])
