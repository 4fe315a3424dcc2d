"""The walk refuses illegal answers by itself, whoever asks the rule, and goes around cycles as often as it takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from unknot.certificates.walk_kernel import walk
from unknot.network import from_edges
from unknot.routing import EJECT, NO_WAIT

PATHS = from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("b", "a")], directed=True)
"""Channels 0 to 3; a packet is injected at a, input_vc 4, or at b, input_vc 5."""


def flaw(answers: dict[int, Sequence[int] | int], rank: Sequence[int], home: str, sources: Sequence[int]) -> int:
    """What the walk returns for packets to a router. An answer is a list of candidates, or their number alone."""
    out = np.zeros(2, dtype=np.int64)

    def rule(at: int, address: int, pointer: int) -> int:
        found = answers[at]
        if isinstance(found, int):
            return found
        out[: len(found)] = found
        return len(found)

    seen, input_vc, best, first = (np.zeros(8, dtype=np.int64) for _ in range(4))
    input_vc[: len(sources)] = sources
    router = np.concatenate([PATHS.target, PATHS.inject]).astype(np.int32)
    ranks, core, value = np.array(rank), np.zeros(4, dtype=bool), np.zeros(16, dtype=np.int64)
    return int(
        walk.py_func(
            rule, 0, (False, True, False), (ranks, core), (router, PATHS.source), "abc".index(home), len(sources),
            (seen, input_vc, first, value, best), out, 0,
        )
    )  # fmt: skip


def test_legal_answers() -> None:
    good = {4: [0], 5: [1], 0: [1], 1: [EJECT]}
    assert flaw(good, (1, 0, 2, 3), "c", (4, 5)) == -1
    assert flaw({**good, 0: [1, 1 + NO_WAIT]}, (1, 0, 2, 3), "c", (4, 5)) == -1
    assert flaw(good, (0, 0, 0, 0), "c", (4, 5)) == 0, "VC 0 waits for one that is not lower"


@pytest.mark.parametrize("at", [4, 5, 0])
def test_illegal_answers_name_their_input_vc(at: int) -> None:
    good = {4: [0], 5: [1], 0: [1], 1: [EJECT]}
    for wrong in (-1, 3, [4], [2], [EJECT], [good[at][0] + NO_WAIT]):
        assert flaw({**good, at: wrong}, (1, 0, 2, 3), "c", (4, 5)) == -2 - at, wrong


def test_a_worm_that_waits_once_it_has_gone_around() -> None:
    """From VC 2 over VC 0 to VC 1, where it waits for VC 2 itself; VC 0 is followed after VC 2."""
    answers = {4: [0], 0: [1 + NO_WAIT, 3], 1: [2], 2: [0 + NO_WAIT, EJECT], 3: [EJECT]}
    assert flaw(answers, (2, 1, 0, -5), "a", (4,)) == 2
