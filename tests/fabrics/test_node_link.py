"""Node-link JSON: back and forth, from and to NetworkX, and broken."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given

from tests.fabrics.networks import decorated
from unknot._base.errors import TextError
from unknot.fabrics import read_network
from unknot.fabrics.networkx_files import read_node_link, write_node_link
from unknot.network import Network, from_edges, from_networkx, to_networkx


@given(decorated())
def test_what_is_written_is_read_back_here_and_by_networkx(
    tmp_path_factory: pytest.TempPathFactory, network: Network
) -> None:
    path = tmp_path_factory.mktemp("json") / "n.json"
    write_node_link(network, path)
    assert read_node_link(path) == network
    assert read_network(path) == network
    graph = nx.node_link_graph(json.loads(path.read_text()), edges="edges")
    assert from_networkx(graph) == network


@pytest.mark.parametrize("edges", ["edges", "links"])
@given(network=decorated())
def test_what_networkx_writes_is_read(tmp_path_factory: pytest.TempPathFactory, edges: str, network: Network) -> None:
    path = tmp_path_factory.mktemp("json") / "n.json"
    path.write_text(json.dumps(nx.node_link_data(to_networkx(network), edges=edges)))
    assert read_node_link(path) == network


def test_other_graphs(tmp_path: Path) -> None:
    data = nx.node_link_data(nx.grid_graph([2, 2]), edges="links")
    (tmp_path / "g").write_text(json.dumps(data))
    network = read_network(tmp_path / "g")
    assert network.router_labels == ("(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)")
    assert network.num_channels == 8
    (tmp_path / "g").write_text(
        '{"nodes": [{"id": "a"}, {"id": "b", "label": null}],'
        ' "links": [{"source": "a", "target": "b", "latency": 3}]}'
    )
    assert read_network(tmp_path / "g") == from_edges([("a", "b", 3)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"nodes": [{"id": 0}],\n "edges": [{"source": 0, "target": 0},\n  {"source": 0, "target": 4}]}',
            "edge '0' – '4' ends at '4'",
        ),
        ('{"nodes": [{"id": 0},\n {"id": 0}], "links": []}', "nodes[1]: there are two nodes 0"),
        ('{"nodes": [{"id": 0},\n {"name": 0}], "links": []}', 'nodes[1]: "id" is missing here'),
        ('{"nodes": [{"id": 0},\n 7], "links": []}', "nodes[1]: an object is needed here"),
        ('{"nodes": [{"id": 0}], "links": [\n {"source": 0}]}', 'links[0]: "target" is missing here'),
        (
            '{"nodes": [{"id": 0}],\n "links": [{"source": 0, "target": 0, "latency": 1.5}]}',
            "latency of edge '0' – '0': whole numbers are needed, not 1.5",
        ),
        (
            '{"nodes": [{"id": 0}], "links": [],\n "graph": {"name": "x",\n  "inject": [1]}}',
            "inject names router 1",
        ),
        (
            '{"nodes": [{"id": 0}], "links": [], "graph": {\n"terminal_labels": 3}}',
            "terminal_labels must be a list of names",
        ),
        (
            '{"nodes": [{"id": 0, "coordinates": [3]}], "links": [], "graph": {"radices": [3]}}',
            "coordinates of node '0': [3] do not fit the radices [3]",
        ),
        ('{"nodes": [], "links": []}', "no nodes"),
        ('{"nodes": [{"id": 0}]}', 'an object with lists "nodes"'),
        ('{"nodes": [{"id": 0}], "links": [], "graph": [3]}', '"graph" must be an object'),
        ('{"nodes": [{"id": 0}],\n "links": [}', ":2:12: this is not JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
        (
            '{"nodes": [{"id": 0}], "links": [], "graph": {"terminal_labels": ["a", "b"]}}',
            "2 terminal_labels, but 1 needed",
        ),
    ],
)
def test_what_is_broken_is_reported(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(TextError) as caught:
        read_network(tmp_path / "g.json")
    assert said in str(caught.value)
