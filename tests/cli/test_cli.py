"""The command line: answers, JSON, exit codes; bad input never ends in a traceback."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import unknot
from tests.contract.drawing import draw
from unknot._base.switching import SWITCHINGS, Switching
from unknot.cli.commands.shared import relation_of
from unknot.cli.program import app
from unknot.fabrics import write_network
from unknot.network.edges import write_edge_list
from unknot.network.families import ring

FABRICS = Path(__file__).parents[2] / "examples" / "fabrics"
STUDY = """title = "Small"
[common]
network = "torus(4, 4)"
packet_length = 5
[[design]]
name = "unsafe"
routing = "dimension_order"
vcs = 1
[[design]]
name = "safe"
routing = "dimension_order"
vcs = 2
[simulation]
loads = { from = 0.1, to = 0.3, step = 0.1 }
stop_at_saturation = false
seeds = [1, 2]
warmup = 300
measure = 2000
"""


def unknot_says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def answer(result: Result) -> dict[str, Any]:
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def refused(*words: str) -> str:
    """What is said of bad input: exit code 2, nothing on stdout but an error as data, no traceback."""
    result = unknot_says(*words)
    assert result.exit_code == 2, result.output
    assert {*json.loads(result.stdout)} == {"error", "further"} if "--json" in words else result.stdout == ""
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result.stderr


def test_no_message_names_the_library_that_checks_options() -> None:
    said = refused("lanes", "ring(4)", "--changes", "upwards")
    assert "'--changes': 'upwards' is not one of 'none', 'rising', 'any', 'ports'" in said
    said = refused("simulate", "ring(4)", "--routing", "dimension_order", "--load", "x")
    assert "Invalid value for '--load':" in said
    assert "pydantic" not in said.lower()


# --- show ---------------------------------------------------------------------------------------------------------


def test_show() -> None:
    result = unknot_says("show", "torus(8, 8)")
    assert result.exit_code == 0
    shown = dict(re.split("  +", line) for line in result.stdout.splitlines())
    assert (shown["channels"], shown["links"], shown["connected"]) == ("256", "128", "yes")
    assert (shown["diameter"], shown["mean distance"]) == ("8 hops", "4.063 hops")


def test_show_json_has_the_keys_of_metrics() -> None:
    found = answer(unknot_says("show", "torus(8, 8)", "--json"))
    assert found["name"] == "torus(8, 8)"
    assert (found["routers"], found["channels"], found["terminals"], found["diameter"]) == (64, 256, 64, 8)
    assert found["mean_distance"] == pytest.approx(256 / 63)
    assert found["connected"] is True
    assert found["sampled"] is None


def test_show_reports_a_disconnected_network() -> None:
    result = unknot_says("show", "{0 -- 1, 2 -- 3}", "--json")
    assert result.exit_code == 0
    found = answer(result)
    assert (found["connected"], found["diameter"], found["mean_distance"]) == (False, None, None)
    shown = " ".join(unknot_says("show", "{0 -- 1, 2 -- 3}").stdout.split())
    assert "connected NO terminals connected NO" in shown
    assert "diameter" not in shown


def test_show_a_file_and_a_picture(tmp_path: Path) -> None:
    write_edge_list(ring(5), tmp_path / "ring.txt")
    result = unknot_says("show", str(tmp_path / "ring.txt"), "--out", str(tmp_path / "ring.svg"), "--json")
    assert answer(result)["channels"] == 10
    assert (tmp_path / "ring.svg").read_text(encoding="utf-8").startswith("<svg")


def test_show_a_fabric_folder_or_file() -> None:
    folder = FABRICS / "opensm-torus8x8-dor"
    assert answer(unknot_says("show", str(folder), "--json"))["routers"] == 64
    assert answer(unknot_says("show", str(folder / "fabric.ibnetdiscover"), "--json"))["channels"] == 256


# --- check --------------------------------------------------------------------------------------------------------


def test_check_that_holds() -> None:
    result = unknot_says("check", "torus(4, 4)", "--routing", "dimension-order", "--vcs", "2", "--json")
    assert result.exit_code == 0
    found = answer(result)
    assert found["deadlock_free"] is True
    assert found["switching"] == "vct"
    assert {technique: found["techniques"][technique]["deadlock_free"] for technique in SWITCHINGS} == dict.fromkeys(
        SWITCHINGS, True
    )
    assert found["configuration"] is None
    assert found["reachability"] is None
    assert found["certificate"]["kind"] == "order"
    assert found["certificate_holds"] is True
    assert (found["delivered"], found["minimal"], found["longest_route"]) == (True, True, 4)
    assert found["network"] == {"name": "torus(4, 4)", "routers": 16, "channels": 64, "terminals": 16}
    assert (found["vcs"], found["num_vcs"]) == (2, 128)


def test_no_time_is_blamed_where_packets_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of packets that come to block each other in queues alone no smaller counterexample is looked for."""
    monkeypatch.chdir(tmp_path)
    rule = "from tests.contract.drawing import draw\n\ndef drawn(network):\n    return draw(14)[0]\n"
    Path("own.py").write_text(rule, encoding="utf-8")
    write_network(draw(14)[0].network, "drawn.json")
    result = unknot_says("check", "drawn.json", "--routing", "own.py:drawn", "--smallest")
    assert result.exit_code == 1, result.output
    assert "in the order of messages" in result.stdout
    assert "queue in VCs" in result.stderr
    assert "time" not in result.stderr


