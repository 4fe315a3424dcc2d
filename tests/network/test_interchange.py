"""NetworkX graphs in and out."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import networks
from unknot._base.errors import NetworkError
from unknot.network import Network, Places, Wires, from_networkx, to_networkx
from unknot.network.families import torus


@given(networks(loops=True, strongly_connected=None), st.booleans(), st.booleans())
def test_round_trip(network: Network, labelled: bool, ported: bool) -> None:
    full = Network(
        "full",
        network.num_routers,
        network.source,
        network.target,
        wires=Wires(
            network.latency,
            ports=[(c, c + 1) for c in range(network.num_channels)] if ported and network.num_channels else None,
        ),
        inject=network.inject,
        eject=network.eject,
        places=Places(
            router_labels=tuple(f"n{r}" for r in range(network.num_routers)) if labelled else None,
            terminal_labels=tuple(f"h{t}" for t in range(network.num_terminals)) if labelled else None,
        ),
    )
    again = from_networkx(to_networkx(full))
    assert again == full
    assert again.name == "full"


def test_coordinates_survive() -> None:
    network = torus(4, 3)
    graph = to_networkx(network)
    assert isinstance(graph, nx.MultiDiGraph)
    assert graph.nodes[5]["coordinates"] == (1, 1)
    assert from_networkx(graph) == network
    assert from_networkx(nx.MultiDiGraph(graph), name="other").name == "other"


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_any_graph(kind: type[nx.Graph]) -> None:
    graph = kind()
    graph.add_nodes_from(["x", "y", "z"])
    graph.add_edge("x", "y", latency=3)
    graph.add_edge("z", "y")
    graph.add_edge("z", "y")
    network = from_networkx(graph)
    twins = 2 if graph.is_multigraph() else 1
    both = 1 if graph.is_directed() else 2
    assert network.router_labels == ("x", "y", "z")
    assert network.num_channels == (1 + twins) * both
    assert sorted(network.latency.tolist()) == [1] * (twins * both) + [3] * both
    assert len(network.between(network.router("z"), network.router("y"))) == twins
    assert len(network.between(network.router("y"), network.router("z"))) == twins * (both - 1)


def test_loops_of_undirected_graphs_are_one_channel() -> None:
    assert from_networkx(nx.Graph([(0, 0), (0, 1)])).num_channels == 3


def test_numbered_nodes_keep_their_numbers() -> None:
    graph = nx.Graph([(2, 1), (1, 0)])
    network = from_networkx(graph)
    assert network.router_labels is None
    assert network.between(2, 1) != []
    assert network.between(2, 0) == []


def test_bad_graphs() -> None:
    with pytest.raises(NetworkError, match="at least one router"):
        from_networkx(nx.Graph())
    graph = nx.Graph()
    graph.add_edge(0, 1, latency=0.5)
    with pytest.raises(NetworkError, match="whole numbers are needed"):
        from_networkx(graph)
    graph.add_edge(0, 1, latency="slow")
    with pytest.raises(NetworkError, match="whole numbers are needed"):
        from_networkx(graph)


@pytest.mark.parametrize("text", ["left, right", "{}", "[" * 10_000])
def test_labels_that_are_no_list(text: str) -> None:
    graph = nx.DiGraph([(0, 1), (1, 0)], terminal_labels=text)
    with pytest.raises(NetworkError, match="terminal_labels must be a list of names, as JSON"):
        from_networkx(graph)
