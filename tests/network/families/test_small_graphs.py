"""The small named graphs are those of NetworkX, and the cages are cages."""

from __future__ import annotations

import networkx as nx
import pytest

from tests.conformance import check_network
from unknot._base.errors import NetworkError
from unknot.network import Network, measure, to_networkx
from unknot.network.families import (
    chordal_ring,
    generalized_petersen,
    heawood,
    mcgee,
    pappus,
    petersen,
    tutte_coxeter,
)


@pytest.mark.parametrize(
    ("network", "graph"),
    [
        (petersen(), nx.petersen_graph()),
        (heawood(), nx.heawood_graph()),
        (pappus(), nx.pappus_graph()),
        (generalized_petersen(8, 3), nx.moebius_kantor_graph()),
        (generalized_petersen(10, 2), nx.dodecahedral_graph()),
        (generalized_petersen(10, 3), nx.desargues_graph()),
        (generalized_petersen(4, 1), nx.cubical_graph()),
        (chordal_ring(12, [-5, -2, -4, 2, 5, -2, 2, 5, -2, -5, 4, 2]), nx.frucht_graph()),
        (chordal_ring(6, [3]), nx.complete_bipartite_graph(3, 3)),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_isomorphic(network: Network, graph: nx.Graph) -> None:
    assert network.num_channels == 2 * graph.number_of_edges()
    assert nx.is_isomorphic(nx.Graph(to_networkx(network)), graph)
    check_network(network)


@pytest.mark.parametrize(
    ("network", "routers", "girth", "diameter"),
    [
        (petersen(latency=2), 10, 5, 2),
        (heawood(latency=2), 14, 6, 3),
        (mcgee(latency=2), 24, 7, 4),
        (tutte_coxeter(latency=2), 30, 8, 4),
        (pappus(latency=2), 18, 6, 4),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_cages(network: Network, routers: int, girth: int, diameter: int) -> None:
    found = measure(network)
    assert (found.routers, found.degree_min, found.degree_max, found.diameter) == (routers, 3, 3, diameter)
    assert nx.girth(nx.Graph(to_networkx(network))) == girth
    assert set(network.latency.tolist()) == {2}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: generalized_petersen(2, 1), "n must be a whole number of at least 3"),
        (lambda: generalized_petersen(6, 3), "k must be a whole number from 1 to 2, got 3"),
        (lambda: chordal_ring(8, [3]), "the chord of router 0 leads to 3, whose own leads elsewhere"),
        (lambda: chordal_ring(8, []), "the chords are a list of numbers"),
        (lambda: chordal_ring(8, [9]), "a chord must be a whole number from -8 to 8, got 9"),
    ],
)
def test_bad_sizes(build: object, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        build()  # type: ignore[operator]
