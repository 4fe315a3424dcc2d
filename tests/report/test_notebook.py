"""What notebooks show, and drawings as objects."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import unknot
from unknot.network.families import mesh, ring
from unknot.report import draw_load, draw_network
from unknot.report.picture import Drawing
from unknot.simulation import replicate


def test_a_network_shows_itself_as_a_picture() -> None:
    picture = ring(4)._repr_svg_()
    assert picture == draw_network(ring(4)).text
    assert ElementTree.fromstring(picture).tag.endswith("svg")


def test_drawings_save_and_show_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = mesh(3, 3)
    picture = draw_load(network, [0.1] * network.num_channels)
    assert isinstance(picture, Drawing)
    assert picture._repr_svg_() == picture.text
    assert repr(picture).startswith("<Drawing: Load of mesh(3, 3)")
    assert picture.save(tmp_path / "load.svg").read_text(encoding="utf-8") == picture.text
    assert picture.save(tmp_path / "load.png").read_bytes().startswith(b"\x89PNG")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert picture.show() is True
    assert opened[0].startswith("file:")
    Path(opened[0].removeprefix("file://")).unlink()


def test_verdicts_are_short_and_shown_as_a_table() -> None:
    free = unknot.verify.check("ring(4)", routing="dimension_order", vcs=2)
    stuck = unknot.verify.check("ring(4)", routing="dimension_order")
    assert repr(free).startswith("<Verdict deadlock-free under vct: ")
    assert repr(stuck).startswith("<Verdict can deadlock under vct: ")
    assert "<td>yes</td>" in free._repr_html_()
    assert "<td>NO</td>" in stuck._repr_html_()
    assert "injected" in stuck._repr_html_()


def test_runs_are_short_and_shown_as_tables() -> None:
    runs = replicate("mesh(3, 3)", 0.1, routing="dimension_order", seeds=2, warmup=100, measure=300)
    assert repr(runs.runs[0]).startswith("<Run mesh(3, 3), dimension_order, load 0.1: accepted 0.")
    assert repr(runs).endswith("2 of 2 stable>")
    for shown in (runs, runs.runs[0]):
        table = ElementTree.fromstring(shown._repr_html_())
        assert "dimension_order" in "".join(table.itertext())


@pytest.mark.parametrize("room", ["report", "studies"])
def test_completion_shows_what_is_public_alone(room: str) -> None:
    found = getattr(unknot, room)
    assert dir(found) == sorted(found.__all__)
