"""Escape along a spanning triangular mesh: what is claimed, and what is so."""

from __future__ import annotations

import pytest

from unknot import check, deliver, replay, topologies
from unknot.errors import RelationError
from unknot.routing import itm_escape, shortest_paths
from unknot.switching import SWITCHINGS
from unknot.testing import check_relation


@pytest.mark.parametrize("kind", ["exterior", "general"])
@pytest.mark.parametrize("choice", ["all", "first", "random"])
def test_shortest_paths_on_a_mesh_never_deadlock(kind, choice):
    relation = shortest_paths(topologies.itm(20, kind, seed=3), choice=choice)
    for switching in SWITCHINGS:
        assert check(relation, switching).deadlock_free


@pytest.mark.parametrize("kind", ["exterior", "general"])
def test_escaping_for_good_is_free_as_claimed(kind):
    relation = itm_escape(topologies.itm(12, kind, extra=6, seed=2), kind=kind)
    check_relation(relation)
    assert check(relation, "wormhole-nonatomic").deadlock_free is False


def test_two_vcs_on_the_mesh_and_one_beside_it():
    network = topologies.itm(12, extra=6, seed=2)
    relation = itm_escape(network)
    assert relation.num_vcs == network.num_channels + 2 * (2 * 12 - 3)
    assert deliver(relation).delivered


def test_returning_to_the_adaptive_layer_deadlocks_under_wormhole():
    relation = itm_escape(topologies.itm(16, extra=8, seed=1), returns=True)
    assert relation.claims["wormhole"]
    verdict = check(relation, "wormhole")
    assert verdict.deadlock_free is False
    assert replay(relation, verdict.configuration).stuck
    assert check(relation, "vct").deadlock_free
    assert not deliver(relation).livelock_free


def test_a_network_without_a_mesh_is_refused():
    with pytest.raises(RelationError, match="no spanning triangular mesh"):
        itm_escape(topologies.torus(4, 4))
    with pytest.raises(RelationError, match="at least 2 VCs"):
        itm_escape(topologies.itm(8), vcs=1)
