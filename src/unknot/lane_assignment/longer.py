"""Routes in a prescribed number of lanes, as short as these allow, or of a prescribed stretch in few lanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot._base import phrases
from unknot._base.deadline import Deadline, begun, counts_work
from unknot._base.errors import NetworkError, RelationError, require_known
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress, with_bar
from unknot.lane_assignment.detours import LOST, detour_paths, improved, tree_order, unit_of
from unknot.lane_assignment.exact import ExactSearch
from unknot.lane_assignment.figures import LongerLanes, RoutesInLanes
from unknot.lane_assignment.laned import PairRoutes, laned, route_hops
from unknot.lane_assignment.load_bounds import load_bound
from unknot.lane_assignment.low_loads import LowLoads
from unknot.lane_assignment.orders import GROWN, grown
from unknot.lane_assignment.path_set import Demand, Floats, Ints, every_path, of_pairs
from unknot.lane_assignment.question import Question, question_of
from unknot.lane_assignment.rerouted import LoadGoal, balanced, evened, highest, routes_of
from unknot.lane_assignment.rooted import LaneOrders, one_by_one, orders_of
from unknot.lane_assignment.starts import MOST_STATES
from unknot.lane_assignment.trees import order_of, trees
from unknot.lane_assignment.wanted import Aim, LaneEffort
from unknot.network import Network
from unknot.routing.taking import takes_network
from unknot.search.effort import SEARCHING, SEEDS, SearchEffort

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried
    from unknot.lane_assignment.orders_kernel import PathSet

GOALS = ("load", "mean", "longest")
SLACK = 2
"""Hops by which a step may lengthen a route for a lower load; in a network of two colours 1 is as good as none."""
FIRST_ROUNDS = 2
"""Rounds of annealing of orders for a low load: orders of fewer hops do not carry more."""
BALANCING = 4
"""Rounds of balancing the load."""
STARTS = 4
"""Starts of that where shortest paths are enough."""
DRAWN = 8
"""Starts elsewhere, of other orders: loads differ more by start than by effort."""
HOT = ((16.0, 1.0),)
"""Temperatures of the one round in which each is made."""
TREE_ROUNDS = 30
"""Times that each tree of a start is grown anew, in the mean."""
SHARE = 0.4
"""Share of the time that is left for each number of lanes, where it is not prescribed."""
WITHIN = 0.7
"""Share of the time for lanes within a stretch in a large network; then paths are made shorter."""
HEAT = (4.0, 0.5)
"""Temperatures of that search."""
MOST_STRETCH = 16
"""Most hops of a stretch: each has a block of destinations in the search."""
BLOCKS = 5
"""Units of a detour from which on all detours count alike in the search."""
STEEP = 6
"""Weight of each further unit of a pair's detour over the unit before, where the longest detour is to be small."""


