"""Collective operations in phases: whether nodes that start the phases of chunks one after the other can deadlock.

The nodes form a grid. Every chunk goes through the same phases, each a collective operation of all nodes in a line
of one dimension, as reduce-scatter or all-gather. A node runs a limited number of chunks in each dimension; others
wait in a queue. A phase ends at a node only after all nodes of its line have started it, so nodes that start chunks
in different orders can wait for each other for ever, whatever the network between them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.three_valued import ThreeValued
from unknot.verify.explorer import explored

SEARCH_LIMIT = 200_000
"""States of an exhaustive search, times nodes and chunks."""

RANDOM_RUNS = 300
"""Random runs for systems with more states."""


class PhaseError(UnknotError):
    """An unusable description of chunks and phases, or an illegal run of them."""


@dataclass(frozen=True)
class Advance:
    """Step of one node: a chunk is issued, or ends its phase and joins the queue of the next.

    Nodes are numbered in row-major order of the grid.
    """

    node: int
    chunk: int


@dataclass(frozen=True)
class PhaseState:
    """Phases and queues of all nodes.

    Attributes
    ----------
    phase : tuple of tuple of int
        By node and chunk: phase that it waits for or is in; -1 before it is issued, the number of phases when done.
    queues : tuple of tuple of tuple of int
        By node and dimension: chunks by arrival.
    """

    phase: tuple[tuple[int, ...], ...]
    queues: tuple[tuple[tuple[int, ...], ...], ...]


@dataclass(frozen=True)
class PhasedChunks:
    """Chunks of a collective operation on a grid of nodes.

    Attributes
    ----------
    shape : tuple of int
        Nodes in each dimension. Links do not matter: plain and twisted torus have the same lines of nodes.
    chunks : int
        Chunks, which every node issues in the same order.
    slots : int
        Chunks that a node runs in one dimension at a time.
    phases : tuple of int, optional
        Dimension of each phase. By default those of a hierarchical all-reduce: 0, 1, …, last, …, 1, 0.
    together : bool
        All chunks are issued at the beginning; otherwise each node issues the next at any time.
    fixed_order : bool
        Nodes start phases in one order, by number of phase and then of chunk, and wait for the next of them even if
        others are there. Otherwise they start them by arrival.
    """

    shape: tuple[int, ...]
    chunks: int
    slots: int = 1
    phases: tuple[int, ...] = ()
    together: bool = False
    fixed_order: bool = False

    def __post_init__(self) -> None:
        if not self.shape or min(*self.shape, self.chunks, self.slots) < 1:
            raise PhaseError(
                f"phases need at least one node in each dimension, one chunk and one slot, not shape {self.shape}, "
                f"{self.chunks} chunks and {self.slots} slots"
            )
        if not self.phases:
            up = tuple(range(len(self.shape)))
            object.__setattr__(self, "phases", up + up[-2::-1])
        if not all(0 <= dimension < len(self.shape) for dimension in self.phases):
            raise PhaseError(f"phases {self.phases} name a dimension that shape {self.shape} does not have")

    @cached_property
    def nodes(self) -> tuple[tuple[int, ...], ...]:
        """Coordinates of each node."""
        return tuple(itertools.product(*map(range, self.shape)))

    @cached_property
    def lines(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Nodes of the line of each node, by node and dimension."""
        number = {node: i for i, node in enumerate(self.nodes)}
        return tuple(
            tuple(
                tuple(number[(*node[:d], x, *node[d + 1 :])] for x in range(size))
                for d, size in enumerate(self.shape)
            )
            for node in self.nodes
        )

    def initial(self) -> PhaseState:
        """Return the state before anything has happened."""
        first = tuple(range(self.chunks)) if self.together else ()
        queues = tuple(first if d == self.phases[0] else () for d in range(len(self.shape)))
        return PhaseState(((-1 + self.together,) * self.chunks,) * len(self.nodes), (queues,) * len(self.nodes))

    def running(self, state: PhaseState, node: int, dimension: int) -> tuple[int, ...]:
        """Return the chunks that a node runs in a dimension."""
        if not self.fixed_order:
            return state.queues[node][dimension][: self.slots]
        rest = [
            (p, chunk)
            for p, of in enumerate(self.phases)
            for chunk in range(self.chunks)
            if of == dimension and state.phase[node][chunk] <= p
        ][: self.slots]
        here = itertools.takewhile(lambda turn: state.phase[node][turn[1]] == turn[0], rest)
        return tuple(chunk for _, chunk in here)

    def missing(self, state: PhaseState, node: int, chunk: int) -> list[int]:
        """Return the nodes that have not started the phase which a chunk is in at a node."""
        p = state.phase[node][chunk]
        dimension = self.phases[p]
        return [
            other
            for other in self.lines[node][dimension]
            if state.phase[other][chunk] < p
            or (state.phase[other][chunk] == p and chunk not in self.running(state, other, dimension))
        ]

    def after(self, state: PhaseState, step: Advance) -> PhaseState | None:
        """Return the state after a step; None if it cannot happen next."""
        node, chunk = step.node, step.chunk
        phases, p = state.phase[node], state.phase[node][chunk]
        if p < 0 and chunk > 0 and phases[chunk - 1] < 0:
            return None
        if p == len(self.phases) or (p >= 0 and self.missing(state, node, chunk)):
            return None
        queues = list(state.queues[node])
        if p >= 0:
            queues[self.phases[p]] = tuple(other for other in queues[self.phases[p]] if other != chunk)
        if p + 1 < len(self.phases):
            queues[self.phases[p + 1]] += (chunk,)
        changed = (*phases[:chunk], p + 1, *phases[chunk + 1 :])
        return PhaseState(
            (*state.phase[:node], changed, *state.phase[node + 1 :]),
            (*state.queues[:node], tuple(queues), *state.queues[node + 1 :]),
        )

    def moves(self, state: PhaseState) -> Iterator[tuple[Advance, PhaseState]]:
        """Iterate over all that can happen next, and the states after it."""
        for step in itertools.starmap(Advance, itertools.product(range(len(self.nodes)), range(self.chunks))):
            after = self.after(state, step)
            if after is not None:
                yield step, after

    def stuck(self, state: PhaseState) -> bool:
        """Return whether nothing can happen, although not all is done."""
        return next(self.moves(state), None) is None and not self.done(state)

    def done(self, state: PhaseState) -> bool:
        """Return whether all chunks have gone through all phases everywhere."""
        return all(p == len(self.phases) for phases in state.phase for p in phases)


