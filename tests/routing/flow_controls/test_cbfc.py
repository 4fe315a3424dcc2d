"""Credits in cells: proved as virtual cut-through is, run by whole cells, refused where a packet never fits."""

from __future__ import annotations

import pytest

from unknot._base.errors import UnknotError
from unknot.network.families import mesh, ring, torus
from unknot.routing import Relation, dimension_order, fully_adaptive
from unknot.routing.flow_controls import cbfc
from unknot.routing.flow_controls.named import flow_named
from unknot.simulation import replay, simulate
from unknot.verify import check

RELATIONS = (
    dimension_order(ring(5), 1, dateline="none"),
    dimension_order(ring(5), 2),
    dimension_order(torus(3, 3), 2),
    fully_adaptive(mesh(3, 3), 1),
)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda made: f"{made.network.name}, {made.name}, {made.num_vcs}")
def test_verdicts_are_those_of_virtual_cut_through_and_deadlocks_replay(relation: Relation) -> None:
    verdict = check(relation, flow=cbfc(relation, cell=3))
    assert verdict.deadlock_free == check(relation).deadlock_free
    if verdict.deadlock_free is False:
        assert replay(relation, verdict.configuration, cycles=300).stuck


def test_a_run_comes_to_a_deadlock_where_there_is_one() -> None:
    for relation, far in ((RELATIONS[0], [2, 3, 4, 0, 1]), (RELATIONS[1], [2, 3, 4, 0, 1])):
        run = simulate(
            relation, 1.0, flow="cbfc(cell=3)", traffic=far, packet_length={2: 0.5, 4: 0.5}, buffer_depth=8,
            warmup=0, measure=3000,
        )  # fmt: skip
        assert (run.deadlock is None) == check(relation).deadlock_free
        assert run.rows[0]["switching"] == "cbfc(cell=3)"


def test_the_last_cell_is_rounded_up() -> None:
    """Of 8 flits a packet of 5 takes 2 cells of 4, so a buffer has one at a time; in cells of a flit it has more."""
    relation = dimension_order(ring(4), 2)
    point = {"traffic": [2, 3, 0, 1], "buffer_depth": 15, "packet_length": 5, "warmup": 500, "measure": 2000}
    whole, single, plain = (
        simulate(relation, 1.0, **flow, **point).accepted_load
        for flow in ({"flow": cbfc(relation, cell=8)}, {"flow": cbfc(relation, cell=1)}, {"switching": "vct"})
    )
    assert whole < 0.8 * single
    assert single == plain


@pytest.mark.parametrize(
    ("text", "point", "said"),
    [
        ("cbfc(cell=0)", {}, "cell must be a whole number of flits of at least 1, got 0"),
        ("cbfc(cells=2)", {}, "cells"),
        (
            "cbfc(cell=5)",
            {"packet_length": 6},
            "takes 2 cells of 5, and a buffer of 8 has 1; give a buffer_depth of at ",
        ),
        ("cbfc", {"flow": "cbfc", "switching": "wormhole"}, "goes with vct, not with wormhole"),
        ("cbfc", {"watchdog": 100, "packet_length": 9}, "takes 3 cells of 4, and a buffer of 8 has 2"),
    ],
)
def test_what_cannot_be_is_refused(text: str, point: dict[str, object], said: str) -> None:
    relation = dimension_order(ring(4), 2)
    with pytest.raises(UnknotError, match=said):
        simulate(relation, 0.1, **({"flow": text} | point))


def test_the_name_makes_the_same_again() -> None:
    relation = dimension_order(ring(4), 2)
    assert flow_named(relation, cbfc(relation, cell=7).name) == cbfc(relation, cell=7)
