"""The code on the front page and in the docs runs and says what it says there."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.certificates import Verdict, accept_verdict
from unknot.cli.program import app
from unknot.network import tod
from unknot.routing import Relation

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^\$ unknot (.*?)\s+# exit code (\d)$", README, re.M)
DOCTESTED = sorted(page for page in (ROOT / "docs").glob("*.md") if ">>> " in page.read_text(encoding="utf-8"))


def test_the_rule_of_the_front_page_is_refuted_and_replays() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    (shown,) = re.findall(r"```python\n.*?```\n\n```text\n(.*?)```", README, re.S)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert printed.getvalue() == shown


def test_the_mended_rule_of_the_front_page_is_proved() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    assert "put a `break` after `n += 1`" in README
    (shown,) = re.findall(r"and\nit prints\n\n```text\n(.*?)```", README, re.S)
    mended = code.replace("            n += 1\n", "            n += 1\n            break\n")
    assert mended != code
    names: dict[str, object] = {"__name__": "readme"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(mended, "README.md", "exec"), names)
    assert printed.getvalue() == shown
    relation, verdict = names["greedy"], names["verdict"]
    assert isinstance(relation, Relation)
    assert isinstance(verdict, Verdict)
    accept_verdict(relation, verdict)


@pytest.mark.parametrize(("words", "code"), CONSOLE, ids=[words for words, _ in CONSOLE])
def test_commands_of_the_front_page_end_as_it_says(words: str, code: str) -> None:
    assert CliRunner().invoke(app, shlex.split(words)).exit_code == int(code)


def test_networks_of_the_front_page() -> None:
    (block,) = re.findall(r"```tod\n(.*?)```", README, re.S)
    sizes = [tod.network(line).num_routers for line in block.splitlines()]
    assert sizes == [512, 64, 64]


def test_the_front_page_shows_commands() -> None:
    assert len(CONSOLE) == 3


@pytest.mark.parametrize("page", DOCTESTED, ids=[page.name for page in DOCTESTED])
def test_examples_of_a_page(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
