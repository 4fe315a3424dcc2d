"""Answers about numbers of lanes that search and checker agree on, each by an encoding of its own."""

from __future__ import annotations

from collections.abc import Iterable

from unknot._base.phrases import count
from unknot.lane_assignment.lane_refutation import Refutation
from unknot.lane_assignment.lane_search import NoOrders, Open, Own, Solution
from unknot.lane_assignment.second_opinion import Theirs, believed
from unknot.lane_assignment.served_pairs import ServedPairs
from unknot.lane_assignment.walks import Pair
from unknot.search.effort import SearchEffort

Answer = Refutation | Solution | Open


def refute(
    served: ServedPairs,
    lanes: int,
    effort: SearchEffort,
    *,
    changes: str = "none",
    first: Iterable[Pair] = (),
    conflicts: int,
) -> Answer:
    """Prove a number of lanes too small, or find orders for that number, by two encodings that agree.

    The search has clauses of its own. When these contradict each other, the checker's are solved as well, and their
    contradiction is the proof. When these have a solution, its routes must fulfil the checker's clauses too.

    Parameters
    ----------
    first : pairs
        Pairs to begin with, by which the lanes are numbered.

    Returns
    -------
    Refutation, Solution or Open
        Open, if time or conflicts run out, the clauses are too many, or search and checker disagree.
    """
    asked = served, lanes, changes, effort, conflicts
    found = Own(*asked).answer(first)
    answer: Answer
    if isinstance(found, NoOrders):
        answer = Theirs(*asked).settle(found.pairs, found.cycles)
    else:
        doubted = isinstance(found, Solution) and not believed(served, lanes, found, changes)
        answer = Open(0, disagree=True) if doubted else found
    if isinstance(answer, Open) and answer.disagree:
        loads = " with a lower load" * (served.limits is not None)
        question = f"{count(lanes, 'lane')}{loads}"
        effort.disagreements += [question] * (question not in effort.disagreements)
    return answer
