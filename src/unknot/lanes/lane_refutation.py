"""Refutations of numbers of lanes, over the clauses of the checker: pairs and cycles are added until they contradict.

The clauses are those of `unknot.certificates.plain`, which brute force compares with routings of small networks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot._base.deadline import clock
from unknot._base.shown import Brief
from unknot.certificates import plain
from unknot.lanes.effort import SearchEffort
from unknot.lanes.forced import Turn, climbing, short_cycles
from unknot.lanes.path_set import Floats
from unknot.lanes.served_pairs import Failures, Pair, ServedPairs
from unknot.lanes.solver import Steps, learnt_by, refuted_by, solved_within, steps_of

MORE_CLAUSES = 100_000
"""Clauses up to which pairs are added at a time; where there are more already, as many again."""
MOST_CLAUSES = 3_000_000
"""Most clauses that are built."""
MOST_ORDERED = 200_000
"""Most triples of channels, in all lanes, of which an order is stated; in larger networks cycles are forbidden."""
PROVING = 3
"""Time to write a proof down, over that of the solver."""
CYCLES = 20
"""Cycles that are taken from each answer of the solver and lane."""


@dataclass(frozen=True, eq=False, repr=False)
class Refutation(Brief):
    """A proof that a number of lanes is not enough for shortest paths.

    Attributes
    ----------
    lanes : int
        The number of lanes that is impossible.
    pairs : tuple of pairs of routers
        Pairs that these lanes cannot serve. Lanes that packets keep are numbered in the order in which these use
        them.
    cycles : tuple of tuples of int
        Cycles of channels, the turns of which no lane permits all. Where lanes change they are of virtual channels:
        that of channel c in lane l is c · lanes + l.
    steps : tuple of pairs of tuples of int
        Clauses that follow one from another, each with the clauses by which it follows; the last is empty. Variables
        and clauses are numbered as `unknot.certificates.plain.Encoder` does.
    changes : {"none", "shared", "rising", "any"}
        What is impossible: lanes that packets keep, that both directions of a pair share, or that packets change.
    failures : tuple of tuples of int
        The channels of each failure after which every pair shall keep a path; a pair after failure f, from 1, has
        f times the number of routers added to its end.
    ordered : bool
        Whether the clauses state an order of all channels for each lane, in which its turns go on; there are no
        cycles then.

    Examples
    --------
    >>> from unknot import Network
    >>> from unknot.lanes import lanes
    >>> proof = lanes(Network("one-way ring", 7, range(7), [1, 2, 3, 4, 5, 6, 0])).evidence
    >>> proof.lanes, len(proof.pairs)
    (3, 7)
    """

    lanes: int
    pairs: tuple[Pair, ...]
    cycles: tuple[tuple[int, ...], ...]
    steps: Steps
    changes: str = "none"
    failures: Failures = ()
    ordered: bool = False

    @property
    def proof(self) -> dict[str, Any]:
        """The proof as plain data, for the checker."""
        return {
            "kind": "refutation",
            "pairs": [list(pair) for pair in self.pairs],
            "cycles": [list(cycle) for cycle in self.cycles],
            "order": self.ordered,
            "steps": [[list(literals), list(hints)] for literals, hints in self.steps],
        }


@dataclass(frozen=True, eq=False, repr=False)
class RouteRefutation(Refutation):
    """A proof that a number of lanes is not enough for given routes.

    Attributes
    ----------
    pairs : tuple of (int, int)
        Source terminals and addresses; the other attributes are those of `Refutation`.

    Examples
    --------
    >>> from unknot import Network
    >>> from unknot.lanes import lanes
    >>> ring = Network("one-way ring", 7, range(7), [1, 2, 3, 4, 5, 6, 0])
    >>> proof = lanes(ring, "given", routing="shortest_paths").evidence
    >>> type(proof).__name__, proof.lanes
    ('RouteRefutation', 3)
    """


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
class Open:
    """The question was left open; how many conflicts the solver met."""

    conflicts: int


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
    """Prove over the checker's clauses that a number of lanes is not enough, or find orders by which it is.

    The solver begins without cycles. It takes as many pairs at a time as `MORE_CLAUSES` clauses hold, or all where
    loads are limited: many pairs contradict each other soon, few of them only with many cycles. An answer with a
    cycle has it forbidden. One without gives orders of the channels; pairs that these do not serve are added.

    Parameters
    ----------
    first : pairs
        Pairs to begin with, by which the lanes are numbered.

    Returns
    -------
    Refutation, Solution or Open
        Open, if time or conflicts run out, or the clauses are too many.
    """
    from pysat.solvers import Solver

    encoder = served.encoder(lanes, changes)
    ordered = encoder.lanes * encoder.network.channels**3 // 6 <= MOST_ORDERED
    known, began = 0, clock()
    pairs: list[Pair] = []
    forbidden = dict[tuple[int, ...], None]()
    todo = [*dict.fromkeys([*first, *(served.pairs if served.limited else served.pairs[:1])])]
    with Solver(name="glucose4", incr=False, with_proof=True) as solver:
        sent = 0
        while True:
            enough = len(encoder.clauses) + max(MORE_CLAUSES, len(encoder.clauses))
            for pair in todo:
                pairs.append(pair)
                encoder.serve(pair, len(pairs))
                if len(encoder.clauses) > enough and not served.limited:
                    break
            try:
                encoder.limit()
            except plain.Unchecked:
                return Open(0)
            if ordered:
                encoder.order(known)
                known = len(encoder.number)
            # A cycle has clauses only where its turns have variables, which further pairs bring.
            for cycle in forbidden:
                encoder.forbid(cycle)
            todo = []
            while not todo:
                if len(encoder.clauses) > MOST_CLAUSES:
                    return Open(solver.accum_stats()["conflicts"])
                for clause in encoder.clauses[sent:]:
                    solver.add_clause(clause)
                sent = len(encoder.clauses)
                effort.report(f"{lanes} lane{'s' * (lanes > 1)}, exact: {len(pairs)} pairs, {len(forbidden)} cycles")
                possible = solved_within(solver, effort, conflicts)
                if possible is None:
                    return Open(solver.accum_stats()["conflicts"])
                if not possible:
                    of_cycles = None if ordered else [*forbidden]
                    solved = _Solved(solver, encoder.clauses, clock() - began)
                    proof = _proved(served, lanes, changes, pairs, of_cycles, effort, conflicts, solved)
                    return proof or Open(solver.accum_stats()["conflicts"])
                true = {x for x in solver.get_model() if x > 0}
                turns = _turns(encoder, true)
                fresh = {cycle for lane in turns for cycle in short_cycles(lane, CYCLES)} - {*forbidden}
                for cycle in sorted(fresh):
                    forbidden[cycle] = None
                    encoder.forbid(cycle)
                if not fresh:
                    keys = np.array([climbing(lane, encoder.network.channels) for lane in turns])
                    todo = _unserved(encoder, keys, served.pairs, {*pairs})
                    if not todo:
                        return Solution(keys, {pair: _route(encoder, pair, true) for pair in pairs})


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
    kind = RouteRefutation if served.given else Refutation
    best: Refutation | None = None
    began = clock()
    while best is None or clock() - began < effort.deadline - clock():
        encoder = served.encoder(lanes, changes)
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


def _route(encoder: plain.Encoder, pair: Pair, true: set[int]) -> tuple[int, list[int]]:
    """The lane and the channels of a pair in an answer."""
    number = encoder.number
    ends = encoder.ends(pair) if encoder.shared else pair
    lane = next(k for k in range(encoder.lanes) if number.get(("lane", ends, k)) in true)
    paths = encoder.paths(pair)
    if paths is not None:
        return lane, next(path for j, path in enumerate(paths) if number["path", pair, j] in true)
    path = [next(c for c in encoder.begin(pair) if number["uses", pair, c] in true)]
    while onward := encoder.after(pair, path[-1]):
        path.append(next(e for e in onward if number["then", pair, path[-1], e] in true))
    return lane, path


def _unserved(encoder: plain.Encoder, keys: Floats, every: list[Pair], known: set[Pair]) -> list[Pair]:
    """Pairs that have no path that climbs in some lane, both directions if these share one; the longest first."""
    lanes = [lane.tolist() for lane in keys]
    together: dict[Pair, list[Pair]] = {}
    for pair in every:
        encoder.reach(pair)
        together.setdefault(encoder.ends(pair) if encoder.shared else pair, []).append(pair)
    unserved = [
        pair
        for group in together.values()
        if not known.issuperset(group)
        and not any(all(_climbs(encoder, lane, one) for one in group) for lane in lanes)
        for pair in group
        if pair not in known
    ]
    # Long paths have most turns, and contradict soonest.
    return sorted(unserved, key=lambda pair: (-_length(encoder, pair), pair))


def _climbs(encoder: plain.Encoder, key: list[float], pair: Pair) -> bool:
    """Whether some path of a pair climbs."""
    reached = plain.closure(encoder.begin(pair), lambda c: (e for e in encoder.after(pair, c) if key[c] < key[e]))
    return any(not encoder.after(pair, c) for c in reached)


def _length(encoder: plain.Encoder, pair: Pair) -> int:
    """Channels of a path of a pair; as many as there are, if it goes round."""
    length, onward = 0, encoder.begin(pair)
    while onward and length < encoder.network.channels:
        length, onward = length + 1, encoder.after(pair, onward[0])
    return length
