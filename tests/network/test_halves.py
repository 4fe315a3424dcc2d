"""Bounds on the bisection against all splits into halves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import NetworkError
from unknot.network import Network, bisection_bounds
from unknot.network.families import (
    dragonfly,
    dragonfly_plus,
    fat_tree,
    hyperx,
    line,
    omega,
    petersen,
    slim_fly,
    torus,
)


def least_cut(network: Network) -> int:
    """The fewest channels over all sets of routers whose terminals are as near to a half as any."""
    weight = np.bincount(network.inject, minlength=network.num_routers)
    best: tuple[int, int] | None = None
    for count in range(1, network.num_routers):
        for chosen in combinations(range(network.num_routers), count):
            half = set(chosen)
            uneven = abs(2 * int(weight[list(chosen)].sum()) - network.num_terminals)
            ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
            cut = sum((u in half) != (v in half) for u, v in ends)
            best = min(best or (uneven, cut), (uneven, cut))
    assert best is not None
    return best[1]


@given(st.data())
def test_random_networks(data: st.DataObject) -> None:
    routers = data.draw(st.integers(2, 8))
    pairs = [(u, v) for u in range(routers) for v in range(routers) if u != v]
    directed = data.draw(st.booleans())
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=20))
    inject = data.draw(st.lists(st.integers(0, routers - 1), min_size=2, max_size=10))
    if len(set(inject)) < 2:
        inject[0] = (inject[0] + 1) % routers
    back = [] if directed else [(v, u) for u, v in edges]
    source, target = np.array(sorted(edges + back)).T
    network = Network("drawn", routers, source, target, inject=inject)
    bounds = bisection_bounds(network, seed=data.draw(st.integers(0, 9)))
    assert bounds.lower <= least_cut(network) <= bounds.upper
    if bounds.side is not None:
        assert bounds.upper == (bounds.side[network.source] != bounds.side[network.target]).sum()


def test_what_is_known() -> None:
    """Full bisection of fat trees, the closed form of a torus, what brute force says of the graph of Petersen."""
    for network, expected in ((fat_tree(4, 3), 64), (torus(8, 8), 32), (petersen(), 10), (hyperx([4, 4], 2), 32)):
        bounds = bisection_bounds(network)
        assert (bounds.lower, bounds.upper) == (expected, expected), network.name


@pytest.mark.parametrize("network", [dragonfly(4), dragonfly_plus(3), slim_fly(5), torus(5, 5)])
def test_the_bounds_are_near_each_other(network: Network) -> None:
    bounds = bisection_bounds(network)
    assert 0.75 * bounds.upper <= bounds.lower <= bounds.upper


@pytest.mark.parametrize(
    "network", [Network("one end", 2, [0, 1], [1, 0], inject=[0, 0]), line(2).without(routers=[1]), omega(8)]
)
def test_what_has_no_halves(network: Network) -> None:
    with pytest.raises(NetworkError, match=r"halves|two routers"):
        bisection_bounds(network)
