"""The verdicts under all techniques at once are those under each."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest

import unknot
from unknot._base.switching import SWITCHINGS
from unknot.certificates import evidence_holds
from unknot.network.families import mesh, ring, torus
from unknot.routing import dimension_order, duato, fully_adaptive, lcfaa, overlay
from unknot.routing.relation import Relation
from unknot.verify import check, check_all


def relations() -> list[Relation]:
    return [
        dimension_order(mesh(3, 3)),
        dimension_order(ring(5)),
        fully_adaptive(mesh(3, 3)),
        duato(torus(4, 4)),
        overlay(mesh(3, 3)),
    ]


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("relation", relations(), ids=repr)
@pytest.mark.parametrize("first", SWITCHINGS)
def test_all_verdicts_are_those_of_check(relation: Relation, first: str) -> None:
    found = check_all(relation, first)
    assert tuple(found) == SWITCHINGS
    for technique, verdict in found.items():
        alone = check(relation, technique)
        assert (verdict.switching, verdict.deadlock_free) == (technique, alone.deadlock_free)
        assert verdict.method == alone.method
        assert evidence_holds(relation, verdict)
        if verdict.configuration is not None:
            assert verdict.configuration.switching == technique
    assert found[first].established == check(relation, first).established


def test_the_first_counterexample_alone_is_made_short() -> None:
    """That of the technique asked for, as by `check`; the others are the first that were found."""
    relation = lcfaa(mesh(3, 3))
    short, plain = check(relation, "wormhole"), check(relation, "wormhole", shorten=False)
    assert short.configuration != plain.configuration
    assert check_all(relation, "wormhole")["wormhole"].configuration == short.configuration
    assert check_all(relation, "vct")["wormhole"].configuration == plain.configuration


def test_the_default_technique_is_cut_through() -> None:
    assert unknot.verify.check("mesh(3, 3)", routing="duato").switching == "vct"
    assert unknot.simulation.simulate("mesh(3, 3)", 0.05, routing="dimension_order", measure=200).switching == "vct"


@pytest.mark.long
def test_the_others_have_a_second_when_the_first_took_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact search for worms lasts until its time is over; the fixpoint of the others needs a moment."""
    module = sys.modules["unknot.verify.decision"]

    def slow(rest: Any, leading: Any, seconds: float) -> None:
        time.sleep(seconds + 0.05)

    monkeypatch.setattr(module, "find_worms", slow)
    relation = lcfaa(mesh(3, 3))
    limit = 1.5
    for technique in ("wormhole", "vct"):
        found = check_all(relation, technique, time_limit=limit)
        assert {t: v.deadlock_free for t, v in found.items()} == {
            "saf": True, "vct": True, "wormhole": None, "wormhole-nonatomic": False
        }  # fmt: skip
        assert "undecided" in found["wormhole"].established
        assert evidence_holds(relation, found["vct"])
