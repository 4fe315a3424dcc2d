"""Schedules on the routes of a network's routing, in place of one shortest path for each pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.shortest_paths import fully_adaptive
from unknot.verify.flow_routes import route_flows
from unknot_collectives.schedule import Schedule

OnRoutes = Callable[[Schedule], Schedule]
"""Puts a schedule by steps on routes."""


def on_routes(schedule: Schedule, relation: Relation) -> Schedule:
    """Return a schedule by steps with each transfer on the routes of a routing, spread where it leaves a choice.

    Parameters
    ----------
    schedule : Schedule
        Of a platform that `platform_of` made from the network of the relation; its members are terminals.
    relation : Relation
        The routing.

    Returns
    -------
    Schedule
        The same transfers, by step.

    Raises
    ------
    RelationError
        If a transfer does not arrive.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from unknot.network.families import fat_tree
    >>> from unknot.routing import nca
    >>> from unknot_collectives import Operation, platform_of, textbook
    >>> platform = platform_of(fat_tree(4, 2))
    >>> direct = textbook(platform, Operation("all_to_all", platform.members), "direct")
    >>> direct.busiest, on_routes(direct, nca(fat_tree(4, 2))).busiest
    (Fraction(48, 1), Fraction(15, 1))
    """
    network, sent = relation.network, schedule.by_steps().transfers
    first, terminals = network.num_routers, network.num_channels
    source, target = (
        np.array(side) - first for side in zip(*((one.source, one.target) for one in sent), strict=True)
    )
    flits = [float(schedule.chunks[one.chunk].size) for one in sent]
    routes = route_flows(relation, source, target, flits, [one.step for one in sent]).routes.lists()
    # A platform numbers two channels for each terminal, into the network and out of it, after those of the network.
    ends = zip((terminals + 2 * source).tolist(), routes, (terminals + 2 * target + 1).tolist(), strict=True)
    moved = (replace(one, path=(a, *way, b)) for one, (a, way, b) in zip(sent, ends, strict=True))
    return replace(schedule, transfers=tuple(moved), starts=())


def shortest_routes(network: Network) -> OnRoutes | None:
    """Return the function that spreads a schedule over all shortest paths of a network.

    Schedules by flows and packed trees, ``optimal``, have paths of their own and keep these. None where channels
    differ in latency: the path of least latency counts then, which platforms know.
    """
    if np.unique(network.latency).size > 1:
        return None
    relation = fully_adaptive(network)
    return lambda schedule: schedule if schedule.name == "optimal" else on_routes(schedule, relation)
