"""Routes in a prescribed number of lanes, as short as these allow, or of a prescribed stretch in few lanes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import Deadline, clock
from unknot._base.errors import RelationError, require_known
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress, with_bar
from unknot._base.shown import Brief
from unknot.lanes.detours import LOST, detour_paths, improved, tree_order, unit_of
from unknot.lanes.effort import SEARCHING, SearchEffort
from unknot.lanes.figures import SharedOut
from unknot.lanes.laned import Routes, laned
from unknot.lanes.path_set import Flags, Floats, Ints, demand, every_path, path_set
from unknot.lanes.rerouted import LoadGoal, balanced, evened, routes_of
from unknot.lanes.rooted import one_by_one
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import PathSet

GOALS = ("mean", "longest")
BALANCING = 4
"""Rounds of balancing the load."""
SHARE = 0.4
"""Share of the time that is left for each number of lanes, where it is not prescribed."""
MOST_STRETCH = 16
"""Most hops of a stretch: each has a block of destinations in the search."""
BLOCKS = 5
"""Units of a detour from which on all detours count alike in the search."""
STEEP = 6
"""Weight of each further unit of a pair's detour over the unit before, where the longest detour is to be small."""


@dataclass(frozen=True, eq=False, repr=False)
class LongerLanes(Brief, SharedOut):
    """Routes that may be longer than shortest paths, in lanes.

    Attributes
    ----------
    relation : Relation
    count : int
        Number of lanes.
    routes : Routes
    hops, shortest : int64 arrays, shape (routers, homes)
        Hops of the routes and of shortest paths; 0 where none is needed.
    key : float64 array, shape (lanes, channels)
        In its lane, the channels of every route climb in it.
    wanted : bool array, shape (routers, homes)
    lane : int64 array, same shape
        The lane of each pair; −1: none is needed.
    lane_load : float64 array, shape (lanes, channels)
        What each lane of a channel carries of its load.
    moves : int
        Moves of the search.
    complete : bool
        Whether the search ended by itself, not by the time limit or Ctrl-C.

    Examples
    --------
    >>> routes = longer_lanes("ring(6)", 1)
    >>> routes.count, routes.longest_detour
    (1, 2)
    """

    relation: Relation
    count: int
    routes: Routes
    hops: Ints
    shortest: Ints
    key: Floats
    wanted: Flags
    lane: Ints
    lane_load: Floats
    moves: int
    complete: bool

    @property
    def mean_hops(self) -> float:
        """Mean length of the routes of all pairs of routers, in hops."""
        return float(self.hops[self.wanted].mean()) if self.wanted.any() else 0.0

    @property
    def mean_shortest(self) -> float:
        """Hops of shortest paths, over all pairs of routers: no routes have a lower mean."""
        return float(self.shortest[self.wanted].mean()) if self.wanted.any() else 0.0

    @property
    def longest_detour(self) -> int:
        """Hops that some route has more than a shortest path."""
        return int((self.hops - self.shortest)[self.wanted].max(initial=0))

    @property
    def highest_load(self) -> float:
        """Highest load of a channel, in routes or in the units of the flows, over its bandwidth."""
        return float(self.routes.load.max(initial=0.0))

    @property
    def longer_pairs(self) -> int:
        """Pairs of routers whose route is no shortest path."""
        return int(np.count_nonzero(self.hops[self.wanted] > self.shortest[self.wanted]))

    @property
    def pairs(self) -> int:
        """Pairs of routers."""
        return int(np.count_nonzero(self.wanted))


