"""Packets by any next hop that is not paused: against the prover, and beside hashes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fabrics.test_sonic import EXAMPLES
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.named import network
from unknot.routing.ethernet import path_vector
from unknot.routing.relation import Relation
from unknot.verify import check, fault_sweep
from unknot.verify.adaptive_next_hops import routes_stand, standing
from unknot.verify.audit_ethernet import audit_ethernet
from unknot.verify.failures import Failures

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
    stand = routes_stand(vector, np.ones(net.num_channels, dtype=bool), hosts, np.unique(net.inject))
    assert stand is not None
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
    assert (down.deadlock_free, down.adaptive_free) == (False, None)
    up = audit_ethernet(read_ethernet(EXAMPLES / "frr-all-links-up"))
    assert (up.deadlock_free, up.adaptive_free) == (True, True)
    sweep = fault_sweep("xgft([1, 4], [1, 2])", routing="bgp", failures=Failures(at_once=2))
    assert (sweep.counts["deadlock"], sweep.adaptive_deadlocks) == (12, 12)
