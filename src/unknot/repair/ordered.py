"""Fewest removed candidates where a part of the order of VCs is fixed: a mixed-integer program.

It is for good choices alone: it shows nothing about other orders, and gives no evidence. Where a header is
reached, one candidate that it waits for is kept and falls; where headers keep their choice, all that are kept fall.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array, csr_array

from unknot.lanes.path_set import Floats
from unknot.repair.facts import CANDIDATE, Cycle, Entry, Fact
from unknot.repair.prune_space import EJECTED, Offers

LEAST_SECONDS = 0.1
"""Of a program, however little time is left."""
Term = tuple[tuple[str, tuple[int, ...]], float]
"""A variable with its coefficient. An "entry" is 1 if it is removed; a header, by input VC and address, if it is
"reached"; a candidate, if a header "relies" on it. VCs have a "height" from 0 to 1."""


@dataclass(frozen=True, eq=False)
class OrderedProgram:
    """The program: a row for each condition, a column for each variable.

    Attributes
    ----------
    column : dict of variable to int
    matrix : csr_array, shape (rows, columns)
    least : float64 array, shape (rows,)
        What each row adds up to at least.
    """

    column: dict[tuple[str, tuple[int, ...]], int]
    matrix: csr_array
    least: Floats

    @classmethod
    def of(cls, offers: Offers, facts: Iterable[Fact]) -> OrderedProgram:
        """The program of a relation; cycles among known facts make it faster."""
        rows: list[tuple[float, list[Term]]] = []
        step = 1.0 / offers.relation.num_vcs
        for at, vc in offers.turns:
            rows.append((step, [(("height", (at,)), 1), (("height", (vc,)), -1), (("entry", (at, vc)), 1 + step)]))
        for cycle in (fact.vcs for fact in facts if isinstance(fact, Cycle)):
            rows.append((1, [(("entry", turn), 1) for turn in pairwise((*cycle, cycle[0]))]))
        for address, states in enumerate(offers.after):
            for at, candidates in states.items():
                reached, relied = ("reached", (at, address)), list[Term]()
                for vc, waits in candidates:
                    if vc == EJECTED:
                        continue
                    removed, relies = ("entry", (at, address, vc)), ("relies", (at, address, vc))
                    rises = [(("entry", (at, vc)), -1.0)] if at < offers.relation.num_vcs else []
                    rows.append((0, [(("reached", (vc, address)), 1), (reached, -1), (removed, 1)]))
                    rows.append((0, [(reached, 1), (removed, -1), (relies, -1)]))
                    if offers.chosen:
                        rows.append((-1, [(reached, -1), (removed, 1), *rises]))
                    else:
                        rows.append((-1, [(relies, -1), *rises]))
                    if offers.is_detour(address, at, vc):
                        rows.append((0, [(reached, -1), (removed, 1)]))
                    relied += [(relies, 1.0)] if waits else []
                if at >= offers.relation.num_vcs:
                    rows.append((1, [(reached, 1)]))
                if (EJECTED, True) not in candidates:
                    rows.append((0, [*relied, (reached, -1)]))
        column: dict[tuple[str, tuple[int, ...]], int] = {}
        entries = [
            (i, column.setdefault(variable, len(column)), factor)
            for i, (_, terms) in enumerate(rows)
            for variable, factor in terms
        ]
        row, col, factors = zip(*entries, strict=True)
        matrix = coo_array((np.array(factors, dtype=np.float64), (row, col)), shape=(len(rows), len(column)))
        return cls(column, matrix.tocsr(), np.array([float(least) for least, _ in rows]))

    def solved(self, rises: Mapping[tuple[int, int], bool], most: int, seconds: float) -> frozenset[Entry] | None:
        """Up to `most` removed candidates, where some turns are set to rise or fall; None: the solver has none."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        low, high = np.zeros(len(self.column)), np.ones(len(self.column))
        for turn, rising in rises.items():
            low[self.column["entry", turn]] = high[self.column["entry", turn]] = rising
        costs = np.array([float(kind == "entry" and len(entry) == CANDIDATE) for kind, entry in self.column])
        solved = milp(
            costs,
            constraints=[LinearConstraint(self.matrix, self.least), LinearConstraint(costs[None, :], -np.inf, most)],
            bounds=Bounds(low, high),
            integrality=[kind != "height" for kind, _ in self.column],
            options={"time_limit": max(seconds, LEAST_SECONDS)},
        )
        if solved.x is None:
            return None
        return frozenset(entry for (_, entry), x in zip(self.column, solved.x * costs, strict=True) if x > 0.5)
