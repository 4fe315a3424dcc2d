"""The three conditions that an operand can be put under: step, direction, replacement; on arrays."""

from __future__ import annotations

import numpy as np

from unknot.network.tod.graph import Dimension, Graph, graph, numbered
from unknot.network.tod.plan import Shape
from unknot.network.tod.syntax import MisfitError


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
