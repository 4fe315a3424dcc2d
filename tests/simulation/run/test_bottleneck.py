"""What runs that are not stable lack: the bounds of the model beside simulations that come up to them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import unknot
from unknot._base.switching import SWITCHINGS, Switching
from unknot.cli.program import app
from unknot.flow_control import technique
from unknot.network import Network
from unknot.network.families import mesh
from unknot.routing import shortest_paths
from unknot.routing.named import routing
from unknot.simulation import Router, simulate
from unknot.simulation.run.hint import hint
from unknot.simulation.run.outcome import vc_period

SENDERS = 6
"""Enough terminals that what they inject is never what limits the channel."""


def carried(switching: Switching, flits: int, latency: int, depth: int, router: Router, vcs: int = 1) -> float:
    """Flits per cycle of the channel between two routers when all terminals of the one send to those of the other."""
    homes = [0] * SENDERS + [1] * SENDERS
    network = Network("two", 2, [0, 1], [1, 0], wires=latency, inject=homes, eject=homes)
    to = [SENDERS + i for i in range(SENDERS)] + [-1] * SENDERS
    run = simulate(
        shortest_paths(network, vcs), 1.0, switching=switching, packet_length=flits, buffer_depth=depth,
        router=router, traffic=to, warmup=600, measure=3000,
    )  # fmt: skip
    return float(run.utilisation[0])


@settings(max_examples=6)
@given(
    st.sampled_from(SWITCHINGS), st.integers(1, 5), st.integers(1, 4), st.integers(5, 12), st.integers(0, 3),
    st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.integers(0, 2), st.booleans(),
)  # fmt: skip
def test_no_virtual_channel_carries_more_than_the_model_says(
    switching: Switching, flits: int, latency: int, depth: int, routing: int, va: int, sa: int, traversal: int,
    credit: int, speculative: bool,
) -> None:  # fmt: skip
    router = Router(
        routing_delay=routing, vc_allocation_delay=va, switch_allocation_delay=sa, traversal_delay=traversal,
        credit_delay=credit, speculative=speculative,
    )  # fmt: skip
    bound = flits / vc_period(technique(switching), flits, latency, router)
    # what is in the buffer at the end was carried as well
    assert carried(switching, flits, latency, depth, router) <= bound + depth / 3000 + 0.01


@pytest.mark.parametrize("switching", ["wormhole", "vct"])
@pytest.mark.parametrize(("flits", "latency"), [(1, 1), (1, 4), (3, 1), (5, 3)])
def test_a_virtual_channel_carries_what_the_model_says(switching: Switching, flits: int, latency: int) -> None:
    period = vc_period(technique(switching), flits, latency, Router())
    assert period == (flits + 2 if switching == "vct" else flits + 2 * latency + 5)
    assert carried(switching, flits, latency, 16, Router()) == pytest.approx(flits / period, abs=0.01)


@pytest.mark.parametrize("switching", ["wormhole", "vct"])
def test_as_many_as_the_model_says_fill_the_channel(switching: Switching) -> None:
    homes = [0] * SENDERS + [1] * SENDERS
    network = Network("two", 2, [0, 1], [1, 0], inject=homes, eject=homes)
    run = simulate(shortest_paths(network), 1.0, switching=switching, warmup=500, measure=1000)
    assert not run.stable
    found = re.search(r"carries at most 1/(\d) flit per cycle here", run.reason)
    assert found is not None, run.reason
    assert found[1] == ("8" if switching == "wormhole" else "3")
    assert "--" not in run.reason  # what would help is tried first
    assert carried(switching, 1, 1, 8, Router(), vcs=int(found[1])) > 0.98


def test_only_virtual_channels_that_packets_use_count() -> None:
    """O1TURN sends the packets of a corner by one of its two orders, so half of the VCs there."""
    run = simulate("mesh(4, 4)", 0.9, routing="o1turn", traffic="transpose", warmup=1000, measure=2000)
    assert run.reason.endswith("packets use 2 of its 4")


def test_full_channels_and_terminals_are_named() -> None:
    full = simulate("line(2)", 1.0, routing="dimension_order", vcs=8, traffic=[1, -1], warmup=500, measure=500)
    assert full.stable
    bent = simulate("line(3)", 0.9, routing="dimension_order", vcs=8, traffic=[2, 2, -1], warmup=500)
    assert "t2 is sent 1.8 flits per cycle and takes 1: only a load below 0.5" in bent.reason
    weight = np.zeros((4, 4))
    weight[0, 2] = weight[1, 3] = 1.0
    shared = simulate("line(4)", 0.8, routing="dimension_order", vcs=8, traffic=weight, warmup=500)
    assert re.search(r"(1)\S*(2)\S* is full \((0\.9|1\.0)\d of 1 flit per cycle\)", shared.reason), shared.reason


def test_the_page_lists_what_follows_saturated() -> None:
    """Each row of the table with the words of a run, in the order of the table, and no other."""
    page = (Path(__file__).parents[3] / "docs/simulator.md").read_text().partition("| words of `reason` |")[2]
    rows = re.findall(r"^\| `([^`]+)` \|", page.partition("\n\n")[0], re.M)
    short: dict[str, Any] = {"routing": "dimension_order", "warmup": 500, "measure": 800}
    shared = np.zeros((4, 4))
    shared[0, 2] = shared[1, 3] = 1.0
    runs = [
        simulate("line(3)", 0.9, vcs=8, traffic=[2, 2, -1], **short),
        simulate("mesh(4, 4)", 0.9, vcs=1, switching="wormhole", **short),
        simulate("line(4)", 0.8, vcs=8, traffic=shared, **short),
        simulate("mesh(4, 4)", 0.9, vcs=4, **short),
    ]
    for row, run in zip(rows, runs, strict=True):
        found = [other for other in rows if re.search(re.escape(other).replace("…", r"[\d./]+"), run.reason)]
        assert (run.outcome, found) == ("saturated", [row]), run.reason


def test_hints_are_tried_and_hold() -> None:
    options = {"warmup": 500, "measure": 1500}
    atomic = simulate("mesh(4, 4)", 0.3, routing="dimension_order", vcs=2, switching="wormhole", **options)
    assert not atomic.stable
    said = hint(routing(mesh(4, 4), "dimension_order", 2), atomic)
    found = re.match(r"with --vcs (\d+) a run of 1500 measured cycles is stable", said)
    assert found is not None, said
    again = simulate("mesh(4, 4)", 0.3, routing="dimension_order", vcs=int(found[1]), switching="wormhole", **options)
    assert again.stable


@pytest.mark.long
def test_hints_that_do_not_cure_are_not_given() -> None:
    """O1TURN with 6 and 8 VCs is as unstable: two channels of the corner are what is short."""
    relation = routing(mesh(8, 8), "o1turn", 4)
    run = simulate(relation, 0.4, traffic="transpose", warmup=500, measure=1000)
    said = hint(relation, run, traffic="transpose")
    if said.startswith("with --vcs"):
        vcs = int(said.split()[2])
        again = simulate(routing(mesh(8, 8), "o1turn", vcs), 0.4, traffic="transpose", warmup=500, measure=1000)
        assert again.stable
    else:
        assert said in ("", "runs with these options were not stable either: --vcs 8, --vcs 16")


def test_a_routing_that_fixes_its_channels_gets_no_number() -> None:
    relation = routing(mesh(4, 4), "lcfaa")
    run = simulate(relation, 0.9, warmup=300, measure=600)
    assert not run.stable
    assert "--vcs" not in run.reason + hint(relation, run)


def test_nothing_is_tried_where_it_cannot_help() -> None:
    steady = simulate("mesh(2, 2)", 0.1, routing="dimension_order", warmup=200, measure=300)
    assert hint(routing(mesh(2, 2), "dimension_order", 4), steady) == ""
    relation = routing(unknot.network.families.line(3), "dimension_order", 2)
    bent = simulate(relation, 0.9, traffic=[2, 2, -1], warmup=500)
    assert not bent.stable
    assert hint(relation, bent, traffic=[2, 2, -1]) == ""


def test_the_command_says_what_was_tried() -> None:
    words = ["simulate", "mesh(4, 4)", "--routing", "dimension_order", "--vcs", "1", "--switching", "wormhole"]
    words += ["--load", "0.3", "--warmup", "500", "--measure", "1000"]
    plain = CliRunner().invoke(app, words)
    assert plain.exit_code == 0
    assert re.search(r"hint +\S", plain.stdout)
    assert json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["hint"]
    assert "hint" not in CliRunner().invoke(app, [*words, "--time-limit", "60"]).stdout
