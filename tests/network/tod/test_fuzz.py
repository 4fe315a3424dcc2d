"""Random texts never do anything but give a network or a located error."""

from __future__ import annotations

import random

import pytest

from tests.network.tod import fuzz


@pytest.mark.parametrize("kind", ["grammar", "bytes"])
def test_a_few_random_texts(kind: str, seed: int) -> None:
    outcomes = fuzz.campaign(kind, 200, seed)
    # Of bytes, the rarest answer is a network: one in twenty, 10 ± 3.
    assert min(outcomes["network"], outcomes["error"]) > 0


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("kind", ["grammar", "bytes"])
def test_a_million_random_texts(kind: str, seed: int, part: int) -> None:
    assert fuzz.campaign(kind, 25_000, seed + part).total() == 25_000


def test_the_texts_are_various(seed: int) -> None:
    draw = random.Random(seed)
    for make in (fuzz.by_grammar, fuzz.by_byte):
        assert len({make(draw) for _ in range(300)}) > 200, "some 277 ± 5 by the grammar"