def test_a_counterexample_becomes_a_page_that_steps_through_it(tmp_path: Path) -> None:
    words = ("ring(5)", "--routing", "dimension_order")
    page, knot = tmp_path / "knot.html", tmp_path / "knot.json"
    assert unknot_says("check", *words, "--out", str(page), "--export", str(knot)).exit_code == 1
    assert "Why dimension_order on ring(5) deadlocks" in page.read_text(encoding="utf-8")
    assert unknot_says("replay", str(knot), "--out", str(tmp_path / "again.HTML")).exit_code == 0
    assert "deadlocks" in (tmp_path / "again.HTML").read_text(encoding="utf-8")
    free = unknot_says("check", *words, "--vcs", "2", "--out", str(tmp_path / "free.html"))
    assert free.exit_code == 0
    assert '"order": [[' in (tmp_path / "free.html").read_text(encoding="utf-8")
    said = refused("check", *words, "--out", str(tmp_path / "knot.htm"))
    assert ".svg, .png, .pdf or .html" in said


def test_check_that_fails_shows_messages_by_name(tmp_path: Path) -> None:
    words = ("check", "ring(5)", "--routing", "dimension_order", "--buffer-depth", "3")
    result = unknot_says(*words, "--json", "--out", str(tmp_path / "knot.svg"))
    assert result.exit_code == 1
    found = answer(result)
    assert found["deadlock_free"] is False
    assert found["certificate"] is None
    assert found["certificate_holds"] is True
    configuration = found["configuration"]
    assert configuration["reachability"] == found["reachability"]
    assert configuration["buffer_depth"] == 3
    held = [place["vc"] for message in configuration["messages"] for place in message["held"]]
    assert len(set(held)) == len(held)
    for message in configuration["messages"]:
        assert message["source_name"] == f"t{message['source']}"
        assert message["destination_name"] == f"t{message['destination']}"
        assert message["length"] == 3 * len(message["held"])
        assert {place["vc"] for place in message["wanted"]} <= set(held)
        assert all(set(place) == {"vc", "channel", "index"} for place in message["held"] + message["wanted"])
    assert "<svg" in (tmp_path / "knot.svg").read_text(encoding="utf-8")
    printed = unknot_says(*words)
    assert printed.exit_code == 1
    assert "Message 1: " in printed.stdout
    assert "waits for" in printed.stdout
    assert "held by message" in printed.stdout


@pytest.mark.parametrize(("switching", "code"), [("saf", 0), ("vct", 0), ("wormhole", 0), ("wormhole-nonatomic", 1)])
def test_check_by_switching(switching: str, code: int) -> None:
    words = ("check", "torus(4, 4)", "--routing", "duato", "--vcs", "3", "--switching", switching, "--json")
    result = unknot_says(*words)
    assert result.exit_code == code
    found = answer(result)
    assert found["switching"] == switching
    free = {technique: verdict["deadlock_free"] for technique, verdict in found["techniques"].items()}
    assert free == {"saf": True, "vct": True, "wormhole": True, "wormhole-nonatomic": False}
    lines = [line.split()[:2] for line in unknot_says(*words[:-1]).stdout.splitlines() if line]
    for technique in SWITCHINGS:
        assert [technique, "yes" if free[technique] else "NO"] in lines


