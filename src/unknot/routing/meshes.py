"""Networks that algorithms accept: products of lines, products of complete graphs, and networks of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints as Ints
from unknot._base.errors import NetworkError, RelationError
from unknot.network import Grid, Network, grid
from unknot.network.graph import channels_between
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
    start: npt.NDArray[np.int64]
    port: IntArray
    dimension: npt.NDArray[np.int64]
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


@dataclass(frozen=True)
class WordNetwork:
    """A network whose routers are all the words of `length` letters, numbered in base `letters`.

    Attributes
    ----------
    letters, length : int
    both_ways : bool
        Whether the links of its shifts go both ways.
    """

    letters: int
    length: int
    both_ways: bool

    @property
    def ones(self) -> int:
        """The number of the word 11…1; a·ones is the word aa…a."""
        return sum(self.letters**i for i in range(self.length))


def de_bruijn_words(network: Network, needed_by: str) -> WordNetwork:
    """Recognise B(d, D) or UB(d, D), with or without loops and double links, by its channels.

    Raises
    ------
    NetworkError
        If the channels are not those of a de Bruijn network whose routers are numbered in the order of their words.
    """
    routers = network.num_routers
    there = joined(network)
    for length in range(1, routers.bit_length()):
        letters = round(routers ** (1 / length))
        if letters**length != routers or not letters * (routers - 1) <= there.size <= 2 * letters * routers:
            continue
        u = np.repeat(np.arange(routers), letters)
        v = (u * letters + np.tile(np.arange(letters), routers)) % routers
        for both_ways in (False, True):
            if np.array_equal(there, pairs(routers, u, v, both_ways)):
                return WordNetwork(letters, length, both_ways)
    raise NetworkError(
        f"{needed_by} on {network.name}: it needs a de Bruijn network, in which router u has channels to d·u, "
        f"d·u + 1, …, d·u + d − 1 modulo d^D (undirected, also back), such as de_bruijn(2, 4); its routers are "
        "joined otherwise"
    )


def shuffle_exchange_words(network: Network, needed_by: str) -> WordNetwork:
    """Recognise a shuffle-exchange network, its shuffles one way or both ways.

    Raises
    ------
    NetworkError
        If the channels are not those of a shuffle-exchange network whose routers are numbered by their words.
    """
    routers = network.num_routers
    length = routers.bit_length() - 1
    if routers == 2**length and length:
        u = np.arange(routers)
        turned = 2 * u % routers + u // (routers // 2)
        for both_ways in (True, False):
            exchange, shuffle = pairs(routers, u, u ^ 1, True), pairs(routers, u, turned, both_ways)
            if np.array_equal(joined(network), np.union1d(exchange, shuffle)):
                return WordNetwork(2, length, both_ways)
    raise NetworkError(
        f"{needed_by} on {network.name}: it needs a shuffle-exchange network, in which router u is joined to u xor 1 "
        f"and to u turned left by one bit, such as shuffle_exchange(4); these {routers} routers are joined otherwise"
    )


def pairs(routers: int, u: Ints, v: Ints, both_ways: bool) -> Ints:
    """Numbers of the ordered pairs (u, v), ascending and each once, loops left out."""
    u, v = u[u != v], v[u != v]
    there = u * routers + v
    return np.unique(np.concatenate([there, v * routers + u]) if both_ways else there)


def joined(network: Network) -> Ints:
    """Numbers of the ordered pairs of routers that a channel joins, loops left out."""
    return pairs(network.num_routers, network.source.astype(np.int64), network.target.astype(np.int64), False)


def channels_to(network: Network, target: Ints, *, last: bool = False) -> npt.NDArray[np.int32]:
    """Return for every router u the first (or last) channel to target[u]; −1 where that is u or there is none."""
    routers = np.arange(network.num_routers)
    return np.where(target == routers, -1, channels_between(network, routers, target, last=last)).astype(np.int32)
