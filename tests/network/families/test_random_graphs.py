"""Random networks: connected, of the degrees asked for, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conformance import check_network
from unknot._base.errors import NetworkError
from unknot.network import Network, components
from unknot.network.families import irregular, random_regular


def is_simple(network: Network) -> bool:
    pairs = set(zip(network.source.tolist(), network.target.tolist(), strict=True))
    both = all((v, u) in pairs for u, v in pairs)
    return both and len(pairs) == network.num_channels and bool((network.source != network.target).all())


@given(st.integers(2, 40), st.integers(2, 39), st.integers(0, 5))
def test_regular(n: int, degree: int, seed: int) -> None:
    assume(degree < n and n * degree % 2 == 0)
    network = random_regular(n, degree, seed)
    assert np.bincount(network.source, minlength=n).tolist() == [degree] * n
    assert is_simple(network)
    assert components(network)[1] == 1
    assert network == random_regular(n, degree, seed)


def test_regular_networks_differ_by_seed_and_spread_evenly() -> None:
    """Every pair of routers is linked in about degree / (n − 1) of the networks."""
    seen = np.zeros((8, 8))
    for seed in range(400):
        network = random_regular(8, 3, seed)
        seen[network.source, network.target] += 1
    share = seen[np.triu_indices(8, 1)] / 400
    assert abs(share.mean() - 3 / 7) < 1e-12
    assert share.min() > 0.33
    assert share.max() < 0.53


@pytest.mark.parametrize(("n", "degree"), [(1, 0), (2, 1), (3, 2), (60, 30), (60, 29), (60, 58)])
def test_edge_cases_of_regular(n: int, degree: int) -> None:
    network = random_regular(n, degree)
    assert network.num_channels == n * degree
    assert is_simple(network)
    check_network(network)


@given(st.integers(1, 60), st.integers(2, 8), st.integers(0, 4), st.integers(0, 5))
def test_irregular(switches: int, degree: int, hosts: int, seed: int) -> None:
    network = irregular(switches, degree, hosts, seed)
    used = np.bincount(network.source, minlength=switches)
    assert used.max() <= degree
    assert is_simple(network)
    assert components(network)[1] == 1
    assert np.bincount(network.inject, minlength=switches).tolist() == [hosts] * switches
    assert network == irregular(switches, degree, hosts, seed)
    linked = np.eye(switches, dtype=bool)
    linked[network.source, network.target] = True
    free = np.flatnonzero(used < degree)
    assert linked[np.ix_(free, free)].all(), "two switches with free ports could still be linked"


def test_many_free_ports_are_linked_at_once() -> None:
    """Nearly all ports of a large network are used, and no two links join the same switches."""
    network = irregular(300, 6, 0, 2)
    assert is_simple(network)
    used = np.bincount(network.source, minlength=300)
    assert used.max() == 6
    assert used.sum() >= 300 * 6 - 6 * 6


@given(st.integers(2, 30), st.integers(2, 6), st.integers(0, 5), st.data())
def test_irregular_with_so_many_links(switches: int, degree: int, seed: int, data: st.DataObject) -> None:
    most = irregular(switches, degree, 1, seed).num_channels // 2
    links = data.draw(st.integers(switches - 1, most))
    network = irregular(switches, degree, 1, seed, links=links)
    assert network.num_channels == 2 * links
    assert components(network)[1] == 1


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: random_regular(5, 3), "no connected network has 5 routers with 3 links each"),
        (lambda: random_regular(4, 4), "less than the number of routers"),
        (lambda: random_regular(4, 1), "the degree is at least 2"),
        (lambda: random_regular(0, 0), "the number of routers must be a whole number of at least 1"),
        (lambda: random_regular(8, 3, -1), "the seed must be a whole number of at least 0"),
        (lambda: irregular(3, 1), "3 switches with at most 1 links each cannot be connected"),
        (lambda: irregular(2, 0), "cannot be connected"),
        (lambda: irregular(8, 3, 1, links=6), "the number of links must be a whole number of at least 7"),
        (lambda: irregular(8, 3, 1, links=13), "links could be placed; ask for fewer, or give a higher degree"),
    ],
)
def test_bad_sizes(build: object, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        build()  # type: ignore[operator]
