"""Lower bounds on removed candidates: facts added up by multipliers, or refuted by unit propagation.

The program is to remove the fewest candidates so that all facts known so far are settled. Its relaxation takes shares
of candidates; the knots that these leave (`light_knots`) are added until there are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.background import clock
from unknot._base.shown import Brief
from unknot.certificates import plain
from unknot.certificates.documents import plain_table, removals_claim
from unknot.lanes.effort import SearchEffort
from unknot.lanes.path_set import Floats
from unknot.lanes.solver import Steps, answer, refuted_by
from unknot.repair.facts import Entry, Fact, Literals, plain_fact
from unknot.repair.light_knots import light_knots
from unknot.repair.prune_space import Offers
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SCALE = plain.PARTS
"""Denominator of multipliers, which are whole numbers."""
MOST_PROOF = 60_000
"""Most variables of a proof by unit propagation."""
CONFLICTS = 20_000
"""Most conflicts of a solver whose refutation is written down; one of 119,000 takes minutes of the processor."""
NEAR = 1e-6
"""Distance from a whole number that is an error of the solver."""
SHARE = 0.4
"""Share of the time that is left, for the linear program, and for each choice of the fewest candidates."""
LEAST_GAIN = 1e-3
"""Share by which several rounds of knots have to raise the bound for more to be sought."""
GAIN_ROUNDS = 8


@dataclass(frozen=True, eq=False, repr=False)
class PruneBound(Brief):
    """Proof that fewer removed candidates are not enough.

    Attributes
    ----------
    facts : tuple of Knot, Trap or Detour
    multipliers : tuple of int
        One for each fact, in parts of `SCALE`; empty if there is a proof instead.
    steps : tuple of pairs of tuples of int
        Clauses that follow one from another, from the facts, and from "fewer than `claimed` are removed", each with
        the clauses by which it follows; the last is empty.
    claimed : int
        What the proof shows.
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
    multipliers: tuple[int, ...]
    steps: Steps = ()
    claimed: int = 0
    minimal: bool = False

    @property
    def proof(self) -> dict[str, Any]:
        """The proof as plain data, for the checker."""
        facts = [plain_fact(fact) for fact in self.facts]
        if self.claimed:
            return {"facts": facts, "steps": [[list(literals), list(hints)] for literals, hints in self.steps]}
        return {"facts": facts, "multipliers": list(self.multipliers)}


