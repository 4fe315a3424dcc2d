"""Routes of flows on a routing, and the time of the busiest channel: the fluid model of collective operations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats, Ints, Rows, offsets
from unknot._base.errors import RelationError
from unknot._base.memory import require
from unknot._base.shown import Brief
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.traffic.trace import addresses_drawn

ROOM = 1 << 16
"""Channels of routes for which there is room at the beginning, above the most of a route."""


@dataclass(frozen=True, eq=False, repr=False)
class FlowRoutes(Brief):
    """Route of each flow, and the load of each channel.

    Attributes
    ----------
    routes : Rows
        Channels of each flow, in the order of its way; none where both terminals are at one router.
    sent : float64 array, shape (channels,)
        Cycles that each channel is busy in all phases together.

    Examples
    --------
    >>> made = route_flows("mesh(2, 2)", [0, 0], [3, 3], [4.0, 4.0], routing="fully_adaptive")
    >>> float(made.sent[made.busiest])
    4.0
    """

    routes: Rows
    sent: Floats

    @property
    def busiest(self) -> int:
        """Number of the channel that is busy longest."""
        return int(np.argmax(self.sent))


@takes_relation
def route_flows(
    relation: Relation,
    source: npt.ArrayLike,
    destination: npt.ArrayLike,
    flits: npt.ArrayLike,
    phase: npt.ArrayLike | None = None,
) -> FlowRoutes:
    """Route flows from terminal to terminal, one after the other, as an adaptive router would.

    At each router a header takes, of the candidates of the lowest tier, the channel that is the least busy in the
    phase of the flow, then in all phases. Tables and other routings without a choice give their own routes. Packets
    of UGAL go the direct way. Time is linear in hops and candidates.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    source, destination : array of int, shape (flows,)
        Terminals.
    flits : array of float, shape (flows,)
        Size of each flow.
    phase : array of int, shape (flows,), optional
        Ascending; flows of one phase are under way together. By default all are.
    routing : str or None
        Name of the routing, where a network is given.
    vcs : int or None
        VCs per channel.

    Returns
    -------
    FlowRoutes
        Routes, and the busy times of channels.

    Raises
    ------
    RelationError
        If a terminal has no address for another, a flow does not arrive, or phases descend.
    SizeError
        If the routes take more memory than may be used.

    Examples
    --------
    >>> spread = route_flows("fat_tree(2, 2)", [0, 1], [2, 3], [8.0, 8.0], routing="nca")
    >>> spread.routes.lists(), float(spread.sent.max())
    ([[0, 5], [1, 7]], 8.0)
    """
    from unknot.verify.flow_routes_kernel import Busy, Flows, Space, route

    sources, ends = np.asarray(source, dtype=np.int64), np.asarray(destination, dtype=np.int64)
    sizes = np.ascontiguousarray(flits, dtype=np.float64)
    phases = np.zeros(sources.size, dtype=np.int64) if phase is None else np.asarray(phase, dtype=np.int64)
    if (np.diff(phases) < 0).any():
        raise RelationError(f"{relation.name}: phases of flows must ascend")
    vcs, network, many = relation.vcs, relation.network, max(1, relation.max_candidates)
    flows = Flows(relation.num_vcs + sources, _addresses(relation, sources, ends), sizes, phases)
    busy = Busy(1 / network.bandwidth, *np.zeros((2, network.num_channels)))
    lengths = vcs.total, vcs.total * many + 1, many, 5
    before, states, out, at_work = (np.zeros(size, dtype=np.int64) for size in lengths)
    space = Space(np.full((vcs.total, 2), -1.0), before, np.empty(states.size), states, out)
    path, rows = np.empty(ROOM + vcs.total, dtype=np.int32), np.zeros((sources.size, 2), dtype=np.int64)
    rule = relation.compiled.address
    while (done := route(rule, flows, vcs.channel, busy, space, at_work, rows, path)) < sources.size:
        if done < 0:
            _refuse(relation, -1 - done, sources, ends)
        require(f"routes of {sources.size} flows on {network.name}", 8 * path.size)
        path = np.concatenate([path, np.empty_like(path)])
    taken = offsets(rows[:, 1] - rows[:, 0])
    moved = np.repeat(rows[:, 0] - taken[:-1], np.diff(taken))
    return FlowRoutes(Rows(taken, path[moved + np.arange(moved.size)]), busy.sent)


def _addresses(relation: Relation, source: Ints, destination: Ints) -> Ints:
    if relation.direct is None:
        return addresses_drawn(relation, source, destination, None)
    return np.asarray(relation.direct_addresses(source, destination), dtype=np.int64)


def _refuse(relation: Relation, flow: int, source: Ints, destination: Ints) -> None:
    ends = (relation.network.terminal_name(int(side[flow])) for side in (source, destination))
    raise RelationError(f"{relation.name}: a flow from {' to '.join(ends)} does not arrive")
