"""Large networks as matrices; titles and labels of channels, terminals, dark pages."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.network.families import mesh, torus
from unknot.report import draw_load, draw_network
from unknot.report.drawing import MANY, is_matrix


def titles(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("title")][1:]


def test_channels_have_titles_and_the_busiest_their_loads() -> None:
    network = mesh(3, 3)
    use = np.arange(network.num_channels) / 100
    drawn = draw_load(network, use).text
    wanted = {f"{network.channel_name(c)}: {use[c]:.3g} flits per cycle" for c in range(network.num_channels)}
    assert wanted <= set(titles(drawn))
    for share in sorted(use)[-3:]:
        assert f">{share:.2f}</text>" in drawn


def test_a_matrix_has_a_cell_for_each_pair_that_is_joined() -> None:
    network = mesh(5, 5)
    assert len(titles(draw_network(network, view="matrix").text)) == network.num_channels
    large = torus(20, 20)
    use = np.linspace(0, 1, large.num_channels)
    cells = titles(draw_load(large, use, view="matrix").text)
    assert len(cells) < large.num_channels
    assert any(cell.endswith("at most 1") for cell in cells)


def test_pictures_turn_dark_with_the_page() -> None:
    for drawn in (draw_network(mesh(2, 2)).text, draw_load(mesh(2, 2), [0.5] * 8).text):
        assert "@media (prefers-color-scheme:dark)" in drawn


def test_networks_of_many_routers_are_matrices() -> None:
    few, grid, many = torus(20, 20), torus(25, 25), torus(5, 5, 5, 5)
    assert few.num_routers < MANY <= grid.num_routers == many.num_routers
    for network in (few, grid, many):
        matrix = draw_network(network, view="matrix").text
        assert (draw_network(network).text == matrix) is (network is many)
    assert draw_network(few).text == draw_network(few, view="whole").text
    assert is_matrix(torus(32, 32), "auto")


def test_views_are_named_on_the_command_line(tmp_path: object) -> None:
    words = ["show", "mesh(3, 3)", "--out", f"{tmp_path}/m.svg", "--view"]
    assert CliRunner().invoke(app, [*words, "matrix"]).exit_code == 0
    assert CliRunner().invoke(app, [*words, "groups"]).exit_code == 2