@takes_relation
def accept_removed(relation: Relation, bound: PruneBound, switching: str) -> int:
    """The number of removed candidates that the bound shows to be needed; raise `Rejected` if it does not hold.

    Parameters
    ----------
    bound : PruneBound
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
        Technique for which the relation was to be made safe.

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
    table = plain_table(relation)
    if bound.claimed:
        claim = removals_claim(switching, bound.minimal, bound.claimed, bound.proof)
        plain.check_removals(table, claim, bound.proof)
        return bound.claimed
    clauses = [plain.removal_clause(table, switching, bound.minimal, fact) for fact in bound.proof["facts"]]
    return plain.removals_shown(clauses, plain.integers([*bound.multipliers], "multipliers", 0, 2**62, len(clauses)))


@dataclass(frozen=True, eq=False)
class Program:
    """Fewest candidates that settle some facts: a row for each, a column for each candidate in one.

    Attributes
    ----------
    entries : list of (input VC, address, output VC)
    matrix : csr_array, shape (facts, entries)
    least : float64 array, shape (facts,)
        What each row adds up to at least.
    """

    entries: list[Entry]
    matrix: csr_array
    least: Floats

    @classmethod
    def of(cls, facts: dict[Fact, Literals]) -> Program:
        """The program of these facts."""
        from scipy.sparse import coo_array

        entries = sorted({entry for clause in facts.values() for part in clause for entry in part})
        column = {entry: i for i, entry in enumerate(entries)}
        terms = [
            (i, column[entry], sign)
            for i, (gone, kept) in enumerate(facts.values())
            for sign, part in ((1, gone), (-1, kept))
            for entry in part
        ]
        row, col, sign = np.array(terms, dtype=np.int64).reshape(-1, 3).T
        matrix = coo_array((sign.astype(np.float64), (row, col)), shape=(len(facts), len(entries))).tocsr()
        return cls(entries, matrix, np.array([1.0 - len(kept) for _, kept in facts.values()]))

    def relaxed(self) -> tuple[Floats, Floats] | None:
        """Shares of the candidates, and the price of each fact; None if facts contradict each other."""
        from scipy.optimize import linprog

        if not self.entries:
            return None
        solved = linprog(
            np.ones(len(self.entries)), A_ub=-self.matrix, b_ub=-self.least, bounds=(0, 1), method="highs"
        )
        if solved.status != 0:
            return None
        return solved.x, np.maximum(0.0, -np.asarray(solved.ineqlin.marginals))

    def fewest(self, effort: SearchEffort) -> Fewest:
        """The fewest candidates that settle all facts, or the best that are found in a share of the time."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        if not self.entries:
            return Fewest(None, 0, impossible=True)
        solved = milp(
            np.ones(len(self.entries)),
            integrality=np.ones(len(self.entries)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(self.matrix, lb=self.least),
            options={"time_limit": max(0.1, SHARE * (effort.deadline - clock()))},
        )
        chosen = None if solved.x is None else (e for e, x in zip(self.entries, solved.x, strict=True) if x > 0.5)
        least = 0 if solved.mip_dual_bound is None else int(np.ceil(solved.mip_dual_bound - NEAR))
        return Fewest(None if chosen is None else frozenset(chosen), least, impossible=solved.status == 2)


@dataclass(frozen=True)
class Fewest:
    """Candidates that settle facts, if some were found; no fewer than `least` do, or none at all."""

    chosen: frozenset[Entry] | None
    least: int
    impossible: bool


def add_light_knots(offers: Offers, facts: dict[Fact, Literals], effort: SearchEffort) -> None:
    """Add the knots that the relaxed program leaves, round after round, while they raise its bound."""
    end, removed, bounds = clock() + SHARE * (effort.deadline - clock()), dict[Entry, float](), list[float]()
    while clock() < end:
        known = len(facts)
        facts.update(light_knots(offers, removed))
        if len(facts) == known:
            return
        program = Program.of(facts)
        solved = program.relaxed()
        if solved is None:
            return
        removed = dict(zip(program.entries, solved[0].tolist(), strict=True))
        bounds.append(float(solved[0].sum()))
        effort.report(f"{bounds[-1]:.1f} candidates have to go, by {len(facts)} facts")
        if len(bounds) > GAIN_ROUNDS and bounds[-1] < (1 + LEAST_GAIN) * bounds[-1 - GAIN_ROUNDS]:
            return


def prune_bound(offers: Offers, facts: dict[Fact, Literals], fewest: int) -> PruneBound | None:
    """Multipliers by linear programming; a proof instead where these show less than is known."""
    solved = Program.of(facts).relaxed() if facts else None
    if solved is None:
        return None
    weights = zip(facts, (int(w * SCALE * (1 - 1e-6)) for w in solved[1]), strict=True)
    some = {fact: weight for fact, weight in weights if weight}
    bound = PruneBound(tuple(some), tuple(some.values()), minimal=offers.minimal)
    enough = not fewest or accept_removed(offers.relation, bound, offers.switching) >= fewest
    return bound if enough else prune_proof(offers, facts, fewest) or bound


def prune_proof(offers: Offers, facts: dict[Fact, Literals], fewest: int) -> PruneBound | None:
    """A proof over the checker's clauses; None if it is too large, or they do not contradict each other."""
    table = plain_table(offers.relation)
    known = [plain.removal_clause(table, offers.switching, offers.minimal, plain_fact(fact)) for fact in facts]
    try:
        clauses, variables = plain.removal_clauses(known, fewest - 1)
    except plain.Unchecked:
        return None
    small = variables <= MOST_PROOF
    steps = refuted_by(clauses, variables, lambda solver: answer(solver, CONFLICTS)) if small else None
    return None if steps is None else PruneBound(tuple(facts), (), steps, fewest, offers.minimal)
