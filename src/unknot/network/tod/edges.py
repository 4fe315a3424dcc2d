"""Edge lists, ``{a -- b, b -> c : 3}``; rules, ``{u -> 2*u % n for u in n}``; spread values, ``f(… for i in n)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot.network.model import IntArray
from unknot.network.tod.graph import Dimension, Graph, Keys, graph
from unknot.network.tod.plan import Place, Plan
from unknot.network.tod.sets import row_keys
from unknot.network.tod.syntax import Clauses, Edge, Edges, Integer, Name, Node, Position, Prefix, Text
from unknot.network.tod.values import At, Value, is_number, is_truth, kind, whole

LARGEST = 2**31 - 1
End = tuple[str | int, ...]
Arc = tuple[int, int, bool, Any]
"""Positions of both ends among all ends, whether it is one channel and not a link, and latency."""


def listed(edges: Sequence[Edge], latency: Callable[[Node], Value], place: Callable[[Node], Place]) -> Graph:
    """The graph of an edge list. Channels keep the order in which they are written; a repeated one is parallel.

    Routers are called by numbers, names or texts, or by several of these in parentheses. If all calls in a place are
    numbers, they are positions; otherwise they are names, in order of first appearance.
    """
    calls = [[_end(node, place) for node in edge.ends] for edge in edges]
    width = len(calls[0][0])
    for edge, ends in zip(edges, calls, strict=True):
        for node, end in zip(edge.ends, ends, strict=True):
            if len(end) != width:
                raise place(node).error(
                    f"this router has {len(end)} coordinates, but the first one of the list has {width}"
                )
    columns, dimensions = [], []
    for i in range(width):
        column = [end[i] for ends in calls for end in ends]
        if all(isinstance(call, int) for call in column):
            columns.append(np.array(column, dtype=np.int32))
            dimensions.append(Dimension(int(columns[-1].max()) + 1))
        else:
            index: dict[str, int] = {}
            columns.append(np.array([index.setdefault(str(call), len(index)) for call in column], dtype=np.int32))
            dimensions.append(Dimension(len(index), tuple(index)))
    arcs: list[Arc] = []
    before = 0
    for edge in edges:
        time = 1
        if edge.latency is not None:
            where = place(edge.latency)
            time = _time(whole(latency(edge.latency), where, "the latency", 1), where)
        arcs += [(before + j, before + j + 1, one_way, time) for j, one_way in enumerate(edge.arcs)]
        before += len(edge.ends)
    return _joined(np.stack(columns, axis=1), dimensions, arcs, 1, repeated=True)


def by_rule(
    edges: Sequence[tuple[Edge, Sequence[Value], Value]],
    mask: Any,
    points: int,
    place: Callable[[Node], Place],
) -> Graph:
    """The graph of a rule: the set of the channels it gives for every choice of its variables.

    Parameters
    ----------
    edges : sequence of (Edge, values of its ends, value of its latency)
        Numbers, or arrays with one entry per choice; ends may be positions made of these.
    mask : bool array or bool
        The choices that count.
    points : int
        Number of choices.
    """
    kept = np.flatnonzero(np.broadcast_to(mask, points))
    columns: list[list[IntArray]] = []
    arcs: list[Arc] = []
    width = 0
    for edge, values, latency in edges:
        cycles = 1 if latency is None else _times(latency, place(edge.latency or edge), kept)
        for j, (node, value) in enumerate(zip(edge.ends, values, strict=True)):
            parts = tuple(value) if isinstance(value, At) else (value,)
            width = width or len(parts)
            if len(parts) != width:
                raise place(node).error(
                    f"this router has {len(parts)} coordinates, but the first one of the rule has {width}"
                )
            columns.append([_column(part, node, place, kept) for part in parts])
            if j:
                arcs.append((len(columns) - 2, len(columns) - 1, edge.arcs[j - 1], cycles))
    if not kept.size:
        raise place(edges[0][0]).error(
            "no choice of the variables fulfils the condition, so the rule gives no router"
        )
    rows = np.stack([np.concatenate([end[i] for end in columns]) for i in range(width)], axis=1)
    dimensions = [Dimension(int(rows[:, i].max()) + 1) for i in range(width)]
    return _joined(rows, dimensions, arcs, kept.size, repeated=False).ordered


def _joined(rows: IntArray, dimensions: list[Dimension], arcs: list[Arc], points: int, *, repeated: bool) -> Graph:
    """The graph of the routers that `points` rows for each end call, and of the channels between these ends.

    Routers are in the order of their numbers if they are all numbers, else as they appear. Unless `repeated`,
    channels are a set, and no link leads back to its router.
    """
    place_of, routers = _ranks(row_keys(rows))
    if any(dimension.names is not None for dimension in dimensions):
        _, first = np.unique(place_of, return_index=True)
        place_of = np.argsort(np.argsort(first))[place_of]
    at = np.empty((routers, len(dimensions)), dtype=np.int32)
    at[place_of] = rows
    number = place_of.reshape(-1, points)
    source, target, time = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for u, v, arc, cycles in arcs:
        cycles = np.broadcast_to(np.asarray(cycles, dtype=np.int64), points)
        apart = number[u] != number[v]
        for a, b, keep in ((u, v, apart | (arc or repeated)), (v, u, apart & (not arc))):
            source.append(number[a][keep])
            target.append(number[b][keep])
            time.append(cycles[keep])
    start, end, cycle = np.concatenate(source), np.concatenate(target), np.concatenate(time)
    if not repeated:
        _, first = np.unique(start * routers + end, return_index=True)
        first.sort()
        start, end, cycle = start[first], end[first], cycle[first]
    return graph(at, tuple(dimensions), start, end, cycle)


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


def _end(node: Node, place: Callable[[Node], Place]) -> End:
    items = node.items if isinstance(node, Position) else (node,)
    return tuple(_call(item, place) for item in items)


def _call(node: Node, place: Callable[[Node], Place]) -> str | int:
    match node:
        case Name(name=name):
            return name
        case Text(value=text):
            return text
        case Integer(value=value) if value <= LARGEST:
            return value
        case Integer():
            raise place(node).error(f"a router's number is at most {LARGEST}")
        case Prefix(kind="MINUS"):
            raise place(node).error("a router's number cannot be negative")
    raise place(node).error(
        f'{place(node).text} is no router: write a name, a number or a "text", a -- b for a link and a -> b for a '
        "channel (or add `for …` to make this a rule)"
    )


def _column(part: Value, node: Node, place: Callable[[Node], Place], kept: Any) -> Any:
    if not is_number(part):
        raise place(node).error(
            f"in a rule, a router is a number or a position like (x, y), but this is {kind(part)}"
        )
    column = np.broadcast_to(np.asarray(part, dtype=np.int64), kept.size if np.ndim(part) == 0 else np.shape(part))
    column = column if np.ndim(part) == 0 else column[kept]
    if column.size and (int(column.min()) < 0 or int(column.max()) > LARGEST):
        bad = int(column.min()) if int(column.min()) < 0 else int(column.max())
        raise place(node).error(
            f"a coordinate of {place(node).text} becomes {bad}; they go from 0 to {LARGEST}: use % or an `if`"
        )
    return column.astype(np.int32)


def _times(latency: Value, place: Place, kept: Any) -> Any:
    if not is_number(latency):
        raise place.error(f"a latency is a number of cycles, but {place.text} is {kind(latency)}")
    times = np.asarray(latency) if np.ndim(latency) == 0 else latency[kept]
    if times.size and int(times.min()) < 1:
        raise place.error(f"a latency must be at least 1, but {place.text} becomes {int(times.min())}")
    if times.size:
        _time(int(times.max()), place)
    return times


def _time(value: int, place: Place) -> int:
    if value > LARGEST:
        raise place.error(f"a latency is at most {LARGEST} cycles")
    return value


if TYPE_CHECKING:
    from unknot.network.tod.evaluate import Evaluator, Scope

ARRAY = 4
"""Cost of an entry of a varying number, in channels; it may stay in memory as long as a definition is at work."""
MOST_CASES = 10_000
"""Most values that ``f(… for i in n)`` may spread."""


def rule(evaluator: Evaluator, node: Edges, scope: Scope, env: Mapping[str, Value], place: Place) -> Plan:
    """The plan of ``{… for …}``."""
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
    evaluator.budget.fits(place, points * ends, points * arcs, columns)
    inner = dict(env)
    stride = 1
    number = np.arange(points, dtype=np.int64)
    for name, (low, high) in ranges.items():
        inner[name] = number // stride % (high - low) + low
        stride *= high - low
    mask: Value = True
    if node.clauses.condition is not None:
        mask = evaluator.value(node.clauses.condition, scope, inner)
        if not is_truth(mask):
            at = Place(scope.source, node.clauses.condition)
            raise at.error(f"if takes a truth value, but {at.text} is {kind(mask)}")
    parts = []
    for edge in node.edges:
        values = [evaluator.value(end, scope, inner) for end in edge.ends]
        parts.append((edge, values, edge.latency and evaluator.value(edge.latency, scope, inner)))
    made = by_rule(parts, mask, points, lambda part: Place(scope.source, part))
    return evaluator.budget.plan(place, lambda: made, (), points * ends, points * arcs, columns)


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
