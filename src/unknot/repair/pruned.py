"""The fewest candidates to remove from a relation so that it is safe and still delivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.background import clock
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.certificates import Rejected, network_of, plain, table_of
from unknot.certificates.verdict_checker import accepts
from unknot.lanes.effort import SearchEffort
from unknot.lanes.solver import answer, refuted_by
from unknot.repair.prune_bounds import (  # fmt: skip
    SCALE,
    Entry,
    Fact,
    Literals,
    PruneBound,
    accept_removed,
    plain_fact,
)
from unknot.repair.prune_choices import climbing, greedy
from unknot.repair.prune_space import Offers, OpenVerdictError
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

if TYPE_CHECKING:
    from unknot.certificates.verdict import Verdict

MOST_PROOF = 60_000
"""Most variables of a proof by unit propagation."""
CONFLICTS = 200_000


@dataclass(frozen=True, eq=False, repr=False)
class Unprunable(Brief):
    """Impossibility: no choice of removed candidates makes a relation safe and keeps it delivering.

    Attributes
    ----------
    evidence : PruneBound or None
        Facts that contradict each other; None where a proof of that is too large.
    switching : str
    given : Relation
    """

    evidence: PruneBound | None
    switching: str
    given: Relation

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none to check."""
        bound = self.evidence
        if bound is None:
            return None
        return accepts(lambda: accept_removed(self.given, bound, self.switching), bound.claimed)


