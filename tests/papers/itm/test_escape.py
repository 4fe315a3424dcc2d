"""Escape along a spanning triangular mesh: what is claimed, and what is so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unknot import deliver, replay
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.certificates.verdict import Message
from unknot.network import families as topologies
from unknot.network import from_edges
from unknot.routing import shortest_paths
from unknot.verify import check
from unknot.verify.smallest import smallest
from unknot.verify.testing import check_relation
from unknot_papers.itm import itm, itm_escape, recognise


@pytest.mark.parametrize("kind", ["exterior", "general"])
@pytest.mark.parametrize("choice", ["all", "first", "random"])
def test_shortest_paths_on_a_mesh_never_deadlock(kind, choice):
    relation = shortest_paths(itm(20, kind, seed=3), choice=choice)
    for switching in SWITCHINGS:
        assert check(relation, switching).deadlock_free


@pytest.mark.parametrize("kind", ["exterior", "general"])
def test_escaping_for_good_is_free_as_claimed(kind):
    relation = itm_escape(itm(12, kind, extra=6, seed=2), kind=kind)
    check_relation(relation, compiled=False)
    assert check(relation, "wormhole-nonatomic").deadlock_free is False


def test_two_vcs_on_the_mesh_and_one_beside_it():
    network = itm(12, extra=6, seed=2)
    relation = itm_escape(network)
    assert relation.num_vcs == network.num_channels + 2 * (2 * 12 - 3)
    assert deliver(relation).delivered


def test_returning_to_the_adaptive_layer_deadlocks_under_wormhole():
    relation = itm_escape(itm(16, extra=8, seed=1), returns=True)
    assert relation.claims["wormhole"]
    verdict = check(relation, "wormhole")
    assert verdict.deadlock_free is False
    assert replay(relation, verdict.configuration).stuck
    assert check(relation, "vct").deadlock_free
    assert not deliver(relation).livelock_free


EIGHT = [
    (0, 1), (0, 2), (0, 3), (0, 5), (0, 6), (1, 2), (1, 3), (1, 4), (2, 5), (3, 4), (5, 6), (5, 7), (6, 7),
]  # fmt: skip
"""Links of a mesh of eight routers; with 4–5 and 1–7 beside it, returning deadlocks."""


def test_the_knot_of_returning_by_hand():
    """Eight routers, r4 → r7 and r7 → r4, and a message in the way of each.

    From r1 to r7 the network takes one hop, the mesh three, by r0 or r2. A header bound for r7 that escapes at r1
    goes to r0, from which the network's shortest path may lead back over r1; it returns to the adaptive layer, is at
    r1 again, escapes to r2, and returns to r1 once more. Now both ways to escape are held by its own tail, and the
    only adaptive one, r1→r7, by a message bound for r5, which waits at r7 for the two VCs to r5. One of them is held
    by the tail of a header bound for r4 with which the same has happened at r5, the other by the message in its way,
    which waits at r4 for the two VCs to r1: those of the first header's tail and of the message in the first's way.
    """
    mesh = recognise(from_edges(EIGHT)).mesh
    network = from_edges([*EIGHT, (4, 5), (1, 7)])
    relation = itm_escape(network, returns=True, mesh=mesh)
    channel = {(int(u), int(v)): c for c, (u, v) in enumerate(zip(network.source, network.target, strict=True))}
    first = relation.vcs.first

    def worm(
        source: int, target: int, held: list[tuple[int, int, int]], waits: list[tuple[int, int, int]]
    ) -> Message:
        path, awaited = (tuple(int(first[channel[u, v]]) + vc for u, v, vc in vcs) for vcs in (held, waits))
        return Message(source, target, 8 * len(path), (), path, awaited)

    lap_1 = [(4, 1, 0), (1, 0, 1), (0, 1, 0), (1, 2, 1), (2, 1, 0)]
    lap_5 = [(7, 5, 0), (5, 0, 1), (0, 5, 0), (5, 2, 1), (2, 5, 0)]
    messages = (
        worm(4, 7, lap_1, [(1, 0, 1), (1, 2, 1), (1, 7, 0)]),
        worm(4, 5, [(4, 1, 1), (1, 7, 0)], [(7, 5, 0), (7, 5, 1)]),
        worm(7, 4, lap_5, [(5, 0, 1), (5, 2, 1), (5, 4, 0)]),
        worm(7, 1, [(7, 5, 1), (5, 4, 0)], [(4, 1, 0), (4, 1, 1)]),
    )
    for message in messages:
        at = relation.num_vcs + message.source
        for vc in message.held:
            assert vc in {candidate.vc for candidate in relation.candidates(at, message.address)}
            at = vc
        assert {candidate.vc for candidate in relation.candidates(at, message.address)} == set(message.wanted)
    held = [vc for message in messages for vc in message.held]
    assert len(set(held)) == len(held) == 14
    assert {vc for message in messages for vc in message.wanted} <= set(held)
    assert relation.claims["wormhole"]
    verdict = check(relation, "wormhole")
    assert verdict.deadlock_free is False
    found = smallest(relation, switching="wormhole")
    assert (len(found.configuration.messages), found.proved) == (4, True)
    assert replay(relation, found.configuration).stuck
    assert check(itm_escape(network, mesh=mesh), "wormhole").deadlock_free


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("choice", ["all", "first", "random"])
@pytest.mark.parametrize("returns", [False, True])
def test_each_variant_under_each_technique(choice, returns):
    relation = itm_escape(itm(20, extra=16, seed=1), returns=returns, choice=choice)
    found = {switching: check(relation, switching).deadlock_free for switching in SWITCHINGS}
    assert found == {"saf": True, "vct": True, "wormhole": not returns, "wormhole-nonatomic": False}


def test_a_header_waits_for_both_layers_and_prefers_the_adaptive_one():
    network = itm(12, extra=6, seed=2)
    relation = itm_escape(network)
    tiers = {(c.tier, c.waits) for t in range(1, 12) for c in relation.candidates(relation.num_vcs, t)}
    assert tiers == {(0, True), (1, True)}


def test_parallel_links_and_several_terminals_at_a_router():
    edges = [(0, 1), (0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 3)]
    network = replace(from_edges(edges), inject=[0, 0, 3], eject=[0, 0, 3])
    relation = itm_escape(network)
    assert relation.num_vcs == 2 * network.num_channels
    assert deliver(relation).delivered
    assert check(relation, "wormhole").deadlock_free


def test_a_network_without_a_mesh_is_refused():
    with pytest.raises(RelationError, match="no spanning triangular mesh"):
        itm_escape(topologies.torus(4, 4))
    with pytest.raises(RelationError, match="at least 2 VCs"):
        itm_escape(itm(8), vcs=1)
