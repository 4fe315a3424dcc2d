"""Odd-even: exactly the turns that depend on the column are missing."""

from __future__ import annotations

import pytest

from tests.routing.paths import turns
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.families import hypercube, mesh, torus
from unknot.routing import odd_even
from unknot.verify.testing import check_relation

WEST, EAST = (0, -1), (0, 1)


@pytest.mark.parametrize("network", [mesh(5, 4), mesh(2, 3), mesh(1, 4), hypercube(2)], ids=lambda n: n.name)
def test_claims_and_contract(network: Network) -> None:
    check_relation(odd_even(network), compiled=False)


def test_turns_by_column() -> None:
    made = turns(odd_even(mesh(5, 3)))
    assert len(made) > 20
    for router, before, after in made:
        column = router % 5
        assert not (before == EAST and column % 2 == 0)
        assert not (after == WEST and column % 2 == 1)
    inner = {(router % 5, before, after) for router, before, after in made}
    for column in (1, 2, 3):
        for vertical in ((1, 1), (1, -1)):
            assert ((column, EAST, vertical) in inner) == (column % 2 == 1)
            assert ((column, vertical, WEST) in inner) == (column % 2 == 0)
            assert (column, vertical, EAST) in inner or column % 2 == 1
            assert (column, WEST, vertical) in inner


def test_only_flat_meshes() -> None:
    with pytest.raises(RelationError, match=r"odd_even needs a mesh of 2 dimensions; of mesh\(2, 2, 2\), it has 3"):
        odd_even(mesh(2, 2, 2))
    with pytest.raises(RelationError, match="dimension 0 is a ring"):
        odd_even(torus(4, 4))
