"""Pools of slots by themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unknot._base.errors import RelationError
from unknot.flow_control import Pool, technique
from unknot.network.families import ring
from unknot.routing import dimension_order
from unknot.routing.flow_controls.validated import validated


@pytest.mark.parametrize(
    ("own", "held", "taken"), [(0, (1, 1), True), (1, (1, 2), False), (1, (2, 1), False), (1, (1, 0), True)]
)
def test_a_hop_takes_no_slot_only_where_vcs_have_none_of_their_own(
    own: int, held: tuple[int, int], taken: bool
) -> None:
    """A packet that leaves a slot of its VC's own frees none of the pool for the VC that it goes to."""
    pool = Pool((0, 1), 1 if own else 2, own, hops=frozenset({(0, 1)}))
    assert pool.free(held) == 0 or held == (1, 0)
    assert pool.takes(held, 0, 1) is taken


def test_pools_with_both_are_refused() -> None:
    relation = dimension_order(ring(3))
    source, target = relation.network.source, relation.network.target
    after = next(v for v in range(relation.num_vcs) if source[v] == target[0] and target[v] != source[0])
    pool = Pool((0, after), 1, 1, hops=frozenset({(0, after)}))
    with pytest.raises(RelationError, match="would take no slot, so VCs have no slots of their own"):
        validated(relation, replace(technique("vct"), name="both", packets=2, pools=(pool,)), "both")
