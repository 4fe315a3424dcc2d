"""Orders of the terminals of a network: a row, or a circle, along which collective operations go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unknot._base.errors import NetworkError, require_known
from unknot._base.extensions import Catalogue
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.taking import takes_network

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
                place = np.empty(network.num_routers, dtype=np.int64)
                place[circle_of(network)] = np.arange(network.num_routers)
                return Order(extension, _sorted(network, place), circular=True)
            except NetworkError as error:
                if name != "auto":
                    raise NetworkError(f"{network.name} has no circular order: {error}") from None
    if name != "numbers" and network.coordinates is not None:
        places = network.coordinates
        if places.size and places.min() == 0 and places.max() == 1:
            places = places ^ places[network.inject[root]]
        place = np.empty(network.num_routers, dtype=np.int64)
        place[np.lexsort(places[:, ::-1].T)] = np.arange(network.num_routers)
        return Order("dimensions", _sorted(network, place))
    if name == "dimensions":
        raise NetworkError(f"{network.name} has no coordinates to order its terminals by")
    return Order("numbers", tuple(range(network.num_terminals)))


def _sorted(network: Network, place: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[int, ...]:
    """Terminals by the place of the router they inject at."""
    return tuple(int(t) for t in np.argsort(place[network.inject], kind="stable"))
