"""Figures of a network: exact where that is cheap, sampled on request, otherwise not given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints, Rows
from unknot._base.errors import NetworkError
from unknot._base.kernels.lazy_kernel import CHANNELS, is_small, plainly
from unknot._base.quantities import Hops, MeanHops
from unknot.network.bandwidth import written
from unknot.network.graph import components, pairs
from unknot.network.grid import Grid, whole_grid
from unknot.network.halves import bisection
from unknot.network.model import IntArray, Network

EXACT_STEPS = 2_000_000_000
"""Channel visits (routers × channels) up to which distances are computed from every router."""


@dataclass(frozen=True)
class Metrics:
    """Sizes, degrees, distances and bisection of a network.

    Attributes
    ----------
    routers, channels, terminals, links : int
        A link is a pair of opposite channels; channels without an opposite are not counted in `links`. A channel
        from a router to itself is a link of its own, unless its ports say that it is one way of a loopback cable.
    degree_min, degree_max : int
        Outgoing channels of a router, terminals not counted.
    connected : bool
        Whether every router reaches every other along directed channels.
    diameter : int or None
        Greatest distance in hops; None when disconnected or not computed.
    mean_distance : float or None
        Mean over ordered pairs of distinct routers; None when disconnected or not computed.
    bisection : int or None
        Directed channels, both ways, cut by the best split into halves; known for the regular families, else None.
    sampled : int or None
        Number of start routers when the distances were sampled; None when they are exact.
    terminals_connected : bool or None
        Whether every terminal has a way to every other, which is all that a multistage network needs; None when not
        computed.
    bandwidths : dict of str to int, or None
        Number of channels of each bandwidth, in flits per cycle, ascending; None where all have 1.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> figures = measure(torus(4, 4))
    >>> figures.diameter, figures.bisection, figures.links
    (4, 16, 32)
    """

    routers: int
    channels: int
    terminals: int
    links: int
    degree_min: int
    degree_max: int
    connected: bool
    diameter: Hops | None
    mean_distance: MeanHops | None
    bisection: int | None
    sampled: int | None = None
    terminals_connected: bool | None = None
    bandwidths: dict[str, int] | None = None


def measure(network: Network, *, sample: int | None = None, seed: int = 1) -> Metrics:
    """Compute the figures of a network.

    Complete meshes, tori and hypercubes are done by formula at any size; other networks by breadth-first search
    from every router, O(routers × channels), as long as that is at most `EXACT_STEPS`.

    Parameters
    ----------
    network : Network
        The network.
    sample : int, optional
        Search from this many random routers when the exact way is too long. The diameter is then a lower bound and
        the mean an estimate, and the result says so in `sampled`.
    seed : int
        Seeds the choice of sampled routers.

    Returns
    -------
    Metrics
        Sizes and distances.

    Raises
    ------
    NetworkError
        If `sample` is not a positive number.

    Examples
    --------
    >>> from unknot.network.families import petersen
    >>> figures = measure(petersen())
    >>> figures.diameter, round(figures.mean_distance, 3)
    (2, 1.667)
    """
    if sample is not None and sample < 1:
        raise NetworkError(f"sample must be a number of routers, at least 1, got {sample}")
    degrees = network.outgoing.width
    _, pieces = components(network)
    connected = pieces == 1
    diameter: Hops | None = None
    mean: float | None = None
    sampled: int | None = None
    product = whole_grid(network)
    if connected and product is not None:
        diameter, mean = _grid_distances(product)
    elif connected and network.num_routers * max(1, network.num_channels) <= EXACT_STEPS:
        diameter, mean = _distances(network, np.arange(network.num_routers))
    elif connected and sample is not None:
        sampled = min(sample, network.num_routers)
        starts = np.random.default_rng(seed).choice(network.num_routers, size=sampled, replace=False)
        diameter, mean = _distances(network, starts)
    return Metrics(
        routers=network.num_routers,
        channels=network.num_channels,
        terminals=network.num_terminals,
        links=_links(network),
        degree_min=int(degrees.min()),
        degree_max=int(degrees.max()),
        connected=connected,
        diameter=diameter,
        mean_distance=mean,
        bisection=bisection(network),
        sampled=sampled,
        terminals_connected=True if connected else _terminals_connected(network),
        bandwidths=_bandwidths(network),
    )


def _bandwidths(network: Network) -> dict[str, int] | None:
    rates, counts = np.unique(network.bandwidth, return_counts=True)
    if (rates == 1).all():
        return None
    return {str(written(rate)): count for rate, count in zip(rates.tolist(), counts.tolist(), strict=True)}


def _terminals_connected(network: Network) -> bool | None:
    starts = np.unique(network.inject)
    if starts.size * max(1, network.num_channels) > EXACT_STEPS:
        return None
    return all(bool((distances_from(network, int(start))[network.eject] >= 0).all()) for start in starts)


def distances_from(network: Network, router: int, *, reverse: bool = False) -> IntArray:
    """The hops from `router` to every router (or, if `reverse`, from every router to it); −1 where there is no way.

    Parameters
    ----------
    network : Network
        The network.
    router : int
        The router from which distances count.
    reverse : bool
        Whether distances lead to the router.

    Returns
    -------
    int32 array, shape (routers,)
        Hops.

    Raises
    ------
    NetworkError
        If there is no such router.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> distances_from(ring(6), 0).tolist()
    [0, 1, 2, 3, 2, 1]
    """
    from unknot.network.graph_kernel import bfs

    if not 0 <= router < network.num_routers:
        raise NetworkError(f"network {network.name!r} has no router {router}")
    distance = np.empty(network.num_routers, dtype=np.int32)
    with plainly(is_small(network.num_channels // CHANNELS, bfs)):
        bfs(*_beside(network, reverse), router, distance, distance.copy())
    return distance


def _beside(network: Network, reverse: bool) -> Rows:
    """Routers at the ends of channels out of each router, or, if `reverse`, where channels into a router begin."""
    rows, ends = (network.incoming, network.source) if reverse else (network.outgoing, network.target)
    return Rows(rows.first, ends[rows.entries])


def hops_from_any(network: Network, starts: npt.ArrayLike, *, either_way: bool = False) -> Ints:
    """Count hops from the nearest of some routers to each router, as the tiers of a Clos are counted; −1: no way.

    With `either_way` channels are gone against their direction too.

    Examples
    --------
    >>> from unknot.network.families import fat_tree
    >>> hops_from_any(fat_tree(2, 2), [2, 3]).tolist()
    [1, 1, 0, 0]
    """
    tail, head = network.source, network.target
    if either_way:
        tail, head = np.append(tail, head), np.append(head, tail)
    hops = np.full(network.num_routers, -1)
    depth, new = 0, np.asarray(starts, dtype=np.int64)
    while new.size:
        hops[new] = depth
        new = head[(hops[tail] == depth) & (hops[head] < 0)]
        depth += 1
    return hops


def _grid_distances(product: Grid) -> tuple[int, float]:
    """Diameter and mean distance of a product: dimensions add up."""
    diameter, mean = 0, 0.0
    sides = zip(product.radices.tolist(), product.wraps.tolist(), (product.directions == 3).tolist(), strict=True)
    for k, wrap, both_ways in sides:
        if wrap and not both_ways:
            diameter += k - 1
            mean += (k - 1) / 2
        elif wrap:
            diameter += k // 2
            mean += (k // 2) * ((k + 1) // 2) / k
        else:
            diameter += k - 1
            mean += (k * k - 1) / (3 * k)
    routers = product.coordinates.shape[0]
    return diameter, mean * routers / (routers - 1) if routers > 1 else 0.0


def _distances(network: Network, starts: Ints) -> tuple[int, float]:
    """Diameter and mean distance of a connected network, as far as they are seen from some routers."""
    farthest, total = spread(network, starts, np.ones(network.num_routers, dtype=bool))
    pairs = starts.size * (network.num_routers - 1)
    return int(farthest.max()), float(total.sum() / pairs) if pairs else 0.0


def spread(network: Network, starts: Ints, marked: Flags, *, reverse: bool = False) -> tuple[Ints, Ints]:
    """Greatest distance, and sum of distances, from each of some routers to the marked ones (or, if `reverse`, back).

    Both are −1 where a marked router is out of reach. O(starts × channels) time.
    """
    from unknot.network.graph_kernel import spreads

    farthest, total = np.zeros((2, starts.size), dtype=np.int64)
    with plainly(is_small(starts.size * network.num_channels // CHANNELS, spreads)):
        spreads(*_beside(network, reverse), starts, marked, int(marked.sum()), farthest, total)
    return farthest, total


def _links(network: Network) -> int:
    key, count = np.unique(pairs(network), return_counts=True)
    back = key % network.num_routers * network.num_routers + key // network.num_routers
    twin = np.minimum(np.searchsorted(key, back), key.size - 1)
    two_way = int(np.minimum(count, count[twin])[key[twin] == back].sum())
    loops = np.flatnonzero(network.source == network.target)
    cables = loops.size
    if network.ports is not None:
        ends = np.column_stack([network.source[loops], np.sort(network.ports[loops], axis=1)])
        cables = len(np.unique(ends, axis=0))
    return (two_way - loops.size) // 2 + cables