@dataclass(frozen=True)
class PhaseVerdict(ThreeValued, asks="deadlock_free"):
    """Answer for one system.

    Attributes
    ----------
    deadlock_free : bool or None
        None: open.
    reason : str
        Why; one sentence.
    kind : {"slots", "order", "states", "run", ""}
        Kind of evidence.
    run : tuple of Advance
        Steps to the deadlock.
    """

    deadlock_free: bool | None
    reason: str
    kind: str
    run: tuple[Advance, ...] = ()

    def claim(self, system: PhasedChunks) -> dict[str, Any]:
        """Return the answer for a system with its evidence, a claim as `unknot.certificates.document` takes it."""
        proof = {"kind": self.kind, "run": [[step.node, step.chunk] for step in self.run]}
        return {"subject": "phases", "deadlock_free": self.deadlock_free} | _plainly(system) | {"proof": proof}


def _plainly(system: PhasedChunks) -> dict[str, Any]:
    return asdict(system) | {"shape": list(system.shape), "phases": list(system.phases)}


def check_phases(system: PhasedChunks) -> PhaseVerdict:
    """Decide whether some timing of the nodes leads to a deadlock.

    A deadlock of a smaller grid is one of the grid: see `lifted`. So smaller grids are searched first.

    Returns
    -------
    PhaseVerdict
        Free if there is a slot for every chunk, if the order is fixed, or if no reachable state of a system with few
        states is a deadlock; a deadlock only with a run.
    """
    if system.slots >= system.chunks:
        return PhaseVerdict(
            True, "every chunk has a slot in every dimension, so no phase waits for another chunk", "slots"
        )
    if system.fixed_order:
        return PhaseVerdict(
            True, "the first phase in the order that has not ended can always be started by all nodes", "order"
        )
    for size in range(2, max(2, *system.shape) + 1):
        small = replace(system, shape=tuple(min(size, n) for n in system.shape))
        most = SEARCH_LIMIT // (len(small.nodes) * small.chunks)
        every = explored(small.initial(), small.moves, small.stuck, most)
        run = every.run if every.complete else _random(small)
        if run is not None:
            reason = "nodes that started chunks in different orders wait for each other"
            return PhaseVerdict(False, reason, "run", lifted(run, small, system))
        if every.complete and small.shape == system.shape:
            return PhaseVerdict(True, "no reachable state is a deadlock", "states")
        if size > system.chunks:
            break
    return PhaseVerdict(None, "neither a deadlock was met nor were all states searched", "")


def lifted(run: Sequence[Advance], small: PhasedChunks, large: PhasedChunks) -> tuple[Advance, ...]:
    """Return a run of a larger grid in which each node copies a node of a smaller grid.

    A node stands for the one whose coordinates are its own, or the last where there are no such. A line then stands
    for a whole line, and all of it has started a phase exactly if all of the smaller one has.
    """
    copies: dict[tuple[int, ...], list[int]] = {}
    for node, at in enumerate(large.nodes):
        copies.setdefault(tuple(min(x, n - 1) for x, n in zip(at, small.shape, strict=True)), []).append(node)
    return tuple(Advance(node, step.chunk) for step in run for node in copies[small.nodes[step.node]])


def replayed(system: PhasedChunks, run: Sequence[Advance]) -> PhaseState:
    """Return the state after a run.

    Raises
    ------
    PhaseError
        If a step is not possible where it stands in the run.
    """
    state = system.initial()
    for number, step in enumerate(run):
        known = 0 <= step.node < len(system.nodes) and 0 <= step.chunk < system.chunks
        after = system.after(state, step) if known else None
        if after is None:
            raise PhaseError(
                f"step {number} of the run, chunk {step.chunk} at node {step.node}, is not possible there; "
                "a run has to begin with the initial state of the same system"
            )
        state = after
    return state


def _random(system: PhasedChunks) -> tuple[Advance, ...] | None:
    """Return a run to a deadlock from runs in which each chunk is fast at some nodes and slow at others."""
    chance = random.Random(0)
    for _ in range(RANDOM_RUNS):
        speed = [[chance.random() ** 3 for _ in range(system.chunks)] for _ in system.nodes]
        state, run = system.initial(), []
        while moves := list(system.moves(state)):
            step, state = chance.choices(moves, [speed[one.node][one.chunk] + 1e-6 for one, _ in moves])[0]
            run.append(step)
        if not system.done(state):
            return tuple(run)
    return None
