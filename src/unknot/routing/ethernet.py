"""Routes of Ethernet fabrics with ECMP: BGP as path vector with an AS plan, and OSPF or IS-IS shortest paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unknot._base.arrays import Flags, Ints, Rows, offsets, ranks
from unknot._base.calls import apply, parse_call
from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot.network import Network
from unknot.network.graph import survivors
from unknot.network.model import IntArray
from unknot.network.parts import frozen
from unknot.routing.as_numbers import as_plan
from unknot.routing.forwarding_table import NextHops
from unknot.routing.own import is_code, is_file
from unknot.routing.path_vector_kernel import BITS, ChannelGraph, Policy, VectorRoutes, announce
from unknot.routing.paths import homes_of, require_room
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

SOURCES = {"ospf": "OSPF (RFC 2328) with ECMP", "bgp": "BGP (RFC 4271, RFC 7938)"}
MOST_STATES = 200
"""States in which the routes to a destination are computed where the age of routes decides."""


@dataclass(frozen=True, eq=False)
class PathVector:
    """The choice of routers in a network among paths announced by their neighbours.

    Attributes
    ----------
    systems : int32 array, shape (routers,)
        The AS of every router, numbered from 0; routers of the same one do not speak.
    limits : int32 array, shape (channels,)
        How often the own AS of the router at the beginning of a channel may be in a path that it accepts from the
        router at the end.
    relax : bool
        Whether paths by neighbours of different ASes share the load.
    oldest : bool
        Whether a router announces the oldest of its best paths, which may be any, or that by the lowest neighbour.
    most : int or None
        Next hops of a router to one destination, any of those with the best paths; None: all.
    name : {"bgp", "ospf"}
    """

    network: Network
    systems: IntArray
    limits: IntArray
    relax: bool = True
    oldest: bool = False
    most: int | None = None
    name: str = "bgp"

    def after_failures(self, left: Network) -> PathVector:
        """The same on what failures left of the network: every router keeps its AS."""
        if left is self.network:
            return self
        kept = survivors(self.network, left)
        systems = np.unique(self.systems[kept.routers], return_inverse=True)[1]
        return replace(
            self, network=left, systems=frozen(systems.reshape(-1)), limits=frozen(self.limits[kept.channels])
        )

    @property
    def limit(self) -> int:
        """The largest of all limits."""
        return int(self.limits.max(initial=0))

    def relation(self) -> Relation:
        """The routing, with all choices of routers among its candidates."""
        return self.next_hops().relation(self.name, SOURCES[self.name])

    @cached_property
    def shared(self) -> Flags:
        """Routers whose AS has several routers; a path never returns to a router alone in its AS."""
        return np.asarray(np.bincount(self.systems)[self.systems] > 1)

    @cached_property
    def policy(self) -> Policy:
        """Which paths routers accept, as kernels take it."""
        return Policy(self.systems, self.shared, self.limits, self.relax)

    @cached_property
    def graph(self) -> ChannelGraph:
        """The channels, as kernels take them."""
        network = self.network
        return ChannelGraph(
            *network.incoming, *network.outgoing, network.source, network.target, ranks(network.source)
        )

    @property
    def words(self) -> int:
        """Words of the next hops of a router."""
        return -(-int(self.network.outgoing.width.max(initial=1)) // BITS)

    def turns(self, channels: Ints) -> tuple[Ints, Ints]:
        """Some channels, each as often as others leave the router at its end, and these."""
        onward = self.network.outgoing.take(self.network.target[channels])
        return np.repeat(channels, onward.width), onward.entries.astype(np.int64)

    def taken(self, words: Ints) -> Rows:
        """Return the next hops of each router, from their words of bits."""
        outgoing = self.network.outgoing
        position = self.graph.position[outgoing.entries]
        word = words[self.network.source[outgoing.entries] * self.words + position // BITS]
        return outgoing.where((word >> (position % BITS)) & 1 > 0)

    def no_routes(self) -> VectorRoutes:
        """Room for the routes to one destination."""
        size = self.network.num_routers
        return VectorRoutes(np.zeros(size * self.words, dtype=np.int64), *np.zeros((3, size), dtype=np.int32))

    def tables(self, home: int, alive: Flags) -> list[Ints]:
        """Next hops to a router in every state that its routes can settle in, as words of bits for each router.

        One state, unless the age of routes decides which path a router announces and others may treat it otherwise.
        RelationError if there are more than `MOST_STATES`.
        """
        size, (first, outgoing) = self.network.num_routers, self.network.outgoing
        tables, left, calls = dict[bytes, Ints](), [np.full(size, -1, dtype=np.int32)], 0
        while left:
            preferred, calls = left.pop(), calls + 1
            routes, choices = self.no_routes(), np.zeros(2, dtype=np.int64)
            announce(self.graph, alive, self.policy, preferred, home, routes, choices)
            if not self.oldest or not choices[0]:
                tables[routes.hops.tobytes()] = routes.hops
                continue
            if calls > MOST_STATES:
                name = self.network.router_name(home)
                raise RelationError(f"bgp: more than {MOST_STATES} states of routes to {name}; leave out oldest")
            router = int(choices[1])
            for k in range(first[router], first[router + 1]):
                neighbour = self.network.target[outgoing[k]]
                # To prefer a neighbour whose path is refused changes nothing.
                if alive[outgoing[k]] and routes.distance[neighbour] == routes.distance[router] - 1:
                    left.append(preferred.copy())
                    left[-1][router] = neighbour
        return list(tables.values())

    def next_hops(self) -> NextHops:
        """Return the next hops to every router with terminals; all that are possible, in whichever state."""
        network, (homes, _) = self.network, homes_of(self.network)
        require_room(network, homes, "next hops")
        alive, none = np.ones(network.num_channels, dtype=bool), np.zeros(0, dtype=np.int32)
        with plainly(is_small(homes.size * network.num_channels, announce)):
            rows = [self.taken(np.bitwise_or.reduce(self.tables(home, alive))) for home in homes.tolist()]
        first = offsets(np.concatenate([none, *(row.width for row in rows)]))
        return NextHops(network, homes, frozen(first), frozen(np.concatenate([none, *(row.entries for row in rows)])))


def path_vector(network: Network, text: str) -> PathVector | None:
    """Return the choice of paths that a routing's name or call means on a network; None if it is another routing."""
    vectors = {"ospf": shortest_paths_vector, "bgp": bgp_vector}
    if is_file(text) or is_code(text) or (call := parse_call(text, "<routing>")).name not in vectors:
        return None
    return apply(call, vectors[call.name], network)


