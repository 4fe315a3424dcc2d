"""Requests made from places, ports and limits, and what contradicts itself in them."""

from __future__ import annotations

import numpy as np

from unknot._base import memory
from unknot._base.arrays import Floats, Ints
from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.synthesis.topology.bounds import least_diameter
from unknot.synthesis.topology.budgets import budgets_of, places_of, require_places
from unknot.synthesis.topology.limits import LinkLimits, switch_table
from unknot.synthesis.topology.request import DISTANCES, TopologyRequest, adjacency, hop_counts, lone_links

NO_LIMITS = LinkLimits()
NOTHING: Floats = np.zeros((0, 0))
PAIR = 24
"""Bytes for each pair of nodes: what is allowed and required, links of all walkers, hops."""
SLACK = 1e-9
"""Share by which a link may be longer than the reach, so that √2 written as 1.414213562 will do."""


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
    allowed, lengths = ~np.eye(size, dtype=bool), _lengths(nodes, distance)
    prices, latency = NOTHING, NOTHING.astype(np.int64)
    if limits.classes:
        require_places(nodes, "classes")
        steps = sorted(limits.classes)
        kind = np.searchsorted([one.reach * (1 + SLACK) for one in steps], lengths)
        reach = min(steps[-1].reach, reach or np.inf)
        kind = np.minimum(kind, len(steps) - 1)
        prices = np.array([one.price for one in steps])[kind]
        for u, v in limits.existing:
            prices[u, v] = prices[v, u] = 0.0
        latency = np.array([one.latency for one in steps], dtype=np.int64)[kind]
    if reach is not None:
        require_places(nodes, "reach")
        allowed &= lengths <= reach * (1 + SLACK)
    required = adjacency(nodes) if keep else np.zeros((size, size), dtype=bool)
    required |= required.T & both_ways
    for links, table, value in (
        (limits.required + limits.existing, required, True),
        (limits.forbidden, allowed, False),
    ):
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
    budgets = budgets_of(nodes, limits, allowed, lengths, prices)
    for one in budgets:
        allowed &= required | (one.table(size) <= one.most)
    wanted = TopologyRequest(
        nodes, allowed, required, limit, limit, both_ways, image, switch, known, tuple(budgets), limits.diameter,
        limits.survives, lengths, prices, latency,
    )  # fmt: skip
    _require_possible(wanted, reach)
    return wanted


def _lengths(nodes: Network, distance: str) -> Floats:
    """Lengths of links between nodes, empty without coordinates."""
    if distance not in DISTANCES:
        raise NetworkError(f"distance: {distance!r} is none of {', '.join(DISTANCES)}")
    if nodes.coordinates is None:
        return NOTHING
    places = places_of(nodes).astype(np.float64)
    lengths: Floats = np.linalg.norm(places[:, None] - places[None], ord=DISTANCES[distance], axis=2)
    return lengths


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
        empty = [one.name for one in wanted.budgets if one.most < one.parts.min()]
        why = f"a limit leaves room for none of the {empty[0]}" if empty else why
        raise NetworkError(f"no allowed links lead from {name(u)} to {name(v)}: {why}")
    if int(wanted.leaving.sum()) < (2 * (wanted.size - 1) if wanted.both_ways else wanted.size):
        raise NetworkError(f"{wanted.size} nodes with so few ports cannot be connected; give more --ports")
    kept = wanted.required
    free = (kept.sum(axis=1) < wanted.leaving)[:, None] & (kept.sum(axis=0) < wanted.entering)
    apart = np.argwhere(hop_counts(kept | wanted.allowed & free) < 0)
    if apart.size:
        u, v = (int(node) for node in apart[0])
        raise NetworkError(f"required links leave no ports for a way from {name(u)} to {name(v)}; give more --ports")
    for one, spent in zip(wanted.budgets, wanted.spent(wanted.required), strict=True):
        if spent > one.most:
            raise NetworkError(
                f"required links take {one.shown(spent)} of {one.name}, more than the limit of {one.shown(one.most)}"
            )
        if (least := _least(one.table(wanted.size), wanted)) > one.most:
            raise NetworkError(
                f"links that connect all nodes take {one.shown(least)} of {one.name} at least, more than the limit "
                f"of {one.shown(one.most)}"
            )
    if wanted.most_far is not None and (far := least_diameter(wanted)) > wanted.most_far:
        raise NetworkError(
            f"a diameter of at most {wanted.most_far} is asked for; with these ports and links some nodes are "
            f"{far} hops apart in any network"
        )
    if wanted.survives:
        few = np.flatnonzero((wanted.leaving < 2) | (wanted.entering < 2))
        if few.size:
            raise NetworkError(f"survives: {name(int(few[0]))} has 1 port, and is cut off without its link")
        for u, v in lone_links(wanted.allowed):
            raise NetworkError(f"survives: no allowed links lead around a dead link from {name(u)} to {name(v)}")
    if wanted.switch.size and not wanted.begun:
        raise NetworkError("symmetry: the switches as they are listed lack it; leave it out")
    for image in wanted.image[1:]:
        if not wanted.keeps(image):
            raise NetworkError("symmetry: links that are required or forbidden, or ports, lack it; leave it out")


def _least(takes: Ints, wanted: TopologyRequest) -> int:
    """What links that connect all nodes take at least: a spanning tree both ways, or a link to each node."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    if not wanted.both_ways:
        return int(np.where(wanted.allowed, takes, takes.max()).min(axis=0).sum())
    # Links that take nothing are none for the function.
    tree = minimum_spanning_tree(csr_array(np.where(wanted.allowed, takes + takes.T + 1, 0)))
    return int(tree.sum()) - (wanted.size - 1)
