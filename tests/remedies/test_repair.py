"""Remedies for routings that can deadlock."""

from __future__ import annotations

import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from unknot._base.deadline import clock
from unknot._base.errors import RelationError
from unknot.certificates import accept_verdict
from unknot.cli.program import app
from unknot.lane_assignment import Lanes
from unknot.lane_assignment.tables import paths_of
from unknot.network import Network
from unknot.network.families import mesh, ring, torus
from unknot.remedies import repair
from unknot.routing import Relation, fully_adaptive, shortest_paths
from unknot.search.effort import SearchEffort
from unknot.verify import check, deliver


def test_remedies_of_tables() -> None:
    relation = shortest_paths(torus(3, 5))
    remedies = {remedy.kind: remedy for remedy in repair(relation, time_limit=60)}
    assert list(remedies) == ["same routes", "few changed routes", "few changed entries", "new tables", "new routes"]
    before = paths_of(relation)
    assert before is not None
    for kind, remedy in remedies.items():
        verdict, delivery = check(remedy.relation, "wormhole"), deliver(remedy.relation)
        assert verdict.deadlock_free
        accept_verdict(remedy.relation, verdict)
        assert delivery.delivered
        assert delivery.minimal is not kind.startswith("few")
        assert remedy.evidence_holds
        after = paths_of(remedy.relation)
        assert after is not None
        assert remedy.changed_pairs == sum(before[pair] != after[pair] for pair in before)
        assert remedy.pairs == 210
        assert remedy.cost is not None
        assert remedy.cost >= remedy.lower_bound > 0
        if remedy.unit == "lanes":
            assert (remedy.cost, remedy.lower_bound) == (2, 2)
        else:
            assert remedy.relation.vcs.widest == 1
    assert remedies["same routes"].changed_pairs == 0
    # Those of dimension order, which have the lowest load, may stay as they are.
    tables = remedies["new tables"].change
    assert isinstance(tables, Lanes)
    assert tables.load_gap == 0
    assert remedies["few changed routes"].changed_pairs == remedies["few changed routes"].cost
    assert remedies["few changed routes"].changed_pairs < 210


def test_escapes_are_sought_within_the_time_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    module, asked = import_module("unknot.remedies.repair"), list[Any]()
    monkeypatch.setattr(module, "escaped", lambda _, **options: asked.append(options))
    effort = SearchEffort(deadline=clock() + 7.0, seed=3)
    module._escaped(fully_adaptive(ring(4)), "wormhole", effort, minimal=True)
    (options,) = asked
    assert (options["time_limit"].end, options["seed"], options["minimal"]) == (effort.deadline, 3, True)


def test_two_lanes_hold_the_routes_as_they_are() -> None:
    remedies = {remedy.kind: remedy for remedy in repair(shortest_paths(ring(5)), lanes=2, time_limit=600)}
    assert list(remedies) == ["same routes", "few changed routes", "new tables", "new routes"]
    assert (remedies["few changed routes"].cost, remedies["few changed routes"].changed_pairs) == (0, 0)


def test_remedies_of_adaptive_routings() -> None:
    remedies = {remedy.kind: remedy for remedy in repair(fully_adaptive(mesh(2, 2), vcs=1), time_limit=100)}
    assert {kind: (remedy.cost, remedy.unit, remedy.lower_bound) for kind, remedy in remedies.items()} == {
        "fewer candidates": (2, "candidates", 2),
        "escape VCs": (6, "VCs", 1),
        "minimal escape VCs": (8, "VCs", 2),
        "new routes": (1, "lanes", 1),
    }
    for remedy in remedies.values():
        assert check(remedy.relation).deadlock_free
        assert deliver(remedy.relation).delivered


def test_paths_are_those_of_the_relation() -> None:
    relation = shortest_paths(mesh(3))
    network = relation.network
    assert paths_of(relation) == {
        (s, t): {tuple(network.between(a, a + d)[0] for a in range(s, t, d))}
        for s in range(3)
        for t in range(3)
        if s != t
        for d in [1 if t > s else -1]
    }


def test_lost_packets_are_no_matter_of_lanes() -> None:
    network = Network("one way", 3, [0, 1], [1, 2])
    relation = Relation(network, 1, lambda at, address, out: 0)
    with pytest.raises(RelationError, match="lost at"):
        repair(relation)


@pytest.mark.long
def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "routes.json"
    words = ["repair", "ring(5)", "--routing", "shortest_paths", "--time-limit", "600", "--export", str(out)]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert "before deadlock-free NO before separate checker accepts it before delivers yes" in " ".join(lines)
    assert any(line.startswith("same routes 2 lanes 2 yes 0 2 3 1.5 yes yes yes ") for line in lines)
    assert "few changed routes 2 pairs 2 yes 2 1 4 1.6 yes yes NO" in lines
    assert any(line.startswith("new tables 2 lanes 2 ") for line in lines)
    words = ["curve", "ring(5)", "--loads", "0.1", "--routing", str(tmp_path / "routes-few-changed-routes.json")]
    assert CliRunner().invoke(app, [*words, "--measure", "200"]).exit_code == 0
    result = CliRunner().invoke(app, ["repair", "ring(5)", "--routing", "shortest_paths", "--export", "curves.svg"])
    assert "curves.svg: routes of remedies are written as .json, such as" in result.output
    result = CliRunner().invoke(app, ["repair", "ring(5)"])
    assert result.exit_code == 2
    assert "name a --routing, or a folder of a fabric" in result.output


def test_what_is_impossible_is_shown() -> None:
    words = ["repair", "ring(6)", "--routing", "fully_adaptive", "--vcs", "1", "--time-limit", "100"]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert "whatever is removed, it is not safe and connected" in " ".join(lines)
    assert any(line.startswith("escape VCs 10 VCs 1 ") for line in lines), result.output
    assert result.exit_code == 0


def test_an_impossible_remedy_has_no_relation() -> None:
    impossible = repair(fully_adaptive(ring(6), vcs=1), time_limit=200)[0]
    assert (impossible.kind, impossible.cost, impossible.evidence_holds) == ("fewer candidates", None, True)
    with pytest.raises(RelationError, match="whatever candidates are removed"):
        _ = impossible.relation


@pytest.mark.long
def test_a_fabric_is_repaired(tmp_path: Path) -> None:
    fabric = Path("examples/fabrics/opensm-ring12-lash")
    for name in ("fabric.ibnetdiscover", "opensm-lfts.dump"):  # without levels, so in one lane
        shutil.copy(fabric / name, tmp_path)
    result = CliRunner().invoke(app, ["repair", str(tmp_path), "--time-limit", "600"])
    assert result.exit_code == 0, result.output
    assert len(re.findall(r"lanes +\d+ +yes ", result.output)) == 3
