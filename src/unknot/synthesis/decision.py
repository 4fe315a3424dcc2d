"""Decision on one distribution of VCs: a rule with a proof, a refutation, or neither."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, permutations
from typing import Literal

from unknot._base.deadline import clock
from unknot._base.shown import Brief
from unknot._base.switching import Switching, switching_named
from unknot._base.three_valued import ThreeValued
from unknot.certificates import plain
from unknot.certificates.verdict_checker import holds
from unknot.search.effort import SearchEffort
from unknot.search.solver import DisagreementError
from unknot.synthesis.impossible import Impossible, evidence_holds, refutation
from unknot.synthesis.proofs import NoProof, proved_rule
from unknot.synthesis.ranking import Proof
from unknot.synthesis.requirements import Request
from unknot.synthesis.rule import Rule, rule_from
from unknot.synthesis.search import Search
from unknot.synthesis.space import Flags, Space

Counts = tuple[tuple[int, int], ...]
Outcome = Literal["found", "impossible", "open"]
PROOF_SECONDS = 120.0
"""Most seconds in which a rule with a proof is looked for, before rules are refuted on meshes."""
SIDES = {1: 6, 2: 5, 3: 3}
"""Longest sides of the meshes on which a rule without proof is tried; 2 in more dimensions."""


@dataclass(frozen=True, eq=False, repr=False)
class Decision(ThreeValued, Brief, asks="found"):
    """Decision on one distribution of VCs.

    Attributes
    ----------
    space : Space
    switching : str
    outcome : {"found", "impossible", "open"}
    rule : Rule or None
    proof : Proof or None
        Proof that it is deadlock-free on every mesh; None of a rule that was only decided on meshes up to `sides`.
    evidence : Impossible or None
        Proof that there is no rule; of some of the dimensions alone, in some order and direction, where these already
        have too few VCs.
    sides : tuple of int
        Sides of the largest mesh on which rules were tried.
    rounds : int
        Rules that were tried.
    seconds : float
    request : Request
    disagree : bool
        Whether it is open because the search excludes every rule and the checker does not: a fault of the program.

    Examples
    --------
    >>> answer = decide(((1, 1), (1, 2)), "vct")
    >>> answer.outcome, answer.proof.kind, answer.sides
    ('found', 'escape', ())
    """

    space: Space
    switching: Switching
    outcome: Outcome
    rule: Rule | None = None
    proof: Proof | None = None
    evidence: Impossible | None = None
    sides: tuple[int, ...] = ()
    rounds: int = 0
    seconds: float = 0.0

    request: Request = field(default_factory=Request)
    disagree: bool = False

    @property
    def found(self) -> bool | None:
        """Whether there is a rule; None: open."""
        return {"found": True, "impossible": False, "open": None}[self.outcome]

    @cached_property
    def holds(self) -> bool | None:
        """Whether the checkers accept proof or evidence, and it fits the request; None: there is neither."""
        if self.outcome == "impossible":
            return self._refuted()
        if self.rule is None or self.proof is None:
            return None
        claim = self.proof.claim(self.rule.offers, self.switching)
        if not (held := holds(lambda: plain.check(None, None, claim))):
            return held
        provided = self.rule.provided(states=self.request.adaptive == "states")
        return len(provided) >= self.request.bnrs(self.space)

    def _refuted(self) -> bool:
        e = self.evidence
        if e is None or e.request != self.request or e.switching != self.switching or not evidence_holds(e):
            return False
        return e.space == self.space or (self.request.least is None and _within(e.space, self.space))


def decide(
    counts: Counts,
    switching: str,
    request: Request | None = None,
    *,
    short: bool = False,
    effort: SearchEffort | None = None,
    known: dict[Counts, Decision] | None = None,
) -> Decision:
    """Find a rule with given VCs, or show that there is none.

    Parameters
    ----------
    counts : tuple of pairs of int
        VCs up and down each dimension.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
        The switching technique.
    request : Request, optional
        By default fully adaptive in every state.
    short : bool
        For hypercubes.
    effort : SearchEffort, optional
        Counts what was done, and ends the search in time.
    known : dict, optional
        What is known of distributions, in fewer dimensions too; more is added.

    Returns
    -------
    Decision
        What was decided, with its evidence.

    Raises
    ------
    UnknotError
        If the switching technique is not known.
    RelationError
        If a direction has no VC.

    Examples
    --------
    >>> decide(((1, 1), (1, 1)), "vct").outcome, decide(((1, 1), (1, 2)), "vct").outcome
    ('impossible', 'found')
    """
    technique, request, effort = switching_named(switching), request or Request(), effort or SearchEffort()
    known = {} if known is None else known
    counts = tuple((up, down) for up, down in counts)
    if counts in known:
        return known[counts]
    space, began = Space(counts, short), time.monotonic()
    if request.least is None:
        for size in range(2, len(counts)):
            for part in combinations(counts, size):
                sides = tuple(sorted((min(pair), max(pair)) for pair in part))
                one = decide(sides, technique, request, short=short, effort=effort, known=known)
                if one.outcome == "impossible":
                    known[counts] = replace(one, space=space, rounds=0, seconds=time.monotonic() - began)
                    return known[counts]
    one = _search(space, request, technique, effort)
    known[counts] = replace(one, seconds=time.monotonic() - began)
    return known[counts]


def _search(space: Space, request: Request, technique: Switching, effort: SearchEffort) -> Decision:
    """A rule with a proof, else refutation or survival on meshes of growing size."""
    left = effort.limit.left
    search = Search(space, request, technique)
    tried: tuple[int, ...] = ()
    survivor: Flags | None = None
    decision = Decision(space, technique, "open", request=request)
    try:
        proving = SearchEffort(clock() + min(left / 2, PROOF_SECONDS), progress=effort.progress)
        proved = proved_rule(space, request, technique, proving)
    except TimeoutError:
        proved = NoProof((), None)
    if not isinstance(proved, NoProof):
        return replace(decision, outcome="found", rule=rule_from(space, proved[0]), proof=proved[1])
    try:
        if proved.walks is not None and not space.short:
            evidence = refutation(space, request, technique, [], list(proved.paths), proved.walks, effort)
            if evidence is not None:
                return replace(decision, outcome="impossible", evidence=evidence, rounds=len(proved.walks))
        for sides in ladder(space):
            tried = sides
            survivor = search.survive(sides, effort)
            if survivor is None:
                evidence = refutation(space, request, technique, search.refuted, search.paths, (), effort)
                outcome: Outcome = "open" if evidence is None else "impossible"
                return replace(decision, outcome=outcome, evidence=evidence, sides=sides, rounds=search.rounds)
    except (TimeoutError, DisagreementError) as reason:
        differ = isinstance(reason, DisagreementError)
        return replace(decision, sides=tried, rounds=search.rounds, disagree=differ)
    rule = None if survivor is None else rule_from(space, survivor)
    return replace(decision, outcome="found", rule=rule, sides=tried, rounds=search.rounds)


def ladder(space: Space) -> Iterator[tuple[int, ...]]:
    """Sides of growing meshes on which rules are tried."""
    n = space.dimensions
    sides = [2] * n
    yield tuple(sides)
    if space.short:
        return
    for side in range(3, SIDES.get(n, 2) + 1):
        for i in range(n):
            sides[i] = side
            yield tuple(sides)


def _within(part: Space, whole: Space) -> bool:
    """Whether a space has at least the VCs of some dimensions of another, up to their order and direction."""
    if part.short != whole.short or part.dimensions > whole.dimensions:
        return False
    return any(
        all(min(a) >= min(b) and max(a) >= max(b) for a, b in zip(part.counts, chosen, strict=True))
        for chosen in permutations(whole.counts, part.dimensions)
    )
