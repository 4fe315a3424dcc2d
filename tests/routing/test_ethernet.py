"""Routes of BGP and OSPF beside FRR's own, and beside a path vector that speaks message by message."""

import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest

from unknot._base.errors import RelationError
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.network import Network
from unknot.network.families import fat_tree, xgft
from unknot.network.parts import frozen
from unknot.routing import Relation, bgp, ospf
from unknot.routing.as_numbers import as_plan
from unknot.routing.ethernet import bgp_vector
from unknot.verify import check
from unknot.verify.failures import Failures
from unknot.verify.fault_sweep import fault_sweep

EXAMPLES = Path(__file__).parents[2] / "examples/ethernet"
Hops = dict[tuple[int, int], frozenset[int]]


def hops_of(relation: Relation) -> Hops:
    """Next routers by router and destination terminal."""
    network, rows = relation.network, {}
    for address in range(relation.num_addresses):
        for channel in range(network.num_channels):
            out = {candidate.vc for candidate in relation.candidates(channel, address)} - {None}
            rows[int(network.target[channel]), address] = frozenset(int(network.target[vc]) for vc in out)
    return rows


Limits = int | dict[tuple[int, int], int]
"""How often the own AS may be in an accepted path, for all or by router and neighbour."""


def spoken(network: Network, systems: list[int], seed: int, allowas_in: Limits = 0, relax: bool = True) -> Hops:
    """Next routers after every router has heard its neighbours, in any order, until nothing changes."""
    draw, rows = random.Random(seed), {}
    beside = {
        r: sorted(
            {int(network.target[c]) for c in network.outgoing[1][network.outgoing[0][r] : network.outgoing[0][r + 1]]}
        )
        for r in range(network.num_routers)
    }
    for address, home in enumerate(network.eject.tolist()):
        told: dict[int, tuple[int, ...] | None] = dict.fromkeys(beside)
        told[home] = (systems[home],)
        changed = True
        while changed:
            changed = False
            for router in draw.sample(sorted(beside), len(beside)):
                own, heard = systems[router], {n: told[n] for n in beside[router]}
                most = {n: allowas_in if isinstance(allowas_in, int) else allowas_in[router, n] for n in heard}
                paths = {n: path for n, path in heard.items() if path is not None and path.count(own) <= most[n]}
                least = min(map(len, paths.values()), default=0)
                best = [n for n, path in paths.items() if len(path) == least and systems[n] != own]
                best = [n for n in best if relax or systems[n] == systems[best[0]]]
                new = (systems[router], *paths[best[0]]) if best else None
                if router != home:
                    rows[router, address] = frozenset(best)
                    changed |= new != told[router]
                    told[router] = new
                else:
                    rows[router, address] = frozenset()
    return rows


def circular(hops: Hops, network: Network) -> bool:
    """Whether buffers depend on one another in a cycle, by NetworkX."""
    graph = nx.DiGraph()
    for address in range(network.num_terminals):
        left, seen = [int(r) for r in network.inject], set()
        while left:
            router = left.pop()
            for to in hops.get((router, address), ()) if router not in seen else ():
                graph.add_edges_from(((router, to), (to, then)) for then in hops[to, address])
                left.append(to)
            seen.add(router)
    return not nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("folder", ["frr-all-links-up", "frr-two-links-down"])
def test_routes_equal_those_of_frr(folder: str) -> None:
    fabric = read_ethernet(EXAMPLES / folder)
    network = fabric.network
    used = {c for one in fabric.destinations for hops in one.next_hops.values() for c in hops}
    dead = [
        (int(a), int(b))
        for c, (a, b) in enumerate(zip(network.source, network.target, strict=True))
        if c not in used and network.router_name(int(b)).startswith("leaf")
    ]
    assert len(dead) == (2 if folder == "frr-two-links-down" else 0)
    hops, compared = hops_of(bgp(network.without(links=dead))), 0
    for one in fabric.destinations:
        for owner in one.owners if one.hosts else ():
            for router, channels in one.next_hops.items():
                assert hops[router, owner] == {int(network.target[c]) for c in channels}
                compared += 1
    assert compared >= 20


def compare(network: Network, plan: str, most: int) -> int:
    """Compare all failures of at most so many links; return after how many it can deadlock."""
    links = sorted({tuple(sorted(map(int, ends))) for ends in zip(network.source, network.target, strict=True)})
    deadlocks = 0
    for count in range(most + 1):
        for number, dead in enumerate(combinations(links, count)):
            left = network.without(links=dead)
            relation, brute = bgp(left, plan=plan), spoken(left, as_plan(left, plan), number)
            assert hops_of(relation).items() <= brute.items()
            assert check(relation, "wormhole").deadlock_free != circular(brute, left)
            deadlocks += circular(brute, left)
    return deadlocks


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("plan", ["switch", "rfc7938"])
@pytest.mark.parametrize("network", [xgft([1, 4], [1, 2]), fat_tree(2, 3)], ids=lambda network: network.name)
def test_failures_equal_a_path_vector_that_speaks(network: Network, plan: str) -> None:
    assert (compare(network, plan, 2) > 0) == (plan == "switch")


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("children", "parents", "deadlocks"),
    [
        ([1, 3], [1, 2], 0), ([1, 4], [1, 2], 12), ([1, 3], [1, 3], 0), ([1, 5], [1, 2], 80),
        ([1, 2, 2], [1, 2, 1], 12), ([1, 2, 2], [1, 1, 2], 0), ([2, 2, 2], [1, 2, 2], 108),
    ],
)  # fmt: skip
def test_three_failures_equal_a_path_vector_that_speaks(
    children: list[int], parents: list[int], deadlocks: int
) -> None:
    network = xgft(children, parents)
    assert compare(network, "switch", 3) == deadlocks
    assert compare(network, "rfc7938", 3) == 0