@dataclass(frozen=True, eq=False, repr=False)
class Pruned(Brief):
    """A relation with fewer candidates.

    Attributes
    ----------
    relation : Relation
    removed : tuple of (input VC, address, output VC)
        Candidates that are gone.
    candidates : int
        Candidates of the relation as it was, ejections not counted.
    lower_bound : int
        Fewer removed candidates are not enough: the evidence shows it.
    evidence : PruneBound or None
    switching : str
    given : Relation
        The relation that was changed.
    verdict : Verdict
        Verdict on the relation.
    complete : bool
        Whether the search ended by itself: then no fewer are enough.
    """

    relation: Relation
    removed: tuple[Entry, ...]
    candidates: int
    lower_bound: int
    evidence: PruneBound | None
    switching: str
    given: Relation
    verdict: Verdict
    complete: bool

    @property
    def fewest(self) -> bool:
        """Whether fewer are shown to be impossible."""
        return len(self.removed) == self.lower_bound

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none to check."""
        bound = self.evidence
        if bound is None:
            return None
        return accepts(lambda: accept_removed(self.given, bound, self.switching), self.lower_bound)


@takes_relation
def pruned(
    relation: Relation,
    effort: SearchEffort,
    *,
    switching: str = DEFAULT_SWITCHING,
    minimal: bool = False,
    exact: bool = True,
) -> Pruned | Unprunable | None:
    """Remove few candidates so that a relation is safe and delivers; None if no way was found.

    A solver picks the fewest candidates that settle all facts known so far (see `prune_bounds`); what is then left is
    judged, and what is wrong with it is a new fact. Ends with the fewest; until then removing one candidate after the
    other gives upper bounds.

    Parameters
    ----------
    minimal : bool
        What is left shall take shortest paths only.
    exact : bool
        Go on until the fewest are found, or time runs out; otherwise the first relation that holds is enough.
    """
    offers = Offers(relation, switching, minimal)
    best: frozenset[Entry] | None = None
    facts: dict[Fact, Literals] = {}
    chosen: frozenset[Entry] = frozenset()
    least, complete = 0, False
    try:
        best = climbing(offers, effort)
        while not effort.over:
            wrong = offers.wrong(chosen)
            if not wrong:
                best, complete = chosen, True
                break
            facts.update(wrong)
            better = greedy(offers, chosen, facts, effort)
            if better is not None and (best is None or len(better) < len(best)):
                best = better
            effort.report(f"{least} candidates have to go, {'none' if best is None else len(best)} do")
            if best is not None and (not exact or len(best) <= least):
                complete = len(best) <= least
                break
            picked = _fewest(facts, chosen if best is None else best, effort)
            if picked is None:
                break
            if isinstance(picked, Unsatisfiable):
                return Unprunable(_proof(offers, facts, offers.count + 1), switching, relation)
            chosen = picked
            least = max(least, len(chosen))
            if best is not None and len(best) <= least:
                complete = True
                break
    except OpenVerdictError:
        pass
    except KeyboardInterrupt:
        effort.interrupted = True
    if best is None:
        return None
    final = offers.without(best, name=f"{relation.name}, {len(best)} candidates removed")
    bound = _bound(offers, facts, len(best) if complete else 0)
    try:
        low = 0 if bound is None else accept_removed(relation, bound, switching)
    except Rejected:
        bound, low = None, 0
    return Pruned(
        final, tuple(sorted(best)), offers.count, low, bound, switching, relation, offers.verdict(final), complete
    )


class Unsatisfiable:
    """Facts contradict each other."""


def _fewest(
    facts: dict[Fact, Literals], hint: frozenset[Entry], effort: SearchEffort
) -> frozenset[Entry] | Unsatisfiable | None:
    """The fewest candidates that settle all facts, by CP-SAT; None if it has no answer."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    entries = sorted({entry for clause in facts.values() for part in clause for entry in part})
    gone = {entry: model.new_bool_var("") for entry in entries}
    for positive, negative in facts.values():
        model.add_bool_or([gone[e] for e in sorted(positive)] + [gone[e].negated() for e in sorted(negative)])
    for entry, variable in gone.items():
        model.add_hint(variable, entry in hint)
    model.minimize(sum(gone.values()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = effort.seed % 2**31
    solver.parameters.max_time_in_seconds = max(0.1, effort.deadline - clock())
    answer = solver.solve(model)
    if answer == cp_model.INFEASIBLE:
        return Unsatisfiable()
    if answer != cp_model.OPTIMAL:
        return None
    return frozenset(entry for entry, variable in gone.items() if solver.value(variable))


def _bound(offers: Offers, facts: dict[Fact, Literals], fewest: int) -> PruneBound | None:
    """Multipliers by linear programming; a proof instead where these show less than is known."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    if not facts:
        return None
    entries = sorted({entry for clause in facts.values() for part in clause for entry in part})
    column = {entry: i for i, entry in enumerate(entries)}
    cells = [
        (i, column[entry], sign)
        for i, (gone, kept) in enumerate(facts.values())
        for sign, part in ((-1.0, gone), (1.0, kept))
        for entry in part
    ]
    row, col, value = (np.array(part) for part in zip(*cells, strict=True))
    solved = linprog(
        np.ones(len(entries)),
        A_ub=coo_array((value, (row, col)), shape=(len(facts), len(entries))).tocsr(),
        b_ub=np.array([len(kept) - 1.0 for _, kept in facts.values()]),
        bounds=(0, 1),
        method="highs",
    )
    if solved.status != 0:
        return None
    price = np.maximum(0.0, -np.asarray(solved.ineqlin.marginals))
    weights = [int(w * SCALE * (1 - 1e-6)) for w in price]
    some = [(fact, w) for fact, w in zip(facts, weights, strict=True) if w]
    found = PruneBound(tuple(fact for fact, _ in some), tuple(w for _, w in some), minimal=offers.minimal)
    if fewest and accept_removed(offers.relation, found, offers.switching) < fewest:
        return _proof(offers, facts, fewest) or found
    return found


def _proof(offers: Offers, facts: dict[Fact, Literals], fewest: int) -> PruneBound | None:
    """A proof over the checker's clauses; None if it is too large, or they do not contradict each other."""

    table = plain.Table(plain.Network(network_of(offers.relation.network)), table_of(offers.relation))
    known = [plain.removal_clause(table, offers.switching, offers.minimal, plain_fact(fact)) for fact in facts]
    clauses, variables = plain.removal_clauses(known, fewest - 1)
    if variables > MOST_PROOF:
        return None
    steps = refuted_by(clauses, variables, lambda solver: answer(solver, CONFLICTS))
    return None if steps is None else PruneBound(tuple(facts), (), steps, fewest, offers.minimal)
