"""Lanes that survive failures: bounds by refutation, against brute force over all orders of few channels."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tests.lane_assignment.test_surviving import climbs
from unknot.certificates import Rejected, plain
from unknot.certificates.documents import network_of
from unknot.lane_assignment import Refutation, lanes
from unknot.lane_assignment.evidence import bound_claim
from unknot.network import Network, tod
from unknot.network.metrics import distances_from

TRIANGLE = Network("triangle", 3, [0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2])
SQUARE = Network("square with a short cut one way", 4, [0, 1, 2, 3, 0, 1, 2], [1, 2, 3, 0, 2, 0, 0])


def one_lane_survives(network: Network) -> bool:
    """Whether some order of all channels serves all pairs, by shortest paths and after each failed channel by any."""
    routers = range(network.num_routers)
    pairs = [(u, v) for u in routers for v in routers if u != v]
    alive = [c for c in range(network.num_channels) if _connected(network, c)]
    for key in permutations(range(network.num_channels)):
        order = np.array(key)
        if all(_shortest_climbs(network, order, u, v) for u, v in pairs) and all(
            climbs(network, order, {dead}, u, v) for dead in alive for u, v in pairs
        ):
            return True
    return False


def _connected(network: Network, dead: int) -> bool:
    left = network.without(channels=[dead])
    return all((np.asarray(distances_from(left, r)) >= 0).all() for r in range(left.num_routers))


def _shortest_climbs(network: Network, key: np.ndarray, u: int, v: int) -> bool:
    hops = np.asarray(distances_from(network, v, reverse=True))
    far = {c for c in range(network.num_channels) if hops[network.source[c]] != hops[network.target[c]] + 1}
    return climbs(network, key, far, u, v)


@pytest.mark.long
@pytest.mark.parametrize("network", [TRIANGLE, SQUARE, tod.network("line(3)")], ids=lambda network: network.name)
def test_bounds_agree_with_brute_force(network: Network) -> None:
    routes = lanes(network, survive="channels")
    assert (routes.count == 1) is one_lane_survives(network)
    assert routes.fewest
    assert routes.evidence_holds is (None if routes.count == 1 else True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("ring(5)", 3),
        ("mesh(3, 2)", 2),
        *(pytest.param(f"mesh(4, {n})", 2, marks=pytest.mark.campaign) for n in (3, 4)),
    ],
)
def test_fewer_lanes_do_not_survive(text: str, count: int) -> None:
    routes = lanes(text, survive="links", time_limit=600)
    assert (routes.count, routes.lower_bound) == (count, count)
    assert isinstance(routes.evidence, Refutation)
    claim, network = bound_claim(routes.evidence, None, None), plain.Network(network_of(routes.relation.network))
    assert "any after each of" in plain.check(network, None, claim)
    failures = claim["failures"]
    for wrong in (
        {"failures": failures[:1]},
        {"failures": []},
        {"failures": [[-1]]},
        {"changes": "any"},
        {"impossible": count},
    ):
        with pytest.raises(Rejected):
            plain.check(network, None, {**claim, **wrong})