def test_check_undecided_is_three(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_time(relation: unknot.Relation, first: str, **options: object) -> dict[Switching, unknot.Verdict]:
        return {name: unknot.Verdict(None, name, "exact search", "all", "nothing yet") for name in SWITCHINGS}

    monkeypatch.setattr("unknot.verify.examination.check_all", out_of_time)
    words = ("check", "torus(4, 4)", "--routing", "duato", "--vcs", "3")
    result = unknot_says(*words, "--json")
    assert result.exit_code == 3
    assert answer(result)["deadlock_free"] is None
    assert "undecided" in unknot_says(*words).stdout


# --- audit --------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_audit_refutes_and_names_the_loop(tmp_path: Path) -> None:
    folder = FABRICS / "opensm-torus8x8-dor"
    result = unknot_says("audit", str(folder), "--json", "--out", str(tmp_path / "audit.html"))
    assert result.exit_code == 1
    found = answer(result)
    assert found["deadlock_free"] is False
    assert found["delivered"] is True
    assert found["switching"] == "vct"
    assert len(found["loop"]) == 8
    assert all(name.startswith("S") for name in found["loop"])
    names = {place["channel"] for message in found["configuration"]["messages"] for place in message["held"]}
    assert all("→" in name for name in names)
    assert "<html" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    printed = unknot_says("audit", str(folder / "fabric.ibnetdiscover"), "--tables", str(folder / "opensm.fdbs"))
    assert printed.exit_code == 1
    assert f"loop {' → '.join([*found['loop'], found['loop'][0]])}" in " ".join(printed.stdout.split())


def test_audit_that_holds() -> None:
    result = unknot_says("audit", str(FABRICS / "opensm-torus8x8-updn-rooted"))
    assert result.exit_code == 0
    assert "host-to-host" in result.stdout


def test_audit_without_tables_and_of_a_truncated_file(tmp_path: Path) -> None:
    assert "unknot show" in refused("audit", str(FABRICS / "ibutils-rhino512"))
    whole = (FABRICS / "opensm-torus8x8-dor" / "fabric.ibnetdiscover").read_text()
    (tmp_path / "cut.ibnetdiscover").write_text(whole[: len(whole) // 2])
    tables = str(FABRICS / "opensm-torus8x8-dor" / "opensm-lfts.dump")
    assert "cut.ibnetdiscover" in refused("audit", str(tmp_path / "cut.ibnetdiscover"), "--tables", tables)


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "torsu(8, 8)"), "NETWORK:1:1: torsu is not defined; did you mean torus"),
        (("show", "nowhere.lst"), "there is no file 'nowhere.lst'"),
        (("show", "torus(8"), "never closed"),
        (("check", "torus(4, 4)", "--routing", "dimension_ordre"), "did you mean dimension_order"),
        (("check", "torus(4, 4)", "--routing", "dimension_order", "--vcs", "0"), "at least 1 VC, got 0"),
        (("check", "torus(4, 4)", "--routing", "duato", "--vcs", "1"), "duato"),
        (("check", "torus(4, 4)", "--routing", "duato", "--switching", "wormhol"), "did you mean wormhole or"),
        (("check", "{0 -- 1, 2 -- 3}", "--routing", "duato"), "no way from router r0 to router r2"),
        (("check", "complete(4)", "--routing", "dimension_order"), "no coordinates"),
        (("check", "torus(4, 4)"), "--routing"),
        (("simulate", "ring(4)", "--routing", "dimension_order", "--load", "-0.1"), "load"),
        (("simulate", "ring(4)", "--routing", "dimension_order", "--load", "much"), "'--load'"),
        (("simulate", "ring(4)", "--routing", "dimension_order", "--load", "0.1", "--seed", "-1"), "seed"),
        (("simulate", "ring(4)", "--routing", "dimension_order", "--load", "0.1", "--traffic", "unifrom"), "uniform"),
        (
            (
                "simulate",
                "ring(4)",
                "--routing=duato",
                "--load=0.1",
                "--switching=vct",
                "--packet-length=9",
                "--vcs=3",
            ),
            "does not fit",
        ),
        (("audit", "nowhere"), "nowhere"),
        (("audit", str(FABRICS.parent / "ethernet" / "frr-all-links-up"), "--lanes", "2"), "--evidence"),
        (("run", "nowhere.toml"), "no such study file"),
        (("walk",), "walk"),
    ],
)
@pytest.mark.parametrize("json_too", [False, True])
def test_bad_input_is_refused_with_two(words: tuple[str, ...], said: str, json_too: bool) -> None:
    assert said in refused(*words, *(["--json"] if json_too and words != ("walk",) else []))


def test_all_problems_of_a_study_are_reported(tmp_path: Path) -> None:
    text = STUDY.replace('"dimension_order"', '"dimension_ordre"', 1).replace("vcs = 2", "vcs = 0")
    (tmp_path / "s.toml").write_text(text.replace("from = 0.1", "from = -0.1"))
    said = refused("run", str(tmp_path / "s.toml"))
    assert f"{tmp_path / 's.toml'}:7:12: unknown routing 'dimension_ordre'; did you mean dimension_order" in said
    assert f"{tmp_path / 's.toml'}:12:7: " in said
    assert f"{tmp_path / 's.toml'}:14:18: " in said
    assert list(tmp_path.iterdir()) == [tmp_path / "s.toml"]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    (tmp_path / "file").write_text("")
    assert "file" in refused("run", str(tmp_path / "s.toml"), "--out", str(tmp_path / "file" / "reports"))
    assert "--store" in refused("run", str(tmp_path / "s.toml"), "--store", str(tmp_path), "--out", str(tmp_path))
    assert "nowhere" in refused("show", "ring(4)", "--out", str(tmp_path / "nowhere" / "a.svg"))


