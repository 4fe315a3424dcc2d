"""Verdicts for meshes of every size: the permissions of a named algorithm, and a proof about them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from unknot._base.deadline import MINUTE, Deadline, NoAnswerError, counts_work
from unknot._base.errors import RelationError
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot._base.three_valued import ThreeValued
from unknot.certificates import evidence_holds, plain
from unknot.certificates.documents import Document
from unknot.certificates.verdict import Verdict
from unknot.certificates.verdict_checker import holds
from unknot.certificates.verdict_claims import verdict_claim
from unknot.routing.relation import Relation
from unknot.search.effort import SearchEffort
from unknot.synthesis.design import family_of
from unknot.synthesis.proofs import kind_of, proof_of
from unknot.synthesis.ranking import Proof
from unknot.synthesis.rule import Rule
from unknot.synthesis.rule_reading import NotUniform, growing_meshes, mesh_relation, meshes_to_read, rule_of
from unknot.verify import check


@dataclass(frozen=True, eq=False, repr=False)
class EverySize(ThreeValued, Brief, asks="deadlock_free"):
    """Whether an algorithm can deadlock on any mesh of some dimensions.

    Attributes
    ----------
    dimensions : int
    routing : str
    switching : str
    deadlock_free : bool or None
        True: on every mesh, by the proof. False: not on the mesh of the refuted sides, nor, of a uniform algorithm,
        on any larger one. None: open; see `decided`.
    uniform : bool
        Whether the algorithm answers by the type of VC and the signs of what remains, on all meshes of `read`. For
        larger ones that is assumed: an algorithm is a program, and only its answers were compared.
    reason : str
        If it is not uniform, where its answers differ.
    rule : Rule or None
        Its permissions.
    proof : Proof or None
    read : tuple of sides
        Meshes on which all answers were compared.
    decided : tuple of sides
        Meshes on which it is deadlock-free by a verdict of their own.
    refuted : Verdict or None
        A deadlock, on the mesh of `refuted_on`.
    refuted_on : sides or None
    seconds : float

    Examples
    --------
    >>> answer = every_size("mesh(2)", "fully_adaptive")
    >>> answer.deadlock_free, answer.uniform, answer.refuted_on
    (False, True, (2, 2))
    """

    dimensions: int
    routing: str
    switching: Switching
    deadlock_free: bool | None
    uniform: bool
    reason: str
    rule: Rule | None
    proof: Proof | None
    read: tuple[tuple[int, ...], ...]
    decided: tuple[tuple[int, ...], ...]
    refuted: Verdict | None
    refuted_on: tuple[int, ...] | None
    seconds: float

    @property
    def holds(self) -> bool | None:
        """Whether the separate checkers accept proof or configuration; None: there is neither."""
        if self.proof is not None and self.rule is not None:
            return holds(lambda: plain.check(None, None, self.claim))
        if self.refuted is not None and self.relation is not None:
            return evidence_holds(self.relation, self.refuted)
        return None

    @property
    def relation(self) -> Relation | None:
        """The algorithm on the mesh where it was refuted."""
        return None if self.refuted_on is None else mesh_relation(self.refuted_on, self.routing)

    @property
    def claims(self) -> list[Document]:
        """The claim of the proof, or of a deadlock."""
        if self.proof is not None:
            return [self.claim]
        return [] if self.refuted is None else [verdict_claim(self.refuted)]

    @property
    def claim(self) -> Document:
        """The proof, as a claim of a document about the rule that was read."""
        if self.proof is None or self.rule is None:
            raise RelationError(f"{self.routing}: there is no proof for every size")
        return self.proof.claim(self.rule.offers, self.switching, self.rule.waits)


@counts_work
def every_size(
    family: str, routing: str, switching: str = DEFAULT_SWITCHING, *, time_limit: float | Deadline = MINUTE
) -> EverySize:
    """Decide for all meshes of some dimensions at once whether an algorithm can deadlock.

    Its permissions are read from small meshes and compared, the proof is about the permissions.

    Parameters
    ----------
    family : str
        Such as ``"mesh(3)"``, all meshes of three dimensions.
    routing : str
        Name of an algorithm, with options if wanted.
    switching : {"wormhole", "wormhole-nonatomic", "vct", "saf"}
    time_limit : float or Deadline
        Seconds.

    Returns
    -------
    EverySize
        The verdict on meshes of all sizes, with its proof.

    Raises
    ------
    UnknotError
        If there is no such algorithm, it cannot be used on meshes, or the family is none.

    Examples
    --------
    >>> found = every_size("mesh(2)", "lcfaa", "vct")
    >>> found.deadlock_free, found.proof.kind, found.holds
    (True, 'escape', True)
    """
    dimensions, short = family_of(family)
    if short:
        raise RelationError(f"{family} is one network, for `check`; a family is mesh(3) or hypercube(3)")
    technique, began = switching_named(switching), time.monotonic()
    deadline = Deadline.of(time_limit)
    read = tuple(meshes_to_read(dimensions))
    rule: Rule | None = None
    reason = ""
    try:
        half = deadline.part(1 / 2)
        rule = half.within(partial(rule_of, routing, read, half))
    except NotUniform as error:
        reason = str(error)
    except (NoAnswerError, TimeoutError):
        reason = f"its permissions were not read in half of {deadline.seconds:g} s"
    proof: Proof | None = None
    if rule is not None:
        half = deadline.part(1 / 2)
        try:
            proof = half.within(partial(_proof, rule, technique, half))
        except (NoAnswerError, TimeoutError):
            reason = f"no proof was found in half of {deadline.seconds:g} s"
        else:
            if proof is None:
                reason = f"no ranking that is linear in the coordinates proves it ({kind_of(technique)})"
    decided: list[tuple[int, ...]] = []
    refuted: Verdict | None = None
    refuted_on = None
    for sides in () if proof is not None else growing_meshes(dimensions):
        relation = deadline.unless_over(partial(mesh_relation, sides, routing))
        verdict = None if relation is None or deadline.over else check(relation, technique, time_limit=deadline)
        if verdict is None or verdict.deadlock_free is None:
            break
        if not verdict.deadlock_free:
            refuted, refuted_on = verdict, sides
            break
        decided.append(sides)
    free = True if proof is not None else False if refuted is not None else None
    return EverySize(
        dimensions, routing, technique, free, rule is not None, reason, rule, proof, read, tuple(decided), refuted,
        refuted_on, time.monotonic() - began,
    )  # fmt: skip


def _proof(rule: Rule, technique: Switching, deadline: Deadline) -> Proof | None:
    return proof_of(rule.space, rule.offers, technique, SearchEffort(deadline.end), waits=rule.waits)
