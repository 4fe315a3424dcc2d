"""The exact search for orders of lanes: a solver of the clauses of `lane_model`, and cycles that are forbidden."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot._base.work import spend
from unknot.lanes.forced import climbing, short_cycles
from unknot.lanes.lane_model import LaneModel, LoadModel
from unknot.lanes.path_set import Floats
from unknot.lanes.served_pairs import KEPT, ServedPairs, hops_of
from unknot.lanes.walks import Pair, State, Walks
from unknot.network.graph import path_to, reached_from
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
class Impossible:
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


def sought(
    served: ServedPairs, lanes: int, effort: SearchEffort, *, changes: str, first: Iterable[Pair], conflicts: int
) -> Solution | Impossible | Open:
    """Look for orders by which a number of lanes serves all pairs.

    The solver begins without cycles. It takes as many pairs at a time as `MORE_CLAUSES` clauses hold, or all where
    loads are limited or turns have a closure. An answer with a cycle has it forbidden. One without gives orders of
    the channels; pairs that these do not serve are added.

    Parameters
    ----------
    first : pairs
        Pairs to begin with, by which the lanes are numbered.
    """
    from pysat.solvers import Solver

    model = served.model(lanes, changes)
    copies = 1 if changes in KEPT else lanes
    channels = served.network.num_channels * copies
    closed = model.lanes * channels * served.turns * copies**2 <= MOST_CLOSED
    whole = served.limits is not None or closed
    pairs: list[Pair] = []
    forbidden = dict[tuple[int, ...], None]()
    longest = sorted(served.pairs, key=lambda pair: -hops_of(served.walks, pair)) if whole else served.pairs[:1]
    todo = [*dict.fromkeys([*first, *longest])]
    with Solver(name="glucose4", incr=True) as solver:
        sent = 0
        while True:
            enough = len(model.clauses) + max(MORE_CLAUSES, len(model.clauses))
            for pair in todo:
                pairs.append(pair)
                model.serve(pair, len(pairs))
                if len(model.clauses) > enough and not whole:
                    break
            if isinstance(model, LoadModel) and not model.limit(MOST_CLAUSES):
                return Open(0)
            if closed:
                model.close()
            for cycle in forbidden:
                model.forbid(cycle)
            todo = []
            while not todo:
                if len(model.clauses) > MOST_CLAUSES:
                    return Open(solver.accum_stats()["conflicts"])
                spend(CLAUSE * (len(model.clauses) - sent))
                for clause in model.clauses[sent:]:
                    solver.add_clause(clause)
                sent = len(model.clauses)
                effort.report(f"{lanes} lane{'s' * (lanes > 1)}, exact: {len(pairs)} pairs, {len(forbidden)} cycles")
                possible = solved_within(solver, effort, conflicts)
                if possible is None:
                    return Open(solver.accum_stats()["conflicts"])
                if not possible:
                    return Impossible(pairs, [*forbidden])
                true = {x for x in solver.get_model() if x > 0}
                turns = [[turn for turn, x in lane.items() if x in true] for lane in model.turns]
                fresh = {cycle for lane in turns for cycle in short_cycles(lane, CYCLES)} - {*forbidden}
                for cycle in sorted(fresh):
                    forbidden[cycle] = None
                    model.forbid(cycle)
                if not fresh:
                    keys = np.array([climbing(lane, channels) for lane in turns])
                    if isinstance(model, LoadModel):
                        return Solution(keys, {pair: model.route(pair, true) for pair in pairs})
                    routes, unserved = routed(model, keys, served.pairs)
                    known = {*pairs}
                    todo = [pair for pair in unserved if pair not in known]
                    if not todo:
                        return Solution(keys, routes)


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

    before = reached_from(walks.begin(pair), onward)
    end = next((state for state in before if not walks.after(state)), None)
    return [] if end is None else [channel for channel, _ in path_to(end, before)]
