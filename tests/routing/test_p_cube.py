"""p-cube: Glass and Ni's own example, the number of paths, detours only in the first stage."""

from __future__ import annotations

from math import factorial

import pytest

from tests.routing.paths import channel_paths
from unknot import deliver
from unknot._base.errors import RelationError
from unknot.network.families import hypercube, mesh
from unknot.routing import p_cube
from unknot.verify.testing import check_relation


@pytest.mark.parametrize("minimal", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_claims_and_contract(n: int, minimal: bool) -> None:
    check_relation(p_cube(hypercube(n), minimal=minimal), compiled=False)


def test_choices_on_the_way_of_the_published_example() -> None:
    """From 1011010100 to 0010111001: three choices and two more with detours, then 2 (+2), 1 (+2), 3, 2, 1."""
    network = hypercube(10)
    both = [p_cube(network), p_cube(network, minimal=False)]
    target = int("0010111001", 2)
    expected = [
        ("1011010100", 3, 2), ("0011010100", 2, 2), ("0010010100", 1, 2),
        ("0010010000", 3, 0), ("0010110000", 2, 0), ("0010111000", 1, 0),
    ]  # fmt: skip
    for bits, choices, more in expected:
        source = int(bits, 2)
        counts = [len(relation.candidates(relation.num_vcs + source, target)) for relation in both]
        assert counts == [choices, choices + more]


def test_the_number_of_shortest_paths() -> None:
    relation = p_cube(hypercube(4))
    for source in range(16):
        for target in range(16):
            down, up = (source & ~target).bit_count(), (target & ~source).bit_count()
            assert len(channel_paths(relation, source, target)) == factorial(down) * factorial(up)


def test_detours_end() -> None:
    for n in (2, 3, 4):
        found = deliver(p_cube(hypercube(n), minimal=False))
        assert found.livelock_free
        assert found.longest_route == 2 * n - 1  # from 1…1: clears all bits, sets all but one


def test_only_hypercubes() -> None:
    with pytest.raises(RelationError, match=r"p_cube needs a hypercube; of mesh\(2, 3\), a side of it has 3 routers"):
        p_cube(mesh(2, 3))
