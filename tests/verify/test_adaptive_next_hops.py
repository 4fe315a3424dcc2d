"""Packets by any next hop that is not paused: against the prover, and beside hashes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fabrics.test_sonic import EXAMPLES
from tests.verify.test_audit_ethernet import clos
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.named import network
from unknot.routing.ethernet import path_vector
from unknot.routing.lossless import PfcModel
from unknot.routing.lossless_classes import ClassWalk, members
from unknot.routing.relation import Relation
from unknot.verify import check, fault_sweep
from unknot.verify.adaptive_next_hops import fabric_of_routes, smallest_standing, standing, walk_stands
from unknot.verify.audit_ethernet import audit_ethernet
from unknot.verify.failures import Failures
from unknot.verify.pfc_replay import Flow, replay

NETWORKS = ("ring(5)", "mesh(3, 3)", "torus(3, 4)", "xgft([1, 4], [1, 2])", "complete(4)", "hypercube(3)")


@pytest.mark.parametrize("text", NETWORKS)
@pytest.mark.parametrize("routing", ["ospf", "bgp"])
def test_what_stands_is_what_the_prover_finds_for_adaptive_packets(text: str, routing: str) -> None:
    vector = path_vector(network(text), routing)
    assert vector is not None
    net = vector.network
    relation = vector.next_hops().relation(routing)
    adaptive = Relation(net, relation.vcs, relation.rule, routing, relation.addresses, commits=False)
    hosts = np.bincount(net.inject, minlength=net.num_routers)
    fabric = fabric_of_routes(vector, np.ones(net.num_channels, dtype=bool), hosts, np.unique(net.inject))
    assert fabric is not None
    walk = ClassWalk(PfcModel(fabric))
    stand = walk_stands(walk)
    assert not stand or smallest_standing(walk)
    assert check(adaptive, switching="vct").deadlock_free is (not stand)
    if not stand:
        return
    assert check(relation, switching="vct").deadlock_free is False


def test_one_free_next_hop_is_enough_and_several_groups_of_a_queue_each_hold_it() -> None:
    ring = [(0, [[1]]), (1, [[0]])]
    assert standing(ring) == {0, 1}
    assert standing([*ring, (0, [[1], [2]])]) == {0, 1}  # another packet of buffer 0 can still wait
    assert standing([(0, [[1], [2]]), (1, [[0]])]) == frozenset()
    assert standing([(0, [[1, 2]]), (1, [[0]])]) == {0, 1}
    assert standing([(0, [[1], []]), (1, [[0]])]) == frozenset()


def test_answers_stand_beside_those_of_hashes() -> None:
    down = audit_ethernet(read_ethernet(EXAMPLES / "frr-two-links-down"))
    assert (down.deadlock_free, down.spraying_free, down.adaptive_free) == (False, False, False)
    up = audit_ethernet(read_ethernet(EXAMPLES / "frr-all-links-up"))
    assert (up.deadlock_free, up.spraying_free, up.adaptive_free) == (True, True, True)
    sweep = fault_sweep("xgft([1, 4], [1, 2])", routing="bgp", failures=Failures(at_once=2))
    assert (sweep.counts["deadlock"], sweep.spraying_deadlocks, sweep.adaptive_deadlocks) == (12, 12, 12)


def test_what_is_proved_free_stands_still_in_no_replay(seed: int) -> None:
    for fabric in map(clos, map(np.random.default_rng, range(seed % 50, seed % 50 + 4))):
        audit, walk = audit_ethernet(fabric), ClassWalk(PfcModel(fabric))
        stand = walk_stands(walk)
        assert (audit.adaptive_free is True) is (not stand)
        assert not audit.deadlock_free or audit.spraying_free
        starts = [Flow(place.to(to), ()) for place, some in walk.starts.items() for to in members(some)]
        if audit.adaptive_free and not walk.circling:
            assert replay(walk, starts, "adaptive", seeds=1) is None
