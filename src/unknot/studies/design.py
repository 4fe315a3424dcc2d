"""Networks and routings from the text in which a person names them."""

from __future__ import annotations

import numpy as np

from unknot._base.errors import NetworkError
from unknot.fabrics.named import network
from unknot.network import Network, distances_from
from unknot.network.graph import digest
from unknot.routing.named import routing, routing_named, routings

__all__ = ["digest", "network", "require_connected", "routing", "routing_named", "routings"]


def require_connected(network: Network) -> None:
    """Refuse a network in which some terminal has no way to another.

    Raises
    ------
    NetworkError
        Names two routers without a way between them.
    """
    if network.num_terminals == 0:
        raise NetworkError(f"network {network.name!r} has no terminals, so there is nothing to route")
    if all((distances_from(network, 0, reverse=back) >= 0).all() for back in (False, True)):
        return
    for start in np.unique(network.inject).tolist():
        missed = np.flatnonzero(distances_from(network, start)[network.eject] < 0)
        if missed.size:
            end = int(network.eject[missed[0]])
            raise NetworkError(
                f"network {network.name!r} is not connected: there is no way from router "
                f"{network.router_name(start)} to router {network.router_name(end)}"
            )
