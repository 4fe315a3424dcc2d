"""Routes of low load: against brute force, the catalogue, and the checker of bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from tests.lane_assignment.test_lanes import networks
from tests.reference.brute_force import TooLargeError
from tests.reference.loads import lowest_load
from unknot._base.errors import NetworkError, RelationError
from unknot.certificates import Rejected, plain
from unknot.certificates.claims import load_claim
from unknot.certificates.documents import network_of
from unknot.lane_assignment import Lanes, LongerLanes, changing_lanes, lanes, longer_lanes
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.lane_refutation import Refutation
from unknot.lane_assignment.lane_search import Open, Solution
from unknot.lane_assignment.load_bounds import load_bound
from unknot.lane_assignment.path_set import by_terminal, demand
from unknot.lane_assignment.served_pairs import Limits, limited_pairs
from unknot.lane_assignment.tables import LaneTable
from unknot.network import Network, Wires, from_networkx, tod
from unknot.routing.named import routing
from unknot.search.bound import Bound
from unknot.search.effort import SearchEffort
from unknot.verify import check, deliver, loads

LIMIT = 300_000
"""Most routes that brute force tries."""


def walked(routes: Lanes | LongerLanes) -> np.ndarray:
    """The load of each channel, from the relation alone: a packet from each terminal to each other it sends to."""
    relation, network = routes.relation, routes.relation.network
    load, sends = np.zeros(network.num_channels), relation.may_use
    for address, end in enumerate(relation.destination.tolist()):
        for s in range(network.num_terminals):
            if s == end or (sends is not None and not sends[s, address]):
                continue
            at = relation.num_vcs + s
            while (then := relation.candidates(at, address)[0].vc) is not None:
                at = then
                load[relation.vcs.channel[at]] += 1
    return load


def small(network: Network) -> bool:
    """Whether brute force compares: few routers, each with one terminal at most."""
    return network.num_routers <= 5 and network.num_terminals == np.unique(network.eject).size


def lower_load(network: Network, routes: Lanes, paths: str) -> int | None:
    """A lower load in as many lanes, by trying everything; the test is skipped where that is too much."""
    try:
        return lowest_load(network, routes.count, table=paths == "table", below=int(routes.highest_load), limit=LIMIT)
    except TooLargeError as error:
        pytest.skip(str(error))


def confirm(network: Network, paths: str, *, exactly: bool) -> None:
    """Compare with brute force; routes are safe, arrive, and carry what is said."""
    routes = lanes(network, paths, effort=4000)
    assert check(routes.relation).deadlock_free
    assert deliver(routes.relation).delivered
    assert np.array_equal(walked(routes), routes.load)
    assert np.allclose(routes.lane_load.sum(axis=0), routes.load)
    assert routes.load_bound_holds
    assert routes.load_gap == 0
    if exactly:
        assert routes.highest_load == int(routes.highest_load)
        assert lower_load(network, routes, paths) is None


@settings(max_examples=5)
@given(networks().filter(small), st.sampled_from(["free", "table"]))
@example(tod.network("ring(5)"), "free")
def test_the_load_is_the_lowest_there_is(network: Network, paths: str) -> None:
    confirm(network, paths, exactly=True)


@pytest.mark.campaign
@pytest.mark.parametrize("paths", ["free", "table"])
@pytest.mark.parametrize("seed", range(130))
def test_the_load_is_the_lowest_of_random_networks(seed: int, paths: str) -> None:
    """The bound is always met; up to five routers a branch and bound confirms it."""
    random = np.random.default_rng(seed)
    routers = int(random.integers(4, 9))
    graph = nx.random_labeled_tree(routers, seed=seed)
    for _ in range(int(random.integers(1, routers + 1))):
        graph.add_edge(*random.choice(routers, 2, replace=False).tolist())
    confirm(from_networkx(graph), paths, exactly=routers <= 5)


@pytest.mark.long
@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize(
    ("text", "paths", "name", "at_most"),
    [
        ("mesh(5, 5)", "free", "dimension_order", 30),
        ("mesh(4, 4)", "table", "dimension_order", 16),
        ("hypercube(4)", "table", "dimension_order", 8),
        pytest.param("mesh(6, 6)", "table", "dimension_order", 54, marks=pytest.mark.campaign),
        pytest.param("hypercube(5)", "table", "dimension_order", 16, marks=pytest.mark.campaign),
        ("fat_tree(4, 2)", "free", "nca(up='modulo')", 12),
        ("fat_tree(4, 2)", "table", "nca(up='modulo')", 12),
        ("torus(4, 5)", "free", "dfsssp", 13),
    ],
)
def test_no_named_routing_in_as_many_lanes_has_a_lower_load(text: str, paths: str, name: str, at_most: int) -> None:
    network = tod.network(text)
    routes = lanes(network, paths, effort=200)
    of_name = lanes(network, "given", routing=routing(network, name))
    assert routes.highest_load <= at_most
    assert (routes.count, routes.highest_load) <= (of_name.count, of_name.highest_load)
    assert np.array_equal(walked(routes), routes.load)
    assert loads(routes.relation, "uniform_others").highest == pytest.approx(
        routes.highest_load / (network.num_terminals - 1)
    )


def test_terminals_of_a_router_have_routes_of_their_own() -> None:
    routes = lanes("fat_tree(4, 2)", "table")
    assert isinstance(routes.routes, LaneTable)
    assert routes.routes.next_channel.shape[0] == 16
    assert routes.highest_load == routes.load_bound == 12


def test_more_effort_is_never_worse_and_repeats() -> None:
    network = from_networkx(nx.random_regular_graph(3, 16, seed=1))
    low, again, more = (lanes(network, effort=effort, seed=3) for effort in (200, 200, 2000))
    assert np.array_equal(low.load, again.load)
    assert more.highest_load <= low.highest_load


@pytest.mark.long
def test_loads_fall_fast_from_routes_that_are_far_above_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Costs over the highest load of a bad start would all be lost in the heat: 40 moves for each pair left 80."""
    monkeypatch.setattr("unknot.lane_assignment.rerouted.ROUND", 40)
    routes = lanes("torus(8, 8)", effort=200, tries=1)
    assert (routes.count, routes.load_bound) == (2, 64)
    assert routes.highest_load <= 70


