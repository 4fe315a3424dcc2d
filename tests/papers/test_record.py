"""Every claim of the papers in its small form, and the record of the last whole run, which pages are held to."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.papers.record import COMMAND, ROOT, SCRIPTS, answer, claims, covered, digest, record
from tests.papers.record import main as make_record

DRAWN = {
    "lcfaa_wormhole": ["lcfaa-2x2x2-wormhole.svg", "lcfaa-3x3-wormhole.svg"],
    "needs_chordal": ["theorem-2-not-chordal.svg"],
    "spanning_and_hamiltonian": ["theorem-3-to-the-letter.svg"],
    "counts_of_lemma_4": ["lemma-4-general.svg"],
    "theorem_5": ["theorem-5-opposite.svg"],
    "multicast_is_contention_free": ["broadcast-unordered.svg", "broadcast.svg"],
    "two_layers": ["return.svg"],
}
"""Pictures that questions draw, by the names of their functions."""
LONG = (
    "all_permutations", "any_replacing_graph", "any_sum", "any_topology", "balanced", "bypass_helps",
    "coherence_is_not_needed", "common_products_from_atoms", "cycles_with_three", "e_cube", "hop_numbers",
    "level_algorithm", "multicast_is_contention_free", "networks_contain_meshes", "other_trees", "overlay_is_safe",
    "paths_and_loads", "pbfaa_is_safe", "pbfaa_provides_all", "primary_tags_arrive", "rdt_is_the_published_one",
    "rdt_reaches_far", "root_congests", "some_have_no_order", "theorem_1", "theorem_5", "theorem_deterministic",
    "throughput", "two_connected_neighbours", "two_layers", "two_trees_hold",
)  # fmt: skip
"""Questions that take half a second or more in their small form: a run draws four, the campaign asks all."""
PAGE = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
RECORD = record()


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_record_is_of_these_scripts(name: str) -> None:
    kept = RECORD[name]
    words = f"{name}.py, or an algorithm or topology that it names, has changed since {kept['date']}: run {COMMAND}"
    assert kept["digest"] == digest(name), words
    assert list(kept["answers"]) == [claim for claim, _ in claims(name)], words


def cases(*, long: bool) -> list[Any]:
    every = [(name, claim, getattr(ask, "__name__", "") in LONG) for name in SCRIPTS for claim, ask in claims(name)]
    return [
        pytest.param(name, claim, id=f"{name}: {claim[:40]}") for name, claim, is_long in every if is_long is long
    ]


def test_long_questions_are_named_as_in_the_scripts() -> None:
    assert sorted({getattr(ask, "__name__", "") for name in SCRIPTS for _, ask in claims(name)} & {*LONG}) == [*LONG]


@pytest.mark.parametrize(("name", "claim"), cases(long=False))
def test_every_claim_has_the_recorded_answer_in_its_small_form(name: str, claim: str) -> None:
    compare(name, claim)


@pytest.mark.sampled(1 / 8)
@pytest.mark.parametrize(("name", "claim"), cases(long=True))
def test_claims_that_take_long_have_the_recorded_answer(name: str, claim: str) -> None:
    compare(name, claim)


def compare(name: str, claim: str) -> None:
    ask = dict(claims(name))[claim]
    drawn = DRAWN.get(getattr(ask, "__name__", ""), [])
    assert answer(name, ask, small=True) == (RECORD[name]["answers"][claim], drawn)


def test_the_page_is_that_of_the_record() -> None:
    """Rows list what does not hold as it stands, and both tables and the first sentence count all of it."""
    totals = [0, 0, 0, 0]
    rows = re.findall(r"^\| [^|]* \| ([^|]*`examples/papers/\w+\.py`) \| \[[^|]*\) \| ([\d| ]+) \|$", PAGE, re.M)
    named = [(re.findall(r"papers/(\w+)\.py", cell), list(map(int, counts.split(" | ")))) for cell, counts in rows]
    assert sorted(one for scripts, _ in named for one in scripts if one in SCRIPTS) == sorted(SCRIPTS)
    for scripts, counts in named:
        answers = [pair for one in scripts if one in SCRIPTS for pair in RECORD[one]["answers"].items()]
        words = [word for _, word in answers]
        assert counts == [words.count(word) for word in ("yes", "only when", "no", "open")], scripts
        (table,) = re.findall(rf"<!-- claims of {scripts[-1]} -->\n(.*?)\n<!-- end of claims -->", PAGE, re.S)
        listed = re.findall(r"^\| (.*) \| (only when|no|open) \|$", table, re.M)
        assert sorted((claim.replace(r"\|", "|"), word) for claim, word in listed) == sorted(
            pair for pair in answers if pair[1] != "yes"
        )
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
    first = re.findall(r"(\d+) (?:hold|only|do not|are open)", PAGE.split("\n\n")[1])
    assert list(map(int, first)) == totals
    assert sum(totals) == sum(len(RECORD[name]["answers"]) for name in SCRIPTS)


def test_a_digest_covers_algorithms_and_not_what_answers() -> None:
    paths = {path.relative_to(ROOT).as_posix() for path in covered("wormhole")}
    assert {"src/unknot_papers/wormhole/two_trees.py", "examples/papers/methods/product_order.py"} <= paths
    assert not [path for path in paths if "/verify/" in path or "/simulation/" in path]


@pytest.mark.campaign
def test_a_whole_run_comes_to_the_recorded_answers() -> None:
    make_record(every=True)
    assert {name: kept["answers"] for name, kept in record().items()} == {
        name: kept["answers"] for name, kept in RECORD.items()
    }
