"""Runs in words and as rows of a table."""

from __future__ import annotations

import pytest

from unknot.simulation import Router, saturation, simulate
from unknot.simulation.run.run import COUNTS, MEASURED, POINT
from unknot.traffic import Bursts


def test_a_row_has_what_the_run_has() -> None:
    run = simulate(
        "ring(4)", 0.1, routing="dimension_order", vcs=2, measure=300, bursts=Bursts(0.2, 0.5),
        packet_length={1: 0.5, 3: 0.5}, router=Router(routing_delay=2),
    )  # fmt: skip
    (found,) = run.rows
    for name in {*POINT, *MEASURED, *COUNTS} - {"packet_length"}:
        assert found[name] == getattr(run, name)
    assert (found["packet_length"], found["router"]) == ("1:0.5, 3:0.5", "routing_delay=2")
    assert (found["bursts"], found["deadlock"]) == ("0.2, 0.5", False)
    said = f"<Run ring(4), {run.routing}, load 0.1: accepted {run.accepted_load:.4g}, latency {run.latency_mean:.4g}"
    assert repr(run).startswith(said)
    assert repr(run).endswith(" cycles, stable>")


def test_nothing_arrives_in_words() -> None:
    run = simulate("ring(4)", 0.0, routing="dimension_order", vcs=2, measure=10)
    assert repr(run).endswith("load 0: accepted 0, no packet arrived, stable>")


def test_saturation_in_words() -> None:
    found = saturation("ring(4)", routing="dimension_order", vcs=2, tolerance=0.5)
    limit = "and at load 1" if found.limit is None else f"not at {found.limit:.4g}"
    said = f"<Saturation stable at {found.load:.4g}, {limit}; accepts at most {found.throughput:.4g}>"
    assert repr(found) == said
    assert [row["offered_load"] for row in found.rows] == pytest.approx([run.offered_load for run in found.runs])
