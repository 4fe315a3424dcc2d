"""Edge lists, ``{a -- b, b -> c : 3}``; rules, ``{u -> 2*u % n for u in n}``; spread values, ``f(… for i in n)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from unknot.network.tod.graph import Dimension, Graph, Keys
from unknot.network.tod.plan import Budget, Plan
from unknot.network.tod.sets import row_keys
from unknot.network.tod.syntax import Clauses, Edge, Edges, Literal, Name, Node, Position, Prefix
from unknot.network.tod.values import At, Value, condition_of, is_number, kind, whole

LARGEST = 2**31 - 1
ARRAY = 4
"""Cost of an entry of a varying number, in channels; it may stay in memory as long as a definition is at work."""
MOST_CASES = 10_000
"""Most values that ``f(… for i in n)`` may spread."""
Evaluate = Callable[[Node, Mapping[str, Value]], Value]
"""The value of an expression for values of its variables."""
End = tuple[Any, ...]
"""Coordinates of a router: numbers or names, or arrays of numbers with an entry for each choice of the variables."""


def listed(edges: Sequence[Edge], latency: Callable[[Node], Value]) -> Graph:
    """The graph of an edge list. Channels keep their order; repeated channels are parallel.

    Routers are called by numbers, names or texts, or by several of these in parentheses. If all calls in a place are
    numbers, they are positions; otherwise they are names, in order of first appearance.
    """
    ends = [[_end(node) for node in edge.ends] for edge in edges]
    cycles = [1 if edge.latency is None else _cycles(latency(edge.latency), edge.latency) for edge in edges]
    return _joined(edges, ends, cycles, 1, rule=False)


def rule(budget: Budget, node: Edges, known: Mapping[str, Value], value: Evaluate) -> Plan:
    """The plan of ``{… for …}``: the set of the channels that it gives for every choice of its variables."""
    assert node.clauses is not None
    ranges = _ranges(node.clauses, known, value)
    points = 1
    for low, high in ranges.values():
        points *= max(0, high - low)
    if not points:
        raise node.error("a range of this rule is empty, so the rule gives no router")
    ends = sum(len(edge.ends) for edge in node.edges)
    arcs = sum(1 if arc else 2 for edge in node.edges for arc in edge.arcs)
    columns = max(len(e.items) if isinstance(e, Position) else 1 for edge in node.edges for e in edge.ends)
    budget.check(node, points, 0, len(ranges))
    budget.spend(node, ARRAY * points * len(ranges))
    budget.fits(node, points * ends, points * arcs, columns)
    variables = dict(known)
    stride = 1
    number = np.arange(points, dtype=np.int64)
    for name, (low, high) in ranges.items():
        variables[name] = number // stride % (high - low) + low
        stride *= high - low
    condition = node.clauses.condition
    mask: Value = True if condition is None else condition_of(value(condition, variables), condition)
    kept = np.flatnonzero(np.broadcast_to(mask, points))
    values = [[value(end, variables) for end in edge.ends] for edge in node.edges]
    cycles = [
        1 if edge.latency is None else _cycles(value(edge.latency, variables), edge.latency, kept)
        for edge in node.edges
    ]
    if not kept.size:
        raise node.edges[0].error("no choice of the variables fulfils the condition, so the rule gives no router")
    routers = [
        [
            tuple(_column(part, end, kept) for part in (coordinate if isinstance(coordinate, At) else (coordinate,)))
            for end, coordinate in zip(edge.ends, row, strict=True)
        ]
        for edge, row in zip(node.edges, values, strict=True)
    ]
    made = _joined(node.edges, routers, cycles, kept.size, rule=True).ordered
    return budget.plan(node, lambda: made, (), points * ends, points * arcs, columns)


def _joined(
    edges: Sequence[Edge], ends: Sequence[Sequence[End]], cycles: Sequence[Any], points: int, *, rule: bool
) -> Graph:
    """The graph of edges whose ends are called `points` times, and of the channels between them.

    Routers are in the order of their numbers if they are all numbers, else as they appear. The channels of a rule
    are a set, and no link of it leads back to its router.
    """
    called = [end for row in ends for end in row]
    width = len(called[0])
    for node, end in zip((node for edge in edges for node in edge.ends), called, strict=True):
        if len(end) != width:
            what = "rule" if rule else "list"
            raise node.error(f"this router has {len(end)} coordinates, but the first one of the {what} has {width}")
    columns, dimensions = [], []
    for i in range(width):
        column: Any = [end[i] for end in called]
        names: dict[str, int] | None = None
        if any(isinstance(call, str) for call in column):
            names = {}
            column = [names.setdefault(str(call), len(names)) for call in column]
        columns.append(np.array(column, dtype=np.int32).ravel())
        dimensions.append(Dimension(int(columns[-1].max()) + 1, None if names is None else tuple(names)))
    rows = np.stack(columns, axis=1)
    place_of, routers = _ranks(row_keys(rows))
    if any(dimension.names is not None for dimension in dimensions):
        _, first = np.unique(place_of, return_index=True)
        place_of = np.argsort(np.argsort(first))[place_of]
    at = np.empty((routers, width), dtype=np.int32)
    at[place_of] = rows
    number = iter(place_of.reshape(-1, points))
    source, target, time = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for edge, latency in zip(edges, cycles, strict=True):
        u, each = next(number), np.broadcast_to(latency, points)
        for arc in edge.arcs:
            v = next(number)
            apart = u != v
            for a, b, keep in ((u, v, apart | (arc or not rule)), (v, u, apart & (not arc))):
                source.append(a[keep])
                target.append(b[keep])
                time.append(each[keep])
            u = v
    start, end_, cycle = np.concatenate(source), np.concatenate(target), np.concatenate(time)
    if rule:
        _, first = np.unique(start * routers + end_, return_index=True)
        first.sort()
        start, end_, cycle = start[first], end_[first], cycle[first]
    return Graph(at, tuple(dimensions), start, end_, cycle)


def _ranks(keys: Keys) -> tuple[Keys, int]:
    """The rank of each key among the different ones, and how many these are."""
    span = int(keys.max()) + 1
    if span > 4 * keys.size:
        known, rank = np.unique(keys, return_inverse=True)
        return rank.ravel(), int(known.size)
    seen = np.zeros(span, dtype=bool)
    seen[keys] = True
    rank = np.cumsum(seen) - 1
    return rank[keys], int(rank[-1]) + 1


def _end(node: Node) -> End:
    items = node.items if isinstance(node, Position) else (node,)
    return tuple(_call(item) for item in items)


def _call(node: Node) -> str | int:
    match node:
        case Name(name=name) | Literal(value=str(name)):
            return name
        case Literal(value=int(number)) if not isinstance(number, bool):
            if number > LARGEST:
                raise node.error(f"a router's number is at most {LARGEST}")
            return number
        case Prefix(kind="MINUS"):
            raise node.error("a router's number cannot be negative")
    raise node.error(
        f'{node.text} is no router: write a name, a number or a "text", a -- b for a link and a -> b for a '
        "channel (or add `for …` to make this a rule)"
    )


def _column(part: Value, node: Node, kept: Any) -> Any:
    if not is_number(part):
        raise node.error(f"in a rule, a router is a number or a position like (x, y), but this is {kind(part)}")
    column = np.broadcast_to(part, kept.size) if np.ndim(part) == 0 else part[kept]
    low, high = int(column.min()), int(column.max())
    if low < 0 or high > LARGEST:
        raise node.error(
            f"a coordinate of {node.text} becomes {low if low < 0 else high}; they go from 0 to {LARGEST}: use % or "
            "an `if`"
        )
    return column


def _cycles(latency: Value, node: Node, kept: Any = ()) -> Any:
    """A latency, or one for each choice that counts, checked."""
    if not is_number(latency):
        raise node.error(f"a latency is a number of cycles, but {node.text} is {kind(latency)}")
    cycles = np.asarray(latency) if np.ndim(latency) == 0 else latency[kept]
    low, high = int(cycles.min(initial=LARGEST)), int(cycles.max(initial=1))
    if low < 1:
        raise node.error(f"the latency must be at least 1, but it is {low}")
    if high > LARGEST:
        raise node.error(f"a latency is at most {LARGEST} cycles")
    return cycles


def _ranges(clauses: Clauses, known: Mapping[str, Value], value: Evaluate) -> dict[str, tuple[int, int]]:
    """The numbers of each variable: the first, and the one after the last."""

    def end(node: Node, name: str) -> int:
        return whole(value(node, known), node, f"the range of {name}")

    ranges = {}
    for part in clauses.ranges:
        first = end(part.first, part.name)
        ranges[part.name] = (0, first) if part.last is None else (first, end(part.last, part.name) + 1)
    return ranges


def cases(clauses: Clauses, known: Mapping[str, Value], value: Evaluate) -> list[dict[str, Value]]:
    """The variables of each value that ``f(… for i in n if …)`` spreads, in order."""
    choices = [dict(known)]
    for name, (low, high) in _ranges(clauses, known, value).items():
        if len(choices) * max(0, high - low) > MOST_CASES:
            raise clauses.error(f"more than {MOST_CASES} values are spread here")
        choices = [{**choice, name: i} for choice in choices for i in range(low, high)]
    test = clauses.condition
    return [choice for choice in choices if test is None or condition_of(value(test, choice), test)]
