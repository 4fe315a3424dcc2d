"""Curves: one line per design, marks for what is not stable, the same text every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from tests.report.examples import ring_knot, run
from unknot.network.families import torus
from unknot.report import draw_curves
from unknot.report.curve_points import points
from unknot.report.sheet import COLOURS
from unknot.simulation.run.run import Run

SVG = "{http://www.w3.org/2000/svg}"


def stuck(load: float) -> Run:
    return run(load, stable=False, deadlock=ring_knot(torus(4, 4))[1], latency_mean=None, latency_p99=None)


def test_runs_are_gathered_by_load_over_seeds() -> None:
    gathered = points([run(0.2), run(0.1, latency_mean=10.0), run(0.1, latency_mean=20.0, seed=2, stable=False)])
    assert [p.offered_load for p in gathered] == [0.1, 0.2]
    assert gathered[0].latency_mean == 15.0
    assert [p.stable for p in gathered] == [False, True]


def test_a_load_at_which_nothing_arrived_has_no_latency() -> None:
    (point,) = points([stuck(0.3)])
    assert point.latency_mean is None
    assert point.latency_p99 is None
    assert point.deadlocked


def test_the_title_says_what_the_curves_show() -> None:
    svg = draw_curves({"a <b> & $c$": [run(0.1), run(0.2)], "d": [run(0.1), stuck(0.3)]}).text
    title = ElementTree.fromstring(svg).find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == (
        "Latency and accepted load against offered load: a <b> & $c$: stable up to 0.2; "
        "d: stable up to 0.1, deadlock at 0.3"
    )


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(
    "designs", [{}, {"a": []}, {"a": [run(0.5)]}, {"_hidden": [run(0.1), run(0.9)], "x" * 90: [run(0.1)]}]
)
def test_few_points_and_odd_names(designs: dict[str, list[Run]]) -> None:
    svg = draw_curves(designs).text
    ElementTree.fromstring(svg)
    assert svg == draw_curves(designs).text


def marks(svg: str, axes: int) -> list[str]:
    """Colours of the marks in one panel."""
    root = ElementTree.fromstring(svg)
    panel = next(g for g in root.iter(f"{SVG}g") if g.get("id") == f"axes_{axes}")
    uses = [use for g in panel if (g.get("id") or "").startswith("line2d") for use in g.iter(f"{SVG}use")]
    return [use.get("style", "") for use in uses]


def test_every_load_has_a_mark_in_every_panel() -> None:
    svg = draw_curves({"a": [run(0.1), run(0.2), run(0.3)], "b": [run(0.1)]}).text
    for axes in (1, 2, 3):
        found = marks(svg, axes)
        assert sum(COLOURS[0] in style for style in found) == 3
        assert sum(COLOURS[1] in style for style in found) == 1


@pytest.mark.long
def test_loads_that_are_not_stable_and_deadlocks_have_marks_of_their_own() -> None:
    calm, wild = [run(0.1), run(0.2)], [run(0.1), run(0.2, stable=False, latency_mean=9e9)]
    steady = len(marks(draw_curves({"a": calm}).text, 1))
    assert len(marks(draw_curves({"a": wild}).text, 1)) == steady == 2
    assert len(marks(draw_curves({"a": [*calm, stuck(0.3)]}).text, 1)) == steady + 1


@pytest.mark.parametrize("accepted", [0.3, 0.302])
def test_marks_of_saturated_designs_stand_apart(accepted: float) -> None:
    """Four designs that saturate at the same loads and accept as much, in all panels."""

    def curve(most: float) -> list[Run]:
        loads = [0.1, 0.2, 0.3, 0.4]
        return [
            run(x, stable=x < 0.3, latency_mean=30.0 if x < 0.3 else 9e9, accepted_load=min(x, most)) for x in loads
        ]

    figure = draw_curves({"a": curve(0.3), "b": curve(accepted), "c": curve(0.3), "d": curve(accepted)}).figure
    assert figure is not None
    FigureCanvasAgg(figure).draw()
    for axes in figure.axes:
        hollow = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
        at = np.array([complex(*line.get_transform().transform(line.get_xydata())[0]) for line in hollow])
        apart = np.abs(at[:, None] - at[None, :]) + np.diag(np.full(at.size, np.inf))
        assert at.size == 8
        wide = hollow[0].get_markersize() + hollow[0].get_markeredgewidth()
        assert apart.min() > wide / 72 * figure.dpi
        head = next(text for text in axes.findobj(Text) if text.get_text() == axes.get_title(loc="left"))
        above = head.get_window_extent().y0
        assert at.imag.max() < above


def test_no_state_is_left_behind_and_nothing_is_dated() -> None:
    before = dict(matplotlib.rcParams)
    svg = draw_curves({"a": [run(0.1)]}).text
    assert dict(matplotlib.rcParams) == before
    assert "<metadata" not in svg
    assert svg.count("<style") == 1
    assert "prefers-color-scheme" in svg
    assert "matplotlib.org" not in svg


@pytest.mark.long
def test_three_curves_one_below_the_other() -> None:
    runs = {"a": [run(0.1), run(0.2)]}
    sizes = [
        [float(word) for word in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn).groups()]  # type: ignore[union-attr]
        for drawn in (draw_curves(runs).text, draw_curves(runs, stacked=True).text)
    ]
    assert sizes[0][0] > 2 * sizes[0][1]
    assert sizes[1][1] > 2 * sizes[1][0]


def test_twenty_designs_look_different() -> None:
    figure = draw_curves({f"design {i}": [run(0.1)] for i in range(20)}).figure
    assert figure is not None
    looks = {(line.get_color(), line.get_marker()) for line in figure.legends[0].get_lines()}
    assert len(looks) == 20


@pytest.mark.long
def test_texts_stay_within_the_figure() -> None:
    """Names of designs, heads of panels and axes, abreast and one below the other."""
    runs = {
        f"a design with a long name, {i}" + 30 * "x": [run(0.1), run(0.2, stable=False), stuck(0.4)] for i in "ab"
    }
    for stacked in (False, True):
        figure = draw_curves(runs, stacked=stacked, units="2 GHz, 16 B").figure  # heads are longer with units
        assert figure is not None
        FigureCanvasAgg(figure).draw()
        heads = [head for axes in figure.axes for head in (axes.xaxis.label, axes.yaxis.label)]
        for text in (*heads, *figure.legends[0].get_texts()):
            box = text.get_window_extent().transformed(figure.transFigure.inverted())
            assert min(box.x0, box.y0) > -0.01, (text.get_text(), stacked)
            assert max(box.x1, box.y1) < 1.01, (text.get_text(), stacked)
