"""Large networks: groups as nodes with their traffic, and matrices."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.network import Network
from unknot.network.families import dragonfly, fat_tree, mesh, random_regular, slim_fly, torus
from unknot.report import draw_load, draw_network
from unknot.report.group_drawing import MANY, view_named
from unknot.report.groups import MOST_GROUPS, groups

LARGE = [dragonfly(8, 4, 4), fat_tree(6, 3), mesh(20, 20), torus(6, 6, 6), random_regular(200, 5), slim_fly(11)]


def titles(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("title")][1:]


@pytest.mark.parametrize("network", LARGE, ids=lambda network: network.name)
def test_groups_gather_every_router_and_every_channel(network: Network) -> None:
    found = groups(network)
    assert found is not None
    assert 1 < len(found.names) <= MOST_GROUPS
    assert found.sizes.sum() == network.num_routers
    assert found.sizes.min() > 0
    whole, channel = found.between
    for c in range(network.num_channels):
        ends = found.of[network.source[c]], found.of[network.target[c]]
        if channel[c] < 0:
            assert ends[0] == ends[1]
        else:
            assert ends == (whole.source[channel[c]], whole.target[channel[c]])


@pytest.mark.parametrize("network", LARGE, ids=lambda network: network.name)
def test_a_large_network_is_drawn_by_its_groups(network: Network) -> None:
    found = groups(network)
    assert found is not None
    drawn = draw_network(network, view="groups")
    assert network.num_routers < MANY or drawn == draw_network(network)
    assert drawn.count("<circle") == len(found.names)
    assert f"{found.names[0]}: {found.sizes[0]} router" in " ".join(titles(drawn))


def test_groups_show_their_traffic() -> None:
    network = dragonfly(8, 4, 4)
    found = groups(network)
    assert found is not None
    use = np.zeros(network.num_channels)
    _, channel = found.between
    hot = int(np.flatnonzero(channel >= 0)[7])
    use[hot] = 0.75
    drawn = draw_load(network, use)
    a, b = (found.names[found.of[end[hot]]] for end in (network.source, network.target))
    (label,) = [title for title in titles(drawn) if title.startswith(f"{a} → {b}: ")]
    assert f"0.75 flits per cycle in all, busiest {network.channel_name(hot)} 0.75" in label
    assert ">0.75</text>" in drawn


def test_channels_have_titles_and_the_busiest_their_loads() -> None:
    network = mesh(3, 3)
    use = np.arange(network.num_channels) / 100
    drawn = draw_load(network, use)
    wanted = {f"{network.channel_name(c)}: {use[c]:.3g} flits per cycle" for c in range(network.num_channels)}
    assert wanted <= set(titles(drawn))
    for share in sorted(use)[-3:]:
        assert f">{share:.2f}</text>" in drawn


def test_a_matrix_has_a_cell_for_each_pair_that_is_joined() -> None:
    network = mesh(5, 5)
    assert len(titles(draw_network(network, view="matrix"))) == network.num_channels
    large = torus(20, 20)
    use = np.linspace(0, 1, large.num_channels)
    cells = titles(draw_load(large, use, view="matrix"))
    assert len(cells) < large.num_channels
    assert any(cell.endswith("at most 1") for cell in cells)


def test_terminals_are_drawn_when_wanted() -> None:
    network = dragonfly(2, 2, 1)
    assert {network.terminal_name(t) for t in range(network.num_terminals)} <= set(
        titles(draw_network(network, terminals=True))
    )


def test_pictures_turn_dark_with_the_page() -> None:
    for drawn in (draw_network(mesh(2, 2)), draw_load(mesh(2, 2), [0.5] * 8)):
        assert "@media (prefers-color-scheme:dark)" in drawn


def test_views_are_named_on_the_command_line(tmp_path: object) -> None:
    assert view_named("groups") == "groups"
    with pytest.raises(UnknotError, match="did you mean matrix"):
        view_named("matrx")
    words = ["show", "mesh(3, 3)", "--out", f"{tmp_path}/m.svg", "--view", "matrix"]
    assert CliRunner().invoke(app, words).exit_code == 0
