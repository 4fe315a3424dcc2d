"""Views of networks by their coordinates: as (part of) a product of lines and rings, and as groups of routers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints, starts
from unknot._base.errors import NetworkError
from unknot._base.shown import Brief
from unknot.network.model import IntArray, Network


@dataclass(frozen=True, eq=False, repr=False)
class Grid(Brief):
    """Coordinates and, for every router, the channel that leads up or down each dimension.

    Attributes
    ----------
    coordinates : int32 array, shape (routers, dimensions)
    radices : int32 array, shape (dimensions,)
    wraps : bool array, shape (dimensions,)
        Whether some channel of the dimension joins its last and first position.
    channel : int32 array, shape (routers, 2 × dimensions)
        Channel leading up (column ``2 i``) and down (``2 i + 1``) dimension i, or −1 where there is none.
    dimension : int32 array, shape (channels,)
        The dimension each channel runs in.
    directions : int8 array, shape (dimensions,)
        Directions in which a dimension has channels at all: bit 0 up, bit 1 down; a unidirectional ring has one.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> made = grid(mesh(3, 2))
    >>> made.radices.tolist(), made.wraps.tolist()
    ([3, 2], [False, False])
    >>> made.channel[0].tolist()
    [0, -1, 1, -1]
    """

    coordinates: IntArray
    radices: IntArray
    wraps: Flags
    channel: IntArray
    dimension: IntArray
    directions: npt.NDArray[np.int8]

    @property
    def down(self) -> Flags:
        """Mask of channels that lead down their dimension: bool array, shape (channels,)."""
        leads_down = np.zeros(self.dimension.size, dtype=bool)
        channels = self.channel[:, 1::2]
        leads_down[channels[channels >= 0]] = True
        return leads_down

    @property
    def complete(self) -> bool:
        """Whether every router and channel of the product is there; a ring may go round one way only."""
        if self.coordinates.shape[0] != int(np.prod(self.radices, dtype=np.int64)):
            return False
        last = self.radices - 1
        up = np.where(self.wraps, self.directions & 1 > 0, self.coordinates < last)
        down = np.where(self.wraps, self.directions & 2 > 0, self.coordinates > 0)
        return bool((self.channel[:, 0::2][up] >= 0).all() and (self.channel[:, 1::2][down] >= 0).all())


def grid(network: Network) -> Grid:
    """View a network as a product of lines and rings, possibly with faults.

    A network without coordinates is given those that its cables show.

    Parameters
    ----------
    network : Network
        The network.

    Returns
    -------
    Grid
        Coordinates and channels by direction.

    Raises
    ------
    NetworkError
        If it has no coordinates, or a channel does not join neighbours in exactly one dimension, two channels lead
        the same way from one router, or two routers have the same coordinates.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> view = grid(torus(4, 3))
    >>> view.radices.tolist(), view.wraps.tolist(), view.coordinates[5].tolist()
    ([4, 3], [True, True], [1, 1])
    """
    at, sides = network.coordinates, network.radices
    if at is None:
        at, sides = _recognised(network)
        network = replace(network, places=replace(network.places, coordinates=at, radices=sides, dimensions=()))
    radices = np.array(sides, dtype=np.int32)
    _check_positions(network, at)
    delta = at[network.target] - at[network.source]
    moved = delta != 0
    dimension = np.argmax(moved, axis=1).astype(np.int32) if delta.size else np.empty(0, dtype=np.int32)
    step = np.take_along_axis(delta, dimension[:, None], axis=1)[:, 0] if delta.size else dimension
    wrap: Flags = np.array((np.abs(step) == radices[dimension] - 1) & (radices[dimension] > 2))
    wrong = np.flatnonzero((moved.sum(axis=1) != 1) | ~((np.abs(step) == 1) | wrap)) if delta.size else dimension
    if wrong.size:
        raise NetworkError(
            f"network {network.name!r}: channel {network.channel_name(int(wrong[0]))} does not join neighbours "
            "in one dimension of a mesh or torus"
        )
    port = 2 * dimension + ((step < 0) ^ wrap)
    second = _second_links(network, port, np.array(radices[dimension] == 2))
    port[second] ^= 1
    wrap[second] = True
    channel = np.full((network.num_routers, 2 * radices.size), -1, dtype=np.int32)
    channel[network.source, port] = np.arange(network.num_channels)
    if np.count_nonzero(channel >= 0) != network.num_channels:
        twin = int(np.flatnonzero(channel[network.source, port] != np.arange(network.num_channels))[0])
        raise NetworkError(
            f"network {network.name!r}: {network.channel_name(twin)} is one of several parallel channels; "
            "routing by dimensions wants one channel each way"
        )
    wraps = np.zeros(radices.size, dtype=bool)
    wraps[dimension[wrap]] = True
    there = np.asarray((channel >= 0).any(axis=0))
    directions = (there[0::2] + 2 * there[1::2]).astype(np.int8)
    for array in (radices, wraps, channel, dimension, directions):
        array.setflags(write=False)
    return Grid(at, radices, wraps, channel, dimension, directions)


def _recognised(network: Network) -> tuple[IntArray, tuple[int, ...]]:
    """Coordinates by the cables alone, where these are those of a torus, mesh or hypercube."""
    from unknot.network.recognised import recognised

    built = recognised(network)
    if built.coordinates is None or built.kind == "HyperX":
        raise NetworkError(
            f"network {network.name!r} has no coordinates, so it has no dimensions to route in; "
            "use a mesh, torus or hypercube, or a routing for any network"
        )
    return built.coordinates.astype(np.int32), built.radices


def whole_grid(network: Network) -> Grid | None:
    """The network as a product of lines and rings with nothing missing, or None if it is none."""
    if network.coordinates is None:
        return None
    try:
        product = grid(network)
    except NetworkError:
        return None
    return product if product.complete else None


def _second_links(network: Network, port: IntArray, short: Flags) -> Ints:
    """Channels that are the second of two between the routers of a ring of 2: they lead the other way round."""
    key = network.source.astype(np.int64) * (2 * len(network.radices)) + port
    order = np.argsort(key, kind="stable")
    twin = order[1:][key[order[1:]] == key[order[:-1]]]
    return np.asarray(twin[short[twin]])


def _check_positions(network: Network, at: IntArray) -> None:
    """Refuse two routers at the same position."""
    strides = np.cumprod([1, *network.radices[:-1]], dtype=np.int64) if network.radices else np.empty(0, np.int64)
    order = np.argsort(at @ strides, kind="stable")
    twin = np.flatnonzero((at[order[1:]] == at[order[:-1]]).all(axis=1))
    if twin.size:
        where = ",".join(str(c) for c in at[order[twin[0]]].tolist())
        raise NetworkError(f"network {network.name!r}: two routers stand at ({where}), so it is not a mesh or torus")


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups, and the channels within and between them.

    Attributes
    ----------
    group, index : int64 array, shape (routers,)
        The group of each router, counted from 0, and its coordinate there.
    local : int32 array, shape (routers, positions)
        Channel to the router of the same group with this coordinate; −1 to itself and where there is none.
    first : int64 array, shape (groups² + 1,)
    between : int32 array
        ``between[first[g · groups + h]:first[g · groups + h + 1]]`` lead from group g to h, ordered by source.
    names : tuple of str
        Coordinate of each group, for messages.
    """

    group: Ints
    index: Ints
    local: IntArray
    first: Ints
    between: IntArray
    names: tuple[str, ...]


