"""Orders for tori of two dimensions: two lanes, each cut along diagonals, in which dimension order climbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unknot.lanes.rooted import ServingOrders, orders_of
from unknot.lanes.tables import Hops, grown_table
from unknot.network import Network
from unknot.network.grid import whole_grid

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import PathSet


def diagonal_orders(network: Network, paths: PathSet, hops: Hops | None) -> ServingOrders | None:
    """Two lanes that serve all pairs of a torus of two dimensions; None if it is none, or they do not.

    In both lanes channels of the first dimension come before those of the second. Each ring is cut where one channel
    must not follow another: in lane 0 the channels up cut rings on the diagonal and those down half a ring farther,
    in lane 1 the other way round. A shortest path goes half round a ring at most, and so passes only one of two cuts;
    since cuts are on diagonals, it passes the cut of the same lane in both dimensions. Rings of some unequal odd
    lengths leave a few pairs.

    Parameters
    ----------
    hops : int array, shape (homes, routers), optional
        Of shortest paths, if routes have to be those of a table, which is made too.
    """
    product = whole_grid(network)
    if product is None or product.radices.size != 2 or not product.wraps.all():
        return None
    channel, dimension, down = np.arange(network.num_channels), product.dimension, product.down
    at = product.coordinates[network.source].astype(np.int64)
    along, across = at[channel, dimension], at[channel, 1 - dimension]
    side, other = (product.radices[index].astype(np.int64) for index in (dimension, 1 - dimension))
    diagonal = np.where(dimension == 0, across * side // other, -(-across * side // other))
    key = np.empty((2, network.num_channels))
    for lane in range(2):
        cut = diagonal + np.where(down == (lane == 0), side // 2, 0)
        key[lane] = dimension + np.where(down, cut - along, along - cut) % side / side
    taken = paths.nearer if hops is None else grown_table(paths, hops, key)
    _, unserved = orders_of(paths, key, taken)
    return None if unserved else ServingOrders(key, taken)
