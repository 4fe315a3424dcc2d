"""Every snippet of docs/tod.md does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.papers import script
from unknot.network.tod import functions, network
from unknot.network.tod.parse import DEEPEST, LONGEST
from unknot.network.tod.plan import MAX_CHANNELS, MAX_DIMENSIONS, MAX_GRAPHS

ROOT = Path(__file__).parents[3]
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
    words = f"{LONGEST:,} characters, {DEEPEST} nested brackets, {MAX_DIMENSIONS} dimensions, {MAX_GRAPHS:,}"
    assert words in PAGE.replace("\n", " ")


def test_figures_of_every_example_are_printed() -> None:
    examples = {path.stem for path in (ROOT / "examples/tod").glob("*.tod")} - {"families"}
    rows = dict(re.findall(r"^\| (\w+) \| (\d.*) \|$", script("tod").figures(), re.M))
    assert set(rows) == examples
    assert rows["petersen"] == "10 | 15 | 3 | 2 | 1.667"