@takes_network
@with_bar
def longer_lanes(
    network: Network,
    count: int | None = None,
    *,
    stretch: int | None = None,
    goal: str = "mean",
    flows: npt.ArrayLike | None = None,
    vcs: int | None = None,
    time_limit: float | Deadline = 60.0,
    rounds: int = 6,
    seed: int = 1,
    progress: Progress | None = None,
) -> LongerLanes:
    """Route in a prescribed number of lanes, or in few, by paths that are longer than shortest ones where needed.

    Orders of the lanes are searched for in which climbing routes are short. Of the shortest that climb, each pair
    takes one by which the highest load is low.

    Parameters
    ----------
    count : int, optional
        Lanes; by default the fewest in which routes of the stretch are found. No bound on them is shown.
    stretch : int, optional
        Hops by which a route may be longer than a shortest path; by default any number, if lanes are prescribed.
    goal : {"mean", "longest"}
        What is to be small: the mean number of hops, or first the longest detour.
    flows, vcs, time_limit : optional
        As `unknot.lanes.lanes` takes them.
    rounds : int
        Rounds of annealing.
    seed, progress : optional
        As `unknot.lanes.lanes` takes them.

    Returns
    -------
    LongerLanes
        The routes and lanes.

    Raises
    ------
    NetworkError
        As `unknot.lanes.lanes`.
    RelationError
        If an argument makes no sense, or no way was found to connect all pairs in that number of lanes, and with
        that stretch.

    Examples
    --------
    >>> from unknot.lanes import longer_lanes
    >>> routes = longer_lanes("ring(6)", 1)
    >>> routes.longer_pairs, routes.longest_detour
    (2, 2)
    >>> longer_lanes("torus(4, 4)", stretch=1).count
    1
    """
    if count is None and stretch is None:
        raise RelationError("lanes: longer routes need a number of lanes or a stretch, and neither is given")
    if count is not None:
        require_whole("lanes: the number of lanes", count, 1, error=RelationError)
    if stretch is not None:
        require_whole("lanes: the stretch", stretch, 0, most=MOST_STRETCH, unit="hops", error=RelationError)
    require_known("lanes: unknown goal", goal, GOALS, RelationError)
    deadline = Deadline.of(time_limit, "lanes")
    traffic = demand(network, flows)
    effort = SearchEffort(deadline.part(SEARCHING).end, seed, progress)
    blocks = BLOCKS if stretch is None else stretch // unit_of(traffic)
    weights = np.array([STEEP**i if goal == "longest" else 1 for i in range(blocks)] + [LOST])
    paths, taken = detour_paths(traffic, weights, limited=stretch is not None)
    if count is None:
        keys = _fewest(paths, taken, one_by_one(path_set(traffic), [seed, 0]).key, effort, network, rounds)
    else:
        best = improved(paths, taken, _start(network, count, seed), effort, rounds=rounds)
        if best is None:
            raise RelationError(
                f"lanes on {network.name}: no way was found to connect all pairs in {count} "
                f"lane{'s' * (count > 1)}{'' if stretch is None else f' with a stretch of {stretch}'}, "
                f"{effort.moves} moves; more lanes or a longer time limit may do"
            )
        keys, _ = best
    effort.finish_by(deadline.end)
    low_load = LoadGoal(traffic, every_path(traffic), False, 0.0, longer=True)
    routed = low_load.drawn(keys, effort)
    # However routes are chosen, they have as many hops in all, so the mean load is a bound.
    low_load = replace(low_load, floor=float(routed.load.mean()))
    routed = evened(low_load, balanced(low_load, routed, effort, BALANCING), effort)
    shortest = np.where(traffic.wanted, traffic.distances.table.T, 0).astype(np.int64)
    length = np.where(traffic.wanted, routed.left[routed.lane, routed.start, np.arange(len(shortest.T))], 0)
    routes = routes_of(low_load, routed)
    return LongerLanes(
        laned(network, routes, vcs=vcs, sends=traffic.sends, minimal=bool((length <= shortest).all())),
        len(keys),
        routes,
        length,
        shortest,
        keys,
        traffic.wanted,
        routes.lane,
        routed.lane_load,
        effort.moves,
        effort.complete,
    )


def _start(network: Network, count: int, seed: int) -> Floats:
    """Keys to begin with: of a spanning tree in one lane, and at random in the others."""
    start = np.random.default_rng([seed, count]).random((count, network.num_channels))
    start[0] = tree_order(network)
    return start


def _fewest(paths: PathSet, taken: Ints, kept: Floats, effort: SearchEffort, network: Network, rounds: int) -> Floats:
    """Keys of the fewest lanes in which all pairs are found to have a path; at most as many as those of `kept`.

    Parameters
    ----------
    kept : float64 array, shape (lanes, channels)
        Keys by which shortest paths serve all pairs.
    """
    for lanes in range(1, len(kept)):
        if effort.over or effort.interrupted:
            break
        part = replace(effort, deadline=clock() + SHARE * (effort.deadline - clock()))
        best = improved(paths, taken, _start(network, lanes, effort.seed), part, rounds=rounds)
        effort.moves, effort.interrupted = part.moves, part.interrupted
        if best is not None:
            return best[0]
    best = improved(paths, taken, kept, effort, rounds=rounds)
    return kept if best is None else best[0]
