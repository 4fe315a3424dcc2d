"""Lower bounds on the candidates to remove: linear programs over facts, in the leaves of a tree of choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.shown import Brief
from unknot.certificates import plain
from unknot.certificates.documents import plain_table
from unknot.lanes.path_set import Floats
from unknot.repair.facts import CANDIDATE, Entry, Fact, Literals, plain_fact
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SCALE = plain.PARTS
"""Denominator of multipliers, which are whole numbers."""
PRICE = 100
"""Price of an unsettled fact, times the number looked for: a hundredth of a fact may be all that is unsettled."""
ROUNDING = 1e-6
"""Share by which multipliers are lowered, so that errors of the solver do not make them too high."""

Multipliers = dict[int, int]
"""By the number of the fact, in parts of `SCALE`."""


@dataclass(frozen=True, eq=False, repr=False)
class PruneBound(Brief):
    """Proof that fewer removed candidates are not enough.

    Attributes
    ----------
    facts : tuple of Fact
    tree : tuple of Entry or dict of int to int
        Each node before its branches. A candidate has two: it is removed, then it is kept; a turn rises, then it
        falls. A leaf has the multipliers with which facts are added up, by number of the fact, in parts of `SCALE`.
    minimal : bool
        What is left shall take shortest paths only.

    Examples
    --------
    >>> from unknot.repair import repair
    >>> remedies = repair("ring(4)", routing="fully_adaptive")
    >>> bound = next(r for r in remedies if r.kind == "fewer candidates").change.evidence
    >>> type(bound).__name__, bound.minimal
    ('PruneBound', False)
    """

    facts: tuple[Fact, ...]
    tree: tuple[Entry | Multipliers, ...]
    minimal: bool = False

    @property
    def proof(self) -> dict[str, Any]:
        """The proof as plain data, for the checker."""
        tree = [
            {"multipliers": [[*pair] for pair in node.items()]} if isinstance(node, dict) else {"entry": [*node]}
            for node in self.tree
        ]
        return {"facts": [plain_fact(fact) for fact in self.facts], "tree": tree}


@takes_relation
def accept_removed(relation: Relation, bound: PruneBound, switching: str) -> int:
    """The number of removed candidates that the bound shows to be needed; raise `Rejected` if it does not hold.

    Parameters
    ----------
    bound : PruneBound
        The bound with its evidence.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
        Technique for which the relation was to be made safe.

    Returns
    -------
    int
        The bound that holds.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.repair import repair
    >>> from unknot.routing import fully_adaptive
    >>> relation = fully_adaptive(ring(4))
    >>> few = next(r for r in repair(relation) if r.kind == "fewer candidates")
    >>> few.cost, accept_removed(relation, few.change.evidence, "vct")
    (2, 2)
    """
    table, proof = plain_table(relation), bound.proof
    clauses = [plain.removal_clause(table, switching, bound.minimal, fact) for fact in proof["facts"]]
    return plain.removals_shown(clauses, proof["tree"])


def multipliers(marginals: npt.ArrayLike) -> Floats:
    """Multipliers of the rows of a linear program, in whole parts of `SCALE`, from what its solver says of them."""
    lowered: Floats = np.floor(np.maximum(0.0, -np.asarray(marginals)) * (1 - ROUNDING) * SCALE)
    return lowered


@dataclass(frozen=True, eq=False)
class CoveringProgram:
    """Fewest candidates that settle some facts: a row for each, a column for each candidate in one.

    Attributes
    ----------
    column : dict of Entry to int
    matrix : csr_array, shape (facts, entries)
    least : float64 array, shape (facts,)
        What each row adds up to at least.
    cost : float64 array, shape (entries,)
        1 for candidates, 0 for turns.
    """

    column: dict[Entry, int]
    matrix: csr_array
    least: Floats
    cost: Floats

    @classmethod
    def of(cls, facts: dict[Fact, Literals]) -> CoveringProgram:
        """The program of these facts."""
        from scipy.sparse import coo_array

        column: dict[Entry, int] = {}
        terms = [
            (i, column.setdefault(entry, len(column)), sign)
            for i, (gone, kept) in enumerate(facts.values())
            for sign, part in ((1, gone), (-1, kept))
            for entry in sorted(part)
        ]
        row, col, sign = np.array(terms, dtype=np.int64).reshape(-1, 3).T
        matrix = coo_array((sign.astype(np.float64), (row, col)), shape=(len(facts), len(column))).tocsr()
        cost = np.array([float(len(entry) == CANDIDATE) for entry in column])
        return cls(column, matrix, np.array([1.0 - len(kept) for _, kept in facts.values()]), cost)

    def relaxed(self, fixed: dict[Entry, bool], upper_bound: int) -> Relaxed:
        """Solve the linear program where some candidates are removed or kept for certain.

        A fact may be left unsettled at a price far above `upper_bound` candidates. So there always is a solution,
        with multipliers also for a branch in which facts contradict each other.
        """
        from scipy.optimize import linprog
        from scipy.sparse import eye_array, hstack

        facts, entries = self.matrix.shape
        low, high = np.zeros(entries + facts), np.full(entries + facts, np.inf)
        high[:entries] = 1
        for entry in fixed.keys() & self.column.keys():
            low[self.column[entry]] = high[self.column[entry]] = fixed[entry]
        solved = linprog(
            np.concatenate([self.cost, np.full(facts, PRICE * (upper_bound + 1.0))]),
            A_ub=-hstack([self.matrix, eye_array(facts)]),
            b_ub=-self.least,
            bounds=np.column_stack([low, high]),
            method="highs",
        )
        prices = multipliers(solved.ineqlin.marginals)
        # What the checker adds up. Where facts contradict each other it is far from the solution, by large prices.
        rest = self.cost - self.matrix.T @ prices / SCALE
        shown = prices @ self.least / SCALE + np.minimum(rest * low[:entries], rest * high[:entries]).sum()
        return Relaxed(
            dict(zip(self.column, solved.x[:entries].tolist(), strict=True)),
            float(shown),
            {fact: int(prices[fact]) for fact in np.flatnonzero(prices).tolist()},
            dict(zip(self.column, (abs(self.matrix).T @ prices).tolist(), strict=True)),
        )


@dataclass(frozen=True)
class Relaxed:
    """Solution of a linear program: the share by which each candidate is removed, and what the multipliers show."""

    shares: dict[Entry, float]
    total: float
    multipliers: Multipliers
    weight: dict[Entry, float]
    """By entry, the multipliers of the facts that it is in."""
