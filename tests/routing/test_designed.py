"""Designed routes wherever a routing is named: `lanes`, and files of routes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import unknot
from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.lane_assignment.flows import only
from unknot.network.families import mesh, ring, torus
from unknot.report.export import export
from unknot.routing import Relation, duato, fully_adaptive, shortest_paths
from unknot.routing.named import routing
from unknot.routing.own import is_designed, is_file
from unknot.routing.routes_file import read_routes
from unknot.routing.subnets import restricted
from unknot.studies import load_study, run_study
from unknot.verify.fault_sweep import fault_sweep


def says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file() -> str:
    export("ring(5)", "routes.json", routing="lanes")
    return "routes.json"


def test_names() -> None:
    assert [is_file(text) for text in ("routes.json", " a/b.JSON ", "lanes", "my.py:greedy")] == [
        True,
        True,
        False,
        False,
    ]
    assert [is_designed(text) for text in ("lanes", "lanes(seed=2)", "x.json", "lash")] == [True, True, True, False]


@pytest.mark.parametrize(
    "relation",
    [
        routing(ring(5), "lanes"),
        duato(mesh(3, 3)),
        fully_adaptive(torus(3, 3)),
        only(shortest_paths(mesh(2, 3)), np.eye(6, k=1)),
        routing(ring(4), "hop_number"),
    ],
    ids=lambda relation: relation.name,
)
def test_what_is_written_is_read(relation: Relation) -> None:
    export(relation, "routes.json")
    found = read_routes(relation.network, "routes.json")
    assert found.vcs.counts.tolist() == relation.vcs.counts.tolist()
    assert found.destination.tolist() == relation.destination.tolist()
    assert [found.sources(a).tolist() for a in range(found.num_addresses)] == [
        relation.sources(a).tolist() for a in range(relation.num_addresses)
    ]
    for technique, verdict in unknot.check_all(relation).items():
        assert unknot.verify.check(found, technique).deadlock_free == verdict.deadlock_free
    assert unknot.deliver(found).longest_route == unknot.deliver(relation).longest_route
    options: dict[str, Any] = {"warmup": 100, "measure": 300}
    assert unknot.simulation.simulate(found, 0.1, **options) == unknot.simulation.simulate(relation, 0.1, **options)
    export(found, "again.json")
    one, other = (json.loads(Path(name).read_text()) for name in ("routes.json", "again.json"))
    assert one | {"routing": ""} == other | {"routing": ""}


def test_that_headers_keep_their_choice_is_kept() -> None:
    relation = routing(mesh(3, 3), "duato")
    committed = Relation(relation.network, relation.vcs, relation.rule, commits=True)
    export(committed, "routes.json")
    assert read_routes(mesh(3, 3), "routes.json").commits


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("text", ["lanes", "lanes(seed=2)", 'lanes(paths="table")', "routes.json"])
def test_every_command_takes_them(text: str, file: str) -> None:
    assert says("check", "ring(5)", "--routing", text).exit_code == 0
    assert says("analyse", "ring(5)", "--routing", text, "--json").exit_code == 0
    quick = ("--load", "0.1", "--warmup", "50", "--measure", "100")
    run = says("simulate", "ring(5)", "--routing", text, *quick, "--json")
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["stable"]
    assert says("export", "ring(5)", "again.json", "--routing", text).exit_code == 0
    assert says("repair", "ring(5)", "--routing", text, "--time-limit", "600").exit_code == 0
    swept = says("faults", "ring(5)", "--routing", text)
    # a ring without a link is a line; routes that stay as they are lose pairs
    assert ("undelivered  5" in " ".join(swept.stdout.split()) + " ", swept.exit_code) in [(False, 0), (False, 1)]
    assert swept.exit_code == (1 if text == "routes.json" else 0), swept.output


def test_lanes_get_more_channels_in_simulations_and_one_search() -> None:
    proved, run = (
        unknot.verify.check("ring(5)", routing="lanes"),
        unknot.simulation.simulate("ring(5)", 0.1, routing="lanes", measure=100),
    )
    assert proved.size is not None
    assert (proved.size.vcs, run.vcs) == (20, 4)
    assert routing(ring(5), "lanes", 3).vcs.widest == 3
    with pytest.raises(UnknotError, match="its routes need 2 lanes"):
        routing(ring(5), "lanes", 1)


def test_routes_of_a_file_stay_as_they_are_under_faults(file: str) -> None:
    found = fault_sweep("ring(5)", file)
    assert found.counts == {"undelivered": 5}
    # of 20 pairs, those whose one route took the link in either direction
    whole = read_routes(ring(5), file)
    left = restricted(whole, ring(5).without(links=[(0, 1)]))
    lost = unknot.deliver(left).undelivered_pairs
    assert 0 < lost < 20
    assert {fault.undelivered_pairs for fault in found.tried} >= {lost}
    gone = restricted(whole, ring(5).without(routers=[2]))
    assert gone.network.num_terminals == 4
    assert {whole.network.terminal_name(int(t)) for t in whole.destination} - {
        gone.network.terminal_name(int(t)) for t in gone.destination
    } == {"t2"}


def test_parallel_channels_keep_their_routes_under_faults() -> None:
    twins = unknot.network.tod.network("{a -- b, a -- b, b -- c}")
    export(fully_adaptive(twins), "routes.json")
    whole = read_routes(twins, "routes.json")
    first, second = twins.between(0, 1)
    for failed, kept in ((first, second), (second, first)):
        left = restricted(whole, twins.without(channels=[failed]))
        assert unknot.deliver(left).delivered
        at = left.num_vcs + 0
        names = [left.vcs.channel[c.vc] for c in left.candidates(at, 1) if c.vc is not None]
        assert left.network.origin is not None
        assert left.network.origin.channels[names].tolist() == [kept]


@pytest.mark.parametrize(
    ("network", "text", "said"),
    [
        ("ring(5)", "none.json", "none.json: cannot read this file: No such file"),
        (
            "ring(6)",
            "routes.json",
            "its routes, which are for ring(5), do not fit ring(6): it has 12 channels, and they are for 10",
        ),
        ("butterfly(2, 1)", "routes.json", "do not fit butterfly"),
        ("ring(5)", "lane", "did you mean lanes"),
        ("ring(5)", "lanes(lanes=3)", "lanes has no option 'lanes'"),
        ("ring(5)", 'lanes(paths="many")', "unknown paths 'many'"),
    ],
)
def test_what_cannot_be_taken_is_said(network: str, text: str, said: str, file: str) -> None:
    result = says("check", network, "--routing", text)
    assert result.exit_code == 2, result.output
    assert said in result.stderr


def entry(where: str, *candidates: dict[str, Any], times: int = 1, **more: Any) -> dict[str, Any]:
    """Routes of a single state."""
    one = {"input": where, "address": 0, "candidates": list(candidates), **more}
    return {"routers": [{"entries": [one] * times}]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("[]", "these are no routes as `unknot export`"),
        ("{}", "'vcs' is missing"),
        ("7", "these are no routes"),
        ('{"vcs": 1', "this is not JSON"),
        ("", "empty"),
        ({"vcs": ["x"] * 10}, "routes.json"),
        ({"vcs": [0] * 10}, "every channel needs at least 1"),
        ({"addresses": []}, "of 0"),
        (entry("inject", terminal="t9"), "no terminal 't9'"),
        (entry("(0)→(2)", vc=0), "no channel '(0)→(2)'"),
        (entry("(0)→(1)", vc=9), "(0)→(1) has no VC 9"),
        (entry("(0)→(1)", {"output": "(0)→(1)", "vc": 0}, vc=0), "does not leave router (1)"),
        (entry("(0)→(1)", {"output": "eject"}, vc=0), "it ejects at router (1), but the destination is at (0)"),
        (entry("(1)→(0)", vc=0, times=2), "two entries at"),
    ],
)
def test_files_of_another_form_are_refused(change: str | dict[str, Any], said: str, file: str) -> None:
    text = change if isinstance(change, str) else json.dumps(json.loads(Path(file).read_text()) | change)
    Path(file).write_text(text)
    result = says("check", "ring(5)", "--routing", file)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert "routes.json" in result.stderr


def test_a_number_of_channels_for_fixed_ones_is_an_error(file: str) -> None:
    for network, text, own in (
        ("ring(5)", file, "2 per channel"),
        ("mesh(3, 3)", "lcfaa", "per channel of mesh(3, 3)"),
    ):
        result = says("check", network, "--routing", text, "--vcs", "5")
        assert result.exit_code == 2
        assert own in result.stderr
        assert "cannot use 5: leave the number out" in result.stderr


def test_pickles_hold_the_routes_themselves(file: str) -> None:
    for text in ("lanes", file):
        relation = routing(ring(5), text)
        packed = pickle.dumps(relation)
        Path(file).unlink(missing_ok=True)
        again = pickle.loads(packed)
        assert unknot.deliver(again).delivered
        assert again.vcs.total == relation.vcs.total
        export("ring(5)", file, routing="lanes")


STUDY = """
[[design]]
network = "ring(5)"
routing = ["lanes", "routes.json"]
[simulation]
loads = [0.1]
warmup = 50
measure = 100
"""


def test_studies_take_them_and_notice_other_routes(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    (folder / file).write_bytes(Path(file).read_bytes())
    Path(file).unlink()
    first = run_study(folder / "study.toml", jobs=1)
    assert [design.verdict.deadlock_free for design in first.designs] == [True, True]
    told: list[str] = []
    run_study(folder / "study.toml", jobs=1, progress=lambda stage, done, total: told.append(stage))
    assert all("kept from before" in stage for stage in told)
    export("ring(5)", folder / file, routing="hop_number")
    told.clear()
    run_study(folder / "study.toml", jobs=1, progress=lambda stage, done, total: told.append(stage))
    assert sum("kept from before" in stage for stage in told) == 2


def test_a_study_takes_no_file_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("routes.json", "../routes.json"))
    with pytest.raises(UnknotError, match="outside the folder"):
        load_study(tmp_path / "study.toml")


def test_a_counterexample_of_a_file_is_replayed_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export("torus(4, 4)", "routes.json", routing="dimension_order")
    assert says("check", "torus(4, 4)", "--routing", "routes.json", "--export", "knot.json").exit_code == 1
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    replayed = says("replay", "../knot.json")
    assert replayed.exit_code == 0, replayed.output


def test_the_routing_stands_behind_its_keyword() -> None:
    for call in (unknot.verify.check, unknot.check_all):
        with pytest.raises(UnknotError, match="name its routing as well, by keyword: routing="):
            call("mesh(2, 2)", "duato")
        with pytest.raises(UnknotError, match="is a routing already; leave out"):
            call(duato(mesh(2, 2)), routing=duato)
    by_function, by_name = (unknot.verify.check("mesh(2, 2)", routing=given) for given in (duato, "duato"))
    assert by_function.deadlock_free is by_name.deadlock_free is True


CODE = """
from unknot.routing import dimension_order, duato
from unknot.network.families import mesh

