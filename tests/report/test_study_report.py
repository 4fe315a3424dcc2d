"""The report of a study is whole, safe, needs nothing else, and is the same bytes every time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.report.examples import study_result
from tests.report.test_page import Checker
from unknot.report import write_study_report
from unknot.report.study_report import study_page

HOSTILE = "<script>alert(1)</script>&\"'"


def read(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    return checker


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "deep" / "study.html"
    write_study_report(study_result(), path)
    return path.read_text(encoding="utf-8")


def test_it_says_what_was_judged_found_and_how_to_rerun(report: str) -> None:
    text = " ".join(read(report).text)
    for words in (
        "1 of 2 designs is deadlock-free. “no dateline” can deadlock.",
        "✗ can deadlock",
        "✓ deadlock-free",
        "✓ checked",
        "How “no dateline” deadlocks",
        "no message, injected at the terminals, had moved after 1,000 cycles",
        "What “no dateline” ran into at load 0.3",
        "deadlock of 4 messages, seed 1",
        "the latency grew to the end",
        "title = 'A study'",
        "unknot run 'examples/a study.toml'",
    ):
        assert words in text, words
    assert "long story" not in text


def test_every_message_is_described_and_drawn(report: str) -> None:
    text = " ".join(read(report).text)
    configuration = study_result().designs[0].verdict.configuration
    assert configuration is not None
    relation = study_result().designs[0].relation
    for i, message in enumerate(configuration.messages):
        assert f"Message {i + 1}: " in text
        assert all(relation.vcs.name(vc) in text for vc in (*message.held, *message.wanted))


def test_every_run_has_a_row(report: str) -> None:
    tail = report[report.index("<h2>Runs</h2>") :]
    assert tail.count("<tr>") == 1 + 6


@pytest.mark.long
def test_of_many_runs_the_first_are_listed(report: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = study_result()
    runs = sum(len(design.runs) for design in result.designs)
    monkeypatch.setattr("unknot.report.study_report.MOST_RUNS", 2)
    short = study_page(result)
    assert short.count("<tr>") == report.count("<tr>") - (runs - 2)
    assert f"{runs - 2} more runs are in the store" in short
    assert "more runs" not in report


def test_drawings_have_titles_and_a_role(report: str) -> None:
    drawings = re.findall(r"<svg [^>]*>\s*<title>[^<]+</title>", report)
    assert len(drawings) == report.count("<svg") == 5
    assert all('role="img"' in drawing for drawing in drawings)


def test_it_needs_nothing_else(report: str) -> None:
    for tag, attributes in read(report).found:
        assert tag not in ("script", "link", "img", "iframe", "object", "base")
        for key, value in attributes.items():
            if key in ("href", "src", "xlink:href", "action", "data"):
                assert (value or "").startswith("#")
            assert "url(" not in (value or "") or "url(#" in (value or "")
    assert "@import" not in report
    assert set(re.findall(r"https?://[^\"' ]+", report)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    write_study_report(study_result(name=HOSTILE, title=HOSTILE, text=HOSTILE), tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    checker = read(page)
    assert not any(tag == "script" for tag, _ in checker.found)
    assert sum(HOSTILE in text for text in checker.text) > 5


@pytest.mark.long
def test_another_process_writes_the_same_bytes(tmp_path: Path, report: str) -> None:
    program = (
        "import sys; from tests.report.examples import study_result; from unknot.report import write_study_report; "
        "write_study_report(study_result(), sys.argv[1])"
    )
    path, root = tmp_path / "page.html", Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, cwd=root, env=environment)
    assert path.read_text(encoding="utf-8") == report


def test_on_a_narrow_screen_curves_stand_one_below_the_other_and_tables_stay(report: str) -> None:
    hidden = re.search(
        r"@media \(max-width: 700px\) \{ \.(\w+) \{ display: none; \} \.(\w+) \{ display: block; \} \}", report
    )
    assert hidden is not None
    for name in hidden.groups():
        assert re.findall(rf'<div class="{name}"><(\w+)', report) == ["svg"]
