"""Every climbing shortest path: against a plain search of paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lane_assignment.test_lanes import networks
from unknot._base.errors import RelationError
from unknot.lane_assignment import Lanes, lanes, multipath
from unknot.network import Network, distances_from, tod
from unknot.routing.named import routing
from unknot.verify import check, deliver


def climbing_steps(routes: Lanes, router: int, above: float, lane: int, end: int) -> set[int]:
    """Channels by which a shortest path from a router goes on climbing, by trying all paths."""
    network, key = routes.relation.network, routes.key[lane]

    def nearer(channel: int) -> bool:
        source, target = int(network.source[channel]), int(network.target[channel])
        return int(distances_from(network, target)[end]) + 1 == int(distances_from(network, source)[end])

    def arrives(channel: int) -> bool:
        at = int(network.target[channel])
        return at == end or bool(climbing_steps(routes, at, key[channel], lane, end))

    leaving = np.flatnonzero(network.source == router).tolist()
    return {c for c in leaving if key[c] > above and nearer(c) and arrives(c)}


def require_all_paths(routes: Lanes, vcs: int) -> None:
    relation, network = multipath(routes, vcs=vcs), routes.relation.network
    assert check(relation).deadlock_free
    delivery = deliver(relation)
    assert delivery.delivered
    assert delivery.minimal
    if routes.relation.may_use is None:
        assert relation.may_use is None
    else:
        assert np.array_equal(relation.may_use, routes.relation.may_use)
    terminals = network.num_terminals
    for address, terminal in enumerate(relation.destination.tolist()):
        lane, end = address // terminals, int(network.eject[terminal])
        for s in range(terminals):
            if not relation.may_use[s, address] or network.inject[s] == end:
                continue
            offered = [out.vc for out in relation.candidates(relation.num_vcs + s, address)]
            steps = climbing_steps(routes, int(network.inject[s]), -1.0, lane, end)
            channel_vcs = {c: range(c * vcs, (c + 1) * vcs) for c in steps}
            assert set(offered) == {r[v] for r in channel_vcs.values() for v in range(lane, vcs, routes.count)}
            for vc in offered:
                channel = vc // vcs
                at = int(network.target[channel])
                if at != end:
                    then = {out.vc // vcs for out in relation.candidates(vc, address)}
                    assert then == climbing_steps(routes, at, routes.key[lane][channel], lane, end)


@given(networks())
def test_all_climbing_shortest_paths_are_offered(network: Network) -> None:
    routes = lanes(network, effort=0)
    require_all_paths(routes, routes.count)


@given(seed=st.integers(0, 10**6))
def test_flows_between_several_terminals_of_a_router(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = tod.network("torus(3, 3)")
    at = random.integers(9, size=6)
    several = Network("several", 9, network.source, network.target, inject=at, eject=at)
    routes = lanes(several, flows=random.integers(0, 2, size=(6, 6)), effort=0)
    require_all_paths(routes, routes.count + 1)


def test_tables_and_too_few_vcs_are_refused() -> None:
    with pytest.raises(RelationError, match="free paths"):
        multipath(lanes("torus(3, 3)", "table"))
    with pytest.raises(RelationError, match="2 lanes"):
        multipath(lanes("torus(5, 5)"), vcs=1)


def test_it_is_a_routing() -> None:
    relation = routing("torus(5, 4)", "lanes(multipath=True)", 4)
    assert max(len(relation.candidates(relation.num_vcs, address)) for address in range(40)) == 4
