"""`unknot lanes`, `unknot export` and `unknot check --flows`, as a person uses them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lane_assignment.commands import run
from unknot._base.errors import RelationError
from unknot.cli.commands.lanes import conclusion
from unknot.lane_assignment import lanes
from unknot.network.families import mesh
from unknot.report.export import entries, export
from unknot.routing import Candidate, duato


def test_lanes_as_text() -> None:
    code, text = run("lanes", "torus(5, 5)")
    assert code == 0
    assert "2 lanes are enough for shortest paths between all 600 pairs of routers. Fewer are impossible." in text
    assert "evidence 1 impossible: for each of these channels some pair of routers has no" in text
    assert "bound checked accepts it" in text
    assert "(0,0)→(1,0) → (1,0)→(2,0)" in text
    assert "load bound 15 load gap 0 load bound checked accepts it" in text


def test_an_open_number_of_lanes_comes_with_what_to_try() -> None:
    routes = replace(lanes("torus(5, 5)"), lower_bound=1, evidence=None)
    assert "Whether 1 could do is open. --stretch 1 looks for fewer" in conclusion(routes, None)
    assert "--stretch" not in conclusion(lanes("torus(5, 5)"), None)


@pytest.mark.parametrize(
    ("words", "kind", "count"),
    [
        (["ring(5)"], "forced-cycle", 2),
        (["ring(5)", "--paths", "table"], "forced-cycle", 2),
        (["ring(5)", "--paths", "given", "--routing", "shortest_paths"], "route-cycle", 2),
        (["mesh(2, 2)"], None, 1),
    ],
)
def test_lanes_as_json(words: list[str], kind: str | None, count: int) -> None:
    code, text = run("lanes", *words, "--json")
    answer = json.loads(text)
    assert (code, answer["lanes"], answer["lower_bound"], answer["fewest"]) == (0, count, count, True)
    assert answer["deadlock_free"]
    assert answer["delivered"]
    assert (answer["evidence"] or {}).get("kind") == kind
    assert answer["evidence_holds"] is (None if kind is None else True)


def test_the_worst_permutation() -> None:
    code, text = run("lanes", "ring(8)", "--worst", "--json")
    assert (code, json.loads(text)["worst_load"]) == (0, 3)
    code, text = run("lanes", "ring(8)", "--worst", "--changes", "any")
    assert code == 2
    assert "--lmc are for shortest paths" in text


def test_refutations_as_json() -> None:
    from tests.lane_assignment.test_exact import one_way_ring
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.lanes import RefutationForm, why_fewer_fail

    laned = lanes(one_way_ring(5))
    shown = answer(RefutationForm, laned.evidence, of=laned.relation)
    assert (shown["kind"], shown["lanes"]) == ("refutation", 2)
    assert shown["steps"][-1][0] == []
    assert why_fewer_fail(shown, {}).startswith("2 impossible: with ")
    assert all(0 <= c < 5 for cycle in shown["cycles"] for c in cycle)


def test_bad_lanes() -> None:
    assert run("lanes", "ring(5)", "--paths", "given") == (
        2,
        "lanes: given paths are those of a routing: give --paths given and --routing NAME together (in Python "
        "paths='given' and routing=), or neither",
    )
    code, text = run("lanes", "mesh(3, 3)", "--routing", "duato", "--paths", "given")
    assert code == 2
    assert "duato" in text


def test_flows(tmp_path: Path) -> None:
    file = tmp_path / "flows.csv"
    file.write_text("source,target,bandwidth\nt0,t2,3 GB/s\nt2,t4,100\n")
    code, text = run("lanes", "ring(5)", "--flows", str(file))
    assert code == 0
    assert "1 lane is enough for shortest paths between all 2 pairs of routers with flows." in text
    assert "highest load 3,000" in text
    code, text = run("check", "ring(5)", "--routing", "shortest_paths", "--flows", str(file), "--json")
    assert code == 0
    assert json.loads(text)["pairs"] == 2
    file.write_text("source,target\nt0,t7\n")
    code, text = run("check", "ring(5)", "--routing", "shortest_paths", "--flows", str(file))
    assert code == 2
    assert "has no terminal called 't7'" in text
    assert f"{file}:2:4" in text


def test_tables_hold_what_the_relation_says(tmp_path: Path) -> None:
    relation = duato(mesh(3, 3))
    export(relation, tmp_path / "t.json")
    answer = json.loads((tmp_path / "t.json").read_text())
    vcs, network = relation.vcs, relation.network
    names = {(network.channel_name(int(vcs.channel[v])), int(vcs.index[v])): v for v in range(vcs.total)}
    places = {**names, **{(network.terminal_name(t), None): vcs.total + t for t in range(network.num_terminals)}}
    states = 0
    for router in answer["routers"]:
        for entry in router["entries"]:
            at = places[entry.get("terminal", entry["input"]), entry.get("vc")]
            assert network.router_name(int(vcs.router[at])) == router["router"]
            read = [
                Candidate(names.get((c["output"], c.get("vc"))), c.get("tier", 0), c.get("waits", True))
                for c in entry["candidates"]
            ]
            assert read == relation.candidates(at, entry["address"])
            states += 1
    assert states == sum(1 for _ in entries(relation))
    assert [a["destination"] for a in answer["addresses"]] == [network.terminal_name(t) for t in relation.destination]
    with pytest.raises(RelationError, match=r"end in \.json, \.v"):
        export(relation, tmp_path / "t.xml")


def test_lanes_are_exported(tmp_path: Path) -> None:
    out = tmp_path / "ring.json"
    assert run("export", "ring(5)", str(out), "--routing", "lanes")[0] == 0
    answer = json.loads(out.read_text())
    assert len(answer["addresses"]) == 10
    assert answer["addresses"][0]["sources"]
    assert all(len(e["candidates"]) == 1 for r in answer["routers"] for e in r["entries"])
