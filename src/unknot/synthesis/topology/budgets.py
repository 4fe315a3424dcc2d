"""Sums over channels that have a limit: length, price, wires that cross a line or share an edge of a grid, racks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from typing import NamedTuple, Self

import numpy as np

from unknot._base.arrays import Flags, Floats, Ints
from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.synthesis.topology.limits import LinkLimits

PARTS = 10**6
"""Parts of a unit of length or price, in which sums are whole numbers."""


class LinkBudget(NamedTuple):
    """A sum over channels, and its limit.

    Attributes
    ----------
    name : str
        What is summed.
    most : int
        The limit, in parts.
    links : int64 array, shape (links, 2)
        Pairs of nodes whose channel takes something.
    parts : int64 array, shape (links,)
        What each takes.
    unit : float
        Parts that are 1 for a reader.
    """

    name: str
    most: int
    links: Ints
    parts: Ints
    unit: float

    @classmethod
    def of(cls, name: str, most: float, takes: Floats | Flags) -> Self:
        """A limit on what pairs take, as a table of numbers."""
        links = np.argwhere(takes > 0)
        parts = np.rint(takes[tuple(links.T)] * PARTS).astype(np.int64)
        whole = int(most * PARTS + 0.5)
        common = int(np.gcd.reduce(np.append(parts, whole))) or 1
        return cls(name, whole // common, links, parts // common, PARTS / common)

    def table(self, nodes: int) -> Ints:
        """What each pair takes: int64 array, shape (nodes, nodes)."""
        takes = np.zeros((nodes, nodes), dtype=np.int64)
        takes[tuple(self.links.T)] = self.parts
        return takes

    def moved(self, image: Ints) -> tuple[int, bytes]:
        """The limit and what pairs take after a map of the nodes, the same for equal budgets."""
        keys = image[self.links] @ np.array([len(image), 1])
        order = np.argsort(keys)
        return self.most, np.stack([keys, self.parts])[:, order].tobytes()

    def shown(self, parts: int) -> str:
        """A number of parts as a number of units."""
        return f"{parts / self.unit:g}"


def budgets_of(
    nodes: Network, limits: LinkLimits, allowed: Flags, lengths: Floats, prices: Floats
) -> list[LinkBudget]:
    """Budgets of limits, of which only allowed links take something; for lengths and prices see `TopologyRequest`."""
    for word in ("length", "edge_wires"):
        if getattr(limits, word) is not None:
            require_places(nodes, word)
    laid = allowed.copy()
    for u, v in limits.existing:
        laid[u, v] = laid[v, u] = False
    found = []
    if limits.price is not None:
        if not limits.classes:
            raise NetworkError("price: give classes of reach, each with its price")
        found.append(LinkBudget.of("the price", limits.price, prices * allowed))
    if limits.length is not None:
        found.append(LinkBudget.of("the length of wires", limits.length, lengths * laid))
    racks = np.array([limits.racks.get(node, "") for node in range(nodes.num_routers)])
    if limits.rack_links is not None:
        if not limits.racks:
            raise NetworkError("rack_links limits links between racks; name the nodes of each under racks")
        for one, other in product(sorted(set(limits.racks.values())), repeat=2):
            if one != other:
                between = np.outer(racks == one, racks == other) & allowed
                found.append(LinkBudget.of(f"links from rack {one} to rack {other}", limits.rack_links, between))
    for axis, at, most in limits.cuts:
        if axis not in nodes.dimensions:
            raise NetworkError(f"cuts: {axis!r} is none of the axes {', '.join(nodes.dimensions)} of {nodes.name}")
        here = places_of(nodes)[:, nodes.dimensions.index(axis)] > at
        for side, way in ((~here, "up"), (here, "down")):
            crossing = np.outer(side, ~side) & allowed
            found.append(LinkBudget.of(f"wires {way} over {axis} = {at:g}", most, crossing))
    if limits.edge_wires is not None:
        for (start, end), links in _laid(places_of(nodes), allowed).items():
            takes = np.zeros_like(allowed)
            takes[tuple(np.array(links).T)] = True
            name = f"wires over the edge from ({','.join(map(str, start))}) to ({','.join(map(str, end))})"
            found.append(LinkBudget.of(name, limits.edge_wires, takes))
    return [budget for budget in found if budget.links.size]


def require_places(nodes: Network, word: str) -> None:
    """Raise NetworkError where what a word limits needs coordinates, and there are none."""
    if nodes.coordinates is None:
        raise NetworkError(f"{word}: {nodes.name} has no coordinates; give a grid, such as grid(4, 5)")


def places_of(nodes: Network) -> Ints:
    """Coordinates of nodes that have some: int64 array, shape (nodes, dimensions)."""
    assert nodes.coordinates is not None
    return nodes.coordinates.astype(np.int64)


Edge = tuple[tuple[int, ...], tuple[int, ...]]
"""Two places that are neighbours."""


def _laid(places: Ints, allowed: Flags) -> Mapping[Edge, list[tuple[int, int]]]:
    """Links over each edge of the grid, in each direction.

    A link is laid along the first axis from its end with the lower number, then along the next one.
    """
    found: dict[Edge, list[tuple[int, int]]] = {}
    for u, v in np.argwhere(allowed | allowed.T).tolist():
        if u < v:
            for edge in pairwise(_corners(places[u].tolist(), places[v].tolist())):
                for (one, other), link in ((edge, (u, v)), (edge[::-1], (v, u))):
                    if allowed[link]:
                        found.setdefault((one, other), []).append(link)
    return found


def _corners(at: list[int], end: list[int]) -> Iterator[tuple[int, ...]]:
    yield tuple(at)
    for axis, last in enumerate(end):
        while at[axis] != last:
            at[axis] += 1 if last > at[axis] else -1
            yield tuple(at)
