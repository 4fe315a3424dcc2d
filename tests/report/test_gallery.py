"""docs/gallery.md is what comes out; the command refuses bad input."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.report.gallery_page import gallery_text, write_gallery
from unknot.routing.named import routings
from unknot.studies.gallery import VARIANTS, Gallery, gallery

PAGE = (Path(__file__).parents[2] / "docs/gallery.md").read_text(encoding="utf-8")
ROWS = {line.split("`")[1]: line for line in PAGE.splitlines() if line.startswith("| `")}
CHEAP = ["hyperx_dimwar", "nca", "p_cube", 'shuffle_exchange(vcs=2, simulates="B")']


@pytest.fixture(scope="module")
def cheap() -> Gallery:
    with ThreadPoolExecutor(1) as threads:
        return gallery(CHEAP, executor=threads)


@pytest.fixture(scope="module")
def refuted() -> Gallery:
    with ThreadPoolExecutor(1) as threads:
        return gallery(["lcfaa", "west_first"], ["mesh(3, 3)", "mesh(4, 2)", "ring(4)"], executor=threads)


def test_the_page_shows_every_routing() -> None:
    assert set(ROWS) == set(routings()) | set(VARIANTS), "make it anew: unknot gallery --out docs/gallery.md"


def test_rows_are_what_comes_out(cheap: Gallery) -> None:
    made = [line for line in gallery_text(cheap).splitlines() if line.startswith("| `")]
    assert made == [ROWS[name] for name in CHEAP]


def test_a_refuted_claim_is_reported_with_its_counterexample(cheap: Gallery, refuted: Gallery) -> None:
    section = PAGE.split("## Where source and verdict differ")[1]
    assert set(re.findall(r"^`([^`]+)`:", section, re.M)) == {"lcfaa", "pbfaa", CHEAP[3]}
    apart = gallery_text(cheap).split("## Where source and verdict differ")[1]
    assert apart.strip() in section
    assert "under saf, vct, wormhole and wormhole-nonatomic the source" in apart
    text = gallery_text(refuted)
    assert "says that it cannot deadlock; it can on mesh(4, 2) and mesh(3, 3)." in text
    assert "- Waiting in a circle: message 1" in text
    assert "| **can deadlock** (not as claimed on 2) |" in text


def test_a_gallery_without_refuted_claims_has_no_such_section(refuted: Gallery) -> None:
    good = Gallery(tuple(e for e in refuted.exhibits if e.routing == "west_first"), {}, refuted.switchings)
    assert "differ" not in gallery_text(good)
    assert "all hold" in gallery_text(good)


def test_it_is_written_as_a_table_only(refuted: Gallery, tmp_path: Path) -> None:
    write_gallery(refuted, tmp_path / "b.md")
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == gallery_text(refuted)
    for name in ("a.html", "c.txt"):
        with pytest.raises(UnknotError, match=r"written as \.md; --json has every verdict"):
            write_gallery(refuted, tmp_path / name)


def unknot_gallery(*words: str) -> Result:
    return CliRunner().invoke(app, ["gallery", *words])


def test_json(tmp_path: Path) -> None:
    report = tmp_path / "g.md"
    result = unknot_gallery(
        "west_first", "--network", "mesh(2, 2)", "--network", "ring(4)", "--jobs", "1", "--json", "--out", str(report)
    )
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert set(found) == {"exhibits", "refusals", "report", "manifest"}
    (exhibit,) = found["exhibits"]
    assert {
        "routing", "network", "source", "delivered", "minimal", "longest_route", "adaptivity_mean",
        "adaptivity_worst", "deadlock_free", "claims", "agrees",
    } <= set(exhibit)  # fmt: skip
    assert exhibit["agrees"] == exhibit["deadlock_free"] == dict.fromkeys(exhibit["claims"], True)
    (refusal,) = found["refusals"]
    assert refusal["reason"] == "west_first wants a mesh; of ring(4), dimension 0 is a ring"
    assert report.read_text(encoding="utf-8").startswith("# Gallery of routings")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["west_furst"], "did you mean west_first"),
        (["west_first(vcs='x')"], "vcs"),
        (["west_first", "--network", "mesh(3"], "mesh(3"),
        (["west_first", "--network", "ring(4)"], "none of these routings takes any of these networks"),
        (["--out", "gallery.txt"], "written as .md"),
        (["west_first", "--jobs", "0"], "at least 1 job"),
    ],
)
def test_bad_input_ends_with_exit_code_2(words: list[str], said: str) -> None:
    result = unknot_gallery(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in result.stderr
