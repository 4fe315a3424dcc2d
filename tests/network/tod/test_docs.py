"""Every snippet of docs/tod.md does what the page says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.papers import script
from unknot.network.tod import functions, network
from unknot.network.tod.parse import DEEPEST, LONGEST
from unknot.network.tod.plan import MAX_CHANNELS, MAX_DIMENSIONS, MAX_GRAPHS

ROOT = Path(__file__).parents[3]
LONG = {"rdt_is_the_published_one", "rdt_reaches_far", "any_replacing_graph"}
"""Claims that take seconds of processor time: in the campaign."""
PAGE = (ROOT / "docs/tod.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```tod\n(.*?)```", PAGE, re.S)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets(snippet: str) -> None:
    found = network(snippet)
    ((text),) = re.findall(r"#= (.*)", snippet)
    for number, word in re.findall(r"(\d+) (\w+)", text):
        assert getattr(found, f"num_{word}") == int(number), word


def test_every_function_is_on_the_page() -> None:
    for name in functions.FUNCTIONS:
        assert re.search(rf"\b{name}\b", PAGE), name


def test_limits_on_the_page() -> None:
    assert MAX_CHANNELS == 2**25
    words = (
        f"{LONGEST:,} characters, {DEEPEST} brackets inside one another, {MAX_DIMENSIONS} dimensions, {MAX_GRAPHS:,}"
    )
    assert words in PAGE.replace("\n", " ")


def expected(claim: str) -> str:
    """The answer to a claim of the paper, by what it begins with."""
    if claim.startswith(("3.2: every router", "3.3: that union", "2.2.3: without directions")):
        return "no"
    return "open" if claim.startswith(("1: CCTcube", "1: SNT")) else "yes"


def test_figures_of_every_example_are_printed() -> None:
    examples = {path.stem for path in (ROOT / "examples/tod").glob("*.tod")} - {"families"}
    rows = dict(re.findall(r"^\| (\w+) \| (\d.*) \|$", script("tod").figures(), re.M))
    assert set(rows) == examples
    assert rows["petersen"] == "10 | 15 | 3 | 2 | 1.667"


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("claim", "ask"),
    [
        pytest.param(claim, ask, id=ask.__name__, marks=[pytest.mark.campaign] * (ask.__name__ in LONG))
        for claim, ask in script("tod").CLAIMS
    ],
)
def test_the_claims_of_the_paper(claim: str, ask: Callable[[], tuple[bool | None, str]]) -> None:
    answer, why = ask()
    assert {True: "yes", False: "no", None: "open"}[answer] == expected(claim), why
