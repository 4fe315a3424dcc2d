"""What docs/topologies.md shows is what comes out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.network import families as topologies
from unknot.network import measure, tod
from unknot.network.tod.functions import FUNCTIONS
from unknot.report import draw_network

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "topologies.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`\w+\([^|]*) \| (?!\d+ \|)", PAGE, re.M)
LISTED = {name for row in ROWS for name in re.findall(r"`(\w+)\(", row)}
FIGURES = re.findall(r"^\| `(.+?)` \| ([\d.–| ]+) \|$", PAGE, re.M)


@pytest.mark.parametrize(("call", "figures"), FIGURES, ids=[call for call, _ in FIGURES])
def test_figures(call: str, figures: str) -> None:
    found = measure(tod.network(call))
    degree = (
        f"{found.degree_min}–{found.degree_max}" if found.degree_min < found.degree_max else str(found.degree_min)
    )
    expected = [found.routers, found.channels, found.terminals, degree, found.diameter, f"{found.mean_distance:.3f}"]
    assert figures.split(" | ") == [str(value) for value in expected]


def test_families_with_figures_are_listed() -> None:
    assert len(FIGURES) == 10
    assert {call.split("(")[0] for call, _ in FIGURES} <= LISTED


def test_no_family_is_forgotten() -> None:
    """Whatever stands in one file with a family of the page is on it too, or a word of the topology language."""
    functions = {name: getattr(topologies, name) for name in topologies.__all__}
    files = {functions[name].__module__ for name in LISTED}
    assert len(files) == 7
    for name, function in functions.items():
        assert function.__module__ not in files or name in FUNCTIONS or f"`{name}(" in PAGE, name


def test_the_console_is_as_shown() -> None:
    ((words, shown),) = re.findall(r"```console\n\$ unknot (.*?)\n(.*?)```", PAGE, re.S)
    result = CliRunner().invoke(app, shlex.split(words))
    assert result.exit_code == 0
    assert [line.rstrip() for line in result.output.splitlines()] == shown.splitlines()


@pytest.mark.parametrize("call", ["fat_tree(3, 3)", "dragonfly(4)", "slim_fly(5)", "cube_connected_cycles(3)"])
def test_drawings(call: str) -> None:
    drawn = draw_network(tod.network(call)).text
    kept = (DOCS / "images" / f"{call.split('(')[0]}.svg").read_text(encoding="utf-8")
    assert re.findall(r"<title>.*?</title>", drawn) == re.findall(r"<title>.*?</title>", kept)
