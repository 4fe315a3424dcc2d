"""Routing engines of a subnet manager: a yes is about any tables that the engine can write on the fabric."""

from __future__ import annotations

from itertools import pairwise, product

import networkx as nx
import pytest

from unknot.network import Network
from unknot.network.families import fat_tree, hypercube, mesh, ring, torus
from unknot.network.recognised import recognised
from unknot.verify.fabric_routes import all_shortest_paths_are_safe, engines_for


def depends_in_a_loop(network: Network) -> bool:
    """Whether channels of all shortest paths depend on one another in a loop, path by path."""
    graph = network.to_networkx()
    channel = {(a, b): key for a, b, key in graph.edges(keys=True)}
    follows: nx.DiGraph[int] = nx.DiGraph()
    for a, b in product(sorted({*network.inject.tolist()}), sorted({*network.eject.tolist()})):
        for path in nx.all_shortest_paths(graph, a, b) if a != b else ():
            steps = [channel[pair] for pair in pairwise(path)]
            follows.add_edges_from(pairwise(steps))
    return not nx.is_directed_acyclic_graph(follows)


@pytest.mark.parametrize(
    "network", [mesh(2, 2), mesh(3, 2), ring(4), ring(5), torus(3, 3), fat_tree(2, 2), fat_tree(2, 3), hypercube(3)]
)
def test_shortest_paths_are_safe_where_no_loop_is_found_path_by_path(network: Network) -> None:
    assert all_shortest_paths_are_safe(network) is not depends_in_a_loop(network)


@pytest.mark.parametrize("network", [mesh(4, 4), torus(4, 4), hypercube(3)])
def test_dimension_order_is_open_as_the_order_of_ports_is_unknown(network: Network) -> None:
    """A mesh whose switches have other ports for their dimensions is routed in a loop by OpenSM's `dor`."""
    (one,) = [row for row in engines_for(network, recognised(network)) if row.engine == "dor"]
    assert one.safe is None
