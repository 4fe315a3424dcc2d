"""Failures of Ethernet fabrics: by kernel and by orbits as by making each network and proving its routing."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot._base.kernels import lazy_kernel
from unknot.cli.program import app
from unknot.fabrics import read_network
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.network import Network, from_edges
from unknot.network.families import fat_tree, ring, xgft
from unknot.routing.ethernet import bgp_vector, path_vector
from unknot.routing.named import routing as named
from unknot.verify import check, fault_sweep
from unknot.verify.audit_ethernet import audit_ethernet
from unknot.verify.ethernet_faults import AfterFailures, FailureSets, fabric_of, never_circular, other_routes
from unknot.verify.failure_groups import Grouped
from unknot.verify.failures import Failed, Failures

EXAMPLES = Path(__file__).parents[2] / "examples/ethernet"
PODS = xgft([1, 2, 2], [1, 2, 2])
SMALL = xgft([2, 4], [1, 2])


@pytest.fixture
def no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sets are judged in groups: all that are more than the budget are left."""

    def left(fabric: AfterFailures, size: int, budget: int) -> Grouped:
        return Grouped((), (), (), (FailureSets((), frozenset(), size),))

    monkeypatch.setattr(sys.modules["unknot.verify.failure_groups"], "grouped_failures", left)


def outcomes(network: Network, routing: str, **options: object) -> Counter[tuple[object, ...]]:
    """Outcomes of the sweep that makes every network, or of the one by kernel: by what is the same for all alike."""
    sweep = fault_sweep(network, routing, failures=Failures(**options), time_limit=600)  # type: ignore[arg-type]
    found = Counter[tuple[object, ...]]()
    for fault in sweep.tried:
        found[fault.outcome, fault.undelivered_pairs, fault.pairs] += fault.alike
    assert found.total() == sweep.possible
    assert not sweep.sampled
    return found


