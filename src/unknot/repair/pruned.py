"""The fewest candidates to remove from a relation so that it is safe and still delivers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.background import clock
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.certificates import Rejected
from unknot.certificates.verdict_checker import accepts
from unknot.lanes.effort import SearchEffort
from unknot.lanes.orders import search
from unknot.lanes.path_set import following, packed
from unknot.network import Network
from unknot.repair.bounds import PruneBound, accept_removed, prune_bound, prune_proof
from unknot.repair.facts import Entry, Fact, Knot, Literals
from unknot.repair.prune_space import EJECTED, Offers, OpenVerdictError
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

    A solver picks the fewest candidates that settle all facts known so far (see `facts`); what is then left is
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
                return Unprunable(prune_proof(offers, facts, offers.count + 1), switching, relation)
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
    bound = prune_bound(offers, facts, len(best) if complete else 0)
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


def climbing(offers: Offers, effort: SearchEffort) -> frozenset[Entry] | None:
    """Candidates removed until all others lead to VCs of higher keys; None if no keys were found that allow it."""
    relation, vcs = offers.relation, offers.relation.vcs
    own = relation.network
    network = Network(
        "VCs", own.num_routers, own.source[vcs.channel], own.target[vcs.channel], inject=own.inject, eject=own.eject
    )
    home = own.eject[relation.destination].astype(np.int64)
    needed = np.zeros((own.num_routers, home.size), dtype=bool)
    taken = np.zeros((vcs.total, home.size), dtype=bool)
    for address, states in enumerate(offers.after):
        needed[own.inject[relation.sources(address)], address] = True
        for candidates in states.values():
            taken[[vc for vc, waits in candidates if vc != EJECTED and waits], address] = True
    needed[home, np.arange(home.size)] = False
    paths = following(network, packed(taken), packed(needed), home)
    few = replace(effort, deadline=(effort.deadline + clock()) / 2, tried={})
    random = np.random.default_rng(effort.seed)
    orders = search(paths, 1, few, first=0, rounds=2, begin=lambda number: (random.random((1, vcs.total)), None))
    if orders is None:
        return None
    key, removed = orders.key[0], frozenset[Entry]()
    for address, states in enumerate(offers.after):
        falls = {
            (at, address, vc)
            for at, candidates in states.items()
            for vc, _ in candidates
            if vc != EJECTED and at < vcs.total and key[vc] <= key[at]
        }
        closed = offers.closed(frozenset(falls), address)
        if closed is None:
            return None
        removed |= {entry for entry in closed if entry[0] in offers.reached(address, closed)}
    return _put_back(offers, removed, frozenset(), effort)


def greedy(
    offers: Offers, removed: frozenset[Entry], facts: dict[Fact, Literals], effort: SearchEffort
) -> frozenset[Entry] | None:
    """Candidates removed one after the other until nothing is wrong, and then put back while nothing is."""
    random = np.random.default_rng([effort.seed, len(facts)])
    start = removed
    while wrong := offers.wrong(removed):
        if effort.over:
            return None
        facts.update(wrong)
        fact, (gone, _) = next(iter(wrong.items()))
        if not isinstance(fact, Knot):
            return None
        options = [offers.closed(removed | {entry}, entry[1]) for entry in sorted(gone)]
        sizes = [float("inf") if option is None else len(option) + random.random() for option in options]
        chosen = options[int(np.argmin(sizes))]
        if chosen is None:
            return None
        removed = chosen
    return _put_back(offers, removed, start, effort)


def _put_back(
    offers: Offers, removed: frozenset[Entry], start: frozenset[Entry], effort: SearchEffort
) -> frozenset[Entry]:
    """Put removed candidates back, but those of `start`, one after the other, while nothing is wrong."""
    end = (clock() + effort.deadline) / 2
    for entry in sorted(removed - start):
        if clock() > end:
            break
        if not offers.wrong(removed - {entry}):
            removed = removed - {entry}
    return removed
