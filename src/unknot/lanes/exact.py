"""Exact search by a SAT solver: orders by which a number of lanes serves all pairs, or a refutation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unknot._base.deadline import clock
from unknot.lanes.clauses import KEPT, Clauses, Pair, hops, leaving
from unknot.lanes.effort import SearchEffort
from unknot.lanes.lane_refutation import Open, Refutation, Solution, refute
from unknot.lanes.path_set import Demand, Floats
from unknot.lanes.question import Question
from unknot.lanes.served_pairs import ServedPairs, clique, given_pairs, shortest_pairs
from unknot.lanes.solver import DisagreementError, solved_within
from unknot.lanes.turns import climbing, short_cycles
from unknot.network import Network

MOST_CHOICES = 150_000
"""Most lanes × channels × destinations for which the clauses are built."""
FEW_PATHS = 1.2
"""Channels by which a router may go on to a destination, in the mean, up to which paths are searched as such."""
MOST_PAIRS = 30_000
"""Most pairs that are searched so."""
CYCLES = 40
"""Cycles that are taken from each answer of the solver and lane."""


@dataclass(eq=False)
class ExactSearch:
    """Exact searches in one question, the lower bound that they show, and what they left open.

    Attributes
    ----------
    low : int
        Fewer lanes are impossible.
    evidence : ForcedCycle, Refutation, RouteCycle or None
        Why.
    open : dict of int to int
        For each number of lanes that was left open the conflicts of the solver; 0: it was too large for one.
    """

    question: Question
    effort: SearchEffort
    conflicts: int

    def __post_init__(self) -> None:
        self.evidence = self.question.reason
        self.low = 1 if self.evidence is None else 2
        self.open: dict[int, int] = {}

    @cached_property
    def served(self) -> ServedPairs:
        """The pairs to serve."""
        question = self.question
        if question.table is None:
            return shortest_pairs(question.network, question.sends)
        assert question.given is not None
        return given_pairs(question.given, question.table)

    def keys(self, count: int, share: float = 0.5) -> Floats | None:
        """Keys by which that many lanes serve all pairs, if tables are not free; None if it is open, or they do not.

        Parameters
        ----------
        share : float
            Of the time that is left.
        """
        question, effort = self.question, self.effort
        if effort.over:
            return None
        now = clock()
        part = replace(effort, deadline=now + share * (effort.deadline - now))
        changes = "any" if question.changes == "ports" else question.changes
        answer: Solution | Floats | Refutation | Open
        if question.demand is not None and not self.few_paths:
            answer = decide(question.demand, count, part, conflicts=self.conflicts, changes=changes)
        elif not self.fits(count):
            answer = Open(0)
        else:
            answer = self._refuted(count, part, changes)
        if isinstance(answer, Open):
            self.open[count] = answer.conflicts
        elif isinstance(answer, Refutation):
            self.low, self.evidence = answer.lanes + 1, answer
        elif question.paths != "table":
            return answer.keys if isinstance(answer, Solution) else answer
        return None

    def _refuted(self, count: int, effort: SearchEffort, changes: str) -> Solution | Refutation | Open:
        """A refutation over the checker's clauses of that many lanes, or of more that a clique rules out."""
        first = list[Pair]()
        if changes in KEPT:
            first = self._clique
            if len(first) > count:
                answer = refute(
                    self.served, len(first) - 1, effort, changes=changes, first=first, conflicts=self.conflicts
                )
                if isinstance(answer, Refutation):
                    return answer
        return refute(self.served, count, effort, changes=changes, first=first, conflicts=self.conflicts)

    def fits(self, count: int) -> bool:
        """Whether the question for a number of lanes is not too large for a solver."""
        if self.few_paths:
            return self.question.pairs <= MOST_PAIRS
        return count * self.question.path_set.source.size * self.question.path_set.home.size <= MOST_CHOICES

    @cached_property
    def few_paths(self) -> bool:
        """Whether pairs have few shortest paths, or given ones: then these are searched as such."""
        return self.question.demand is None or self.question.paths_per_step <= FEW_PATHS

    @cached_property
    def _clique(self) -> list[Pair]:
        """Pairs that exclude each other."""
        return clique(self.served)


