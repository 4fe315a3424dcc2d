"""A designed network beside networks of known families with as many nodes and no more ports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from unknot._base.deadline import Deadline
from unknot._base.errors import UnknotError
from unknot.lane_assignment import Lanes, LongerLanes, lanes
from unknot.network import Network, families
from unknot.network.halves import bisection_bounds, can_be_halved
from unknot.network.metrics import measure
from unknot.network.model import IntArray
from unknot.synthesis.topology.design import TopologyDesign
from unknot.synthesis.topology.request import DISTANCES
from unknot.synthesis.topology.throughput import throughput_of


@dataclass(frozen=True)
class Beside:
    """Figures of a network with a terminal at each node.

    Attributes
    ----------
    name : str
    ports : int
        Most links from a node.
    channels : int
    mean_hops : float
    diameter : int
    bisection : int or None
        Channels both ways between the best halves that were found; None: not computed.
    throughput_bound : float
        Flits per terminal and cycle that no routes carry more than, if all send to all others.
    lanes : int
        Of the routes.
    routed : float
        Throughput by these routes.
    longest, wires : float or None
        Longest channel, and length of all channels, in units of coordinates; None without places.

    Examples
    --------
    >>> from unknot._base.deadline import NEVER
    >>> from unknot.network.families import mesh
    >>> from unknot.synthesis.topology import designed, requested
    >>> made = designed(requested(mesh(2, 3), ports=3, reach=2.0), moves=2000)
    >>> [one.name for one in beside(made, "euclid", NEVER)][1]
    'mesh(2, 3)'
    """

    name: str
    ports: int
    channels: int
    mean_hops: float
    diameter: int
    bisection: int | None
    throughput_bound: float
    lanes: int
    routed: float
    longest: float | None
    wires: float | None


def beside(made: TopologyDesign, distance: str, deadline: Deadline) -> Iterator[Beside]:
    """Yield figures of a design, of known networks of its request, mesh and torus, and the family of fewest hops.

    Parameters
    ----------
    made : TopologyDesign
        The design, with its routes.
    distance : str
        How lengths are measured, "euclid", "manhattan" or "chebyshev".
    deadline : Deadline
        Until which networks are routed; those that come too late are left out.

    Yields
    ------
    Beside
        Figures, those of the design first.

    Examples
    --------
    >>> from unknot._base.deadline import NEVER
    >>> from unknot.network.families import mesh
    >>> from unknot.synthesis.topology import designed, requested
    >>> made = designed(requested(mesh(2, 3), ports=3, reach=2.0), moves=2000)
    >>> next(beside(made, "euclid", NEVER)).diameter
    2
    """
    places = made.network.coordinates
    yield _figures(made.network, made.routes, made.throughput_bound, places, distance)
    ports = _ports(made.network)
    grids = [*made.known, *(one for one in _grids(made.network) if _ports(one) <= ports)]
    others = [one for one in _families(made.network.num_routers, ports) if _ports(one) <= ports]
    others.sort(key=lambda one: measure(one).mean_distance or np.inf)
    for network in [*grids, *others[:1]]:
        if not deadline.over:
            routes = lanes(network, time_limit=deadline.part(0.5))
            on_floor = network.coordinates if network in grids else places
            carried = throughput_of(network)
            # A bound that the checker refuses bounds nothing.
            most = carried.most if carried.evidence.evidence_holds(network) is not False else np.inf
            yield _figures(network, routes, most, on_floor, distance)


def _figures(
    network: Network, routes: Lanes | LongerLanes, bound: float, places: IntArray | None, distance: str
) -> Beside:
    figures, length = measure(network), None
    if places is not None:
        apart = places[network.source].astype(np.float64) - places[network.target]
        length = np.linalg.norm(apart, ord=DISTANCES[distance], axis=1)
    return Beside(
        name=network.name,
        ports=_ports(network),
        channels=network.num_channels,
        mean_hops=figures.mean_distance or 0.0,
        diameter=figures.diameter or 0,
        bisection=bisection_bounds(network).upper if can_be_halved(network) else None,
        throughput_bound=bound,
        lanes=routes.count,
        routed=(network.num_terminals - 1) / routes.highest_load,
        longest=None if length is None else float(length.max()),
        wires=None if length is None else float(length.sum()),
    )


def _ports(network: Network) -> int:
    return int(network.outgoing.width.max())


def _grids(network: Network) -> Iterator[Network]:
    """Mesh and torus on the grid of a network, if it has one."""
    sides = network.radices
    if sides and prod(sides) == network.num_routers and min(sides) > 1:
        yield families.mesh(*sides)
        if min(sides) > 2:
            yield families.torus(*sides)


def _families(nodes: int, ports: int) -> Iterator[Network]:
    """Networks of families with so many nodes, a terminal at each."""
    for family, *numbers in _fitting(nodes, ports):
        with suppress(UnknotError):
            yield getattr(families, family)(*numbers)


def _fitting(nodes: int, ports: int) -> Iterator[tuple[Any, ...]]:
    """Names of families, each with the arguments that give so many nodes."""
    yield "random_regular", nodes, ports
    yield "complete", nodes
    if nodes == 1 << (nodes.bit_length() - 1):
        yield "hypercube", nodes.bit_length() - 1
    sides = [a for a in range(2, nodes) if nodes % a == 0]
    for a in sides:
        if a * a <= nodes:
            yield "hyperx", [a, nodes // a]
            yield "torus", a, nodes // a
        for b in sides:
            if a <= b <= nodes // (a * b) and nodes % (a * b) == 0:
                yield "torus", a, b, nodes // (a * b)
    for q in range(2, ports + 1):
        if 2 * q * q == nodes:
            yield "slim_fly", q, 1
        if q * q + q + 1 == nodes:
            yield "polarfly", q, 1
