"""Routes by tables: the next channel depends on the router and the address alone, as in InfiniBand and Ethernet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import RelationError
from unknot.lane_assignment.path_set import Demand, Flags, Floats, Ints, Numbers, following, packed, served, unpacked
from unknot.network import Network
from unknot.routing.forwarding_table import DROP, EJECT_HERE, route_lengths
from unknot.routing.lane_tables import Addresses, terminals
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.taking import takes_relation

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import Orders, PathSet

PAIRS = 200_000
"""Most pairs of terminals whose routes are compared."""
Hops = npt.NDArray[np.integer[Any]]
"""Hops of shortest paths from each router to each home, shape (homes, routers)."""


@dataclass(frozen=True, eq=False)
class LaneTable:
    """Tables of next channels, and who uses them. Addresses that are routed alike share a row.

    Attributes
    ----------
    network : Network
    next_channel : int64 array, shape (rows, routers)
        −1 where the packet leaves the network, or nobody comes.
    home : int64 array, shape (rows,)
        The router where the routes of a row end.
    wanted : bool array, shape (routers, rows)
        From which routers something is sent.
    rate : float64 array, shape (routers, rows)
        How much.
    addresses : Addresses
    minimal : bool
        Whether all routes are shortest paths.
    """

    network: Network
    next_channel: Ints
    home: Ints
    wanted: Flags
    rate: Floats
    addresses: Addresses
    minimal: bool

    @property
    def taken(self) -> Flags:
        """The rows whose routes take each channel: bool array, shape (channels, rows)."""
        taken = np.zeros((self.network.num_channels, len(self.home)), dtype=bool)
        row, router = np.nonzero(self.next_channel >= 0)
        taken[self.next_channel[row, router], row] = True
        return taken

    def steps(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield, hop by hop, the routes that go on: the routers where they start, their rows, and the channels."""
        router, row = np.nonzero(self.wanted)
        step, target = self.next_channel, self.network.target
        for route, channel in hop_by_hop(
            step[row, router], self.home[row], target, lambda route, channel: step[row[route], target[channel]]
        ):
            yield router[route], row[route], channel

    @property
    def turns(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Successive channels of routes, each with the start and the row of a route that takes both."""
        turns: dict[tuple[int, int], tuple[int, int]] = {}
        channels, target = self.network.num_channels, self.network.target
        for start, row, channel in self.steps():
            on = np.flatnonzero(target[channel] != self.home[row])
            after = self.next_channel[row[on], target[channel[on]]]
            pairs, which = np.unique(channel[on] * channels + after, return_index=True)
            for pair, i in zip(pairs.tolist(), on[which].tolist(), strict=True):
                turns.setdefault(divmod(pair, channels), (int(start[i]), int(row[i])))
        return turns

    def loads(self, lane: Ints | None = None, lanes: int = 1) -> Floats:
        """The load of each channel in each lane, flow over bandwidth, shape (lanes, channels)."""
        load = np.zeros((lanes, self.network.num_channels))
        for start, row, channel in self.steps():
            which = np.zeros_like(row) if lane is None else lane[start, row]
            np.add.at(load, (which, channel), self.rate[start, row])
        return load / self.network.bandwidth


@takes_relation
def table_of(relation: Relation, flows: npt.ArrayLike | None = None) -> LaneTable:
    """The tables behind a relation; `flows` are what terminals send to each other, by default 1.

    Raises
    ------
    RelationError
        If somewhere it has a choice of channels, or the next channel depends on more than router and address, or a
        route does not arrive. VCs of one channel are no choice.
    """
    from unknot.verify.explorer import Explorer

    network, vcs = relation.network, relation.vcs
    space, ends = Explorer(relation), network.eject[relation.destination].astype(np.int64)
    count, addresses = network.num_terminals, relation.num_addresses
    table = np.full((addresses, network.num_routers), -1)
    may_use = relation.usable()
    use = may_use & (np.arange(count)[:, None] != relation.destination)
    for address in range(addresses):
        order, first, offered = space.visit(address)
        home, width, taken = int(ends[address]), np.diff(first), offered & VC_MASK
        channel = np.where(taken == EJECT, -1, vcs.channel[np.where(taken == EJECT, 0, taken)])
        router = np.repeat(vcs.router[order], width)
        gone = vcs.router[order][width == 0]
        kept = router != home
        table[address, router[kept]] = channel[kept]
        wrong = np.flatnonzero(kept & (table[address, router] != channel))
        name = relation.address_name(address)
        if wrong.size:
            raise RelationError(
                f"{relation.name}: router {network.router_name(int(router[wrong[0]]))} has several ways to {name}, "
                "or they depend on more than the router; given paths are those of tables"
            )
        if gone.size:
            raise RelationError(f"{relation.name}: packets to {name} are lost at {network.router_name(int(gone[0]))}")
    hops = hops_of(network, table, ends)
    lost = np.argwhere(use & (hops[:, network.inject].T < 0))
    if lost.size:
        s, a = lost[0].tolist()
        raise RelationError(
            f"{relation.name}: packets from {network.terminal_name(s)} to {relation.address_name(a)} never arrive"
        )
    from unknot.network import distances_from

    shortest = np.array([distances_from(network, r) for r in range(network.num_routers)])
    minimal = bool((~use | (shortest[network.inject][:, ends] == hops[:, network.inject].T)).all())
    rate = np.zeros((network.num_routers, addresses))
    many = np.zeros((count, count))
    np.add.at(many.T, relation.destination, use.T.astype(float))
    share = use / np.maximum(many[:, relation.destination], 1)
    np.add.at(rate, network.inject, share if flows is None else share * np.asarray(flows)[:, relation.destination])
    rate[ends, np.arange(addresses)] = 0.0
    merged, row = np.unique(np.column_stack([ends, table]), axis=0, return_inverse=True)
    row = row.reshape(-1)
    rates = np.zeros((len(merged), network.num_routers))
    np.add.at(rates, row, rate.T)
    labels = tuple(relation.address_name(a) for a in range(addresses))
    named = Addresses(network, row, relation.destination.astype(np.int64), may_use, labels)
    return LaneTable(network, merged[:, 1:], merged[:, 0], rates.T > 0, rates.T, named, minimal)


def hop_by_hop(
    channel: Ints, home: Ints, target: Numbers, after: Callable[[Ints, Ints], Numbers]
) -> Iterator[tuple[Ints, Ints]]:
    """Yield, hop by hop, the routes that go on, by their numbers, and the channel that each takes.

    `channel` is the first of each route; `after` returns the channels that follow those of some routes.
    """
    route = np.arange(channel.size)
    while True:
        yield route, channel
        onward = target[channel] != home[route]
        route = route[onward]
        if not route.size:
            return
        channel = after(route, channel[onward]).astype(np.int64, copy=False)


def hops_of(network: Network, table: Ints, home: Ints) -> Ints:
    """Hops of the route from each router to each row's home: shape (rows, routers); −1 if it does not arrive."""
    next_channel = np.where(table < 0, DROP, table).T
    next_channel[home, np.arange(home.size)] = EJECT_HERE
    return route_lengths(network, next_channel).T.astype(np.int64)


def free_table(traffic: Demand, paths: PathSet, taken: Ints) -> LaneTable:
    """The tables that are found with orders: a row for each column of the demand."""
    addresses = terminals(traffic.network, traffic.sends, traffic.distances.column, traffic.lids)
    next_channel = table_from(paths, taken)
    return LaneTable(traffic.network, next_channel, paths.home, traffic.wanted, traffic.rate, addresses, True)


def paths_of_table(table: LaneTable) -> PathSet:
    """The given routes, as the search wants them: `nearer` has one channel for each router and row."""
    return following(table.network, packed(table.taken), packed(table.wanted), table.home)


def random_table(paths: PathSet, seed: list[int]) -> Ints:
    """Draw for each router and destination one of the channels that may be taken, as bits."""
    random = np.random.default_rng(seed)
    homes = paths.home.size
    allowed = unpacked(paths.nearer, homes)
    taken = np.zeros_like(allowed)
    for first, end in zip(paths.leaving_first[:-1], paths.leaving_first[1:], strict=True):
        leaving = paths.leaving[first:end]
        if leaving.size:
            best = np.argmax(random.random((leaving.size, homes)) * allowed[leaving], axis=0)
            taken[leaving[best], np.arange(homes)] = True
    return packed(taken & allowed)


def grown_table(paths: PathSet, hops: Hops, key: Floats) -> Ints:
    """A table, as bits, most of whose routes climb in some lane."""
    from unknot.lane_assignment.load_kernel import grow

    step = np.full(hops.shape, -1)
    grow(paths, np.ascontiguousarray(key), np.argsort(hops, axis=1, kind="stable"), step)
    return bits_of(paths, step)


def bits_of(paths: PathSet, step: Ints) -> Ints:
    """The channel of each destination and router, with all its virtual channels, as bits."""
    taken = np.zeros((paths.source.size, paths.home.size), dtype=bool)
    row, router = np.nonzero(step >= 0)
    for copy in range(paths.copies):
        taken[step[row, router] + copy, row] = True
    return packed(taken)


def table_from(paths: PathSet, taken: Ints) -> Ints:
    """Bits as a table: the channel each router takes to each destination, shape (destinations, routers); −1: none.

    Of virtual channels the first.
    """
    homes = paths.home.size
    table = np.full((homes, paths.wanted.shape[0]), -1)
    channel, home = np.nonzero(unpacked(taken, homes))
    table[home, paths.source[channel]] = channel - channel % paths.copies
    table[np.arange(homes), paths.home] = -1
    return table


def lanes_of(orders: Orders, table: LaneTable) -> Ints:
    """A lane that serves each pair, in turn where several do, shape (routers, rows); −1 where nothing is needed."""
    rows = len(table.home)
    serves = np.array([unpacked(words, rows) for words in served(orders, table.home)]).reshape(
        len(orders.key), -1, rows
    )
    so_far = serves.cumsum(axis=0, dtype=np.int32)
    ends = table.home if orders.lack.size else np.arange(rows)  # both directions take the same turn
    turn = np.add.outer(np.arange(len(table.wanted)), ends) % np.maximum(so_far[-1], 1) + 1
    return np.where(table.wanted, np.argmax(so_far == turn, axis=0), -1)


@takes_relation
def paths_of(
    relation: Relation, deadline: Deadline = NEVER
) -> dict[tuple[int, int], frozenset[tuple[int, ...]]] | None:
    """The channels of the routes between every two routers with terminals that exchange traffic.

    A terminal that has several addresses has several routes. None if there are more than `PAIRS` pairs of terminals,
    or no time for them.
    """
    network: Network = relation.network
    if network.num_terminals * relation.num_addresses > PAIRS:
        return None
    paths: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    for address in range(relation.num_addresses):
        if deadline.over:
            return None
        home = int(network.eject[relation.destination[address]])
        for source in relation.sources(address).tolist():
            start = int(network.inject[source])
            if start == home:
                continue
            if (start, address) not in known:
                path, at = [], relation.num_vcs + source
                while True:
                    vcs = [c.vc for c in relation.candidates(at, address) if c.vc is not None]
                    if not vcs:
                        break
                    at = vcs[0]
                    path.append(int(relation.vcs.channel[at]))
                known[start, address] = tuple(path)
            paths.setdefault((start, home), set()).add(known[start, address])
    return {pair: frozenset(channels) for pair, channels in paths.items()}
