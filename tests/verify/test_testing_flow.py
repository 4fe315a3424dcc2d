"""The conformance check of flow controls finds what it is there for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from unknot._base.errors import RelationError, UnknotError
from unknot._base.later import WATCHED
from unknot.flow_control import FlowControl, Pool, technique
from unknot.network.families import ring
from unknot.routing import Relation, dimension_order
from unknot.routing.flow_controls import bubble, cbfc, damq, whole_packet
from unknot.simulation.engine.engine import Engine
from unknot.simulation.run.start import engine_of
from unknot.verify import check
from unknot.verify.testing import ConformanceError, check_flow_control
from unknot.verify.testing_flow import SMALL


@pytest.mark.long
def test_rules_of_rings_are_right_where_there_are_rings() -> None:
    for rule in ("localised", "global", "critical"):
        compared = check_flow_control(partial(bubble, rule=rule), [*SMALL[:1], SMALL[3], SMALL[4]])
        assert compared
        assert all("ring" in name for name in compared)


class Generous(Pool):
    """A pool with a slot more than it has."""

    def takes(self, held: Mapping[int, int] | Sequence[int], at: int, vc: int, inner: Sequence[Pool] = ()) -> bool:
        return self.free(held) >= 0


class Mean(FlowControl):
    """Pools that never give back their last slot."""

    def takes(self, held: Any, marks: Sequence[int], at: int, vc: int) -> bool:
        return super().takes(held, marks, at, vc) and held[vc] + 1 < self.packets


def generous(relation: Relation) -> FlowControl:
    pools = tuple(Generous(pool.vcs, pool.slots) for pool in damq(relation, reserved=0, slots=1).pools)
    return replace(technique("vct"), name="generous", packets=2, pools=pools)


def mean(relation: Relation) -> FlowControl:
    made = damq(relation, slots=1)
    return Mean(**{name: getattr(made, name) for name in made.__dataclass_fields__})


@pytest.mark.parametrize(("builder", "said"), [(generous, "generous: invents slots"), (mean, "reserved=1.: loses")])
def test_functions_that_lose_or_invent_slots_are_refused(builder: Any, said: str) -> None:
    with pytest.raises(ConformanceError, match=said):
        check_flow_control(builder)
    relation = dimension_order(ring(4))
    with pytest.raises(RelationError, match="of its own; a FlowControl with records Pool is needed"):
        check(relation, flow=builder(relation))


def test_a_builder_that_changes_or_refuses_all_is_refused() -> None:
    slots = iter(range(1, 1000))
    with pytest.raises(ConformanceError, match="made twice, it is not the same"):
        check_flow_control(lambda relation: damq(relation, slots=next(slots)))

    def never(relation: Relation) -> FlowControl:
        raise UnknotError("no")

    with pytest.raises(ConformanceError, match="never was compared nowhere"):
        check_flow_control(never)


def test_flow_controls_without_pools_are_run() -> None:
    for builder in (cbfc, whole_packet):
        assert Counter(check_flow_control(builder, [*SMALL[:1], *SMALL[3:5]]).values()) == {True: 2, False: 1}


def test_a_simulator_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pools that never keep a packet out, credits that come from nowhere or never back, and false deadlocks."""
    dated = [("ring(3, directed=true)", "dimension_order(vcs=2)")]
    monkeypatch.setattr(FlowControl, "limiting", property(lambda flow: (False,) * len(flow.pools)))
    with pytest.raises(ConformanceError, match="a run invents slots of"):
        check_flow_control(damq, dated, slots=1, reserved=0)
    monkeypatch.undo()
    for change, said in ((1, "invents credits"), (-1, "loses credits")):

        def changed(*args: Any, change: int = change) -> Engine:
            engine = engine_of(*args)
            engine.state.outputs.credits[engine.state.out_row[2]] += change
            return engine

        monkeypatch.setattr("unknot.simulation.watch.engine_of", changed)
        with pytest.raises(ConformanceError, match=rf"damq\(.*a run {said} of"):
            check_flow_control(damq, dated, slots=1)
    monkeypatch.setattr(WATCHED, "_load", lambda: lambda *_: "a knot")
    with pytest.raises(ConformanceError, match="block each other for good in a run, and in none of its states"):
        check_flow_control(damq, dated, slots=1)


def test_a_prover_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were pools without slots of their own never full, the prover would be."""
    monkeypatch.setattr("unknot.verify.shut.Shut.shuts", lambda _, at, vc, left: left[vc] > 0)
    with pytest.raises(ConformanceError):
        check_flow_control(damq, [("ring(3, directed=true)", "dimension_order(vcs=2)")], slots=1, reserved=0)
