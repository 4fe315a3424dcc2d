"""Evidence that no rule of a space fulfils a request, and its checker.

The evidence is a contradiction: clauses of the request, a clause for each deadlock configuration with its images
under symmetries, and clauses that follow from these step by step. The checker builds all clauses anew, has each
configuration accepted by `unknot.certificates` as a deadlock of the least rule that has it, and follows the steps
by their hints. The searches, the prover and the SAT solver are not trusted.

A deadlock on one mesh is one on every larger mesh, since packets between routers of a box stay in it and see the same
signs. So what is impossible here is impossible on all larger meshes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from unknot.certificates import Rejected, accept_configuration, plain
from unknot.certificates.verdict import Configuration
from unknot.shown import Brief
from unknot.switching import Switching
from unknot.synthesis.hints import Steps, steps_of
from unknot.synthesis.refutation import learnt_by
from unknot.synthesis.rules.conflicts import clause_of, images
from unknot.synthesis.rules.frames import Frame
from unknot.synthesis.rules.requirements import Clause, Request, Requirements, Word
from unknot.synthesis.rules.search import SYMMETRIES, Effort, Refuted, Search, solved
from unknot.synthesis.rules.space import Space, symmetries


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
    """

    space: Space
    request: Request
    switching: Switching
    refuted: tuple[Refuted, ...]
    paths: tuple[Word, ...]
    walks: tuple[tuple[int, ...], ...]
    steps: Steps

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides of a mesh that holds all the configurations."""
        each = [found.sides for found in self.refuted] or [(2,) * self.space.dimensions]
        return tuple(max(side) for side in zip(*each, strict=True))


def impossible(search: Search, effort: Effort) -> Impossible | None:
    """The evidence of a search that has run out of rules; None if it is no contradiction."""
    return refutation(search.space, search.request, search.switching, search.refuted, search.paths, (), effort)


def refutation(
    space: Space,
    request: Request,
    switching: Switching,
    refuted: list[Refuted],
    paths: list[Word],
    walks: tuple[tuple[int, ...], ...],
    effort: Effort,
) -> Impossible | None:
    """The evidence of what was found; None if it is no contradiction.

    Raises
    ------
    TimeoutError
        If time runs out.
    """
    from pysat.solvers import Solver

    clauses, requirements = _clauses(space, request, tuple(refuted), tuple(paths), walks)
    with Solver(name="glucose4", bootstrap_with=clauses, with_proof=True) as solver:
        if solved(solver, effort):
            return None
        steps = steps_of(clauses, learnt_by(solver), requirements.variables)
        return Impossible(space, request, switching, tuple(refuted), tuple(paths), walks, steps)


def _clauses(
    space: Space,
    request: Request,
    refuted: tuple[Refuted, ...],
    paths: tuple[Word, ...],
    walks: tuple[tuple[int, ...], ...],
) -> tuple[list[Clause], Requirements]:
    """Build all clauses from the request and the evidence alone."""
    requirements = Requirements(space, request)
    turned = list(islice(symmetries(space), SYMMETRIES))
    for path in paths:
        requirements.provide(path)
    if walks:
        requirements.dependencies()
    clauses = list(requirements.given)
    for walk in walks:
        clauses += requirements.acyclic(walk, turned)
    frames: dict[tuple[int, ...], Frame] = {}
    for found in refuted:
        frame = frames.setdefault(found.sides, Frame(space, found.sides))
        clause, _ = clause_of(frame, found.configuration)
        clauses += images(space, clause, turned)
    return clauses, requirements


def accept(evidence: Impossible) -> None:
    """Return quietly if the evidence holds; raise `Rejected` if it does not."""
    space, frames = evidence.space, {found.sides: Frame(evidence.space, found.sides) for found in evidence.refuted}
    for number, found in enumerate(evidence.refuted, start=1):
        if len(found.sides) != space.dimensions or min(found.sides) < 2 or (space.short and max(found.sides) > 2):
            raise Rejected(f"configuration {number}: {found.sides} are no sides of a mesh of this space")
        _deadlock(frames[found.sides], found.configuration, evidence.switching, number)
    for walk in evidence.walks:
        _closed(space, walk, evidence.switching)
    for path in evidence.paths:
        if evidence.request.adaptive != "paths" or not _is_path(space, path):
            raise Rejected(f"{path} is no shortest path that the request is about")
    given, requirements = _clauses(space, evidence.request, evidence.refuted, evidence.paths, evidence.walks)
    plain.check_refutation(given, requirements.variables, [[list(part) for part in step] for step in evidence.steps])


def evidence_holds(evidence: Impossible) -> bool:
    """Whether `accept` accepts it."""
    try:
        accept(evidence)
    except Rejected:
        return False
    return True


def _deadlock(frame: Frame, found: Configuration, switching: Switching, number: int) -> None:
    """Have `unknot.certificates` look at a configuration on the relation of the least rule that has it."""
    _, needed = clause_of(frame, found)
    offers = np.zeros(len(frame.space.permissions), dtype=bool)
    offers[sorted(needed)] = True
    relation = frame.relation(offers, name=f"the least rule of configuration {number}")
    try:
        if found.switching != switching:
            raise Rejected(f"configuration {number} is one under {found.switching}")
        accept_configuration(relation, found)
    except Rejected as error:
        raise Rejected(f"configuration {number}: {error}") from error


def _closed(space: Space, walk: tuple[int, ...], switching: Switching) -> None:
    """Dependencies along types, one hop after the other, that return to the router where they began."""
    if switching != "wormhole-nonatomic" or not walk or any(not 0 <= kind < space.injection for kind in walk):
        raise Rejected(f"{walk} are not types of VCs whose dependencies decide {switching}")
    at = [0] * space.dimensions
    for kind in walk:
        at[space.types[kind].dimension] += space.types[kind].sign
    if any(at):
        raise Rejected(f"{', '.join(map(space.name, walk))} do not lead back to where they began")


def _is_path(space: Space, path: Word) -> bool:
    ways = {*path}
    return (
        bool(path)
        and all(0 <= i < space.dimensions and sign in (1, -1) and (i, -sign) not in ways for i, sign in path)
        and not (space.short and len(ways) < len(path))
    )
