"""The command line against hostile names, streams, disks and values: no raw output and no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_cli import refused, unknot_says

NASTY = ["a\x1b[31m", "b\x9b2J", "c\u202egnp", "d\x07\x08", "e\u2028f", "g\nh", "\x1b]0;x\x07"]
RAW = [*map(chr, range(32)), *map(chr, range(127, 160)), "\u202e", "\u2028"]


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("show", "--json"),
        ("check", "--routing", "up_down"),
        ("check", "--routing", "shortest_paths"),
        ("check", "--routing", "shortest_paths", "--json"),
        ("analyse", "--routing", "up_down"),
        ("check", "--routing", "up_down(root='\x1b[31m')"),
        ("convert", "out.dot"),
        ("check", "--routing", "dimension_order"),
    ],
)
def test_nothing_raw_is_printed_of_names(words: tuple[str, ...], tmp_path: Path) -> None:
    nodes = [{"id": name} for name in NASTY]
    edges = [{"source": name, "target": NASTY[i - 1]} for i, name in enumerate(NASTY)]
    file = tmp_path / "n\x1b[31m.json"
    file.write_text(json.dumps({"directed": False, "multigraph": False, "nodes": nodes, "links": edges}))
    rest = [str(tmp_path / word) if word == "out.dot" else word for word in words[1:]]
    result = unknot_says(words[0], str(file), *rest)
    assert result.exit_code in (0, 1, 2), result.output
    for character in RAW:
        assert character == "\n" or character not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


@pytest.mark.long
def test_streams_that_are_ascii_closed_or_full() -> None:
    def said(command: str) -> tuple[int, str]:
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
        assert b"Traceback" not in done.stderr
        return done.returncode, done.stdout.decode("ascii")

    python = f"'{sys.executable}' -m unknot"
    code, text = said(f"PYTHONIOENCODING=ascii {python} check 'ring(5)' --routing dimension_order")
    assert code == 1
    assert "t0 at (0) -> t2 at (2)" in text
    assert said(f"{python} --version >&-") == (0, "")
    assert said(f"{python} show 'ring(5)' >/dev/full") == (2, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--packet-length", "²"), "--packet-length"),
        (("--packet-length", "1:²"), "--packet-length"),
        (("--packet-length", "9" * 5000), "--packet-length"),
        (("--traffic", "hotspot(1e5)"), "hotspot"),
        (("--traffic", "hotspot(0x" + "f" * 5000 + ")"), "hotspot"),
        (("--measure", "9223372036854775807"), ""),
        (("--measure", "9" * 5000), "--measure"),
        (("--warmup", "9223372036854775807"), ""),
        (("--buffer-depth", "9223372036854775807"), ""),
        (("--vcs", "9223372036854775808"), ""),
        (("--seed", "9" * 30), "seed"),
        (("--json", "--interval", "-1"), "interval"),
        (("--precision", "nan"), "precision"),
        (("--load", "inf"), "load"),
        (("--time-limit", "nan"), "--time-limit"),
        (("--bursts", "²,1"), "--bursts"),
        (("--router", "routing_delay=" + "9" * 5000), "--router"),
        (("--fault", "²: router 1"), "--fault"),
        (("--fault", "200: router 1 2"), "no router called '1 2'"),
        (("--fault", "9" * 5000 + ": router 1"), "--fault"),
        (("--class", "share=x, flits=2"), "share must be a number"),
        (("--packet-length", "\x1c2147483648"), "--packet-length"),
        (("--threads", "9223372036854775808"), "thread"),
    ],
)
def test_odd_values_of_options_are_refused(words: tuple[str, ...], said: str) -> None:
    start = ("simulate", "ring(4)", "--routing", "dimension_order", "--load", "0.1")
    assert said in refused(*start, *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("faults", "ring(4)", "--seed", "-1"), "--seed"),
        (("lanes", "ring(4)", "--seed", "-1"), "--seed"),
        (("repair", "ring(4)", "--seed", "-1"), "--seed"),
        (("faults", "ring(4)", "--at-once", "5"), "5 of 4 links of ring(4) cannot fail at once"),
        (("faults", "ring(4)", "--at-once", "9" * 30), "of 4 links of ring(4) cannot fail at once"),
        (
            ("faults", "torus(8, 8)", "--at-once", "8", "--budget", "9" * 12),
            "sets of failed links of torus(8, 8) would take",
        ),
        (("trace", "ring(4)", "--requests", "9" * 12), "requests of each of 4 terminals would take"),
        (("trace", "ring(4)", "--requests", "9" * 30), "requests of each of 4 terminals would take"),
        (("simulate", "ring(4)", "--load", "0.1", "--seeds", "9" * 9), "keeping the runs of all --seeds would take"),
        (("simulate", "ring(4)", "--load", "0.1", "--seeds", "9" * 30), "keeping the runs of all --seeds would take"),
        (("simulate", "ring(4)", "--load", "0.1", "--seeds", "3000", "--jobs", "3000"), "too many for this machine"),
    ],
)
def test_odd_numbers_are_refused_before_anything_is_built(words: tuple[str, ...], said: str) -> None:
    assert said in refused(*words[:2], "--routing", "up_down", *words[2:])


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path: Path) -> None:
    import resource

    file = tmp_path / "net.dot"
    file.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        said = refused("convert", "torus(16, 16)", str(file))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "net.dot: it cannot be written: File too large" in said
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "words",
    ["lanes N --out", "repair N --out", "design --evidence", "curve N --routing R --out",
     "run N --parquet", "simulate N --export", "compare N --store", "curve N --store", "faults N --pairs",
     "check N --evidence"],
)  # fmt: skip
def test_a_missing_folder_is_refused_before_anything_is_read(words: str, tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "x.json"
    assert f"{file}: it cannot be written: there is no folder {file.parent}" in refused(*words.split(), str(file))
