"""Failures settled by unions of routes: the sets that deadlock by brute force, and claims that are accepted."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from itertools import combinations, pairwise
from math import comb
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

from unknot._base.kernels import lazy_kernel
from unknot.certificates import Rejected, accept, plain
from unknot.certificates.documents import document, network_of
from unknot.cli.program import app
from unknot.network import Network, from_edges
from unknot.network.families import ring, xgft
from unknot.verify import fault_sweep
from unknot.verify.ethernet_faults import fabric_of
from unknot.verify.failure_unions import FailureUnions, Settled
from unknot.verify.failures import Parts

SMALL = xgft([1, 4], [1, 2])
PODS = xgft([1, 2, 2], [1, 2, 2])
DEAD = xgft([1, 4], [1, 3]).without(links=[(0, 4), (1, 5)])
CLOS = [
    SMALL,
    xgft([1, 3], [1, 3]),
    PODS,
    DEAD,
    xgft([1, 2, 2], [1, 2, 2]).without(links=[(0, 4)]),
    xgft([2, 3], [1, 2]),
]


def settled(network: Network, routing: str, kind: Parts, size: int, budget: int = 10**6) -> Settled:
    """Outcomes by unions, however small the network is."""
    fabric = fabric_of(network, routing, kind)
    assert fabric is not None
    return FailureUnions(fabric).settle(size, budget, 1, lambda _: None, None)


def shortest_deadlocks(network: Network, links: tuple[tuple[int, int], ...]) -> bool:
    """Whether all shortest paths between leaves close a circle of channels after some links failed, by NetworkX."""
    graph = nx.Graph(zip(network.source.tolist(), network.target.tolist(), strict=True))
    graph.remove_edges_from(links)
    leaves, turns = sorted({*network.inject.tolist()}), nx.DiGraph()
    if not all(nx.has_path(graph, leaves[0], leaf) for leaf in leaves):
        return False
    for start in leaves:
        for end in leaves:
            for path in nx.all_shortest_paths(graph, start, end) if start != end else ():
                hops = list(pairwise(path))
                turns.add_edges_from(pairwise(hops))
    return not nx.is_directed_acyclic_graph(turns)


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("network", CLOS, ids=lambda network: network.name)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_sets_that_deadlock_are_those_of_a_brute_force(network: Network, size: int) -> None:
    links = sorted({(min(e), max(e)) for e in zip(network.source.tolist(), network.target.tolist(), strict=True)})
    name = network.router_name
    expected = {
        frozenset(f"{name(a)}–{name(b)}" for a, b in dead)
        for dead in combinations(links, size)
        if shortest_deadlocks(network, dead)
    }
    outcome = settled(network, "ospf", "links", size)
    assert {frozenset(fault.parts) for fault in outcome.faults if fault.outcome == "deadlock"} == expected
    assert sum(fault.alike for fault in outcome.faults) == comb(len(links), size)
    for claim in outcome.claims:
        plain.check(plain.Network(network_of(network)), None, claim)


@pytest.mark.parametrize(
    ("network", "routing", "kind", "size"),
    [
        (SMALL, "bgp(plan='rfc7938')", "links", 2),
        (PODS, "bgp(plan='rfc7938', allowas_in=1)", "links", 2),
        (PODS, "bgp(plan='rfc7938')", "routers", 2),
        (SMALL, "bgp", "any", 2),
        (DEAD, "bgp(plan='switch', relax=False)", "any", 2),
        (ring(6), "bgp(plan=[7, 7, 70000, 9, 7, 4200000000])", "links", 1),
    ],
)
def test_plans_and_kinds_of_parts_as_when_each_set_is_judged(
    network: Network, routing: str, kind: Parts, size: int
) -> None:
    each = fault_sweep(network, routing, kind=kind, faults=size, budget=10**6)
    by_name = {frozenset(fault.parts): fault.outcome for fault in each.tried}
    outcome = settled(network, routing, kind, size)
    at_once = {"settled", "free"}
    alone = {frozenset(fault.parts): fault.outcome for fault in outcome.faults if fault.outcome not in at_once}
    assert alone.items() <= by_name.items()
    for bad in ("deadlock", "undelivered"):
        assert Counter(by_name.values())[bad] == Counter(alone.values())[bad]
    assert sum(fault.alike for fault in outcome.faults) == each.possible
    for claim in outcome.claims:
        plain.check(plain.Network(network_of(network)), None, claim)


def test_more_uplinks_than_failures_settle_all_sets_at_once() -> None:
    network = xgft([1, 6], [1, 4]).without(links=[(0, 6)])
    told: list[str] = []
    sweep = fault_sweep(network, "bgp", faults=2, fewer=True, budget=5, notice=told.append)
    assert sweep.counts == {"settled": comb(23, 2), "holds": 23}
    assert not sweep.sampled
    assert sweep.survives
    assert sweep.tried[0].parts == ("any 2 links",)
    assert "unions of routes, about" in told[-1]
    assert "when up to 2 links more fail" in accept(document(network, None, sweep.claims))[0]


def test_a_claim_that_is_changed_is_rejected() -> None:
    claim, network = settled(xgft([1, 3], [1, 3]), "bgp", "links", 2).claims[0], xgft([1, 3], [1, 3])
    for key, value in (("more", 3), ("kind", "channels"), ("limit", "0"), ("systems", [0])):
        with pytest.raises(Rejected):
            accept(document(network, None, [{**claim, key: value}]))
    changed = deepcopy(claim)
    changed["proof"]["rank"].reverse()
    with pytest.raises(Rejected, match="may be followed by channel"):
        accept(document(network, None, [changed]))


def test_what_the_budget_leaves_is_drawn() -> None:
    outcome = settled(PODS, "bgp", "links", 2, budget=4)
    drawn = [fault for fault in outcome.faults if fault.outcome != "settled"]
    assert len(drawn) == 4
    assert sum(fault.alike for fault in outcome.faults) < comb(16, 2)


def test_compiled_and_in_plain_python_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = settled(PODS, "bgp(plan='rfc7938', allowas_in=1)", "any", 2)
    monkeypatch.setattr(lazy_kernel, "STATES", 0)
    monkeypatch.setattr(lazy_kernel, "FEW", 0)
    assert settled(PODS, "bgp(plan='rfc7938', allowas_in=1)", "any", 2) == slow


def test_long_ways_round_and_one_way_networks() -> None:
    assert sum(fault.alike for fault in settled(ring(70), "ospf", "links", 1).faults) == 70
    one_way = from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")])
    assert sum(fault.alike for fault in settled(one_way, "ospf", "links", 1).faults) == 3


def test_the_command_writes_what_the_checker_accepts(tmp_path: Path) -> None:
    words = ["faults", "xgft([1, 6], [1, 4])", "--routing", "bgp(plan='rfc7938')", "--at-once", "2", "--budget", "1"]
    done = CliRunner().invoke(app, [*words, "--evidence", str(tmp_path / "e.json")])
    assert done.exit_code == 0, done.output
    assert "2 claims about many sets at once" in " ".join(done.output.split())
    accepted = CliRunner().invoke(app, ["accept", str(tmp_path / "e.json")])
    assert accepted.exit_code == 0
    assert "whatever fails" in accepted.output
