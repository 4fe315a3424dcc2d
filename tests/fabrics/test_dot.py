"""DOT: back and forth, as Graphviz's grammar means it, and broken."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given

from tests.fabrics.networks import decorated
from unknot._base.errors import TextError
from unknot._base.memory import SizeError, memory_limit
from unknot.fabrics import read_network
from unknot.fabrics.dot import read_dot, write_dot
from unknot.network import Network, from_edges
from unknot.network.families import ring


@given(decorated())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    path = tmp_path_factory.mktemp("dot") / "n.dot"
    write_dot(network, path)
    assert read_dot(path) == network
    assert read_network(path) == network


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
    assert read_dot(tmp_path / "n.dot").name == 'say "hi"'


def test_a_backslash_n_is_a_name(tmp_path: Path) -> None:
    network = Network("n", 1, [], [], router_labels=("\\N",))
    write_dot(network, tmp_path / "n")
    assert read_dot(tmp_path / "n") == network


READ = {
    "graph { a -- b -- c }": [("a", "b"), ("b", "c")],
    "GRAPH g { a; b; a -- b [latency=4, color=red]; }": [("a", "b", 4)],
    "graph { edge [latency=2] a--b; subgraph x { edge [latency=3]; b--c } c--a }": [
        ("a", "b", 2), ("b", "c", 3), ("c", "a", 2),
    ],
    "graph { a -- {b c} -- d }": [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")],
    "strict graph { a--b b--a a--b }": [("a", "b")],
    'graph {\n# words {\n// more {\n/* and\n more { */ "a b":p:n -- "c" + "d"; rankdir=LR; node [shape=box] }': [
        ("a b", "cd"),
    ],
    'graph { a [label="\\N"]; a -- b; node [label="x"]; b [label="y"] }': [("a", "y")],
    "graph { 1 -- 0 -- 2 }": [(1, 0), (0, 2)],
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_undirected_graphs(text: str, tmp_path: Path) -> None:
    (tmp_path / "g").write_text(text)
    assert read_network(tmp_path / "g") == from_edges(READ[text])  # type: ignore[arg-type]


def test_directed_graphs(tmp_path: Path) -> None:
    (tmp_path / "g").write_text('digraph { a -> {b c} -> a; b -> b [ports="3,4"] }')
    network = read_network(tmp_path / "g")
    assert network == from_edges([("a", "b"), ("a", "c"), ("b", "a"), ("c", "a"), ("b", "b")], directed=True)
    (tmp_path / "g").write_text('digraph { a -> b [ports="3,4"] b -> a [ports="4 3"]}')
    ports = read_network(tmp_path / "g").ports
    assert ports is not None
    assert ports.tolist() == [[3, 4], [4, 3]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph { a -> b }", ":1:11: `--` joins the nodes of this graph, not `->`"),
        ("digraph {\n  a -> b\n", ":2:9: the file ends too early"),
        ('graph {\n  a -- b [latency="x"]\n}', "latency of edge 'a' – 'b': whole numbers are wanted, not 'x'"),
        ("graph {\n  a -- b [latency=0]\n}", "latency of edge 'a' – 'b': a latency is a whole number"),
        ('graph {\n  a -- "b }', ":2:8: this string is never closed"),
        ("graph {\n  a -- b /* }", ":2:10: this comment is never closed"),
        ("graph { a [label=<b>x</b] }", ":1:22: this HTML is never closed"),
        ("graph { a -- }", ":1:14: } cannot stand here; wanted: a name or subgraph or {"),
        ("graph { edge -- a }", ":1:14: -- cannot stand here; wanted: ["),
        ("graph { a -- edge }", ":1:14: edge cannot stand here; wanted: a name"),
        ("graph { a [x } }", ":1:14: } cannot stand here; wanted: , or ; or = or ] or a name"),
        ("graph { a -- b } graph { }", ":1:18: graph cannot stand here; wanted: the end of the file"),
        ("graph { }", "no nodes"),
        ("graph { " + "{" * 60 + "}" * 61, "nested deeper than 50 levels"),
        ("graph { a $ b }", ":1:11: DOT has no such sign"),
    ],
)
def test_what_is_broken_is_reported(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "g.dot").write_text(text)
    with pytest.raises(TextError) as caught:
        read_dot(tmp_path / "g.dot")
    assert said in str(caught.value)


def test_every_file_cut_off_is_reported(tmp_path: Path) -> None:
    write_dot(ring(4), tmp_path / "g.dot")
    whole = (tmp_path / "g.dot").read_text().rstrip()
    for end in range(8, len(whole)):
        (tmp_path / "g.dot").write_text(whole[:end])
        with pytest.raises(TextError):
            read_dot(tmp_path / "g.dot")


def test_long_sums_and_deep_nests_are_no_crash(tmp_path: Path) -> None:
    (tmp_path / "g.dot").write_text("graph { " + " + ".join(['"a"'] * 20_000) + " -- b }")
    assert read_dot(tmp_path / "g.dot").router_labels == ("a" * 20_000, "b")
    (tmp_path / "g.dot").write_text("graph " + "{" * 20_000 + "}" * 20_000)
    with pytest.raises(TextError, match="nested deeper than 50 levels"):
        read_dot(tmp_path / "g.dot")


def test_products_of_groups_are_estimated_before_they_are_built(tmp_path: Path) -> None:
    group = " ".join(f"n{i}" for i in range(9000))
    (tmp_path / "g.dot").write_text(f"digraph {{\n{{{group}}} -> {{{group}}} }}")
    with (
        memory_limit("2G"),
        pytest.raises(SizeError, match=r"g.dot:2: a graph of 81,000,000 edges would take about 30"),
    ):
        read_dot(tmp_path / "g.dot")


def test_html_labels_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "g.dot").write_text('graph { a [label=<<b>x</b> y>, shape=box]; a -- b [label="w" latency=3] }')
    assert read_dot(tmp_path / "g.dot") == from_edges([("a", "b", 3)])


@pytest.mark.parametrize("default", ["node", "edge"])
def test_defaults_that_are_not_used_take_no_memory(default: str, tmp_path: Path) -> None:
    many = " ".join(f"a{i}=x" for i in range(2000))
    (tmp_path / "g.dot").write_text(f"graph {{ {default} [{many}] " + " -- ".join(f"n{i}" for i in range(2000)) + "}")
    tracemalloc.start()
    assert read_dot(tmp_path / "g.dot").num_routers == 2000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6
