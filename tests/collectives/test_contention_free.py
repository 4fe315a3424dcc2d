"""Trees on hypercubes and meshes are those of the textbooks, and free of contention as their sources prove."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from unknot.network import Network
from unknot.network import families as topologies
from unknot.routing import dimension_order
from unknot_collectives import collective, contention, messages_of, order_of
from unknot_collectives.messages import needed
from unknot_papers.itm import itm

on_shortest_paths = script("methods.independence").contention


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("root", [0, 1, "last"])
def test_a_broadcast_on_a_hypercube_is_the_binomial_tree(dimensions: int, root: int | str) -> None:
    network = topologies.hypercube(dimensions)
    start = network.num_terminals - 1 if root == "last" else int(root)
    messages = messages_of(network, collective(network, root=start))
    holders = {start}
    used = []
    for step in range(dimensions):
        pairs = [(message.source, message.destination) for message in messages if message.step == step]
        (bit,) = {source ^ destination for source, destination in pairs}
        used.append(bit)
        assert {source for source, _ in pairs} == holders
        holders |= {destination for _, destination in pairs}
    assert sorted(used) == [1 << k for k in range(dimensions)]
    tree = nx.Graph((message.source, message.destination) for message in messages)
    assert nx.is_isomorphic(tree, nx.binomial_tree(dimensions))


@pytest.mark.parametrize(
    "network",
    [
        topologies.line(9),
        topologies.mesh(5, 3),
        topologies.mesh(4, 6),
        topologies.mesh(3, 4, 2),
        topologies.mesh(2, 3, 3, 2),
        topologies.hypercube(4),
    ],
    ids=lambda network: network.name,
)
@given(data=st.data())
def test_multicast_with_dimension_order_is_free_of_contention(network: Network, data: st.DataObject) -> None:
    """McKinley et al. 1994: none within a step; across steps a message only follows one of the same terminal."""
    relation = dimension_order(network)
    size = data.draw(st.integers(2, network.num_terminals))
    root, *others = data.draw(st.permutations(range(network.num_terminals)))[:size]
    messages = messages_of(network, collective(network, "broadcast", root, others))
    before = needed(messages)
    for meeting in contention(relation, messages):
        assert not meeting.same_step
        source = messages[meeting.one].source
        assert any(
            messages[k].source == source
            for k in range(meeting.one + 1, len(before))
            if before[meeting.other] >> k & 1
        )


@given(st.integers(3, 20), st.integers(0, 500), st.data())
def test_multicast_along_the_circle_is_free_of_contention_within_a_step(n, seed, data):
    network = itm(n, seed=seed)
    root, *others = data.draw(st.lists(st.integers(0, n - 1), unique=True, min_size=2))
    for kind in ("broadcast", "scatter", "gather"):
        messages = messages_of(network, collective(network, kind, root, others))
        for step in {message.step for message in messages}:
            pairs = [(message.source, message.destination) for message in messages if message.step == step]
            assert on_shortest_paths(network, pairs) == []


def test_on_a_hypercube_the_order_starts_at_the_root():
    network = topologies.hypercube(3)
    assert order_of(network, root=5).terminals[0] == 5
    assert order_of(topologies.mesh(3, 3), root=5).terminals[0] == 0
