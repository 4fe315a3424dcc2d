"""The search by counterexample: a SAT solver proposes a rule, the prover refutes it, the deadlock becomes clauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np

from unknot._base.switching import Switching
from unknot._base.work import spend
from unknot.certificates import Rejected
from unknot.certificates.verdict import Configuration
from unknot.flow_control.techniques import technique
from unknot.search.effort import SearchEffort
from unknot.search.solver import solved_within
from unknot.synthesis.offers import MeshFrame
from unknot.synthesis.requirements import Clause, Request, Requirements, Word, lost_path
from unknot.synthesis.space import Flags, Space, Symmetry, moved, symmetries
from unknot.verify import check

PER_PERMISSION = 2e-5
"""Seconds of work of looking at a rule, for each of its permissions."""
SYMMETRIES = 512
"""Most images of a clause that are added."""
SOLVER = "glucose4"
STEP = 1_000
"""Conflicts of the solver between two looks at the clock."""
PROVER_SECONDS = 60.0
"""Time limit of the prover for a proposal on a mesh, in seconds."""


@dataclass(frozen=True)
class Refuted:
    """A deadlock configuration on a mesh of given sides."""

    sides: tuple[int, ...]
    configuration: Configuration


@dataclass(frozen=True, eq=False)
class Proposal:
    """A rule that fulfils a request, without unreachable states, and the true variables of its solution."""

    offers: Flags
    true: frozenset[int]


class Proposals:
    """Rules that fulfil a request and its growing clauses, one after another.

    Attributes
    ----------
    paths : list of words
        Shortest paths that rules had lost.
    """

    def __init__(self, space: Space, request: Request) -> None:
        from pysat.solvers import Solver

        self.space, self.request = space, request
        self.requirements = Requirements(space, request)
        self.solver: Any = Solver(name=SOLVER, bootstrap_with=self.requirements.clauses)
        self.paths: list[Word] = []

    def propose(self, effort: SearchEffort) -> Proposal | None:
        """The next rule; None: there is none.

        Raises
        ------
        TimeoutError
            If time runs out.
        """
        while solved(self.solver, effort):
            spend(PER_PERMISSION * len(self.space.permissions))
            model: list[int] = self.solver.get_model()
            offers = self.space.trimmed(np.array(model[: len(self.space.permissions)]) > 0)
            lost = None
            if self.request.adaptive == "paths":
                lost = lost_path(self.space, offers, self.requirements.adaptive_classes(model))
            if lost is None:
                return Proposal(offers, frozenset(x for x in model if x > 0))
            self.paths.append(lost)
            self.solver.append_formula(self.requirements.provide(lost))
        return None


class Search(Proposals):
    """A search for a rule in a space: what has been proposed and refuted so far.

    Attributes
    ----------
    refuted : list of Refuted
        A configuration for each proposal that could deadlock.
    """

    def __init__(self, space: Space, request: Request, switching: Switching) -> None:
        super().__init__(space, request)
        self.switching, self.rounds = switching, 0
        self.refuted: list[Refuted] = []
        self.images = list(islice(symmetries(space), SYMMETRIES))
        self.frames: dict[tuple[int, ...], MeshFrame] = {}

    def frame(self, sides: Sequence[int]) -> MeshFrame:
        """The mesh of given sides, made once."""
        return self.frames.setdefault(tuple(sides), MeshFrame(self.space, tuple(sides)))

    def survive(self, sides: Sequence[int], effort: SearchEffort) -> Flags | None:
        """A rule that is deadlock-free on a mesh, and fulfils all clauses so far; None: there is none.

        Raises
        ------
        TimeoutError
            If time runs out, or the prover leaves a proposal open, or its deadlock is not reached packet by packet.
        """
        frame = self.frame(sides)
        while True:
            if effort.over:
                raise TimeoutError
            proposal = self.propose(effort)
            if proposal is None:
                return None
            self.rounds += 1
            verdict = check(
                frame.relation(proposal.offers), self.switching, shorten=False, threads=1, buffer_depth=1,
                time_limit=max(0.1, min(PROVER_SECONDS, effort.limit.left)),
            )  # fmt: skip
            if verdict.deadlock_free:
                return proposal.offers
            if verdict.deadlock_free is None or verdict.configuration is None or verdict.configuration.order:
                raise TimeoutError(f"the prover left a rule on {frame.network.name} open")
            self.learn(Refuted(frame.sides, verdict.configuration))
            effort.report(f"{self.space.text}: {self.rounds} rules tried, mesh {'×'.join(map(str, sides))}")

    def learn(self, deadlock: Refuted) -> None:
        """Forbid a configuration, and what it becomes under the symmetries."""
        self.refuted.append(deadlock)
        clause = clause_of(self.frame(deadlock.sides), deadlock.configuration)
        self.solver.append_formula(images(self.space, clause, self.images))


def solved(solver: Any, effort: SearchEffort) -> bool:
    """Whether the clauses of a solver can be fulfilled.

    Raises
    ------
    TimeoutError
        If time runs out.
    """
    possible = solved_within(solver, effort, step=STEP)
    if possible is None:
        raise TimeoutError
    return possible


def clause_of(frame: MeshFrame, deadlock: Configuration) -> Clause:
    """The clause of a configuration.

    Every deadlock-free rule fulfils it: one of the permissions on the paths of its messages must go, or one of its
    blocked headers must be offered an output that nobody in the configuration holds. Where a header commits to one
    candidate (non-atomic allocation), only the first.

    Raises
    ------
    Rejected
        If a message goes where no rule of the space leads it.
    """
    space = frame.space
    used: set[int] = set()
    lacked: set[int] = set()
    held = {vc for message in deadlock.messages for vc in message.held}
    for message in deadlock.messages:
        path = [frame.virtual.total + message.source, *message.lead, *message.held]
        for at, vc in pairwise(path):
            used.add(_permission(frame, at, message.address, vc))
        head = path[-1]
        wants = {_permission(frame, head, message.address, vc) for vc in message.wanted}
        if technique(deadlock.switching).keeps:
            used |= wants
            continue
        state = frame.held(head), frame.signs(head, message.address)
        router = int(frame.virtual.router[head])
        for out in space.outs[state]:
            if frame.vc_at[router, out] not in held:
                lacked.add(space.number[(*state, out)])
    return tuple(sorted([-1 - i for i in used] + [1 + i for i in lacked], key=abs))


def _permission(frame: MeshFrame, at: int, address: int, vc: int) -> int:
    key = frame.held(at), frame.signs(at, address), frame.type_of[vc]
    number = frame.space.number.get(key)
    if number is None:
        name = frame.virtual.name
        raise Rejected(f"no rule leads from {name(at)} to {name(vc)} for address {address}")
    return number


def images(space: Space, clause: Clause, symmetries: Iterable[Symmetry]) -> list[Clause]:
    """The images of a clause under symmetries: a clause about a rule becomes a clause about the rule's image."""
    clauses: dict[Clause, None] = {}
    for image in symmetries:
        literals = []
        for x in clause:
            number = 1 + space.number[moved(space, image, space.permissions[abs(x) - 1])]
            literals.append(number if x > 0 else -number)
        clauses[tuple(sorted(literals, key=abs))] = None
    return list(clauses)
