"""The view as a product of lines and rings."""

from __future__ import annotations

import numpy as np
import pytest

from unknot._base.errors import NetworkError
from unknot.network import Network, Places, from_edges, grid
from unknot.network.families import hypercube, mesh, ring, torus


def test_channels_lead_where_they_should() -> None:
    network = torus(4, 1, 3)
    view = grid(network)
    assert view.complete
    assert view.wraps.tolist() == [True, False, True]
    for router in range(network.num_routers):
        for i, k in enumerate((4, 1, 3)):
            for sign, step in ((0, 1), (1, -1)):
                channel = view.channel[router, 2 * i + sign]
                if k == 1:
                    assert channel == -1
                    continue
                assert network.source[channel] == router
                expected = network.coordinates[router].copy()  # type: ignore[index]
                expected[i] = (expected[i] + step) % k
                assert network.coordinates[network.target[channel]].tolist() == expected.tolist()  # type: ignore[index]
                assert view.dimension[channel] == i


def test_a_ring_of_two_does_not_wrap() -> None:
    view = grid(torus(2, 2))
    assert view.wraps.tolist() == [False, False]
    assert view.complete
    assert grid(hypercube(3)).complete


def test_faults() -> None:
    network = mesh(3, 3).without(routers=[4], links=[(0, 1)])
    view = grid(network)
    assert not view.complete
    assert view.channel[0].tolist()[:2] == [-1, -1]
    assert np.count_nonzero(view.channel >= 0) == network.num_channels
    one_way = torus(3, 3).without(channels=[0])
    assert not grid(one_way).complete
    assert grid(one_way).channel[0, 0] == -1


def test_refusals() -> None:
    with pytest.raises(NetworkError, match="'edges' has no coordinates"):
        grid(from_edges([(0, 1)]))
    diagonal = Network("d", 4, [0], [3], places=Places(coordinates=[[0, 0], [1, 0], [0, 1], [1, 1]], radices=(2, 2)))
    with pytest.raises(NetworkError, match=r"channel \(0,0\)→\(1,1\) does not join neighbours"):
        grid(diagonal)
    jump = Network("j", 4, [0], [2], places=Places(coordinates=[[0], [1], [2], [3]], radices=(4,)))
    with pytest.raises(NetworkError, match=r"\(0\)→\(2\) does not join"):
        grid(jump)
    twins = Network("t", 3, [0, 0], [1, 1], places=Places(coordinates=[[0], [1], [2]], radices=(3,)))
    with pytest.raises(NetworkError, match="one of several parallel channels"):
        grid(twins)
    stacked = Network("s", 3, [0, 2], [1, 1], places=Places(coordinates=[[0], [1], [0]], radices=(2,)))
    with pytest.raises(NetworkError, match=r"two routers stand at \(0\)"):
        grid(stacked)


def test_no_channels() -> None:
    view = grid(mesh(1, 1))
    assert view.complete
    assert view.channel.tolist() == [[-1, -1, -1, -1]]


def test_the_second_link_of_a_ring_of_two_leads_the_other_way_round() -> None:
    double = Network("d", 2, [0, 0, 1, 1], [1, 1, 0, 0], places=Places(coordinates=[[0], [1]], radices=(2,)))
    view = grid(double)
    assert view.complete
    assert view.wraps.tolist() == [True]
    assert view.channel.tolist() == [[0, 1], [3, 2]]


def test_ways_of_one_way_dimensions() -> None:
    up = Network("u", 3, [0, 1, 2], [1, 2, 0], places=Places(coordinates=[[0], [1], [2]], radices=(3,)))
    down = Network("d", 3, [1, 2, 0], [0, 1, 2], places=Places(coordinates=[[0], [1], [2]], radices=(3,)))
    assert [grid(n).directions.tolist() for n in (up, down, ring(3), mesh(2))] == [[1], [2], [3], [3]]