@takes_network
@with_bar
@counts_work
def longer_lanes(
    network: Network,
    count: int | None = None,
    *,
    stretch: int | None = None,
    goal: str = "load",
    flows: npt.ArrayLike | None = None,
    vcs: int | None = None,
    time_limit: float | Deadline | None = None,
    rounds: int = 6,
    seed: int = 1,
    progress: Progress | None = None,
) -> LongerLanes:
    """Route in a prescribed number of lanes, or in few, by paths that are longer than shortest ones where needed.

    Orders of the lanes are searched for in which climbing routes are short. Where shortest paths are enough, routes
    and loads are as those of `unknot.lane_assignment.lanes`.

    Parameters
    ----------
    count : int, optional
        The most lanes; by default the fewest in which routes of the stretch are found. No bound on them is shown.
    stretch : int, optional
        Hops by which a route may be longer than a shortest path; by default any number, if lanes are prescribed.
    goal : {"load", "mean", "longest"}
        What is to be low: the highest load; the mean number of hops, and the load among such routes; or the longest
        detour, then as with "mean". Within a stretch "load" is as "mean".
    flows, vcs, time_limit : optional
        As `unknot.lane_assignment.lanes` takes them.
    rounds : int
        Rounds of annealing.
    seed, progress : optional
        As `unknot.lane_assignment.lanes` takes them.

    Returns
    -------
    LongerLanes
        The routes and lanes.

    Raises
    ------
    NetworkError
        As `unknot.lane_assignment.lanes`.
    RelationError
        If an argument makes no sense, or no way was found to connect all pairs in that number of lanes, and with
        that stretch.

    Examples
    --------
    >>> from unknot.lane_assignment import longer_lanes
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
    deadline = begun(time_limit, "lanes")
    effort = SearchEffort(deadline.part(SEARCHING).end, seed, progress)
    question = question_of(network, "free", "none", None, flows)
    search = LongerSearch(question, count, stretch, goal, rounds, effort)
    keys = search.orders()
    effort.finish_by(deadline.end)
    if orders_of(question.path_set, keys).unserved == 0:
        traffic, low = _along_shortest(question, keys, effort)
    else:
        traffic, low = search.traffic, search.low_load(keys)
    assert isinstance(low.routes, PairRoutes)
    shortest = np.where(traffic.wanted, traffic.distances.table.T, 0).astype(np.int64)
    hops = route_hops(low.routes, network, traffic.distances.homes)
    return LongerLanes(
        **vars(low),
        relation=laned(network, low.routes, vcs=vcs, sends=question.sends, minimal=bool((hops <= shortest).all())),
        hops=hops,
        shortest=shortest,
        wanted=traffic.wanted,
        moves=effort.moves,
        complete=effort.complete,
    )


@dataclass(frozen=True, eq=False)
class LongerSearch:
    """Search for routes that may be longer than shortest paths.

    Attributes
    ----------
    question : Question
    count, stretch, goal, rounds : optional
        As `longer_lanes` takes them.
    effort : SearchEffort
    """

    question: Question
    count: int | None
    stretch: int | None
    goal: str
    rounds: int
    effort: SearchEffort

    @property
    def traffic(self) -> Demand:
        """The pairs of routers to serve."""
        assert self.question.demand is not None
        return self.question.demand

    def orders(self) -> Floats:
        """Keys of lanes in which every pair has a climbing path."""
        network, count, stretch = self.question.network, self.count, self.stretch
        paths, taken = self._detours
        if count is None:
            return self._fewest(paths, taken)
        start = self._start(count)
        if stretch is not None and paths.nearer.size >= GROWN:
            *_, start = (start, *self._within(count, count + 1))
        first = min(self.rounds, FIRST_ROUNDS) if self.goal == "load" else self.rounds
        for rounds in sorted({first, self.rounds}):
            best = improved(paths, taken, start, self.effort, rounds=rounds)
            if best is not None:
                return best[0]
        within = "" if stretch is None else f" with a stretch of {stretch}"
        raise RelationError(
            f"lanes on {network.name}: no way was found to connect all pairs in {phrases.count(count, 'lane')}"
            f"{within}, {self.effort.moves} moves; more lanes or a longer time limit may do"
        )

    @cached_property
    def _detours(self) -> tuple[PathSet, Ints]:
        """The paths allowed in the search, by their cost."""
        blocks = BLOCKS if self.stretch is None else self.stretch // unit_of(self.traffic)
        weights = np.array([STEEP**i if self.goal == "longest" else 1 for i in range(blocks)] + [LOST])
        return detour_paths(self.traffic, weights, limited=self.stretch is not None)

    def _start(self, count: int) -> Floats:
        """Keys to begin with: of a spanning tree in one lane, and at random in the others."""
        network = self.question.network
        start = np.random.default_rng([self.effort.seed, count]).random((count, network.num_channels))
        start[0] = tree_order(network)
        return start

    def _fewest(self, paths: PathSet, taken: Ints) -> Floats:
        """Keys of the fewest lanes found, never more than shortest paths need."""
        effort, kept = self.effort, one_by_one(self.question.path_set, [self.effort.seed, 0]).key
        if paths.nearer.size >= GROWN:
            for fewer in self._within(1, len(kept)):
                kept = fewer
        for lanes in range(1, len(kept) if paths.nearer.size < GROWN else 0):
            if effort.stopped:
                break
            with effort.part(deadline=effort.limit.part(SHARE).end) as part:
                best = improved(paths, taken, self._start(lanes), part, rounds=self.rounds)
            if best is not None:
                return best[0]
        best = improved(paths, taken, kept, effort, rounds=self.rounds)
        return kept if best is None else best[0]

    def _within(self, low: int, most: int) -> Iterator[Floats]:
        """Keys of fewer than `most` lanes in which every pair has a path of the stretch, however long.

        That paths are short comes later: so few pairs are left at first that a cool search ends soon.
        """
        paths, effort = self._detours[0], self.effort
        longest = paths.wanted.copy()
        longest[:, : -paths.block] = 0
        alike = of_pairs(paths, longest)._replace(weight=np.ones_like(paths.weight))
        with effort.until_interrupted(), effort.part(deadline=effort.limit.part(WITHIN).end) as part:
            for fewer in grown(alike, part, low, most, HEAT):
                yield fewer.key

    def low_load(self, keys: Floats) -> RoutesInLanes:
        """Routes of low load in lanes with these keys; where longer routes are allowed, also in tree
        lanes of each home.
        """
        traffic, effort, bandwidth = self.traffic, self.effort, self.question.network.bandwidth
        bound = effort.insist(lambda: load_bound(traffic, time_limit=effort.bounding, longer=True))
        goal = LoadGoal(traffic, every_path(traffic), False, float(bound.least), longer=True)
        routed = goal.drawn(keys, effort)
        if self.goal == "load" and self.stretch is None:
            slack = (start._replace(slack=SLACK) for start in self._starts(goal, routed))
            routed = min((balanced(goal, start, effort, range(1)) for start in slack), key=highest)
        else:  # all routes that may be taken have as many hops
            hops = route_hops(routed, traffic.network, traffic.distances.homes)
            goal = replace(goal, floor=max(goal.floor, float((goal.rate * hops).sum() / bandwidth.sum())))
        routed = evened(goal, balanced(goal, routed, effort, range(BALANCING)), effort)
        key = routed.rank.astype(np.float64)
        return RoutesInLanes(routes_of(goal, routed), routed.lane, routed.lane_load, key, bound)

    def _starts(self, goal: LoadGoal, routed: Carried) -> Iterator[Carried]:
        """Routes to begin with: those there are, of trees, and of orders drawn anew."""
        lanes = len(routed.rank)
        yield routed
        yield from _trees(goal, lanes, self.effort)
        for number in range(1, DRAWN):
            if self.effort.stopped:
                return
            with self.effort.part(seed=self.effort.seed + SEEDS * number) as part:
                start = replace(self, effort=part)._start(lanes)
                keys = improved(*self._detours, start, part, rounds=1, heats=HOT)
                drawn = None if keys is None else goal.drawn(keys[0], part)
            if drawn is not None:
                yield drawn


def _along_shortest(question: Question, keys: Floats, effort: SearchEffort) -> tuple[Demand, RoutesInLanes]:
    """Routes of low load along shortest paths, in at most as many lanes as those of keys that serve all pairs."""
    orders = LaneOrders(keys, question.path_set.nearer)
    asked = LaneEffort(tries=STARTS)
    search = effort.insist(partial(LowLoads, ExactSearch(question, effort, 0), orders, asked, Aim()))
    return search.goal.demand, min(search.front(len(keys)), key=lambda low: (low.highest_load, low.count))


def _trees(goal: LoadGoal, lanes: int, effort: SearchEffort) -> list[Carried]:
    """Trees in the first of the lanes, with a load at most as high as named routings have."""
    traffic, target = goal.demand, goal.path_set.target
    if effort.over or goal.path_set.home.size * target.size > MOST_STATES:
        return []
    try:
        step, _ = trees(traffic.network, goal.path_set.home, traffic.rate.T, effort, TREE_ROUNDS, goal.floor)
    except NetworkError:  # some channel has none back
        return []
    key = order_of(step, target)
    assert key is not None
    return [goal.by_table(np.concatenate([key[None], np.repeat(-key[None], lanes - 1, axis=0)]), step)]
