"""The checker's clauses as a second opinion on what the search found: on a contradiction, and on a solution.

Nothing else in this room and those above imports the checker's encoders, but for writing clauses into files. So a
fault of one encoder is no fault of the other, and the two disagree.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from unknot._base.deadline import clock
from unknot.certificates import plain
from unknot.certificates.documents import network_of
from unknot.lane_assignment.forced import Turn
from unknot.lane_assignment.lane_refutation import Refutation, RouteRefutation
from unknot.lane_assignment.lane_search import Encoded, Solution
from unknot.lane_assignment.served_pairs import ServedPairs
from unknot.lane_assignment.walks import Pair
from unknot.search.solver import learnt_by, refuted_by, solved_within, steps_of

MOST_FULFILLED = 400_000
"""Most clauses that routes of a solution are compared with; what is found has a verdict of its own besides."""
MOST_ORDERED = 200_000
"""Most triples of channels, in all lanes, of which an order is stated; in larger networks cycles are forbidden."""
PROVING = 3
"""Time to write a proof down, over that of the solver."""


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


def believed(served: ServedPairs, lanes: int, answer: Solution, changes: str) -> bool:
    """Whether the routes of a solution fulfil the checker's clauses of their pairs, or these are too many."""
    try:
        return _fulfilled(served, lanes, answer, changes)
    except plain.Unchecked:
        return True
    except plain.Rejected:
        return False


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


@dataclass(eq=False)
class Theirs(Encoded):
    """Question as clauses of the checker; those of loads for all pairs together."""

    name, options = "proof", {"incr": False, "with_proof": True}

    def __post_init__(self) -> None:
        self.model = encoder_of(self.served, self.lanes, self.changes)
        self.channels, self.whole = self.model.network.channels, self.served.limits is not None
        self.ordered = self.model.lanes * self.channels**3 // 6 <= MOST_ORDERED
        self.numbered, self.began = 0, clock()

    def complete(self) -> bool:
        try:
            self.model.limit()
        except plain.Unchecked:
            return False
        if self.ordered:
            self.model.order(self.numbered)
            self.numbered = len(self.model.number)
        return True

    def turns(self, true: set[int]) -> list[list[Turn]]:
        """Turns of the routes of an answer, lane by lane; turns that no route takes may be among them."""
        turns: list[list[Turn]] = [[] for _ in range(self.model.lanes)]
        for meaning, variable in self.model.number.items():
            if meaning[0] == "turn" and variable in true:
                _, k, c, e = meaning
                turns[k].append((c, e))
        return turns

    def refutation(self, solver: Any, pairs: list[Pair], cycles: list[tuple[int, ...]]) -> Refutation | None:
        """The proof of a solver, repeated on the checker's numbering of the clauses or on the clauses
        used in a proof.

        Pairs that are left out let later ones number the lanes, which is as good: any pairs may.
        """
        end, began = self.effort.deadline, clock()
        seconds, cycles = began - self.began, [] if self.ordered else cycles
        kind = Refutation if self.served.given is None else RouteRefutation
        best: Refutation | None = None
        while best is None or clock() - began < end - clock():
            encoder = encoder_of(self.served, self.lanes, self.changes)
            ends = []
            for position, pair in enumerate(pairs):
                encoder.serve(pair, position + 1)
                ends.append(len(encoder.clauses))
            encoder.limit()
            ends.append(len(encoder.clauses))
            for cycle in cycles:
                encoder.forbid(cycle)
                ends.append(len(encoder.clauses))
            if self.ordered:
                encoder.order()
            variables = len(encoder.number)
            if best is None and encoder.clauses == self.model.clauses:
                late = clock() + PROVING * seconds > end
                steps = None if late else steps_of(encoder.clauses, learnt_by(solver), variables)
            else:
                steps = refuted_by(encoder.clauses, variables, self._in_time)
            if steps is None or (best is not None and len(steps) > len(best.steps)):
                return best
            best = kind(self.lanes, tuple(pairs), tuple(cycles), steps, self.changes, ordered=self.ordered)
            used = {bisect_left(ends, hint) for _, hints in steps for hint in hints if hint <= ends[-1]}
            fewer = [pair for i, pair in enumerate(pairs) if i in used]
            less = [cycle for i, cycle in enumerate(cycles, start=len(pairs) + 1) if i in used]
            if len(fewer) + len(less) > 0.9 * (len(pairs) + len(cycles)):
                return best
            pairs, cycles = fewer, less
        return best

    def _in_time(self, solver: Any) -> bool | None:
        """Whether clauses can be fulfilled; None too where there would be no time to write the proof down."""
        began = clock()
        possible = solved_within(solver, self.effort, 4 * self.conflicts)
        return possible if clock() + PROVING * (clock() - began) < self.effort.deadline else None
