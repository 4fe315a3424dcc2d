"""Union, intersection, difference, ring sum and join of graphs, on arrays.

Routers of the two graphs are the same when their coordinates (or the names these stand for) are equal. Channels are
counted: an operation works on how often a channel stands in each operand, so that a simple graph gives a simple graph
and parallel channels are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from unknot._base.arrays import Flags, ranks
from unknot._base.phrases import count
from unknot.network.model import IntArray
from unknot.network.tod.graph import Dimension, Graph, Joints, Keys, Labels, WireRows, numbered, seats, wires
from unknot.network.tod.syntax import MisfitError


def union(a: Graph, b: Graph) -> Graph:
    """V1 ∪ V2 and E1 ∪ E2. A channel of both has the latency and bandwidth it has in the first."""
    left, right, _ = _aligned(a, b)
    every = np.ones(left.channels, dtype=bool)
    return _collected(left, every, right, ~_in(_keys(right), _keys(left)))


def intersection(a: Graph, b: Graph) -> Graph:
    """V1 ∩ V2 and E1 ∩ E2, with the latencies, bandwidths and terminals of the first."""
    left, right, shared = _aligned(a, b)
    kept = left.joined(*_channels(left, _in(_keys(left), _keys(right))))
    return _picked(kept, shared, "the graphs have no router in common")


def difference(a: Graph, b: Graph) -> Graph:
    """G1 without the channels it shares with G2, and without the routers that then have none."""
    left, right, _ = _aligned(a, b)
    kept = left.joined(*_channels(left, ~_in(_keys(left), _keys(right))))
    return _picked(kept, _touched(kept), "no channel is left")


def ring_sum(a: Graph, b: Graph) -> Graph:
    """The channels that one of the graphs has and the other has not, and the routers at their ends."""
    left, right, _ = _aligned(a, b)
    summed = _collected(left, ~_in(_keys(left), _keys(right)), right, ~_in(_keys(right), _keys(left)))
    return _picked(summed, _touched(summed), "no channel is left")


def join(a: Graph, b: Graph, link: WireRows | None = None) -> Graph:
    """The two graphs side by side and a link between every router of the one and every router of the other."""
    n, m = a.routers, b.routers
    u, v = (x.ravel().astype(np.int32) for x in np.indices((n, m)))
    v += np.int32(n)
    across = np.repeat(wires(1) if link is None else link, n * m)
    return Graph(
        numbered(n + m),
        (Dimension(n + m),),
        np.concatenate([a.source, b.source + np.int32(n), u, v]),
        np.concatenate([a.target, b.target + np.int32(n), v, u]),
        np.concatenate([a.wire, b.wire, across, across]),
        seats(np.concatenate([a.counts(), b.counts()])),
    ).ordered


def undirected(a: Graph) -> Graph:
    """The graph with the opposite of every channel added where missing."""
    return arranged(a, [(a.target, a.source, a.wire)])


def reverse(a: Graph) -> Graph:
    """The graph with every channel turned round."""
    return a.joined(a.target, a.source, a.wire).ordered


def arranged(a: Graph, parts: list[Joints]) -> Graph:
    """The graph joined with the missing channels of `parts`; each appears as often as in the part with
    the most copies.
    """
    for part in parts:
        extra = a.joined(*part)
        a = a.joined(*_both(a.joints, _channels(extra, ~_in(_keys(extra), _keys(a)))))
    return a.ordered


def has_loops(a: Graph) -> bool:
    return bool((a.source == a.target).any())


def _keys(a: Graph) -> tuple[Keys, Keys | None]:
    """Identity of the channels of a graph: their ends and, if some are parallel, the rank among equals."""
    key = a.source.astype(np.int64) * a.routers + a.target
    in_order = np.sort(key)
    if not (in_order[1:] == in_order[:-1]).any():
        return key, None
    return key, ranks(key)


def _in(a: tuple[Keys, Keys | None], b: tuple[Keys, Keys | None]) -> Flags:
    (key_a, rank_a), (key_b, rank_b) = a, b
    if rank_a is None:
        return np.isin(key_a, key_b)
    ranks = np.zeros(key_b.size, dtype=np.int64) if rank_b is None else rank_b
    _, place = np.unique(np.concatenate([key_a, key_b]), return_inverse=True)
    code = place.ravel() * (int(rank_a.max()) + int(ranks.max(initial=0)) + 1)
    return np.isin(code[: key_a.size] + rank_a, code[key_a.size :] + ranks)


def _aligned(a: Graph, b: Graph) -> tuple[Graph, Graph, Flags]:
    """Both graphs on the routers of either, numbered by coordinates with dimension 0 as the low digit; the routers
    that both have."""
    if len(a.dimensions) != len(b.dimensions):
        raise MisfitError(
            f"the routers of the left operand have {count(len(a.dimensions), 'coordinate')}, those of the right one "
            f"{count(len(b.dimensions), 'coordinate')}, so they can never be the same"
        )
    if a.radices == b.radices and all(d.names is None for d in (*a.dimensions, *b.dimensions)) and a.full and b.full:
        straight = tuple(
            Dimension(c.size, None, c.straight or d.straight) for c, d in zip(a.dimensions, b.dimensions, strict=True)
        )
        both = np.ones(a.routers, dtype=bool)
        return replace(a, dimensions=straight, shown=Labels()), replace(b, dimensions=straight, shown=Labels()), both
    dimensions, ours, theirs = [], [], []
    for i, (c, d) in enumerate(zip(a.dimensions, b.dimensions, strict=True)):
        dimension, one, two = _merged(c, d, a.coordinates[:, i], b.coordinates[:, i])
        dimensions.append(dimension)
        ours.append(one)
        theirs.append(two)
    rows = np.zeros((2, 0), dtype=np.int32)
    if dimensions:
        rows = np.concatenate([np.stack(ours, axis=1), np.stack(theirs, axis=1)])
    _, index, place = np.unique(row_keys(rows), return_index=True, return_inverse=True)
    at, place = rows[index].astype(np.int32), place.ravel()
    ours_at, theirs_at = place[: a.routers], place[a.routers :]
    both = np.zeros((2, at.shape[0]), dtype=bool)
    both[0, ours_at] = both[1, theirs_at] = True
    left, right = _moved(a, at, tuple(dimensions), ours_at), _moved(b, at, tuple(dimensions), theirs_at)
    return left, right, both[0] & both[1]


def _moved(a: Graph, at: IntArray, dimensions: tuple[Dimension, ...], place: Keys) -> Graph:
    moved = np.zeros(at.shape[0], dtype=np.int64)
    moved[place] = a.counts()
    return Graph(at, dimensions, place[a.source], place[a.target], a.wire, seats(moved))


def _merged(c: Dimension, d: Dimension, one: IntArray, two: IntArray) -> tuple[Dimension, IntArray, IntArray]:
    if c.names is None and d.names is None:
        return Dimension(max(c.size, d.size), None, c.straight or d.straight), one, two
    index: dict[str, int] = {}
    columns = []
    for dimension, column in ((c, one), (d, two)):
        names = dimension.names or tuple(str(i) for i in range(dimension.size))
        for name in names:
            index.setdefault(name, len(index))
        columns.append(np.array([index[name] for name in names], dtype=np.int32)[column])
    return Dimension(len(index), tuple(index), c.straight and d.straight), columns[0], columns[1]


def row_keys(rows: IntArray) -> Keys:
    """One number per row, equal where the rows are and rising with the last column first."""
    key = np.zeros(rows.shape[0], dtype=np.int64)
    span = 1
    for i in range(rows.shape[1]):
        size = int(rows[:, i].max(initial=0)) + 1
        if span * size >= 2**62:
            key = np.unique(key, return_inverse=True)[1].ravel().astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key += rows[:, i].astype(np.int64) * span
        span *= size
    return key


def _channels(a: Graph, keep: Flags) -> Joints:
    return a.source[keep], a.target[keep], a.wire[keep]


def _both(one: Joints, other: Joints) -> Iterator[Any]:
    return map(np.concatenate, zip(one, other, strict=True))


def _collected(a: Graph, one: Flags, b: Graph, two: Flags) -> Graph:
    counts = np.maximum(a.counts(), b.counts())
    source, target, wire = _both(_channels(a, one), _channels(b, two))
    return Graph(a.coordinates, a.dimensions, source, target, wire, seats(counts)).ordered


def _touched(a: Graph) -> Flags:
    seen = np.zeros(a.routers, dtype=bool)
    seen[a.source] = seen[a.target] = True
    return seen


def _picked(a: Graph, keep: Flags, none: str) -> Graph:
    """The graph on some of its routers; the others have no channel."""
    if not keep.any():
        raise MisfitError(f"the result is empty: {none}")
    if keep.all():
        return a.ordered
    new = np.cumsum(keep, dtype=np.int64) - 1
    return Graph(
        a.coordinates[keep], a.dimensions, new[a.source], new[a.target], a.wire, seats(a.counts()[keep])
    ).ordered
