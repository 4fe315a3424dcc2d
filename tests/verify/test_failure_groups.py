"""Failures judged in groups: the sets that deadlock by brute force, each set apart, and claims that are accepted."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from typer.testing import CliRunner

from unknot._base.kernels import lazy_kernel
from unknot.certificates import Rejected, accept, plain
from unknot.certificates.documents import document, network_of
from unknot.cli.program import app
from unknot.network import Network, from_edges
from unknot.network.families import ring, xgft
from unknot.verify import failure_groups, fault_sweep
from unknot.verify.ethernet_faults import fabric_of
from unknot.verify.failure_groups import Grouped, grouped_failures
from unknot.verify.failures import Failed, Failures, Parts

SMALL = xgft([1, 4], [1, 2])
PODS = xgft([1, 2, 2], [1, 2, 2])
DEAD = xgft([1, 4], [1, 3]).without(links=[(0, 4), (1, 5)])
TWINS = from_edges([("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "y"), ("c", "x"), ("c", "y")])
CLOS = [
    SMALL,
    xgft([1, 3], [1, 3]),
    PODS,
    DEAD,
    xgft([1, 2, 2], [1, 2, 2]).without(links=[(0, 4)]),
    xgft([2, 3], [1, 2]),
]


def grouped(network: Network, routing: str, kind: Parts, size: int, budget: int = 10**6) -> Grouped:
    """Groups of failure sets, however small the network is."""
    fabric = fabric_of(network, routing, kind)
    assert fabric is not None
    return grouped_failures(fabric, size, budget)


def shortest_deadlocks(network: Network, links: tuple[tuple[int, int], ...]) -> bool:
    """Whether all shortest paths between leaves close a cycle of channels after some links failed, by NetworkX."""
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


@pytest.mark.sampled(0.15)
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
    assert outcomes(network, "ospf", "links", size)["deadlock"] == len(expected)
    sweep = fault_sweep(network, "ospf", failures=Failures(at_once=size, budget=10**6))
    assert {frozenset(fault.parts) for fault in sweep.tried if fault.outcome == "deadlock"} == expected


def outcomes(network: Network, routing: str, kind: Parts, size: int) -> Counter[str]:
    """Number of sets with each outcome, by groups; those judged alone are named once, and all claims are accepted."""
    fabric = fabric_of(network, routing, kind)
    assert fabric is not None
    groups = grouped_failures(fabric, size, 10**6)
    assert not groups.left
    assert len({*groups.alone}) == len(groups.alone)
    for claim in groups.claims:
        plain.check(plain.Network(network_of(network)), None, claim)
    counts = Counter(
        fabric.decide(Failed.of([fabric.parts[n] for n in numbers])).fault.outcome for numbers in groups.alone
    )
    for fault in groups.faults:
        counts[fault.outcome] += fault.alike
    return counts


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    ("network", "routing", "kind", "size"),
    [
        (SMALL, "bgp(plan='rfc7938')", "links", 2),
        (SMALL, "bgp(plan='rfc7938', allowas_in=1)", "links", 3),
        (PODS, "bgp(plan='rfc7938')", "routers", 2),
        (SMALL, "bgp", "any", 2),
        (SMALL, "ospf", "routers", 4),
        (DEAD, "bgp(plan='switch', relax=False)", "any", 2),
        (DEAD, "ospf(maximum_paths=1)", "links", 3),
        (TWINS, "bgp", "cables", 3),
        (TWINS, "ospf", "links", 2),
        (ring(6), "bgp(plan=[7, 7, 70000, 9, 7, 4200000000])", "links", 1),
        (ring(6), "ospf", "any", 2),
    ],
)
def test_groups_have_the_outcomes_of_each_set(network: Network, routing: str, kind: Parts, size: int) -> None:
    each = fault_sweep(network, routing, failures=Failures(kind=kind, at_once=size, budget=10**6))
    assert outcomes(network, routing, kind, size) == Counter(fault.outcome for fault in each.tried)


def test_more_uplinks_than_failures_are_one_group() -> None:
    network = xgft([1, 6], [1, 4]).without(links=[(0, 6)])
    notices: list[str] = []
    sweep = fault_sweep(network, "bgp", notice=notices.append, failures=Failures(at_once=2, fewer=True, budget=5))
    assert sweep.counts == {"holds": comb(23, 2) + 23}
    assert not sweep.sampled
    assert sweep.survives
    assert {fault.parts for fault in sweep.tried} == {("any 2 links",), ("any 1 link",)}
    assert "when up to 2 links more fail no routes" in accept(document(network, None, sweep.claims))[1]


def test_a_leaf_with_two_cables_names_the_sets_that_may_change_the_outcome() -> None:
    network = xgft([1, 6], [1, 4]).without(links=[(0, 6), (0, 7)])
    sweep = fault_sweep(network, "bgp", failures=Failures(at_once=2, budget=50))
    each = fault_sweep(network, "bgp", failures=Failures(at_once=2, budget=10**6))
    assert sweep.counts == each.counts == {"deadlock": 15, "disconnected": 1, "holds": 215}
    assert sweep.tried[-1].parts == ("any 2 links, unless named apart",)
    assert "but for 16 sets and those that contain one," in accept(document(network, None, sweep.claims))[0]


def test_a_circle_outlasts_failures_elsewhere() -> None:
    network = xgft([1, 5], [1, 3]).without(links=[(0, 5), (1, 6), (0, 6), (1, 7)])
    sweep = fault_sweep(network, "ospf", failures=Failures(at_once=2, budget=54))
    each = fault_sweep(network, "ospf", failures=Failures(at_once=2, budget=10**6))
    assert sweep.counts == each.counts
    assert "buffers wait in a cycle" in accept(document(network, None, sweep.claims))[0]


def claim_of(network: Network, routing: str, size: int) -> dict[str, Any]:
    """The claim of the first group."""
    fabric = fabric_of(network, routing, "links")
    assert fabric is not None
    return grouped_failures(fabric, size, 10**6).claims[0]


def test_a_claim_that_is_changed_is_rejected() -> None:
    network = xgft([1, 3], [1, 3])
    claim = claim_of(network, "bgp", 2)
    for key, value in (("more", 3), ("kind", "channels"), ("limit", "0"), ("systems", [0]), ("unless", None)):
        with pytest.raises(Rejected):
            accept(document(network, None, [{**claim, key: value}]))
    changed = deepcopy(claim)
    changed["proof"]["rank"].reverse()
    with pytest.raises(Rejected, match="may be followed by channel"):
        accept(document(network, None, [changed]))
    with pytest.raises(Rejected, match="may be refused"):
        accept(document(network, None, [{**claim, "systems": [0, 0, 1, 2, 3, 4]}]))


def test_sets_that_a_claim_leaves_out_are_needed() -> None:
    claim = claim_of(SMALL, "bgp", 2)
    assert len(claim["unless"]) == 16
    for number in range(16):
        unless = [*claim["unless"][:number], *claim["unless"][number + 1 :]]
        with pytest.raises(Rejected, match="2 failures break all shortest paths"):
            accept(document(SMALL, None, [{**claim, "unless": unless}]))


def test_a_claim_of_a_circle_that_is_changed_is_rejected() -> None:
    network = xgft([1, 6], [1, 3]).without(links=[(0, 7), (0, 8), (1, 6), (1, 8)])
    claim = claim_of(network, "bgp", 1)
    assert not claim["deadlock_free"]
    assert "when up to 1 links more fail" in accept(document(network, None, [claim]))[0]
    for number in range(len(claim["unless"])):
        unless = [*claim["unless"][:number], *claim["unless"][number + 1 :]]
        with pytest.raises(Rejected, match="may fail"):
            accept(document(network, None, [{**claim, "unless": unless}]))
    circle, paths = claim["proof"]["circle"], claim["proof"]["paths"]

    def back(path: list[int]) -> int:
        """The channel back along the last one of a path."""
        return network.between(int(network.target[path[-1]]), int(network.source[path[-1]]))[0]

    for proof, why in (
        ({"circle": circle[1:], "paths": paths[1:]}, "does not take"),
        ({"circle": circle, "paths": paths[1:]}, "paths for a cycle"),
        ({"circle": [], "paths": []}, "of no channels"),
        ({"circle": circle, "paths": [path[1:] for path in paths]}, "does not take"),
        ({"circle": circle, "paths": [[*path, back(path)] for path in paths]}, "not one between hosts"),
        ({"circle": circle, "paths": [[*path, back(path), path[-1]] for path in paths]}, "no shortest one"),
    ):
        with pytest.raises(Rejected, match=why):
            accept(document(network, None, [{**claim, "proof": proof}]))


@pytest.mark.parametrize("budget", [5, 20])
def test_sets_judged_alone_and_those_that_stand_for_others_have_evidence(budget: int) -> None:
    sweep = fault_sweep(SMALL, "bgp", on_verdict=lambda _: None, failures=Failures(at_once=2, budget=budget))
    claims = [claim for claim in sweep.claims if claim["more"] == 0]
    for outcome, free in (("deadlock", False), ("holds", True)):
        proved = [claim for claim in claims if claim["deadlock_free"] == free]
        assert len(proved) == sum(fault.outcome == outcome and "any" not in fault.parts[-1] for fault in sweep.tried)
    assert {fault.alike > 1 for fault in sweep.tried if fault.outcome == "deadlock"} == {budget == 5}
    for claim in claims:
        assert "after failures of" in accept(document(SMALL, None, [claim]))[0]
        with pytest.raises(Rejected):
            accept(document(SMALL, None, [{**claim, "deadlock_free": not claim["deadlock_free"]}]))
        if not claim["deadlock_free"]:
            with pytest.raises(Rejected):
                accept(document(SMALL, None, [{**claim, "failed": {"routers": [], "channels": []}}]))


def test_sets_of_fewer_failures_have_evidence_too() -> None:
    failures = Failures(at_once=2, fewer=True, budget=10)
    sweep = fault_sweep(SMALL, "bgp", on_verdict=lambda _: None, failures=failures)
    claims = [claim for claim in sweep.claims if claim["more"] == 0]
    assert len([claim for claim in claims if len(claim["failed"]["channels"]) == 2]) == 8
    assert all("after failures of" in accept(document(SMALL, None, [claim]))[0] for claim in claims)


def test_circles_have_evidence_however_many_sets_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_groups, "MOST_NUMBERS", 0)
    sweep = fault_sweep(DEAD, "bgp", on_verdict=lambda _: None, failures=Failures(at_once=2, budget=30))
    alone = [fault for fault in sweep.tried if fault.outcome == "deadlock" and "any" not in fault.parts[-1]]
    claims = [claim for claim in sweep.claims if claim["more"] == 0]
    assert len(claims) == len(alone) > 3
    assert all("buffers wait in a cycle" in accept(document(DEAD, None, [claim]))[0] for claim in claims)


def test_what_the_budget_leaves_is_drawn() -> None:
    notices: list[str] = []
    sweep = fault_sweep(PODS, "bgp", notice=notices.append, failures=Failures(at_once=2, budget=4))
    assert sweep.sampled
    assert len(sweep.tried) == 4
    assert "120 of 120 sets of 2 links of xgft([1, 2, 2], [1, 2, 2]) are neither alike nor in groups" in notices[0]


def test_compiled_and_in_plain_python_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = grouped(PODS, "bgp(plan='rfc7938', allowas_in=1)", "any", 2)
    monkeypatch.setattr(lazy_kernel, "STATES", 0)
    monkeypatch.setattr(lazy_kernel, "FEW", 0)
    assert grouped(PODS, "bgp(plan='rfc7938', allowas_in=1)", "any", 2) == slow


@pytest.mark.long
def test_long_ways_round_and_one_way_networks() -> None:
    assert outcomes(ring(70), "ospf", "links", 1).total() == 70
    one_way = from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")])
    assert outcomes(one_way, "ospf", "links", 1).total() == 3


def test_the_command_writes_what_the_checker_accepts(tmp_path: Path) -> None:
    words = ["faults", "xgft([1, 6], [1, 4])", "--routing", "bgp(plan='rfc7938')", "--at-once", "2", "--budget", "1"]
    done = CliRunner().invoke(app, [*words, "--evidence", str(tmp_path / "e.json")])
    assert done.exit_code == 0, done.output
    assert "2 claims about sets of faults" in " ".join(done.output.split())
    accepted = CliRunner().invoke(app, ["accept", str(tmp_path / "e.json")])
    assert accepted.exit_code == 0
    assert "whatever fails" in accepted.output
