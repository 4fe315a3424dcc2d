"""Up*/Down* in forwarding tables: it arrives, never goes up after down, and its dependencies have no cycle."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import RelationError
from unknot.network import Network, distances_from, from_edges
from unknot.network.families import random_regular, torus
from unknot.routing.forwarding_table import DROP, EJECT_HERE, forwarding_table, route_lengths
from unknot.routing.up_down import up_down_table
from unknot.verify import check, deliver


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Connected networks of cables, some of them double."""
    routers = draw(st.integers(2, 9))
    edges = [(draw(st.integers(0, r - 1)), r) for r in range(1, routers)]
    more = st.tuples(st.integers(0, routers - 1), st.integers(0, routers - 1)).filter(lambda e: e[0] != e[1])
    return from_edges([*edges, *draw(st.lists(more, max_size=8))])


@given(network=networks(), data=st.data())
def test_routes_go_up_and_then_down(network: Network, data: st.DataObject) -> None:
    routers = network.num_routers
    homes = data.draw(st.lists(st.integers(-1, routers - 1), min_size=1, max_size=12))
    root = data.draw(st.none() | st.integers(0, routers - 1))
    table = up_down_table(network, homes, root)
    if root is None:
        hops = [distances_from(network, r) for r in range(routers)]
        middle = min(range(routers), key=lambda r: (hops[r].max(), hops[r].sum()))
        assert (table == up_down_table(network, homes, middle)).all()
    lengths = route_lengths(network, table)
    turns = nx.DiGraph()
    for address, home in enumerate(homes):
        if home < 0:
            assert (table[:, address] == DROP).all()
            continue
        assert table[home, address] == EJECT_HERE
        assert (lengths[:, address] >= distances_from(network, home, reverse=True)).all()
        for start in range(routers):
            here, channels = start, []
            while here != home:
                channels.append(int(table[here, address]))
                here = int(network.target[channels[-1]])
            nx.add_path(turns, channels)
    assert nx.is_directed_acyclic_graph(turns)


def test_the_search_of_the_prover_agrees() -> None:
    for network in (torus(4, 4), random_regular(20, 4, seed=3)):
        table = up_down_table(network, network.eject)
        relation = forwarding_table(network, table)
        assert check(relation, "vct").deadlock_free
        assert deliver(relation).delivered


def test_parallel_cables_share_the_destinations() -> None:
    network = from_edges([(0, 1), (0, 1)])
    table = up_down_table(network, [1, 1, 1, 1])
    assert sorted(np.bincount(table[0], minlength=4).tolist()) == [0, 0, 2, 2]


def test_a_network_in_two_parts_is_refused() -> None:
    with pytest.raises(RelationError, match="no way between"):
        up_down_table(from_edges([(0, 1), (2, 3)]), [0])
