"""Requests for a network: nodes, their places and ports, and the links that may or must exist."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product

import numpy as np

from unknot._base import memory
from unknot._base.arrays import Flags, Ints
from unknot._base.errors import NetworkError
from unknot._base.shown import Brief
from unknot.network import Network
from unknot.synthesis.topology.limits import LinkLimits, switch_table

DISTANCES = {"euclid": 2.0, "manhattan": 1.0, "chebyshev": np.inf}
"""Orders of the norms of differences of coordinates, by name."""
NO_LIMITS = LinkLimits()
PAIR = 24
"""Bytes for each pair of nodes: what is allowed and required, links of all walkers, hops."""
SLACK = 1e-9
"""Share by which a link may be longer than the reach, so that √2 written as 1.414213562 will do."""


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

    Examples
    --------
    >>> from unknot.network.families import mesh
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
        return all(np.array_equal(one, other) for one, other in (*arrays, *tables))

    def network_of(self, links: Flags, name: str) -> Network:
        """The network of some links."""
        source, target = np.nonzero(links)
        nodes, places = self.nodes, replace(self.nodes.places, origin=None)
        return Network(name, self.size, source, target, inject=nodes.inject, eject=nodes.eject, places=places)


def requested(
    nodes: Network,
    *,
    ports: int,
    reach: float | None = None,
    distance: str = "euclid",
    both_ways: bool = True,
    keep: bool = False,
    symmetry: int = 1,
    limits: LinkLimits = NO_LIMITS,
) -> TopologyRequest:
    """Make a request from a network, whose links are forgotten, or kept as required ones.

    Parameters
    ----------
    nodes : Network
        Routers, terminals and coordinates.
    ports : int
        Most links from each node, and to each node.
    reach : float, optional
        Greatest length of a link in units of coordinates; by default all pairs are allowed.
    distance : str
        "euclid", "manhattan" or "chebyshev".
    both_ways : bool
        Each link is there in both directions and takes a port in and out of each end.
    keep : bool
        The links of the network are required.
    symmetry : int
        Order of a rotation that is kept: of numbers by a part of all, or of a grid by a half or a quarter turn.
    limits : LinkLimits
        Links that must or must not exist, and nodes with another number of ports.

    Returns
    -------
    TopologyRequest
        Nodes, and the links that may or must be.

    Raises
    ------
    NetworkError
        If constraints contradict each other; the sentence names them.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> requested(mesh(4, 5), ports=4, symmetry=2).image.shape
    (2, 20)
    """
    size = nodes.num_routers
    memory.require(f"links between {size} nodes", PAIR * size * size)
    if size < 2:
        raise NetworkError(f"{nodes.name}: a network to design has at least 2 nodes, not {size}")
    if not 1 <= ports < size:
        raise NetworkError(f"ports: {size} nodes take 1 to {size - 1} ports each, not {ports}")
    allowed = ~np.eye(size, dtype=bool)
    if reach is not None:
        allowed &= _within(nodes, reach, distance)
    required = np.zeros((size, size), dtype=bool)
    if keep:
        required[nodes.source, nodes.target] = True
        required |= required.T & both_ways
    for links, table, value in ((limits.required, required, True), (limits.forbidden, allowed, False)):
        for u, v in [*links, *((v, u) for u, v in links if both_ways)]:
            table[u, v] = value
    limit = np.full(size, ports, dtype=np.int64)
    for node, many in limits.ports.items():
        if not 1 <= many < size:
            raise NetworkError(f"ports: {nodes.router_name(node)} takes 1 to {size - 1} of them, not {many}")
        limit[node] = many
    image = _rotation(nodes, symmetry)
    if limits.switches and not both_ways:
        raise NetworkError("switches join ports in both directions; leave out --one-way")
    switch = switch_table(limits.switches, nodes)
    if switch.size:
        allowed &= required | (switch >= 0)
    known = {name: required | links for name, links in limits.settings(size)}
    wanted = TopologyRequest(nodes, allowed, required, limit, limit, both_ways, image, switch, known)
    _require_possible(wanted, reach)
    return wanted


def _within(nodes: Network, reach: float, distance: str) -> Flags:
    if nodes.coordinates is None:
        raise NetworkError(f"reach: {nodes.name} has no coordinates; give a grid, such as grid(4, 5)")
    if distance not in DISTANCES:
        raise NetworkError(f"distance: {distance!r} is none of {', '.join(DISTANCES)}")
    places = nodes.coordinates.astype(np.float64)
    apart = np.linalg.norm(places[:, None] - places[None], ord=DISTANCES[distance], axis=2)
    near: Flags = apart <= reach * (1 + SLACK)
    return near


def _rotation(nodes: Network, order: int) -> Ints:
    """Powers of a map of the nodes without fixed nodes, the identity first."""
    size = nodes.num_routers
    number = np.arange(size)
    if order == 1:
        return number[None]
    if nodes.coordinates is None:
        if order < 1 or size % order:
            raise NetworkError(f"symmetry: {order} is no divisor of {size} nodes")
        return (number + size // order * np.arange(order)[:, None]) % size
    places = nodes.coordinates
    high = places.max(axis=0)
    if order == 2:
        turned = high - places
    elif order == 4 and places.shape[1] == 2 and high[0] == high[1]:
        turned = np.stack([high[1] - places[:, 1], places[:, 0]], axis=1)
    else:
        raise NetworkError(f"symmetry: a grid keeps a half turn (2), a square also a quarter turn (4), not {order}")
    at = {tuple(place): node for node, place in enumerate(places.tolist())}
    image = np.array([at[tuple(place)] for place in turned.tolist()])
    if (image == number).any():
        raise NetworkError("symmetry: the node in the middle would stay where it is; leave --symmetry out")
    powers = [number]
    while len(powers) < order:
        powers.append(image[powers[-1]])
    return np.array(powers)


def _require_possible(wanted: TopologyRequest, reach: float | None) -> None:
    """Raise where no network can fulfil a request; sentences name the nodes."""
    name = wanted.nodes.router_name
    missing = wanted.required & ~wanted.allowed
    if missing.any():
        u, v = (int(node) for node in np.argwhere(missing)[0])
        raise NetworkError(
            f"the link {name(u)} → {name(v)} is required, but is forbidden or longer than the reach of {reach}"
        )
    # All settings of switches have as many links at each node.
    needed = next(iter(wanted.known.values()), wanted.required)
    lost = np.argwhere(needed & ~wanted.allowed)
    if lost.size:
        u, v = (int(node) for node in lost[0])
        raise NetworkError(f"switches may join {name(u)} and {name(v)}, which is forbidden or beyond the reach")
    for many, limit, way in (
        (needed.sum(axis=1), wanted.leaving, "from"),
        (needed.sum(axis=0), wanted.entering, "to"),
    ):
        full = np.flatnonzero(many > limit)
        if full.size:
            node = int(full[0])
            raise NetworkError(
                f"{int(many[node])} links {way} {name(node)} are to be kept, more than its {int(limit[node])} ports"
            )
    apart = np.argwhere(wanted.fewest < 0)
    if apart.size:
        u, v = (int(node) for node in apart[0])
        why = f"a reach of {reach} is too short, or links are forbidden"
        raise NetworkError(f"no allowed links lead from {name(u)} to {name(v)}: {why}")
    if int(wanted.leaving.sum()) < (wanted.size if not wanted.both_ways else 2 * (wanted.size - 1)):
        raise NetworkError(f"{wanted.size} nodes with so few ports cannot be connected; give more --ports")
    if wanted.switch.size and not wanted.begun:
        raise NetworkError("symmetry: the switches as they are listed lack it; leave it out")
    for image in wanted.image[1:]:
        if not wanted.keeps(image):
            raise NetworkError("symmetry: links that are required or forbidden, or ports, lack it; leave it out")


def hop_counts(links: Flags) -> Ints:
    """Hops between all nodes: int64 array, shape (nodes, nodes); −1 where there is no way."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    hops = shortest_path(csr_array(links.astype(np.int8)), unweighted=True)
    counts: Ints = np.where(np.isinf(hops), -1, hops).astype(np.int64)
    return counts
