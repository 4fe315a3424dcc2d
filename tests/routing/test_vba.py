"""VBA: one virtual network for each class of messages."""

from __future__ import annotations

import itertools

import pytest

from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, from_edges
from unknot.network.families import hypercube, mesh, torus
from unknot.routing import vba
from unknot.verify import check
from unknot.verify.testing import check_relation


@pytest.mark.parametrize("network", [mesh(4), mesh(3, 3), mesh(4, 2, 3), mesh(2, 1, 3)], ids=lambda n: n.name)
def test_claims_and_contract(network: Network) -> None:
    check_relation(vba(network), compiled=False)


@pytest.mark.parametrize("network", [mesh(4), mesh(3, 4), hypercube(4)], ids=lambda n: n.name)
def test_no_technique_can_deadlock_it(network: Network) -> None:
    relation = vba(network)
    assert all(check(relation, switching).deadlock_free for switching in SWITCHINGS)


def test_vcs_at_a_router_inside() -> None:
    for n in (1, 2, 3):
        network = mesh(*[3] * n)
        relation = vba(network)
        inside = network.router("(" + ",".join("1" * n) + ")")
        assert relation.vcs.counts[network.source == inside].sum() == 2 * n * 2 ** (n - 1)


def test_a_message_stays_among_the_vcs_of_its_class() -> None:
    """Two messages of different classes never share a VC; every shortest step is offered, and one VC of it."""
    network = mesh(3, 2, 3)
    relation = vba(network)
    at = network.coordinates
    assert at is not None
    used: dict[int, tuple[bool, ...]] = {}
    for source, home in itertools.permutations(range(network.num_terminals), 2):
        kind = tuple((at[home] < at[source]).tolist())
        todo = [relation.num_vcs + source]
        while todo:
            place = todo.pop()
            here = int(relation.vcs.router[place])
            steps = [c.vc for c in relation.candidates(place, home) if c.vc is not None]
            assert len(steps) == int((at[here] != at[home]).sum())
            for vc in steps:
                assert used.setdefault(vc, kind) == kind
            todo += steps


def test_rings_and_networks_without_dimensions_are_refused() -> None:
    with pytest.raises(RelationError, match="vba needs a mesh"):
        vba(torus(4, 4))
    with pytest.raises(NetworkError, match="no coordinates"):
        vba(from_edges([(0, 1), (1, 2)]))
    with pytest.raises(RelationError, match="more than"):
        vba(hypercube(16))
