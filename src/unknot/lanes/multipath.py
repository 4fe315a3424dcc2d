"""Every shortest path that climbs in the lane of a pair, for adaptive routers."""

from __future__ import annotations

from unknot._base.errors import RelationError
from unknot.lanes.figures import Lanes
from unknot.lanes.path_set import demand, path_set
from unknot.lanes.rooted import orders_of
from unknot.lanes.tables import Table
from unknot.routing.in_lanes import in_blocks, terminals, vcs_of_lanes
from unknot.routing.paths import homes_of
from unknot.routing.relation import EJECT, Out, Relation


def multipath(routes: Lanes, *, vcs: int | None = None) -> Relation:
    """Let packets take any shortest path that climbs in their lane, hop by hop.

    A pair keeps its lane. Each hop takes a channel that is higher in the order of the lane, so nothing can deadlock,
    and one from which a shortest path goes on climbing, so every packet arrives. How much choice there is depends on
    the orders: where they are those of dimension order, as on hypercubes, there is none.

    Parameters
    ----------
    routes : Lanes
        Of free paths.
    vcs : int, optional
        VCs per channel, shared out among the lanes; by default one for each lane.

    Returns
    -------
    Relation
        Its addresses are those of ``routes.relation``.

    Raises
    ------
    RelationError
        If the paths are given or those of a table, or there are fewer VCs than lanes.

    Examples
    --------
    >>> from unknot import check
    >>> from unknot.lanes import lanes, multipath
    >>> relation = multipath(lanes("torus(5, 4)"))
    >>> check(relation).deadlock_free, max(len(relation.candidates(relation.num_vcs, a)) for a in range(40))
    (True, 2)
    """
    if isinstance(routes.routes, Table):
        raise RelationError(f"lanes: several paths for a pair are for free paths, and these are {routes.paths}")
    network, lanes, sends = routes.relation.network, routes.count, routes.sends
    orders, _ = orders_of(path_set(demand(network, sends)), routes.key)
    key, reach = orders.key, orders.reach
    virtual = vcs_of_lanes(network, vcs, lanes)
    router, first, at_channel, num_vcs, total = (
        virtual.router, virtual.first, virtual.channel, virtual.total, virtual.widest,
    )  # fmt: skip
    addresses = terminals(network, sends, routes.routes.column)
    column, count, end = homes_of(network)[1], addresses.destination.size, network.eject[addresses.destination]
    leaving_first, leaving = network.outgoing

    def rule(at: int, address: int, out: Out) -> int:
        here, which, lane = router[at], address % count, address // count
        if here == end[which]:
            out[0] = EJECT
            return 1
        home, number = column[which], 0
        for j in range(leaving_first[here], leaving_first[here + 1]):
            channel = leaving[j]
            climbs = at >= num_vcs or key[lane, channel] > key[lane, at_channel[at]]
            if climbs and (reach[lane, channel, home >> 6] >> (home & 63)) & 1:
                for v in range(lane, total, lanes):
                    out[number] = first[channel] + v
                    number += 1
        return number

    return Relation(
        network,
        virtual,
        rule,
        name=f"lanes, all paths ({lanes} lane{'s' * (lanes > 1)})",
        **in_blocks(addresses, routes.lane, lanes, "in lane", minimal=True),
    )
