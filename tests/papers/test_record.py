"""Every claim of the papers in its small form, and the record of the last whole run, which pages are held to."""

from __future__ import annotations

import re
from typing import Any

import pytest

from made_tables import PAPERS, papers
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
    """Tables list what does not hold as it stands, and count all of it."""
    assert sorted(one for scripts in PAPERS.values() for one in scripts) == sorted(SCRIPTS)
    made = papers()
    assert sorted(re.findall(r"made/(\w[\w-]*)\.md", PAGE)) == sorted(made)
    words = [word for name in SCRIPTS for word in RECORD[name]["answers"].values()]
    counts = [words.count(word) for word in ("yes", "only when", "no", "open")]
    assert made["papers"].splitlines()[-1] == f"| all | {' | '.join(map(str, counts))} |"
    assert "| 4.2: LCFAA is deadlock-free under wormhole switching | no |" in made["claims-bnr"]
    rows = sum(table.count("\n") - 2 for name, table in made.items() if name != "papers")
    assert rows == sum(counts[1:])


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
