"""Times of all-to-all and all-reduce on the routes of a comparison."""

from __future__ import annotations

from math import ceil

from unknot.routing import Relation
from unknot.simulation.traces.trace_run import run_trace
from unknot.traffic.trace import TracedMessage

BY_MODEL = "all-to-all and all-reduce by a model, not run"


FLITS = 4
"""Flits of a packet, and of a block of a collective operation, that are simulated."""


def by_run(relation: Relation) -> list[int | None]:
    """Makespans of an exchange and of an all-reduce around a ring, run flit by flit, in cycles."""
    count = relation.network.num_terminals
    return [run_trace(relation, sent).makespan for sent in (in_pairs(count), around_a_ring(count))]


def in_pairs(count: int) -> list[TracedMessage]:
    """An exchange of blocks: in step s each terminal sends to the one s further on."""
    return [TracedMessage(0, t, (t + s) % count, FLITS) for s in range(1, count) for t in range(count)]


def around_a_ring(count: int) -> list[TracedMessage]:
    """An all-reduce: blocks go backwards around the ring of the terminals and are added up, then forwards to all."""
    back = [((i - s - 1) % count, (i - s - 2) % count) for s in range(count - 1) for i in range(count)]
    onward = [((i + s) % count, (i + s + 1) % count) for s in range(count - 1) for i in range(count)]
    return [
        TracedMessage(0, source, target, FLITS, (number - count,) if number >= count else ())
        for number, (source, target) in enumerate(back + onward)
    ]


def by_model(relation: Relation, uniform: float) -> list[int | None]:
    """An exchange as fast as the busiest channel, and the first step around a ring, run, as often as there are."""
    count = relation.network.num_terminals
    turn = [TracedMessage(0, terminal, (terminal + 1) % count, FLITS) for terminal in range(count)]
    step = run_trace(relation, turn).makespan
    return [ceil(FLITS * (count - 1) / uniform), step and 2 * (count - 1) * step]
