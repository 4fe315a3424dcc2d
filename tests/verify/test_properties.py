"""All properties at once are those found one by one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from unknot.network import Network
from unknot.network.families import mesh, ring
from unknot.routing import Relation, dimension_order, fully_adaptive, odd_even
from unknot.verify import adaptivity, best_loads, deliver, livelock, loads, properties, vc_use


def alike(found: Any, wanted: Any) -> bool:
    """Whether two results have equal fields."""
    return type(found) is type(wanted) and all(
        np.array_equal(getattr(found, field.name), getattr(wanted, field.name)) for field in fields(wanted)
    )


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("relation", [odd_even(mesh(3, 3)), fully_adaptive(ring(5), 2)], ids=repr)
def test_each_is_what_its_function_finds(relation: Relation, best: bool) -> None:
    heard: list[tuple[str, int, int]] = []
    traffic = np.roll(np.arange(relation.network.num_terminals), 2).tolist()
    found = properties(relation, traffic=traffic, best=best, progress=lambda *news: heard.append(news))
    for name, function in (
        ("delivery", deliver), ("livelock", livelock), ("adaptivity", adaptivity), ("vc_use", vc_use),
    ):  # fmt: skip
        assert alike(getattr(found, name), function(relation)), name
    assert alike(found.loads, loads(relation, traffic))
    assert not alike(found.loads, loads(relation))
    assert found.best is None if not best else alike(found.best, best_loads(relation, traffic))
    assert found.left_out == ()
    steps = ["delivery", "livelock", "adaptivity", "virtual channels", "loads"]
    steps += ["best split"] * best
    total = len(steps)
    assert heard == [(step, i, total) for i, step in enumerate(steps)] + [("", total, total)]


def test_loads_of_what_does_not_arrive_are_left_out() -> None:
    network: Network = mesh(3)
    stay = dimension_order(network).rule

    def rule(at: int, address: int, out: Any) -> int:
        return 0 if address == 2 else int(stay(at, address, out))

    found = properties(Relation(network, 1, rule, name="stops"), best=True)
    assert (found.loads, found.best) == (None, None)
    assert len(found.left_out) == 1
    assert "dead end" in found.left_out[0]
    assert not found.delivery.delivered
