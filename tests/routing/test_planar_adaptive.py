"""Planar-adaptive routing: the planes, the VCs they use, and the claims."""

from __future__ import annotations

import numpy as np
import pytest

from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.network.families import hypercube, mesh, torus
from unknot.routing import planar_adaptive
from unknot.verify import check
from unknot.verify.testing import check_relation


@pytest.mark.parametrize(
    "network", [mesh(4), mesh(3, 3), mesh(3, 2, 4), mesh(2, 1, 3), hypercube(4)], ids=lambda n: n.name
)
def test_claims_and_contract(network: Network) -> None:
    check_relation(planar_adaptive(network), compiled=False)


def test_no_technique_can_deadlock_it() -> None:
    for network in (mesh(4, 4), mesh(3, 3, 3), hypercube(4)):
        relation = planar_adaptive(network)
        assert all(check(relation, switching).deadlock_free for switching in SWITCHINGS)


@pytest.mark.parametrize(
    ("network", "counts"),
    [(mesh(4), [1]), (mesh(3, 3), [1, 2]), (mesh(3, 3, 3), [1, 3, 2]), (hypercube(5), [1, 3, 3, 3, 2])],
    ids=lambda x: getattr(x, "name", ""),
)
def test_vcs_of_each_dimension(network: Network, counts: list[int]) -> None:
    at = network.coordinates
    assert at is not None
    dimension = np.argmax(at[network.source] != at[network.target], axis=1)
    assert planar_adaptive(network).vcs.counts.tolist() == [counts[i] for i in dimension.tolist()]


def test_the_published_planes() -> None:
    network = mesh(3, 3, 3)
    relation = planar_adaptive(network)

    def offered(start: str, home: str, via: tuple[str, int] | None = None) -> list[str]:
        place = relation.num_vcs + network.router(start)
        if via is not None:
            place = (
                int(relation.vcs.first[network.between(network.router(via[0]), network.router(start))[0]]) + via[1]
            )
        return [relation.vcs.name(c.vc) for c in relation.candidates(place, network.router(home)) if c.vc is not None]

    # plane 0, increasing and decreasing
    assert offered("(1,1,1)", "(2,2,2)") == ["(1,1,1)→(2,1,1)", "(1,1,1)→(1,2,1) VC 0"]
    assert offered("(1,1,1)", "(0,0,0)") == ["(1,1,1)→(0,1,1)", "(1,1,1)→(1,0,1) VC 1"]
    assert offered("(1,1,1)", "(0,1,2)") == ["(1,1,1)→(0,1,1)"]
    # plane 1, VC 2 of dimension 1 and VCs 0, 1 of dimension 2
    assert offered("(1,1,1)", "(1,2,0)") == ["(1,1,1)→(1,2,1) VC 2", "(1,1,1)→(1,1,0) VC 0"]
    assert offered("(1,1,1)", "(1,0,2)") == ["(1,1,1)→(1,0,1) VC 2", "(1,1,1)→(1,1,2) VC 1"]
    # the last dimension: VC of the plane that was left, 0 if none was entered
    assert offered("(1,1,1)", "(1,1,2)") == ["(1,1,1)→(1,1,2) VC 0"]
    assert offered("(1,1,1)", "(1,1,2)", via=("(1,2,1)", 2)) == ["(1,1,1)→(1,1,2) VC 1"]
    assert offered("(1,1,1)", "(1,1,2)", via=("(1,0,1)", 2)) == ["(1,1,1)→(1,1,2) VC 0"]
    assert offered("(1,1,1)", "(1,1,2)", via=("(1,2,1)", 1)) == ["(1,1,1)→(1,1,2) VC 0"]
    assert offered("(1,1,1)", "(1,1,2)", via=("(1,1,0)", 1)) == ["(1,1,1)→(1,1,2) VC 1"]


def test_rings_are_refused() -> None:
    with pytest.raises(RelationError, match="planar_adaptive needs a mesh"):
        planar_adaptive(torus(4, 4))
