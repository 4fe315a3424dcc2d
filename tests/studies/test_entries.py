"""Limits of studies: just what fits is taken, and one more is refused where it stands."""

from __future__ import annotations

import pytest

from unknot._base.errors import Source, TextError, UnknotError
from unknot._base.toml_places import DEEPEST, LONGEST_NUMBER, refuse_oversized
from unknot.studies.entries import MOST_DESIGNS, MOST_LOADS, MOST_POINTS, points_of, require_few


@pytest.mark.parametrize(
    ("write", "most", "said", "column"),
    [
        (lambda n: "x = " + "[" * n + "]" * n, DEEPEST, "brackets more than 32 deep", 4 + DEEPEST + 1),
        (lambda n: "x = " + "[ " * n + "] " * n, DEEPEST, "brackets more than 32 deep", 4 + 2 * DEEPEST + 1),
        (lambda n: ".".join("a" * n) + " = 1", DEEPEST, "a key of more than 32 parts", 2 * DEEPEST + 1),
        (lambda n: "x = " + "7" * n, LONGEST_NUMBER, "a number of 101 characters", 5),
    ],
)
def test_sizes_of_texts(write, most: int, said: str, column: int) -> None:  # type: ignore[no-untyped-def]
    before = "y = {a = [1], b.c = 2}\n" * 40 + "title = '" + "[" * 99 + "'\n"
    refuse_oversized(Source(before + write(most) + "\n", "study"))
    with pytest.raises(TextError, match=said) as error:
        refuse_oversized(Source(before + write(most + 1) + "\n", "study"))
    assert error.value.line == 42
    assert error.value.column in (column, 5)  # several brackets may be one token


@pytest.mark.parametrize(
    ("simulation", "points"),
    [
        (None, 7), ({}, 7 * 21), ({"seeds": [1, 2]}, 7 * 41), ({"loads": [0.1] * 3}, 7 * 4), ({"loads": 0.1}, 14),
        ({"loads": []}, 14), ({"loads": [0.1, 0.2], "seeds": [1, 2, 3]}, 7 * 7),
        ({"loads": {"from": 0.25, "to": 1.0, "step": 0.25}}, 7 * 5), ({"loads": {"from": 1, "to": 1, "step": 1}}, 14),
        ({"loads": {"from": 1, "to": 0, "step": 1}}, 14), ({"loads": {"from": 0, "to": 1}}, 14),
        ({"loads": {"from": 0, "to": 1, "step": 0}}, 14), ({"loads": {"from": "x", "to": 1, "step": 1}}, 14),
        ({"loads": {"from": 0, "to": 1, "step": 1e-9}}, 7 * (MOST_LOADS + 2)),
        ({"loads": {"from": 0, "to": float("inf"), "step": 1}}, 14),
    ],
)  # fmt: skip
def test_points_of_seven_designs(simulation: object, points: int) -> None:
    assert points_of(7, simulation) == points


def test_as_many_as_may_be() -> None:
    require_few(MOST_DESIGNS, MOST_POINTS)
    with pytest.raises(UnknotError, match="10,001 designs and, with loads and seeds, 200,000 points"):
        require_few(MOST_DESIGNS + 1, MOST_POINTS)
    with pytest.raises(UnknotError, match="1 designs and, with loads and seeds, 200,001 points"):
        require_few(1, MOST_POINTS + 1)
    with pytest.raises(UnknotError, match="more than 10\\^15 points"):
        require_few(1, 10**15)
