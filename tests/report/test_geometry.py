"""Geometry of drawings: short links of folded rings, discs and names that cover nothing, everything on the paper."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.cli.test_cli import refused
from tests.report.examples import ring_knot
from unknot import check
from unknot.cli.program import app
from unknot.network import Network, from_edges, tod
from unknot.network.families import mesh, ring, torus
from unknot.report import draw_configuration, draw_load, draw_network
from unknot.report.placement import fold, placement
from unknot.report.sheet import Sheet, length

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = (
    "ring(8)", "torus(8, 8)", "torus(4, 4, 4)", "mesh(8, 8)", "hypercube(5)", "fat_tree(4, 3)", "dragonfly(4)",
    "slim_fly(5)", "hyperx([4, 4], 1)", "kautz(2, 3)", "irregular(20, 4, 1)", "dragonfly_plus(2)", "omega(16)",
)  # fmt: skip


def parsed(svg: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[float, float, float, float]]:
    """Centres and radii of the discs of a drawing, boxes of its texts, and its view box."""
    root = ElementTree.fromstring(svg)
    discs = [[float(c.attrib[k]) for k in ("cx", "cy", "r")] for c in root.iter(f"{SVG}circle")]
    boxes = []
    for t in root.iter(f"{SVG}text"):
        x, y, size = (float(t.attrib[k]) for k in ("x", "y", "font-size"))
        long = 0.58 * size * len(t.text or "")
        left = x - {"middle": 0.5, "end": 1.0}.get(t.attrib["text-anchor"], 0.0) * long
        boxes.append([left, y - 0.72 * size, left + long, y + 0.1 * size])
    x0, y0, width, height = map(float, root.attrib["viewBox"].split())
    found = np.array(discs)
    return found[:, 0] + 1j * found[:, 1], found[:, 2], np.array(boxes), (x0, y0, x0 + width, y0 + height)


def covered(centre: np.ndarray, radius: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Which discs a box covers a part of, those around its own middle left out."""
    x = np.maximum(np.maximum(box[0] - centre.real, centre.real - box[2]), 0.0)
    y = np.maximum(np.maximum(box[1] - centre.imag, centre.imag - box[3]), 0.0)
    own = np.abs(centre - ((box[0] + box[2]) / 2 + 0.5j * (box[1] + box[3]))) < 0.5 * radius
    return np.asarray((np.hypot(x, y) < radius - 0.5) & ~own)


@pytest.mark.parametrize("k", range(4, 12))
def test_neighbours_of_a_folded_ring_stand_at_most_two_places_apart(k: int) -> None:
    places = fold(np.arange(k), k)
    assert sorted(places.tolist()) == list(range(k))
    assert np.abs(places - np.roll(places, 1)).max() == 2


@pytest.mark.parametrize("network", [torus(8, 8), torus(9, 6), torus(4, 4, 4), torus(16, 5)], ids=str)
def test_no_link_of_a_folded_torus_is_longer_than_two_steps_and_a_small_bend(network: Network) -> None:
    z, at = placement(network), np.asarray(network.coordinates)
    sheet = Sheet.of(network)
    scale = sheet.gap / np.abs(z[:, None] - z + 9 * np.eye(len(z))).min()
    apart = np.abs(z[network.source] - z[network.target])
    for i in range(len(network.radices)):
        mine = np.flatnonzero(at[network.source, i] != at[network.target, i])
        assert apart[mine].max() <= 2 * apart[mine].min() + 1e-9
        for c in mine.tolist():
            assert length(sheet.centre(c)) < 1.15 * scale * apart[c]


def test_meshes_and_grids_of_complete_rows_are_not_folded() -> None:
    for text in ("mesh(6, 6)", "hyperx([6, 6], 1)"):
        assert np.array_equal(placement(tod.network(text))[:6].real, np.arange(6))


@pytest.mark.parametrize("text", ["dragonfly(4)", "slim_fly(5)", "dragonfly_plus(2)"])
def test_groups_stand_on_a_circle_and_apart(text: str) -> None:
    network = tod.network(text)
    z, at = placement(network), np.asarray(network.coordinates)
    group = np.unique(at[:, : 2 if text.startswith("slim") else 1], axis=0, return_inverse=True)[1].reshape(-1)
    centre = np.array([z[group == g].mean() for g in range(group.max() + 1)])
    assert np.ptp(np.abs(centre - centre.mean())) < 1e-6
    apart = np.abs(centre[:, None] - centre) + np.diag(np.full(centre.size, np.inf))
    assert apart.min() > 2 * np.abs(z - centre[group]).max()