def test_a_broken_store(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("[[design]]\nnetwork = 'ring(4)'\nrouting = 'dimension_order'\n")
    (tmp_path / "s.sqlite").write_text("not a database, just a text that somebody put here " * 20)
    result = unknot_says("run", str(tmp_path / "s.toml"), "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "the file is kept as s.damaged-1.sqlite" in result.stderr
    assert "not a database" in (tmp_path / "s.damaged-1.sqlite").read_text()


# --- files named inside files -------------------------------------------------------------------------------------


def test_a_replay_reads_network_files_of_its_folder_alone(tmp_path: Path) -> None:
    """What a file names is found from its folder; outside of it only when the user says so, and never quoted."""
    (tmp_path / "nets").mkdir()
    ring_file = tmp_path / "nets" / "ring.txt"
    write_edge_list(ring(5), ring_file)
    (tmp_path / "secret").write_text("root:x:0:0:password\n")
    knot = tmp_path / "nets" / "knot.json"
    words = ("check", str(ring_file), "--routing", "shortest_paths", "--export", str(knot))
    assert unknot_says(*words).exit_code == 1
    content = json.loads(knot.read_text())
    assert content["network"] == "ring.txt"
    assert relation_of("nets/ring.txt", "up_down", None, tmp_path / "knot.json").network.num_channels == 10
    for outside in ("../secret", str(tmp_path / "secret"), "/etc/passwd"):
        knot.write_text(json.dumps({**content, "network": outside}))
        said = refused("replay", str(knot))
        assert "outside the folder of this file; allow it with --outside-files" in said
        assert "password" not in said
    (tmp_path / "nets" / "inside").write_text("root:x:0:0:password\n")
    knot.write_text(json.dumps({**content, "network": "./inside"}))
    assert "password" not in refused("replay", str(knot))
    knot.write_text(json.dumps({**content, "network": "../secret"}))
    assert "outside the folder" not in refused("replay", str(knot), "--outside-files")


@pytest.mark.parametrize("text", ['{"format": "unknot-conf', "[" * 40_000, '{"vcs": ' + "9" * 5000 + "}", "\0", ""])
def test_a_replay_file_that_is_damaged(text: str, tmp_path: Path) -> None:
    (tmp_path / "knot.json").write_text(text)
    assert "knot.json" in refused("replay", str(tmp_path / "knot.json"))


# --- internal errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [RecursionError("too deep"), KeyError("x"), AssertionError()])
def test_an_internal_error_is_no_answer(error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(*given: object, **options: object) -> None:
        raise error

    monkeypatch.setattr("unknot.network.measure", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = unknot_says("show", "ring(5)", "--json")
    assert (result.exit_code, json.loads(result.stdout)["error"]["code"]) == (70, "internal")
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) == 1
    (kept,) = tmp_path.iterdir()
    assert str(kept) in result.stderr
    assert type(error).__name__ in kept.read_text()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    shown = unknot_says("show", "ring(5)")
    assert shown.exit_code == 70
    assert "Traceback (most recent call last)" in shown.stderr


def test_memory_that_there_is_not_is_too_large_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **options: object) -> None:
        raise MemoryError("Unable to allocate 128. GiB")

    monkeypatch.setattr("unknot.network.measure", broken)
    result = unknot_says("show", "ring(5)", "--json")
    assert (result.exit_code, json.loads(result.stdout)["error"]["code"]) == (2, "memory")
    assert result.stderr.startswith("out of memory: this takes more than there is, ")
    assert "take a smaller design" in result.stderr
    assert result.stderr.endswith("(Unable to allocate 128. GiB)\n")


# --- memory, streams, names ---------------------------------------------------------------------------------------


def test_sizes_are_refused_with_the_estimate_before_anything_is_built() -> None:
    assert "the limit is 1 MiB" in refused("show", "torus(64, 64)", "--max-memory", "1M")
    assert "--max-memory" in refused("show", "fat_tree(64, 3)", "--max-memory", "100M")
    assert unknot_says("show", "torus(4, 4)", "--max-memory=1G").exit_code == 0
    assert "a size of memory is" in refused("show", "torus(4, 4)", "--max-memory", "much")
