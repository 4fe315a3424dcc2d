"""Solvers of clauses: their answers within limits, and refutations in the form of LRAT by what they have learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from unknot._base.arrays import IntArray, Ints, offsets
from unknot._base.deadline import clock
from unknot._base.work import spend
from unknot.certificates import Rejected
from unknot.search.effort import SearchEffort

Starts = Ints
Learnt = IntArray
"""Clauses in the order in which they follow, each ended by a 0; before one that is forgotten stands `FORGOTTEN`."""
FORGOTTEN = 2**31 - 1
MOST_HINTS = 20_000_000
"""Most hints for which there is room from the first."""
STEP = 2_000
"""Conflicts of the solver between two looks at the clock."""
PROPAGATION, LITERAL = 2e-7, 2e-7
"""Seconds of work of the solver for each propagation, and of a proof for each literal that was learnt."""
CLAUSE = 2e-6
"""Seconds of work of building a clause."""
Steps = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""Literals of each step, and the numbers of the clauses by which it follows, given ones being 1, 2, …"""


class DisagreementError(RuntimeError):
    """Error: the search says that something is impossible, and the checker's clauses have a solution."""

    def __init__(self, what: str) -> None:
        text = f"{what}: the search excludes this, but the checker's clauses have a solution; please report it"
        super().__init__(text)


def answer(solver: Any, conflicts: int) -> bool | None:
    """Whether the clauses of a solver can be fulfilled; None if it met that many conflicts and does not know."""
    solver.conf_budget(conflicts)
    # Otherwise the solver would handle Ctrl-C in its own way, and Python would never learn of it.
    fulfilled: bool | None = solver.solve_limited(expect_interrupt=True)
    return fulfilled


def learnt_by(solver: Any) -> Learnt:
    """The clauses that a solver with a proof has learnt and forgotten."""
    proof = " ".join(solver.get_proof()).replace("d", str(FORGOTTEN))
    return np.array(proof.split(), dtype=np.int32)


def solved_within(solver: Any, effort: SearchEffort, conflicts: float = np.inf, step: int = STEP) -> bool | None:
    """Whether the clauses of a solver can be fulfilled; None if time or conflicts run out."""
    while clock() < effort.deadline and solver.accum_stats()["conflicts"] < conflicts:
        before = solver.accum_stats()["propagations"]
        possible = answer(solver, step)
        spend(PROPAGATION * (solver.accum_stats()["propagations"] - before))
        if possible is not None:
            return possible
    return None


def refuted_by(clauses: Sequence[Sequence[int]], variables: int, solve: Callable[[Any], bool | None]) -> Steps | None:
    """The steps by which clauses contradict each other; None if `solve` reports no contradiction."""
    from pysat.solvers import Solver

    with Solver(name="glucose4", bootstrap_with=clauses, with_proof=True) as solver:
        return None if solve(solver) is not False else steps_of(clauses, learnt_by(solver), variables)


def steps_of(original: Sequence[Sequence[int]], learnt: Learnt, variables: int) -> Steps:
    """The steps from clauses to their contradiction, of those that a solver has learnt.

    Raises
    ------
    Rejected
        If the clauses do not contradict each other by unit propagation.
    """
    from unknot.search.hints_kernel import hints

    spend(LITERAL * learnt.size)
    parts = np.split(learnt, np.flatnonzero(learnt == 0) + 1)
    every, starts, until = _lasting(original, (part[:-1].tolist() for part in parts if part.size))
    learnt_count = starts.size - 1 - len(original)
    room = min(64 * starts.size, MOST_HINTS) + every.size
    while True:
        hint, hint_first = np.empty(room, dtype=np.int64), np.zeros(learnt_count + 2, dtype=np.int64)
        count = int(hints(variables, every, starts, until, len(original), hint, hint_first))
        if count != -2:
            break
        room *= 2
    if count < 0:
        raise Rejected("the clauses do not contradict each other")
    empty = len(original) + count - 1
    needed: dict[int, list[int]] = {}
    todo = {empty}
    for clause in range(empty, len(original) - 1, -1):
        if clause in todo:
            at = clause - len(original)
            needed[clause] = hint[hint_first[at] : hint_first[at + 1]].tolist()
            todo.update(needed[clause])
    kept = sorted(needed)
    number = {clause: len(original) + i for i, clause in enumerate(kept)}
    return tuple(
        (
            () if clause == empty else tuple(every[starts[clause] : starts[clause + 1]].tolist()),
            tuple(number.get(used, used) + 1 for used in needed[clause]),
        )
        for clause in kept
    )


def _lasting(original: Sequence[Sequence[int]], learnt: Iterable[list[int]]) -> tuple[Learnt, Starts, Starts]:
    """All clauses, one behind the other, where each begins, and the number of clauses after which each is forgotten.

    Among many that are forgotten, what follows from the others is found much sooner.
    """
    clauses: list[Sequence[int]] = []
    places: dict[tuple[int, ...], list[int]] = {}
    until: dict[int, int] = {}
    for clause in (*original, *learnt):
        if clause and clause[0] == FORGOTTEN:
            if same := places.get(tuple(sorted(clause[1:]))):
                until[same.pop()] = len(clauses)
        # A clause with a literal and its opposite says nothing, and has no hints.
        elif len(clauses) < len(original) or not {*clause} & {-x for x in clause}:
            places.setdefault(tuple(sorted(clause)), []).append(len(clauses))
            clauses.append(clause)
    lasting = np.full(len(clauses), len(clauses) + 1, dtype=np.int64)
    lasting[[*until]] = [*until.values()]
    return *flat(clauses), lasting


def flat(clauses: Sequence[Sequence[int]]) -> tuple[Learnt, Starts]:
    """Clauses one behind the other, and where each begins."""
    return np.array([x for clause in clauses for x in clause], dtype=np.int32), offsets(list(map(len, clauses)))
