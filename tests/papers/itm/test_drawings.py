"""Pictures of triangular meshes and of schedules: complete, coloured as the legend says, the same every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from unknot.network import families as topologies
from unknot.report import draw_network
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS
from unknot.routing import dimension_order, fully_adaptive
from unknot_collectives import collective, contention, messages_of
from unknot_collectives.drawing import MET, draw_messages
from unknot_papers.itm import grow, itm, network_of, spanning
from unknot_papers.itm.escape_layer import BESIDE, draw_mesh

SVG = "{http://www.w3.org/2000/svg}"


def strokes(svg: str, colour: str) -> int:
    """Lines in a colour, all subpaths counted; the legend has one more."""
    paths = ElementTree.fromstring(svg).iter(f"{SVG}path")
    return sum(path.get("d", "").count("M") for path in paths if path.get("stroke") == colour)


def words(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(("n", "extra"), [(3, 0), (9, 0), (16, 8), (60, 20)])
def test_a_mesh_is_drawn_link_by_link(n: int, extra: int) -> None:
    network = itm(n, extra=extra, seed=3)
    svg = draw_mesh(network, spanning(network).mesh).text
    shown = (BESIDE, extra), (COLOURS[0], n - 3), (COLOURS[3], n)
    assert [strokes(svg, colour) - 1 for colour, _ in shown] == [count for _, count in shown]
    printed = [f"links beside it: {extra}", f"inner links: {n - 3}", f"boundary: {n}"]
    assert [text for text in words(svg) if ": " in text] == printed
    assert svg == draw_mesh(network, spanning(network).mesh).text


def test_the_general_kind_is_drawn_without_a_circle() -> None:
    mesh = grow(12, "general", seed=2)
    assert mesh.kind == "general"
    svg = draw_mesh(network_of(mesh, "general"), mesh).text
    assert strokes(svg, COLOURS[0]) + strokes(svg, COLOURS[3]) >= 21 + 2
    assert f"boundary: {int(mesh.exterior.sum())}" in words(svg)


def test_without_a_mesh_and_beyond_the_sheet_the_network_is_drawn() -> None:
    network = topologies.torus(4, 4)
    assert draw_mesh(network, None).text == draw_network(network).text
    large = grow(MAX_DRAWN + 1)
    network = network_of(large, "large")
    assert draw_mesh(network, large).text == draw_network(network).text


def test_each_step_of_a_schedule_is_drawn() -> None:
    network = topologies.hypercube(3)
    relation, messages = dimension_order(network), messages_of(network, collective(network))
    svg = draw_messages(relation, messages, "broadcast").text
    steps = [text for text in words(svg) if text.startswith("step")]
    assert steps == ["step 1: 1 message", "step 2: 2 messages", "step 3: 4 messages"]
    assert strokes(svg, MET) == 0
    assert len(re.findall("<title>t0 → ", svg)) == 3
    assert svg == draw_messages(relation, messages, "broadcast").text


@pytest.mark.long
def test_channels_that_messages_of_a_step_may_share_are_red() -> None:
    network = itm(24, seed=3)
    relation = fully_adaptive(network)
    circle, numbers = (messages_of(network, collective(network, order=order)) for order in ("circle", "numbers"))
    assert any(meeting.same_step for meeting in contention(relation, numbers))
    assert strokes(draw_messages(relation, numbers, "broadcast").text, MET) > 0
    assert strokes(draw_messages(relation, circle, "broadcast").text, MET) == 0


def test_no_messages_and_too_large_schedules_are_reported() -> None:
    network = topologies.mesh(3, 3)
    assert "0 steps" in draw_messages(dimension_order(network), [], "broadcast").text
    large = topologies.ring(MAX_DRAWN + 1)
    messages = messages_of(large, collective(large, "all_gather", 0, [1]))
    assert "Too large to draw" in draw_messages(fully_adaptive(large), messages, "all_gather").text