def groups_of(network: Network, needed_by: str) -> Groups:
    """View a network as a dragonfly.

    Raises
    ------
    NetworkError
        If its coordinates are not called group and router, two routers of a group are not linked by one channel each
        way, or there is no channel from some group to another.
    """
    if network.coordinates is None or network.dimensions != ("group", "router"):
        raise NetworkError(
            f"{needed_by} on {network.name}: it needs a dragonfly, whose routers have the coordinates group and "
            "router, such as dragonfly(4)"
        )
    names, group = np.unique(network.coordinates[:, 0], return_inverse=True)
    group, index = group.astype(np.int64), network.coordinates[:, 1].astype(np.int64)
    count, size = names.size, network.radices[1]
    across = group[network.source] != group[network.target]
    inside = np.flatnonzero(~across).astype(np.int32)
    local = np.full((network.num_routers, size), -1, dtype=np.int32)
    local[network.source[inside], index[network.target[inside]]] = inside
    at = np.full((count, size), -1, dtype=np.int64)
    at[group, index] = np.arange(network.num_routers)
    lacks = np.argwhere((local < 0) & (at[group] >= 0) & (index[:, None] != np.arange(size)))
    if lacks.size or np.count_nonzero(local >= 0) != inside.size:
        what = "several parallel channels, or two routers at one place"
        if lacks.size:
            here, there = lacks[0].tolist()
            what = (
                f"no channel from {network.router_name(here)} to {network.router_name(int(at[group[here], there]))}"
            )
        raise NetworkError(
            f"{needed_by} on {network.name}: within a group every two routers are linked; it has {what}"
        )
    pair = group[network.source] * count + group[network.target]
    order = np.lexsort((network.source, pair))
    between = order[across[order]].astype(np.int32)
    first = starts(pair[across], count * count)
    empty = np.flatnonzero((np.diff(first) == 0) & ~np.eye(count, dtype=bool).ravel())
    if empty.size:
        g, h = np.divmod(int(empty[0]), count)
        raise NetworkError(
            f"{needed_by} on {network.name}: it needs a channel between every two groups, and there is none from "
            f"group {names[g]} to group {names[h]}"
        )
    return Groups(group, index, local, first, between, tuple(map(str, names.tolist())))
