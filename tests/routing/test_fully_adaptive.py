"""Minimal fully adaptive routing offers every shortest path and nothing else, on any network."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given

from tests.strategies import networks
from unknot._base.errors import RelationError
from unknot.network import Network, to_networkx
from unknot.network.families import complete, from_edges, hypercube, mesh, ring, torus
from unknot.routing import fully_adaptive
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation


def nearer(network: Network, router: int, terminal: int) -> set[int]:
    """Channels on shortest paths, by NetworkX."""
    distance = dict(
        nx.single_source_shortest_path_length(to_networkx(network).reverse(), int(network.eject[terminal]))
    )
    first, channels = network.outgoing
    leaving = channels[first[router] : first[router + 1]].tolist()
    return {c for c in leaving if distance.get(int(network.target[c]), 10**9) + 1 == distance.get(router)}


def offered(network: Network, router: int, terminal: int) -> set[int | None]:
    relation = fully_adaptive(network)
    (source, *_) = [t for t in range(network.num_terminals) if network.inject[t] == router]
    return {c.vc for c in relation.candidates(relation.num_vcs + source, terminal)}


@pytest.mark.parametrize(
    "network", [mesh(3, 4), torus(4, 5), hypercube(3), ring(6), complete(4)], ids=lambda n: n.name
)
def test_every_shortest_path_on_families(network: Network) -> None:
    for router in range(network.num_routers):
        for terminal in range(network.num_terminals):
            expected = nearer(network, router, terminal) if router != terminal else {None}
            assert offered(network, router, terminal) == expected


@given(networks(strongly_connected=True))
def test_every_shortest_path_on_random_networks(network: Network) -> None:
    relation = fully_adaptive(network)
    for source in range(network.num_terminals):
        for terminal in range(network.num_terminals):
            router = int(network.inject[source])
            at_home = router == network.eject[terminal]
            found = {c.vc for c in relation.candidates(relation.num_vcs + source, terminal)}
            assert found == ({None} if at_home else nearer(network, router, terminal))


def test_an_irregular_network_passes_the_conformance_checks() -> None:
    network = from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c"), ("d", "e"), ("e", "b")])
    relation = fully_adaptive(network, vcs=2)
    check_relation(relation, compiled=False)
    assert deliver(relation).minimal


def test_one_vc_on_a_square_deadlocks_and_a_line_does_not() -> None:
    assert check(fully_adaptive(mesh(2, 2)), "wormhole").deadlock_free is False
    assert check(fully_adaptive(mesh(7)), "wormhole").deadlock_free is True


def test_a_table_that_would_be_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot.routing.paths.MAX_DISTANCES", 8)
    with pytest.raises(
        RelationError, match=r"^fully_adaptive on complete\(3\): .* needs a table of distances, and 3 × 3 are more"
    ):
        fully_adaptive(complete(3))
