"""Duato's routing: adaptive channels first, the escape channel last; claims against verdicts."""

from __future__ import annotations

import pytest

from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.network.families import hypercube, mesh, ring, torus
from unknot.routing import dimension_order, duato, fully_adaptive
from unknot.verify import check
from unknot.verify.testing import check_relation


@pytest.mark.parametrize(
    "network", [mesh(3, 3), mesh(4, 2, 2), hypercube(3), torus(4, 4), ring(5)], ids=lambda n: n.name
)
def test_claims_and_contract(network: Network) -> None:
    check_relation(duato(network), compiled=False)


def test_non_atomic_allocation_defeats_the_escape_channel() -> None:
    relation = duato(mesh(3, 3))
    assert "wormhole-nonatomic" not in relation.claims
    verdicts = {switching: check(relation, switching).deadlock_free for switching in SWITCHINGS}
    assert verdicts == {"saf": True, "vct": True, "wormhole": True, "wormhole-nonatomic": False}


@pytest.mark.parametrize(("network", "escapes"), [(mesh(4, 4), 1), (torus(5, 4), 2)], ids=["mesh", "torus"])
def test_adaptive_vcs_are_those_of_every_shortest_path_and_the_escape_is_dimension_order(
    network: Network, escapes: int
) -> None:
    relation = duato(network, escapes + 2)
    free, ordered = fully_adaptive(network), dimension_order(network, escapes)
    virtual, channel = relation.vcs, relation.vcs.channel
    for source in range(network.num_terminals):
        for terminal in range(network.num_terminals):
            found = [c for c in relation.candidates(relation.num_vcs + source, terminal) if c.vc is not None]
            ways = [c.vc for c in free.candidates(free.num_vcs + source, terminal) if c.vc is not None]
            assert sorted({int(channel[c.vc]) for c in found if c.tier == 0}) == sorted(ways)  # type: ignore[index]
            assert all(virtual.index[c.vc] >= escapes for c in found if c.tier == 0)
            last = [(int(channel[c.vc]), int(virtual.index[c.vc])) for c in found if c.tier == 1]  # type: ignore[index]
            steps = [c.vc for c in ordered.candidates(ordered.num_vcs + source, terminal) if c.vc is not None]
            assert last == [(int(ordered.vcs.channel[vc]), int(ordered.vcs.index[vc])) for vc in steps]


@pytest.mark.parametrize(("network", "vcs"), [(mesh(4, 4), 1), (torus(4, 4), 2)], ids=["mesh", "torus"])
def test_too_few_vcs_are_refused(network: Network, vcs: int) -> None:
    with pytest.raises(RelationError, match=f"{vcs + 1} or more; got {vcs}"):
        duato(network, vcs)


def test_the_torus_needs_both_escape_classes() -> None:
    """With a single escape class the escape network itself has a cycle."""
    from dataclasses import replace

    from unknot.routing.relation import Out

    relation = duato(ring(5))
    rule, first, counts = relation.rule, relation.vcs.first, relation.vcs.channel

    def merged(at: int, address: int, out: Out) -> int:
        count = rule(at, address, out)
        for i in range(count):
            vc = int(out[i]) & ((1 << 40) - 1)
            if vc < relation.num_vcs and vc - int(first[counts[vc]]) < 2:
                out[i] += int(first[counts[vc]]) - vc
        return count

    verdict = check(replace(relation, rule=merged), "wormhole")
    assert verdict.deadlock_free is False