def shortest_paths_vector(network: Network, *, maximum_paths: int | None = None) -> PathVector:
    """All shortest paths: a path vector with an AS for each router; see `ospf`."""
    _require_number("ospf: maximum_paths", maximum_paths, 1)
    systems, none = frozen(np.arange(network.num_routers)), frozen(np.zeros(network.num_channels, dtype=np.int64))
    return PathVector(network, systems, none, most=maximum_paths, name="ospf")


def bgp_vector(
    network: Network,
    *,
    plan: str | Sequence[int] = "switch",
    allowas_in: int | Sequence[int] = 0,
    relax: bool = True,
    oldest: bool = False,
    maximum_paths: int | None = None,
) -> PathVector:
    """Choice of paths of BGP; see `bgp`."""
    _require_number("bgp: maximum_paths", maximum_paths, 1)
    systems = np.unique(as_plan(network, plan), return_inverse=True)[1].reshape(-1)
    return PathVector(network, frozen(systems), _limits(network, allowas_in), relax, oldest, maximum_paths)


def _limits(network: Network, allowas_in: int | Sequence[int]) -> IntArray:
    """How often the own AS of the router before each channel may be in a path from the router behind."""
    listed = [allowas_in] if isinstance(allowas_in, int) else list(allowas_in)
    for number in listed:
        _require_number("bgp: allowas_in", number, 0)
    whole, kept = network.origin is None, network.numbering.routers
    if isinstance(allowas_in, int):
        return frozen(np.full(network.num_channels, allowas_in))
    if whole and len(listed) == network.num_channels:
        return frozen(listed)
    if len(listed) <= kept.max(initial=-1) or (whole and len(listed) != kept.size):
        raise RelationError(
            f"bgp: {len(listed)} numbers in allowas_in; {network.name} needs one for all, or one for each of its "
            f"{network.num_routers} routers or {network.num_channels} channels"
        )
    return frozen(np.array(listed)[kept][network.source])


