"""Runs shown on the front page and in the docs are stable or say why not, and print what is shown below them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/how-to").glob("*.md"))]
RUNS = sorted(
    {
        words
        for page in PAGES
        for words in re.findall(r"^\$ unknot (simulate .*?)$", page.read_text(encoding="utf-8"), re.M)
        if not any(part in words for part in ("exit code", "--saturation", "--protocol"))
    }
    | set(re.findall(r"`unknot (simulate [^`]*)`", (ROOT / "README.md").read_text(encoding="utf-8")))
)
SHOWN = [
    (page.name, words, text)
    for page in PAGES
    for words, text in re.findall(
        r"```console\n\$ unknot ([^\n]*)\n```\n\n?```text\n(.*?)```", page.read_text(encoding="utf-8"), re.S
    )
]
MEANT = {
    "--vcs 1 --load 1 --packet-length 4": "deadlock",
    "--watchdog 128": "starvation",
}
"""Runs that are shown because they are not stable, and what they say."""


@pytest.mark.sampled(1 / 10)
@pytest.mark.parametrize("words", RUNS)
def test_a_shown_run_is_stable_or_says_why(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    given = shlex.split(words)
    result = CliRunner().invoke(app, [*given, *([] if "--json" in given else ["--json"])])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    meant = [why for part, why in MEANT.items() if part in words]
    assert found["stable"] is not bool(meant), found["reason"]
    assert all(why in found["reason"] for why in meant)


@pytest.mark.parametrize(("page", "words", "text"), SHOWN, ids=[f"{page}: {words}" for page, words, _ in SHOWN])
def test_what_is_shown_is_printed(page: str, words: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, _, code = words.partition("    # exit code ")
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == int(code or 0), result.output
    printed = " ".join(result.output.split())
    for line in text.splitlines():
        assert " ".join(line.split()) in printed
