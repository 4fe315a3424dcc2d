"""Tables in one lane: safe, delivering, and of the lowest load that brute force finds on small networks."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot import Network
from unknot._base.deadline import clock
from unknot._base.errors import NetworkError
from unknot.lane_assignment import longer_lanes
from unknot.lane_assignment.forced import climbing
from unknot.lane_assignment.trees import trees
from unknot.network import Wires, tod
from unknot.search.effort import SearchEffort
from unknot.verify import check, deliver, loads


def links(name: str, routers: int, pairs: list[tuple[int, int]], **more: object) -> Network:
    ends = [end for a, b in pairs for end in ((a, b), (b, a))]
    return Network(name, routers, [a for a, _ in ends], [b for _, b in ends], **more)  # type: ignore[arg-type]


DIAMOND = links("diamond", 4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])


def lowest(network: Network) -> int:
    """The lowest highest load of all tables in one lane, by trying every tree to every router."""
    routers, target = network.num_routers, network.target.tolist()
    leaving = [np.flatnonzero(network.source == u).tolist() for u in range(routers)]
    options = []
    for home in range(routers):
        made = []
        for step in product(*([-1] if u == home else leaving[u] for u in range(routers))):
            load, turns = np.zeros(network.num_channels, dtype=int), set()
            for u in range(routers):
                at, hops = u, 0
                while at != home and hops < routers:
                    load[step[at]] += 1
                    if target[step[at]] != home:
                        turns.add((step[at], step[target[step[at]]]))
                    at, hops = target[step[at]], hops + 1
                if at != home:
                    break
            else:
                made.append((load, turns))
        options.append(made)
    best = 10**9
    for chosen in product(*options):
        highest = sum(load for load, _ in chosen).max()
        if highest < best and climbing(set().union(*(t for _, t in chosen)), network.num_channels) is not None:
            best = highest
    return int(best)


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize("network", [tod.network("ring(4)"), DIAMOND], ids=str)
def test_no_tables_have_a_lower_load(network: Network) -> None:
    routes = longer_lanes(network, 1)
    _, load = trees(network, np.arange(4), 1.0 - np.eye(4), SearchEffort(clock() + 60))
    assert routes.highest_load <= load.max() == lowest(network)
    assert 0 < routes.load_bound <= routes.highest_load
    assert routes.load_bound_holds


@pytest.mark.long
@pytest.mark.parametrize(("text", "load"), [("mesh(6, 6)", 54), ("hyperx([4, 4])", 4), ("hypercube(4)", 8)])
def test_no_load_is_above_that_of_dimension_order(text: str, load: int) -> None:
    routes = longer_lanes(text, 1, rounds=3, time_limit=5)
    assert routes.load.max() == load
    assert check(routes.relation).deadlock_free
    assert deliver(routes.relation).delivered


@given(st.integers(0, 10**6), st.integers(3, 14))
@settings(max_examples=7, deadline=None)
def test_tables_are_safe_deliver_and_load_channels_as_they_say(seed: int, routers: int) -> None:
    random = np.random.default_rng(seed)
    pairs = {(int(random.integers(v)), v) for v in range(1, routers)}
    pairs |= {(int(a), int(b)) for a, b in np.sort(random.integers(routers, size=(routers, 2))) if a < b}
    at = random.integers(routers, size=routers)
    wide = random.integers(1, 4, size=2 * len(pairs))
    network = links("drawn", routers, sorted(pairs), inject=at, eject=at, wires=Wires(bandwidth=wide.tolist()))
    routes = longer_lanes(network, 1, rounds=2, seed=seed, time_limit=1)
    assert check(routes.relation, "wormhole-nonatomic").deadlock_free
    assert deliver(routes.relation).delivered
    assert routes.load_bound is not None
    assert routes.load_bound <= routes.highest_load * (1 + 1e-9)
    assert routes.load_bound_holds
    flows, carried = loads(routes.relation).channel, routes.load * network.bandwidth
    assert np.allclose(flows * carried.sum(), carried * flows.sum())


def test_the_first_trees_are_grown_without_time_and_for_rows_that_nobody_sends_to() -> None:
    network = tod.network("torus(4, 4)")
    home = np.arange(16)
    step, load = trees(network, home, np.zeros((16, 16)), SearchEffort(clock()))
    assert not load.any()
    assert ((step < 0).sum(axis=1) == 1).all()


@pytest.mark.long
def test_loads_are_below_those_of_up_down_and_of_nue() -> None:
    """OpenSM's Nue loads a channel of the 8×8 torus with 291 routes in one lane."""
    network = tod.network("torus(8, 8)")
    _, load = trees(network, np.arange(64), 1.0 - np.eye(64), SearchEffort(clock() + 60), 50)
    assert load.max() < 200 < 63 * loads(network, routing="up_down").highest


def test_channels_without_one_back_are_refused() -> None:
    network = Network("one way", 3, [0, 1, 2], [1, 2, 0])
    with pytest.raises(NetworkError, match="there is no channel back along"):
        trees(network, np.arange(3), 1.0 - np.eye(3), SearchEffort(clock()))