@pytest.mark.parametrize("paths", ["free", "table"])
def test_bandwidths_divide_loads(paths: str) -> None:
    """A diamond whose one side is ten times as wide takes nearly all."""
    ends = [(0, 1), (1, 3), (0, 2), (2, 3), (3, 1), (1, 0), (3, 2), (2, 0)]
    wide = [10, 10, 1, 1, 10, 10, 1, 1]
    network = Network(
        "diamond", 4, *zip(*ends, strict=True), wires=Wires(bandwidth=wide), inject=[0, 3], eject=[0, 3]
    )
    routes = lanes(network, paths)
    assert routes.highest_load == routes.load_bound == 0.1
    assert routes.load_bound_holds
    assert lanes(network, "given", routing=routes.relation).highest_load == 0.1
    assert longer_lanes(network, 1).highest_load == 0.1
    assert changing_lanes(network, paths).highest_load == 0.1


def test_a_channel_of_a_third_of_a_flit_carries_a_third() -> None:
    slow = Network("slow", 2, [0, 1], [1, 0], wires=Wires(bandwidth=["1/3", 1]))
    routes = lanes(slow)
    assert routes.load.tolist() == pytest.approx([3, 1])
    assert routes.load_bound == pytest.approx(3)
    assert routes.load_bound_holds


