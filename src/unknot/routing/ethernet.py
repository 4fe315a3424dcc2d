"""Routes of Ethernet fabrics with ECMP: BGP as path vector with an AS plan, and OSPF or IS-IS shortest paths."""

from __future__ import annotations

from collections.abc import Sequence

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.next_hops import NextHops
from unknot.routing.paths import distances_to_homes, homes_of
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

PLANS = ("switch", "rfc7938")


@takes_network
def ospf(network: Network) -> Relation:
    """All shortest paths, as OSPF and IS-IS find them with equal costs; a flow keeps its hash choice.

    Where there is no way, packets are dropped. Nothing is claimed about deadlock.

    References
    ----------
    J. Moy: OSPF Version 2. RFC 2328, 1998.

    Examples
    --------
    >>> ospf("fat_tree(2, 2)")
    <Relation ospf on fat_tree(2, 2), 8 VCs>
    """
    table = distances_to_homes(network, "ospf").table.tolist()
    leaving = [[(c, int(network.target[c])) for c in out] for out in _leaving(network)]
    rows = [
        [[c for c, to in out if far[r] > 0 and far[to] == far[r] - 1] for r, out in enumerate(leaving)]
        for far in table
    ]
    return NextHops.of_rows(network, rows).relation("ospf", "OSPF (RFC 2328) with ECMP")


@takes_network
def bgp(
    network: Network, *, plan: str | Sequence[int] = "switch", allowas_in: int = 0, relax: bool = True
) -> Relation:
    """BGP between all neighbours of different AS, with ECMP over AS paths of the shortest length.

    A router announces one of its best paths: that by the neighbour of the lowest number (``bgp bestpath
    compare-routerid``). Where the age of a route decides instead, others are possible, which this leaves out.
    Packets are dropped where every path is refused. Nothing is claimed about deadlock.

    Parameters
    ----------
    plan : {"switch", "rfc7938"} or sequence of int
        An AS for each switch; one for all of the top tier of a fat tree, one for the switches of a cluster in a tier
        between and one for each leaf (RFC 7938); or the AS of every router. On a network with failures: of the whole
        network.
    allowas_in : int
        How often a router's own AS may be in a path that it accepts.
    relax : bool
        Whether paths through different ASes share the load (``multipath-relax``).

    Raises
    ------
    RelationError
        If the plan is unknown, does not fit the network, or `allowas_in` is negative.

    References
    ----------
    P. Lapukhov, A. Premji, J. Mitchell: Use of BGP for routing in large-scale data centers. RFC 7938, 2016.

    Examples
    --------
    >>> bgp("fat_tree(2, 2)", plan="rfc7938")
    <Relation bgp on fat_tree(2, 2), 8 VCs>
    """
    if isinstance(allowas_in, bool) or not isinstance(allowas_in, int) or allowas_in < 0:
        raise RelationError(f"bgp: allowas_in is a number from 0, got {allowas_in!r}")
    systems, leaving = as_plan(network, plan), _leaving(network)
    rows = []
    for home in homes_of(network)[0].tolist():
        row = [list[int]() for _ in leaving]
        paths: dict[int, tuple[int, ...]] = {home: (systems[home],)}
        newest = dict(paths)
        while newest:
            heard: dict[int, tuple[int, ...]] = {}
            for router in sorted(set(range(network.num_routers)) - paths.keys()):
                own = systems[router]
                ways = sorted(
                    (to, channel)
                    for channel in leaving[router]
                    if (to := int(network.target[channel])) in newest
                    and systems[to] != own
                    and newest[to].count(own) <= allowas_in
                )
                if ways:
                    best = newest[ways[0][0]]
                    heard[router] = (own, *best)
                    row[router] = sorted(channel for to, channel in ways if relax or newest[to] == best)
            paths |= heard
            newest = heard
        rows.append(row)
    return NextHops.of_rows(network, rows).relation("bgp", "BGP (RFC 4271, RFC 7938)")


def as_plan(network: Network, plan: str | Sequence[int]) -> list[int]:
    """Return the AS of every router; see `bgp`."""
    if plan == "switch":
        return list(range(network.num_routers))
    if plan == "rfc7938":
        if network.coordinates is None or network.dimensions is None or network.dimensions[0] != "level":
            raise RelationError(
                f"bgp: plan rfc7938 needs tiers, which {network.name} has not; use a fat tree, or plan=switch"
            )
        keys = [(level, *digits[level:]) for level, *digits in network.coordinates.tolist()]
        numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
        return [numbers[key] for key in keys]
    if isinstance(plan, str):
        raise RelationError(
            f"bgp: there is no plan {plan!r}; known are {', '.join(PLANS)}, or the AS of every router"
        )
    kept = list(range(network.num_routers)) if network.origin is None else network.origin.routers.tolist()
    if len(plan) <= max(kept, default=-1) or (network.origin is None and len(plan) != len(kept)):
        raise RelationError(
            f"bgp: {len(plan)} ASes in the plan; {network.name} wants one for each router, got {plan!r}"
        )
    return [plan[router] for router in kept]


def _leaving(network: Network) -> list[list[int]]:
    """Outgoing channels of every router."""
    first, channels = network.outgoing
    return [channels[first[r] : first[r + 1]].tolist() for r in range(network.num_routers)]
