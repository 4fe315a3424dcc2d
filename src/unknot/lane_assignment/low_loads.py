"""Routes of low highest load in as few lanes as were found, and in more; and the bound on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.errors import RelationError
from unknot.lane_assignment.exact import ExactSearch, lowest
from unknot.lane_assignment.figures import RoutesInLanes
from unknot.lane_assignment.load_bounds import is_programmed, load_bound
from unknot.lane_assignment.orders import search
from unknot.lane_assignment.path_set import Demand, by_terminal, of_pairs, packed, path_set
from unknot.lane_assignment.permutations import lower_worst
from unknot.lane_assignment.rerouted import ROUND, LoadGoal, balanced, evened, highest, routes_of, unevenness
from unknot.lane_assignment.rooted import LaneOrders
from unknot.lane_assignment.starts import catalogue
from unknot.lane_assignment.surviving import climbing_turns, surviving
from unknot.lane_assignment.tables import bits_of, free_table, table_from
from unknot.lane_assignment.wanted import Aim, LaneEffort
from unknot.search.bound import Bound
from unknot.search.effort import SEEDS
from unknot.verify.failures import Parts

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried

MOST_COLUMNS = 50_000_000
"""Most lanes × channels × terminals for which each terminal has routes of its own."""
MOST_PAIRS = 4_000_000
"""Most pairs for which a bound is worked out; about 100 bytes each."""
ROUNDS = 4
"""Rounds of annealing before the solver looks for a lower load; each start has one, and the best all others."""
MOST_MOVES, LEAST_MOVES = 1 << 25, 1400
"""Most moves of the rounds together, if not prescribed, but at least as many for each pair: three rounds."""
SINGLE = 0.5
"""Share of the time that is left for routes to one LID of each terminal, where each has several."""
NAMED_SHARE = 0.4
"""Share of the time that is left for the routes of named routings."""


@dataclass(eq=False)
class LowLoads:
    """Search for routes of low load.

    Attributes
    ----------
    exact : ExactSearch
        What is known of fewer lanes; the paths of its question are not given.
    orders : LaneOrders
        In as few lanes as were found.
    asked : LaneEffort
    aim : Aim
    lids : int
        Rows of each terminal in tables.
    single : float or None
        Highest load with one row for each terminal, if there are more.
    """

    exact: ExactSearch
    orders: LaneOrders
    asked: LaneEffort
    aim: Aim
    lids: int = 1
    single: float | None = None

    def __post_init__(self) -> None:
        self.question, self.effort = self.exact.question, self.exact.effort
        network, lanes = self.question.network, max(1, len(self.orders))
        columns = lanes * network.num_channels * network.num_terminals * self.lids
        if self.lids > 1 and columns > MOST_COLUMNS:
            raise RelationError(
                f"lanes on {network.name}: tables of {lanes} lanes × {network.num_channels} channels × "
                f"{network.num_terminals * self.lids} LIDs are too large; a smaller LMC needs fewer"
            )
        self.goal = self._goal(by_terminal(self._pairs) if columns <= MOST_COLUMNS else self._pairs)

    @property
    def _first(self) -> range:
        """The rounds before the solver looks for a lower load."""
        return range(min(ROUNDS, self._rounds))

    @property
    def _rounds(self) -> int:
        """Most rounds of annealing, each of twice as many moves as the one before."""
        most = self.asked.moves
        if most is None:
            most = max(LEAST_MOVES, MOST_MOVES // max(1, self.goal.demand.pairs))
        return (most // ROUND + 1).bit_length() - 1

    @property
    def _pairs(self) -> Demand:
        assert self.question.demand is not None
        return self.question.demand

    def _goal(self, demand: Demand) -> LoadGoal:
        """The goal for some columns, and the bound on its loads that is soon shown."""
        paths = self.question.path_set
        if demand is not self._pairs:
            paths = of_pairs(path_set(demand), packed(demand.wanted), both_ways=paths.many.size > 0)
        self.bound = load_bound(self._pairs, pieces=demand.lids) if self._pairs.pairs <= MOST_PAIRS else None
        return LoadGoal(demand, paths, self.question.paths == "table", self._floor)

    @property
    def _floor(self) -> float:
        return 0.0 if self.bound is None else float(self.bound.least)

    def front(self, most: int) -> Iterator[RoutesInLanes]:
        """Routes in the fewest lanes, then in each greater number up to `most`."""
        if self.lids > 1:
            best = self._spread()
        else:
            best = self._best() if self.aim.survive is None else self._surviving(self._best(), self.aim.survive)
        yield self._made(best)
        for lanes in range(len(best.rank) + 1, most + 1):
            more = np.repeat(best.rank[-1:, ::-1], lanes - len(best.rank), axis=0)
            wide = self.goal.widened(best, np.concatenate([best.rank, more]))
            best = balanced(self.goal, wide, self.effort, self._first, stream=lanes)
            yield self._made(best)

    def _spread(self) -> Carried:
        """Routes to all LIDs of the terminals, at first all like the best to one."""
        effort = self.effort
        end, effort.deadline = effort.deadline, effort.limit.part(SINGLE).end
        best = self._best()
        if not effort.interrupted:
            effort.deadline = end
        self.single = highest(best)
        self.goal = self._goal(by_terminal(self._pairs, self.lids))
        step = np.repeat(best.follow[0].T.astype(np.int64), self.lids, axis=0)
        now = self.goal.by_table(best.rank.astype(np.float64), step)
        self._bounded()
        return balanced(self.goal, now, effort, self._first, stream=self.asked.tries + 1)

    def _bounded(self) -> None:
        """Look for a better bound by linear programming."""
        if self.bound is not None and not self.effort.interrupted and is_programmed(self._pairs):
            time, pieces = self.effort.bounding, self.goal.demand.lids
            self.bound = self.effort.insist(lambda: load_bound(self._pairs, time_limit=time, pieces=pieces))
            self.goal = replace(self.goal, floor=self._floor)

    def _surviving(self, best: Carried, kind: Parts) -> Carried:
        """Routes in orders that survive failures; at the start, climbing routes are kept."""
        goal, effort = self.goal, self.effort
        key, after = surviving(self.exact, best, kind, effort, self.aim.limit)
        turns = ("after_first", "after", "before_first", "before")
        wider = goal.path_set._replace(**{name: getattr(after, name) for name in turns})
        goal = self.goal = replace(goal, path_set=wider, kept=climbing_turns(wider, key))
        now = goal.drawn(key, effort, before=best)
        return balanced(goal, now, effort, self._first, stream=self.asked.tries + 1)

    def _best(self) -> Carried:
        """The best routes in the fewest lanes: of the orders, of the catalogue, and annealed."""
        one, later = self._first[:1], (1 << len(self._first)) + self.asked.tries
        own = self.effort.insist(partial(self._own, self.orders))
        best = balanced(self.goal, own, self.effort, one, later=later)
        if self._reached(best):
            return self._simplest(best)
        self._bounded()
        if self._reached(best):
            return self._simplest(best)
        others = self._named(len(best.rank))
        annealed: list[Carried] = []
        for number, other in enumerate(others[: self.asked.tries - 1], start=1):
            annealed.append(balanced(self.goal, other, self.effort, one, stream=number, later=later - number))
        best = min([best, *annealed, *others], key=lambda now: (len(now.rank), highest(now)))
        return balanced(self.goal, best, self.effort, self._first[1:], stream=self.asked.tries)

    def _redrawn(self, best: Carried, bound: Bound) -> Carried:
        """The best of these routes in longer rounds, and of those in orders drawn anew, with a round less each."""
        question, lanes, last = self.question, len(best.rank), self._rounds
        goal = replace(self.goal, floor=float(bound.least))
        starts = self.asked.tries if self.lids == 1 and is_programmed(self._pairs) else 1
        rounds = range(len(self._first), last)
        best = balanced(goal, best, self.effort, rounds, stream=lanes, later=starts - 1 << last - 1)
        for number in range(1, starts):
            if self.effort.stopped or highest(best) <= goal.floor:
                break
            with self.effort.part(seed=self.effort.seed + SEEDS * number, tried={}) as part:
                orders = None
                with part.until_interrupted():
                    orders = search(question.path_set, lanes, part, first=0, rounds=1, hops=question.hops)
                if orders is not None:
                    start = part.insist(partial(self._own, orders))
                    now = balanced(goal, start, part, range(last - 1), later=starts - 1 - number << last - 1)
                    best = min(best, now, key=highest)
        return best

    def _simplest(self, best: Carried) -> Carried:
        """The most even routes, of the proven best and of quickly made named routings.

        If they are equal, the named ones: all that comes to a channel goes on by few others, so fewer inputs contend.
        """
        others = [] if self.effort.interrupted else self._named(len(best.rank), first=True)
        return min([*others, best], key=lambda now: (len(now.rank), highest(now), unevenness(now)))

    def _reached(self, now: Carried) -> bool:
        return self.effort.interrupted or highest(now) <= self.goal.floor

    def _own(self, orders: LaneOrders) -> Carried:
        """Routes in orders that serve all pairs."""
        goal, question = self.goal, self.question
        self.effort.report("choosing routes of low load")
        if not question.pairs:
            return goal.drawn(np.zeros((1, question.network.num_channels)), self.effort)
        if question.paths == "free":
            return goal.drawn(orders.key, self.effort)
        step = table_from(question.path_set, orders.taken)
        row = np.searchsorted(question.path_set.home, goal.path_set.home)
        return goal.by_table(orders.key, step[row])

    def _named(self, lanes: int, *, first: bool = False) -> list[Carried]:
        """Routes of the catalogue in at most this number of lanes, the fewest first, then by load."""
        made: list[Carried] = []
        if self.goal.kept is not None:  # these come with orders of their own
            return made
        end = self.effort.limit.part(NAMED_SHARE).end
        with self.effort.part(deadline=end, tried={}) as effort, effort.until_interrupted():
            for table, key in catalogue(self.goal, lanes, self.exact.low, effort, first=first):
                made.append(self.goal.by_table(key, table.next_channel))
        return sorted(made, key=lambda now: (len(now.rank), highest(now)))

    def _made(self, now: Carried) -> RoutesInLanes:
        """Routes as they are handed on: if moves are needed at all, with the lowest load, which is evened out."""
        goal, bound = self.goal, self.bound
        if self._rounds and bound is not None and self.goal.kept is None:
            now, bound = lowest(goal, now, bound, self.effort)
            if not self.aim.worst and highest(now) > bound.least:
                now, bound = lowest(goal, self._redrawn(now, bound), bound, self.effort)
        worst = None
        if self.aim.worst:
            now, worst = lower_worst(goal, [now, *self._named(len(now.rank))], self.effort)
        elif self._rounds:
            now = evened(goal, now, self.effort)
        key = now.rank.astype(np.float64)
        if goal.table:
            bits = bits_of(goal.path_set, now.follow[0].T.astype(np.int64))
            table = free_table(goal.demand, goal.path_set, bits)
            return RoutesInLanes(table, now.lane, now.lane_load, key, bound, worst)
        return RoutesInLanes(routes_of(goal, now), now.lane, now.lane_load, key, bound, worst)
