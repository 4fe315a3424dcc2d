"""The exact search for orders of lanes: a solver of the clauses of `lane_model`, and cycles that are forbidden."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unknot._base.phrases import count
from unknot._base.work import spend
from unknot.lane_assignment.forced import Turn, climbing, short_cycles
from unknot.lane_assignment.lane_model import LaneModel, LoadModel
from unknot.lane_assignment.path_set import Floats
from unknot.lane_assignment.served_pairs import KEPT, ServedPairs, hops_of, shortest_walk
from unknot.lane_assignment.walks import Pair, State, Walks
from unknot.search.effort import SearchEffort
from unknot.search.solver import CLAUSE, solved_within

MORE_CLAUSES = 100_000
"""Clauses up to which pairs are added at a time; where there are more already, as many again."""
MOST_CLAUSES = 3_000_000
"""Most clauses that are built."""
MOST_CLOSED = 100_000
"""Most lanes × channels × turns of which a closure is stated; in larger networks cycles are forbidden."""
CYCLES = 20
"""Cycles that are taken from each answer of the solver and lane."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Orders by which a number of lanes serves all pairs.

    Attributes
    ----------
    keys : float64 array, shape (lanes, channels)
        Of one lane, of virtual channels, where packets change lanes.
    routes : dict of pair to (int, list of int)
        The lane and the channels of each pair that the clauses are about.
    """

    keys: Floats
    routes: dict[Pair, tuple[int, list[int]]]


@dataclass(frozen=True, eq=False)
class NoOrders:
    """No orders of so many lanes: pairs and cycles of channels whose clauses contradict each other."""

    pairs: list[Pair]
    cycles: list[tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Open:
    """The question was left open.

    Attributes
    ----------
    conflicts : int
        How many the solver met.
    disagree : bool
        Whether search and checker came to different answers.
    """

    conflicts: int
    disagree: bool = False


@dataclass(eq=False)
class Encoded:
    """Question whether a number of lanes serves pairs, as clauses of one encoder; `settle` answers.

    Attributes
    ----------
    name : str
        For reports of progress.
    options : dict
        Of the solver.
    complete : callable()
        Adds what holds for all pairs so far together; whether there are not too many clauses.
    turns : callable(set of int)
        Turns of each lane in an answer.
    refutation : callable(solver, pairs, cycles)
        Contradictory clauses of some pairs and cycles as an answer; None: open.
    model : LaneModel or plain.Encoder
        The encoder.
    whole : bool
        Whether all pairs are taken together.
    ordered : bool
        Whether clauses exclude all cycles; else cycles of answers are forbidden.
    channels : int
        Channels that are ordered, or virtual channels where packets change lanes.
    """

    served: ServedPairs
    lanes: int
    changes: str
    effort: SearchEffort
    conflicts: int
    name: ClassVar[str]
    options: ClassVar[dict[str, bool]]
    complete: ClassVar[Any]
    turns: ClassVar[Any]
    refutation: ClassVar[Any]
    model: Any = None
    whole: bool = False
    ordered: bool = False
    channels: int = 0

    def settle(self, first: Iterable[Pair], cycles: Iterable[tuple[int, ...]] = ()) -> Any:
        """Solve the clauses: what `solution` or `refutation` makes of them, or `Open`.

        The solver takes as many pairs at a time as `MORE_CLAUSES` clauses hold, or all: many pairs contradict each
        other soon, few of them only with many cycles. An answer with a cycle has it forbidden. One without gives
        orders of the channels; pairs that these do not serve are added.

        Parameters
        ----------
        first : pairs
            Pairs to begin with, by which the lanes are numbered.
        cycles : tuples of int
            Cycles that are forbidden from the beginning.
        """
        from pysat.solvers import Solver

        clauses, forbidden = self.model.clauses, dict.fromkeys(cycles)
        pairs, todo, sent = list[Pair](), [*first], 0
        with Solver(name="glucose4", **self.options) as solver:
            while True:
                enough = len(clauses) + max(MORE_CLAUSES, len(clauses))
                for pair in todo:
                    pairs.append(pair)
                    self.model.serve(pair, len(pairs))
                    if len(clauses) > enough and not self.whole:
                        break
                if not self.complete():
                    return Open(0)
                # A cycle has clauses only where its turns have variables, which further pairs bring.
                for cycle in forbidden:
                    self.model.forbid(cycle)
                todo = []
                while not todo:
                    spend(CLAUSE * (len(clauses) - sent))
                    known = f"{len(pairs)} pairs, {len(forbidden)} cycles"
                    self.effort.report(f"{count(self.lanes, 'lane')}, {self.name}: {known}")
                    possible = None
                    if len(clauses) <= MOST_CLAUSES:
                        solver.append_formula(clauses[sent:])
                        sent = len(clauses)
                        possible = solved_within(solver, self.effort, self.conflicts)
                    answer = None if possible is not False else self.refutation(solver, pairs, [*forbidden])
                    if answer is not None:
                        return answer
                    left_open = Open(solver.accum_stats()["conflicts"], disagree=bool(possible))
                    if not possible:
                        return left_open
                    true = {x for x in solver.get_model() if x > 0}
                    turns = self.turns(true)
                    fresh = {cycle for lane in turns for cycle in short_cycles(lane, CYCLES)} - {*forbidden}
                    if fresh and self.ordered:  # the clauses of the order should have excluded these
                        return left_open
                    for cycle in sorted(fresh):
                        forbidden[cycle] = None
                        self.model.forbid(cycle)
                    if not fresh:
                        keys = np.array([climbing(lane, self.channels) for lane in turns])
                        routes, unserved = self.routed(keys, pairs, true)
                        taken = {*pairs}
                        todo = [pair for pair in unserved if pair not in taken]
                        if not todo:
                            # Pairs of the clauses climb by a solution, unless the clauses are wrong.
                            return left_open if unserved else self.solution(keys, routes) or left_open

    def routed(self, keys: Floats, pairs: list[Pair], true: set[int]) -> tuple[dict[Pair, Any], list[Pair]]:
        """Routes by the orders of an answer, and pairs without a route."""
        return routed(self.served.model(self.lanes, self.changes), keys, self.served.pairs)

    def solution(self, keys: Floats, routes: dict[Pair, Any]) -> Solution | None:
        """Orders that serve all pairs as an answer; None: these should have been excluded."""
        return None


@dataclass(eq=False)
class Own(Encoded):
    """Question as clauses of the search; those of loads, and of turns with a closure, for all pairs together."""

    name, options = "exact", {"incr": True}

    def __post_init__(self) -> None:
        self.model = self.served.model(self.lanes, self.changes)
        copies = 1 if self.changes in KEPT else self.lanes
        self.channels = self.served.network.num_channels * copies
        self.ordered = self.model.lanes * self.channels * self.served.turns * copies**2 <= MOST_CLOSED
        self.whole = self.served.limits is not None or self.ordered

    def answer(self, first: Iterable[Pair]) -> Solution | NoOrders | Open:
        """Orders that serve all pairs, or why there are none; by the first pairs the lanes are numbered."""
        every = self.served.pairs[:1]
        if self.whole:
            every = sorted(self.served.pairs, key=lambda pair: -hops_of(self.served.walks, pair))
        answer: Solution | NoOrders | Open = self.settle(dict.fromkeys([*first, *every]))
        return answer

    def complete(self) -> bool:
        few = not isinstance(self.model, LoadModel) or self.model.limit(MOST_CLAUSES)
        if few and self.ordered:
            self.model.close()
        return few

    def turns(self, true: set[int]) -> list[list[Turn]]:
        return [[turn for turn, x in lane.items() if x in true] for lane in self.model.turns]

    def routed(self, keys: Floats, pairs: list[Pair], true: set[int]) -> tuple[dict[Pair, Any], list[Pair]]:
        if isinstance(self.model, LoadModel):
            return {pair: self.model.route(pair, true) for pair in pairs}, []
        return super().routed(keys, pairs, true)

    def solution(self, keys: Floats, routes: dict[Pair, Any]) -> Solution:
        return Solution(keys, routes)

    def refutation(self, solver: Any, pairs: list[Pair], cycles: list[tuple[int, ...]]) -> NoOrders:
        return NoOrders(pairs, cycles)


def routed(model: LaneModel, keys: Floats, every: list[Pair]) -> tuple[dict[Pair, Any], list[Pair]]:
    """The lane and a climbing path of each pair, and the pairs without any; the longest first.

    Where both directions of a pair share a lane, their pairs go together.
    """
    together: dict[Pair, list[Pair]] = {}
    for pair in every:
        together.setdefault(pair if model.together is None else model.together(pair), []).append(pair)
    lanes = [lane.tolist() for lane in keys]
    routes: dict[Pair, Any] = {}
    left: list[Pair] = []
    for group in together.values():
        for k, lane in enumerate(lanes):
            paths = [_climbing_path(model.walks, lane, pair) for pair in group]
            if all(paths):
                routes |= {pair: (k, path) for pair, path in zip(group, paths, strict=True)}
                break
        else:
            left += group
    # Long paths have most turns, and contradict soonest.
    return routes, sorted(left, key=lambda pair: (-hops_of(model.walks, pair), pair))


def _climbing_path(walks: Walks, key: list[float], pair: Pair) -> list[int]:
    """Channels of a climbing path of a pair; none without a climbing path."""

    def onward(state: State) -> list[State]:
        return [then for then in walks.after(state) if key[then[0]] > key[state[0]]]

    return [channel for channel, _ in shortest_walk(walks, pair, onward)]
