"""docs/papers.md: paths exist, commands run, claims and answers are those of the scripts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests import test_paper_wormhole
from tests.network.tod import test_docs as test_paper_tod
from tests.papers import script
from tests.papers.bnr import test_paper as test_paper_bnr
from tests.papers.itm import test_paper as test_paper_itm
from tests.papers.multistage import test_paper as test_paper_rcbn
from unknot.cli.program import app

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"\| `unknot ([^`]+)`(?: \(exit code (\d)\))? \|$", PAGE, re.M)
EXPECTED: dict[str, Callable[[], dict[str, str]]] = {
    "bnr": lambda: {claim: test_paper_bnr.expected(claim) for claim, _ in test_paper_bnr.CLAIMS},
    "itm": lambda: {claim: test_paper_itm.expected(ask.__name__) for claim, ask in test_paper_itm.MODULE.CLAIMS},
    "wormhole": lambda: {claim: test_paper_wormhole.expected(claim) for claim, _ in test_paper_wormhole.CLAIMS},
    "tod": lambda: {claim: test_paper_tod.expected(claim) for claim, _ in script("tod").CLAIMS},
    "rcbn": lambda: {claim: test_paper_rcbn.expected(claim) for claim, _ in script("rcbn").CLAIMS},
}


def claims_of(name: str) -> dict[str, str]:
    """The claims of a paper that the page lists: those that do not hold as they stand."""
    (table,) = re.findall(rf"<!-- claims of {name} -->\n(.*?)\n<!-- end of claims -->", PAGE, re.S)
    rows = re.findall(r"^\| (.*) \| (only when|no|open) \|$", table, re.M)
    return {claim.replace(r"\|", "|"): answer for claim, answer in rows}


@pytest.mark.parametrize("name", EXPECTED)
def test_claims_and_answers_are_those_of_the_script(name: str) -> None:
    """The tests of each script hold it to the answers that are compared here."""
    expected = EXPECTED[name]()
    assert claims_of(name) == {claim: answer for claim, answer in expected.items() if answer != "yes"}
    (row,) = re.findall(rf"^\| .* \| .*`examples/papers/{name}\.py` \| \[[^|]*\) \| ([\d| ]+) \|$", PAGE, re.M)
    answers = list(expected.values())
    assert [int(n) for n in row.split(" | ")] == [answers.count(a) for a in ("yes", "only when", "no", "open")]


def test_totals_are_those_of_the_table() -> None:
    counts = [row.split(" | ") for row in re.findall(r"^\| .* \| \[[^|]*\) \| ([\d| ]+) \|$", PAGE, re.M)]
    totals = re.findall(r"(\d+) (?:hold|only|do not|are open)", PAGE.split("\n\n")[1])
    assert [int(total) for total in totals] == [sum(int(row[i]) for row in counts) for i in range(4)]


def test_paths_exist() -> None:
    named = set(re.findall(r"`((?:src|examples)/[^`]+)`", PAGE))
    assert not [path for path in named if not (ROOT / path).exists()]
    scripts = {f"examples/papers/{path.name}" for path in (ROOT / "examples/papers").glob("*.py")}
    assert scripts <= named


LONG = {'show "line(2)[tree(2, 2)] * line(2) ** 6"'}
"""Commands that take seconds of processor time: in the campaign."""


@pytest.mark.parametrize(
    ("words", "code"),
    [pytest.param(*c, id=c[0], marks=[pytest.mark.campaign] * (c[0] in LONG)) for c in COMMANDS],
)
def test_commands_run(words: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, shlex.split(words))
    assert result.exit_code == int(code or 0), result.output


def test_every_row_has_its_command() -> None:
    tables = re.findall(r"^\| named by the paper \| command \|\n\|[ |-]*\n((?:\|.*\n)+)", PAGE, re.M)
    rows = [row for table in tables for row in table.splitlines()]
    without = [row for row in rows if "`unknot " not in row]
    assert len(tables) == 5
    assert len(COMMANDS) > 25
    assert len(without) == 1, "of a network that no public text defines"
