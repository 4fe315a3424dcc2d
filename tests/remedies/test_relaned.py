"""Lanes after faults: what was whole stays, everything arrives, nothing deadlocks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import unknot.lane_assignment
from tests.lane_assignment.test_lanes import networks
from unknot._base.errors import NetworkError, RelationError
from unknot.certificates import accept_verdict
from unknot.cli.program import app
from unknot.lane_assignment import lanes
from unknot.lane_assignment.tables import paths_of
from unknot.network import Network
from unknot.network.families import mesh, torus
from unknot.remedies import relaned, repaired_faults
from unknot.routing import Relation
from unknot.routing.paths import cut_of
from unknot.verify import check, deliver


def named_paths(relation: Relation) -> dict[tuple[str, str], frozenset[tuple[str, ...]]]:
    """Routes by the names of routers and channels' origins."""
    network, paths = relation.network, paths_of(relation)
    assert paths is not None
    channels = np.arange(network.num_channels) if network.origin is None else network.origin.channels
    return {
        (network.router_name(s), network.router_name(t)): frozenset(
            tuple(str(channels[c]) for c in way) for way in ways
        )
        for (s, t), ways in paths.items()
    }


def compare(network: Network, dead: int, paths: str) -> None:
    left = network.without(channels=[dead % network.num_channels])
    assume(not cut_of(left))
    laned = lanes(network, paths, tries=1)
    try:
        after = relaned(laned, left)
    except RelationError:
        return
    verdict, delivery = check(after.relation), deliver(after.relation)
    assert verdict.deadlock_free
    accept_verdict(after.relation, verdict)
    assert delivery.delivered
    both_ways = all(left.between(b, a) for a, b in zip(left.source.tolist(), left.target.tolist(), strict=True))
    assert laned.count <= after.count
    assert after.count <= laned.count + 1 or not both_ways, "one lane more holds a tree"
    before, now = named_paths(laned.relation), named_paths(after.relation)
    cut = {pair for pair, ways in before.items() if any(str(dead % network.num_channels) in way for way in ways)}
    assert {pair for pair in before if before[pair] != now[pair]} == cut
    assert len(cut) == after.changed
    assert after.longer == 0 or delivery.minimal is False


@settings(max_examples=6)
@given(networks(), st.integers(0, 20), st.sampled_from(["free", "table"]))
def test_what_is_whole_stays(network: Network, dead: int, paths: str) -> None:
    compare(network, dead, paths)


@pytest.mark.long
def test_every_link_of_a_torus() -> None:
    laned = lanes(torus(4, 4))
    faults = repaired_faults(laned)
    assert len(faults) == 32
    assert all(fault.safe and fault.connected and fault.pairs == 240 for fault in faults)
    assert max(fault.lanes for fault in faults) <= laned.count + 1
    assert sum(fault.changed for fault in faults) == 512, "every hop of every route is on one link"
    assert all(0 < fault.changed <= fault.entries for fault in faults)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_ring_loses_one_direction_of_a_link(seed: int) -> None:
    """No tree of links both ways helps a pair whose only way is all around."""
    laned = lanes("ring(6)", "table", seed=seed)
    for channel in range(4):
        after = relaned(laned, laned.relation.network.without(channels=[channel]))
        assert check(after.relation).deadlock_free
        assert deliver(after.relation).delivered


def test_routers_fail() -> None:
    laned = lanes(torus(3, 3))
    faults = repaired_faults(laned, "routers")
    assert all(fault.safe and fault.pairs == 56 for fault in faults)
    line = repaired_faults(lanes(mesh(4)))
    assert not any(fault.connected for fault in line)


def test_other_networks_are_refused() -> None:
    laned = lanes(torus(3, 3))
    for other in (torus(4, 4), mesh(3, 3), torus(4, 4).without(channels=[0])):
        with pytest.raises(NetworkError, match="not what faults left"):
            relaned(laned, other)
    assert relaned(laned, torus(3, 3)).changed == 0


def test_the_command() -> None:
    for routing in ("lanes", "shortest_paths"):
        result = CliRunner().invoke(app, ["faults", "ring(5)", "--routing", routing, "--repair"])
        text = " ".join(result.output.split())
        assert result.exit_code == 0, text
        assert text.count(" yes ") == 10  # connected and safe, five links
        assert "(0)–(1) yes" in " ".join(text.split())


@pytest.mark.long
def test_the_command_says_whether_its_numbers_depend_on_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of changes depend on seed and network alone, unless the search for lanes ran out of time."""
    words = ["faults", "dragonfly(2, 4, 2)", "--routing", "lanes", "--repair", "--json"]
    first, second = (CliRunner().invoke(app, words) for _ in range(2))
    assert first.stdout == second.stdout
    assert "another run" not in first.stderr
    monkeypatch.setattr(unknot.lane_assignment, "lanes", partial(lanes, time_limit=0.001))
    hurried = CliRunner().invoke(app, words)
    assert hurried.exit_code == 0
    assert "another run may find others" in hurried.stderr


@pytest.mark.long
def test_a_repair_stays_within_the_lanes_there_were() -> None:
    """Some links of a 5-cube cannot be missed with the orders there are; with others one lane is enough."""
    laned = lanes("hypercube(4)", seed=1)
    assert laned.count == 1
    with pytest.raises(RelationError, match="of at least 1, got 0"):
        repaired_faults(laned, within=0)
    faults = repaired_faults(laned, within=1)
    assert {fault.lanes for fault in faults} == {1}
    assert all(fault.safe for fault in faults)
    left = laned.relation.network.without(channels=[0])
    after, stayed = relaned(laned, left), relaned(laned, left, within=1)
    assert stayed.count == 1
    assert stayed.changed >= after.changed
    assert check(stayed.relation).deadlock_free
    assert deliver(stayed.relation).delivered


def test_a_repair_takes_fewer_lanes_than_there_were() -> None:
    laned = lanes(torus(4, 4), "given", routing="shortest_paths")
    assert laned.count == 2
    after = relaned(laned, laned.relation.network.without(channels=[0]), within=1)
    assert (after.count, after.pairs) == (1, 240)
    assert after.changed >= np.count_nonzero(laned.lane == 1)
    assert check(after.relation).deadlock_free
    assert deliver(after.relation).delivered


def test_too_few_lanes_are_refused() -> None:
    ring = Network("one-way ring", 5, [0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 0, 2])
    laned = lanes(ring)
    with pytest.raises(RelationError, match="no routes were found within 1 lane"):
        relaned(laned, ring.without(channels=[5]), within=1)
