"""docs/gallery.md and its table docs/gallery.csv are what comes out of running the routings."""

from __future__ import annotations

import csv
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from benchmarks.gallery import VARIANTS, Gallery, gallery, gallery_text, rows

from unknot._base.errors import UnknotError
from unknot._base.switching import SWITCHINGS
from unknot.routing.named import routings
from unknot.verify import check

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
with (DOCS / "gallery.csv").open(encoding="utf-8", newline="") as file:
    ROWS = {row[0].strip("`"): tuple(row) for row in list(csv.reader(file))[1:]}
CHEAP = ["hyperx_dimwar", "nca", "p_cube", 'shuffle_exchange(vcs=2, simulates="B")']


@pytest.fixture(scope="module")
def cheap() -> Gallery:
    with ThreadPoolExecutor(1) as threads:
        return gallery(CHEAP, executor=threads)


@pytest.fixture(scope="module")
def refuted() -> Gallery:
    with ThreadPoolExecutor(1) as threads:
        return gallery(["lcfaa", "west_first"], ["mesh(3, 3)", "mesh(4, 2)", "ring(4)"], executor=threads)


def test_the_page_shows_nothing_else() -> None:
    assert set(ROWS) <= set(routings()) | set(VARIANTS), "make it anew: python -m benchmarks.gallery"
    assert set(VARIANTS) < set(ROWS)


def test_rows_are_what_comes_out(cheap: Gallery) -> None:
    assert rows(cheap) == [ROWS[name] for name in CHEAP]


def test_a_refuted_claim_is_reported_with_its_counterexample(cheap: Gallery, refuted: Gallery) -> None:
    section = PAGE.split("## Where source and verdict differ")[1]
    assert set(re.findall(r"^`([^`]+)`:", section, re.M)) == {"lcfaa", "pbfaa", CHEAP[3]}
    apart = gallery_text(cheap).split("## Where source and verdict differ")[1]
    assert apart.strip() in section
    assert "cannot deadlock under saf, vct, wormhole and wormhole-nonatomic; it can" in apart
    text = gallery_text(refuted)
    assert "says that it cannot deadlock under wormhole; it can on mesh(4, 2) and mesh(3, 3)." in text
    assert "On mesh(4, 2) 6 messages block each other for ever:" in text
    assert "wormhole **2/2**✗" in rows(refuted)[0][-1]


def test_a_gallery_without_refuted_claims_has_no_such_section(refuted: Gallery) -> None:
    good = Gallery(tuple(e for e in refuted.exhibits if e.routing == "west_first"), {}, refuted.switchings)
    assert "differ" not in gallery_text(good)
    assert "all hold" in gallery_text(good)


def test_exhibits_are_judged_as_by_themselves(refuted: Gallery) -> None:
    for exhibit in refuted.exhibits:
        for switching in SWITCHINGS:
            verdict = check(exhibit.relation, switching).deadlock_free
            claim = exhibit.relation.claims.get(switching)
            assert exhibit.design_of(switching).verdict.deadlock_free == verdict
            assert exhibit.agrees(switching) == (None if claim is None else claim == verdict)


def test_networks_that_no_routing_takes_are_refused() -> None:
    with pytest.raises(UnknotError, match="none of these routings takes any of these networks"):
        gallery(["west_first"], ["ring(4)"])
