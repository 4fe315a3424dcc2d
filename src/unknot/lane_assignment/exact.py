"""Exact searches by a SAT solver: for the fewest lanes, and for the lowest load in some lanes; with refutations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from unknot.certificates.claims import load_claim
from unknot.lane_assignment.agreed import Answer, refute
from unknot.lane_assignment.lane_refutation import Refutation
from unknot.lane_assignment.lane_search import Open, Solution
from unknot.lane_assignment.path_set import Floats
from unknot.lane_assignment.question import Question
from unknot.lane_assignment.rerouted import LoadGoal, highest
from unknot.lane_assignment.served_pairs import (
    KEPT,
    Limits,
    ServedPairs,
    clique,
    cut_pairs,
    given_pairs,
    limited_pairs,
    shortest_pairs,
    surviving_pairs,
)
from unknot.lane_assignment.walks import Failures, Pair
from unknot.search.bound import Bound
from unknot.search.effort import ENOUGH, SearchEffort

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried

MOST_CHOICES = 150_000
"""Most lanes × channels × destinations for which clauses are built, unless pairs have few paths."""
FEW_PATHS = 1.2
"""Channels by which a router may go on to a destination, in the mean, up to which pairs have few paths."""
MOST_PAIRS = 30_000
"""Most such pairs for which clauses are built."""
MOST_LOADED_PAIRS = 2_600
"""Most pairs of routers and terminals for which the lowest load is sought: all of a network of 51 routers."""
CONFLICTS = 40_000
"""Most conflicts of the solver for each load: some seconds."""
SHARE = 0.5
"""Share of the time that is left for each load."""
SURVIVING = 0.9
"""Share of the time that is left for a number of lanes that failures are to leave; what follows takes little."""
PARTS = 10**6
"""Largest denominator of a load, which the loads of routes are rounded to: the checker counts exactly."""


@dataclass(eq=False)
class ExactSearch:
    """Exact searches for a question, with their lower bound and the numbers of lanes left open.

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

    def surviving(self, lanes: int, failures: Failures) -> Floats | None:
        """Keys of lanes that survive failures; None if open or impossible, and if impossible `low` rises."""
        if self.question.pairs * (1 + len(failures)) > MOST_PAIRS:
            return None
        served = surviving_pairs(self.question.network, self.question.sends, failures)
        with self.effort.part(deadline=self.effort.limit.part(SURVIVING).end) as part:
            first = cut_pairs(served)
            answer = refute(served, lanes, part, first=first, conflicts=self.conflicts)
        if isinstance(answer, Refutation):
            self.low, self.evidence = lanes + 1, replace(answer, failures=failures)
        return answer.keys if isinstance(answer, Solution) else None

    def figures(self, lanes: float = inf) -> dict[str, Any]:
        """Fields shared by all results (`Figures`): the question, the effort spent, and the bound shown.

        Of searches in a number of lanes only those in fewer than `lanes`.
        """
        question, effort = self.question, self.effort
        return {
            "lower_bound": self.low,
            "evidence": self.evidence,
            "paths": question.paths,
            "pairs": question.pairs,
            "tried": {count: left for count, left in effort.tried.items() if count < lanes},
            "conflicts": {count: spent for count, spent in self.open.items() if count < lanes},
            "disagreements": tuple(effort.disagreements),
            "moves": effort.moves,
            "complete": effort.complete,
            "sends": question.sends,
            "given": question.given,
        }

    @cached_property
    def served(self) -> ServedPairs:
        """The pairs to serve."""
        question = self.question
        if question.table is None:
            return shortest_pairs(question.network, question.sends)
        assert question.given is not None
        return given_pairs(question.given, question.table)

    def keys(self, count: int, share: float = 0.5) -> Floats | None:
        """Keys of `count` lanes that serve all pairs, unless tables are free; None if open or impossible.

        Parameters
        ----------
        share : float
            Of the time that is left.
        """
        question, effort = self.question, self.effort
        if effort.over:
            return None
        part = replace(effort, deadline=effort.limit.part(share).end)
        changes = "any" if question.changes == "ports" else question.changes
        answer = self._decided(count, part, changes) if self.fits(count) else Open(0)
        if isinstance(answer, Open):
            self.open[count] = answer.conflicts
        elif isinstance(answer, Refutation):
            self.low, self.evidence = answer.lanes + 1, answer
        elif question.paths != "table":
            return answer.keys
        return None

    def _decided(self, count: int, effort: SearchEffort, changes: str) -> Answer:
        """Orders of `count` lanes, a refutation of these lanes, or a refutation of more lanes by a clique."""
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
        """Whether pairs have few shortest paths, or given ones."""
        return self.question.demand is None or self.question.paths_per_step <= FEW_PATHS

    @cached_property
    def _clique(self) -> list[Pair]:
        """Pairs that exclude each other."""
        return clique(self.served)


def lowest(goal: LoadGoal, now: Carried, bound: Bound, effort: SearchEffort) -> tuple[Carried, Bound]:
    """Routes of the lowest load that the solver finds in the same number of lanes, and the best bound on it.

    Each answer has a lower load than the one before; when there is none, the
    refutation is the bound. When conflicts or time run out, the bound stays as it is.
    """
    network, lanes = goal.demand.network, len(now.rank)
    if goal.demand.pairs > MOST_LOADED_PAIRS or goal.path_set.home.size != network.num_terminals:
        return now, bound
    changes = "shared" if goal.path_set.many.size else "none"
    while highest(now) > float(bound.least) * ENOUGH and not effort.stopped:
        load = Fraction(highest(now)).limit_denominator(PARTS)
        flows, capacity = bound.claim["flows"], bound.claim["capacity"]
        claim = load_claim(load, flows, capacity, {}, lanes=lanes, changes=changes, table=goal.table)
        # Long paths contradict each other soonest, and by the first pairs the lanes are numbered.
        served = limited_pairs(network, Limits.below(load, network, goal.demand.flows, claim))
        part = replace(effort, deadline=effort.limit.part(SHARE).end)
        answer: Answer = Open(0)
        with effort.until_interrupted():
            answer = refute(served, lanes, part, changes=changes, conflicts=CONFLICTS)
        if isinstance(answer, Refutation):
            return now, Bound({**claim, "proof": answer.proof})
        better = goal.routed(answer) if isinstance(answer, Solution) else now
        if highest(better) >= highest(now):
            break
        now = better
    return now, bound
