"""The answers of examples/papers/wormhole.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).parents[1] / "examples/papers/wormhole.py"
SOME = (
    "3: ",
    "4.1: on the ring",
    "Theorem 4.1 for",
    "4.2, 5.2:",
    "5.4:",
    "5.5: no VCs",
    "6.1: its arcs",
    "6.2: the technique",
)
"""Claims that are asked about every time, by how they begin."""


def load() -> ModuleType:
    if str(PATH.parent) not in sys.path:
        sys.path.append(str(PATH.parent))
    spec = importlib.util.spec_from_file_location("paper_wormhole", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expected(claim: str) -> str:
    """The paper is right, but for conditions it leaves out and one it need not make."""
    if claim.startswith(
        ("2: store-and-forward", "3: ", "Theorem 4.1 for", "6.2: with d roots", "6.2: the technique")
    ):
        return "only when"
    return "no" if claim.startswith("Proposition 5.1, its proof") else "yes"


@pytest.mark.parametrize("begin", SOME)
def test_some_claims(begin: str) -> None:
    ((claim, ask),) = [pair for pair in load().CLAIMS if pair[0].startswith(begin)]
    answer, why = ask()
    assert answer == expected(claim)
    assert why


@pytest.mark.campaign
def test_every_claim() -> None:
    assert {claim: ask()[0] for claim, ask in load().CLAIMS} == {claim: expected(claim) for claim, _ in load().CLAIMS}
