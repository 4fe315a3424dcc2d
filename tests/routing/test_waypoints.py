"""Waypoint schemes: every phase and hand-over is in the relation, and a mistake in one of them is found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.routing.paths import channel_paths
from unknot import deliver, measure, replay
from unknot._base.errors import UnknotError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, distances_from, from_edges, tod
from unknot.network.families import complete, hypercube, line, mesh, ring, torus
from unknot.routing import (
    EJECT,
    Relation,
    VirtualChannels,
    dimension_order,
    duato,
    fully_adaptive,
    o1turn,
    romm,
    ugal,
    valiant,
    via_waypoint,
)
from unknot.routing.parts import Addressing
from unknot.simulation import simulate
from unknot.verify import check
from unknot.verify.testing import check_relation


@pytest.mark.parametrize("algorithm", [valiant, ugal, romm], ids=lambda f: f.__name__)
@pytest.mark.parametrize("network", [mesh(3, 3), line(2), mesh(1), hypercube(3)], ids=lambda n: n.name)
def test_claims_and_contract(algorithm: Callable[[Network], Relation], network: Network) -> None:
    check_relation(algorithm(network), compiled=False)


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize("network", [torus(3, 4), ring(5)], ids=lambda n: n.name)
def test_a_torus_takes_two_vcs_for_each_phase(network: Network) -> None:
    relation = valiant(network)
    assert relation.vcs.counts.tolist() == [4] * network.num_channels
    check_relation(relation, compiled=False)
    loose = valiant(network, 2)
    assert set(loose.claims.values()) == {False}
    check_relation(loose, compiled=False)


def test_a_route_has_at_most_twice_the_diameter() -> None:
    for network in (mesh(4, 3), torus(4, 3), hypercube(3), ring(6)):
        found = deliver(valiant(network))
        assert found.delivered
        assert found.longest_route == 2 * measure(network).diameter


def test_a_route_is_one_to_the_waypoint_and_one_from_there() -> None:
    relation = valiant(mesh(3, 3), 4, base="dimension_order", then="dimension_order(order=[1, 0])")
    network = relation.network
    legs = dimension_order(network), dimension_order(network, order=[1, 0])
    for source, waypoint, to in np.ndindex(9, 9, 9):
        address = 9 * waypoint + to
        assert relation.destination[address] == to
        ((path, ways),) = channel_paths(relation, source, address).items()
        (one,), (other,) = channel_paths(legs[0], source, waypoint), channel_paths(legs[1], waypoint, to)
        assert path == one + other
        assert ways == 2 ** len(path)
    assert relation.address_name(9 * 4 + 2) == "t2 via t4"


def test_phases_do_not_share_vcs() -> None:
    """Also where channels differ in their VCs: escape and adaptive VCs of the first phase, one of the second."""
    network = mesh(3, 3)
    first, second = duato(network, 3), dimension_order(network)
    relation = via_waypoint(first, second, name="mixed")
    assert relation.claims == {"saf": True, "vct": True, "wormhole": True}
    check_relation(relation, compiled=False)
    for address in range(81):
        todo = [relation.num_vcs + source for source in range(9)]
        seen = set(todo)
        while todo:
            at = todo.pop()
            for candidate in relation.candidates(at, address):
                if candidate.vc is None or candidate.vc in seen:
                    continue
                late = relation.vcs.index[candidate.vc] >= 3
                assert late or at >= relation.num_vcs or relation.vcs.index[at] < 3
                assert late == (late or int(relation.vcs.router[at]) == address // 9)
                seen.add(candidate.vc)
                todo.append(candidate.vc)


def test_romm_keeps_to_the_box() -> None:
    relation = romm(mesh(3, 3))
    assert relation.may_use is not None
    for source, waypoint, to in np.ndindex(3, 3, 3):  # along the diagonal (0,0), (1,1), (2,2)
        s, w, d = 4 * source, 4 * waypoint, 4 * to
        assert relation.may_use[s, 9 * w + d] == (min(s, d) <= w <= max(s, d))
    assert not relation.may_use[0, 9 * 3 + 2]
    assert relation.may_use[0, 9 * 1 + 2]
    found = deliver(relation)
    assert found.delivered
    assert found.minimal


@pytest.mark.parametrize("text", ["torus(4, 3)", "ring(6)", "ring(5, directed=true) * line(2)"])
def test_romm_on_rings_takes_every_waypoint_on_a_shortest_path(text: str) -> None:
    network = tod.network(text)
    relation = romm(network)
    n = network.num_terminals
    hops = np.array([distances_from(network, r) for r in range(n)])
    assert relation.may_use is not None
    for source, waypoint, to in np.ndindex(n, n, n):
        on_the_way = hops[source, waypoint] + hops[waypoint, to] == hops[source, to]
        assert relation.may_use[source, n * waypoint + to] == on_the_way
    assert relation.vcs.counts.max() == 4
    check_relation(relation, compiled=False)
    assert deliver(relation).minimal


def test_the_direct_way_of_ugal_has_no_first_phase() -> None:
    relation = ugal(mesh(3, 3))
    for source, to in np.ndindex(9, 9):
        address = int(relation.direct_addresses(source, to))
        assert relation.destination[address] == to
        offered = {c.vc for c in relation.candidates(relation.num_vcs + source, address) if c.vc is not None}
        assert all(relation.vcs.index[vc] == 1 for vc in offered)


def passing(network: Network, *, any_vc_at_home: bool) -> Relation:
    """Valiant on a mesh, 2 VCs, as BookSim 2 writes it: a packet that has not been at its waypoint uses VC 0, but at
    the router of its destination, if `any_vc_at_home`, any VC; whether it stays there or passes through.

    Where a header on VC 1 has come from its own destination it is still in phase one.
    """
    virtual = VirtualChannels(network, 2)
    step, first, terminals = dimension_order(network), virtual.first, network.num_terminals
    ask, entry, source, target, total = step.rule, step.num_vcs, network.source, network.target, virtual.total
    distance = np.array([distances_from(network, r) for r in range(network.num_routers)])
    router, channel = virtual.router, virtual.channel

    def rule(at: int, address: int, out: np.ndarray) -> int:
        waypoint, to, here = address // terminals, address % terminals, router[at]
        late = False
        if at < total and at - first[channel[at]] == 1:
            c = channel[at]
            late = distance[target[c], to] < distance[source[c], to]
        late = late or here == waypoint
        if late and here == to:
            out[0] = EJECT
            return 1
        ask(entry + here, to if late else waypoint, out)
        c = out[0]
        if not late and here == to and any_vc_at_home:
            out[0], out[1] = first[c], first[c] + 1
            return 2
        out[0] = first[c] + (1 if late else 0)
        return 1

    return Relation(network, virtual, rule, name="valiant as published in a simulator", addresses=Addressing(np.tile(
        np.arange(terminals), terminals
    )))  # fmt: skip


def test_a_packet_that_may_leave_its_phase_at_home_deadlocks() -> None:
    """BookSim 2 lets a packet that passes its destination before its waypoint take VCs of the second phase."""
    wrong, right = (passing(mesh(3, 3), any_vc_at_home=flag) for flag in (True, False))
    assert deliver(wrong).delivered
    assert deliver(right).delivered
    for switching in SWITCHINGS:
        assert check(right, switching).deadlock_free is True
        verdict = check(wrong, switching)
        assert verdict.deadlock_free is False
        assert verdict.configuration is not None
        assert replay(wrong, verdict.configuration).stuck


def test_that_deadlock_comes_about_in_a_run() -> None:
    wrong, right = (passing(mesh(3, 3), any_vc_at_home=flag) for flag in (True, False))
    runs = [
        simulate(relation, 0.6, packet_length=8, buffer_depth=2, seed=1, warmup=0, measure=5000, switching="wormhole")
        for relation in (wrong, right)
    ]
    assert runs[0].deadlock is not None
    assert runs[0].reason.startswith("deadlock of 3 messages")
    assert runs[1].deadlock is None


def test_without_that_mistake_it_is_valiant() -> None:
    network = mesh(3, 2)
    mine, published = passing(network, any_vc_at_home=False), valiant(network)
    for source, address in np.ndindex(6, 36):
        assert channel_paths(mine, source, address) == channel_paths(published, source, address)


def test_refusals() -> None:
    network = mesh(3, 3)
    one, far = dimension_order(network), dimension_order(mesh(3, 3))
    split = Network("split", 2, [0, 1], [1, 0], inject=[0], eject=[1])
    wide = line(5000)
    cases: list[tuple[Callable[[], Relation], str]] = [
        (lambda: via_waypoint(one, far), "must be of one network and commit alike"),
        (lambda: via_waypoint(one, o1turn(network)), "one address for each terminal; o1turn has others"),
        (
            lambda: via_waypoint(*[fully_adaptive(split)] * 2),
            "t0 injects and ejects at different routers",
        ),
        (lambda: valiant(wide), r"5000 × 5000 pairs .* the limit is 4096 terminals"),
        (
            lambda: valiant(network, 3),
            "gives each of its (two )?phases half of the VCs of a channel; 3",
        ),
        (lambda: valiant(network, base="dimension"), "unknown routing 'dimension'; did you mean dimension_order"),
        (lambda: valiant(complete(4)), "no coordinates"),
        (lambda: romm(complete(4)), "no coordinates"),
        (lambda: romm(torus(3, 3), 3), "romm gives each of its two phases half of the VCs of a channel; 3"),
        (lambda: romm(line(700)), "700 sources × 700 waypoints"),
    ]
    for make, message in cases:
        with pytest.raises(UnknotError, match=message):
            make()


def test_any_base_that_fits() -> None:
    network = from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    relation = valiant(network, base="fully_adaptive")
    assert deliver(relation).delivered
    assert not relation.claims
    assert simulate(relation, 0.1, warmup=100, measure=500, switching="wormhole").packets > 0


def test_ugal_has_the_vcs_that_it_is_given() -> None:
    assert {ugal(mesh(3, 3), vcs).num_vcs for vcs in (2, 4)} == {48, 96}
    assert ugal(mesh(3, 3)).claims_minimal is False
    assert valiant(mesh(3, 3)).claims_minimal is False
