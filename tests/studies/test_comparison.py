"""Designs side by side: bounds against the linear program, failures, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot._base.errors import NetworkError
from unknot.cli.program import app
from unknot.fabrics.named import network as network_named
from unknot.lane_assignment import lanes
from unknot.network import bisection_bounds, components, families
from unknot.report.export import export
from unknot.routing.named import routing
from unknot.simulation.run.limits import Saturation
from unknot.studies import comparison
from unknot.studies.adversaries import hard_for, most_throughput
from unknot.studies.comparison import CUSTOMARY, compared
from unknot.studies.exchanges import BY_MODEL
from unknot.studies.failed_links import without_links
from unknot.studies.store import Store
from unknot.traffic import pattern
from unknot.verify.permutations import worst_permutation
from unknot_collectives.bounds import bound
from unknot_collectives.operation import Operation
from unknot_collectives.platform import platform_of


@settings(max_examples=5)
@given(st.integers(5, 8), st.integers(0, 99))
def test_the_bound_on_uniform_traffic_is_above_the_best_flow(n, seed):
    network = families.random_regular(2 * (n // 2), 3, seed=seed)
    platform = platform_of(network)
    time = bound(platform, Operation("all_to_all", platform.members, Fraction(1))).time
    best = (network.num_terminals - 1) / float(time)
    most = most_throughput(network, pattern(network, "uniform_others"), bisection_bounds(network))
    assert best <= most + 1e-6


def test_the_bound_is_reached_where_the_optimum_is_known():
    ring, halves = families.ring(8), bisection_bounds(families.ring(8))
    assert most_throughput(ring, pattern(ring, "tornado"), halves) == pytest.approx(16 / (8 * 3))
    assert most_throughput(ring, pattern(ring, "uniform_others")) == pytest.approx(16 * 7 / (8 * 16))
    bars = families.complete(2)
    assert most_throughput(bars, pattern(bars, [1, 1])) == pytest.approx(0.5)
    assert most_throughput(ring.with_bandwidth("1/4"), pattern(ring, "tornado")) == pytest.approx(1 / 6)


def test_the_split_of_the_bisection_bounds_what_crosses_it():
    network = families.dragonfly(2, 2, 1)
    halves = bisection_bounds(network)
    assert halves.side is not None
    inside = halves.side[network.inject]
    swap = np.empty(inside.size, dtype=int)
    swap[inside], swap[~inside] = np.flatnonzero(~inside), np.flatnonzero(inside)
    cut = halves.upper / 2  # one way, as all links are both ways
    assert most_throughput(network, pattern(network, swap), halves) <= cut / inside.sum() + 1e-9


@pytest.mark.long
def test_rows_carry_no_more_than_their_bounds():
    designs = ["torus(4, 4) by duato", "dragonfly(2) by dragonfly_minimal", "hyperx([2, 3], 2)"]
    rows = list(compared(designs, (0.0, 0.1)))
    assert [row.failed for row in rows] == [0.0, 0.1] * 3
    for row in rows:
        assert row.deadlock_free
        assert row.delivered
        assert row.uniform <= row.uniform_bound + 1e-9
        assert row.adversarial <= row.adversarial_bound + 1e-9
    assert rows[0].routing == "duato"
    assert "lane" in rows[1].routing


@pytest.mark.long
@pytest.mark.parametrize(
    "design",
    ["dragonfly(4)", "hyperx([4, 4], 4)", "fat_tree(4, 2)", "torus(4, 4)", "hypercube(4)", "complete(7)", "ring(9)"],
)
def test_hard_traffic_is_carried_no_better_than_the_cut_allows_nor_better_when_links_die(design):
    """Half of the terminals, at least, can send to the other half: the split of the row bounds the worst traffic."""
    rows = list(compared([design], (0.0, 0.05)))
    for row in rows:
        assert row.adversarial_bound <= row.bisection_upper / 2 / (row.terminals // 2) + 1e-9
        assert row.adversarial <= row.adversarial_bound + 1e-9
    assert rows[1].adversarial_bound <= rows[0].adversarial_bound
    assert rows[1].uniform_bound <= rows[0].uniform_bound


@given(st.integers(4, 7), st.integers(0, 999))
@settings(max_examples=5)
def test_bounds_of_any_network_fall_with_its_links(n, seed):
    whole = families.random_regular(2 * n, 3, seed=seed)
    hard = hard_for(whole)
    left = hard.and_for(without_links(whole, 0.1, seed))
    before, after = (
        min(most_throughput(one.network, traffic, *one.halves) for traffic in one.traffic) for one in (hard, left)
    )
    assert after <= before + 1e-12


def test_a_design_without_a_routing_gets_the_customary_one_and_says_so():
    unnamed, by_itself, named = compared(["fat_tree(4, 2)", "fat_tree(4, 2) by hop_number", "torus(3, 3) by duato"])
    assert (unnamed.note, by_itself.note, named.note) == (CUSTOMARY, "", "")
    assert (unnamed.routing, unnamed.uniform, unnamed.adversarial) == ("nca (adaptive)", 1.0, 1.0)
    shown = CliRunner().invoke(app, ["compare", "ring(4)"]).stdout
    assert "duato" in shown
    assert "customary routing" in shown


def test_ugal_counts_by_its_direct_ways_where_these_carry_more():
    (row,) = compared(["dragonfly(2) by dragonfly_ugal"])
    (direct,) = compared(["dragonfly(2) by dragonfly_minimal"])
    assert row.uniform == direct.uniform
    assert row.adversarial > direct.adversarial


def test_the_worst_of_a_few_permutations_is_named_so(monkeypatch):
    monkeypatch.setattr("unknot.verify.pair_shares.ENTRY", 10**12)
    (row,) = compared(["mesh(4, 4) by dimension_order"])
    assert "of the worst of 2 permutations" in row.note


def test_results_in_lanes_are_compared(tmp_path):
    laned, file = lanes("torus(5, 5)"), tmp_path / "laned.json"
    export(laned.relation, file)
    ours, twin = compared([f"torus(5, 5) by {file}", "torus(5, 5) by duato"])
    assert (ours.vc_pairs, ours.vc_highest) == (laned.lane_pairs, laned.lane_highest)
    assert len(twin.vc_pairs) == len(twin.vc_highest) == 3
    assert sum(twin.vc_pairs) == sum(ours.vc_pairs) == 25 * 24
    (several,) = compared(["torus(4, 4) by fully_adaptive"])
    assert several.vc_pairs == (240,)


@given(st.integers(0, 1000))
@settings(max_examples=6)
def test_failed_links_leave_the_network_connected(seed):
    network = families.torus(4, 4)
    left = without_links(network, 0.25, seed)
    assert left.num_channels == network.num_channels - 2 * 8
    assert components(left)[1] == 1


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(NetworkError, match="below 1"):
        without_links(families.ring(4), 1.0)
    with pytest.raises(NetworkError, match="took it apart"):
        without_links(families.line(3), 0.5)


@pytest.mark.long
def test_what_is_simulated_stays_below_bounds():
    (row,) = compared(["ring(4) by dimension_order(vcs=2)"], simulated=True)
    assert row.saturation <= row.uniform_bound
    platform = platform_of(families.ring(4))
    for kind, size, cycles in (("all_to_all", 4, row.all_to_all), ("all_reduce", 16, row.all_reduce)):
        assert cycles >= bound(platform, Operation(kind, platform.members, Fraction(size))).time


def test_runs_too_short_to_tell_are_said_apart(monkeypatch):
    """They count as not stable, so that the saturation may be higher."""
    design = "ring(4) by dimension_order(vcs=2)"
    monkeypatch.setattr(comparison, "saturation", lambda *_, **__: SimpleNamespace(load=0.4, unsure=(0.45, 0.5)))
    (row,) = compared([design], simulated=True)
    assert row.note == "runs at load 0.45, 0.5 were too short to tell, so the saturation may be higher"
    monkeypatch.setattr(comparison, "saturation", lambda *_, **__: SimpleNamespace(load=0.4, unsure=()))
    assert not next(compared([design], simulated=True)).note


def test_loads_that_may_be_stable_are_below_those_that_are_not():
    """A run that was too short says nothing above a load that is surely not carried."""
    kinds = {0.2: "stable", 0.3: "too short", 0.4: "saturated", 0.6: "too short"}
    runs = [
        SimpleNamespace(offered_load=load, stable=kind == "stable", undecided=kind == "too short")
        for load, kind in kinds.items()
    ]
    assert Saturation(0.2, 0.3, 0.35, tuple(runs)).unsure == (0.3,)
    assert Saturation(0.2, 0.4, 0.35, tuple(runs[:1] + runs[2:])).unsure == ()


def test_the_command(tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text("port = 0\nterminal = 0\nterminal_metre = 0\nelectrical = 1\nelectrical_metre = 0\n")
    result = CliRunner().invoke(app, ["compare", "ring(4) by up_down", "--prices", str(prices), "--json"])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["rows"]
    assert (row["bill"]["cost"], row["bisection_upper"], row["deadlock_free"]) == (4, 4, True)
    torn = CliRunner().invoke(app, ["compare", "torus(4, 4) by dimension_order(dateline='none')"])
    assert torn.exit_code == 1
    assert CliRunner().invoke(app, ["compare", "ring(4)", "--failed", "some"]).exit_code == 2
    prices.write_text("prot = 1\n")
    assert CliRunner().invoke(app, ["compare", "ring(4)", "--prices", str(prices)]).exit_code == 2


@pytest.mark.long
def test_rows_are_kept_and_not_computed_again(tmp_path, monkeypatch):
    designs, store = ["ring(4) by up_down", "torus(3, 3) by duato"], tmp_path / "rows.sqlite"
    first = list(compared(designs[:1], (0.0, 0.3), simulated=True, store=store))
    whole = list(compared(designs, (0.0, 0.3), simulated=True, store=store))
    assert whole[:2] == first
    with monkeypatch.context() as patched:
        patched.setattr("unknot.studies.comparison._row", None)
        assert list(compared(designs, (0.0, 0.3), simulated=True, store=store)) == whole
        with pytest.raises(TypeError):
            list(compared(designs, (0.0,), simulated=True, store=store, seed=2))


def test_rows_of_a_routing_in_a_file_are_computed_again(tmp_path):
    network, routes, store = families.ring(4), tmp_path / "routes.json", tmp_path / "rows.sqlite"
    for named, safe in (("dimension_order", False), ("up_down", True)):
        export(routing(network, named), routes)
        (row,) = compared([f"ring(4) by {routes}"], store=store)
        assert row.deadlock_free is safe
    with Store(store) as kept:
        assert len(kept) == 0


@pytest.mark.long
def test_the_report_of_a_comparison(tmp_path):
    page = tmp_path / "fabrics.html"
    words = ["compare", "ring(4) by up_down", "torus(4, 4) by fully_adaptive"]
    outcome = CliRunner().invoke(app, [*words, "--failed", "0, 0.2", "--out", str(page)])
    text = page.read_text(encoding="utf-8")
    assert f"wrote {page}" in outcome.stderr, outcome.stderr
    assert "✗ can deadlock" in text
    assert text.count("<td>ring(4) by up_down</td>") == 3  # once by cost, twice by traffic
    assert "All-reduce" not in text
    assert "two columns" not in text
    outcome = CliRunner().invoke(app, [*words, "--out", "fabrics.txt"])
    assert (outcome.exit_code, ".html" in outcome.stderr) == (2, True)


@pytest.mark.long
@pytest.mark.parametrize("design", ["torus(4, 4) by duato", "dragonfly(2) by dragonfly_minimal"])
def test_the_model_of_large_designs_is_near_what_runs_on_small_ones(design, monkeypatch):
    (run,) = compared([design], simulated=True)
    monkeypatch.setattr("unknot.studies.comparison.MOST_SIMULATED", 0)
    (model,) = compared([design], simulated=True)
    assert model.all_to_all <= run.all_to_all <= 4 * model.all_to_all
    assert 0.6 * model.all_reduce <= run.all_reduce <= 1.05 * model.all_reduce
    assert replace(model, all_to_all=run.all_to_all, all_reduce=run.all_reduce, note=run.note) == run
    assert model.note == "; ".join(filter(None, [run.note, BY_MODEL]))


@pytest.mark.sampled(0.4)
@pytest.mark.parametrize("seed", range(12))
def test_more_failed_links_are_those_of_fewer_and_no_worst_permutation_exceeds_the_cut(seed):
    """The bound never rises with the share of failed links, and the exact worst permutation stays below it."""
    texts = [
        "torus(4, 4)",
        "fat_tree(3, 2)",
        "dragonfly(2)",
        "hyperx([3, 3], 2)",
        f"random_regular(10, 3, seed={seed})",
    ]
    design, shares = texts[seed % len(texts)], (0.0, 0.04, 0.1, 0.2)
    whole = network_named(design)
    left = [without_links(whole, share, seed) for share in shares]
    assert all(before.num_channels >= after.num_channels for before, after in pairwise(left))
    rows = list(compared([design], shares, seed=seed))
    for before, after in pairwise(rows):
        assert after.adversarial_bound <= before.adversarial_bound + 1e-9
        assert after.uniform_bound <= before.uniform_bound + 1e-9
    for row in rows:
        assert row.adversarial <= row.adversarial_bound + 1e-9
        assert row.adversarial <= row.uniform_bound + 1e-9 or row.adversarial <= 1
        assert row.cost_per_host == row.bill.cost / row.terminals


@pytest.mark.long
@given(st.integers(0, 999))
@settings(max_examples=5)
def test_the_worst_permutation_of_the_same_routes_is_no_better_with_fewer_links(seed):
    """Exact, and checked by its prices: packets of a dead channel take another, and none gets wider."""
    whole = families.torus(4, 4)
    left = without_links(whole, 0.1, seed)
    worst = [worst_permutation(lanes(one, time_limit=2).relation) for one in (whole, left)]
    for one in worst:
        assert one.load == pytest.approx(one.sender_price.sum() + one.receiver_price.sum())
        assert one.throughput <= 1
    bound = hard_for(whole).and_for(left)
    most = min(most_throughput(left, traffic, *bound.halves) for traffic in bound.traffic)
    assert worst[1].throughput <= most + 1e-9


def test_a_price_list_says_its_source_and_radix_is_in_the_rows(tmp_path):
    for name in ("prices-400g.toml", "prices-800g.toml"):
        shown = CliRunner().invoke(app, ["compare", "fat_tree(2, 2)", "--prices", f"examples/{name}", "--json"])
        answer = json.loads(shown.stdout)
        assert "luxoptx.com" in answer["prices"]
        assert "November 2026" in answer["prices"]
        assert answer["rows"][0]["bill"]["radix"] == 4
        assert answer["rows"][0]["cost_per_host"] > 0
    prices = tmp_path / "p.toml"
    prices.write_text("source = 3\n")
    refused = CliRunner().invoke(app, ["compare", "ring(4)", "--prices", str(prices)])
    assert (refused.exit_code, "source is a text" in refused.stderr) == (2, True)


def test_a_design_of_too_many_terminals_is_named_before_any_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot.studies.comparison.bill", lambda *_: pytest.fail("a design was judged"))
    done = CliRunner().invoke(app, ["compare", "mesh(3)", "mesh(91, 91)"])
    assert done.exit_code == 2
    assert "mesh(91, 91): 8,281 terminals have too many rates between them; the most is 8,192" in done.stderr


def test_rows_are_told_as_they_come_and_ctrl_c_shows_those_that_are_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = compared(["ring(4)"])

    def interrupted(*_: object, **__: object) -> Iterator[comparison.Compared]:
        yield row
        raise KeyboardInterrupt

    words = ["compare", "ring(4)", "ring(5)"]
    quick = CliRunner().invoke(app, words)
    assert (quick.exit_code, quick.stderr) == (0, "")
    monkeypatch.setattr("unknot.cli.commands.compare.LONG", 0)
    monkeypatch.setattr(comparison, "compared", interrupted)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 130
    before, line, after = done.stderr.splitlines()
    assert before.startswith("2 rows take about 1 min of a processor")
    assert line == "ring(4): deadlock-free, 3 VCs, uniform 1, adversarial 1"
    assert after == "interrupted; 1 of 2 rows are finished, not kept without --store"
    assert ("ring(4)" in done.stdout, "ring(5)" in done.stdout) == (True, False)
