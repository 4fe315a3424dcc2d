"""Tables judged by states of one address, beside the naive twin that explores two addresses together."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

from tests.reference.controllers import TooLargeError, Twin, replayed
from tests.reference.packed_controllers import PackedTwin
from tests.verify.controllers.drawn import constructs, table
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation.controller_replay import replayed_on_network
from unknot.verify.controllers import StateTable, check_table, least_rooms
from unknot.verify.controllers.evidence import holds

GRID = dimension_order(mesh(3, 3))


def found(drawn: StateTable, caches: int, most: int) -> tuple[bool | None, int]:
    """Whether two addresses can deadlock, with one home or two; None for too many states."""
    answer: bool | None = False
    states = 0
    for shared in (True, False):
        twin = PackedTwin(drawn, caches, 2, shared=shared, most=most)
        try:
            if twin.deadlock() is not None:
                return True, max(states, twin.states)
        except TooLargeError:
            answer = None
        states = max(states, twin.states)
    return answer, states


def compare(seeds: range, most: int, caches: int) -> Counter[str]:
    """Compare answers of drawn tables; count answers, and what the twin says of them."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        drawn, many = table(seed), 2 + (caches > 2 and seed % 4 > 0)
        verdict = check_table(drawn, caches=many)
        truth, states = found(drawn, many, most)
        seen[f"{verdict.answer} {truth}"] += 1
        seen.update(constructs(drawn))
        if verdict.answer != "open":
            assert holds(verdict) is not False, seed
        seen["large"] += states >= 10_000
        assert not (verdict.answer == "yes" and truth), seed
        assert verdict.answer != "no" or replayed(drawn, many, verdict.deadlock), seed
        assert verdict.answer != "no" or replayed_on_network(verdict, GRID), seed
        assert not (verdict.answer == "no" and truth is False), seed
        if verdict.answer == "open":
            assert verdict.lacking, seed
    return seen


def sized(seed: int) -> tuple[StateTable, dict[str, Any]]:
    """A drawn table on few networks, some of whose states take entries, and how least sizes are asked for."""
    draw, drawn = random.Random(seed), table(seed)
    names = draw.randint(1, 3)
    networks = {name: f"network {draw.randrange(names)}" for name in drawn.messages}
    ordered = tuple(name for name in dict.fromkeys(networks.values()) if draw.random() < 0.5)
    kinds = tuple(
        replace(kind, entries=tuple(name for name in kind.states if name != kind.start and draw.random() < 0.5))
        for kind in drawn.kinds
    )
    limits = {kind.name: draw.randint(1, 2) for kind in kinds if kind.entries and draw.random() < 0.7}
    asked = {"caches": draw.randint(1, 2), "addresses": draw.randint(1, 2), "homes": draw.randint(1, 2), "most": 2}
    if draw.random() < 0.5 and any(kind.entries for kind in kinds):
        asked["entries"] = 2
    return replace(drawn, kinds=kinds, networks=networks, ordered=ordered, limits=limits), asked


def sizes(names: list[str]) -> list[dict[str, int]]:
    """Sizes of 1 and 2 of what is named, the cheapest first."""
    rows = sorted(product((1, 2), repeat=len(names)), key=lambda row: (sum(row), row))
    return [dict(zip(names, row, strict=True)) for row in rows]


def least(drawn: StateTable, asked: dict[str, Any], most: int) -> dict[str, int] | None:
    """The least rooms of a table by the twin."""
    shared = asked["homes"] == 1
    for rooms in sizes([*drawn.designed]):
        bounded = replace(drawn, rooms=rooms)
        if Twin(bounded, asked["caches"], asked["addresses"], shared=shared, most=most).deadlock() is None:
            return rooms
    return None


def compare_rooms(seeds: range, most: int) -> Counter[str]:
    """Compare the least rooms of drawn tables with those of the naive twin; count what was compared."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        drawn, asked = sized(seed)
        found = least_rooms(drawn, **asked)
        front = found.front or [found]
        kinds = [kind.name for kind in drawn.kinds if kind.entries]
        try:
            truths = [
                least(replace(drawn, limits=limits), asked, most)
                for limits in (sizes(kinds) if found.front else [drawn.limits])
            ]
        except TooLargeError:
            seen["too large"] += 1
            continue
        if not all(steps for one in front for _, steps in one.smaller):
            seen["open"] += 1
            continue
        assert found.proved, seed
        assert [one.rooms for one in front] == truths, seed
        costs = [
            sum(one.values()) + sum(two.values())
            for one, two in zip(sizes(kinds), truths, strict=False)
            if two is not None and found.front
        ]
        assert not costs or found.cost == min(costs), seed
        seen["limits too"] += bool(found.front)
        truth = found.rooms
        seen["none" if truth is None else f"cost {sum(truth.values())}"] += 1
    return seen