def test_flows_in_units() -> None:
    flows = np.zeros((9, 9))
    flows[0, 8], flows[8, 0], flows[2, 6], flows[0, 2] = 2.5, 1.5, 2.5, 0.5
    routes = lanes("mesh(3, 3)", flows=flows)
    assert routes.highest_load == routes.load_bound == 2.5
    assert routes.load_bound_holds
    assert routes.load.sum() == 4 * 6.5 + 2 * 0.5
    of_name = lanes("mesh(3, 3)", "given", routing="dimension_order", flows=flows)
    assert (of_name.load.sum(), of_name.highest_load) == (27, 3)


def test_bounds_are_recomputed() -> None:
    routes = lanes("mesh(4, 4)")
    assert routes.load_evidence is not None
    claim, network = routes.load_evidence.claim, plain.Network(network_of(routes.relation.network))
    assert plain.check(network, None, claim) == "shortest paths: some channel has a load of at least 16"
    weights = claim["proof"]["weights"]
    for wrong in (
        {"least": [17, 1]}, {"least": [16, 0]}, {"least": [16]}, {"least": [32001, 2000]},
        {"proof": {"weights": weights[1:]}}, {"proof": {"weights": [-1, *weights[1:]]}},
        {"proof": {"weights": [0] * 48}}, {"proof": {"weights": [*([0] * 47), 1]}}, {"capacity": [2.0] * 48},
        {"capacity": [0.0] * 48}, {"flows": [[0, 1, 1]]}, {"flows": [[0, 1]]}, {"flows": [[0, 1, float("nan")]]},
        {"flows": [[0, 99, 1]]}, {"flows": 3},
    ):  # fmt: skip
        with pytest.raises(Rejected):
            plain.check(network, None, {**claim, **wrong})
    other = plain.Network(network_of(tod.network("torus(4, 4)")))
    with pytest.raises(Rejected):
        plain.check(other, None, claim)
    assert not Bound({**claim, "least": [17, 1]}).evidence_holds(routes.relation.network)


ONE_WAYS = (
    (0, 1), (0, 2), (0, 5), (1, 5), (2, 3), (2, 4), (3, 1), (3, 4), (4, 0), (4, 1), (4, 2), (4, 3), (4, 5), (5, 3),
)  # fmt: skip
"""Channels of a network whose routes in one lane have a higher load than its shortest paths need."""


@pytest.mark.parametrize("paths", ["free", "table"])
def test_loads_that_lanes_rule_out_are_refuted(paths: str) -> None:
    """Shortest paths may have 9 at most; in one lane, by brute force too, none have less than 10."""
    network = Network("one ways", 6, *zip(*ONE_WAYS, strict=True))
    routes = lanes(network, paths)
    assert (routes.count, routes.highest_load, routes.load_bound, routes.load_bound_holds) == (1, 10, 10, True)
    assert lowest_load(network, 1, table=paths == "table") == 10
    assert load_bound(demand(network), time_limit=600).least == 9
    assert routes.load_evidence is not None
    claim, graph = routes.load_evidence.claim, plain.Network(network_of(network))
    by = " by tables" if paths == "table" else ""
    shown = plain.check(graph, None, claim)
    assert shown == f"shortest paths{by} in 1 lane that packets keep: some channel has a load of at least 10"
    proof = claim["proof"]
    for wrong in (
        {"least": [11, 1]}, {"lanes": 2}, {"lanes": 0}, {"changes": "any"}, {"capacity": [2.0] * len(ONE_WAYS)},
        {"flows": [[0, 1, 1]]}, {"proof": {**proof, "pairs": proof["pairs"][1:]}},
        {"proof": {**proof, "pairs": [[0, 0], *proof["pairs"]]}}, {"proof": {**proof, "order": False}},
        {"proof": {**proof, "steps": proof["steps"][:-1]}},
    ):  # fmt: skip
        with pytest.raises(Rejected):
            plain.check(graph, None, {**claim, **wrong})


