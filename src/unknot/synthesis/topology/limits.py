"""Limits of links and nodes, from a file: required and forbidden links, ports, switches, racks, wires and prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError
from unknot.network import Network

Pairs = tuple[tuple[int, int], ...]
"""Links from a node to another."""
Switch = tuple[tuple[int, ...], tuple[int, ...]]
"""Nodes on both sides of a switch, each with a port, of which one side is joined to the other one to one."""


class ReachClass(NamedTuple):
    """Links up to some length, and what a channel of that class costs.

    Attributes
    ----------
    reach : float
        Greatest length of a link, in units of coordinates.
    price : float
        Price of a channel, in any unit.
    latency : int
        Cycles that a flit takes.

    Examples
    --------
    >>> ReachClass(2.5, price=40.0, latency=2)
    ReachClass(reach=2.5, price=40.0, latency=2)
    """

    reach: float
    price: float = 0.0
    latency: int = 1


class Cut(NamedTuple):
    """A line across an axis, and the most channels that cross it in each direction.

    Attributes
    ----------
    axis : str
        Name of a dimension of the nodes, as ``"x"``.
    at : float
        Place of the line on that axis, between two coordinates.
    most : int
        Most channels in each direction.

    Examples
    --------
    >>> Cut("x", 1.5, most=4)
    Cut(axis='x', at=1.5, most=4)
    """

    axis: str
    at: float
    most: int


class LinkLimits(NamedTuple):
    """Limits of links and nodes.

    Attributes
    ----------
    required, forbidden, existing : tuple of (int, int)
        Links from a node to another; existing ones are required, and their length and price are 0.
    ports : mapping of int to int
        Most links from and to a node, where it has others than the rest.
    switches : tuple of (tuple of int, tuple of int)
        For each switch the nodes at its ports in and out; pairs that no switch joins have required links alone.
    starts : tuple of (str, pairs)
        Settings of all switches by name: links, in one direction; by default the ports in their order.
    classes : tuple of ReachClass
        By rising reach; longer links than the last one's are none.
    racks : mapping of int to str
        Rack of a node.
    rack_links : int, optional
        Most channels from a rack to another.
    edge_wires : int, optional
        Most channels over each edge of the grid in each direction, if each is laid axis by axis.
    cuts : tuple of Cut
        Lines with limits.
    length, price : float, optional
        Most of all channels together.
    diameter : int, optional
        Most hops of a pair.
    survives : bool
        Whether all nodes stay connected if any one link is dead.

    Examples
    --------
    >>> LinkLimits(required=((0, 3),)).forbidden
    ()
    """

    required: Pairs = ()
    forbidden: Pairs = ()
    ports: Mapping[int, int] = MappingProxyType({})
    switches: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    starts: tuple[tuple[str, Pairs], ...] = ()
    existing: Pairs = ()
    classes: tuple[ReachClass, ...] = ()
    racks: Mapping[int, str] = MappingProxyType({})
    rack_links: int | None = None
    edge_wires: int | None = None
    cuts: tuple[Cut, ...] = ()
    length: float | None = None
    price: float | None = None
    diameter: int | None = None
    survives: bool = False

    def settings(self, nodes: int) -> list[tuple[str, npt.NDArray[np.bool_]]]:
        """Links both ways of each known setting of the switches, by name."""
        listed = tuple(pair for one, other in self.switches for pair in zip(one, other, strict=True))
        found = []
        for name, links in self.starts or ((("switches as listed", listed),) if listed else ()):
            there = np.zeros((nodes, nodes), dtype=bool)
            there[tuple(np.array(links).T)] = True
            found.append((name, there | there.T))
        return found

    def with_others(self, other: LinkLimits) -> LinkLimits:
        """Return limits merged with others, whose numbers take precedence."""
        joined: dict[str, Any] = {}
        pairs: list[tuple[str, Any, Any]] = [*zip(self._fields, self, other, strict=True)]
        for name, mine, theirs in pairs:
            if isinstance(mine, Mapping):
                joined[name] = {**mine, **theirs}
            elif isinstance(mine, tuple):
                joined[name] = mine + theirs
            else:
                joined[name] = mine if theirs is None or theirs is False else theirs
        joined["starts"] = () if other.switches else self.starts
        return LinkLimits(**joined)


def switch_table(switches: Sequence[Switch], nodes: Network) -> Ints:
    """Return the number of the switch between two nodes, −1 for none: int64 array, or empty without switches."""
    if not switches:
        return np.zeros((0, 0), dtype=np.int64)
    switch = np.full((nodes.num_routers, nodes.num_routers), -1)
    for number, (one, other) in enumerate(switches):
        for here, there in ((one, other), (other, one)):
            taken = np.argwhere(switch[np.ix_(here, there)] >= 0)
            if taken.size:
                u, v = nodes.router_name(here[taken[0, 0]]), nodes.router_name(there[taken[0, 1]])
                raise NetworkError(f"switches: {u} and {v} can be joined by two of them; leave one out")
            switch[np.ix_(here, there)] = number
    return switch
