"""No forged evidence is accepted, whatever it was made of; see `tests.certificates.forgeries`."""

from __future__ import annotations

import json

import pytest

from tests.certificates.forgeries import forgeries, outcome
from tests.certificates.honest import KINDS, honest
from tests.certificates.specimens import question_for
from tests.reference.asked import untrue
from unknot.certificates import plain

FORGED = 300
"""Forgeries of each kind in the campaign."""


def refused(kind: str, count: int, seed: int, variants: int) -> None:
    ways = set[str]()
    made = list(forgeries(kind, count, seed, variants))
    for forgery in made:
        assert outcome(forgery) == "REJECTED", (forgery.way, forgery.why)
        ways.add(forgery.way)
    assert len(made) == count
    assert sum(forgery.twins for forgery in made) == (count + 1) // 2
    assert len(ways) >= min(4, count // 4)


@pytest.mark.sampled(1 / 12)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("changes and remedies", "removals")])
def test_some_forgeries(kind: str) -> None:
    refused(kind, 12, 2, 1)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
def test_forgeries(kind: str) -> None:
    refused(kind, FORGED, 1, 8)


@pytest.mark.sampled(1 / 12)
@pytest.mark.parametrize("kind", KINDS)
def test_honest_evidence_is_what_was_asked(kind: str) -> None:
    document = json.loads(honest(kind, 0, 0))
    asked = question_for(document)
    assert untrue(document, asked) == ""
    assert plain.accept(document, asked)