@given(networks().filter(small), st.integers(1, 3), st.sampled_from(["free", "table"]))
def test_the_clauses_of_loads_agree_with_brute_force(network: Network, count: int, paths: str) -> None:
    """Routes of less than a load exist in a number of lanes if and only if brute force finds some."""
    try:
        least = lowest_load(network, count, table=paths == "table", limit=LIMIT // 10)
    except TooLargeError:
        assume(False)
    for load in {least or 1, (least or 1) + 1}:
        claim = load_claim(Fraction(load), None, None, {}, lanes=count, changes="none", table=paths == "table")
        served = limited_pairs(network, Limits.below(Fraction(load), network, None, claim))
        answer = refute(served, count, SearchEffort(), conflicts=2_000)
        event(type(answer).__name__)
        if least is not None and least < load:
            assert isinstance(answer, Solution)
        else:
            assert isinstance(answer, (Refutation, Open))
        if isinstance(answer, Refutation):
            assert Bound({**claim, "proof": answer.proof}).evidence_holds(network)


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize(
    ("text", "paths", "load"),
    [("ring(16)", "free", 32), ("dragonfly(2, 6, 3)", "free", 360), ("fat_tree(2, 3)", "table", 6)],
)
def test_the_solver_finds_loads_that_annealing_misses(text: str, paths: str, load: int) -> None:
    routes = lanes(text, paths, effort=200, time_limit=600)
    assert routes.highest_load == routes.load_bound == load
    assert check(routes.relation).deadlock_free
    assert np.array_equal(walked(routes), routes.load)


def test_flows_and_capacities_are_counted_exactly() -> None:
    """Two flows of 0.1 and one of 0.25 share two ways of two hops, of which one is twice as wide."""
    ends = [(0, 1), (1, 3), (0, 2), (2, 3)]
    network = Network("ways", 4, *zip(*ends, strict=True), inject=[0, 0, 0, 3, 3, 3], eject=[0, 0, 0, 3, 3, 3])
    flows = np.zeros((6, 6))
    flows[0, 3], flows[1, 4], flows[2, 5] = 0.1, 0.1, 0.25
    routes = lanes(network.with_bandwidth([2, 2, 1, 1]), flows=flows)
    assert routes.highest_load == pytest.approx(0.175)
    assert routes.load_bound_holds
    assert routes.load_gap == pytest.approx(0)


def test_bad_flows_are_refused_in_words() -> None:
    line = Network("one way", 3, [0, 1], [1, 2])
    with pytest.raises(NetworkError, match="there is no way from router"):
        lanes(line)
    flows = np.zeros((3, 3))
    none = lanes(line, flows=flows)
    assert (none.count, none.highest_load, none.load_bound) == (1, 0, 0)
    np.fill_diagonal(flows, 7.0)
    assert lanes(line, flows=flows).highest_load == 0
    flows[0, 2] = 3.0
    routes = lanes(line, flows=flows)
    assert routes.highest_load == routes.load_bound == 3
    with pytest.raises(RelationError, match="moves for each pair"):
        lanes(line, flows=flows, effort=-1)


def test_more_vcs_leave_the_routes_of_each_terminal() -> None:
    """A relation with more VCs is made anew from the same routes."""
    network = tod.network("fat_tree(4, 2)")
    relation = routing(network, "lanes", 3)
    assert relation.vcs.widest == 3
    assert check(relation).deadlock_free
    assert deliver(relation).delivered
    assert loads(relation, "uniform_others").highest == pytest.approx(12 / 15)


def climbing_hops(network: Network, key: np.ndarray, source: int, end: int) -> int:
    """Hops of the shortest path whose keys rise in some lane, by trying all."""
    best = network.num_channels + 1
    for lane in key:
        going = [(source, -np.inf, 0)]
        while going:
            at, last, hops = going.pop()
            if at == end:
                best = min(best, hops)
                continue
            for c in np.flatnonzero((network.source == at) & (lane > last)).tolist():
                going.append((int(network.target[c]), lane[c], hops + 1))
    return best


def worst_of_all(routes: Lanes) -> int:
    """The highest load of a channel under any permutation of the terminals, by trying all."""
    relation, network = routes.relation, routes.relation.network
    taken: dict[tuple[int, int], list[int]] = {}
    for address, end in enumerate(relation.destination.tolist()):
        for s in range(network.num_terminals):
            at = relation.num_vcs + s
            if s != end and (relation.may_use is None or relation.may_use[s, address]):
                taken[s, end] = []
                while (then := relation.candidates(at, address)[0].vc) is not None:
                    at = then
                    taken[s, end].append(int(relation.vcs.channel[at]))
    return max(
        np.bincount([c for s, t in enumerate(ends) for c in taken.get((s, t), ())], minlength=1).max()
        for ends in permutations(range(network.num_terminals))
    )


@settings(max_examples=6)
@given(networks(), st.sampled_from(["free", "table"]))
@example(tod.network("fat_tree(2, 2)"), "free")
def test_the_load_of_the_worst_permutation_is_exact(network: Network, paths: str) -> None:
    routes = lanes(network, paths, worst=True, effort=200)
    assert routes.worst_load == worst_of_all(routes)
    assert check(routes.relation).deadlock_free
    assert deliver(routes.relation).delivered
    assert np.array_equal(walked(routes), routes.load)


@pytest.mark.long
@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(
    ("text", "worst", "named"),
    [("torus(5, 5)", 2, "dimension_order"), ("hyperx([4, 4])", 1, "hyperx_dimension_order")],
)
def test_no_named_routing_has_a_lower_worst_permutation(text: str, worst: int, named: str) -> None:
    routes = lanes(text, worst=True)
    given = lanes(text, "given", routing=named)
    assert (routes.count, routes.worst_load) == (given.count, worst)
    with pytest.raises(RelationError, match="for free paths and tables"):
        lanes(text, "given", routing=named, worst=True)


@pytest.mark.parametrize(("text", "count", "at_most"), [("mesh(3, 3)", 1, 12), ("ring(7)", 1, 14), ("ring(7)", 2, 7)])
def test_longer_routes_are_balanced_without_a_further_hop(text: str, count: int, at_most: int) -> None:
    routes = longer_lanes(text, count, rounds=3, goal="mean")
    network = routes.relation.network
    assert check(routes.relation).deadlock_free
    assert deliver(routes.relation).delivered
    assert np.array_equal(walked(routes), routes.routes.load)
    assert routes.highest_load <= at_most
    assert routes.routes.load.sum() == routes.hops.sum()
    for s, t in np.argwhere(routes.wanted).tolist():
        assert routes.hops[s, t] == climbing_hops(network, routes.key, s, t)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "lanes", "at_most"),
    [("torus(5, 5)", 1, 20), ("ring(8)", 1, 12), pytest.param("torus(8, 8)", 1, 95, marks=pytest.mark.campaign)],
)
def test_routes_become_longer_for_a_lower_load(text: str, lanes: int, at_most: int) -> None:
    """The shortest climbing routes load a channel of 5×5 with 22 and more, of 8×8 with 103 to 164."""
    routes = longer_lanes(text, lanes)
    assert check(routes.relation).deadlock_free
    assert deliver(routes.relation).delivered
    assert routes.highest_load <= at_most
    assert np.array_equal(routes.routes.load, walked(routes))
    assert routes.routes.load.sum() == routes.hops.sum()
    assert routes.longest_detour > 0
    assert routes.load_bound is not None
    assert routes.load_bound <= routes.highest_load
    assert routes.load_bound_holds


