"""Refutations: clauses that follow by unit propagation one from another, until they contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.certificates import Rejected

Learnt = npt.NDArray[np.int32]
"""Clauses in the order in which they follow, each ended by a 0."""


def answer(solver: Any, conflicts: int) -> bool | None:
    """Whether the clauses of a solver can be fulfilled; None if it met that many conflicts and does not know."""
    solver.conf_budget(conflicts)
    # Otherwise the solver would handle Ctrl-C in its own way, and Python would never learn of it.
    found: bool | None = solver.solve_limited(expect_interrupt=True)
    return found


def learnt_by(solver: Any) -> Learnt:
    """The clauses that a solver with a proof has learnt."""
    lines = solver.get_proof()
    return np.array([int(x) for line in lines if not line.startswith("d") for x in line.split()], dtype=np.int32)


def contradict(given: Sequence[Sequence[int]], learnt: npt.ArrayLike, variables: int) -> None:
    """Return quietly if the learnt clauses follow from those given and contradict them; raise `Rejected` if not."""
    from unknot.synthesis.refutation_kernel import follows

    learnt = np.asarray(learnt, dtype=np.int32)
    if learnt.size and (learnt[-1] != 0 or np.abs(learnt.astype(np.int64)).max() > variables):
        raise Rejected(f"clauses of the variables 1 to {variables}, each ended by a 0, are wanted")
    literal, first = flat(given)
    lengths = np.diff(np.flatnonzero(learnt == 0), prepend=-1) - 1
    every = np.concatenate([literal, learnt[learnt != 0]])
    starts = np.concatenate([first, first[-1] + np.cumsum(lengths)])
    flaw = int(follows(variables, every, starts, len(given)))
    if flaw >= starts.size - 1:
        raise Rejected("the clauses do not contradict each other")
    if flaw >= 0:
        raise Rejected(f"step {flaw - len(given)} of the refutation does not follow from what is before it")


def flat(clauses: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Clauses one behind the other, and where each begins."""
    first = np.zeros(len(clauses) + 1, dtype=np.int64)
    np.cumsum([len(clause) for clause in clauses], out=first[1:])
    return np.array([x for clause in clauses for x in clause], dtype=np.int32), first
