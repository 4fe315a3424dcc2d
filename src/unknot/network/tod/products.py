"""Products of graphs, on arrays. Router (u1, u2) of a product is number u1 + routers1 · u2.

Every function takes two graphs and gives the graph on V1 × V2 whose channels obey the rule in its first line, where
~ is "has a channel to" in each factor. A channel that moves along channels of both factors takes the greater latency
of the two, one that moves along neither takes 1 cycle.
Products make no loops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unknot.network.model import IntArray
from unknot.network.tod.graph import Dimension, Graph, graph, numbered
from unknot.network.tod.plan import Shape
from unknot.network.tod.sets import arranged, has_loops
from unknot.network.tod.syntax import MisfitError

Part = tuple[IntArray, IntArray, IntArray]
Array: TypeAlias = npt.NDArray[Any]


def cartesian(a: Graph, b: Graph) -> Graph:
    """(u1 = v1 and u2 ~ v2) or (u1 ~ v1 and u2 = v2); at each router the channels of the first factor come first."""
    a, b = _without_loops(a).ordered, _without_loops(b).ordered
    even = all(bool((graph.degrees == graph.degrees[0]).all()) for graph in (a, b))
    return _made(a, b, *(_regular(a, b) if even else _irregular(a, b)))


def tensor(a: Graph, b: Graph) -> Graph:
    """u1 ~ v1 and u2 ~ v2; the paper calls it the absolute product."""
    return _union(a, b, [_both(a, b)])


def strong(a: Graph, b: Graph) -> Graph:
    """The channels of the Cartesian product and those of the tensor product."""
    return _union(a, b, [_first_only(a, b), _second_only(a, b), _both(a, b)])


def lexicographic(a: Graph, b: Graph) -> Graph:
    """u1 ~ v1, or u1 = v1 and u2 ~ v2."""
    return _union(a, b, [_first_any(a, b), _second_only(a, b)])


def left_equal(a: Graph, b: Graph) -> Graph:
    """u1 = v1, whatever u2 and v2 are."""
    n, m = a.routers, b.routers
    u2, v2 = (x.ravel() for x in np.indices((m, m), dtype=np.int32))
    return _union(a, b, [_pairs(np.arange(n), np.arange(n), u2, v2, n)])


def right_equal(a: Graph, b: Graph) -> Graph:
    """u2 = v2, whatever u1 and v1 are."""
    n, m = a.routers, b.routers
    u1, v1 = (x.ravel() for x in np.indices((n, n), dtype=np.int32))
    return _union(a, b, [_pairs(u1, v1, np.arange(m), np.arange(m), n)])


def left_adjacent(a: Graph, b: Graph) -> Graph:
    """u1 ~ v1, whatever u2 and v2 are."""
    return _union(a, b, [_first_any(a, b)])


def right_adjacent(a: Graph, b: Graph) -> Graph:
    """u2 ~ v2, whatever u1 and v1 are."""
    n = a.routers
    u1, v1 = (x.ravel() for x in np.indices((n, n), dtype=np.int32))
    source, target, _ = _pairs(u1, v1, b.source, b.target, n)
    return _union(a, b, [(source, target, np.repeat(b.latency, n * n))])


def _both(a: Graph, b: Graph) -> Part:
    source, target, _ = _pairs(a.source, a.target, b.source, b.target, a.routers)
    return source, target, np.maximum(a.latency[None, :], b.latency[:, None]).ravel()


def _first_only(a: Graph, b: Graph) -> Part:
    every = np.arange(b.routers, dtype=np.int32)
    source, target, _ = _pairs(a.source, a.target, every, every, a.routers)
    return source, target, np.tile(a.latency, b.routers)


def _second_only(a: Graph, b: Graph) -> Part:
    every = np.arange(a.routers, dtype=np.int32)
    source, target, _ = _pairs(every, every, b.source, b.target, a.routers)
    return source, target, np.repeat(b.latency, a.routers)


def _first_any(a: Graph, b: Graph) -> Part:
    u2, v2 = (x.ravel() for x in np.indices((b.routers, b.routers), dtype=np.int32))
    source, target, _ = _pairs(a.source, a.target, u2, v2, a.routers)
    return source, target, np.tile(a.latency, u2.size)


def _pairs(u1: Array, v1: Array, u2: Array, v2: Array, n: int) -> Part:
    """Channels (u1, u2) → (v1, v2) for every choice of one pair of each factor."""
    source = (u1[None, :] + np.int32(n) * u2[:, None]).astype(np.int32).ravel()
    target = (v1[None, :] + np.int32(n) * v2[:, None]).astype(np.int32).ravel()
    return source, target, np.ones(source.size, dtype=np.int32)


def _union(a: Graph, b: Graph, parts: list[Part]) -> Graph:
    """The product with the channels of all parts. Parts overlap only where a factor has loops."""
    if len(parts) > 1 and (has_loops(a) or has_loops(b)):
        return arranged(_made(a, b, *_clean(parts[:1])), [_clean([part]) for part in parts[1:]])
    return _made(a, b, *_clean(parts)).ordered


def _clean(parts: list[Part]) -> Part:
    source, target, latency = (np.concatenate(column) for column in zip(*parts, strict=True))
    keep = source != target
    return (source, target, latency) if keep.all() else (source[keep], target[keep], latency[keep])


def _made(a: Graph, b: Graph, source: IntArray, target: IntArray, latency: IntArray) -> Graph:
    n, m = a.routers, b.routers
    split = len(a.dimensions)
    coordinates = np.empty((m, n, split + len(b.dimensions)), dtype=np.int32)
    coordinates[:, :, :split] = a.coordinates[None, :, :]
    coordinates[:, :, split:] = b.coordinates[:, None, :]
    counts = np.outer(b.counts(), a.counts()).ravel()
    at = coordinates.reshape(n * m, split + len(b.dimensions))
    return graph(at, a.dimensions + b.dimensions, source, target, latency, counts)


def _regular(a: Graph, b: Graph) -> Part:
    """The channels of the product of two graphs of which each has as many channels at every router."""
    n, m = a.routers, b.routers
    degree_a, degree_b = a.channels // n, b.channels // m
    target = np.empty((m, n, degree_a + degree_b), dtype=np.int32)
    latency = np.empty_like(target)
    up = (np.arange(m, dtype=np.int32) * np.int32(n))[:, None, None]
    target[:, :, :degree_a] = a.target.reshape(1, n, degree_a) + up
    latency[:, :, :degree_a] = a.latency.reshape(1, n, degree_a)
    along = np.arange(n, dtype=np.int32)[None, :, None]
    target[:, :, degree_a:] = b.target.reshape(m, 1, degree_b) * np.int32(n) + along
    latency[:, :, degree_a:] = b.latency.reshape(m, 1, degree_b)
    source = np.repeat(np.arange(n * m, dtype=np.int32), degree_a + degree_b)
    return source, target.ravel(), latency.ravel()


def _irregular(a: Graph, b: Graph) -> Part:
    n, m = a.routers, b.routers
    degree = (a.degrees[None, :] + b.degrees[:, None]).ravel()
    first = np.concatenate([[0], np.cumsum(degree)])
    block = first[:-1].reshape(m, n)
    source = np.repeat(np.arange(n * m, dtype=np.int32), degree)
    target = np.empty(source.size, dtype=np.int32)
    latency = np.empty(source.size, dtype=np.int32)
    rank = np.arange(a.channels) - a.first[a.source]
    place = block[:, a.source] + rank
    target[place] = a.target + (np.arange(m, dtype=np.int32) * np.int32(n))[:, None]
    latency[place] = a.latency
    rank = np.arange(b.channels) - b.first[b.source]
    place = block[b.source, :] + (a.degrees[None, :] + rank[:, None])
    target[place] = b.target[:, None] * np.int32(n) + np.arange(n, dtype=np.int32)
    latency[place] = b.latency[:, None]
    return source, target, latency


def _without_loops(a: Graph) -> Graph:
    if not has_loops(a):
        return a
    keep = a.source != a.target
    return replace(a, source=a.source[keep], target=a.target[keep], latency=a.latency[keep])


PRODUCTS: dict[str, Callable[[Graph, Graph], Graph]] = {
    "cartesian": cartesian,
    "tensor": tensor,
    "strong": strong,
    "lexicographic": lexicographic,
    "left_equal": left_equal,
    "right_equal": right_equal,
    "left_adjacent": left_adjacent,
    "right_adjacent": right_adjacent,
}


def size(kind: str, routers: tuple[int, int], channels: tuple[int, int]) -> int:
    """Most channels of a product, from the numbers of routers and channels of its graphs."""
    (n, m), (a, b) = routers, channels
    return {
        "cartesian": n * b + a * m,
        "tensor": a * b,
        "strong": n * b + a * m + a * b,
        "lexicographic": a * m * m + n * b,
        "left_equal": n * m * m,
        "right_equal": m * n * n,
        "left_adjacent": a * m * m,
        "right_adjacent": b * n * n,
    }[kind]


def stepped(shape: Shape) -> Graph:
    """The line or ring of `shape` with, instead of its links, those between positions at distance `shape.step`."""
    k, step = shape.k, shape.step
    here = np.arange(k)
    directions = []
    if shape.kind == "line":
        directions = [(here, here + step)] if shape.directed else [(here, here + step), (here, here - step)]
    elif step % k:
        directions = [(here, (here + step) % k)]
        if not shape.directed and 2 * (step % k) != k:
            directions.append((here, (here - step) % k))
    source = np.concatenate([way[0] for way in directions]) if directions else np.empty(0, dtype=np.int64)
    target = np.concatenate([way[1] for way in directions]) if directions else source
    keep = (target >= 0) & (target < k)
    dimension = Dimension(k, straight=True)
    return graph(numbered(k), (dimension,), source[keep], target[keep], shape.latency).ordered


def replaced(skeleton: Graph, part: Graph) -> Graph:
    """Put a copy of `part` in the place of every router of `skeleton`.

    Point i of the copy takes the router's connection number i, in the order of its channels (in a product: those of
    the first factor come first). Coordinates are those of the router replaced, then those of the point.

    Raises
    ------
    MisfitError
        If a router has not as many connections as `part` has points, or some connection is not a link.
    """
    skeleton, part = skeleton.ordered, part.ordered
    n, k = skeleton.routers, part.routers
    wrong = np.flatnonzero(skeleton.degrees != k)
    if wrong.size:
        at = int(wrong[0])
        raise MisfitError(
            f"router {skeleton.router_name(at)} of the graph whose routers are replaced has "
            f"{int(skeleton.degrees[at])} connections, but the graph in brackets has {k} points; it takes one point "
            "for each connection"
        )
    point = np.arange(skeleton.channels) - skeleton.first[skeleton.source]
    back = _opposite(skeleton)
    source = skeleton.source + point * n
    target = skeleton.target + point[back] * n
    own_source = np.arange(n)[None, :] + part.source[:, None].astype(np.int64) * n
    own_target = np.arange(n)[None, :] + part.target[:, None].astype(np.int64) * n
    coordinates = np.concatenate(
        [np.tile(skeleton.coordinates, (k, 1)), np.repeat(part.coordinates, n, axis=0)], axis=1
    )
    return graph(
        coordinates,
        skeleton.dimensions + part.dimensions,
        np.concatenate([own_source.ravel(), source]),
        np.concatenate([own_target.ravel(), target]),
        np.concatenate([np.repeat(part.latency, n), skeleton.latency]),
        np.outer(part.counts(), skeleton.counts()).ravel(),
    ).ordered


def _opposite(a: Graph) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The channel that leads back along each channel; the i-th of parallel ones for the i-th."""
    n = np.int64(a.routers)
    there = np.argsort(a.source * n + a.target, kind="stable")
    back = np.argsort(a.target * n + a.source, kind="stable")
    lone = np.flatnonzero((a.source[there] != a.target[back]) | (a.target[there] != a.source[back]))
    if lone.size:
        channel = int(there[lone[0]])
        ends = [a.router_name(int(end)) for end in (a.source[channel], a.target[channel])]
        raise MisfitError(
            f"near the channel {ends[0]}→{ends[1]} not every channel has an opposite; replacement is for links"
        )
    opposite = np.empty(a.channels, dtype=np.int64)
    opposite[there] = back
    return opposite
