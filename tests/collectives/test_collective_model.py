"""The model's time beside that of the run flit by flit: no model of what is run is above the run."""

from __future__ import annotations

from fractions import Fraction

import pytest

from unknot.fabrics.named import network
from unknot.routing.named import routing
from unknot_collectives import Operation, bound, group_of, platform_of
from unknot_collectives.choice import by_algorithm
from unknot_collectives.comparison import compared


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("kind", ["all_gather", "broadcast", "reduce", "all_reduce"])
@pytest.mark.parametrize("text", ["fat_tree(2, 3)", "fat_tree(4, 2)"])
def test_no_model_is_above_its_run_on_fat_trees(text: str, kind: str) -> None:
    built = network(text)
    platform = platform_of(built)
    root = platform.members[0] if kind in ("broadcast", "reduce") else None
    operation = Operation(kind, platform.members, Fraction(16), root=root)
    floor, group = bound(platform, operation, quick=True), group_of(built, operation)
    names = ["ring", "binomial", "direct", "chain", "double_tree"]
    names = names[:3] if kind == "all_gather" else names[1:]
    made = compared(
        by_algorithm(platform, operation, names, group=group, pieces=(1,)), [floor], routing(built, "up_down")
    )
    assert len(made.tables[0]) == len(names)
    for row in made.tables[0]:
        assert row.measured is not None
        assert row.time <= row.measured, row.algorithm
