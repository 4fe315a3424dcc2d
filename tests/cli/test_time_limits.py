"""The promise of `--time-limit`: every command ends soon after it, whatever it is doing then."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot._base.deadline import Deadline
from unknot.cli.program import ALL, app

ROOT = Path(__file__).parents[2]
FORKS = """
import contextlib, importlib, json, os, sys, time

from unknot._base import deadline
from unknot.cli.program import ALL, main
from unknot.cli.commands import guard

cases, limit = json.loads(sys.argv[1]), sys.argv[2]
# Forks share what is imported here.
libraries = "numba.experimental", "scipy.sparse.csgraph", "rich.table", "jinja2"
for name in cases:
    ALL[name]
for module in (*libraries, *(place for place, _ in cases.values())):
    importlib.import_module(module.partition(":")[0])


start, begun = time.monotonic(), []


def clock():
    return start + (time.monotonic() - begun[0] if begun else 0.0)


def busy(*given, **options):
    begun.append(time.monotonic())
    with open(f"{name}.begun", "w") as file:
        file.write(str(begun[0]))
    while True:
        time.sleep(0.01)


def be(name, place, words):
    for number in (1, 2):
        os.dup2(os.open(f"{name}.{number}", os.O_WRONLY | os.O_CREAT), number)
    module, _, function = place.partition(":")
    setattr(importlib.import_module(module), function, busy)
    deadline.clock = guard.clock = clock
    guard.ABOUT = 1e9
    sys.argv = ["unknot", name, *words, "--time-limit", limit]
    try:
        main()
    except SystemExit as ended:
        os._exit(ended.code)
    finally:
        os._exit(99)


running, todo = {}, list(cases.items())
while running or todo:
    while todo and len(running) < 4:
        name, (place, words) = todo.pop()
        pid = os.fork()
        if pid == 0:
            be(name, place, words)
        running[pid] = name
    pid, status = os.wait()
    name, now = running.pop(pid), time.monotonic()
    at = float(open(f"{name}.begun").read()) if os.path.exists(f"{name}.begun") else None
    text = [open(f"{name}.{number}").read() for number in (1, 2)]
    print(json.dumps([name, os.waitstatus_to_exitcode(status), at and now - at, *text]), flush=True)
"""
"""Command lines in forks of one process, each with one function that never ends."""
RING = ("ring(4)", "--routing", "shortest_paths")
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "run": ("unknot.studies.sweep:compute", ("study.toml",)),
    "check": ("unknot.verify.examination:deliver", ("mesh(2, 2)", "--routing", "dimension_order")),
    "accept": ("unknot.certificates.plain.documents:answers", (str(ROOT / "examples/evidence/lanes-kautz.json"),)),
    "replay": ("unknot.simulation:replay", ("knot.json",)),
    "analyse": ("unknot.verify.properties:properties", RING),
    "faults": ("unknot.verify.fault_sweep:check", RING),
    "every-size": ("unknot.synthesis:every_size", ("mesh(2)", "--routing", "lcfaa")),
    "reconfigure": ("unknot.verify:update", ("west_first", "dimension_order", "--network", "mesh(2, 2)")),
    "protocol": ("unknot.verify.protocols:check_protocol", ("request_reply", "--network", "mesh(2)", *RING[1:])),
    "diagnose": ("unknot.fabrics.diagnosis:diagnose", (str(ROOT / "examples/fabrics/opensm-ring12-lash"),)),
    "line-rate": ("unknot.verify.line_rate_answer:line_rate", ("ring(4)",)),
    "design": ("unknot.synthesis:design", ("routing", "mesh(2)")),
    "lanes": ("unknot.lane_assignment:lanes", RING[:1]),
    "repair": ("unknot.remedies:repair", RING),
    "explore": ("unknot_explore.page:stored", ("ring(4)", "--routing", "shortest_paths", "--out", "page.html")),
    "export": ("unknot.report.export:export", (RING[0], "out.json", *RING[1:])),
    "audit": ("unknot.verify.audit:audit", (str(ROOT / "examples/fabrics/opensm-ring12-lash"),)),
    "show": ("unknot.network:measure", RING[:1]),
    "convert": ("unknot.fabrics:write_network", ("ring(4)", "out.json")),
    "simulate": ("unknot.simulation:simulate", (*RING, "--load", "0.1")),
    "curve": ("unknot.studies.sweep:compute", RING),
    "trace": ("unknot.simulation.traces.closed_loop:closed_loop", (*RING, "--requests", "1")),
    "compare": ("unknot.studies.comparison:compared", RING[:1]),
    "collective": ("unknot_collectives.comparison:compared", RING[:1]),
    "multicast": ("unknot_collectives.execution:execute", RING),
    "bnr": ("unknot_papers.bnr.table:conclude", RING),
    "itm": ("unknot_papers.itm.escape_layer:escape_layer", ("itm(24, extra=12, seed=3)",)),
    "permute": ("unknot_papers.multistage:permute_with_faults", ("rcbn(8)", "3,0,1,2,7,6,5,4")),
    "rerun": ("unknot.network:measure", ("ring.svg",)),
    "cache": ("unknot._base.kernels.cache:clear", ("clear",)),
}
"""For each command a function that it calls, and the words that follow its name."""


def ends_in_time(names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with exit code 3 and a sentence; a limit of 1 second, here from that function on, is kept within 2."""
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(app, ["check", *RING, "--vcs", "1", "--export", "knot.json"])
    assert made.exit_code == 1, made.output
    assert CliRunner().invoke(app, ["show", "ring(4)", "--out", "ring.svg"]).exit_code == 0
    (tmp_path / "study.toml").write_text('[[design]]\nnetwork = "ring(4)"\nrouting = "shortest_paths"\n')
    chosen = json.dumps({name: CASES[name] for name in names})
    done = subprocess.run([sys.executable, "-c", FORKS, chosen, "1"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    ended = {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}
    for name in names:
        code, seconds, out, said = ended[name]
        assert seconds is not None, f"{name} did not come to its function: {said}"
        assert code == 3, f"{name}: {said}"
        assert seconds < 20
        assert "given up after 1 s, the time limit" in said or "undecided" in out, f"{name}: {said}"
        assert "Traceback" not in said
    assert sorted(tmp_path.glob(".*")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_some_commands_end_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """A few others of them in each run, as what ends them is the same for all; the campaign takes all."""
    assert set(CASES) == set(ALL)
    ends_in_time(random.Random(f"{seed} limits").sample(sorted(CASES), 3), tmp_path, monkeypatch)


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_every_command_ends_in_time_whatever_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends_in_time(sorted(CASES), tmp_path, monkeypatch)


def test_check_says_that_there_was_no_time_to_follow_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Deadline, "unless_over", lambda *_: None)
    said = CliRunner().invoke(app, ["check", *CASES["check"][1]])
    assert said.exit_code == 3
    assert "delivers undecided" in " ".join(said.stdout.split())


def test_a_limit_is_refused_everywhere_if_it_is_none() -> None:
    for name in CASES:
        for limit in ("0", "-1", "nan"):
            said = CliRunner().invoke(app, [name, *CASES[name][1], "--time-limit", limit])
            assert (said.exit_code, said.stdout) == (2, ""), (name, limit, said.output)
            assert "--time-limit: the time limit must be a positive number of seconds" in said.stderr
