"""The answers in two dimensions, against all rules one by one: no solver, no prover."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference import design as naive
from unknot.synthesis import Space, decide
from unknot.synthesis.requirements import Adaptive, Request
from unknot.verify import check

FOUR, FIVE = ((1, 1), (1, 1)), ((1, 1), (1, 2))


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("adaptive", ["states", "paths"])
@pytest.mark.parametrize(("counts", "rules"), [(FOUR, (1, 1)), (FIVE, (1_594_323, 4_695_003))])
@pytest.mark.parametrize("switching", ["vct", "wormhole"])
def test_all_rules_of_up_to_five_vcs(
    counts: tuple[tuple[int, int], tuple[int, int]], rules: tuple[int, int], switching: str, adaptive: Adaptive
) -> None:
    space = naive.Space(counts)
    every = naive.rules_by_state(space) if adaptive == "states" else naive.rules_by_path(space)
    assert every.size == rules[adaptive == "paths"]
    survivor = naive.survivor(space, every, switching)
    judged = decide(counts, switching, Request(adaptive))
    assert judged.outcome == ("impossible" if survivor is None else "found")
    assert (survivor is not None) == (switching == "vct" and counts == FIVE)
    assert judged.holds
    if survivor is not None:
        theirs = Space(counts)
        number = {
            ((None if held == theirs.injection else _kind(theirs, held), signs), _kind(theirs, out)): i
            for i, (held, signs, out) in enumerate(theirs.permissions)
        }
        offers = np.zeros(len(theirs.permissions), dtype=bool)
        for permission, bit in space.bit.items():
            offers[number[permission]] = bool(survivor & bit)
        from unknot.synthesis import Rule

        assert check(Rule(theirs, offers).on((3, 3)), switching).deadlock_free


def _kind(space: Space, number: int) -> naive.Kind:
    kind = space.types[number]
    return kind.dimension, kind.sign, kind.index


def test_naive_deadlocks_are_deadlocks() -> None:
    """The naive search is right about a rule that everyone knows: all of four VCs, all offered."""
    space = naive.Space(FOUR)
    worms = naive.deadlock(space, (1 << len(space.permissions)) - 1, "wormhole")
    assert worms is not None
    held = [vc for path, *_ in worms for vc in path]
    assert len(held) == len({*held})
    assert all(waits <= {*held} for _, waits, *_ in worms)
