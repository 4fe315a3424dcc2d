"""Turn models: the turns they forbid, the paths they leave, and their claims."""

from __future__ import annotations

import math

import pytest

from tests.routing.paths import channel_paths, steps, turns
from unknot._base.errors import NetworkError, RelationError
from unknot.network import Network
from unknot.network.families import complete, hypercube, mesh, torus
from unknot.routing import negative_first, north_last, west_first
from unknot.routing.relation import Relation
from unknot.verify.testing import check_relation

WEST, EAST, SOUTH, NORTH = (0, -1), (0, 1), (1, -1), (1, 1)
MODELS = [west_first, north_last, negative_first]


@pytest.mark.parametrize("model", MODELS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("network", [mesh(3, 4), mesh(5), mesh(3, 2, 3), hypercube(3)], ids=lambda n: n.name)
def test_claims_and_contract(model: object, network: Network) -> None:
    check_relation(model(network), compiled=False)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("model", "forbidden"),
    [
        (west_first, {(NORTH, WEST), (SOUTH, WEST)}),
        (north_last, {(NORTH, WEST), (NORTH, EAST)}),
        (negative_first, {(NORTH, WEST), (EAST, SOUTH)}),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_two_of_the_eight_turns_are_forbidden(model: object, forbidden: set[object]) -> None:
    made = {(before, after) for _, before, after in turns(model(mesh(3, 3)))}  # type: ignore[operator]
    every = {(a, b) for a in (WEST, EAST, SOUTH, NORTH) for b in (WEST, EAST, SOUTH, NORTH) if a[0] != b[0]}
    assert made == every - forbidden


@pytest.mark.parametrize(("model", "one_path"), [
    (west_first, lambda x, y: x < 0),
    (north_last, lambda x, y: y > 0),
    (negative_first, lambda x, y: x * y < 0),
], ids=["west_first", "north_last", "negative_first"])  # fmt: skip
def test_a_pair_has_all_shortest_paths_or_one(model: object, one_path: object) -> None:
    relation: Relation = model(mesh(4, 3))  # type: ignore[operator]
    at = relation.network.coordinates
    assert at is not None
    for source in range(12):
        for target in range(12):
            x, y = (at[target] - at[source]).tolist()
            paths = channel_paths(relation, source, target)
            every = math.comb(abs(x) + abs(y), abs(x))
            assert len(paths) == (1 if one_path(x, y) else every)  # type: ignore[operator]


def test_more_dimensions() -> None:
    """All but one negative first, all but one positive last."""
    for model, last in ((west_first, {(0, 1), (1, 1), (2, 1), (2, -1)}), (north_last, {(1, 1), (2, 1)})):
        relation = model(mesh(2, 2, 3))
        for source in range(12):
            for target in range(12):
                for path in channel_paths(relation, source, target):
                    late = [move in last for move in (steps(relation, path) if path else [])]
                    assert late == sorted(late)


@pytest.mark.parametrize("model", MODELS, ids=lambda f: f.__name__)
def test_what_is_not_a_mesh_is_refused(model: object) -> None:
    name = model.__name__  # type: ignore[attr-defined]
    with pytest.raises(RelationError, match=rf"{name} needs a mesh; of torus\(3, 4\), dimension 0 is a ring"):
        model(torus(3, 4))  # type: ignore[operator]
    with pytest.raises(NetworkError, match="no coordinates"):
        model(complete(4))  # type: ignore[operator]
