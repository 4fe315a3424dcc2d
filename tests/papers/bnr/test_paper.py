"""The answers of examples/papers/bnr.py and bnr_algorithms.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.papers import script

ONLY_WHEN = {
    "kinds_of_messages",
    "conclusion_1",
    "any_technique",
    "any_network",
    "par_provides_fewer",
    "pbfaa_is_safe",
    "overlay_is_safe",
    "method_1",
    "lcfaa_is_cheapest",
}
SLOW = {"conclusion_1_for_minimal", "pbfaa_provides_all", "pbfaa_is_safe", "vba_cost", "lcfaa_wormhole"}


ALGORITHMS = script("bnr_algorithms")
CLAIMS = [*script("bnr").CLAIMS, *ALGORITHMS.CLAIMS]


def expected(claim: str) -> str:
    name = dict(CLAIMS)[claim].__name__
    if name == "lcfaa_wormhole":
        return "no"
    return "only when" if name in ONLY_WHEN or "LCFAA is minimal" in claim else "yes"


def ask(claim: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(ALGORITHMS, "REPORTS", folder)
    answer, why = dict(CLAIMS)[claim]()
    assert answer == expected(claim), why


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("claim", [c for c, question in CLAIMS if question.__name__ not in SLOW])
def test_answers(claim: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ask(claim, monkeypatch, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("claim", [c for c, question in CLAIMS if question.__name__ in SLOW])
def test_answers_that_take_longer(claim: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ask(claim, monkeypatch, tmp_path)
    if "wormhole" in claim:
        assert {path.name for path in tmp_path.iterdir()} == {
            "lcfaa-3x3-wormhole.svg",
            "lcfaa-2x2x2-wormhole.svg",
        }
