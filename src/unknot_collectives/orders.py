"""Orders of the members of a collective operation: a row, or a circle, along which it goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, require_known
from unknot._base.extensions import Catalogue
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.taking import takes_network
from unknot_collectives.operation import Operation
from unknot_collectives.platform import Platform

ORDERS: Catalogue[Callable[[Network], IntArray] | None] = Catalogue(
    "orders", dict.fromkeys(("auto", "dimensions", "numbers"))
)
"""Orders of the core, and those of extensions: functions that return the routers of a network along a circle."""


@dataclass(frozen=True)
class Order:
    """Terminals in a row, or in a circle.

    Attributes
    ----------
    name : str
        ``dimensions``, ``numbers``, or that of an extension, as ``circle``.
    terminals : tuple of int
    circular : bool
        Whether any terminal may come first.

    Examples
    --------
    >>> order = order_of("mesh(2, 3)")
    >>> order.name, order.terminals, order.circular
    ('dimensions', (0, 2, 4, 1, 3, 5), False)
    """

    name: str
    terminals: tuple[int, ...]
    circular: bool = False


@takes_network
def order_of(network: Network, name: str = "auto", root: int = 0) -> Order:
    """An order of the terminals of a network.

    Parameters
    ----------
    network : Network
        The network.
    name : str
        `circle`: along the exterior edges of an incremental triangular mesh (Liu et al. 2002); or a circle of another
        extension. `dimensions`: by coordinates, the first dimension first (the chain of McKinley et al. 1994 for
        dimension-order routing); on a hypercube relative to the root's. `numbers`: as they are numbered. `auto`: the
        first of these that the network has.
    root : int
        Terminal from which data spread.

    Returns
    -------
    Order
        The order of the terminals.

    Raises
    ------
    NetworkError
        If the network has no such order.

    Examples
    --------
    >>> order_of("mesh(2, 2)", "numbers", root=2).terminals
    (0, 1, 2, 3)
    """
    require_known("unknown order", name, ORDERS, NetworkError)
    for extension, circle_of in ORDERS.usable() if name == "auto" else [(name, ORDERS[name])]:
        if circle_of is not None:
            try:
                return Order(extension, _along(network, circle_of(network)), circular=True)
            except NetworkError as error:
                if name != "auto":
                    raise NetworkError(f"{network.name} has no circular order: {error}") from None
    if name != "numbers" and network.coordinates is not None:
        places = network.coordinates
        if places.size and places.min() == 0 and places.max() == 1:
            places = places ^ places[network.inject[root]]
        return Order("dimensions", _along(network, np.lexsort(places[:, ::-1].T)))
    if name == "dimensions":
        raise NetworkError(f"{network.name} has no coordinates to order its terminals by")
    return Order("numbers", tuple(range(network.num_terminals)))


def _along(network: Network, routers: npt.NDArray[np.integer[Any]]) -> tuple[int, ...]:
    """Terminals in the order of the routers that they inject at."""
    return tuple(np.argsort(np.argsort(routers)[network.inject], kind="stable").tolist())


@dataclass(frozen=True)
class Group:
    """Members of an operation in a row.

    Attributes
    ----------
    row : tuple of int
    root : int or None
    places : mapping from member to tuple of int, or None
        Coordinates of each, and its number at its router where several are; buckets and shifts by groups need them.
    circle : tuple of int
        Members in the order of rings and chains; empty: that of the row.

    Examples
    --------
    >>> Group((3, 1, 2), root=1).row
    (3, 1, 2)
    """

    row: tuple[int, ...]
    root: int | None = None
    places: Mapping[int, tuple[int, ...]] | None = None
    circle: tuple[int, ...] = ()

    @property
    def around(self) -> tuple[int, ...]:
        """The members along rings and chains."""
        return self.circle or self.row

    def only(self, members: Sequence[int]) -> Group:
        """Return those of some members, in the same order."""
        kept = set(members)
        places = None if self.places is None else {m: at for m, at in self.places.items() if m in kept}
        row, circle = (tuple(m for m in order if m in kept) for order in (self.row, self.circle))
        return Group(row, self.root, places, circle)


@takes_network
def group_of(network: Network, operation: Operation, order: str = "auto") -> Group:
    """Return the terminals that take part in an order, a circle from the root on, with coordinates of their own.

    Parameters
    ----------
    network : Network
        The network, of which `platform_of` made the platform of the operation.
    operation : Operation
        The operation.
    order : str
        As `order_of` reads it.

    Returns
    -------
    Group
        The members.

    Raises
    ------
    NetworkError
        If the network has no such order.

    Examples
    --------
    >>> group_of("mesh(2, 2)", Operation("broadcast", (4, 5, 7), root=5)).row
    (5, 7, 4)
    """
    first, members = network.num_routers, set(operation.members)
    ordered = order_of(network, order, 0 if operation.root is None else operation.root - first)
    row = tuple(first + t for t in ordered.terminals if first + t in members)
    if ordered.circular and operation.root is not None:
        start = row.index(operation.root)
        row = row[start:] + row[:start]
    places = None
    if network.coordinates is not None:
        seats = defaultdict[int, int](int)
        places = dict[int, tuple[int, ...]]()
        for member in row:
            router = int(network.inject[member - first])
            places[member] = *network.coordinates[router].tolist(), seats[router]
            seats[router] += 1
    return Group(row, operation.root, places)


def near_members(platform: Platform, members: Sequence[int]) -> list[list[int]]:
    """Return sets of equally many members, joined by channels faster than those between the sets, or at one switch.

    Of several rates the slowest that parts them.

    Raises
    ------
    NetworkError
        If there are no such sets.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    inside, rates = set(members), sorted({channel.bandwidth for channel in platform.channels})
    joined = [[c for c in platform.channels if c.bandwidth > rate] for rate in rates[:-1]]
    joined.append([c for c in platform.channels if c.source in inside or c.target in inside])
    for channels in joined:
        ends = [c.source for c in channels], [c.target for c in channels]
        graph = coo_array(([1] * len(channels), ends), shape=(platform.num_nodes,) * 2)
        number = connected_components(graph)[1].tolist()
        sets = {number[m]: [other for other in members if number[other] == number[m]] for m in members}
        if len(sets) > 1 and {len(one) for one in sets.values()} == {len(members) // len(sets)} != {1}:
            return list(sets.values())
    raise NetworkError(f"{platform.name}: no channels or switches make sets of equally many near members")


def halves(count: int, root: int) -> Iterator[tuple[int, int, int]]:
    """Recursive halving: step, sender and receiver, by position, steps ascending."""
    parts = [(0, count, root)]
    step = 0
    while any(high - low > 1 for low, high, _ in parts):
        halved = []
        for low, high, holder in parts:
            if high - low < 2:
                halved.append((low, high, holder))
                continue
            middle = low + (high - low + 1) // 2
            ahead = holder < middle
            receiver = middle if ahead else middle - 1
            part = (middle, high) if ahead else (low, middle)
            yield step, holder, receiver
            halved += sorted([(*part, receiver), ((low, middle) if ahead else (middle, high)) + (holder,)])
        parts = halved
        step += 1
