"""Dragonfly routings: one global link or two, VC classes in order, any arrangement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.routing.paths import channel_paths
from unknot import Run, deliver
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, distances_from
from unknot.network.families import dragonfly, mesh
from unknot.routing import Relation, dragonfly_minimal, dragonfly_ugal, dragonfly_valiant, shortest_paths
from unknot.routing.dragonfly import _narrow
from unknot.routing.relation import COMPARISONS
from unknot.simulation import simulate
from unknot.traffic.trace import addresses_drawn
from unknot.verify import check
from unknot.verify.loads import loads
from unknot.verify.testing import check_relation

ROUTINGS = [dragonfly_minimal, dragonfly_valiant, dragonfly_ugal]
ARRANGEMENTS = ["absolute", "relative", "circulant", "random"]
SMALL = [
    *(dragonfly(2, arrangement=arrangement) for arrangement in ARRANGEMENTS),
    dragonfly(3, 2, 1),
    dragonfly(1, 1, 3),
    dragonfly(2, 1, 2, 3, arrangement="relative"),
    dragonfly(4, 1, 1, 3, arrangement="circulant"),
    dragonfly(3, 1, 0, 1),
]


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("algorithm", ROUTINGS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("network", SMALL, ids=lambda n: n.name)
def test_claims_and_contract(algorithm: Callable[[Network], Relation], network: Network) -> None:
    relation = algorithm(network)
    assert relation.claims == dict.fromkeys(SWITCHINGS, True)
    check_relation(relation, compiled=False)


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("algorithm", ROUTINGS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_the_balanced_dragonfly_of_four(algorithm: Callable[[Network], Relation], arrangement: str) -> None:
    """36 routers: delivered and deadlock-free under every technique, whatever the arrangement."""
    relation = algorithm(dragonfly(4, 1, 2, arrangement=arrangement, seed=2))
    found = deliver(relation)
    assert found.delivered
    assert found.livelock_free
    assert found.longest_route == (3 if algorithm is dragonfly_minimal else 5)
    assert all(check(relation, switching).deadlock_free for switching in SWITCHINGS)


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_minimal_routing_claims_shortest_paths_but_two_global_links_may_be_shorter(arrangement: str) -> None:
    """Local, global, local are three hops where two global links through a third group would do in two."""
    network = dragonfly(4, 1, 2, arrangement=arrangement)
    relation = dragonfly_minimal(network)
    assert relation.claims_minimal is True
    assert deliver(relation).minimal is False
    group = np.asarray(network.coordinates)[:, 0]
    longer = 0
    for source in range(network.num_routers):
        distance = distances_from(network, source)
        for to in range(network.num_routers):
            for path in channel_paths(relation, source, to):
                hops = len(path)
                if hops > distance[to]:
                    longer += 1
                    assert (hops, distance[to]) == (3, 2)
                    assert group[source] != group[to]
    assert longer > 0


@pytest.mark.parametrize("network", SMALL[:4], ids=lambda n: n.name)
def test_minimal_routing_takes_shortest_paths_where_every_router_has_one_global_link(network: Network) -> None:
    assert deliver(dragonfly_minimal(network)).minimal is True


@pytest.mark.parametrize("network", [dragonfly(4, 1, 2), dragonfly(2, 1, 2, 3), dragonfly(3, 1, 2, 4)], ids=str)
def test_the_shape_of_routes(network: Network) -> None:
    """At most a local hop before and after a global link, no more than one global link, two by way of a group."""
    group = np.asarray(network.coordinates)[:, 0]
    groups, terminals = int(group.max()) + 1, network.num_terminals
    minimal, valiant = dragonfly_minimal(network), dragonfly_valiant(network)
    for source in range(0, terminals, 5):
        for to in range(terminals):
            for path in channel_paths(minimal, source, to):
                assert _shape(network, path) in {"", "l", "g", "lg", "gl", "lgl"}
            for via in range(groups):
                for path in channel_paths(valiant, source, via * terminals + to):
                    visited = [int(group[source]), *group[network.target[list(path)]].tolist()]
                    assert via in visited
                    assert _shape(network, path).count("g") == int(visited[0] != via) + int(via != group[to])
                    assert "ll" not in _shape(network, path)


def _shape(network: Network, path: tuple[int, ...]) -> str:
    group = np.asarray(network.coordinates)[:, 0]
    return "".join("g" if group[network.source[c]] != group[network.target[c]] else "l" for c in path)


@pytest.mark.parametrize("vcs", [None, 3, 4, 7])
def test_classes_are_passed_in_order(vcs: int | None) -> None:
    network = dragonfly(2, 1, 1)
    relation = dragonfly_valiant(network, vcs)
    group = np.asarray(network.coordinates)[:, 0]
    across = group[network.source] != group[network.target]
    counts = relation.vcs.counts
    assert counts[~across].tolist() == [vcs or 3] * int((~across).sum())
    assert counts[across].tolist() == [vcs or 2] * int(across.sum())
    used = set()
    for address in range(relation.num_addresses):
        todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
        seen = set(todo)
        while todo:
            at = todo.pop()
            for candidate in relation.candidates(at, address):
                if candidate.vc is None:
                    continue
                used.add(candidate.vc)
                if at < relation.num_vcs:
                    assert _rank(relation, across, at) < _rank(relation, across, candidate.vc)
                if candidate.vc not in seen:
                    seen.add(candidate.vc)
                    todo.append(candidate.vc)
    assert used == set(range(relation.num_vcs)), "every VC serves some route"


def _rank(relation: Relation, across: np.ndarray, vc: int) -> int:
    """Position of a VC's class in l0, g0, l1, g1, l2."""
    channel = int(relation.vcs.channel[vc])
    classes = 2 if across[channel] else 3
    index, count = int(relation.vcs.index[vc]), int(relation.vcs.counts[channel])
    return 2 * max(k for k in range(classes) if k * count // classes <= index) + int(across[channel])


def test_groups_share_one_link_unless_traffic_goes_by_other_groups() -> None:
    """All a·p terminals of a group to the next: 1 / (a·p) minimally, about ½ by way of drawn groups (Kim et al.)."""
    network = dragonfly(4)
    terminals = np.arange(network.num_terminals)
    shift = (terminals + 8) % network.num_terminals
    minimal = loads(dragonfly_minimal(network), shift)
    assert minimal.throughput == pytest.approx(1 / 8)
    valiant = loads(dragonfly_valiant(network), shift)
    assert 0.3 < valiant.throughput < 0.6


def test_the_direct_way_of_ugal_is_minimal_routing() -> None:
    network = dragonfly(4, 1, 2)
    minimal, ugal = dragonfly_minimal(network), dragonfly_ugal(network)
    for source, to in np.ndindex(network.num_terminals, network.num_terminals):
        address = int(ugal.direct_addresses(source, to))
        assert ugal.destination[address] == to
        assert set(channel_paths(ugal, source, address)) == set(channel_paths(minimal, source, to))
    assert ugal.address_name(int(ugal.direct_addresses(0, 5))) == "t5 via group 0"


def test_one_vc_class_is_not_enough() -> None:
    """Shortest paths with a single VC close a ring through the three groups of the smallest dragonfly."""
    relation = shortest_paths(dragonfly(2))
    assert check(relation, "wormhole").deadlock_free is False
    assert check(dragonfly_minimal(dragonfly(2)), "wormhole").deadlock_free is True


def test_faults() -> None:
    twice = dragonfly(4, 1, 1, 3)
    group = np.asarray(twice.coordinates)[:, 0]
    link = int(np.flatnonzero((group[twice.source] == 0) & (group[twice.target] == 1))[0])
    ends = int(twice.source[link]), int(twice.target[link])
    relation = dragonfly_minimal(twice.without(links=[ends]))
    check_relation(relation, compiled=False)
    single = dragonfly(2)
    group = np.asarray(single.coordinates)[:, 0]
    across = int(np.flatnonzero(group[single.source] != group[single.target])[0])
    cut = single.without(links=[(int(single.source[across]), int(single.target[across]))])
    with pytest.raises(NetworkError, match=r"a channel between every two groups, and there is none from group"):
        dragonfly_valiant(cut)
    with pytest.raises(NetworkError, match=r"it has no channel from \(0,0\) to \(0,1\)"):
        dragonfly_minimal(twice.without(links=[(0, 1)]))


@pytest.mark.parametrize("algorithm", ROUTINGS, ids=lambda f: f.__name__)
def test_other_networks_are_refused(algorithm: Callable[[Network], Relation]) -> None:
    with pytest.raises(
        NetworkError, match="it needs a dragonfly, whose routers have the coordinates group and router"
    ):
        algorithm(mesh(3, 3))
    few = 1 if algorithm is dragonfly_minimal else 2
    with pytest.raises(RelationError, match=rf"local channels need a VC for each of {few + 1} classes; got {few}"):
        algorithm(dragonfly(2), few)  # type: ignore[call-arg]


@pytest.mark.parametrize("vcs", [None, 6])
def test_direct_packets_skip_the_class_of_the_way_to_a_drawn_group(vcs: int | None) -> None:
    """Local and global VCs l1, g1, l2, as in minimal routing: l0 and g0 are for packets that make a detour."""
    network = dragonfly(4, 1, 2)
    relation = dragonfly_valiant(network, vcs)
    group = np.asarray(network.coordinates)[:, 0]
    across = group[network.source] != group[network.target]
    terminals, seen = network.num_terminals, set()
    for source in range(0, terminals, 3):
        for to in range(terminals):
            for via in {int(group[source]), (int(group[source]) + 1) % 9}:
                at, ranks = relation.num_vcs + source, []
                while (candidate := relation.candidates(at, via * terminals + to)[0]).vc is not None:
                    at = candidate.vc
                    ranks.append(_rank(relation, across, at))
                if via == group[source]:
                    assert set(ranks) <= {2, 3, 4}
                    seen |= set(ranks)
                elif ranks:
                    assert ranks[0] < 2
    assert seen == {2, 3, 4}


@pytest.mark.long
def test_ugal_needs_no_more_vcs_than_valiant() -> None:
    """Group to next group with the fewest VCs: a global link holds minimal routing to 1 / 8 at most, UGAL not."""
    network = dragonfly(4)
    shift = [(t + 8) % 72 for t in range(72)]
    minimal, valiant, ugal = (algorithm(network) for algorithm in ROUTINGS)

    def run(relation: Relation, load: float, traffic: object) -> Run:
        return simulate(
            relation, load, switching="vct", traffic=traffic,
            packet_length=8, buffer_depth=32, warmup=500, measure=600,
        )  # type: ignore[call-overload]  # fmt: skip

    assert run(minimal, 0.3, shift).accepted_load < 1 / 8
    assert run(valiant, 0.3, shift).accepted_load > 0.28
    assert run(ugal, 0.3, shift).accepted_load > 0.28
    alone = [run(relation, 0.05, "uniform").hops_mean or 0.0 for relation in (minimal, valiant, ugal)]
    assert alone[0] <= alone[2] < alone[1] - 0.5


@pytest.mark.long
def test_queues_of_vcs_see_what_queues_of_ports_do_not() -> None:
    """Where both ways begin with one port, ports tie and the direct way is taken; VCs do not."""
    network = dragonfly(6)
    terminals = np.arange(network.num_terminals)
    shift = ((terminals + 18) % terminals.size).tolist()
    accepted = {}
    for variant in COMPARISONS:
        run = simulate(
            dragonfly_ugal(network, variant=variant), 0.3, switching="vct", traffic=shift,
            packet_length=8, buffer_depth=32, warmup=800, measure=800,
        )  # type: ignore[call-overload]  # fmt: skip
        accepted[variant] = run.accepted_load
    assert accepted["UGAL-L"] < 0.27 < 0.29 < min(accepted["UGAL-L_VC"], accepted["UGAL-L_VCH"])


def test_unknown_variants_are_refused_with_the_nearest() -> None:
    with pytest.raises(RelationError, match=r"unknown variant 'UGAL-L_CR'.*UGAL-L_VC"):
        dragonfly_ugal(dragonfly(2), variant="UGAL-L_CR")


def test_ugal_draws_detours_only() -> None:
    """Neither the group of the source nor that of the destination, unless there is no other."""
    network = dragonfly(2, 1, 2)
    relation = dragonfly_ugal(network)
    group = np.asarray(network.coordinates)[:, 0]
    n = network.num_terminals
    source, to = np.divmod(np.arange(n * n), n)
    drawn = np.stack([addresses_drawn(relation, source, to, seed) for seed in range(40)])
    via = drawn // n
    assert (drawn % n == to).all()
    assert not (via == group[source]).any()
    assert not (via == group[to]).any()
    assert all(
        len(set(via[:, pair].tolist())) == 5 - len({group[s], group[t]})
        for pair, (s, t) in enumerate(zip(source, to, strict=True))
    )
    two = dragonfly_ugal(dragonfly(1, 1, 1))
    assert addresses_drawn(two, np.array([0]), np.array([1]), 3).size == 1


@pytest.mark.parametrize("network", [*SMALL, dragonfly(4, 1, 2, arrangement="random", seed=3)], ids=lambda n: n.name)
def test_hops_are_those_of_the_walk(network: Network) -> None:
    """With several global links between two groups there is no such function, and packets walk."""
    relation = dragonfly_ugal(network)
    group = np.asarray(network.coordinates)[:, 0]
    across = group[network.source] != group[network.target]
    pairs = np.stack([group[network.source], group[network.target]])[:, across]
    assert (relation.hops is None) == (np.unique(pairs, axis=1).shape[1] < pairs.shape[1])
    if relation.hops is None:
        return
    for terminal, address in np.ndindex(network.num_terminals, relation.num_addresses):
        at, walked = relation.num_vcs + terminal, 0
        while (candidate := min(relation.candidates(at, address), key=lambda c: c.tier)).vc is not None:
            at, walked = candidate.vc, walked + 1
        assert relation.hops(relation.num_vcs + terminal, address, None) == walked


def test_ugal_takes_a_large_dragonfly() -> None:
    network = dragonfly(16, 8, 8)
    direct = dragonfly_ugal(network).direct
    assert direct is not None
    assert direct.shape == (network.num_terminals,) == (16_512,)


@pytest.mark.parametrize(("size", "number", "kind"), [
    (1, 2**15 - 1, np.int16), (1, 2**15, np.int32), (2**15 - 1, 0, np.int16), (2**15, 0, np.int32), (3, -1, np.int16),
    (0, 0, np.int16),
])  # fmt: skip
def test_tables_keep_their_numbers_in_as_few_bytes_as_hold_them(size: int, number: int, kind: type) -> None:
    numbers = np.full(size, number, dtype=np.int64)
    kept = _narrow(numbers)
    assert kept.dtype == kind
    np.testing.assert_array_equal(kept, numbers)