LIMIT = 3

def greedy(network, vcs=1):
    return dimension_order(network, vcs)

def _helper():
    pass
"""


def test_the_name_of_a_python_file_alone_asks_for_the_function() -> None:
    Path("mine.py").write_text(CODE)
    for text, asks in (
        ("mine.py", "name the function in mine.py as well, as mine.py:FUNCTION"),
        ("mine.py:eager", ""),
    ):
        result = says("check", "mesh(2, 2)", "--routing", text)
        assert result.exit_code == 2
        assert asks in result.stderr
        assert "greedy" in result.stderr
        for foreign in ("duato", "dimension_order", "mesh,", "_helper", "LIMIT"):
            assert foreign not in result.stderr


@pytest.mark.long
def test_each_remedy_is_written_and_can_be_used() -> None:
    words = ("torus(4, 4)", "--routing", "dimension_order")
    assert says("check", *words).exit_code == 1
    repaired = says("repair", *words, "--time-limit", "600", "--export", "remedy.json")
    assert repaired.exit_code == 0, repaired.output
    written = sorted(path.name for path in Path().glob("remedy*.json"))
    assert "remedy-same-routes.json" in written
    assert "remedy-new-routes.json" in written
    for name in written:
        assert f"wrote {name}" in repaired.stderr
        assert says("check", "torus(4, 4)", "--routing", name).exit_code == 0


FLOWS = "source,target,bandwidth\nt0,t2,4Gb/s\nt1,t3,1GB/s\n"


def test_flows_are_for_every_command_that_takes_a_routing_for_them() -> None:
    Path("flows.csv").write_text(FLOWS)
    for text in ("lanes", "hop_number"):
        said = says("export", "ring(5)", "flows.json", "--routing", text, "--flows", "flows.csv")
        assert said.exit_code == 0, said.output
        addresses = json.loads(Path("flows.json").read_text())["addresses"]
        pairs = {(source, each["destination"]) for each in addresses for source in each["sources"]}
        assert pairs == {("t0", "t2"), ("t1", "t3")}
        checked = says("check", "ring(5)", "--routing", text, "--flows", "flows.csv", "--json")
        assert checked.exit_code == 0
    # two flows need one lane of a ring, all pairs need two
    assert (
        json.loads(says("check", "ring(5)", "--routing", "lanes", "--flows", "flows.csv", "--json").stdout)["vcs"]
        == 1
    )


def test_the_number_of_channels_is_of_a_routing_not_of_tables() -> None:
    refused = says("repair", "examples", "--vcs", "3")
    assert refused.exit_code == 2
    assert "--vcs is of a --routing" in refused.stderr