@pytest.mark.parametrize("plan", ["switch", [0, 1, 2, 3, 4, 4, 4]])
def test_paths_without_relax_and_with_own_as_equal_a_path_vector_that_speaks(plan: str | list[int]) -> None:
    network, draw = xgft([1, 4], [1, 3]), random.Random()
    links = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    for seed in range(10):
        left = network.without(links=set(draw.sample([link for link in links if link[0] < link[1]], 4)))
        for relax, allowas_in in ((False, 0), (False, 1), (True, 2)):
            brute = spoken(left, as_plan(left, plan), seed, allowas_in, relax)
            hops = hops_of(bgp(left, plan=plan, allowas_in=allowas_in, relax=relax))
            assert all(brute[key] == row for key, row in hops.items() if key[0] in left.target)


def test_limits_of_routers_and_of_sessions_equal_a_path_vector_that_speaks() -> None:
    """Leaves of SONiC accept their own AS once, and spines never, unless BBR is on; FRR tells it of each session."""
    network, draw = xgft([1, 4], [1, 3]), random.Random()
    links = [ends for ends in network.ends if ends[0] < ends[1]]
    own, answers = [0, 0, 1, 1, 4, 4, 4], set[str]()
    for seed in range(10):
        left = network.without(links=set(draw.sample(links, 4)))
        of_router = draw.choices([0, 1, 2], k=7)
        for limits in (of_router, draw.choices([0, 1], k=left.num_channels)):
            whole = limits if limits is of_router else None
            most = {ends: limits[ends[0]] if whole else limits[channel] for channel, ends in enumerate(left.ends)}
            vector = bgp_vector(left, plan=own, allowas_in=whole or 0)
            hops = hops_of((vector if whole else replace(vector, limits=frozen(limits))).relation())
            brute = spoken(left, as_plan(left, own), seed, most)
            assert all(brute[key] == row for key, row in hops.items() if key[0] in left.target)
            answers.add(str(brute))
    assert len(answers) > 1
    sessions = list(range(network.num_channels))
    assert bgp_vector(network, allowas_in=sessions).limits.tolist() == sessions
    cut = bgp_vector(network, allowas_in=sessions).after_failures(network.without(channels=[0]))
    assert cut.limits.tolist() == sessions[1:]


def test_two_spines_and_four_leaves_deadlock_after_two_failures_by_an_as_for_each_switch() -> None:
    for routing in ("bgp", "ospf"):
        assert fault_sweep("xgft([1, 4], [1, 2])", routing, "wormhole").survives
        assert (
            fault_sweep("xgft([1, 4], [1, 2])", routing, "wormhole", failures=Failures(at_once=2)).counts["deadlock"]
            == 12
        )
    tiers = fault_sweep(
        "xgft([1, 4], [1, 2])", lambda left: bgp(left, plan="rfc7938"), "wormhole", failures=Failures(at_once=2)
    )
    assert tiers.counts == {"undelivered": 12, "disconnected": 4, "holds": 12}


@pytest.mark.parametrize("network", [xgft([1, 4], [1, 2]), xgft([1, 2, 3], [1, 2, 2]), fat_tree(3, 3)], ids=str)
def test_tiers_are_seen_without_levels(network: Network) -> None:
    plain = Network("plain", network.num_routers, network.source, network.target, inject=network.inject)
    pairs = set(zip(as_plan(network, "rfc7938"), as_plan(plain, "rfc7938"), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    with pytest.raises(RelationError, match="which failures hide"):
        as_plan(plain.without(channels=[0]), "rfc7938")


def test_allowas_in_brings_cut_pairs_back() -> None:
    left = xgft([1, 4], [1, 2]).without(links=[(0, 4), (1, 5)])
    strict, lax = (bgp(left, plan="rfc7938", allowas_in=n) for n in (0, 1))
    assert hops_of(lax) == hops_of(ospf(left)) != hops_of(strict)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"plan": "x"}, "no plan 'x'"),
        ({"plan": [1]}, "1 ASes"),
        ({"allowas_in": -1}, "allowas_in"),
        ({"allowas_in": [0, 1]}, "2 numbers in allowas_in; .* 4 routers or"),
        ({"allowas_in": [True]}, "is a number"),
    ],
)
def test_what_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(RelationError, match=message):
        bgp("fat_tree(2, 2)", **options)