def decide(
    traffic: Demand, lanes: int, effort: SearchEffort, *, conflicts: int, changes: str = "none"
) -> Floats | Refutation | Open:
    """Return keys by which the lanes serve all pairs, or a refutation that `evidence.accept` accepts, or neither.

    The solver begins without a word about cycles; those that its answers have are forbidden until there are none, or
    no answer. The refutation is then made over the clauses of the checker, which are others.

    Parameters
    ----------
    conflicts : int
        Most conflicts of the solver.
    changes : {"none", "shared", "rising", "any"}
        Whether packets change lanes, see `Clauses`; if they do, the keys are of one lane, of virtual channels.
    """
    from pysat.solvers import Solver

    network = traffic.network
    if lanes * network.num_channels * traffic.distances.homes.size > MOST_CHOICES:
        return Open(0)
    first_pairs = _conflicting(traffic, lanes) if changes in KEPT else ()
    clauses = Clauses(network, lanes, sends=traffic.sends, first_pairs=first_pairs, changes=changes)
    turns: list[dict[tuple[int, int], int]] = [{} for _ in range(clauses.lanes)]
    for what, number in clauses.number.items():
        if what[0] == "turn":
            _, k, c, e = what
            turns[k][c, e] = number  # type: ignore[call-overload]
    cycles: list[tuple[int, ...]] = []
    known: set[tuple[int, ...]] = set()
    with Solver(name="glucose4", bootstrap_with=clauses.given, incr=False) as solver:
        while True:
            possible = solved_within(solver, effort, conflicts)
            if possible is None:
                return Open(solver.accum_stats()["conflicts"])
            if not possible:
                break
            true = {x for x in solver.get_model() if x > 0}
            chosen = [[turn for turn, number in lane.items() if number in true] for lane in turns]
            fresh = {cycle for lane in chosen for cycle in short_cycles(lane, CYCLES)} - known
            effort.report(f"{lanes} lane{'s' * (lanes > 1)}, exact: {len(cycles)} cycles forbidden")
            if not fresh:
                return np.array([climbing(lane, clauses.network.num_channels) for lane in chosen])
            known |= fresh
            for cycle in sorted(fresh):
                cycles.append(cycle)
                for clause in clauses.against(cycle):
                    solver.add_clause(clause)
        spent = int(solver.accum_stats()["conflicts"])
    served = shortest_pairs(network, traffic.sends)
    refutation = refute(
        served, lanes, effort, changes=changes, first=first_pairs, cycles=cycles, conflicts=4 * conflicts
    )  # fmt: skip
    if isinstance(refutation, Solution):
        raise DisagreementError(f"{lanes} lanes on {network.name}")
    return Open(spent) if isinstance(refutation, Open) else refutation


def _conflicting(traffic: Demand, lanes: int) -> tuple[Pair, ...]:
    """Pairs of routers of long single shortest paths, by which lanes are numbered: one fewer than there are lanes."""
    if lanes < 2:
        return ()
    network, homes = traffic.network, traffic.distances.homes
    distance = np.where(traffic.wanted, traffic.distances.table.T, -1)
    conflicts: list[tuple[int, Pair]] = []
    for s, h in np.argwhere(distance >= 2)[:: max(1, traffic.pairs // 500)].tolist():
        levels = _shortest_levels(network, s, int(homes[h]))
        single = sum(len(level) == 1 for level in levels)
        conflicts.append((-single, (s, int(homes[h]))))
    return tuple(pair for _, pair in sorted(conflicts)[: lanes - 1])


def _shortest_levels(network: Network, source: int, destination: int) -> list[list[int]]:
    """The channels that are first, second, … on some shortest path between two routers."""
    there = hops(network, destination, forward=False)
    if source not in there:
        return []
    levels, ring = [], {source}
    while destination not in ring:
        level = [
            c
            for u in sorted(ring)
            for c in leaving(network, u)
            if there.get(int(network.target[c]), -1) == there[u] - 1
        ]
        levels.append(level)
        ring = {int(network.target[c]) for c in level}
    return levels
