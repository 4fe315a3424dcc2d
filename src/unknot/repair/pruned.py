"""The fewest candidates to remove from a relation so that it is safe and still delivers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.background import clock
from unknot._base.errors import UnknotError
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.certificates import Rejected
from unknot.certificates.verdict_checker import accepts
from unknot.lanes.effort import SearchEffort
from unknot.lanes.orders import search
from unknot.lanes.path_set import following, packed
from unknot.network import Network
from unknot.repair.facts import Entry, Fact, Knot, Literals
from unknot.repair.light_knots import light_knots
from unknot.repair.prune_bounds import Program, PruneBound, accept_removed, add_light_knots, prune_bound, prune_proof
from unknot.repair.prune_space import EJECTED, Offers, OpenVerdictError
from unknot.routing.named import routing, routings
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

if TYPE_CHECKING:
    from unknot.certificates.verdict import Verdict

MOST_NAMED = 20_000
"""Most candidates of a relation beside which named routings are tried."""
NAMED_SHARE = 0.2
"""Share of the time for these."""
NEARBY = 20
"""Rounds of removing candidates anew around a channel, after each choice of the solver."""


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
        best = min(named(offers, effort), key=_size, default=None)
        best = climbing(offers, effort) if best is None else best
        if exact:
            add_light_knots(offers, facts, effort)
        while not effort.over:
            wrong = offers.wrong(chosen)
            facts.update(wrong)
            if not wrong or chosen or best is None:
                best = min((best, greedy(offers, chosen, facts, effort) if wrong else chosen), key=_size)
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


def _size(removed: frozenset[Entry] | None) -> float:
    """Number of removed candidates; None: no way was found."""
    return float("inf") if removed is None else len(removed)


def named(offers: Offers, effort: SearchEffort) -> Iterator[frozenset[Entry]]:
    """Candidates that a named routing does not have, if it has no others, is safe and delivers."""
    relation, known = offers.relation, set[frozenset[Entry]]()
    end = clock() + NAMED_SHARE * (effort.deadline - clock())
    for name in routings().core if offers.count <= MOST_NAMED else ():
        if clock() > end:
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
        if removed not in known and not offers.wrong(removed):
            yield _put_back(offers, removed, frozenset(), effort)
        known.add(removed)


def nearby(
    offers: Offers, best: frozenset[Entry] | None, facts: dict[Fact, Literals], effort: SearchEffort
) -> frozenset[Entry] | None:
    """Put back all that is removed at two neighbours, and remove candidates anew; the best of some rounds."""
    relation, random = offers.relation, np.random.default_rng([effort.seed, len(facts), 1])
    router = np.concatenate([relation.vcs.router, relation.network.inject])
    for _ in range(NEARBY if best else 0):
        channel = int(random.integers(relation.network.num_channels))
        ends = {int(relation.network.source[channel]), int(relation.network.target[channel])}
        tried = greedy(offers, frozenset(e for e in best or () if int(router[e[0]]) not in ends), facts, effort)
        if _size(tried) <= _size(best):
            best = tried
        if effort.over:
            break
    return best


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
