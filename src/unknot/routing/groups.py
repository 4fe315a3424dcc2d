"""Networks of groups, such as dragonflies: groups of routers that are all linked, and channels between every two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.compressed_rows import starts
from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.contract import PairNames


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


def names_by_group(network: Network, groups: tuple[str, ...]) -> PairNames:
    """Names of the addresses that are a group and a destination."""
    return PairNames(len(groups), network.num_terminals, partial(_name, network, groups))


def _name(network: Network, groups: tuple[str, ...], group: int, to: int) -> str:
    return f"{network.terminal_name(to)} via group {groups[group]}"
