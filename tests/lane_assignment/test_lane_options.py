"""`unknot lanes` with prescribed lanes, more lanes for less load, files, and Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lane_assignment.commands import run
from unknot._base.errors import RelationError
from unknot.lane_assignment import lanes
from unknot.search.effort import SearchEffort
from unknot.verify import check, deliver


def test_prescribed_lanes(tmp_path: Path) -> None:
    out = tmp_path / "routes.json"
    code, text = run("lanes", "ring(6)", "--lanes", "1", "--time-limit", "600", "--export", str(out))
    assert code == 0
    assert "In 1 lane 2 of 30 routes are longer than shortest paths." in text
    assert "mean hops 1.933 mean shortest 1.8" in text
    assert json.loads(out.read_text())["vcs"] == [1] * 12
    code, text = run("lanes", "ring(6)", "--lanes", "2", "--json")
    answer = json.loads(text)
    assert (code, answer["longer_pairs"], answer["mean_hops"], answer["minimal"]) == (0, 0, 1.8, True)
    code, text = run("lanes", "ring(6)", "--lanes", "2", "--paths", "table")
    assert code == 2
    assert "with --lanes or --stretch paths are free" in text
    code, text = run("lanes", "ring(6)", "--stretch", "2", "--json")
    assert (code, json.loads(text)["lanes"], json.loads(text)["longest_detour"]) == (0, 1, 2)
    evidence = tmp_path / "evidence.json"
    assert run("lanes", "ring(6)", "--stretch", "2", "--evidence", str(evidence))[0] == 0
    code, text = run("accept", str(evidence))
    assert code == 0
    assert "the longest route has 4 hops, and not all are shortest paths" in text
    code, text = run("lanes", "ring(6)", "--lanes", "2", "--export", "routes.png")
    assert code == 2
    assert "routes.png: tables are written to files that end in" in text


def test_more_lanes_for_less_load() -> None:
    few, low = (lanes("mesh(3, 3)", most=3, first=first, tries=2) for first in ("lanes", "load"))
    assert few.front == low.front
    assert [count for count, _ in few.front] == [1, 2, 3]
    assert (few.count, few.highest_load) == few.front[0]
    assert low.highest_load == min(load for _, load in low.front)
    for laned in (few, low):
        assert check(laned.relation, "wormhole").deadlock_free
        assert deliver(laned.relation).minimal
        assert laned.relation.vcs.widest == laned.count
    code, text = run("lanes", "mesh(3, 3)", "--most", "3", "--first", "load")
    assert code == 0
    front = text.partition("front lanes highest load")[2].split()
    assert front[1::2] == ["1", "2", "3"]
    with pytest.raises(RelationError, match="unknown first 'laod'"):
        lanes("mesh(3, 3)", first="laod")


SPEAKING = """
import contextlib, signal, sys
import unknot.cli.commands.activity as activity
from unknot.cli.program import main

signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def working(what):
    yield lambda stage, done, total: print(stage, file=sys.stderr, flush=True)


activity.working = working
sys.argv = ["unknot", "lanes", "torus(12, 12)", "--paths", "table", "--time-limit", "500", "--json"]
main()
"""


def test_ctrl_c_between_two_searches_loses_no_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    finish_by, calls = SearchEffort.finish_by, []

    def interrupted(self: SearchEffort, deadline: float) -> None:
        calls.append(deadline)
        if len(calls) == 1:
            raise KeyboardInterrupt
        finish_by(self, deadline)

    monkeypatch.setattr(SearchEffort, "finish_by", interrupted)
    routes = lanes("torus(4, 4)", "table")
    assert not routes.complete
    assert len(calls) > 1
    assert check(routes.relation).deadlock_free


@pytest.mark.long
def test_ctrl_c_keeps_the_best_so_far() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SPEAKING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            next(line for line in process.stderr if line.endswith("lanes will do\n"))
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=600)
        finally:
            process.kill()
    answer = json.loads(out)
    assert answer["complete"] is False
    assert answer["lanes"] >= 2
    # the proof has half a second, which is enough unless the machine is busy
    assert process.returncode == (0 if answer["deadlock_free"] and answer["delivered"] else 130)
    assert answer["deadlock_free"] in (True, None)
    assert answer["delivered"] in (True, None)
    assert answer["history"][-1]["lanes"] == answer["lanes"]
