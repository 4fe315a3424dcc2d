"""Orders of terminals in which recursive halving lets few messages meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot.errors import NetworkError, near
from unknot.itm.recognise import recognise
from unknot.network import Network
from unknot.routing.taking import takes_network

ORDERS = ("auto", "circle", "dimensions", "numbers")


@dataclass(frozen=True)
class Order:
    """Terminals in a row, or in a circle.

    Attributes
    ----------
    name : {"circle", "dimensions", "numbers"}
    terminals : tuple of int
    """

    name: str
    terminals: tuple[int, ...]

    @property
    def circular(self) -> bool:
        """Whether any terminal may come first."""
        return self.name == "circle"


@takes_network
def order_of(network: Network, name: str = "auto", root: int = 0) -> Order:
    """An order of the terminals of a network.

    Parameters
    ----------
    name : {"auto", "circle", "dimensions", "numbers"}
        `circle`: along the exterior edges of an incremental triangular mesh (Liu et al. 2002). `dimensions`: by
        coordinates, the first dimension first (the chain of McKinley et al. 1994 for dimension-order routing); on a
        hypercube relative to the root's. `numbers`: as they are numbered. `auto`: the first of these that the network
        has.
    root : int
        Terminal from which data spread.

    Raises
    ------
    NetworkError
        If the network has no such order.
    """
    if name not in ORDERS:
        raise NetworkError(f"unknown order {name!r}; {near(name, ORDERS)}")
    reason = ""
    if name in ("auto", "circle"):
        found = recognise(network)
        if found.mesh is not None and found.mesh.circle is not None:
            place = np.empty(network.num_routers, dtype=np.int64)
            place[found.mesh.circle] = np.arange(network.num_routers)
            return Order("circle", _sorted(network, place))
        reason = (
            found.reason or "it is a triangular mesh of the general kind, whose exterior edges form no single cycle"
        )
    if name == "circle":
        raise NetworkError(f"{network.name} has no circular order: {reason}")
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
