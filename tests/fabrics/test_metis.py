"""METIS graphs: back and forth, with weights, and broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from tests.fabrics.networks import both_ways, decorated, without_twins
from unknot._base.errors import NetworkError, TextError
from unknot.fabrics import kind_of, read_network
from unknot.fabrics.metis import read_metis, write_metis
from unknot.network import Network, from_edges


def pairs(network: Network) -> list[tuple[int, int]]:
    return sorted(zip(network.source.tolist(), network.target.tolist(), strict=True))


@given(decorated())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    path = tmp_path_factory.mktemp("metis") / "n.graph"
    links = without_twins(both_ways(network))
    write_metis(links, path)
    assert pairs(read_metis(path)) == pairs(links)
    assert read_network(path).num_routers == links.num_routers
    path.rename(path.with_suffix(""))
    assert kind_of(path.with_suffix("")) == "metis"


@pytest.mark.parametrize(
    "text",
    [
        "% a path\n3 2\n2\n1 3\n2\n",
        "3 2 001\n2 7\n1 7 3 9\n2 9\n",
        "3 2 011\n5 2 7\n5 1 7 3 9\n5 2 9\n",
        "3 2 110 2\n1 8 8 2\n1 8 8 1 3\n1 8 8 2\n",
        " 3  2 0\r\n2\r\n1 3\r\n% end\r\n2",
    ],
)
def test_weights_are_passed_over(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.graph").write_bytes(text.encode())
    assert pairs(read_network(tmp_path / "g.graph")) == pairs(from_edges([(0, 1), (1, 2)]))


def test_routers_without_links(tmp_path: Path) -> None:
    (tmp_path / "g.graph").write_text("4 1\n2\n1\n\n\n")
    assert read_network(tmp_path / "g.graph").num_routers == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the first line must be"),
        ("a b\n", ":1:1: the first line must be"),
        ("3 2 7\n", ":1:1: the first line must be"),
        ("3 2\n2\n1 3\n", ":1:1: the first line says 3 routers, but 2 lines follow"),
        ("3 2\n2\n1 3\n2\n1\n", ":1:1: the first line says 3 routers, but 4 lines follow"),
        ("3 2\n2\n1 4\n2\n", ":3:3: a router from 1 to 3"),
        ("3 2\n2\n1 2\n2\n", ":3:3: a router from 1 to 3, not this one (2)"),
        ("3 2\n2\n1 ²\n2\n", ":3:3: a router from 1 to 3"),
        ("3 2\n2\n1 " + "9" * 5000 + "\n2\n", ":3:3: a router from 1 to 3"),
        ("3 2\n2 2\n1 3\n2\n", ":2:3: a router from 1 to 3, not this one (1) and none twice"),
        ("3 2\n2\n1\n2\n", ":4:1: router 2 is a neighbour of 3, but 3 is none of 2"),
        ("3 3\n2\n1 3\n2\n", ":1:1: the first line says 3 links, but there are 2"),
        ("0 0\n", ":1:1: the first line must be: routers (at least one)"),
    ],
)
def test_what_is_broken_is_reported(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "g.graph").write_text(text)
    with pytest.raises(TextError) as caught:
        read_network(tmp_path / "g.graph")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("edges", "said"),
    [([(0, 0)], "leads back to itself"), ([(0, 1)], "has none that leads back"), ([(0, 1), (0, 1)], "parallel")],
)
def test_what_a_metis_graph_cannot_say(edges: list[tuple[int, int]], said: str, tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match=said):
        write_metis(from_edges(edges, directed=True), tmp_path / "n.graph")
    assert not (tmp_path / "n.graph").exists()
