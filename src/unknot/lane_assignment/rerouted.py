"""Routes in lanes whose busiest channel carries little: what they start from, and their improvement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.deadline import clock
from unknot._base.phrases import count
from unknot._base.progress import found
from unknot._base.work import spend
from unknot.lane_assignment.laned import PairRoutes
from unknot.lane_assignment.path_set import Demand, Flags, Floats, Ints
from unknot.lane_assignment.rooted import orders_of
from unknot.lane_assignment.tables import bits_of, free_table, lanes_of
from unknot.search.effort import ENOUGH, AnnealingStep, SearchEffort, random_state

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried
    from unknot.lane_assignment.lane_search import Solution
    from unknot.lane_assignment.orders_kernel import PathSet

AT_ONCE = 16
"""Routers whose routes are chosen between two looks for Ctrl-C."""
HOP = 2.5e-7
"""Seconds of work of a move, for each hop of a mean route."""
ROUND = 200
"""Moves of the first round for each pair; each has twice as many as the one before."""
HEATS = ((0.05, 0.001), (2.0, 0.01), (0.2, 0.002), (0.3, 0.05))
"""Temperatures at the beginning and at the end of each round, and of all after the last; a channel of highest load
costs about 1."""
STEEPER = 4.0
"""Power of a load that is its cost, over the routes of the highest load, in rounds after the first: so one route less
on a busiest channel counts however many it has."""
LEAST_SQUARES, MOST_SQUARES = 6, 8
"""Logarithms of the least and of the greatest such power."""
EVEN, EVEN_HEAT = 0.1, (0.02, 0.0005)
"""Cost of a channel whose highest load is all in one lane, and temperatures, where loads are evened out at last."""
LEAST_GAIN = 0.5
"""Decrease of that cost for which routes are taken."""
EVEN_MOVES = 1 << 22
"""Most moves for that."""
FIXED = ("apart", "site", "slow", "left", "slack", "evenness", "squares")
"""Fields of `Carried` that no move changes."""


@dataclass(frozen=True, eq=False)
class LoadGoal:
    """Pairs to route, what their routes may take, and when their loads are low enough.

    Attributes
    ----------
    demand : Demand
    path_set : PathSet
    table : bool
        Whether routes are those of a table.
    floor : float
        A highest load that is known to be the lowest possible, if it is reached.
    kept : int64 array, shape (lanes, turns), or None
        1 for turns that climb in a lane whatever routes are: other paths than these may need them.
    longer : bool
        Whether paths may be longer than shortest ones. Orders then stay, and each pair gets a shortest climbing path,
        which may become longer by the `slack` of its routes.
    """

    demand: Demand
    path_set: PathSet
    table: bool
    floor: float
    kept: Ints | None = None
    longer: bool = False

    @property
    def rate(self) -> Floats:
        """What each pair sends."""
        return np.where(self.demand.wanted, self.demand.rate, 0.0)

    @property
    def each(self) -> float:
        """Seconds of work of a move."""
        return HOP * float(self.demand.distances.table.T[self.demand.wanted].sum()) / max(1, self.demand.pairs)

    def squares(self, now: Carried) -> int:
        """How often loads are squared, so that one route less on a busiest channel counts."""
        rate = self.rate
        route = float(np.median(rate[rate > 0]) * np.median(now.slow))
        return int(np.clip(np.rint(np.log2(STEEPER * highest(now) / route)), LEAST_SQUARES, MOST_SQUARES))

    def empty(self, key: Floats | Ints) -> Carried:
        """No routes yet, in lanes of these orders; lane 0 where one is needed."""
        from unknot.lane_assignment.carried_kernel import Carried, climbing_hops
        from unknot.lane_assignment.load_kernel import SQUARES

        paths, (lanes, channels) = self.path_set, key.shape
        at = np.argsort(key, axis=1, kind="stable")
        rank = np.empty_like(at)
        np.put_along_axis(rank, at, np.broadcast_to(np.arange(channels), at.shape), axis=1)
        columns, bandwidth = paths.home.size, self.demand.network.bandwidth
        uses = np.zeros((lanes, paths.after.size), dtype=np.int32)
        if self.kept is not None:
            uses[: len(self.kept)] = self.kept
        shape = (lanes, channels, columns)
        sites = (1, len(paths.wanted), columns) if self.table else shape
        now = Carried(
            0 if self.table else 1,
            paths.target if self.table else np.arange(channels),
            np.where(self.demand.wanted, 0, -1),
            np.full(self.demand.wanted.shape, -1),
            np.full(sites, -1, dtype=np.int32),
            np.zeros(shape, dtype=np.int32),
            np.zeros(shape),
            np.zeros(bandwidth.size),
            np.zeros((lanes, bandwidth.size)),
            0.0,
            SQUARES,
            1.0 / bandwidth,
            uses,
            rank,
            at,
            np.zeros((lanes if self.longer else 0, channels, columns), dtype=np.int16),
            0,
        )
        if self.longer:
            climbing_hops(paths, now, np.asarray(key, dtype=np.float64))
        return now

    def _carried(self, now: Carried) -> Carried:
        """Routes, after their loads are written to `now`."""
        from unknot.lane_assignment.carried_kernel import carry_routes

        carry_routes(self.path_set, now, self.rate)
        return now

    def drawn(self, key: Floats, effort: SearchEffort, before: Carried | PairRoutes | None = None) -> Carried:
        """Random routes that climb in lanes with given keys; climbing routes of `before` keep their lanes.

        The lane of pairs without one is −1.
        """
        from unknot.lane_assignment.carried_kernel import choose

        orders, now = orders_of(self.path_set, key), self.empty(key)
        routers = len(now.lane)
        if before is not None:
            stay = self._stay(now, before, orders.key)
            now.lane[stay] = -1  # so that none is drawn
        state = random_state(effort.seed, len(orders.key))
        began = clock()
        for first in range(0, routers, AT_ONCE):
            end = min(routers, first + AT_ONCE)
            # The first lane that serves a pair may have longer paths than another one.
            late = not self.longer and (effort.over or (clock() - began) * routers > (effort.deadline - began) * end)
            choose(self.path_set, orders.key, orders.reach, now, state, first, end, late)
            effort.hurried |= late
            spend(HOP * self.demand.pairs / routers * (end - first))
        if before is not None:
            now.lane[stay], now.start[stay] = before.lane[stay], before.start[stay]
        return self._carried(now)

    def _stay(self, now: Carried, before: Carried | PairRoutes, key: Floats) -> Flags:
        """The pairs with a complete, climbing route in a kept lane; the next channels are written to `now`."""
        target, home = self.path_set.target, self.path_set.home
        stay = self.demand.wanted & (before.lane >= 0) & (before.lane < len(key)) & (before.start >= 0)
        router, column = np.nonzero(stay)
        lane, channel = before.lane[router, column], before.start[router, column]
        steps = []
        while channel.size:
            going = target[channel] != home[column]
            router, column, lane, channel = (ends[going] for ends in (router, column, lane, channel))
            then = before.follow[lane, channel, column].astype(np.int64)
            climbs = (then >= 0) & (key[lane, then] > key[lane, channel])
            stay[router[~climbs], column[~climbs]] = False
            router, column, lane, channel, then = (ends[climbs] for ends in (router, column, lane, channel, then))
            steps.append((router, column, lane, channel, then))
            channel = then
        for router, column, lane, channel, then in steps:
            kept = stay[router, column]
            now.follow[lane[kept], channel[kept], column[kept]] = then[kept]
        return stay

    def by_table(self, key: Floats, step: Ints) -> Carried:
        """The routes by next channels, shape (columns, routers), in lanes of keys by which they climb."""
        now, bits = self.empty(key), bits_of(self.path_set, step)
        orders = orders_of(self.path_set, key, bits)
        now.lane[:] = lanes_of(orders, free_table(self.demand, self.path_set, bits))
        now.start[:] = step.T
        now.follow[:] = step.T if self.table else step.T[self.path_set.target]
        return self._carried(now)

    def routed(self, solution: Solution) -> Carried:
        """The routes of a solution, each of a router and a terminal."""
        now, column, source = self.empty(solution.keys), self.demand.distances.column, self.path_set.source
        for (router, terminal), (lane, path) in solution.routes.items():
            home = column[terminal]
            now.lane[router, home], now.start[router, home] = lane, path[0]
            if self.table:
                now.follow[0, source[path], home] = now.start[source[path], home] = path
            else:
                now.follow[lane, path[:-1], home] = path[1:]
        return self._carried(now)

    def widened(self, now: Carried, key: Floats | Ints) -> Carried:
        """The same routes in lanes with given orders, the additional lanes still empty."""
        wide = self.empty(key)
        wide.lane[:], wide.start[:] = now.lane, now.start
        wide.follow[: len(now.follow)] = now.follow
        return self._carried(wide)


def highest(now: Carried) -> float:
    """The highest load of a channel."""
    return float(now.load.max(initial=0.0))


def copied(now: Carried) -> Carried:
    """A copy that later moves do not change."""
    return now._replace(**{name: getattr(now, name).copy() for name in now._fields if name not in FIXED})


def balanced(
    goal: LoadGoal, now: Carried, effort: SearchEffort, rounds: range, *, stream: int = 0, later: int = 0
) -> Carried:
    """Anneal routes in rounds and return the best, never worse than the given routes; Ctrl-C ends the rounds.

    Each round begins with the best so far. Ends when the highest load is at the floor. Costs are of loads over the
    highest one at each look at the clock: over an old one that is much higher, all costs would be lost in the heat.

    Parameters
    ----------
    rounds : range
        Numbers of the rounds: the first is 0.
    stream : int
        Of random numbers.
    later : int
        First rounds by others for which time is left.
    """
    from unknot.lane_assignment.load_kernel import SQUARES

    effort.report("choosing routes of low load")
    best, move = now, _mover(goal, effort, stream, 1 + rounds.start)
    with effort.until_interrupted():
        for number in rounds:
            if highest(best) <= goal.floor * ENOUGH or effort.stopped:
                break
            now = copied(best)._replace(squares=goal.squares(best) if number else SQUARES)
            moves = goal.demand.pairs * ROUND << number
            share = (1 << number) / ((1 << rounds.stop) - (1 << number) + later)
            for step in effort.cooled(moves, HEATS[min(number, len(HEATS) - 1)], each=goal.each, share=share):
                move(now, step, highest(now))
                if highest(now) < highest(best):
                    best = copied(now)._replace(squares=SQUARES)
                    lanes, load = count(len(best.rank), "lane"), highest(best)
                    found(f"{lanes}, highest load {load:g}, at least {goal.floor:.4g}")
                    if load <= goal.floor * ENOUGH:
                        break
    return best


def _mover(goal: LoadGoal, effort: SearchEffort, *stream: int) -> Callable[[Carried, AnnealingStep, float], None]:
    """Moves of a step of an annealing of routes, with a scale of loads."""
    from unknot.lane_assignment.reroute_kernel import reroute

    rate = goal.rate
    state = random_state(effort.seed, *stream)

    def moved(now: Carried, step: AnnealingStep, scale: float) -> None:
        reroute(goal.path_set, now, rate, state, step, scale)
        effort.moves += step.moves

    return moved


def evened(goal: LoadGoal, now: Carried, effort: SearchEffort) -> Carried:
    """Anneal routes at their highest load, until few channels have it, and lanes share each evenly."""
    best, top, move = now, highest(now), _mover(goal, effort, 2)
    if effort.stopped or top <= 0:
        return now
    now = copied(now)._replace(evenness=EVEN)
    with effort.until_interrupted():
        for step in effort.cooled(min(EVEN_MOVES, ROUND * goal.demand.pairs), EVEN_HEAT, each=goal.each):
            move(now, step, top)
            if highest(now) <= top * ENOUGH and unevenness(now) < unevenness(best) - LEAST_GAIN:
                best = copied(now)
    return best


def unevenness(now: Carried) -> float:
    """The cost that is annealed at last: of channels near the highest load, and of unequal shares of lanes."""
    from unknot.lane_assignment.load_kernel import SQUARES

    top = max(highest(now), 1e-300)
    return float(((now.load / top) ** (1 << SQUARES)).sum() + EVEN * ((now.lane_load / top) ** 2).sum())


def routes_of(goal: LoadGoal, now: Carried) -> PairRoutes:
    """Free routes as tables of what follows each channel; what no route takes is left out, in `now` too."""
    now.follow[now.users == 0] = -1
    return PairRoutes(now.lane, now.start, now.follow, now.load, goal.demand.distances.column)
