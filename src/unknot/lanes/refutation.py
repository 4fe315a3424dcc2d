"""Solvers of clauses: their answers within a number of conflicts, and what they have learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

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


def flat(clauses: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Clauses one behind the other, and where each begins."""
    first = np.zeros(len(clauses) + 1, dtype=np.int64)
    np.cumsum([len(clause) for clause in clauses], out=first[1:])
    return np.array([x for clause in clauses for x in clause], dtype=np.int32), first
