"""Products of graphs, on arrays. Router (u1, u2) of a product is number u1 + routers1 · u2.

A product of two graphs is the graph on V1 × V2 whose channels change the routers of the factors in the ways that its
parts say. A channel that moves along channels of both factors has the greater latency and the smaller bandwidth of
the two, one that moves along neither takes 1 cycle for each flit. Products make no loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unknot._base.arrays import starts
from unknot.network.model import IntArray
from unknot.network.tod.graph import Dimension, Graph, Joints, WireRows, numbered, seats, wires
from unknot.network.tod.plan import Shape
from unknot.network.tod.sets import arranged, has_loops
from unknot.network.tod.syntax import MisfitError

Way = Literal["same", "joined", "any"]
"""How a channel of a product changes the router of a factor: not, along a channel, or to any router."""


@dataclass(frozen=True)
class Product:
    """A product of two graphs, called with them.

    Attributes
    ----------
    parts : tuple of pairs of Way
        The channels of the product: how they change the router of the first factor, and that of the second.
    """

    parts: tuple[tuple[Way, Way], ...]

    def __call__(self, a: Graph, b: Graph) -> Graph:
        """The product; at each router the channels of each part come before those of the next."""
        a, b = a.ordered, b.ordered
        parts = [_part(_pairs(a, one), _pairs(b, two), a.routers) for one, two in self.parts]
        if len(parts) > 1 and (has_loops(a) or has_loops(b)):
            # Only then do parts overlap, since a loop joins a router to itself.
            return arranged(_made(a, b, *parts[0]), parts[1:])
        source, target, wire = (np.concatenate(column) for column in zip(*parts, strict=True))
        return _made(a, b, source, target, wire).ordered

    def size(self, routers: tuple[int, int], channels: tuple[int, int]) -> int:
        """Most channels of a product, from the numbers of routers and channels of its factors."""
        count = [{"same": n, "joined": m, "any": n * n} for n, m in zip(routers, channels, strict=True)]
        return sum(count[0][one] * count[1][two] for one, two in self.parts)


PRODUCTS = {
    "cartesian": Product((("joined", "same"), ("same", "joined"))),
    "tensor": Product((("joined", "joined"),)),
    "strong": Product((("joined", "same"), ("same", "joined"), ("joined", "joined"))),
    "lexicographic": Product((("joined", "any"), ("same", "joined"))),
    "left_equal": Product((("same", "any"),)),
    "right_equal": Product((("any", "same"),)),
    "left_adjacent": Product((("joined", "any"),)),
    "right_adjacent": Product((("any", "joined"),)),
}
"""The products of the language by name. The paper calls the tensor product absolute."""


def _pairs(a: Graph, way: Way) -> Joints:
    """Routers of a factor before and after a channel, and its wire, which limits nothing where it takes none."""
    if way == "joined":
        return a.joints
    every = np.arange(a.routers, dtype=np.int32)
    u, v = (every, every) if way == "same" else (np.repeat(every, every.size), np.tile(every, every.size))
    return u, v, wires(u.size, 0, np.inf)


def _part(one: Joints, two: Joints, n: int) -> Joints:
    """Channels for every choice of one pair of each factor, without loops; a loop stands for no move."""
    source, target = (np.add.outer(np.int32(n) * w, v).ravel() for v, w in zip(one[:2], two[:2], strict=True))
    slower = np.minimum.outer(two[2]["bandwidth"], one[2]["bandwidth"]).ravel()
    latency = np.maximum.outer(two[2]["latency"], one[2]["latency"]).ravel()
    wire = wires(source.size, latency.clip(1), np.where(np.isinf(slower), 1.0, slower))
    keep = source != target
    return (source, target, wire) if keep.all() else (source[keep], target[keep], wire[keep])


def _made(a: Graph, b: Graph, source: IntArray, target: IntArray, wire: WireRows) -> Graph:
    """The graph on V1 × V2 with some channels."""
    n, m = a.routers, b.routers
    at = np.concatenate([np.tile(a.coordinates, (m, 1)), np.repeat(b.coordinates, n, axis=0)], axis=1)
    counts = np.outer(b.counts(), a.counts()).ravel()
    return Graph(at, a.dimensions + b.dimensions, source, target, wire, seats(counts))


def stepped(shape: Shape) -> Graph:
    """The line or ring of `shape` with, instead of its links, those between positions at distance `shape.step`."""
    k = shape.k
    steps = [shape.step] if shape.directed else [shape.step, -shape.step]
    if shape.kind == "ring":  # both ways may lead to the same position
        steps = [step for step in dict.fromkeys(step % k for step in steps) if step]
    source = np.tile(np.arange(k), len(steps))
    target = source + np.repeat(np.array(steps, dtype=np.int64), k)
    if shape.kind == "ring":
        target %= k
    keep = (target >= 0) & (target < k)
    dimension = Dimension(k, straight=True)
    wire = wires(int(keep.sum()), shape.latency, shape.bandwidth)
    return Graph(numbered(k), (dimension,), source[keep], target[keep], wire).ordered


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
    first = starts(skeleton.source, n)
    degrees = np.diff(first)
    wrong = np.flatnonzero(degrees != k)
    if wrong.size:
        at = int(wrong[0])
        raise MisfitError(
            f"router {skeleton.router_name(at)} of the graph whose routers are replaced has "
            f"{int(degrees[at])} connections, but the graph in brackets has {k} points; it takes one point "
            "for each connection"
        )
    point = np.arange(skeleton.channels) - first[skeleton.source]
    back = _opposite(skeleton)
    source = skeleton.source + point * n
    target = skeleton.target + point[back] * n
    own_source = np.arange(n)[None, :] + part.source[:, None].astype(np.int64) * n
    own_target = np.arange(n)[None, :] + part.target[:, None].astype(np.int64) * n
    return _made(
        skeleton,
        part,
        np.concatenate([own_source.ravel(), source]),
        np.concatenate([own_target.ravel(), target]),
        np.concatenate([np.repeat(part.wire, n), skeleton.wire]),
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
    return back[np.argsort(there)]
