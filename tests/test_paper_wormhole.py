"""The answers of examples/papers/wormhole.py and wormhole_cost.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.papers import script

SOME = (
    "3: ",
    "4.1: on the ring",
    "Theorem 4.1 for",
    "4.2, 5.2:",
    "5.4:",
    "5.5: no VCs",
    "6.1: its arcs",
    "6.2: the technique",
    "1: ",
)
"""Claims that are asked about every time, by how they begin."""


CLAIMS = [pair for name in ("wormhole", "wormhole_cost") for pair in script(name).CLAIMS]
QUICK = [pair for pair in CLAIMS if pair[0].startswith(SOME)]


def expected(claim: str) -> str:
    """The paper is right, but for conditions it leaves out and one it need not make."""
    if claim.startswith(
        ("1: ordered", "2: store-and-forward", "3: ", "Theorem 4.1 for", "6.2: with d roots", "6.2: the technique")
    ):
        return "only when"
    return "no" if claim.startswith("Proposition 5.1, its proof") else "yes"


@pytest.mark.parametrize(("claim", "ask"), QUICK, ids=[claim for claim, _ in QUICK])
def test_some_claims(claim: str, ask: Callable[[], tuple[str, str]]) -> None:
    answer, why = ask()
    assert answer == expected(claim), why
    assert why


def test_the_claims_are_named_once() -> None:
    assert len({claim for claim, _ in CLAIMS}) == len(CLAIMS) == 31
    assert len(QUICK) == len(SOME) + 2


@pytest.mark.campaign
def test_every_claim() -> None:
    assert {claim: ask()[0] for claim, ask in CLAIMS} == {claim: expected(claim) for claim, _ in CLAIMS}
