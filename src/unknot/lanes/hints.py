"""Refutations: learnt clauses with hints, in the form of LRAT, without the clauses that are not needed.

The clauses are those of a checker, and not of a search, which share no encoder: a fault in either is a disagreement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unknot.certificates import Rejected
from unknot.lanes.refutation import Learnt, flat, learnt_by

Steps = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""Literals of each step, and the numbers of the clauses by which it follows, given ones being 1, 2, …"""


class DisagreementError(RuntimeError):
    """Error: the search says that something is impossible, and the checker's clauses have a solution."""

    def __init__(self, what: str) -> None:
        text = f"{what}: the search excludes this, but the checker's clauses have a solution; please report it"
        super().__init__(text)


def refuted_by(clauses: Sequence[Sequence[int]], variables: int, solve: Callable[[Any], bool | None]) -> Steps | None:
    """The steps by which clauses contradict each other; None if `solve` does not find that of a solver of them."""
    from pysat.solvers import Solver

    with Solver(name="glucose4", bootstrap_with=clauses, with_proof=True) as solver:
        return None if solve(solver) is not False else steps_of(clauses, learnt_by(solver), variables)


def steps_of(given: Sequence[Sequence[int]], learnt: Learnt, variables: int) -> Steps:
    """The steps from clauses to their contradiction, of those that a solver has learnt.

    Raises
    ------
    Rejected
        If the clauses do not contradict each other by unit propagation.
    """
    from unknot.lanes.hints_kernel import hints

    parts = np.split(learnt, np.flatnonzero(learnt == 0) + 1)
    clauses = [part[part != 0].tolist() for part in parts if part.size]
    # A clause with a literal and its opposite says nothing, and has no hints.
    clauses = [clause for clause in clauses if not {*clause} & {-x for x in clause}]
    every, starts = flat([*given, *clauses])
    room = 16 * starts.size + every.size
    while True:
        hint, hint_first = np.empty(room, dtype=np.int64), np.zeros(len(clauses) + 2, dtype=np.int64)
        count = int(hints(variables, every, starts, len(given), hint, hint_first))
        if count != -2:
            break
        room *= 2
    if count < 0:
        raise Rejected("the clauses do not contradict each other")
    empty = len(given) + count - 1
    needed: dict[int, list[int]] = {}
    todo = {empty}
    for clause in range(empty, len(given) - 1, -1):
        if clause in todo:
            at = clause - len(given)
            needed[clause] = hint[hint_first[at] : hint_first[at + 1]].tolist()
            todo.update(needed[clause])
    kept = sorted(needed)
    number = {clause: len(given) + i for i, clause in enumerate(kept)}
    return tuple(
        (
            () if clause == empty else tuple(every[starts[clause] : starts[clause + 1]].tolist()),
            tuple(number.get(used, used) + 1 for used in needed[clause]),
        )
        for clause in kept
    )
