"""Paths against recursion, disjoint paths against trying every set of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.papers import script
from tests.reference import multistage as naive
from unknot._base.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.network.families import benes, clos, extra_stage, mesh, omega
from unknot_papers.multistage import count_paths, reaches
from unknot_papers.multistage.search import routers_of
from unknot_papers.rcbn import composite_banyan, rcbn

number_of_paths = script("methods.tags").number_of_paths
all_paths = script("methods.exhaustive").all_paths
disjoint_paths = script("methods.disjoint").disjoint_paths

SMALL = [
    rcbn(8),
    omega(8),
    benes(8),
    composite_banyan(4),
    composite_banyan(16),
    extra_stage(8, 2),
    clos(3, 2, 2),
    rcbn(8).without(routers=["s1r2"], channels=[0, 5]),
    benes(2),
]


@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.name)
def test_paths_are_those_of_a_recursion(network: Network) -> None:
    count, reach = count_paths(network), reaches(network)
    for s, d in itertools.product(range(network.num_terminals), repeat=2):
        wanted = naive.paths(network, s, d)
        assert [tuple(path) for path in all_paths(network, s, d).tolist()] == sorted(wanted)
        assert count[s, d] == len(wanted)
        assert reach[network.inject[s], d] == bool(wanted)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.name)
def test_disjoint_paths_are_as_many_as_can_be(network: Network) -> None:
    for s, d in itertools.product(range(0, network.num_terminals, 2), repeat=2):
        listed = naive.paths(network, s, d)
        links = disjoint_paths(network, s, d)
        assert len(links) == naive.most_disjoint(listed, 4)
        assert len(set(links.ravel().tolist())) == links.size
        switches = disjoint_paths(network, s, d, "switches")
        inner = [tuple(int(network.target[c]) for c in path[:-1]) for path in listed]
        ways = naive.most_disjoint([(*path, -1 - i) for i, path in enumerate(inner)], 4)
        assert len(switches) == ways
        between = routers_of(network, s, switches)[:, 1:-1]
        assert len(set(between.ravel().tolist())) == between.size
        for path in (*links.tolist(), *switches.tolist()):
            assert tuple(path) in listed


def test_parallel_links_are_different_paths() -> None:
    network = composite_banyan(4)
    assert len(disjoint_paths(network, 0, 2)) == 2
    assert len(disjoint_paths(network, 0, 0)) == 1


@pytest.mark.parametrize("n", [3, 4, 5])
def test_closed_form_counts_what_dynamic_programming_counts(n: int) -> None:
    ends = np.arange(1 << n)
    assert np.array_equal(count_paths(rcbn(1 << n)), number_of_paths(ends[:, None], ends, n))


def test_errors() -> None:
    with pytest.raises(NetworkError, match="no multistage network"):
        count_paths(mesh(2, 2))
    with pytest.raises(NetworkError, match="got 'routers'"):
        disjoint_paths(omega(8), 0, 1, "routers")
    with pytest.raises(NetworkError, match="no terminal 8"):
        all_paths(omega(8), 0, 8)
    with pytest.raises(UnknotError, match="more than 1000000 paths"):
        all_paths(rcbn(2**12), 0, 0)
