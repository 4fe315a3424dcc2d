"""The fewest candidates to remove from a relation so that it is safe and still delivers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.deadline import clock
from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING
from unknot._base.work import spend
from unknot.network import distances_from
from unknot.remedies.branching import Branching
from unknot.remedies.facts import Entry
from unknot.remedies.programs import OrderedProgram
from unknot.remedies.prune_space import EJECTED, Offers, OpenVerdictError
from unknot.routing.named import routing, routings
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.search.bound import Bounded
from unknot.search.effort import SearchEffort

if TYPE_CHECKING:
    from unknot.certificates.verdict import Verdict

LOCAL_SHARE = 0.5
"""Share of the time for local search."""
MOST_NAMED = 20_000
"""Most candidates of a relation beside which named routings are tried."""
NAMED_SHARE = 0.2
"""Share of the time for these, once one fits."""
MOST_PROGRAMMED = 50_000
"""Most candidates of a relation among which local search goes on."""
MOST_FREE = 9
"""Most routers at which turns are free in local search."""
STATE = 5e-6
"""Work of looking at a state when candidates are put back."""
NEARBY = 4.0
"""Most seconds of a local search."""


@dataclass(frozen=True, eq=False, repr=False)
class Unprunable(Bounded):
    """Impossibility: no choice of removed candidates makes a relation safe and keeps it delivering.

    Attributes
    ----------
    lower_bound : int
        One more than there are candidates: by the evidence, removing all of them is not enough.
    evidence : Bound
    switching : str
    original : Relation

    Examples
    --------
    >>> from unknot.remedies import repair
    >>> few = next(r for r in repair("ring(6)", routing="fully_adaptive") if r.kind == "fewer candidates")
    >>> few.cost, type(few.change).__name__, few.change.evidence_holds
    (None, 'Unprunable', True)
    """

    switching: str


@dataclass(frozen=True, eq=False, repr=False)
class Pruned(Bounded):
    """A relation with fewer candidates.

    Attributes
    ----------
    relation : Relation
    removed : tuple of (input VC, address, output VC)
        Candidates that are gone.
    candidates : int
        Candidates of the relation as it was, ejections not counted; or units in which they go.
    lower_bound : int
        Fewer removed candidates are not enough: the evidence shows it.
    evidence : Bound or None
    switching : str
    original : Relation
        The relation that was changed.
    verdict : Verdict
        Verdict on the relation.
    complete : bool
        Whether the search ended by itself: then no fewer are enough.

    Examples
    --------
    >>> from unknot.remedies import repair
    >>> few = next(r for r in repair("mesh(2, 2)", routing="fully_adaptive") if r.kind == "fewer candidates")
    >>> len(few.change.removed), few.change.candidates, few.change.verdict.deadlock_free
    (2, 24, True)
    """

    relation: Relation
    removed: tuple[Entry, ...]
    candidates: int
    switching: str
    verdict: Verdict
    complete: bool

    @property
    def fewest(self) -> bool:
        """Whether fewer are shown to be impossible."""
        return len(self.removed) == self.lower_bound


@takes_relation
def pruned(
    relation: Relation,
    effort: SearchEffort,
    *,
    switching: str = DEFAULT_SWITCHING,
    minimal: bool = False,
    unit: Callable[[int, int, int], Hashable | None] | None = None,
) -> Pruned | Unprunable | None:
    """Remove few candidates so that a relation is safe and delivers; None if no way was found.

    Begins with what named routings do without. Then branch and bound over linear programs of facts (see
    `facts`) looks for fewer, and local search goes on from the best. Ends with the fewest.

    Parameters
    ----------
    minimal : bool
        What is left shall take shortest paths only.
    unit : callable, optional
        The unit in which a candidate (input VC, address, output VC) is removed; None: it stays. Units are counted
        then, and `Pruned.removed` has the first candidate of each. By default each candidate is one.
    """
    search = Branching(Offers(relation, switching, minimal, unit))
    rounds, local, program = 0, 0.0, None
    try:
        if unit is None:
            search.improve(min(named(search.offers, effort), key=len, default=None))
        else:
            search.improve(restored(search.offers, effort))
        small = search.offers.count <= MOST_PROGRAMMED
        while search.open and not effort.over:
            search.step(effort)
            started = clock()
            if search.open and small and local <= LOCAL_SHARE * (started - effort.began):
                program = program or OrderedProgram.of_offers(search.offers, search.facts)
                search.improve(nearby(search, program, rounds, effort))
                rounds, local = rounds + 1, local + clock() - started
            enough = "none" if search.best is None else search.upper_bound
            effort.report(f"{search.lower_bound} candidates have to go, {enough} do")
    except OpenVerdictError:
        pass
    except KeyboardInterrupt:
        effort.interrupted = True
    best, bounds = search.best, (search.bound(), search.bound(divided=False))
    if best is None:
        impossible = bounds[0] is not None and not search.open
        return Unprunable(switching, original=relation, evidence=bounds[0]) if impossible else None
    final = search.offers.without(best, name=f"{relation.name}, {len(best)} candidates removed")
    return Pruned(
        final,
        tuple(sorted(best)),
        search.offers.count if search.offers.together is None else len(search.offers.together),
        switching,
        search.offers.verdict(final),
        not search.open,
        original=relation,
        evidence=next((bound for bound in bounds if bound is not None and bound.evidence_holds(relation)), None),
    )


def restored(offers: Offers, effort: SearchEffort) -> frozenset[Entry] | None:
    """All units but for parts that can be put back, tried in halves, the largest units first; None if even all are
    not enough.
    """
    units = offers.together or {}
    every = sorted(units, key=lambda first: -len(units[first]))
    removed = frozenset(every)
    if not offers.hold(removed):
        return None
    todo = [every]
    while todo and not effort.over:
        part = todo.pop()
        spend(STATE * offers.table.input_vc.size)
        if offers.hold(removed.difference(part)):
            removed = removed.difference(part)
        elif len(part) > 1:
            todo += [part[len(part) // 2 :], part[: len(part) // 2]]
    return removed


def named(offers: Offers, effort: SearchEffort) -> Iterator[frozenset[Entry]]:
    """Candidates absent from a named routing, provided that the routing adds none, is safe and delivers."""
    relation, known, fits = offers.relation, set[frozenset[Entry]](), False
    named = effort.limit.part(NAMED_SHARE)
    for name in routings().core if offers.count <= MOST_NAMED else ():
        if effort.over or (fits and named.over):
            return
        try:
            other = routing(relation.network, name)
            if other.num_vcs != relation.num_vcs or not np.array_equal(other.destination, relation.destination):
                continue
            kept = Offers(other, offers.switching, offers.minimal).after
        except UnknotError:
            continue
        removed = frozenset(
            (at, address, vc)
            for address, states in enumerate(offers.after)
            for at, candidates in states.items()
            for vc, _ in candidates
            if vc != EJECTED and vc not in (there for there, _ in kept[address].get(at, ()))
        )
        removed = frozenset(entry for entry in removed if entry[0] in offers.reached(entry[1], removed))
        if removed not in known and offers.hold(removed):
            fits = True
            yield removed
        known.add(removed)


def nearby(search: Branching, program: OrderedProgram, number: int, effort: SearchEffort) -> frozenset[Entry] | None:
    """As few as the best, or fewer, where turns at some routers are free, and others stay; without a best all are."""
    offers, fixed = search.offers, dict[tuple[int, int], bool]()
    rank = None if search.best is None else offers.order(search.best)
    if rank is not None:
        network, random = offers.relation.network, np.random.default_rng([effort.seed, number])
        away = distances_from(network, int(random.integers(network.num_routers))) + random.random(network.num_routers)
        free = np.argsort(away)[: number % (MOST_FREE + 1)].tolist()
        for at, vc in offers.turns:
            if at in rank and int(offers.relation.vcs.router[at]) not in free:
                fixed[at, vc] = rank.get(vc, -1) >= rank[at]
    removed = program.solved(fixed, min(search.upper_bound, offers.count), min(NEARBY, effort.limit.left))
    return removed if removed is not None and offers.hold(removed) else None
