"""Phases of collective operations."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from unknot.certificates.plain.reading import (
    KEPT_STATE,
    MOST_LANES,
    MOST_STATES,
    Rejected,
    at_most,
    field,
    integers,
    numbers,
    pay,
)
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import closure

Advanced = tuple[tuple[tuple[int, ...], ...], tuple[tuple[tuple[int, ...], ...], ...]]
"""Phase of each chunk by node, −1 before it is issued; and by node and dimension the chunks that came, in order."""


class Phased:
    """Nodes of a grid that take chunks through phases, each a collective operation of a line of nodes.

    A node runs the first chunks of the queue of each dimension, as many as it has slots. A chunk ends a phase at a
    node once all nodes of the line have begun that phase, and joins the queue of the next one.
    """

    def __init__(self, claim: Any) -> None:
        shape = numbers(claim, "shape", 1, 1000)
        at_most(len(shape), MOST_LANES, "dimensions")
        self.phases = numbers(claim, "phases", 0, len(shape))
        counts = [field(claim, "chunks", int), field(claim, "slots", int)]
        self.chunks, self.slots = integers(counts, "chunks and slots", 1, 1000)
        self.together, self.in_order = field(claim, "together", bool), field(claim, "fixed_order", bool)
        if not self.phases:
            raise Rejected("phases: the list is empty")
        at_most(prod(shape) * self.chunks, MOST_STATES, "chunks of all nodes")
        pay(prod(shape) * len(shape) * (sum(shape) + KEPT_STATE))
        self.nodes, self.dimensions = list(product(*map(range, shape))), len(shape)
        which = {node: number for number, node in enumerate(self.nodes)}
        self.lines = [
            [[which[(*node[:d], x, *node[d + 1 :])] for x in range(size)] for d, size in enumerate(shape)]
            for node in self.nodes
        ]

    def start(self) -> Advanced:
        queue = tuple(range(self.chunks)) if self.together else ()
        queues = tuple(queue if d == self.phases[0] else () for d in range(self.dimensions))
        return ((self.together - 1,) * self.chunks,) * len(self.nodes), (queues,) * len(self.nodes)

    def began(self, state: Advanced, node: int, chunk: int, phase: int) -> bool:
        at, queues = state
        pay(2 + (self.slots >> 3))
        running = queues[node][self.phases[phase]][: self.slots]
        return at[node][chunk] > phase or (at[node][chunk] == phase and chunk in running)

    def after(self, state: Advanced, node: int, chunk: int) -> Advanced | None:
        """The state after a node issues a chunk or ends its phase; None where that is not possible."""
        at, queues = state
        pay(2)
        phase = at[node][chunk]
        if phase == len(self.phases) or (phase < 0 and chunk and at[node][chunk - 1] < 0):
            return None
        mine = list(queues[node])
        if phase >= 0:
            dimension = self.phases[phase]
            if not all(self.began(state, other, chunk, phase) for other in self.lines[node][dimension]):
                return None
            mine[dimension] = tuple(other for other in mine[dimension] if other != chunk)
        if phase + 1 < len(self.phases):
            mine[self.phases[phase + 1]] += (chunk,)
        pay(8 + len(at) + 2 * self.chunks)
        changed = (*at[node][:chunk], phase + 1, *at[node][chunk + 1 :])
        return (*at[:node], changed, *at[node + 1 :]), (*queues[:node], tuple(mine), *queues[node + 1 :])

    def onward(self, state: Advanced) -> list[Advanced]:
        every = (self.after(state, node, chunk) for node in range(len(self.nodes)) for chunk in range(self.chunks))
        states = [after for after in every if after is not None]
        pay(len(states) * len(self.nodes) * (1 + (self.chunks + self.dimensions >> 2)))  # each is hashed whole
        return states

    def done(self, state: Advanced) -> bool:
        return all(phase == len(self.phases) for row in state[0] for phase in row)


@checks("phases", "", "deadlock_free")
def check_phases(claim: Any, proof: Any) -> str:
    """Check that nodes which take chunks through phases can, or cannot, wait for each other for ever.

    With a slot for every chunk each chunk runs where it has come to, so one in the earliest phase ends it. In one
    order, by phase and then by chunk, the first phase of a chunk that has not ended everywhere can begin everywhere.

    Claim: `deadlock_free`; `shape` of the grid, `chunks`, `slots`, the dimension of each of the `phases`,
    whether chunks are issued `together` and begun in a `fixed_order`
    Proof: `kind`: `slots`, as many as chunks; `order`, the same for all nodes; `states`, explored anew, up to
    20,000; `run`, steps [node, chunk]
    """
    system, free, kind = Phased(claim), field(claim, "deadlock_free", bool), field(proof, "kind", str)
    shown = f"{len(system.nodes)} nodes, {system.chunks} chunks, {system.slots} at a time in each dimension:"
    if not free:
        if system.in_order or kind != "run":
            raise Rejected("a deadlock of phases is shown by a run of nodes that begin them by arrival")
        state = system.start()
        for step in field(proof, "run", list):
            node, chunk = integers(step, "a step", 0, max(len(system.nodes), system.chunks), 2)
            if node >= len(system.nodes) or chunk >= system.chunks:
                raise Rejected(f"step {step}: there is no such node, or no such chunk")
            after = system.after(state, node, chunk)
            if after is None:
                raise Rejected(f"node {node} cannot advance chunk {chunk} here")
            state = after
        if system.done(state) or system.onward(state):
            raise Rejected("after the run something moves, or everything is done")
        return f"{shown} after {len(proof['run'])} steps nothing can move"
    if kind == "slots" and system.slots >= system.chunks:
        return f"{shown} free of deadlock, there is a slot for each chunk"
    if kind == "order" and system.in_order:
        return f"{shown} free of deadlock in one order for all"
    if kind != "states" or system.in_order:
        raise Rejected(f"{kind}: no proof that these chunks cannot deadlock")

    def onward(state: Advanced) -> list[Advanced]:
        after = system.onward(state)
        if not after and not system.done(state):
            raise Rejected("a state is reached in which nothing can move")
        return after

    states = closure([system.start()], onward, MOST_STATES)
    return f"{shown} free of deadlock, in each of {len(states)} states something moves or all is done"
