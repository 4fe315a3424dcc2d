"""The answers of examples/papers/rcbn.py, and its drawings."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.papers import script

ROOT = Path(__file__).parents[3]
NO = {
    "1: the cited networks tolerate faults, since they have several paths for each pair",
    "2: cases 1 to 3 give the alternate tags of the composite banyan",
    "Definition 2: the links by their exponents, as printed",
    "4.1 and 5: there are (n − 1)/2 levels",
    "Theorem 1: at least 2^((n−1)/2) disjoint paths",
    "Corollary 3: P = 0 means that source and destination have the same number",
    "5: the level-by-level algorithm routes every permutation",
    "5: up to N/6 in a stage: alternate tags mend it",
}
"""What the machine refutes."""


def expected(claim: str) -> str:
    return "no" if claim in NO else "yes"


@pytest.fixture(scope="module")
def paper() -> ModuleType:
    return script("rcbn")


@pytest.mark.campaign
def test_the_claims(paper: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    paper.main()
    lines = capsys.readouterr().out.splitlines()
    answers = {line[5:]: line[:5].strip() for line in lines if line[:1] in "yno" and line[:1].strip()}
    assert list(answers) == [claim for claim, _ in paper.CLAIMS]
    assert answers == {claim: expected(claim) for claim, _ in paper.CLAIMS}
    words = " ".join(lines)
    for fact in ("1101", "23424 of 40320", "0000 → 1000 has 2", "as 14 messages at most get through", "all 40,320"):
        assert fact in words


def test_the_figures(tmp_path: Path) -> None:
    drawn = script("rcbn_figures").figures(tmp_path)
    assert len(drawn) == 6
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in drawn)
    blocked = [path.name for path in drawn if ": blocked" in path.read_text(encoding="utf-8")]
    assert blocked == [
        "rcbn-composite-banyan-blocks.svg",
        "rcbn-one-dead-switch.svg",
        "rcbn-no-permutation-passes.svg",
        "rcbn-pair-cut-off.svg",
    ]
