"""Schedules on the routes of a network's routing, in place of one shortest path for each pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.arrays import Ints
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.shortest_paths import fully_adaptive
from unknot.verify.flow_routes import route_flows
from unknot_collectives.schedule import Schedule

COPIES = 8
"""Flows between two members by which permitted paths are found."""


@dataclass(frozen=True)
class ScheduleRoutes:
    """The routes on which schedules by steps are put.

    Attributes
    ----------
    relation : Relation
        The routing.
    is_free : bool
        Whether algorithms that find paths of their own, ``optimal`` and ``searched``, may take any.
    """

    relation: Relation
    is_free: bool = False

    def __call__(self, schedule: Schedule) -> Schedule:
        """Return a schedule with each transfer on these routes."""
        return schedule if self.is_free and schedule.name == "optimal" else on_routes(schedule, self.relation)

    def ways(self, members: Sequence[int]) -> dict[tuple[int, int], list[tuple[int, ...]]]:
        """Return permitted paths between members: those that several flows at a time spread over."""
        pairs = [(one, other) for one in members for other in members if one != other]
        copies = np.repeat(np.array(pairs), COPIES, axis=0)
        phase = np.repeat(np.arange(len(pairs)), COPIES)
        found: dict[tuple[int, int], list[tuple[int, ...]]] = {pair: [] for pair in pairs}
        paths = _between_members(self.relation, copies[:, 0], copies[:, 1], [1.0] * len(copies), phase.tolist())
        for (one, other), path in zip(copies.tolist(), paths, strict=True):
            found[one, other] += [path] * (path not in found[one, other])
        return found


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
    sent = schedule.by_steps().transfers
    source, target = (np.array(side) for side in zip(*((one.source, one.target) for one in sent), strict=True))
    flits = [float(schedule.chunks[one.chunk].size) for one in sent]
    paths = _between_members(relation, source, target, flits, [one.step for one in sent])
    moved = (replace(one, path=path) for one, path in zip(sent, paths, strict=True))
    return replace(schedule, transfers=tuple(moved), starts=())


def _between_members(
    relation: Relation, source: Ints, target: Ints, flits: Sequence[float], phase: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the channels of flows from members to members, those of terminals among them."""
    first, terminals = relation.network.num_routers, relation.network.num_channels
    source, target = source - first, target - first
    routes = route_flows(relation, source, target, flits, phase).routes.lists()
    # A platform numbers two channels for each terminal, into the network and out of it, after those of the network.
    ends = zip((terminals + 2 * source).tolist(), routes, (terminals + 2 * target + 1).tolist(), strict=True)
    return ((a, *way, b) for a, way, b in ends)


def shortest_routes(network: Network) -> ScheduleRoutes | None:
    """Return the routes that spread a schedule over all shortest paths of a network.

    None where channels
    differ in latency: the path of least latency counts then, which platforms know.
    """
    if np.unique(network.latency).size > 1:
        return None
    return ScheduleRoutes(fully_adaptive(network), is_free=True)
