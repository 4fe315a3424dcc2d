"""Evidence that no rule of a space fulfils a request.

The evidence is a contradiction: clauses of the request, a clause for each deadlock configuration with its images
under symmetries, and clauses that follow from these step by step. All clauses are those of the checker,
`unknot.certificates.plain.Rules`, and not those of the search (`requirements.py`, `search.py`).

A deadlock on one mesh is one on every larger mesh, since packets between routers of a box stay in it and see the same
signs. So what is impossible here is impossible on all larger meshes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.shown import Brief
from unknot._base.switching import Switching
from unknot.certificates import Rejected, Unchecked, plain
from unknot.certificates.verdict import Configuration
from unknot.search.effort import SearchEffort
from unknot.search.solver import DisagreementError, Steps, refuted_by
from unknot.synthesis.offers import MeshFrame
from unknot.synthesis.requirements import Request, Word
from unknot.synthesis.search import SYMMETRIES, Refuted, solved
from unknot.synthesis.space import Space, symmetries


@dataclass(frozen=True, eq=False, repr=False)
class Impossible(Brief):
    """Impossibility: no rule of a space fulfils a request.

    Attributes
    ----------
    space : Space
    request : Request
    switching : str
    refuted : tuple of Refuted
        Deadlock configurations, each on a mesh of its own size.
    paths : tuple of words
        Shortest paths whose clauses are used, of a request for paths.
    walks : tuple of tuples of types
        Under non-atomic allocation: closed walks of dependencies that return to their router.
    steps : tuple of pairs of tuples of int
        Clauses, each with the clauses by which it follows; the last is empty.

    Examples
    --------
    >>> from unknot.synthesis import decide
    >>> proof = decide(((1, 1), (1, 1)), "vct").evidence
    >>> proof.switching, len(proof.refuted)
    ('vct', 1)
    """

    space: Space
    request: Request
    switching: Switching
    refuted: tuple[Refuted, ...]
    paths: tuple[Word, ...]
    walks: tuple[tuple[int, ...], ...]
    steps: Steps

    @property
    def claim(self) -> dict[str, Any]:
        """What is claimed, and its proof, as plain data for the checker.

        Raises
        ------
        Rejected
            If a configuration is not of its mesh.
        """
        space, symmetries_used = self.space, list(islice(symmetries(self.space), SYMMETRIES))
        frames = {deadlock.sides: MeshFrame(space, deadlock.sides) for deadlock in self.refuted}
        proof = {
            "deadlocks": [_messages(frames[deadlock.sides], deadlock.configuration) for deadlock in self.refuted],
            "cycles": [list(walk) for walk in self.walks],
            "paths": [[list(hop) for hop in path] for path in self.paths],
            "symmetries": [list(image) for image in symmetries_used],
            "steps": [[list(literals), list(hints)] for literals, hints in self.steps],
        }
        family = {"counts": [list(pair) for pair in space.counts], "short": space.short, "switching": self.switching}
        request = {"adaptive": self.request.adaptive, "least": self.request.bnrs(space)}
        return {"subject": "rules", **family, **request, "symmetric": [], "proof": proof}


def refutation(
    space: Space,
    request: Request,
    switching: Switching,
    refuted: list[Refuted],
    paths: list[Word],
    walks: tuple[tuple[int, ...], ...],
    effort: SearchEffort,
) -> Impossible | None:
    """The evidence of what was found; None if it is too large to be checked.

    Raises
    ------
    TimeoutError
        If time runs out.
    DisagreementError
        If it is no contradiction.
    """
    evidence = Impossible(space, request, switching, tuple(refuted), tuple(paths), walks, ())
    try:
        claim = evidence.claim
        rules = plain.rule_clauses(claim, claim["proof"])
    except Unchecked:
        return None
    steps = refuted_by(rules.clauses, len(rules.number), lambda solver: solved(solver, effort))
    if steps is None:
        raise DisagreementError(f"{space.text}, {switching}")
    return replace(evidence, steps=steps)


def accept(evidence: Impossible) -> None:
    """Return quietly if the evidence holds; raise `Rejected` if it does not.

    Parameters
    ----------
    evidence : Impossible
        The evidence.

    Examples
    --------
    >>> from unknot.synthesis import decide
    >>> accept(decide(((1, 1), (1, 1)), "vct").evidence)
    """
    claim = evidence.claim
    plain.check_rules(claim, claim["proof"])


def evidence_holds(evidence: Impossible) -> bool:
    """Whether `accept` accepts it."""
    try:
        accept(evidence)
    except (Rejected, UnknotError):
        return False
    return True


def _messages(frame: MeshFrame, deadlock: Configuration) -> list[dict[str, Any]]:
    """The messages of a configuration, with coordinates and types instead of terminals and VCs."""
    positions, kinds = frame.positions, frame.type_of
    try:
        return [
            {
                "source": list(positions[frame.network.inject[message.source]]),
                "target": list(positions[frame.homes[message.address]]),
                "way": [kinds[vc] for vc in (*message.lead, *message.held)],
                "holds": len(message.held),
                "wants": kinds[message.wanted[0]],
            }
            for message in deadlock.messages
        ]
    except IndexError as error:
        raise Rejected(f"a message is not of {frame.network.name}, or waits for nothing") from error
