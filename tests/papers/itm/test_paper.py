"""The answers of examples/papers/itm.py, and its drawings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.papers import script

YES = {"planar", "edges", "shortest_paths_are_free", "expansion_keeps_tables", "some_have_no_order"}
SLOW = {"multicast_is_contention_free", "two_layers", "throughput", "paths_and_loads", "shortest_paths_are_free"}
DRAWN = {
    "needs_chordal": ["theorem-2-not-chordal.svg"],
    "spanning_and_hamiltonian": ["theorem-3-to-the-letter.svg"],
    "counts_of_lemma_4": ["lemma-4-general.svg"],
    "theorem_5": ["theorem-5-opposite.svg"],
    "multicast_is_contention_free": ["broadcast-unordered.svg", "broadcast.svg"],
    "two_layers": ["return.svg"],
}


MODULE = script("itm")
QUESTIONS = {question.__name__: question for _, question in MODULE.CLAIMS}


def expected(name: str) -> str:
    return "yes" if name in YES else "only when"


def check_claims(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(MODULE, "PICTURES", folder)
    answer, why = QUESTIONS[name]()
    assert {True: "yes", False: "no"}.get(answer, answer) == expected(name), why
    assert sorted(path.name for path in folder.iterdir()) == DRAWN.get(name, [])


@pytest.mark.sampled(0.125)
@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - SLOW))
def test_answers(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_claims(name, monkeypatch, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(SLOW))
def test_answers_that_take_longer(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_claims(name, monkeypatch, tmp_path)
