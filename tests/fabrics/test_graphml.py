"""GraphML: back and forth, as NetworkX understands it, and broken."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given

from tests.fabrics.networks import decorated
from unknot._base.errors import NetworkError, TextError
from unknot.fabrics import read_network
from unknot.fabrics.networkx_files import read_graphml, write_graphml
from unknot.network import Network, Places, from_networkx
from unknot.network.families import ring, torus

HEAD = '<graphml>\n<key id="w" for="edge" attr.name="latency"/>\n'


@given(decorated())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    path = tmp_path_factory.mktemp("graphml") / "n.graphml"
    write_graphml(network, path)
    assert read_graphml(path) == network
    assert read_network(path) == network


def test_networkx_reads_it(tmp_path: Path) -> None:
    network = torus(4, 3, latency=2)
    write_graphml(network, tmp_path / "t.graphml")
    graph = nx.read_graphml(tmp_path / "t.graphml", node_type=int, edge_key_type=int, force_multigraph=True)
    assert list(graph.nodes) == list(range(12))
    assert {(u, v, k, d["latency"]) for u, v, k, d in graph.edges(keys=True, data=True)} == {
        (int(u), int(v), c, 2) for c, (u, v) in enumerate(zip(network.source, network.target, strict=True))
    }


@pytest.mark.parametrize(
    "graph", [nx.petersen_graph(), nx.gn_graph(9, seed=1), nx.MultiGraph([("a", "b"), ("a", "b")])]
)
def test_graphs_of_networkx_are_read(graph: nx.Graph, tmp_path: Path) -> None:
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert sorted(pairs(read_graphml(tmp_path / "g.graphml"))) == sorted(pairs(from_networkx(graph)))


def pairs(network: Network) -> list[tuple[str, str]]:
    return [tuple(network.channel_name(c).split("#")[0].split("→")) for c in range(network.num_channels)]  # type: ignore[misc]


def test_defaults_and_single_directions(tmp_path: Path) -> None:
    text = """<?xml version="1.0" encoding="ISO-8859-1"?>
    <!-- a comment --> <g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
    <g:key id="w" for="edge" attr.name="latency"><g:default>4</g:default></g:key>
    <g:graph edgedefault="undirected"><g:desc>words</g:desc>
    <g:node id="ä"><g:port name="p"/></g:node><g:node id="b"/>
    <g:edge source="ä" target="b"/><g:edge source="b" target="ä" directed="true"><g:data key="w">2</g:data></g:edge>
    </g:graph></g:graphml>"""
    (tmp_path / "x").write_text(text, encoding="latin-1")
    network = read_network(tmp_path / "x")
    assert network.router_labels == ("ä", "b")
    assert (network.source.tolist(), network.latency.tolist()) == ([0, 1, 1], [4, 4, 2])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            '<graph>\n<node id="a"/>\n<edge source="a" target="c"/></graph></graphml>',
            "edge 'a' – 'c' ends at 'c', but there is no such node",
        ),
        ('<graph>\n<node id="a"/><node id="a"/></graph></graphml>', "there are two nodes 'a'"),
        ("<graph>\n<node/></graph></graphml>", "this node has no id"),
        (
            '<graph><node id="a"/>\n<edge source="a"/></graph></graphml>',
            "this edge has no target; there is only source=",
        ),
        (
            '<graph><node id="a"/>\n<edge source="a" target="a"><data key="w">0</data></edge></graph></graphml>',
            "latency of edge 'a' – 'a': a latency is a whole number of at least 1",
        ),
        (
            '<graph><node id="a"/>\n<edge source="a" target="a"><data key="w">x</data></edge></graph></graphml>',
            "latency of edge 'a' – 'a': whole numbers are needed, not 'x'",
        ),
        ('<graph><node id="a"><data key="q"/></node></graph></graphml>', "no key q"),
        ("<graph></graph>\n<graph></graph></graphml>", "one graph is needed"),
        ("<graph>\n<hyperedge/></graph></graphml>", "a hyperedge"),
        ("<graph></graph></graphml>", "has no nodes"),
        ("</graphml>", "there is no graph"),
        ("<graph>\n</graphml>", ":4:3: this is not well-formed XML: mismatched tag"),
        ("<graph>", "not well-formed XML: no element found"),
    ],
)
def test_what_is_broken_is_reported(body: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text(HEAD + body)
    with pytest.raises(TextError) as caught:
        read_network(tmp_path / "g.graphml")
    assert said in str(caught.value)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    (tmp_path / "g").write_text(
        '<!DOCTYPE graphml [<!ENTITY a "aaaa">]>\n<graphml><graph><node id="&a;"/></graph></graphml>'
    )
    with pytest.raises(TextError, match="document type"):
        read_graphml(tmp_path / "g")


def test_names_that_xml_cannot_hold_are_refused(tmp_path: Path) -> None:
    network = Network("n", 1, [], [], places=Places(router_labels=("a\0b",)))
    with pytest.raises(NetworkError, match="control character"):
        write_graphml(network, tmp_path / "n")
    assert not (tmp_path / "n").exists()


def test_large_numbers(tmp_path: Path) -> None:
    write_graphml(ring(3), tmp_path / "n")
    text = (tmp_path / "n").read_text().replace(">1</data>", ">9999999999</data>", 1)
    (tmp_path / "n").write_text(text)
    with pytest.raises(TextError, match="whole numbers"):
        read_graphml(tmp_path / "n")


def test_defaults_for_all_parts(tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text(
        '<graphml><key id="w" for="all" attr.name="latency" attr.type="int"><default>7</default></key>'
        '<key id="p" attr.name="ports"><default>1 2</default></key>'
        '<key id="n" for="graph" attr.name="name"><default>ring</default></key>'
        '<key id="l" for="node" attr.name="label"><default/></key>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"><data key="l">B</data></node>'
        '<edge source="a" target="b"/><edge source="b" target="a"><data key="w">2</data></edge></graph></graphml>'
    )
    network = read_graphml(tmp_path / "g.graphml")
    assert network.latency.tolist() == [7, 7, 2, 2]
    assert network.ports is not None
    assert network.ports.tolist() == [[1, 2], [2, 1], [1, 2], [2, 1]]
    assert (network.name, network.router_labels) == ("ring", ("", "B"))


def test_a_key_without_id_is_reported(tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text(
        '<graphml><key for="edge" attr.name="latency"/><graph><node id="a"/></graph></graphml>'
    )
    with pytest.raises(TextError, match='this key has no id; there is only for="edge"'):
        read_graphml(tmp_path / "g.graphml")


def test_many_defaults_take_little_memory(tmp_path: Path) -> None:
    keys = "".join(f'<key id="k{i}" for="all" attr.name="n{i}"><default>x</default></key>' for i in range(2000))
    nodes = "".join(f'<node id="{i}"/>' for i in range(2000))
    (tmp_path / "g.graphml").write_text(f"<graphml>{keys}<graph>{nodes}</graph></graphml>")
    tracemalloc.start()
    assert read_graphml(tmp_path / "g.graphml").num_routers == 2000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6
