"""Rules, ``{… for x in n}``, and values spread by ``f(… for i in n)``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from unknot.network.tod import edges
from unknot.network.tod.graph import Graph
from unknot.network.tod.plan import Place, Plan
from unknot.network.tod.syntax import Clauses, Edges, Position
from unknot.network.tod.values import Value, is_truth, kind, whole

if TYPE_CHECKING:
    from unknot.network.tod.evaluate import Evaluator, Scope

ARRAY = 4
"""Cost of an entry of a varying number, in channels; it may stay in memory as long as a definition is at work."""
MOST_CASES = 10_000
"""Most values that ``f(… for i in n)`` may spread."""


def rule(evaluator: Evaluator, node: Edges, scope: Scope, env: Mapping[str, Value], place: Place) -> Plan:
    """The plan of ``{… for …}``; the rule itself is evaluated when the plan is built."""
    assert node.clauses is not None
    ranges = _ranges(evaluator, node.clauses, scope, env)
    points = 1
    for low, high in ranges.values():
        points *= max(0, high - low)
    if not points:
        raise place.error("a range of this rule is empty, so the rule gives no router")
    ends = sum(len(edge.ends) for edge in node.edges)
    arcs = sum(1 if arc else 2 for edge in node.edges for arc in edge.arcs)
    columns = max(len(e.items) if isinstance(e, Position) else 1 for edge in node.edges for e in edge.ends)
    evaluator.budget.check(place, points, 0, len(ranges))
    evaluator.budget.spend(place, ARRAY * points * len(ranges))
    depth = evaluator.depth

    def make() -> Graph:
        evaluator.depth, before = depth, evaluator.depth
        try:
            inner = dict(env)
            stride = 1
            number = np.arange(points, dtype=np.int64)
            for name, (low, high) in ranges.items():
                inner[name] = number // stride % (high - low) + low
                stride *= high - low
            mask: Value = True
            clauses = node.clauses
            if clauses is not None and clauses.condition is not None:
                mask = evaluator.value(clauses.condition, scope, inner)
                if not is_truth(mask):
                    at = Place(scope.source, clauses.condition)
                    raise at.error(f"if takes a truth value, but {at.text} is {kind(mask)}")
            parts = []
            for edge in node.edges:
                values = [evaluator.value(end, scope, inner) for end in edge.ends]
                parts.append((edge, values, edge.latency and evaluator.value(edge.latency, scope, inner)))
            return edges.by_rule(parts, mask, points, lambda part: Place(scope.source, part))
        finally:
            evaluator.depth = before

    return evaluator.budget.plan(place, make, (), points * ends, points * arcs, columns)


def _ranges(
    evaluator: Evaluator, clauses: Clauses, scope: Scope, env: Mapping[str, Value]
) -> dict[str, tuple[int, int]]:
    ranges = {}
    for part in clauses.ranges:
        what = f"the range of {part.name}"
        first = whole(evaluator.value(part.first, scope, env), Place(scope.source, part.first), what)
        if part.last is None:
            ranges[part.name] = (0, first)
        else:
            ranges[part.name] = (
                first,
                whole(evaluator.value(part.last, scope, env), Place(scope.source, part.last), what) + 1,
            )
    return ranges


def cases(evaluator: Evaluator, clauses: Clauses, scope: Scope, env: Mapping[str, Value]) -> list[dict[str, Value]]:
    """The environment of each value that ``f(… for i in n if …)`` spreads, in order."""
    environments = [dict(env)]
    for name, (low, high) in _ranges(evaluator, clauses, scope, env).items():
        if len(environments) * max(0, high - low) > MOST_CASES:
            place = Place(scope.source, clauses)
            raise place.error(f"more than {MOST_CASES} values are spread here")
        environments = [{**case, name: i} for case in environments for i in range(low, high)]
    if clauses.condition is None:
        return environments
    kept = []
    for case in environments:
        value = evaluator.value(clauses.condition, scope, case)
        if not isinstance(value, bool):
            at = Place(scope.source, clauses.condition)
            raise at.error(f"if takes a truth value, but {at.text} is {kind(value)}")
        if value:
            kept.append(case)
    return kept
