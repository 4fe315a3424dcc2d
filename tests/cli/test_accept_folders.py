"""Evidence of folders: what files leave open, or lose, beside all that evidence can show."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app

EXAMPLES = Path(__file__).parents[2] / "examples"
DUAL, LASH = EXAMPLES / "ethernet/dual-tor-two-queues", EXAMPLES / "fabrics/opensm-ring12-lash"


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, words)])
    return result.exit_code, " ".join(result.output.split())


def accepted(folder: Path, tmp_path: Path, *claim: str) -> tuple[int, str]:
    """Ask for what the audit of a folder wrote as its evidence."""
    run("audit", folder, "--evidence", tmp_path / "evidence.json")
    words = [word for one in claim for word in ("--claim", one)]
    return run("accept", tmp_path / "evidence.json", "--network", folder, *words)


def test_packets_that_are_dropped_are_no_yes(tmp_path: Path) -> None:
    code, said = accepted(EXAMPLES / "ethernet/dual-tor-remap-without-t1", tmp_path, "audit")
    assert code == 1
    assert "beside what evidence can show, this fails: packets to 192.168.0.0/24" in said


def test_what_is_not_read_leaves_the_claim_open(tmp_path: Path) -> None:
    assert accepted(DUAL, tmp_path, "audit")[0] == 0
    folder = tmp_path / "vrf"
    shutil.copytree(DUAL, folder)
    file = folder / "tor-a/config_db.json"
    content = json.loads(file.read_text()) | {"VLAN_INTERFACE": {"Vlan1000": {"vrf_name": "VrfBlue"}}}
    file.write_text(json.dumps(content))
    code, said = accepted(folder, tmp_path, "audit")
    assert code == 3
    assert "this is open: not read: routes of VRF VrfBlue (tor-a)" in said
    code, said = accepted(folder, tmp_path)
    assert code == 0
    assert "the audit of" in said
    assert "is open beside what evidence shows: not read: routes of VRF VrfBlue (tor-a)" in said


@pytest.mark.long
def test_adaptive_routing_leaves_the_claim_open(tmp_path: Path) -> None:
    assert accepted(LASH, tmp_path, "audit")[0] == 0
    folder = tmp_path / "adaptive"
    shutil.copytree(LASH, folder)
    (folder / "more.conf").write_text("event_plugin_name armgr\n")
    evidence = tmp_path / "evidence.json"
    run("audit", folder, "--assume", "static", "--evidence", evidence)
    code, said = run("accept", evidence, "--network", folder, "--claim", "audit")
    assert code == 3
    assert "adaptive routing: more.conf (OpenSM's manager of adaptive routing)" in said
    assert run("accept", evidence, "--network", folder, "--claim", "audit(assume='static')")[0] == 0


def test_a_question_in_a_file_keeps_what_is_open(tmp_path: Path) -> None:
    """Whoever checks it with the checker alone has the same answer."""
    question = tmp_path / "question.json"
    run("audit", DUAL, "--evidence", tmp_path / "evidence.json")
    assert run("accept", "--network", DUAL, "--claim", "audit", "--export", question)[0] == 0
    asked = json.loads(question.read_text())
    for entry, code in (("open", 3), ("fails", 1)):
        question.write_text(json.dumps(asked | {entry: ["a word"]}))
        assert run("accept", tmp_path / "evidence.json", "--question", question)[0] == code


def test_a_folder_without_a_routing_is_asked_by_its_audit(tmp_path: Path) -> None:
    code, said = accepted(DUAL, tmp_path, "deadlock_free")
    assert code == 2
    assert "ask for --claim audit" in said


@pytest.mark.long
def test_the_claim_is_about_the_traffic_that_the_audit_judges(tmp_path: Path) -> None:
    code, said = accepted(LASH, tmp_path, "audit")
    assert code == 0
    assert "host-to-switch: deadlock: this part was not asked for" in said
    assert accepted(LASH, tmp_path, "audit(traffic='host-to-switch')")[0] == 1  # some switch ports are not reached
