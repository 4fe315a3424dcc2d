"""Commands that print properties: analyse, faults."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.stdout


def test_analyse_reports_every_property() -> None:
    code, text = run("analyse", "mesh(4, 4)", "--routing", "west_first", "--best")
    assert code == 0
    shown = {line.split("  ")[0]: line.split("  ", 1)[1].strip() for line in text.splitlines() if "  " in line}
    assert shown["minimal"] == shown["livelock free"] == "yes"
    assert shown["adaptivity fully adaptive"] == "NO"
    assert shown["adaptivity worst pair"] == "t15 to t0"
    path = "t5 to t0 by (1,1)→(1,0), (1,0)→(0,0): (1,1)→(1,0) is not offered"
    assert shown["adaptivity forbidden"] == path
    assert (shown["vc use total"], shown["vc use per router"]) == ("48", "2, 4")
    assert shown["best throughput"] == "1 flit per cycle"


def test_analyse_as_json() -> None:
    code, text = run("analyse", "ring(4)", "--routing", "dimension_order", "--vcs", "2", "--json")
    answer = json.loads(text)
    assert code == 0
    assert answer["adaptivity"]["worst_paths"] == 2
    assert answer["vc_use"]["per_channel"] == [2, 2]
    assert "(3)→(0) VC 1" in answer["vc_use"]["unused"]
    assert answer["loads"]["method"] == "routes"
    assert len(answer["loads"]["channel"]) == 8
    assert answer["best"] is None


def test_faults(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run("faults", "mesh(3, 3)", "--routing", "dimension_order")
    assert code == 1
    assert "possible   12" in text
    assert "undelivered 12" in text
    assert "no way on from" in text
    code, text = run("faults", "mesh(3, 3)", "--routing", "up_down", "--kind", "routers", "--at-once", "2", "--json")
    answer = json.loads(text)
    assert code == 0
    assert answer["survives"] is True
    assert answer["possible"] == len(answer["tried"]) == 36
    assert run("faults", "mesh(3, 3)", "--routing", "up_dwn")[0] == 2
