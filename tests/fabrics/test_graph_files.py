"""DOT and GML: what is written, GML back and forth, as NetworkX understands it, and broken; DOT is not read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given

from tests.fabrics.networks import decorated
from unknot._base.errors import TextError
from unknot.fabrics import read_network
from unknot.fabrics.graph_files import read_gml, write_dot, write_gml
from unknot.network import Network, Places, from_edges, from_networkx
from unknot.network.families import ring, torus


@given(decorated())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    path = tmp_path_factory.mktemp("gml") / "n.gml"
    write_gml(network, path)
    path.read_bytes().decode("ascii")
    assert read_gml(path) == network
    assert read_network(path) == network


def test_names_that_are_numbers_remain_names(tmp_path: Path) -> None:
    network = Network("n", 2, [0], [1], places=Places(router_labels=("0", "1")))
    write_gml(network, tmp_path / "n.gml")
    assert read_gml(tmp_path / "n.gml") == network


def test_networkx_reads_it(tmp_path: Path) -> None:
    network = torus(4, 3, latency=2)
    write_gml(network, tmp_path / "t.gml")
    graph = nx.read_gml(tmp_path / "t.gml", label="id")
    assert graph.is_directed()
    assert graph.graph["radices"] == "4 3"
    assert {(u, v, k, d["latency"]) for u, v, k, d in graph.edges(keys=True, data=True)} == {
        (int(u), int(v), c, 2) for c, (u, v) in enumerate(zip(network.source, network.target, strict=True))
    }


@pytest.mark.parametrize("graph", [nx.petersen_graph(), nx.gn_graph(9, seed=1), nx.cycle_graph(["a b", "ü", '"'])])
def test_graphs_of_networkx_are_read(graph: nx.Graph, tmp_path: Path) -> None:
    nx.write_gml(graph, tmp_path / "g.gml")
    read, known = read_gml(tmp_path / "g.gml"), from_networkx(graph)
    assert read.router_labels == known.router_labels
    assert set(zip(read.source, read.target, strict=True)) == set(zip(known.source, known.target, strict=True))


def test_a_file_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(
        'Creator "somebody"\nVersion 1\n# words [\ngraph\n[\n  comment "x"\n  node\n  [\n'
        '    id 7 label "A" graphics [ x -1.5e3 y .5 ]\n  ]\n  node [ id 9 label "B" ]\n'
        "  edge [ source 7 target 9 latency 3 ]\n  edge [ source 9 target 9 ]\n]\n"
    )
    assert read_network(tmp_path / "x") == from_edges([("A", "B", 3), ("B", "B")])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph [\n  node [ id 0 ]\n  edge [ source 0 target 4 ]\n]", "edge #0 has undefined target 4"),
        ("graph [\n  node [ id 0 ] node [ id 0 ]\n]", "node id 0 is duplicated"),
        ('graph [\n  node [ label "a" ]\n]', "node #0 has no 'id'"),
        ("graph [\n  edge [ source 0 ]\n]", "edge #0 has no 'target'"),
        (
            "graph [\n  node [ id 0 ]\n  edge [ source 0 target 0 latency 1.5 ]\n]",
            "latency of edge 0 – 0: whole numbers are needed, not 1.5",
        ),
        ('graph [\n  node [ id 0 ]\n  inject "0 1"\n]', "inject names router 1"),
        ("graph [\n  node 3\n]", "not of the kind that is needed"),
        ("graph [ directed 1 ]", "no nodes"),
        ("graph [\n  node [ id 0\n]", ":4:1: this GML cannot be read: expected ']', found EOF"),
        ("graph [ node [ id ] ]", ":2:1: this GML cannot be read: expected ']', found EOF"),
        ("graph [ ] ]", ":1:25: this GML cannot be read: expected EOF, found ']'"),
        ("graph [ node [ 3 ] ]", ":1:16: this GML cannot be read: expected ']', found 3"),
        ('graph [\n node [ id 0 label "a ] ]', ":3:1: this GML cannot be read: expected ']'"),
        ("graph [ a " + "[ b " * 5000, "nested too deeply"),
        ("graph [ ] graph [ ]", "more than one graph"),
    ],
)
def test_what_is_broken_is_reported(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "g.gml").write_text(text)
    with pytest.raises(TextError) as caught:
        read_network(tmp_path / "g.gml")
    assert said in str(caught.value)


def test_how_it_looks(tmp_path: Path) -> None:
    write_dot(from_edges([("a", "b", 2), ('"', "\\")], name='say "hi"'), tmp_path / "n.dot")
    assert (tmp_path / "n.dot").read_text().splitlines() == [
        'digraph "say \\"hi\\"" {',
        '  0 [label="a"];',
        '  1 [label="b"];',
        '  2 [label="\\""];',
        '  3 [label="\\\\"];',
        "  0 -> 1 [latency=2];",
        "  1 -> 0 [latency=2];",
        "  2 -> 3 [latency=1];",
        "  3 -> 2 [latency=1];",
        "}",
    ]


def test_it_is_not_read(tmp_path: Path) -> None:
    write_dot(ring(4), tmp_path / "n.dot")
    with pytest.raises(TextError, match=r"n\.dot: DOT is written, not read; NetworkX reads it"):
        read_network(tmp_path / "n.dot")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it(tmp_path: Path) -> None:
    write_dot(ring(4), tmp_path / "n.dot")
    drawn = subprocess.run(["dot", "-Tplain", tmp_path / "n.dot"], capture_output=True, text=True, check=True)
    assert sum(line.startswith("edge ") for line in drawn.stdout.splitlines()) == 8
