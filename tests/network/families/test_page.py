"""What docs/topologies.md shows is what comes out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from made_tables import NETWORKS, families, figures
from unknot.cli.program import app
from unknot.network import families as topologies
from unknot.network import tod
from unknot.network.tod.functions import foreign
from unknot.report import draw_network

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "topologies.md").read_text(encoding="utf-8")
LISTED = {*re.findall(r"^\| `(\w+)", families(staged=False), re.M)}


def test_families_with_figures_are_listed() -> None:
    assert {call.split("(")[0] for call in NETWORKS} <= LISTED
    assert "| `slim_fly(5)` | 50 | 350 | 200 | 7 | 2 | 1.857 |" in figures()
    assert "made/figures.md" in PAGE


def test_no_family_is_forgotten() -> None:
    """Each public family is in one of two tables, and those of extensions in the second."""
    staged = {*re.findall(r"^\| `(\w+)", families(staged=True), re.M)}
    assert not LISTED & staged
    assert (LISTED | staged) - {"call"} == {*topologies.__all__, *foreign()} - {"from_edges"}
    assert "`dragonfly_plus(leaves, p=None, " in families(staged=False)
    assert "made/families.md" in PAGE
    assert "made/multistage.md" in (DOCS / "multistage.md").read_text(encoding="utf-8")


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
