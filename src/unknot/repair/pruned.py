"""The fewest candidates to remove from a relation so that it is safe and still delivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.certificates import Rejected
from unknot.certificates.verdict_checker import accepts
from unknot.lanes.effort import SearchEffort
from unknot.repair.facts import Entry, Fact, Literals
from unknot.repair.light_knots import light_knots
from unknot.repair.prune_bounds import Program, PruneBound, accept_removed, add_light_knots, prune_bound, prune_proof
from unknot.repair.prune_search import climbing, greedy, named, nearby, size
from unknot.repair.prune_space import Offers, OpenVerdictError
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

if TYPE_CHECKING:
    from unknot.certificates.verdict import Verdict


@dataclass(frozen=True, eq=False, repr=False)
class Unprunable(Brief):
    """Impossibility: no choice of removed candidates makes a relation safe and keeps it delivering.

    Attributes
    ----------
    evidence : PruneBound or None
        Facts that contradict each other; None where a proof of that is too large.
    switching : str
    original : Relation

    Examples
    --------
    >>> from unknot.repair import repair
    >>> few = next(r for r in repair("ring(6)", routing="fully_adaptive") if r.kind == "fewer candidates")
    >>> few.cost, type(few.change).__name__, few.change.evidence_holds
    (None, 'Unprunable', True)
    """

    evidence: PruneBound | None
    switching: str
    original: Relation

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none to check."""
        bound = self.evidence
        if bound is None:
            return None
        return accepts(lambda: accept_removed(self.original, bound, self.switching), bound.claimed)


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
    original : Relation
        The relation that was changed.
    verdict : Verdict
        Verdict on the relation.
    complete : bool
        Whether the search ended by itself: then no fewer are enough.

    Examples
    --------
    >>> from unknot.repair import repair
    >>> few = next(r for r in repair("mesh(2, 2)", routing="fully_adaptive") if r.kind == "fewer candidates")
    >>> len(few.change.removed), few.change.candidates, few.change.verdict.deadlock_free
    (2, 24, True)
    """

    relation: Relation
    removed: tuple[Entry, ...]
    candidates: int
    lower_bound: int
    evidence: PruneBound | None
    switching: str
    original: Relation
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
        return accepts(lambda: accept_removed(self.original, bound, self.switching), self.lower_bound)


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

    Begins with what named routings do without. The facts of a linear program come first (`add_light_knots`). Then a
    solver picks the fewest candidates that settle all facts known so far (see `facts`); what is then left is
    judged, and what is wrong with it is a new fact. Ends with the fewest; until then removing one candidate after the
    other, and again around one channel after the other, gives upper bounds.

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
        best = min(named(offers, effort), key=size, default=None)
        best = climbing(offers, effort) if best is None else best
        if exact:
            add_light_knots(offers, facts, effort)
        while not effort.over:
            wrong = offers.wrong(chosen)
            facts.update(wrong)
            if not wrong or chosen or best is None:
                best = min((best, greedy(offers, chosen, facts, effort) if wrong else chosen), key=size)
            if len(chosen) > least:  # the solver had no time for the fewest
                best = nearby(offers, best, facts, effort)
            effort.report(f"{least} candidates have to go, {'none' if best is None else len(best)} do")
            complete = best is not None and len(best) <= least
            if complete or (best is not None and not (exact and wrong)):
                break
            picked = Program.of(facts).fewest(effort)
            if picked.impossible:
                return Unprunable(prune_proof(offers, facts, offers.count + 1), switching, relation)
            if picked.chosen is None:
                break
            chosen, least = picked.chosen, max(least, picked.least)
            facts.update(light_knots(offers, dict.fromkeys(chosen, 1.0)))
            complete = best is not None and len(best) <= least
            if complete:
                break
    except OpenVerdictError:
        pass
    except KeyboardInterrupt:
        effort.interrupted = True
    if best is None:
        return None
    final = offers.without(best, name=f"{relation.name}, {len(best)} candidates removed")
    bound = prune_bound(offers, facts, len(best) if complete else 0)
    try:
        low = 0 if bound is None else accept_removed(relation, bound, switching)
    except Rejected:
        bound, low = None, 0
    return Pruned(
        final, tuple(sorted(best)), offers.count, low, bound, switching, relation, offers.verdict(final), complete
    )