def each(network: Network, routing: str, **options: object) -> Counter[tuple[object, ...]]:
    """The same by the sweep that makes each network, and its relation."""
    failures = Failures(budget=10**6, **options)  # type: ignore[arg-type]
    sweep = fault_sweep(network, lambda left: named(left, routing), failures=failures, time_limit=600)
    return Counter((fault.outcome, fault.undelivered_pairs, fault.pairs) for fault in sweep.tried)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("network", "kind", "faults", "routing"),
    [
        (SMALL, "links", 2, "bgp(plan='rfc7938', allowas_in=1)"),
        (SMALL, "any", 2, "bgp"),
        (PODS, "links", 2, "bgp(plan='rfc7938')"),
        (PODS, "links", 2, "ospf"),
        (PODS, "routers", 2, "bgp(plan='rfc7938')"),
    ],
)
def test_whole_enumeration_and_groups(network: Network, kind: str, faults: int, routing: str) -> None:
    expected = each(network, routing, kind=kind, at_once=faults)
    parts = {"links": network.num_channels // 2, "routers": network.num_routers}
    assert expected.total() == comb(parts.get(kind, sum(parts.values())), faults)
    assert outcomes(network, routing, kind=kind, at_once=faults) == expected
    groups = fault_sweep(network, routing, failures=Failures(kind=kind, at_once=faults, budget=60))  # type: ignore[arg-type]
    by_name = Counter(dict.fromkeys(("holds", "deadlock", "disconnected", "undelivered"), 0))
    for (outcome, *_), count in expected.items():
        by_name[str(outcome)] += count
    assert groups.sampled or +Counter(groups.counts) == +by_name


@pytest.mark.usefixtures("no_groups")
@pytest.mark.parametrize(
    ("kind", "routing"),
    [
        ("any", "bgp"),
        ("links", "bgp(plan='rfc7938', allowas_in=1)"),
        ("links", "bgp(plan='rfc7938', allowas_in=[1, 0, 1, 0, 0, 0])"),
    ],
)
def test_orbits_equal_whole_enumeration(kind: str, routing: str) -> None:
    expected = each(SMALL, routing, kind=kind, at_once=2)
    assert outcomes(SMALL, routing, kind=kind, at_once=2, budget=35) == expected


@pytest.mark.usefixtures("no_groups")
def test_a_fabric_with_dead_links_has_fewer_automorphisms() -> None:
    left = fat_tree(2, 3).without(links=[(0, 4), (1, 5)])
    whole, some = outcomes(left, "bgp"), fault_sweep(left, "bgp", failures=Failures(budget=13))
    assert outcomes(left, "bgp", budget=13) == whole == each(left, "bgp")
    assert len(some.tried) == 4
    assert sum(fault.alike for fault in some.tried) == 14


@pytest.mark.usefixtures("no_groups")
def test_other_networks_without_coordinates_are_symmetric_too() -> None:
    network = from_edges([(a, b) for a in range(3) for b in range(3, 7)])
    sweep = fault_sweep(network, "ospf", failures=Failures(at_once=2, budget=5))
    assert not sweep.sampled
    assert outcomes(network, "ospf", at_once=2, budget=5) == each(network, "ospf", at_once=2)


def test_where_orbits_are_too_many_sets_are_drawn() -> None:
    sweep = fault_sweep(PODS, "bgp", failures=Failures(at_once=2, budget=4))
    assert sweep.sampled
    assert len(sweep.tried) == 4


def test_where_the_choice_among_equal_routes_matters_no_set_stands_for_others(request: pytest.FixtureRequest) -> None:
    notices: list[str] = []
    sweep = fault_sweep(PODS, "bgp(plan='rfc7938', allowas_in=1)", failures=Failures(at_once=2, budget=100))
    assert not sweep.sampled
    assert sweep.counts["deadlock"] == 12
    request.getfixturevalue("no_groups")
    sweep = fault_sweep(
        PODS, "bgp(plan='rfc7938', allowas_in=1)", notice=notices.append, failures=Failures(at_once=2, budget=100)
    )
    assert sweep.sampled
    assert "choice among equal ones" in notices[1]


def test_fewer_failures_are_counted_too() -> None:
    sweep = fault_sweep("xgft([1, 4], [1, 2])", "bgp", failures=Failures(at_once=2, fewer=True))
    assert sweep.possible == 8 + 28
    assert sweep.counts["deadlock"] == 12
    sizes = [len(fault.parts) for fault in sweep.tried if fault.outcome == "holds"]
    assert sizes == sorted(sizes)


def test_circles_that_close_near_the_failures_are_those_of_all_routes() -> None:
    network = xgft([1, 4, 5], [1, 2, 1])
    fabric, counts = fabric_of(network, "ospf", "links"), Counter[str]()
    assert fabric is not None
    above = network.target[network.source == 0]
    pod = {*network.target[np.isin(network.source, above)].tolist()} & {*network.inject.tolist()}
    at_pod = [part for part in fabric.parts if {*network.source[[*part[1]]].tolist()} & pod]
    for parts in combinations(at_pod, 2):
        decided = fabric.decide(Failed.of(parts)).fault
        left = network.without(channels=[channel for _, channels in parts for channel in channels])
        if decided.outcome != "disconnected":
            assert (decided.outcome == "deadlock") == (not check(named(left, "ospf"), "vct").deadlock_free)
        assert decided.undelivered_pairs == 0
        counts[decided.outcome] += 1
    assert counts["deadlock"]
    assert counts["holds"]


@given(st.data())
def test_circles_found_by_longer_routes_are_those_of_all_routes(data: st.DataObject) -> None:
    size = data.draw(st.integers(3, 8))
    pairs = st.sampled_from([(a, b) for a in range(size) for b in range(a)])
    edges = data.draw(st.lists(pairs, min_size=size, max_size=3 * size))
    terminals = data.draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=size, unique=True))
    source, target = np.array([*edges, *[(b, a) for a, b in edges]]).T
    network = Network("drawn", size, source=source, target=target, inject=terminals, eject=terminals)
    fabric = fabric_of(network, "ospf", "any")
    assert fabric is not None
    for _ in range(5):
        alive, hosts = fabric.left(
            [n for _, part in data.draw(st.lists(st.sampled_from(fabric.parts), max_size=4)) for n in part]
        )
        circle = fabric.by_changes(alive, hosts)
        if circle is not None:
            assert bool(circle) == bool(fabric.circle(alive, hosts, fabric.homes)[0])
            assert alive[circle].all()


def test_a_circle_is_named_and_so_is_a_pair_that_is_cut_off() -> None:
    stuck = fault_sweep("xgft([1, 4], [1, 2])", "bgp", failures=Failures(at_once=2)).tried[0]
    assert stuck.why.startswith("buffers wait in a cycle: (")
    assert stuck.why.count("→") >= 3
    lost = fault_sweep("xgft([1, 4], [1, 2])", "bgp(plan='rfc7938')", failures=Failures(at_once=2)).tried[0]
    assert lost.outcome == "undelivered"
    assert "no way on from" in lost.why


def test_compiled_and_in_plain_python_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    plain = fault_sweep(PODS, "bgp", failures=Failures(at_once=2))
    monkeypatch.setattr(lazy_kernel, "STATES", 0)
    monkeypatch.setattr(lazy_kernel, "FEW", 0)
    assert fault_sweep(PODS, "bgp", notice=notices.append, failures=Failures(at_once=2)) == plain
    assert notices[0].startswith("120 sets of 2 links of xgft([1, 2, 2], [1, 2, 2]), of which 120 are judged: about ")


@pytest.mark.parametrize("network", [SMALL, PODS, ring(5)], ids=lambda network: network.name)
def test_what_never_deadlocks_does_not_after_any_failures(network: Network) -> None:
    links = sorted(
        {tuple(sorted(ends)) for ends in zip(network.source.tolist(), network.target.tolist(), strict=True)}
    )
    proved = []
    for plan in ("switch", "rfc7938", [router % 3 for router in range(network.num_routers)]):
        if plan == "rfc7938" and network.dimensions[0] != "level":
            continue
        proved.append(never_circular(bgp_vector(network, plan=plan)) is not None)
        for count in range(0, len(links), 3) if proved[-1] else ():
            for dead in list(combinations(links, count))[:20]:
                left = network.without(links=dead)
                text = f"bgp(plan={plan!r})"
                assert check(named(left, text), "wormhole").deadlock_free
    assert proved[0] is False
    assert any(proved) or network.name == "ring(5)"
    assert not never_circular(bgp_vector(network, plan=list(range(network.num_routers)), allowas_in=1))


