"""Networks that algorithms accept: products of lines and products of complete graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot._base.arrays import Ints as Ints
from unknot._base.errors import NetworkError, RelationError
from unknot.network import Grid, Network, grid
from unknot.network.model import IntArray


def mesh_grid(network: Network, algorithm: str, *, dimensions: int | None = None, radix: int | None = None) -> Grid:
    """The view of a network as (part of) a mesh.

    Parameters
    ----------
    algorithm : str
        Who asks, for messages.
    dimensions : int, optional
        Dimensions it must have.
    radix : int, optional
        Greatest side it may have: 2 for hypercubes.

    Raises
    ------
    RelationError
        If it has rings, other dimensions, or longer sides; `NetworkError` if it has no dimensions at all.
    """
    product = grid(network)
    kind = "a hypercube" if radix == 2 else f"a mesh of {dimensions} dimensions" if dimensions else "a mesh"
    misfit = ""
    if product.wraps.any():
        misfit = f"dimension {int(product.wraps.argmax())} is a ring"
    elif dimensions is not None and product.radices.size != dimensions:
        misfit = f"it has {product.radices.size}"
    elif radix is not None and product.radices.max(initial=1) > radix:
        misfit = f"a side of it has {int(product.radices.max())} routers"
    if misfit:
        raise RelationError(f"{algorithm} needs {kind}; of {network.name}, {misfit}")
    return product


@dataclass(frozen=True, eq=False)
class CompleteProduct:
    """The view of a network as a product of complete graphs.

    Attributes
    ----------
    coordinates : int32 array, shape (routers, dimensions)
    start : int64 array, shape (dimensions,)
        First column of each dimension in `port`.
    port : int32 array, shape (routers, positions of all dimensions)
        Channel of a router to the one at a position of a dimension; −1 to itself.
    dimension : int64 array, shape (channels,)
        The dimension each channel runs in.
    hops : int
        Hops between the farthest routers, at least 1.
    """

    coordinates: IntArray
    start: Ints
    port: IntArray
    dimension: Ints
    hops: int


def complete_product(network: Network, needed_by: str) -> CompleteProduct:
    """View a network as a product of complete graphs, or say why it is none."""
    at = network.coordinates
    refusal = (
        f"{needed_by} on {network.name}: it needs a HyperX, in which routers are linked that differ in one coordinate"
    )
    if at is None or not network.radices:
        raise NetworkError(f"{refusal}, such as hyperx([4, 4]); this network has no coordinates")
    radices = np.array(network.radices, dtype=np.int64)
    moved = at[network.source] != at[network.target]
    wrong = np.flatnonzero(moved.sum(axis=1) != 1)
    if wrong.size:
        raise NetworkError(f"{refusal}; channel {network.channel_name(int(wrong[0]))} does not change one coordinate")
    dimension = moved.argmax(axis=1)
    start = np.cumsum(radices) - radices
    port = np.full((network.num_routers, int(radices.sum())), -1, dtype=np.int32)
    to = np.take_along_axis(at[network.target], dimension[:, None], axis=1)[:, 0]
    port[network.source, start[dimension] + to] = np.arange(network.num_channels)
    full = network.num_routers * int((radices - 1).sum())
    if network.num_routers != int(np.prod(radices)) or network.num_channels != full or (port >= 0).sum() != full:
        raise NetworkError(
            f"{refusal} by one channel each way; {network.num_routers} routers and {network.num_channels} channels "
            f"do not make the whole product of {' × '.join(map(str, radices))} positions"
        )
    return CompleteProduct(at, start, port, dimension, max(1, int((radices > 1).sum())))
