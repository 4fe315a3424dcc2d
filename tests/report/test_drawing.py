"""Drawings are well-formed, complete, safe, and the same every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from io import BytesIO

import networkx as nx
import numpy as np
import pytest
from matplotlib.image import imread

from tests.report.examples import cycle_knot, named, ring_knot, run
from tests.report.test_placement import NETWORKS, irregular
from unknot.certificates.verdict import Configuration
from unknot.network import from_edges, to_networkx
from unknot.network.families import hypercube, mesh, ring, torus
from unknot.report import draw_configuration, draw_curves, draw_network
from unknot.report.configuration_drawing import MAX_WHOLE
from unknot.report.picture import rendered
from unknot.report.placement import MAX_DRAWN
from unknot.report.rendering import templates
from unknot.report.sheet import Sheet, arrowhead, cut, length, number, path
from unknot.routing import Relation

SVG = "{http://www.w3.org/2000/svg}"


def titles(svg: str) -> list[str]:
    return [title.text or "" for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]


def words(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_drawn_with_every_router(name: str) -> None:
    network = NETWORKS[name]
    svg = draw_network(network).text
    assert titles(svg)[1:] == [network.router_name(r) for r in range(network.num_routers)]
    assert svg == draw_network(network).text


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("name", NETWORKS)
def test_everything_lies_on_the_paper(name: str) -> None:
    sheet = Sheet.of(NETWORKS[name])
    for points in (sheet.place.tolist(), *(sheet.centre(c) for c in range(sheet.network.num_channels))):
        assert all(0 <= p.real <= sheet.width and 0 <= p.imag <= sheet.height for p in points)


def test_links_avoid_other_routers() -> None:
    sheet = Sheet.of(torus(8, 8))
    for c in range(sheet.network.num_channels):
        ends = {int(sheet.network.source[c]), int(sheet.network.target[c])}
        for router, z in enumerate(sheet.place.tolist()):
            assert router in ends or min(abs(z - p) for p in sheet.centre(c)) > sheet.radius


def test_opposite_channels_run_on_either_side_of_one_line() -> None:
    sheet = Sheet.of(ring(8))
    there, back = sheet.network.between(0, 7)[0], sheet.network.between(7, 0)[0]
    assert path(sheet.centre(there)) == path(sheet.centre(back)[::-1])
    assert min(abs(a - b) for a in sheet.lane(there, 4.0) for b in sheet.lane(back, 4.0)) >= 7.9


def test_parallel_channels_do_not_coincide() -> None:
    sheet = Sheet.of(from_edges([(0, 1), (0, 1), (0, 1)]))
    lines = {path(sheet.centre(c)) for c in sheet.network.between(0, 1)}
    assert len(lines) == 3


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    ("relation", "configuration"),
    [
        ring_knot(torus(8, 8), row=3),
        ring_knot(torus(9, 4), held=3),
        cycle_knot(mesh(4, 4), [5, 6, 10, 9], vcs=3),
        cycle_knot(hypercube(4), [0, 1, 3, 7, 15, 14, 12, 8]),
        cycle_knot(irregular(), nx.cycle_basis(nx.Graph(to_networkx(irregular()).edges()))[0]),
    ],
    ids=["ring", "worms", "square", "hypercube", "irregular"],
)
def test_every_message_and_channel_of_a_configuration_appears(
    relation: Relation, configuration: Configuration
) -> None:
    svg = draw_configuration(relation, configuration).text
    label = [title for title in titles(svg) if title.startswith("Message ")]
    for i, message in enumerate(configuration.messages):
        mine = [title for title in label if title.startswith(f"Message {i + 1}: ")]
        assert len(mine) == 2
        assert all(relation.vcs.name(vc) in mine[0] for vc in (*message.held, *message.wanted))
        assert words(svg).count(str(i + 1)) >= 2
    channel = relation.vcs.channel
    assert svg.count("stroke-dasharray") == sum(len({channel[vc] for vc in m.wanted}) for m in configuration.messages)
    assert svg == draw_configuration(relation, configuration).text


def test_a_worm_runs_along_its_channels_to_where_its_header_stands() -> None:
    relation, configuration = ring_knot(torus(9, 4), held=3)
    root = ElementTree.fromstring(draw_configuration(relation, configuration).text)
    sheet = Sheet.of(relation.network)
    worms = [p for p in root.iter(f"{SVG}path") if p.find(f"{SVG}title") is not None]
    assert len(worms) == len(configuration.messages)
    for worm, message in zip(worms, configuration.messages, strict=True):
        points = [complex(*map(float, pair.split(","))) for pair in worm.attrib["d"][1:].split("L")]
        channels = relation.vcs.channel[list(message.held)]
        tail, head = relation.network.source[channels[0]], relation.network.target[channels[-1]]
        assert abs(points[0] - sheet.place[tail]) < sheet.radius + 4
        assert abs(points[-1] - sheet.place[head]) < sheet.radius + 14
        for router in relation.network.target[channels[:-1]]:
            assert min(abs(p - sheet.place[router]) for p in points) < sheet.radius + 4


def test_the_legend_can_be_left_out() -> None:
    relation, configuration = ring_knot(torus(4, 4))
    with_legend, without = (
        draw_configuration(relation, configuration, legend=legend).text for legend in (True, False)
    )
    assert any("waits for 2" in word for word in words(with_legend))
    assert not any("waits for" in word for word in words(without))


def test_a_network_too_large_is_described() -> None:
    network = mesh(MAX_DRAWN + 1)
    assert f"Too large to draw: {MAX_DRAWN + 1:,} routers" in words(draw_network(network, view="whole").text)[0]
    assert len(draw_network(mesh(MAX_DRAWN), view="whole").text) > 100_000


def test_of_a_large_network_the_concerned_part_is_drawn() -> None:
    relation, configuration = ring_knot(torus(60, 40))
    assert relation.network.num_routers > MAX_WHOLE
    svg = draw_configuration(relation, configuration).text
    assert "Only the 60 routers concerned; the network has 2,400 routers" in " ".join(words(svg))
    assert sum(title.startswith("Message ") for title in titles(svg)) == 120
    assert "and 36 more messages" in words(svg)


def test_hostile_names_are_only_text() -> None:
    names = [f"<script>alert('{i}')</script>&\"" for i in range(16)]
    network = named(torus(4, 4), names)
    relation, configuration = cycle_knot(network, [0, 1, 2, 3])
    for svg in (draw_network(network).text, draw_configuration(relation, configuration).text):
        assert "<script" not in svg
        assert titles(svg).count(names[0]) >= 1


def test_pieces_of_lines() -> None:
    line = [0j, 10 + 0j, 10 + 10j]
    assert length(line) == 20
    assert cut(line, 5, 15) == [5 + 0j, 10 + 0j, 10 + 5j]
    assert cut(line, 18, 2) == [10 + 0j, 10 + 0j]
    assert path([1.04 + 2j, -0.01 + 3.5j]) == "M1,2L0,3.5"
    assert arrowhead(10 + 0j, 5 + 0j, 4) == "M10,0L6,2L6,-2Z"
    assert number(-0.04) == "0"


def test_messages_have_numbers_and_colours_of_their_own() -> None:
    """Sixteen messages in a row of a torus with 256 routers, the discs small."""
    svg = draw_configuration(*ring_knot(torus(16, 16), row=5), legend=False).text
    texts = re.findall(r'font-weight="700">(\d+)</text>', svg)
    assert texts == [str(i) for i in range(1, 17)]
    discs = re.findall(r'<circle [^>]* fill="(#[0-9a-f]{6})" stroke="#ffffff"', svg)
    assert len(discs) == len(set(discs)) == 16


def test_a_knot_in_a_large_network_is_enlarged_and_the_rest_faint() -> None:
    network = torus(16, 16)
    relation, knot = cycle_knot(network, [68, 69, 85, 84])
    drawn = draw_configuration(relation, knot).text
    whole = Sheet.of(network, width=760.0, height=640.0)
    near = whole.around(np.array([68, 69, 84, 85]))
    assert near.gap > 2 * whole.gap
    assert 4 < near.visible.sum() < 40
    assert "The part concerned, of 256 routers" in drawn
    assert near.around(np.arange(256)) is near
    legend = drawn.index("waits for 2")
    assert drawn.index(f'L9999,{number(near.height)}Z" fill="#ffffff"') < legend, "no line runs through the legend"


@pytest.mark.long
def test_links_between_many_groups_leave_paper_to_be_seen() -> None:
    image = imread(BytesIO(rendered(draw_network("dragonfly(8)"), "png")))
    height, width = image.shape[:2]
    middle = image[height // 4 : height * 3 // 4, width // 4 : width * 3 // 4, :3]
    assert (middle.min(axis=2) > 0.95).mean() > 0.2


def test_names_that_xml_forbids_and_marks_of_direction_are_written_out() -> None:
    network = named(mesh(2, 2), ["a\ufffe", "b\u202e", "c\x01", "d\ud800"])
    for svg in (draw_network(network).text, draw_curves({"a\ufffe\u202e": [run(0.1)]}).text):
        ElementTree.fromstring(svg.encode())
        assert not set(svg) & set("\ufffe\u202e\x01\ud800")
    assert "b\\u202e" in draw_network(network).text
    text = templates().from_string("{{ a }}").render(a="b\u202e<")
    assert text == "b\\u202e&lt;"
