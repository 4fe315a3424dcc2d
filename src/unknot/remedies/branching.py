"""Branch and bound for the fewest removed candidates: a tree of linear programs, the lowest leaf divided next.

A fractional choice of removed candidates gives each a share from 0 to 1 by which it is removed, and each turn a share
by which it does not fall. The clause of a fact asks for shares that add up to 1. The lightest path to a header makes
the strongest fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace
from math import ceil, inf

from unknot.certificates.claims import removals_claim
from unknot.network.graph import light_cycles
from unknot.remedies.facts import CANDIDATE, Cycle, Entry, Fact, Literals, PathFact, plain_fact
from unknot.remedies.programs import CoveringProgram, Multipliers, Relaxed
from unknot.remedies.prune_space import EJECTED, Offers
from unknot.search.bound import Bound
from unknot.search.effort import SearchEffort

NEAR = 1e-4
"""Distance from a whole number that is an error of the solver, or of rounding multipliers."""
UNSETTLED = 1e-6
"""Difference from 1 at which a clause counts as not satisfied; below it is an error of the solver."""
LEAST_GAIN = 1e-3
"""Share by which several rounds of knots have to raise a bound for more to be sought."""
GAIN_ROUNDS = 8


@dataclass(eq=False)
class Branch:
    """A node of the tree: candidates that are removed or kept for certain, and what facts then add up to."""

    fixed: dict[Entry, bool]
    multipliers: Multipliers
    lower_bound: int = 0
    entry: Entry | None = None
    """The candidate by which it is divided; None for a leaf."""
    parts: tuple[Branch, ...] = ()

    def __lt__(self, other: Branch) -> bool:
        """Order leaves: the lowest bound first, of these the deepest."""
        return (self.lower_bound, -len(self.fixed)) < (other.lower_bound, -len(other.fixed))


@dataclass(eq=False)
class Branching:
    """The tree of branch and bound, and the known facts, which grow together.

    Attributes
    ----------
    open : list of Branch
        Heap of leaves in which fewer removed candidates than `best` may do.
    best : frozenset of Entry or None
        The fewest removed candidates that are known to do.
    """

    offers: Offers
    best: frozenset[Entry] | None = None
    facts: dict[Fact, Literals] = field(default_factory=dict)
    root: Branch = field(default_factory=lambda: Branch({}, {}))
    open: list[Branch] = field(init=False)

    def __post_init__(self) -> None:
        self.open = [self.root]
        self._program: CoveringProgram | None = None

    @property
    def upper_bound(self) -> int:
        """Number of candidates in `best`; without `best`, the number of all candidates plus 1."""
        return self.offers.count + 1 if self.best is None else len(self.best)

    @property
    def lower_bound(self) -> int:
        """Number of candidates that have to go, by the lowest leaf."""
        return min(self.open[0].lower_bound, self.upper_bound) if self.open else self.upper_bound

    def improve(self, removed: frozenset[Entry] | None) -> None:
        """Keep sufficient removed candidates, even without progress, because local search continues
        from other sets.
        """
        if removed is not None and len(removed) <= self.upper_bound:
            self.best = removed
            self.open = [branch for branch in self.open if branch.lower_bound < self.upper_bound]
            heapify(self.open)

    def step(self, effort: SearchEffort) -> None:
        """Divide the lowest leaf, unless more facts close it."""
        # It stays in the heap until it is closed or divided: a step that is broken off leaves it open.
        branch = self.open[0]
        totals: list[float] = []
        while True:
            relaxed = self._relaxed(branch)
            shares, branch.multipliers = relaxed.shares, relaxed.multipliers
            branch.lower_bound = max(branch.lower_bound, ceil(relaxed.total - NEAR))
            totals.append(relaxed.total)
            if branch.lower_bound >= self.upper_bound:
                heappop(self.open)
                return
            known = len(self.facts)
            self.facts.update(unsettled(self.offers, shares))
            split = [entry for entry, share in shares.items() if min(share, 1 - share) > NEAR]
            if len(self.facts) == known and all(len(entry) != CANDIDATE for entry in split):
                chosen = frozenset(
                    entry for entry, share in shares.items() if share > 0.5 and len(entry) == CANDIDATE
                )
                if self.offers.delivers(chosen):  # else turns that are divided keep packets from going round
                    knot = self.offers.knot(chosen)
                    if knot is None:
                        self.improve(chosen)
                        return
                    self.facts[knot] = self.offers.clause(knot)
            slow = len(totals) > GAIN_ROUNDS and totals[-1] < (1 + LEAST_GAIN) * totals[-1 - GAIN_ROUNDS]
            if effort.over:
                heapreplace(self.open, branch)
                return
            if split and (slow or len(self.facts) == known):
                break
        # Turns first: each is a matter of many candidates. Of these what most of the sum of facts depends on.
        gain = {entry: relaxed.weight[entry] * shares[entry] * (1 - shares[entry]) for entry in split}
        branch.entry = entry = min(split, key=lambda entry: (len(entry), -gain[entry]))
        branch.parts = tuple(
            Branch({**branch.fixed, entry: removed}, branch.multipliers, branch.lower_bound)
            for removed in (True, False)
        )
        heappop(self.open)
        for part in branch.parts:
            heappush(self.open, part)

    def _relaxed(self, branch: Branch) -> Relaxed:
        if not self.facts:
            return Relaxed({}, 0.0, {}, {})
        if self._program is None or self._program.matrix.shape[0] < len(self.facts):
            self._program = CoveringProgram.of_facts(self.facts)
        return self._program.relaxed(branch.fixed, self.upper_bound)

    def bound(self, *, divided: bool = True) -> Bound | None:
        """The tree, or its root alone, as a proof with its facts; None if it shows nothing.

        Each node of the proof comes before its branches. A candidate has two: it is removed, then it is kept; a turn
        rises, then it falls. A leaf has the multipliers with which facts are added up, by number of the fact.
        """
        nodes: list[Branch] = []
        todo = [self.root if divided else Branch({}, self.root.multipliers)]
        while todo:
            nodes.append(todo.pop())
            todo += reversed(nodes[-1].parts)
        used = sorted({fact for node in nodes if node.entry is None for fact in node.multipliers})
        facts, number = list(self.facts), {fact: i for i, fact in enumerate(used)}
        tree = [
            {"multipliers": [[number[fact], times] for fact, times in node.multipliers.items()]}
            if node.entry is None else {"entry": [*node.entry]}
            for node in nodes
        ]  # fmt: skip
        proof = {"facts": [plain_fact(facts[fact]) for fact in used], "tree": tree}
        least = self.lower_bound if divided else self.root.lower_bound
        together = None if self.offers.together is None else [*self.offers.together.values()]
        claim = removals_claim(self.offers.switching, self.offers.minimal, least, proof, together)
        return Bound(claim) if used else None


Shares = Mapping[Entry, float]
"""Shares by which entries are removed; 0 for those that it does not have."""


def unsettled(offers: Offers, shares: Shares) -> dict[Fact, Literals]:
    """Facts whose clauses a fractional choice does not satisfy, by their clauses: cycles, and one for each state."""
    facts = list[Fact]()
    facts += map(Cycle, light_cycles({turn: shares.get(turn, 0.0) for turn in offers.turns}))
    for address, states in enumerate(offers.after):
        away, before = _lightest_paths(offers, address, shares)
        for at in states:
            if away.get(at, 1.0) < 1 - UNSETTLED:
                path = [at]
                while path[-1] in before:
                    path.append(before[path[-1]])
                facts += _at(offers, address, tuple(path[::-1]), away[at], shares)
    return {fact: offers.clause(fact) for fact in facts}


def _at(offers: Offers, address: int, path: tuple[int, ...], away: float, shares: Shares) -> Iterator[Fact]:
    """What a fractional choice does not satisfy at the end of a path that weighs so much."""
    at, stopped, falling = path[-1], away, []
    for vc, waits in offers.after[address][at]:
        removed = shares.get(offers.named((at, address, vc)) or (), 0.0)
        rises = shares.get((at, vc), 0.0)
        if vc != EJECTED and away + removed < 1 - UNSETTLED:
            if offers.is_detour(address, at, vc):
                yield PathFact("detour", address, (*path, vc))
            if offers.chosen and away + removed + 1 - rises < 1 - UNSETTLED:
                yield PathFact("rise", address, (*path, vc))
        if waits:
            stopped += 1 - max(removed, rises)
            falling += [vc] if rises > removed else []
    if stopped < 1 - UNSETTLED:
        yield PathFact("stop", address, path, tuple(falling))


def _lightest_paths(offers: Offers, address: int, shares: Shares) -> tuple[dict[int, float], dict[int, int]]:
    """Weight of the lightest path to each input VC, by the shares of its steps; and the VC before on that path."""
    heap = [(0.0, offers.relation.num_vcs + source) for source in offers.relation.sources(address).tolist()]
    away, before, done = {at: 0.0 for _, at in heap}, dict[int, int](), set[int]()
    while heap:
        weight, at = heappop(heap)
        if at in done:
            continue
        done.add(at)
        for vc, _ in offers.after[address].get(at, ()):
            more = weight + shares.get(offers.named((at, address, vc)) or (), 0.0)
            if vc != EJECTED and more < away.get(vc, inf):
                away[vc], before[vc] = more, at
                heappush(heap, (more, vc))
    return away, before
