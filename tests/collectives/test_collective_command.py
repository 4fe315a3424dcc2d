"""The command `unknot collective`."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import unknot
from unknot._base.deadline import Deadline
from unknot._base.memory import memory_limit
from unknot.certificates.plain import accept
from unknot.cli.program import app
from unknot_collectives import Operation
from unknot_collectives.msccl import read_msccl, run_program
from unknot_collectives.operation import require_room


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["collective", *words])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.long
def test_algorithms_are_compared_and_the_best_one_is_written(tmp_path: Path) -> None:
    program, table, proof = (tmp_path / name for name in ("ring.xml", "ring.csv", "ring.json"))
    words = ("ring(5)", "--operation", "all_gather", "--size", "8", "--routing", "dimension_order", "--vcs", "2")
    code, out, _ = run(*words, "--json", "--export", str(program), "--evidence", str(proof))
    best = json.loads(out)
    assert code == 0
    assert (best["bound"], best["members"], best["size"], best["sizes"]) == (33, 5, 8, [])
    assert best["measured"] == min(row["measured"] for row in best["algorithms"]) >= 32
    assert {"optimal", "ring", "bruck"} < {row["algorithm"] for row in best["algorithms"]}
    assert run_program(read_msccl(program)).is_right
    assert len(accept(json.loads(proof.read_text()))) == 2
    code, out, _ = run(str(program), "--json")
    judged = json.loads(out)
    assert (code, judged["right"], judged["least_slots"], judged["operation"]) == (0, True, 1, "allgather")
    code, _, err = run(*words, "--algorithm", "ring", "--out", str(tmp_path / "busy.png"))
    assert (code, (tmp_path / "busy.png").read_bytes()[:4]) == (0, b"\x89PNG"), err
    code, _, err = run(*words, "--algorithm", "ring", "--pieces", "1", "--export", str(table))
    assert (code, f"wrote {table}" in err) == (0, True)
    head = "step,start,chunk,flits,origin,end,group,source,target,reduces,path,rate"
    assert table.read_text().splitlines()[0] == head
    assert len(table.read_text().splitlines()) == 21


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "free"),
    [
        ("--operation broadcast --algorithm direct --routing shortest_paths --vcs 1", True),  # all messages of t0
        ("--operation all_to_all --algorithm direct --routing shortest_paths --vcs 1 --packet 0", False),
        ("--operation all_to_all --algorithm direct --routing dimension_order --vcs 2", True),
        ("--operation all_to_all --algorithm direct", None),  # not run
    ],
)
def test_whether_its_messages_can_block_each_other(words: str, free: bool | None) -> None:
    """The broadcast cannot hang on a routing that can deadlock: its messages close no cycle. The exchange hangs."""
    code, out, err = run("ring(5)", *words.split(), "--json")
    answer = json.loads(out)
    assert (code, answer["deadlock_free"]) == (int(free is False), free), err
    assert answer["delivers"] is (True if "routing" in words else None)
    assert (answer["measured"] is None) == (free is not True)
    _, out, _ = run("ring(5)", *words.split())
    assert ("deadlock-free" in out, "delivers" in out) == ("routing" in words, "routing" in words)


def test_a_router_with_a_speedup_comes_nearer_to_the_bound() -> None:
    words = ["torus(3, 3)", "--operation", "all_gather", "--routing", "dimension_order", "--vcs", "2"]
    words += ["--algorithm", "multiport_bucket", "--pieces", "1", "--terminal-width", "4", "--packet", "0", "--json"]
    plain, quick = (json.loads(run(*words, *more)[1]) for more in ([], ["--router", "internal_speedup=2"]))
    assert plain["bound"] == quick["bound"] < quick["measured"] < plain["measured"]


@pytest.mark.long
def test_a_table_over_sizes_in_bytes() -> None:
    code, out, _ = run("ring(4)", "--size", "1kB,64KiB", "--units", "1 GHz, 32 B", "--json")
    answer = json.loads(out)
    assert code == 0
    assert [row["size"] for row in answer["sizes"]] == [32, 2048]
    assert answer["sizes"][1]["ratio"] < answer["sizes"][0]["ratio"]


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_blocks_of_a_file(tmp_path: Path, ending: str) -> None:
    """Experts of four terminals: two of them get most of what is sent."""
    rows = [[0, 8, 1, 1], [8, 0, 1, 1], [8, 8, 0, 0], [8, 8, 2, 5]]
    file, proof = tmp_path / f"blocks.{ending}", tmp_path / "proof.json"
    lines = "\n".join(",".join(map(str, row)) for row in rows)
    file.write_text(json.dumps(rows) if ending == "json" else f"{lines}\n")
    words = ["ring(4)", "--operation", "all_to_all", "--size", str(file), "--routing", "dimension_order"]
    code, out, err = run(*words, "--vcs", "2", "--evidence", str(proof), "--json")
    answer = json.loads(out)
    assert code == 0, err
    assert (answer["size"], answer["bound"]) == (8, 24)  # what a terminal takes in
    assert 24 <= answer["measured"] <= 60
    assert len(accept(json.loads(proof.read_text()))) == 2


@pytest.mark.long
def test_groups_and_a_barrier() -> None:
    code, out, _ = run("mesh(3, 2)", "--operation", "all_reduce", "--groups", "2", "--size", "16", "--json")
    answer = json.loads(out)
    assert (code, answer["groups"], answer["bound"]) == (0, 2, pytest.approx(64 / 3))
    code, out, _ = run("mesh(3, 2)", "--members", "0,1,2;3,4,5", "--size", "16", "--json")
    named = json.loads(out)
    assert (code, named["groups"], named["algorithms"]) == (0, 2, answer["algorithms"])
    code, out, _ = run("mesh(3, 2)", "--members", "0,1,2;3,5", "--size", "16", "--json")
    assert (code, json.loads(out)["groups"], json.loads(out)["members"]) == (0, 2, 5)
    code, out, _ = run("torus(3, 3)", "--operation", "barrier", "--json")
    answer = json.loads(out)
    assert (code, answer["size"], answer["pieces"]) == (0, 1, 1)
    assert {"dissemination", "binomial"} <= {row["algorithm"] for row in answer["algorithms"]}


@pytest.mark.parametrize(
    ("text", "ending", "words"),
    [
        ("1,2\n3,x\n", "csv", "blocks.csv:2:3: expected flits"),
        ("1,2\n3\n", "csv", "5 rows of 5 for its members; got 2 rows of 1 or 2"),
        ("0,0\n0,0\n", "csv", "no block in it that is sent"),
        ("1," + "9" * 5000, "csv", "blocks.csv:1:3: expected flits"),
        ("[[], [1, 2]]", "json", "5 rows of 5 for its members; got 2 rows of 0 or 2"),
        ("[1, 2]", "json", "a list of lists of sizes"),
        ("1,2\n\n3,x\n", "csv", "blocks.csv:3:3: expected flits"),
        ("[[", "json", "blocks.json:1:3: this is not JSON"),
        ("[" * 100_000, "json", "this JSON is nested too deeply"),
        ("1kB,1\n1,1\n", "csv", "bytes need the width of a flit"),
    ],
)
def test_files_of_blocks_that_cannot_be_read(tmp_path: Path, text: str, ending: str, words: str) -> None:
    file = tmp_path / f"blocks.{ending}"
    file.write_text(text)
    code, _, err = run("ring(5)", "--operation", "all_to_all", "--size", str(file))
    assert code == 2
    assert words in " ".join(err.split())


def test_a_program_that_hangs(tmp_path: Path) -> None:
    """Both ranks receive before they send."""
    lines = Path("examples/collectives/allreduce-pairs.xml").read_text().splitlines()
    for first in [i for i, line in enumerate(lines) if '<step s="0"' in line]:
        one, other = lines[first], lines[first + 1]
        lines[first : first + 2] = other.replace('s="1"', 's="0"'), one.replace('s="0"', 's="1"')
    broken = tmp_path / "broken.xml"
    broken.write_text("\n".join(lines))
    code, out, _ = run(str(broken))
    assert code == 1
    assert "rank 0 block 0 step 0 waits for a message of rank 1" in " ".join(out.split())


@pytest.mark.long
@pytest.mark.parametrize("routed", [[], ["--routing", "dimension_order", "--vcs", "2"]])
def test_the_best_so_far_is_shown_when_the_time_is_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, routed: list[str]
) -> None:
    """Whatever does not end: the bound, an algorithm, or a run."""
    proof = tmp_path / "proof.json"
    words = ["ring(5)", "--operation", "all_gather", *routed, "--evidence", str(proof), "--json"]
    rows = {}
    for size in ("8", "16"):
        code, out, _ = run(*words, "--size", size)
        assert (code, json.loads(out)["complete"]) == (0, True)
        rows |= {(int(size), row["algorithm"]): row for row in json.loads(out)["algorithms"]}
    for most in (0, 1, 2, 3, 4, 5, 8):
        calls = itertools.count()
        monkeypatch.setattr(Deadline, "unless_over", lambda _, work: work() if next(calls) < most else None)  # noqa: B023
        code, out, err = run(*words, "--size", "8,16", "--time-limit", "30")
        answer = json.loads(out)
        assert (code, answer["complete"]) == (3, False)
        assert "in 30 s, the time limit" in err
        names = [row["algorithm"] for row in answer["algorithms"]]
        assert answer["algorithm"] in [*names[:1], None]
        for row in answer["algorithms"]:
            same = rows[answer["size"], row["algorithm"]]
            assert row["bound"] == answer["bound"] <= same["bound"]
            assert row == same or "the time was up" in row["limit"] or routed
        assert len(accept(json.loads(proof.read_text()))) == 1 + (answer["algorithm"] is not None)


@pytest.mark.long
def test_a_short_limit_begins_with_algorithms_that_are_often_best(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count()
    monkeypatch.setattr(Deadline, "unless_over", lambda _, work: work() if next(calls) < 8 else None)
    code, out, _ = run("torus(4, 4)", "--operation", "all_gather", "--time-limit", "30", "--json")
    assert (code, {row["algorithm"] for row in json.loads(out)["algorithms"]}) == (
        3, {"multiport_bucket", "bidirectional_ring", "ring"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--operation", "all_reduc"], "did you mean all_reduce"),
        (["--algorithm", "rign"], "did you mean ring?"),
        (["--size", "0"], "--size:1:1: expected flits, such as 64, or bytes"),
        (["--size", "4,x"], "--size:1:3: expected flits"),
        (["--size", "1kB"], "bytes need the width of a flit"),
        (["--root", "9", "--operation", "broadcast"], "has no terminal 9"),
        (["--root", "1"], "all_reduce has no root"),
        (["--members", "1,1"], "at least two members, each once"),
        (["--members", "1,a"], "--members:1:3: expected numbers of terminals"),
        (["--members", "1,7"], "has no terminal 7"),
        (["--algorithm", "recursive_doubling", "--members", "0,1,2"], "2, 4, 8, … members, not 3"),
        (["--pieces", "0"], "pieces must be a whole number"),
        (
            ["--out", "x.txt", "--algorithm", "none"],
            "x.txt: the ending tells what is written of an answer: .json, .csv, .parquet, .svg, .png, .pdf or .html",
        ),
        (["--operation", "scatter", "--export", "x.xml", "--algorithm", "none"], "MSCCL has no scatter"),
        (["--router", "speed=2", "--routing", "dimension_order", "--vcs", "2"], "unknown option 'speed'"),
        (
            ["--routing", "dimension_order", "--vcs", "2", "--buffer-depth", "0"],
            "--buffer-depth must be a whole number",
        ),
        (
            ["--routing", "dimension_order", "--vcs", "2", "--overhead", "-1"],
            "--overhead must be a whole number of cycles of at least 0",
        ),
        (["--groups", "2"], "5 members cannot be cut into 2 equal groups"),
        (["--groups", "2", "--members", "0,1;2,3"], "--members names 2 groups already; give one of the two"),
        (["--members", "0,1;1,2"], "at least two members, each once"),
        (["--operation", "broadcast", "--groups", "2", "--members", "0,1,2,3"], "broadcast has no groups"),
    ],
)
def test_bad_input_is_reported(words: list[str], shown: str) -> None:
    code, out, err = run("ring(5)", *words)
    assert (code, out) == (2, ""), err
    assert shown in err


def test_options_that_are_not_read_are_named() -> None:
    code, _, err = run("ring(4)", "--buffer-depth", "3", "--vcs", "2")
    assert (code, "without effect here: --vcs, --buffer-depth\n" in err) == (0, True)


def test_a_program_with_a_manifest_is_read(tmp_path: Path) -> None:
    program = str(tmp_path / "ring.xml")
    assert run("ring(4)", "--export", program)[0] == 0
    assert "unknot-manifest" in Path(program).read_text()
    assert run(program)[0] == 0


def test_a_missing_folder_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "x.json"
    code, out, err = run("N", "--export", str(file))
    assert (code, out) == (2, "")
    assert f"{file}: it cannot be written: there is no folder {file.parent}" in err


def test_memory_is_estimated_before_anything_is_made() -> None:
    with memory_limit(10**8):
        code, _, err = run("ring(1000)", "--operation", "all_to_all")
        assert code == 2
        assert "transfers of all_to_all among 1000 members" in err
        code, _, err = run("ring(1000)", "--operation", "all_reduce", "--algorithm", "ring")
        assert (code, "double_tree, chain and binomial take little" in err) == (2, True), err
        for whole in (
            Operation("all_reduce", tuple(range(1000))),
            Operation("broadcast", tuple(range(1000)), root=0),
        ):
            require_room(whole, ["double_tree"])


def test_a_size_is_a_number_in_python() -> None:
    found = unknot.collective("ring(4)", size=8)
    assert found.size == 8
    assert found.bound == unknot.collective("ring(4)", size="8").bound
