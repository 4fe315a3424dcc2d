"""Linear programs of lower bounds: weighted sums of variables that are at least a number; cutting planes.

The dual of a linear program is evidence: rows with multipliers, which a checker adds up by itself in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats
from unknot._base.deadline import Deadline
from unknot._base.work import program_limit, spend_program
from unknot.certificates import plain

if TYPE_CHECKING:
    from scipy.sparse import csr_array

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
SCALE = plain.PARTS
"""Denominator of multipliers, which are whole numbers."""
ROUNDING = 1e-6
"""Share by which multipliers are lowered, so that errors of the solver do not make them too high."""
LEAST_SECONDS = 0.1
"""Of a program with a time limit, however little time is left."""
Row = tuple[float, Sequence[tuple[V, float]]]
"""A lower bound, and the variables, each with its factor, of the sum that it is of."""


@dataclass(frozen=True, eq=False)
class LinearProgram(Generic[V]):
    """Conditions on variables: a row for each condition, a column for each variable.

    Attributes
    ----------
    column : dict of variable to int
    matrix : csr_array, shape (rows, columns)
    least : float64 array, shape (rows,)
        What each row adds up to at least.
    """

    column: dict[V, int]
    matrix: csr_array
    least: Floats

    @classmethod
    def of(cls, rows: Iterable[Row[V]], variables: Iterable[V] = ()) -> Self:
        """The program of given rows; the columns of `variables` come first, further columns in order of
        appearance.
        """
        from scipy.sparse import coo_array

        rows, column = list(rows), {variable: i for i, variable in enumerate(variables)}
        entries = [
            (i, column.setdefault(variable, len(column)), factor)
            for i, (_, terms) in enumerate(rows)
            for variable, factor in terms
        ]
        row, col, factors = np.array(entries, dtype=np.float64).reshape(-1, 3).T
        places = row.astype(np.int64), col.astype(np.int64)
        matrix = coo_array((factors, places), shape=(len(rows), len(column))).tocsr()
        return cls(column, matrix, np.array([float(least) for least, _ in rows]))

    def cheapest(self, costs: Floats, seconds: float = inf) -> Any:
        """Variables from 0 on that cost least, as the solver of linear programs gives them."""
        from scipy.optimize import linprog

        solved = linprog(
            costs, A_ub=-self.matrix, b_ub=-self.least, bounds=(0, None), method="highs",
            options=program_limit(max(LEAST_SECONDS, seconds), self.matrix.nnz),
        )  # fmt: skip
        spend_program(solved.nit, self.matrix.nnz)
        return solved


def multipliers(marginals: npt.ArrayLike) -> Floats:
    """Multipliers of the rows of a linear program, in whole parts of `SCALE`, from what its solver says of them."""
    lowered: Floats = np.floor(np.maximum(0.0, -np.asarray(marginals)) * (1 - ROUNDING) * SCALE)
    return lowered


def cut(
    cuts: Callable[[Mapping[V, float]], Iterable[tuple[K, Row[V]]]],
    cost: Callable[[V], float],
    deadline: Deadline,
    variables: Iterable[V] = (),
) -> dict[K, int]:
    """Multipliers of rows by which variables cost most at least, found by cutting planes.

    Rows that the cheapest variables violate are added until there are none, or the deadline is over.

    Parameters
    ----------
    cuts : callable
        Rows, each with a name, that the values of variables violate; missing values are 0. Other rows may come too.
    cost : callable
        What 1 of a variable costs.
    variables : iterable, optional
        Variables whose columns come first.

    Returns
    -------
    dict of row to int
        Multipliers above 0, in parts of `SCALE`.
    """
    rows, weights, value, first = dict[K, Row[V]](), dict[K, int](), dict[V, float](), [*variables]
    while True:
        known = len(rows)
        rows |= {name: row for name, row in cuts(value) if name not in rows}
        if len(rows) == known or (known and deadline.over):
            break
        program = LinearProgram.of(rows.values(), first)
        solved = program.cheapest(np.array([cost(variable) for variable in program.column]), deadline.left)
        if solved.status != 0:
            break
        value = dict(zip(program.column, solved.x.tolist(), strict=True))
        weights = dict(zip(rows, map(int, multipliers(solved.ineqlin.marginals)), strict=True))
    return {name: weight for name, weight in weights.items() if weight}