@pytest.mark.long
@pytest.mark.sampled(0.5)
@pytest.mark.parametrize(("text", "lanes", "load"), [("mesh(6, 6)", 1, 54), ("hypercube(4)", 2, 8)])
@pytest.mark.parametrize("goal", ["load", "mean"])
def test_where_shortest_paths_are_enough_their_load_is_lowest(text: str, lanes: int, load: int, goal: str) -> None:
    routes = longer_lanes(text, lanes, goal=goal)
    assert (routes.longer_pairs, routes.highest_load, routes.load_bound) == (0, load, load)
    assert routes.load_bound_holds


@given(seed=st.integers(0, 10**6), lanes=st.integers(1, 2))
def test_longer_routes_of_drawn_networks(seed: int, lanes: int) -> None:
    """Some have channels without one back, several terminals at a router, and flows between some pairs only."""
    random = np.random.default_rng(seed)
    routers, terminals = random.integers(3, 7), random.integers(3, 9)
    ends = [(int(a), int((a + 1) % routers)) for a in range(routers)]
    ends += [(int(a), int(b)) for a, b in random.integers(routers, size=(routers, 2)) if a != b]
    at = random.integers(routers, size=terminals)
    network = Network("drawn", routers, *zip(*ends, strict=True), inject=at, eject=at)
    flows = random.integers(0, 3, size=(terminals, terminals))
    try:
        routes = longer_lanes(network, lanes, flows=flows)
    except RelationError:  # a ring of one-way channels takes two lanes
        assume(False)
    assert check(routes.relation).deadlock_free
    assert deliver(routes.relation).delivered
    assert routes.routes.load.sum() == pytest.approx((flows_by_hops(routes, flows)).sum())