def _require_number(what: str, number: object, least: int) -> None:
    if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < least):
        raise RelationError(f"{what} is a number from {least}, got {number!r}")


@takes_network
def ospf(network: Network, *, maximum_paths: int | None = None) -> Relation:
    """All shortest paths, as OSPF and IS-IS find them with equal costs; a flow keeps its hash choice.

    Where there is no way, packets are dropped. Nothing is claimed about deadlock.

    Parameters
    ----------
    maximum_paths : int, optional
        Next hops of a router to one destination, any of those on shortest paths: all of them are candidates here.

    References
    ----------
    J. Moy: OSPF Version 2. RFC 2328, 1998.

    Examples
    --------
    >>> ospf("fat_tree(2, 2)")
    <Relation ospf on fat_tree(2, 2), 8 VCs>
    """
    return shortest_paths_vector(network, maximum_paths=maximum_paths).relation()


@takes_network
def bgp(
    network: Network,
    *,
    plan: str | Sequence[int] = "switch",
    allowas_in: int | Sequence[int] = 0,
    relax: bool = True,
    oldest: bool = False,
    maximum_paths: int | None = None,
) -> Relation:
    """BGP between all neighbours of different AS, with ECMP over AS paths of the shortest length.

    A router announces one of its best paths: that by the neighbour of the lowest number (``bgp bestpath
    compare-routerid``), or the oldest. Where the configuration leaves a choice, the candidates are those of all
    choices, so that a cycle may need two choices of one router, one after the other; `unknot faults` keeps these
    apart. Packets are dropped where every path is refused. Nothing is claimed about deadlock.

    Parameters
    ----------
    plan : {"switch", "rfc7938"} or sequence of int
        An AS for each switch; one for all of the top tier, one for the switches of a cluster in a tier between and
        one for each leaf (RFC 7938; where a network has no levels, tiers are hops from terminals); or the AS of every
        router. On a network with failures: of the whole network.
    allowas_in : int or sequence of int
        How often a router's own AS may be in a path that it accepts: a number for all, for each router, or for each
        channel, by the session of the router at its beginning with the router at its end. On a network with
        failures: a number for all, or for each router of the whole network.
    relax : bool
        Whether paths by neighbours of different ASes share the load (``multipath-relax``).
    oldest : bool
        Whether the oldest of the best paths is announced, FRR's default; any may be the oldest.
    maximum_paths : int, optional
        Next hops of a router to one destination, any of those with the best paths.

    Raises
    ------
    RelationError
        If the plan is unknown, does not fit the network, a number is too small, or there are too many choices.

    References
    ----------
    P. Lapukhov, A. Premji, J. Mitchell: Use of BGP for routing in large-scale data centers. RFC 7938, 2016.

    Examples
    --------
    >>> bgp("fat_tree(2, 2)", plan="rfc7938")
    <Relation bgp on fat_tree(2, 2), 8 VCs>
    """
    return bgp_vector(
        network, plan=plan, allowas_in=allowas_in, relax=relax, oldest=oldest, maximum_paths=maximum_paths
    ).relation()
