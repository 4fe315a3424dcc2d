"""Remedies for routings that can deadlock."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from unknot.checker import accept
from unknot.cli import app
from unknot.errors import RelationError
from unknot.routing import duato, shortest_paths
from unknot.synthesis import paths_of, repair
from unknot.topologies import mesh, torus
from unknot.verify import check, deliver


def test_three_remedies() -> None:
    relation = shortest_paths(torus(5, 5))
    found = repair(relation)
    assert [remedy.kind for remedy in found] == ["same routes", "new tables", "new routes"]
    for remedy in found:
        verdict, delivery = check(remedy.relation), deliver(remedy.relation)
        assert verdict.deadlock_free
        accept(remedy.relation, verdict)
        assert delivery.delivered
        assert delivery.minimal
        assert remedy.found.count == remedy.found.lower_bound == 2
        assert remedy.found.evidence_holds
    before = paths_of(relation)
    assert before is not None
    for remedy in found:
        after = paths_of(remedy.relation)
        assert after is not None
        assert remedy.changed_pairs == sum(before[pair] != after[pair] for pair in before)
        assert remedy.pairs == 600
    assert found[0].changed_pairs == 0
    assert found[1].changed_pairs


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


def test_adaptive_routings_are_refused() -> None:
    with pytest.raises(RelationError, match="several ways"):
        repair(duato(mesh(3, 3)))


def test_the_command() -> None:
    result = CliRunner().invoke(app, ["repair", "ring(5)", "--routing", "shortest_paths"])
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert "as it is 3 NO yes yes" in lines
    assert "same routes 2 2 0 of 20 3 yes yes yes" in lines
    assert any(line.startswith("new tables 2 2 ") for line in lines)
    result = CliRunner().invoke(app, ["repair", "ring(5)"])
    assert result.exit_code == 2
    assert "name a --routing, or a folder of a fabric" in result.output


def test_a_fabric_is_repaired() -> None:
    result = CliRunner().invoke(app, ["repair", "examples/fabrics/opensm-torus8x8-dor", "--time-limit", "10"])
    assert result.exit_code == 0, result.output
    assert "0 of 4032" in result.output
