"""Cycles of states, and virtual channels that nobody uses."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings

from tests.drawing import draw_until
from tests.reference.brute_force import states_of
from tests.strategies import networks, relations, table_relation
from unknot.network import from_edges
from unknot.network.families import mesh, ring, torus
from unknot.routing import EJECT, Relation, dimension_order, duato, lcfaa, vba
from unknot.verify import deliver
from unknot.verify.delivery import livelock
from unknot.verify.properties import vc_use


def test_cycles_are_cycles_and_are_found_where_there_are_any() -> None:
    seen = {True: 0, False: 0}

    @given(relations(networks(max_routers=5, max_channels=10)))
    @settings(max_examples=20)
    def run(relation: Relation) -> None:
        found = livelock(relation)
        seen[found.free] += 1
        assert found.free == deliver(relation).livelock_free
        assert found.addresses == len(found.cycles) == len({address for _, address in found.cycles})
        for places, address in found.cycles:
            assert places[0] == min(places)
            assert len(set(places)) == len(places)
            for at, after in zip(places, (*places[1:], places[0]), strict=True):
                assert after in {c.vc for c in relation.candidates(at, address)}

    draw_until(lambda: min(seen.values()) > 10, run)


def test_a_cycle_is_reported_by_names() -> None:
    network = from_edges([(0, 1), (1, 0), (1, 2)], directed=True)
    relation = table_relation(network, 1, {(3, 2): [0], (0, 2): [1, 2], (1, 2): [0], (2, 2): [EJECT], (4, 2): [2]})
    found = livelock(relation)
    assert found.describe(relation) == ["bound for t2: r0→r1 ⟶ r1→r0 ⟶ r0→r1"]


def test_only_the_first_cycles_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a ring that goes one way packets may pass their destination for ever."""
    monkeypatch.setattr(sys.modules["unknot.verify.delivery"], "CYCLES_KEPT", 3)
    network = from_edges([(r, (r + 1) % 5) for r in range(5)], directed=True)
    table = {(5 + r, a): [r] for r in range(5) for a in range(5)}
    table |= {((r - 1) % 5, a): [r, EJECT] if r == a else [r] for r in range(5) for a in range(5)}
    found = livelock(table_relation(network, 1, table))
    assert (found.addresses, len(found.cycles)) == (5, 3)


@pytest.mark.long
def test_used_and_unused_vcs() -> None:
    @given(relations(networks(max_routers=5, max_channels=10)))
    @settings(max_examples=80)
    def run(relation: Relation) -> None:
        found = vc_use(relation)
        reached = {at for answers in states_of(relation) for at in answers if at < relation.num_vcs}
        assert set(found.unused.tolist()) == set(range(relation.num_vcs)) - reached
        channels = {int(relation.vcs.channel[vc]) for vc in reached}
        assert set(found.idle_channels.tolist()) == set(range(relation.network.num_channels)) - channels
        assert found.total == relation.num_vcs

    run()


def test_vcs_of_algorithms() -> None:
    found = vc_use(lcfaa(mesh(4, 4)))
    assert (found.total, found.per_channel, found.per_router) == (60, (1, 2), (2, 5))
    relation = dimension_order(ring(4), 2)
    before, after = ["(0)→(1)", "(1)→(2)", "(3)→(2)", "(2)→(1)", "(1)→(0)"], ["(3)→(0)", "(0)→(3)"]
    by_hand = {f"{c} VC 0" for c in before} | {f"{c} VC 1" for c in after}
    assert {relation.vcs.name(vc) for vc in vc_use(relation).unused.tolist()} == by_hand
    assert vc_use(vba(mesh(3, 3, 3))).unused.size == 0
    assert vc_use(duato(torus(4, 4))).needed_per_channel == 3
