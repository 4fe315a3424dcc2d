"""Requests for a network: nodes, their places and ports, and the links that may or must exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product

import numpy as np

from unknot._base.arrays import Flags, Floats, Ints
from unknot._base.shown import Brief
from unknot.network import Network, Wires
from unknot.synthesis.topology.budgets import LinkBudget

DISTANCES = {"euclid": 2.0, "manhattan": 1.0, "chebyshev": np.inf}
"""Orders of the norms of differences of coordinates, by name."""


@dataclass(frozen=True, eq=False, repr=False)
class TopologyRequest(Brief):
    """Nodes with ports, and the links between them that are allowed and required.

    Attributes
    ----------
    nodes : Network
        Routers with terminals and coordinates, without channels.
    allowed : bool array, shape (nodes, nodes)
        Whether a link may lead from the first node to the second.
    required : bool array, shape (nodes, nodes)
        Links that must exist.
    leaving, entering : int64 arrays, shape (nodes,)
        Most links from and to each node.
    both_ways : bool
        Each link is there in both directions.
    image : int64 array, shape (order of the symmetry, nodes)
        Powers of the symmetry that is kept, the identity first.
    switch : int64 array, shape (nodes, nodes), or empty
        Number of the switch that may join two nodes, or −1; empty: there is none.
    known : dict of bool arrays, shape (nodes, nodes)
        Links of networks that fulfil the request but perhaps for its symmetry, by name.
    budgets : tuple of LinkBudget
        Limits of sums over channels.
    most_far : int or None
        Most hops of a pair.
    survives : bool
        All nodes stay connected if any one link is dead.
    lengths, prices : float64 arrays, shape (nodes, nodes), or empty
        Of a channel, if there is one; empty without coordinates, or without classes of reach.
    latency : int64 array, shape (nodes, nodes), or empty
        Cycles of a channel; empty: 1.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.synthesis.topology import requested
    >>> wanted = requested(mesh(4, 5), ports=4, reach=2.0)
    >>> wanted.size, int(wanted.allowed.sum())
    (20, 154)
    """

    nodes: Network
    allowed: Flags
    required: Flags
    leaving: Ints
    entering: Ints
    both_ways: bool
    image: Ints
    switch: Ints
    known: dict[str, Flags]
    budgets: tuple[LinkBudget, ...]
    most_far: int | None
    survives: bool
    lengths: Floats
    prices: Floats
    latency: Ints

    @property
    def size(self) -> int:
        return self.nodes.num_routers

    @property
    def begun(self) -> dict[str, Flags]:
        """Known networks that keep the symmetry, by name."""
        turned = [np.ix_(one, one) for one in self.image]
        return {
            name: links for name, links in self.known.items() if all((links == links[one]).all() for one in turned)
        }

    @cached_property
    def fewest(self) -> Ints:
        """Hops between nodes if all allowed links existed: int64 array, shape (nodes, nodes); −1 without a way."""
        return hop_counts(self.allowed)

    @cached_property
    def automorphisms(self) -> Ints:
        """Reflections and exchanges of axes that change nothing of the request: int64 array, shape (maps, nodes)."""
        places = self.nodes.coordinates
        if places is None:
            return np.arange(self.size)[None]
        number = {tuple(place): node for node, place in enumerate(places.tolist())}
        if len(number) < self.size:
            return np.arange(self.size)[None]
        low, high = places.min(axis=0), places.max(axis=0)
        found = []
        for axes in permutations(range(places.shape[1])):
            turned = places[:, axes]
            for signs in product((False, True), repeat=places.shape[1]):
                moved = np.where(signs, low + high - turned, turned)
                image = [number.get(tuple(place), -1) for place in moved.tolist()]
                if -1 not in image and self.keeps(np.array(image)):
                    found.append(image)
        return np.array(found)

    def keeps(self, image: Ints) -> bool:
        """Whether a map of the nodes changes nothing of the request."""
        pairs = np.ix_(image, image)
        arrays = (self.leaving, self.leaving[image]), (self.entering, self.entering[image])
        tables = (self.allowed, self.allowed[pairs]), (self.required, self.required[pairs])
        if not all(np.array_equal(one, other) for one, other in (*arrays, *tables)):
            return False
        stays = np.arange(self.size)
        before, after = (sorted(one.moved(moved) for one in self.budgets) for moved in (stays, image))
        return before == after

    @property
    def limited(self) -> bool:
        """Whether there are limits beside ports and links."""
        return bool(self.budgets or self.most_far or self.survives)

    def spent(self, links: Flags) -> Ints:
        """What links take of each budget."""
        return np.array([one.parts[links[tuple(one.links.T)]].sum() for one in self.budgets], dtype=np.int64)

    def fulfilled(self, links: Flags, hops: Ints) -> bool:
        """Whether links with these hops keep to budgets, connect all nodes, and survive a dead link, as asked."""
        kept = all(spent <= one.most for spent, one in zip(self.spent(links), self.budgets, strict=True))
        near = kept and hops.min() >= 0 and (self.most_far is None or hops.max() <= self.most_far)
        return bool(near and not (self.survives and any(lone_links(links))))

    def network_of(self, links: Flags, name: str) -> Network:
        """The network of some links."""
        source, target = np.nonzero(links)
        nodes, places = self.nodes, replace(self.nodes.places, origin=None)
        wires = Wires(self.latency[source, target] if self.latency.size else 1)
        return Network(name, self.size, source, target, wires, nodes.inject, nodes.eject, places)


def adjacency(network: Network) -> Flags:
    """Return which links a network has: bool array, shape (nodes, nodes)."""
    there = np.zeros((network.num_routers,) * 2, dtype=bool)
    there[network.source, network.target] = True
    return there


def lone_links(links: Flags) -> Iterator[tuple[int, int]]:
    """Yield links without which no other way leads from their beginning to their end."""
    ahead = [np.flatnonzero(row).tolist() for row in links]
    for u, v in np.argwhere(links).tolist():
        line, seen = [u], {u}
        for at in line:
            following = [w for w in ahead[at] if w not in seen and (at, w) != (u, v)]
            seen.update(following)
            line += following
            if v in seen:
                break
        else:
            yield u, v


def hop_counts(links: Flags) -> Ints:
    """Hops between all nodes: int64 array, shape (nodes, nodes); −1 where there is no way."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    hops = shortest_path(csr_array(links.astype(np.int8)), unweighted=True)
    counts: Ints = np.where(np.isinf(hops), -1, hops).astype(np.int64)
    return counts
