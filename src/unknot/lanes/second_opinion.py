"""The checker's clauses as a second opinion on what the search found: on a contradiction, and on a solution.

Nothing else in this room and those above imports the checker's encoders, but for writing clauses into files. So a
fault of one encoder is no fault of the other, and the two disagree.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from unknot._base.deadline import clock
from unknot._base.work import spend
from unknot.certificates import plain
from unknot.certificates.documents import network_of
from unknot.lanes.forced import Turn, climbing, short_cycles
from unknot.lanes.lane_refutation import Refutation, RouteRefutation
from unknot.lanes.lane_search import CYCLES, MORE_CLAUSES, MOST_CLAUSES, Impossible, Open, Solution, routed
from unknot.lanes.served_pairs import ServedPairs
from unknot.lanes.walks import Pair
from unknot.search.effort import SearchEffort
from unknot.search.solver import CLAUSE, learnt_by, refuted_by, solved_within, steps_of

MOST_FULFILLED = 400_000
"""Most clauses that routes of a solution are compared with; what is found has a verdict of its own besides."""
MOST_ORDERED = 200_000
"""Most triples of channels, in all lanes, of which an order is stated; in larger networks cycles are forbidden."""
PROVING = 3
"""Time to write a proof down, over that of the solver."""


def second_opinion(
    served: ServedPairs,
    lanes: int,
    effort: SearchEffort,
    answer: Solution | Impossible,
    *,
    changes: str = "none",
    conflicts: int,
) -> Refutation | Solution | Open:
    """Ask the checker's clauses about an answer of the search: the one place where these are solved.

    Returns
    -------
    Refutation, Solution or Open
        The proof of what is impossible, or the solution if its routes fulfil the clauses. Open: they disagree, time
        or conflicts ran out, or the clauses are too many.
    """
    if isinstance(answer, Impossible):
        return _contradicted(served, lanes, effort, answer, changes, conflicts)
    try:
        agreed = _fulfilled(served, lanes, answer, changes)
    except plain.Unchecked:
        return answer
    except plain.Rejected:
        agreed = False
    return answer if agreed else Open(0, disagree=True)


def encoder_of(served: ServedPairs, lanes: int, changes: str) -> plain.Encoder:
    """The checker's encoder of the pairs' question in a number of lanes, without clauses so far."""
    if served.given is not None:
        return plain.RouteEncoder(served.given, lanes, changes)
    graph = plain.Network(network_of(served.network))
    if served.limits is not None:
        return plain.LoadEncoder(graph, {**served.limits.claim, "lanes": lanes, "changes": changes})
    if served.failures:
        return plain.SurvivingEncoder(graph, lanes, [list(failed) for failed in served.failures])
    return plain.Encoder(graph, lanes, changes)


def _fulfilled(served: ServedPairs, lanes: int, answer: Solution, changes: str) -> bool:
    """Whether the routes and orders of a solution, as literals, fulfil the clauses of their pairs."""
    from pysat.solvers import Solver

    encoder = encoder_of(served, lanes, changes)
    chosen = list[int]()
    for pair, (lane, path) in answer.routes.items():
        encoder.serve(pair, lanes)
        plain.at_most(len(encoder.clauses), MOST_FULFILLED, "clauses")
        paths = encoder.paths(pair)
        if paths is not None:
            if path not in paths:
                return False
            chosen.append(encoder.variable("path", pair, paths.index(path)))
        else:
            chosen += [encoder.variable("uses", pair, c) for c in path]
            chosen += [encoder.variable("then", pair, c, e) for c, e in pairwise(path)]
        chosen.append(encoder.lane(pair, lane))
    encoder.limit()
    if encoder.lanes * encoder.network.channels**3 // 6 <= MOST_ORDERED:
        encoder.order()
    climbs = all(key[c] < key[e] for lane, path in answer.routes.values() for key in [answer.keys[lane]]
                 for c, e in pairwise(path))  # fmt: skip
    with Solver(name="glucose4", bootstrap_with=encoder.clauses) as solver:
        return climbs and bool(solver.solve(assumptions=chosen))


def _contradicted(
    served: ServedPairs, lanes: int, effort: SearchEffort, answer: Impossible, changes: str, conflicts: int
) -> Refutation | Open:
    """The proof that the checker's clauses contradict each other too.

    The solver begins with the cycles of the search. It takes as many pairs at a time as `MORE_CLAUSES` clauses hold,
    or all where loads are limited: many pairs contradict each other soon, few of them only with many cycles. A
    solution with a cycle has it forbidden. One without serves pairs that the search excludes, or all are added.
    """
    from pysat.solvers import Solver

    encoder = encoder_of(served, lanes, changes)
    ordered = encoder.lanes * encoder.network.channels**3 // 6 <= MOST_ORDERED
    numbered, began = 0, clock()
    pairs: list[Pair] = []
    forbidden = dict.fromkeys(answer.cycles)
    left = [*answer.pairs]
    with Solver(name="glucose4", incr=False, with_proof=True) as solver:
        sent = 0
        while True:
            enough = len(encoder.clauses) + max(MORE_CLAUSES, len(encoder.clauses))
            for pair in left:
                pairs.append(pair)
                encoder.serve(pair, len(pairs))
                if len(encoder.clauses) > enough and served.limits is None:
                    break
            try:
                encoder.limit()
            except plain.Unchecked:
                return Open(0)
            if ordered:
                encoder.order(numbered)
                numbered = len(encoder.number)
            # A cycle has clauses only where its turns have variables, which further pairs bring.
            for cycle in forbidden:
                encoder.forbid(cycle)
            left = []
            while not left:
                if len(encoder.clauses) > MOST_CLAUSES:
                    return Open(solver.accum_stats()["conflicts"])
                spend(CLAUSE * (len(encoder.clauses) - sent))
                for clause in encoder.clauses[sent:]:
                    solver.add_clause(clause)
                sent = len(encoder.clauses)
                effort.report(f"{lanes} lane{'s' * (lanes > 1)}, proof: {len(pairs)} pairs, {len(forbidden)} cycles")
                possible = solved_within(solver, effort, conflicts)
                if possible is None:
                    return Open(solver.accum_stats()["conflicts"])
                if not possible:
                    of_cycles = None if ordered else [*forbidden]
                    solved = _Solved(solver, encoder.clauses, clock() - began)
                    proof = _proved(served, lanes, changes, pairs, of_cycles, effort, conflicts, solved)
                    return proof or Open(solver.accum_stats()["conflicts"])
                turns = _turns(encoder, {x for x in solver.get_model() if x > 0})
                fresh = {cycle for lane in turns for cycle in short_cycles(lane, CYCLES)} - {*forbidden}
                if fresh and ordered:  # the clauses of the order should have excluded these
                    return Open(solver.accum_stats()["conflicts"], disagree=True)
                for cycle in sorted(fresh):
                    forbidden[cycle] = None
                    encoder.forbid(cycle)
                if not fresh:
                    keys = np.array([climbing(lane, encoder.network.channels) for lane in turns])
                    _, unserved = routed(served.model(lanes, changes), keys, served.pairs)
                    known = {*pairs}
                    left = [pair for pair in unserved if pair not in known]
                    if not left:
                        return Open(solver.accum_stats()["conflicts"], disagree=True)


@dataclass(frozen=True, eq=False)
class _Solved:
    """A solver that found clauses contradictory, and the seconds it took."""

    solver: Any
    clauses: list[tuple[int, ...]]
    seconds: float


def _proved(
    served: ServedPairs,
    lanes: int,
    changes: str,
    pairs: list[Pair],
    cycles: list[tuple[int, ...]] | None,
    effort: SearchEffort,
    conflicts: int,
    solved: _Solved,
) -> Refutation | None:
    """The proof of a solver; again of clauses as the checker will number them, or of those alone that a proof names.

    Where channels are ordered, `cycles` is None.

    Pairs that are left out let later ones number the lanes, which is as good: any pairs may.
    """
    kind = Refutation if served.given is None else RouteRefutation
    best: Refutation | None = None
    began = clock()
    while best is None or clock() - began < effort.deadline - clock():
        encoder = encoder_of(served, lanes, changes)
        ends = []
        for position, pair in enumerate(pairs):
            encoder.serve(pair, position + 1)
            ends.append(len(encoder.clauses))
        encoder.limit()
        ends.append(len(encoder.clauses))
        for cycle in cycles or ():
            encoder.forbid(cycle)
            ends.append(len(encoder.clauses))
        if cycles is None:
            encoder.order()
        variables = len(encoder.number)
        if best is None and encoder.clauses == solved.clauses:
            late = clock() + PROVING * solved.seconds > effort.deadline
            steps = None if late else steps_of(encoder.clauses, learnt_by(solved.solver), variables)
        else:
            steps = refuted_by(encoder.clauses, variables, lambda solver: _in_time(solver, effort, conflicts))
        if steps is None or (best is not None and len(steps) > len(best.steps)):
            return best
        best = kind(lanes, tuple(pairs), tuple(cycles or ()), steps, changes, ordered=cycles is None)
        used = {bisect_left(ends, hint) for _, hints in steps for hint in hints if hint <= ends[-1]}
        fewer = [pair for i, pair in enumerate(pairs) if i in used]
        less = [cycle for i, cycle in enumerate(cycles or (), start=len(pairs) + 1) if i in used]
        if len(fewer) + len(less) > 0.9 * (len(pairs) + len(cycles or ())):
            return best
        pairs, cycles = fewer, None if cycles is None else less
    return best


def _in_time(solver: Any, effort: SearchEffort, conflicts: int) -> bool | None:
    """Whether clauses can be fulfilled; None too where there would be no time to write the proof down."""
    began = clock()
    possible = solved_within(solver, effort, 4 * conflicts)
    return possible if clock() + PROVING * (clock() - began) < effort.deadline else None


def _turns(encoder: plain.Encoder, true: set[int]) -> list[list[Turn]]:
    """The turns of the routes of an answer, lane by lane; turns that no route takes may be true too."""
    turns: list[list[Turn]] = [[] for _ in range(encoder.lanes)]
    for meaning, variable in encoder.number.items():
        if meaning[0] == "turn" and variable in true:
            _, k, c, e = meaning
            turns[k].append((c, e))
    return turns
