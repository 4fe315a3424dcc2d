"""Networks that algorithms for meshes accept: products of lines, of the dimensions they are published for."""

from __future__ import annotations

from unknot._base.errors import RelationError
from unknot.network import Grid, Network, grid


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
        raise RelationError(f"{algorithm} wants {kind}; of {network.name}, {misfit}")
    return product
