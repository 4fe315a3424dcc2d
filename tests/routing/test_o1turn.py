"""O1TURN: two addresses per terminal, one for each order, each with VCs of its own."""

from __future__ import annotations

import pytest

from tests.routing.paths import channel_paths, steps
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.families import mesh
from unknot.routing import o1turn
from unknot.verify.testing import check_relation


@pytest.mark.parametrize(("network", "vcs"), [(mesh(3, 4), 2), (mesh(1, 3), 2), (mesh(2, 2), 4)])
def test_claims_and_contract(network: Network, vcs: int) -> None:
    check_relation(o1turn(network, vcs), compiled=False)


def test_an_address_is_an_order() -> None:
    relation = o1turn(mesh(3, 3), 4)
    assert relation.address_name(4) == "t4 by XY"
    assert relation.address_name(13) == "t4 by YX"
    for address in range(18):
        order = [0, 1] if address < 9 else [1, 0]
        for source in range(9):
            (path,) = channel_paths(relation, source, address)
            taken = [dimension for dimension, _ in steps(relation, path)] if path else []
            assert taken == sorted(taken, key=order.index)
    used = {relation.vcs.index[c.vc] for c in relation.candidates(relation.num_vcs, 9 + 8) if c.vc is not None}
    assert used == {2, 3}


def test_refusals() -> None:
    with pytest.raises(RelationError, match="3 cannot be halved"):
        o1turn(mesh(3, 3), 3)
    with pytest.raises(RelationError, match="needs a mesh of 2 dimensions"):
        o1turn(mesh(2, 2, 2))
