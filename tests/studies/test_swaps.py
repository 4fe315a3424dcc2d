"""Stored rows that are swapped or forged and sealed anew: what is of another point or type is not believed."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from unknot._base.errors import UnknotError
from unknot.routing.relation import Relation
from unknot.simulation.run.scenario import Measurement
from unknot.studies import Design
from unknot.studies.comparison import compared
from unknot.studies.points import Point, checked, compute, proof_point, run_point
from unknot.studies.store import Store

ODD: tuple[Any, ...] = (
    None, True, False, -1, -(10**30), 1.5, 10**30, "x", "1", "", [], {}, [1], {"a": 1}, float("inf"), float("nan"),
)  # fmt: skip


@dataclass(frozen=True)
class Kept:
    """A point with its relation, and its result as it is stored."""

    point: Point
    relation: Relation
    text: str


@cache
def rows() -> tuple[Kept, ...]:
    """Proofs and runs of designs that differ in one respect each."""
    about: list[dict[str, Any]] = [
        {}, {"vcs": 1}, {"switching": "saf"}, {"buffer_depth": 4}, {"packet_length": 3}, {"traffic": "neighbour"},
        {"router": {"speculative": True}}, {"network": "ring(6)"}, {"routing": "shortest_paths"},
    ]  # fmt: skip
    every = []
    for more in about:
        design = Design(name="d", **{"network": "ring(5)", "routing": "dimension_order", "vcs": 2, **more})
        relation = design.relation()
        points = [proof_point(design, relation, Path(), 60.0)]
        points += [run_point(design, relation, Path(), *at, Measurement(20, 60)) for at in ((0.1, 1), (0.1, 2))]
        every += [Kept(point, relation, compute(point)) for point in points]
    return tuple(every)


def leaves(content: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Places of a document, those of lists and objects too."""
    for key in content if isinstance(content, dict) else range(len(content)):
        yield (*above, key)
        if isinstance(content[key], (dict, list)):
            yield from leaves(content[key], (*above, key))


def forged(content: Any, draw: random.Random) -> None:
    """Change one place: to another type, or leave it out, or repeat it."""
    place = draw.choice([*leaves(content)])
    above = content
    for key in place[:-1]:
        above = above[key]
    way = draw.random()
    if way < 0.15:
        del above[place[-1]]
    elif way < 0.25 and isinstance(above, dict):
        above["more"] = above[place[-1]]
    else:
        above[place[-1]] = draw.choice(ODD)


def of_same_types(one: Any, other: Any) -> bool:
    """Whether two JSON values have numbers, texts and lists in the same places."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(of_same_types(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        kinds = {type(entry) for entry in one} | {type(entry) for entry in other}
        return len(kinds - {int, float}) < 2 or kinds <= {list, type(None)}
    if one is None or other is None:  # of what may be missing
        return True
    return {type(one), type(other)} <= {int, float} or type(one) is type(other)


def campaign(count: int, seed: int, tmp_path: Path) -> Counter[str]:
    draw, tally = random.Random(seed), Counter[str]()
    for number in range(count):
        here, there = draw.sample(rows(), 2)
        text = there.text
        if number % 2:
            content = json.loads(here.text)
            forged(content, draw)
            text = json.dumps(content)
        with Store(None) as store:
            store.put(here.point.key, draw.choice([here, there]).point.text, text)
            kept = store.get(here.point.key, here.point.text)
        try:
            outcome = None if kept is None else checked(here.point, here.relation, kept)
        except UnknotError:
            outcome = None
        tally["believed" if outcome is not None else "computed again"] += 1
        if outcome is not None and number % 2 == 0:
            assert text == here.text, (here.point.text, there.point.text)
        if outcome is not None and number % 2:
            assert of_same_types(json.loads(here.text), json.loads(text)), (here.text, text)
    return tally


@pytest.mark.long
def test_swaps_and_forgeries(tmp_path: Path, seed: int) -> None:
    assert all(checked(row.point, row.relation, row.text) is not None for row in rows())
    tally = campaign(60, seed, tmp_path)
    assert tally["computed again"] > 40


@pytest.mark.campaign
def test_a_thousand_swaps_and_forgeries(tmp_path: Path, seed: int) -> None:
    print(campaign(1_000, seed, tmp_path))


@pytest.mark.parametrize("number", [1.5, True, "7", None, [7], -1])
def test_a_count_is_a_whole_number(number: Any) -> None:
    kept = next(row for row in rows() if row.point.what["kind"] == "run")
    content = json.loads(kept.text)
    content["packets"] = number
    with pytest.raises(UnknotError):
        checked(kept.point, kept.relation, json.dumps(content))


def test_rows_of_comparisons(tmp_path: Path) -> None:
    """A row of another design, of another type, or that is no row, is made again."""
    designs, path = ["ring(5) by shortest_paths", "ring(6) by shortest_paths"], tmp_path / "rows.sqlite"
    first = [*compared(designs, store=path)]
    with Store(path) as store:
        found = store._base.execute("SELECT key, point, result FROM results").fetchall()
    (key, point, text), (_, other_point, other) = found
    changed = json.dumps({**json.loads(text), "terminals": "5"})
    for forgery in ((point, other), (other_point, other), (point, changed), (point, "[]"), (point, "{")):
        with Store(path) as store:
            store.put(key, *forgery)
        assert [*compared(designs, store=path)] == first
    assert [*compared(designs, store=path)] == first
