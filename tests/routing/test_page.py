"""docs/routing.md: its figures are those that come out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.declared import declared
from unknot.fabrics.named import network
from unknot.routing.named import routing, routings
from unknot.routing.up_down import CHOICES, LEVELS
from unknot.verify import check
from unknot.verify.loads import loads

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/routing.md").read_text(encoding="utf-8")
FIGURES = re.findall(r"^\| `([^`]+)` \| (\d) \| (\d\.\d\d) \| (\d\.\d\d) \| (yes|no) \|$", PAGE, re.M)
ON_ANY = [row for row in FIGURES if row[0].partition("(")[0] in routings()]


def test_the_page_names_routings_that_are() -> None:
    """All of them are in docs/gallery.md, which is made by running; this page is a guide written by hand."""
    guide = PAGE.split("## Which one")[1].split("## Any network")[0]
    named = set(re.findall(r"`([a-z]\w+)(?:\([^`]*\))?`", guide))
    assert len(named) > 20
    assert named <= {*routings(), *declared()["unknot.routings"]}


@pytest.mark.parametrize(("words", "vcs", "hops", "load", "stuck"), ON_ANY, ids=[row[0] for row in ON_ANY])
def test_figures_on_a_random_network(words: str, vcs: str, hops: str, load: str, stuck: str) -> None:
    relation = routing(network("irregular(64, 4, 1, seed=0)"), words)
    found = loads(relation)
    assert int(relation.vcs.counts.max()) == int(vcs)
    assert (f"{found.mean_hops:.2f}", f"{found.throughput:.2f}") == (hops, load)
    assert check(relation, "wormhole").deadlock_free is (stuck == "no")


def test_the_choices_of_up_down_are_named() -> None:
    (words,) = re.findall(r"^- `up_down` (.*?)^- ", PAGE, re.M | re.S)
    assert all(f'`"{choice}"`' in words for choice in (*CHOICES, *LEVELS, "best"))


def test_the_table_is_read() -> None:
    assert len(FIGURES) == 8
