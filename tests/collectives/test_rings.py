"""Orders of rings, against all orders written out."""

from itertools import pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot.network import families
from unknot_collectives import platform_of
from unknot_collectives.platform import Channel, Platform
from unknot_collectives.rings import ring_order


def step_time(platform, order) -> float:
    """Time of the busiest channel when each sends a byte to the next; only where shortest paths are unique."""
    graph = nx.DiGraph()
    for channel in platform.channels:
        graph.add_edge(channel.source, channel.target, weight=float(channel.latency), slow=1 / channel.bandwidth)
    busy = dict[tuple[int, int], float]()
    for one, other in zip(order, [*order[1:], order[0]], strict=True):
        way = nx.shortest_path(graph, one, other, weight="weight")
        for hop in pairwise(way):
            busy[hop] = busy.get(hop, 0) + graph.edges[hop]["slow"]
    return max(busy.values())


@given(st.integers(4, 6), st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_no_order_of_a_few_members_is_better(many, random):
    """On trees, where each path is the only one."""
    tree = nx.random_labeled_tree(many + 2, seed=random.randrange(10**6))
    members = random.sample(range(many + 2), many)
    channels = [
        Channel(*ends, random.choice([1, 2, 4]), random.choice([1, 2]))
        for a, b in tree.edges
        for ends in ((a, b), (b, a))
    ]
    platform = Platform("tree", many + 2, tuple(channels), tuple(members))
    best = min(step_time(platform, [members[0], *rest]) for rest in permutations(members[1:]))
    order = ring_order(platform, members)
    assert order[0] == members[0]
    assert sorted(order) == sorted(members)
    assert step_time(platform, order) == pytest.approx(float(best))


def test_beyond_the_order_gets_better_and_is_the_same_each_time():
    """On a mesh by rows each row ends with a long way back; a snake has none, and one step home."""
    network = families.mesh(4, 6)
    platform = platform_of(network)
    order = ring_order(platform, platform.members)
    places = network.coordinates[[member - 24 for member in (*order, order[0])]]
    assert np.abs(np.diff(places, axis=0)).sum() <= 28
    assert order == ring_order(platform, platform.members)


def test_many_members_and_two_keep_their_order():
    platform = platform_of(families.ring(300))
    assert ring_order(platform, platform.members) == platform.members
    assert ring_order(platform, platform.members[:2]) == platform.members[:2]
