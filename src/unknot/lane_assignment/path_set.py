"""Shortest paths as sets of destinations, and who sends to whom: what searches for lanes work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags as Flags
from unknot._base.arrays import Floats as Floats
from unknot._base.arrays import Ints as Ints
from unknot._base.arrays import grouped
from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.routing.paths import Distances, distances_to_homes

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import Orders, PathSet

Numbers = npt.NDArray[np.integer[Any]]

CLASS = 2.0
"""Distance between the lowest keys of successive classes, where classes rise; a class has keys up to 1 higher."""


@dataclass(frozen=True, eq=False)
class Demand:
    """Flows between routers, and their bandwidths.

    Attributes
    ----------
    network : Network
    distances : Distances
        Of every router to the routers that eject, its `homes`.
    wanted : bool array, shape (routers, homes)
        Pairs of different routers between which there must be a route.
    rate : float64 array, same shape
        What a pair sends in all: with uniform traffic the number of pairs of terminals.
    flows : float64 array, shape (terminals, terminals), or None
        What each terminal sends to each other, if only this must be served; None: as much to every other.
    lids : int
        Columns of each terminal, in succession, each with an equal share of what is sent there.
    """

    network: Network
    distances: Distances
    wanted: Flags
    rate: Floats
    flows: Floats | None = None
    lids: int = 1

    @property
    def sends(self) -> Flags | None:
        """Flows, if not everyone sends to everyone."""
        return None if self.flows is None else self.flows > 0

    @property
    def pairs(self) -> int:
        """Number of pairs of routers."""
        return int(np.count_nonzero(self.wanted))


def demand(network: Network, flows: npt.ArrayLike | None = None) -> Demand:
    """Return the pairs of terminals to serve: all, or those between which something flows.

    Parameters
    ----------
    flows : array_like of float, shape (terminals, terminals), optional
        What each terminal sends to each other.

    Raises
    ------
    NetworkError
        If the flows make no sense, or there is no way between two terminals one of which sends to the other.
    """
    distances = distances_to_homes(network, "lanes")
    terminals = network.num_terminals
    if flows is None:
        matrix = np.ones((terminals, terminals))
    else:
        matrix = np.array(flows, dtype=float)
        if matrix.shape != (terminals, terminals):
            raise NetworkError(
                f"lanes on {network.name}: flows of shape ({terminals}, {terminals}) are needed, got {matrix.shape}"
            )
        if not np.isfinite(matrix).all() or matrix.min(initial=0.0) < 0:
            raise NetworkError(f"lanes on {network.name}: flows are numbers from 0 on")
    np.fill_diagonal(matrix, 0.0)
    rate = np.zeros((network.num_routers, distances.homes.size))
    by_source = np.zeros((network.num_routers, terminals))
    np.add.at(by_source, network.inject, matrix)
    np.add.at(rate.T, distances.column, by_source.T)
    rate[distances.homes, np.arange(distances.homes.size)] = 0.0
    pairs = rate > 0
    lost = np.argwhere(pairs & (distances.table.T < 0))
    if lost.size:
        start, end = int(lost[0, 0]), int(distances.homes[lost[0, 1]])
        raise NetworkError(
            f"lanes on {network.name}: there is no way from router {network.router_name(start)} to router "
            f"{network.router_name(end)}"
        )
    return Demand(network, distances, pairs, rate, None if flows is None else matrix)


def by_terminal(traffic: Demand, lids: int = 1) -> Demand:
    """The same demand with columns for each terminal, by the routers where they eject; the same if each has one.

    So what a router receives may come by several routes, as forwarding tables have them.
    """
    network, distances = traffic.network, traffic.distances
    if lids == 1 and network.num_terminals == distances.homes.size:
        return traffic
    column = terminal_columns(network)
    order = np.repeat(np.argsort(column), lids)
    rows = distances.column[order]
    matrix = 1.0 - np.eye(column.size) if traffic.flows is None else traffic.flows
    rate = np.zeros((network.num_routers, order.size))
    np.add.at(rate, network.inject, matrix[:, order] / lids)
    homes = network.eject[order].astype(np.int64)
    rate[homes, np.arange(order.size)] = 0.0
    columns = Distances(homes, column * lids, distances.table[rows])
    return Demand(network, columns, rate > 0, rate, traffic.flows, lids)


def terminal_columns(network: Network) -> Ints:
    """The place of each terminal among all, in the order of the routers where they eject."""
    return np.argsort(np.argsort(network.eject, kind="stable")).astype(np.int64)


def path_set(traffic: Demand) -> PathSet:
    """The shortest paths of a demand, as the search takes them."""
    network, hops = traffic.network, traffic.distances.table.T
    nearer = packed((hops[network.source] == hops[network.target] + 1) & (hops[network.target] >= 0))
    return following(network, nearer, packed(traffic.wanted), traffic.distances.homes.astype(np.int64))


def every_path(traffic: Demand) -> PathSet:
    """All paths of a demand, longer ones too, but those that lead straight back."""
    network, home = traffic.network, traffic.distances.homes.astype(np.int64)
    anywhere = packed(np.ones((network.num_channels, home.size), dtype=bool))
    return following(network, anywhere, packed(traffic.wanted), home, back=False)


def virtual(network: Network, count: int) -> Network:
    """The network of virtual channels: channel c becomes channels c · count, c · count + 1, …, one for each lane."""
    return Network(
        f"{network.name} in {count} lanes",
        network.num_routers,
        np.repeat(network.source, count),
        np.repeat(network.target, count),
        inject=network.inject,
        eject=network.eject,
    )


def in_classes(network: Network, paths: PathSet, copies: int, *, rising: bool) -> PathSet:
    """The paths over the virtual channels of a network: copy k of channel c is c · copies + k.

    A virtual channel may be followed by any copy of a channel that follows; with `rising` by none of a lower class.
    """
    nearer = np.repeat(paths.nearer, copies, axis=0)
    return following(virtual(network, copies), nearer, paths.wanted, paths.home, copies=copies, rising=rising)


def following(
    network: Network,
    nearer: Ints,
    wanted: Ints,
    home: Ints,
    *,
    back: bool = True,
    copies: int = 1,
    rising: bool = False,
) -> PathSet:
    """The paths with given sets of destinations; channels with a common destination follow each other.

    With `back` false none is followed by one that leads straight back. For `copies` and `rising` see `in_classes`.
    """
    from unknot.lane_assignment.orders_kernel import PathSet

    source, target = network.source.astype(np.int64), network.target.astype(np.int64)
    channel, after = network.turns.row, network.turns.entries
    both = np.zeros(channel.size, dtype=bool)
    for word in nearer.T:
        both |= (word[channel] & word[after]) != 0
    if not back:
        both &= target[after] != source[channel]
    if rising:
        both &= channel % copies <= after % copies
    turns = network.turns.where(both)
    before = grouped(turns.entries, source.size)
    return PathSet(
        source,
        target,
        network.outgoing.first,
        network.outgoing.entries.astype(np.int64),
        turns.first,
        turns.entries.astype(np.int64),
        before.first,
        turns.row[before.entries],
        nearer,
        packed(home == target[:, None]),
        wanted,
        np.ascontiguousarray(home),  # one layout, for which the kernels are compiled once
        nearer.shape[1],
        np.zeros((0, *nearer.shape), dtype=np.int64),
        np.ones(nearer.shape[1], dtype=np.int64),
        copies,
        (CLASS if rising else 0.0) * (np.arange(source.size) % copies).astype(np.float64),
        np.zeros((0, 0), dtype=np.int64),
    )


def of_pairs(paths: PathSet, wanted: Ints, *, both_ways: bool | None = None) -> PathSet:
    """The paths for these wanted destinations; with `both_ways` the two directions of a pair share a lane.

    By default they do so if they did.
    """
    many = paths.many[:0, :0]
    if both_ways if both_ways is not None else paths.many.size:
        many = np.zeros((len(wanted), len(wanted)), dtype=np.int64)
        np.add.at(many.T, paths.home, unpacked(wanted, paths.home.size).T.astype(np.int64))
    return paths._replace(wanted=wanted, many=many)


def served(orders: Orders, home: Ints) -> Ints:
    """The destinations, at these routers, that each lane serves, as words: shape (lanes, routers, words)."""
    if not orders.lack.size:
        return orders.cover
    both = (orders.lack == 0) & (orders.lack.transpose(0, 2, 1) == 0)
    return np.array([packed(lane[:, home]) for lane in both]).reshape(orders.cover.shape)


def packed(rows: Flags) -> Ints:
    """Rows of flags as rows of words of 64 bits, the first flag in the lowest bit."""
    padded = np.zeros((rows.shape[0], max(1, -(-rows.shape[1] // 64)) * 64), dtype=bool)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.int64)


def unpacked(words: Ints, count: int) -> Flags:
    """The first `count` flags of each row of words."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
    return bits[..., :count].astype(bool)