@pytest.mark.parametrize(("folder", "alike"), [("frr-all-links-up", 20), ("frr-two-links-down", 8)])
def test_a_folder_is_judged_with_hosts_at_its_edges_and_its_routes_compared(folder: str, alike: int) -> None:
    path = EXAMPLES / folder
    network = read_network(path)
    assert network.num_terminals == 4
    vector = path_vector(network, "bgp")
    assert vector is not None
    other, compared = other_routes(read_ethernet(path), vector)
    assert (compared - len(other), compared) == (alike, 20)
    sweep = fault_sweep(network, "bgp", failures=Failures(at_once=2))
    assert sweep.counts == {"deadlock": 12, "disconnected": 4, "holds": 12}


def test_the_command_says_which_routes_are_computed() -> None:
    folder, runner = str(EXAMPLES / "frr-two-links-down"), CliRunner()
    done = runner.invoke(app, ["faults", folder, "--routing", "bgp"])
    assert done.exit_code == 3  # answers about routes that are not those of the folder
    assert "8 of 20 routes" in done.output
    assert "leaf1 to 10.1.0.0/24: by spine0, computed spine0 and spine1" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("frr-all-links-up", {"undelivered": 8}),
        ("frr-two-links-down", {"deadlock": 2, "undelivered": 6}),
    ],
)
def test_routes_of_a_folder_stay_as_they_are_but_for_next_hops_that_failed(
    folder: str, expected: dict[str, int]
) -> None:
    fabric = read_ethernet(EXAMPLES / folder)
    number = {(near.switch, near.name): c for c, (near, _) in enumerate(fabric.ends)}
    done = CliRunner().invoke(app, ["faults", str(EXAMPLES / folder), "--json"])
    answer = json.loads(done.stdout)
    assert done.exit_code == 1
    assert "the routes stay as they were read" in " ".join(done.stderr.split())
    assert len(answer["tried"]) == answer["possible"] == 8
    for fault in answer["tried"]:
        near, far = fault["parts"][0].split("–")
        dead = {number[near, f"to-{far}"], number[far, f"to-{near}"]}
        destinations = tuple(
            replace(one, next_hops={r: tuple({*channels} - dead) for r, channels in one.next_hops.items()})
            for one in fabric.destinations
        )
        audit = audit_ethernet(replace(fabric, destinations=destinations))
        if fault["outcome"] != "disconnected":
            assert (fault["outcome"] == "deadlock") == (audit.verdict.deadlock_free is False)
            assert audit.delivered == (fault["undelivered_pairs"] == 0)
    assert answer["counts"] == expected


def test_options_of_tables_of_infiniband_are_refused_for_switches() -> None:
    refused = CliRunner().invoke(app, ["faults", str(EXAMPLES / "frr-all-links-up"), "--pairs", "pairs.csv"])
    assert refused.exit_code == 2
    assert "--tables, --pairs and --assume are for InfiniBand" in " ".join(refused.output.split())


def test_prefixes_of_two_switches_have_no_routes_as_they_were_read() -> None:
    refused = CliRunner().invoke(app, ["faults", str(EXAMPLES / "dual-tor-one-queue")])
    assert refused.exit_code == 2
    assert "192.168.0.0/24, 192.168.0.2, standby at tor-b is at tor-a and tor-b" in " ".join(refused.output.split())


def test_an_as_plan_by_tiers_holds_after_failures_too(tmp_path: Path) -> None:
    """The tiers of a folder's switches are hops from hosts, which failures change."""
    folder, runner = str(EXAMPLES / "frr-all-links-up"), CliRunner()
    words = ["faults", folder, "--routing", "bgp(plan='rfc7938')"]
    done = runner.invoke(app, [*words, "--evidence", str(tmp_path / "e.json")])
    assert done.exit_code == 0, done.output
    assert "verdicts after 8 of 8 sets" in done.output
    assert runner.invoke(app, [*words, "--between"]).exit_code == 0
    done = runner.invoke(app, [*words, "--at-once", "2", "--repair"])
    assert done.exit_code == 0, done.output
    vector = path_vector(PODS, "bgp(plan='rfc7938')")
    assert vector is not None
    left = PODS.without(routers=[1]).without(routers=[4])
    assert (
        vector.after_failures(left).systems.tolist()
        == bgp_vector(left, plan=vector.systems.tolist()).systems.tolist()
    )


def test_texts_of_other_routings_are_no_path_vectors() -> None:
    assert path_vector(PODS, "up_down") is None
    assert path_vector(PODS, "routes.json") is None
