"""Lanes that survive single failures: every pair keeps a climbing path in them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

from tests.lane_assignment.test_lanes import networks
from unknot._base.errors import RelationError
from unknot.certificates import plain
from unknot.cli.program import app
from unknot.lane_assignment import Lanes, lanes
from unknot.network import Network
from unknot.remedies import repaired_faults
from unknot.verify import check, deliver
from unknot.verify.failures import cut_of


def climbs(network: Network, key: np.ndarray, dead: set[int], start: int, end: int) -> bool:
    """Whether some path climbs in keys past dead channels, channel by channel."""
    known = {c for c in range(network.num_channels) if network.source[c] == start} - dead
    todo = [*known]
    while todo:
        c = todo.pop()
        if network.target[c] == end:
            return True
        after = {e for e in range(network.num_channels) if network.source[e] == network.target[c]} - dead - known
        rising = {e for e in after if key[e] > key[c]}
        known |= rising
        todo += rising
    return False


def agrees(routes: Lanes) -> None:
    """Try every channel and pair of routers with terminals by brute force."""
    network = routes.relation.network
    for dead in range(network.num_channels):
        if cut_of(network.without(channels=[dead])):
            continue
        for start in np.unique(network.inject).tolist():
            for end in np.unique(network.eject).tolist():
                assert start == end or any(climbs(network, key, {dead}, start, end) for key in routes.key)


@settings(max_examples=6)
@given(networks())
def test_every_pair_keeps_a_climbing_path(network: Network) -> None:
    routes = lanes(network, survive="channels", time_limit=600)
    agrees(routes)
    assert check(routes.relation).deadlock_free
    delivery = deliver(routes.relation)
    assert delivery.delivered
    assert delivery.minimal


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(
    ("text", "kind", "count"),
    [
        ("torus(3, 4)", "links", 1),
        ("mesh(2, 3)", "links", 2),
        pytest.param("mesh(3, 3)", "links", 2, marks=pytest.mark.campaign),
        ("hypercube(3)", "links", 1),
        ("ring(5)", "links", 3),
    ],
)
def test_repairs_add_no_lane(text: str, kind: str, count: int) -> None:
    """Around a ring of five, a lane holds ways that begin or end beside one router; there are five such routers."""
    routes = lanes(text, survive=kind)
    assert routes.count == count
    assert routes.load_bound_holds
    faults = repaired_faults(routes, kind)
    assert all(fault.safe and fault.lanes == count for fault in faults if fault.connected)


@pytest.mark.long
def test_words() -> None:
    with pytest.raises(RelationError, match="in 1 lanes no orders were found in which every pair keeps a path"):
        lanes("mesh(2, 3)", survive="links", limit=1)
    with pytest.raises(RelationError, match="unknown kind of failures"):
        lanes("mesh(3, 3)", survive="wires")
    with pytest.raises(RelationError, match="by free paths"):
        lanes("mesh(3, 3)", "table", survive="links")


@pytest.mark.long
def test_the_commands(tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    options = ["--repair", "--beforehand", "--evidence", str(file), "--json"]
    result = CliRunner().invoke(app, ["faults", "ring(6)", "--routing", "lanes", *options])
    assert result.exit_code == 0, result.output
    faults = json.loads(result.stdout)["faults"]
    assert [fault["lanes"] for fault in faults] == [3] * 6
    assert plain.main([str(file)]) == 0
    result = CliRunner().invoke(app, ["faults", "ring(6)", "--routing", "shortest_paths", "--beforehand"])
    assert result.exit_code == 2
    assert "--beforehand is for --repair" in result.output
    result = CliRunner().invoke(app, ["lanes", "mesh(2, 3)", "--survive", "links", "--json"])
    answer = json.loads(result.stdout)
    assert answer["lanes"] == 2
    assert answer["conclusion"].endswith("after each single failed link. Fewer are impossible.")