@pytest.mark.parametrize("text", TEXTS)
def test_no_disc_covers_another_and_no_name_a_disc(text: str) -> None:
    for terminals in (False, True):
        drawn = draw_network(text, terminals=terminals).text
        assert drawn == draw_network(text, terminals=terminals).text
        centre, radius, boxes, paper = parsed(drawn)
        apart = np.abs(centre[:, None] - centre) + np.diag(np.full(centre.size, np.inf))
        assert apart.min() > 2 * radius.max()
        assert not any(covered(centre, radius, box).any() for box in boxes)
        for low, high, ends in ((boxes[:, 0], boxes[:, 2], paper[::2]), (boxes[:, 1], boxes[:, 3], paper[1::2])):
            assert low.min() >= ends[0]
            assert high.max() <= ends[1]
        points = np.array(re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", drawn), dtype=float)
        assert (points >= paper[:2]).all()
        assert (points <= paper[2:]).all()


def test_no_line_of_text_covers_a_disc_of_a_part_of_a_network() -> None:
    """The title and the remark stood over the routers of the part."""
    verdict = check("torus(4, 4, 4)", routing="dimension_order")
    assert verdict.configuration is not None
    drawn = draw_configuration("torus(4, 4, 4)", verdict.configuration, routing="dimension_order").text
    assert "The part concerned" in drawn
    root = ElementTree.fromstring(drawn)
    lines = [t for t in root.iter(f"{SVG}text") if len(t.text or "") > 12]
    bottom = max(float(c.attrib["cy"]) for c in root.iter(f"{SVG}circle") if "#e3eef8" in c.attrib["fill"])
    assert lines
    assert all(float(t.attrib["y"]) < 0 or float(t.attrib["y"]) > bottom + 20 for t in lines)


def test_lines_of_a_legend_are_whole_in_small_drawings() -> None:
    drawn = draw_configuration(*ring_knot(ring(4))).text
    assert len(re.findall(r"waits for \d</text>", drawn)) == 4


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("mesh(3, 3)", ["x", "y"]),
        ("torus(5, 4)", ["x", "x, wraps round", "y", "y, wraps round"]),
        ("hyperx([4, 4], 1)", ["x", "y"]),
        ("dragonfly(4)", ["global, between groups", "local, within a group"]),
        ("slim_fly(5)", ["global, between groups", "local, within a group"]),
        ("irregular(20, 4, 1)", []),
        ("fat_tree(2, 3)", []),
    ],
)
def test_a_title_and_a_legend_of_kinds(text: str, kinds: list[str]) -> None:
    drawn = draw_network(text).text
    words = [t.text for t in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert [word for word in words if word in kinds] == kinds
    assert text in words
    assert f"Load of {text}" in draw_load(text, np.zeros(tod.network(text).num_channels)).text


@pytest.mark.parametrize("network", [mesh(4, 4), torus(24, 24), tod.network("hyperx([12, 12], 1)")], ids=str)
def test_loads_beside_busy_channels_cover_no_disc(network: Network) -> None:
    drawn = draw_load(network, np.linspace(0, 1, network.num_channels), view="whole").text
    centre, radius, boxes, _ = parsed(drawn)
    assert not any(covered(centre, radius, box).any() for box in boxes)


def test_bandwidths_are_told_in_the_legend() -> None:
    drawn = draw_network(mesh(2, 2).with_bandwidth([1, 1, 1, 1, 2, 2, 2, 2])).text
    assert {"1 flits/cycle", "2 flits/cycle"} <= {t.text for t in ElementTree.fromstring(drawn).iter(f"{SVG}text")}


def test_a_thousand_routers_have_room_and_names_along_the_edges() -> None:
    drawn = draw_network("torus(32, 32)", view="whole").text
    centre, radius, boxes, _ = parsed(drawn)
    assert radius.min() > 5
    assert not any(covered(centre, radius, box).any() for box in boxes)
    assert "Names of routers are left out" in drawn
    words = [t.text for t in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert {f"{i},0" for i in range(32)} | {f"0,{i}" for i in range(32)} <= set(words)
    assert len(words) < 80


def test_terminals_stand_apart_from_links_and_many_are_one_square() -> None:
    def squares(drawn: str) -> list[str]:
        found = re.findall(r'<path d="[^"]*" fill="#d55e00"><title>([^<]*)</title>', drawn)
        return [str(name) for name in found]

    network = mesh(3, 3)
    assert squares(draw_network(network, terminals=True).text) == [network.terminal_name(t) for t in range(9)]
    assert squares(draw_network(network).text) == []
    crowd = Network("crowd", 2, [0, 1], [1, 0], inject=[0] * 19 + [1])
    assert squares(draw_network(crowd, terminals=True).text) == ["19 terminals: t0 … t18", "t19"]
    said = refused("show", "mesh(3, 3)", "--terminals")
    assert "--out" in said


def test_terminals_of_a_matrix_are_named_as_without_effect(tmp_path: Path) -> None:
    answer = CliRunner().invoke(app, ["show", "torus(5, 5, 5, 5)", "--terminals", "--out", str(tmp_path / "a.svg")])
    assert answer.exit_code == 0
    assert "without effect here: --terminals" in answer.stderr


def test_arrows_and_loops_stay_on_the_paper_below_the_title() -> None:
    drawn = draw_network(from_edges([(0, 0), (0, 1), (1, 1)])).text
    points = np.array(re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", drawn), dtype=float)
    assert points.min() >= 0
