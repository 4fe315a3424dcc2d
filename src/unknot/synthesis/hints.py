"""Learnt clauses with hints: a proof in the form of LRAT, without the clauses that it does not need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unknot.certificates import Rejected
from unknot.synthesis.refutation import Learnt, flat

Steps = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""Literals of each step, and the numbers of the clauses by which it follows, given ones being 1, 2, …"""


def steps_of(given: Sequence[Sequence[int]], learnt: Learnt, variables: int) -> Steps:
    """The steps from clauses to their contradiction, of those that a solver has learnt.

    Raises
    ------
    Rejected
        If the clauses do not contradict each other by unit propagation.
    """
    from unknot.synthesis.hints_kernel import hints

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
