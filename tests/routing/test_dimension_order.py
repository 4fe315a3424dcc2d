"""Dimension order against an independent walk, and its claims against the prover."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.reference.brute_force import States, states_of
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, Places, distances_from, from_edges
from unknot.network.families import complete, hypercube, line, mesh, ring, torus
from unknot.routing import Relation, dimension_order
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation

GRIDS = [line(5), ring(5), ring(6), mesh(3, 4), mesh(2, 1, 3), torus(4, 3), torus(2, 5), torus(3, 3, 2), hypercube(3)]


def walk(network: Network, source: int, target: int, order: Sequence[int], down: bool = False) -> list[int]:
    """Routers on the way, by coordinates alone: one dimension after the other, the shorter way round.

    Of two equally short ways round a ring the upward one, or with `down` the other.
    """
    assert network.coordinates is not None
    place = network.coordinates[source].tolist()
    goal = network.coordinates[target].tolist()
    strides = np.cumprod([1, *network.radices[:-1]]).tolist()
    path = [source]
    for i in order:
        k = network.radices[i]
        while place[i] != goal[i]:
            step = 1 if goal[i] > place[i] else -1
            if network.name.startswith(("ring", "torus")):
                up, back = (goal[i] - place[i]) % k, (place[i] - goal[i]) % k
                step = 1 if up < back or (up == back and not down) else -1
            place[i] = (place[i] + step) % k
            path.append(int(np.dot(place, strides)))
    return path


def routes(relation: Relation, states: States, source: int, address: int) -> set[tuple[int, ...]]:
    """All sequences of routers a packet may take, VCs left out."""
    network = relation.network
    answers = states[address]
    found: set[tuple[int, ...]] = set()
    todo = [(relation.num_vcs + source, (int(network.inject[source]),))]
    while todo:
        at, path = todo.pop()
        if answers[at].may_leave:
            found.add(path)
        todo += [(vc, (*path, int(relation.vcs.router[vc]))) for vc in answers[at].may]
    return found


@pytest.mark.parametrize("network", GRIDS, ids=lambda network: network.name)
@pytest.mark.parametrize("backwards", [False, True])
def test_equals_independent_walk(network: Network, backwards: bool) -> None:
    order = list(range(len(network.radices)))[:: -1 if backwards else 1]
    relation = dimension_order(network, order=order if backwards else None)
    states = states_of(relation)
    for source in range(network.num_routers):
        for target in range(network.num_routers):
            expected = tuple(walk(network, source, target, order))
            assert routes(relation, states, source, target) == {expected}
            assert len(expected) - 1 == distances_from(network, source)[target]


@pytest.mark.parametrize("network", [ring(6), torus(4, 3)], ids=lambda network: network.name)
@pytest.mark.parametrize("dateline", ["none", "crossing", "entry"])
def test_either_way_offers_both_ways_when_equal(network: Network, dateline: str) -> None:
    relation = dimension_order(network, 2, either_way=True, dateline=dateline)
    order = range(len(network.radices))
    states = states_of(relation)
    for source in range(network.num_routers):
        for target in range(network.num_routers):
            found = routes(relation, states, source, target)
            assert tuple(walk(network, source, target, order)) in found
            assert tuple(walk(network, source, target, order, down=True)) in found
            assert {len(path) - 1 for path in found} == {distances_from(network, source)[target]}


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("network", GRIDS, ids=lambda network: network.name)
@pytest.mark.parametrize(("vcs", "dateline"), [(1, "none"), (2, "auto"), (2, "crossing"), (4, "entry")])
def test_conformance(network: Network, vcs: int, dateline: str) -> None:
    """Legal everywhere, delivered, minimal, and the claim for every technique is the verdict."""
    relation = dimension_order(network, vcs, dateline=dateline)
    assert set(relation.claims) == set(SWITCHINGS)
    if (vcs, network.name) == (1, "ring(5)"):
        check_relation(relation, compiled=False)
    else:
        check_relation(relation, compiled=False)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("either_way", [False, True])
@pytest.mark.parametrize("k", range(3, 10))
def test_datelines_cut_every_ring(k: int, either_way: bool) -> None:
    for dateline in ("crossing", "entry"):
        relation = dimension_order(ring(k), 2, dateline=dateline, either_way=either_way)
        assert all(check(relation, switching).deadlock_free for switching in SWITCHINGS)
    bare = dimension_order(ring(k), 2, dateline="none", either_way=either_way)
    assert check(bare, "wormhole").deadlock_free == (k == 3)
    assert bare.claims["wormhole"] == (k == 3)


def classes_used(relation: Relation, source: int, target: int) -> list[int]:
    """The half of the VCs used at every hop of the way, which must be the same for every choice."""
    answers = states_of(relation)[target]
    at, used = relation.num_vcs + source, []
    while not answers[at].may_leave:
        kinds = {int(relation.vcs.index[vc]) * 2 // relation.vcs.counts[0] for vc in answers[at].may}
        assert len(kinds) == 1
        used.append(kinds.pop())
        at = max(answers[at].may)
    return used


def test_classes_by_hand() -> None:
    """Ring of 8, upward from 6 to 1 over the wrap link, from 0 to 3 without it, and downward both."""
    crossing, entry = (dimension_order(ring(8), 4, dateline=kind) for kind in ("crossing", "entry"))
    assert classes_used(crossing, 6, 1) == [0, 0, 1]
    assert classes_used(crossing, 0, 3) == [1, 1, 1]
    assert classes_used(crossing, 1, 6) == [0, 0, 1]
    assert classes_used(crossing, 3, 0) == [1, 1, 1]
    assert classes_used(entry, 6, 1) == [1, 1, 1]
    assert classes_used(entry, 0, 3) == [0, 0, 0]
    assert classes_used(entry, 1, 6) == [1, 1, 1]
    assert classes_used(entry, 3, 0) == [0, 0, 0]
    grid = dimension_order(torus(8, 8), 2, dateline="entry")
    assert classes_used(grid, 6, 3 * 8 + 1) == [1, 1, 1, 0, 0, 0]


def test_auto_dateline_is_where_it_helps() -> None:
    assert dimension_order(mesh(3, 3), 3).name == "dimension_order"
    assert dimension_order(torus(2, 2), 3).name == "dimension_order"
    assert dimension_order(torus(4, 4), 1).name == "dimension_order"
    assert dimension_order(torus(4, 4), 2).name == "dimension_order with crossing dateline"


def test_all_vcs_are_offered() -> None:
    relation = dimension_order(mesh(3, 3), 3)
    assert len(relation.candidates(relation.num_vcs, 8)) == 3
    relation = dimension_order(torus(4, 4), 6)
    assert len(relation.candidates(relation.num_vcs, 5)) == 3


def test_faulty_mesh() -> None:
    """A dead router or link leaves dead ends exactly where the one route used it; the rest is as it was."""
    network = mesh(4, 4)
    faulty = network.without(routers=[5], links=[(10, 14)])
    relation = dimension_order(faulty)
    assert faulty.origin is not None
    origin = faulty.origin.routers.tolist()
    states, lost = states_of(relation), 0
    for s, source in enumerate(origin):
        for t, target in enumerate(origin):
            path = walk(network, source, target, [0, 1])
            hops = list(pairwise(path))
            broken = 5 in path or (10, 14) in hops or (14, 10) in hops
            expected = set() if broken else {tuple(origin.index(r) for r in path)}
            assert routes(relation, states, s, t) == expected
            lost += broken
    found = deliver(relation)
    assert not found.delivered
    assert found.undelivered_pairs == lost
    assert found.dead_ends
    assert check(relation, "wormhole").deadlock_free


def test_faulty_torus_claims_only_what_it_knows() -> None:
    """Without the whole ring the cycle may be gone; then nothing is claimed, and a dateline is still safe."""
    faulty = torus(4, 4).without(links=[(0, 1), (5, 6)])
    assert dimension_order(faulty).claims == {}
    assert dimension_order(faulty, 2).claims["wormhole"]
    assert check(dimension_order(faulty, 2), "wormhole").deadlock_free
    open_ring = ring(5).without(links=[(0, 1)])
    assert check(dimension_order(open_ring), "wormhole").deadlock_free
    lonely = ring(5)
    lonely = Network(
        "one talks",
        5,
        lonely.source,
        lonely.target,
        inject=[0],
        places=Places(coordinates=lonely.coordinates, radices=lonely.radices),
    )
    assert dimension_order(lonely).claims == {}


@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        (torus(4, 4), {"vcs": 3}, "two equal classes; 3 cannot be split: give an even number, or dateline='none'"),
        (torus(4, 4), {"vcs": 1, "dateline": "crossing"}, "1 cannot be split"),
        (torus(4, 4), {"vcs": 0}, "every channel needs at least 1, got 0"),
        (torus(4, 4), {"vcs": -2}, "every channel needs at least 1, got -2"),
        (mesh(2, 2), {"vcs": [1] * 8}, r"one number of VCs for all channels, got \[1, 1"),
        (mesh(2, 2), {"vcs": 1.5}, "one number of VCs for all channels, got 1.5"),
        (torus(4, 4), {"dateline": "crosing"}, "unknown dateline 'crosing'; did you mean crossing"),
        (torus(4, 4), {"order": [0, 0]}, r"order \[0, 0\] must name each of the 2 dimensions once"),
        (torus(4, 4), {"order": [1]}, "must name each of the 2 dimensions once"),
    ],
)
def test_bad_options(network: Network, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RelationError, match=message):
        dimension_order(network, **options)


@pytest.mark.parametrize("network", [complete(4), from_edges([(0, 1), (1, 2)])], ids=lambda network: network.name)
def test_networks_without_dimensions(network: Network) -> None:
    with pytest.raises(NetworkError, match="has no coordinates, so it has no dimensions to route in"):
        dimension_order(network)
