"""The page that steps through a counterexample, and the moving picture: both show what the simulator recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.examples import HOSTILE_NAME, hostile_knot, ring_knot
from tests.report.test_page import Checker
from unknot.network.families import torus
from unknot.report import write_knot_page
from unknot.simulation.traces.recording import record
from unknot.verify import check


def story_of(page: Path) -> Any:
    """What the script of a page is given."""
    text = page.read_text(encoding="utf-8")
    data = text.partition('<script type="application/json" id="unknot-answer">')[2].partition("</script>")[0]
    return json.loads(data)["story"]


def test_the_page_has_the_recording_and_is_whole(tmp_path: Path) -> None:
    relation, configuration = ring_knot(torus(8, 8), held=2)
    write_knot_page(relation, configuration, tmp_path / "knot.html")
    recording = record(relation, configuration)
    story = story_of(tmp_path / "knot.html")
    steps = [(cycle, {(m, vc): flits for m, vc, flits in buffers}) for cycle, buffers in story["steps"]]
    assert steps == [(frame.cycle, frame.flits) for frame in recording.frames]
    assert [message["waits"] for message in story["messages"]] == [list(w) for _, w in recording.replay.waits]
    passed = {str(vc) for m in configuration.messages for vc in (*m.lead, *m.held, *m.wanted)}
    assert set(story["lanes"]) == passed
    assert story["stuck"] is True
    checker = Checker()
    checker.feed((tmp_path / "knot.html").read_text(encoding="utf-8"))
    assert checker.open == []


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    write_knot_page(*hostile_knot(), tmp_path / "knot.html")
    text = (tmp_path / "knot.html").read_text(encoding="utf-8")
    assert "<script>window" not in text
    assert "<img" not in text
    assert any(HOSTILE_NAME in lane["name"] for lane in story_of(tmp_path / "knot.html")["lanes"].values())


def test_a_page_of_64_routers_is_small(tmp_path: Path) -> None:
    configuration = check("torus(8, 8)", routing="dimension_order").configuration
    assert configuration is not None
    write_knot_page("torus(8, 8)", configuration, tmp_path / "knot.html", routing="dimension_order")
    assert (tmp_path / "knot.html").stat().st_size < 300_000


def test_a_knot_too_large_to_draw_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot.report.scenes.MAX_WHOLE", 8)
    monkeypatch.setattr("unknot.report.scenes.MAX_DRAWN", 2)
    relation, configuration = ring_knot(torus(4, 4))
    write_knot_page(relation, configuration, tmp_path / "knot.html")
    assert '"network": null' in (tmp_path / "knot.html").read_text(encoding="utf-8")