def flows_by_hops(routes: LongerLanes, flows: np.ndarray) -> np.ndarray:
    """Flow × hops of each pair of terminals, by the relation alone."""
    relation, network = routes.relation, routes.relation.network
    hops = np.zeros(flows.shape)
    for address, end in enumerate(relation.destination.tolist()):
        for s in range(network.num_terminals):
            if s == end or relation.may_use is None or not relation.may_use[s, address]:
                continue
            at = relation.num_vcs + s
            while (then := relation.candidates(at, address)[0].vc) is not None:
                hops[s, end] += 1
                at = then
    return flows * hops


def test_few_channels_have_the_highest_load() -> None:
    """Dimension order has it on 8 channels of this mesh; the first routes that are found have it on more."""
    routes = lanes("mesh(6, 4)")
    assert routes.highest_load == 36
    assert np.count_nonzero(routes.load == 36) == 8
    assert np.array_equal(routes.load, lanes("mesh(6, 4)", "given", routing="dimension_order").load)


def test_lanes_share_the_load_of_a_channel() -> None:
    """Of 15 that each channel carries, the best named routing has 12 in one lane of some."""
    routes = lanes("torus(5, 5)")
    assert np.array_equal(routes.lane_load.sum(axis=0), routes.load)
    assert max(routes.lane_highest) <= 11
    assert max(lanes("torus(5, 5)", "given", routing="dimension_order").lane_highest) == 12


def test_among_routes_of_the_lowest_load_the_evenest_are_taken() -> None:
    """Others have as many channels of load 6, but five of load 5, and carry 0.93 of what these do."""
    routes, named = lanes("hyperx([6, 3])"), lanes("hyperx([6, 3])", "given", routing="hyperx_dimension_order")
    assert np.array_equal(np.sort(routes.load), np.sort(named.load))


@pytest.mark.parametrize("text", ["mesh(4, 3)", "fat_tree(2, 3)", "kautz(2, 3)", "dragonfly(2, 4, 2)"])
def test_equal_weights_show_what_the_checker_adds_up(text: str) -> None:
    """Of a million pairs the checker needs half a minute, so the search adds them up by itself."""
    network = tod.network(text)
    bound = load_bound(by_terminal(demand(network)))
    assert (
        plain.load_shown(plain.Network(network_of(network)), None, None, bound.claim["proof"]["weights"])
        == bound.least
    )


def test_prescribed_lanes_share_the_load_of_a_channel() -> None:
    routes = longer_lanes("torus(5, 5)", 2, rounds=2)
    assert np.array_equal(routes.lane_load.sum(axis=0), walked(routes))
    assert sum(routes.lane_pairs) == routes.pairs
    assert max(routes.lane_highest) < routes.highest_load
