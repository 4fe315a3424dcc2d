"""A schedule of chunks run flit by flit: a transfer is a message that starts when what it needs has arrived."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from unknot._base.errors import SimulationError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.traces.trace_run import TraceRun, played, trace_run
from unknot.traffic.collectives.chunks import ChunkSchedule
from unknot.traffic.trace import Trace, TracedMessage

MOST_FLIT_HOPS = 50_000_000
"""Flits times channels of the longest run: a few seconds."""


def trace_of(relation: Relation, schedule: ChunkSchedule, *, together: bool = False) -> Trace:
    """Return the messages of a schedule whose members are the terminals of a network, and whose sizes are in flits.

    Chunks are rounded so that each block keeps its size; those without a flit are not sent. Each is a message of its
    own, or those that go the same way in a step are one; it needs those that brought them to its source in earlier
    steps.

    Raises
    ------
    SimulationError
        If the members are no terminals, or the size is no whole number of flits.
    """
    network, size = relation.network, schedule.operation.size
    first, last = network.num_routers, network.num_routers + network.num_terminals
    if not all(first <= member < last for member in schedule.operation.members):
        raise SimulationError(f"members of the schedule are no terminals of {network.name}")
    if size.denominator != 1:
        raise SimulationError(f"a schedule that runs has a whole number of flits, not {size}")
    flits, sums = list[int](), defaultdict[tuple[int | None, int | None], Fraction](Fraction)
    for chunk in schedule.chunks:
        before = sums[chunk.source, chunk.target]
        sums[chunk.source, chunk.target] = after = before + chunk.size
        flits.append(int(after) - int(before))
    carried: dict[tuple[int, int, int, tuple[int, ...], int], list[int]] = {}
    for sent in schedule.transfers:
        if flits[sent.chunk]:
            alone = -1 if together else sent.chunk
            carried.setdefault((sent.step, sent.source, sent.target, sent.path, alone), []).append(sent.chunk)
    into: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    messages: list[TracedMessage] = []
    for (step, source, target, *_), chunks in carried.items():
        needs = {i for chunk in chunks for i, before in into[chunk, source] if before < step}
        for number in chunks:
            into[number, target].append((len(messages), step))
        length = sum(flits[number] for number in chunks)
        messages.append(TracedMessage(0, source - first, target - first, length, tuple(sorted(needs))))
    return Trace.of(messages)


@takes_simulated
def execute_chunks(
    relation: Relation,
    schedule: ChunkSchedule,
    *,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int | None = None,
    overhead: int = 0,
    in_order: bool = False,
    router: Router = DEFAULT,
    together: bool = False,
) -> TraceRun:
    """Run a schedule in an otherwise empty network, on the network's routing.

    Parameters
    ----------
    buffer_depth : int, optional
        Flits per VC; by default 8, or those of the longest message under ``vct`` and ``saf``.
    overhead : int
        Cycles a terminal needs before it sends a message.
    in_order : bool
        Whether terminals send in the order of the schedule, even if a later message could go.
    router : Router
        With a `terminal_width` terminals send as many messages at a time, and take in as many.
    together : bool
        Whether chunks that go the same way in a step are one message; each is one otherwise.

    Raises
    ------
    SimulationError
        As `trace_of`, or if the run would take too long.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> from unknot.traffic.collectives.operation import Operation
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> from unknot.traffic.collectives.textbook import textbook
    >>> platform = platform_of(torus(4, 4))
    >>> gather = textbook(platform, Operation("all_gather", platform.members, Fraction(64)), "ring")
    >>> execute_chunks("torus(4, 4)", gather, routing="dimension_order(vcs=2)").makespan < 1200
    True
    """
    hops = sum(int(schedule.chunks[sent.chunk].size) * len(sent.path) for sent in schedule.transfers)
    if hops > MOST_FLIT_HOPS:
        raise SimulationError(f"{hops} flits times channels would be simulated; {MOST_FLIT_HOPS} at most are")
    trace = trace_of(relation, schedule, together=together)
    player = played(
        relation, trace, switching=switching, buffer_depth=buffer_depth, overhead=overhead, in_order=in_order,
        router=router,
    )  # fmt: skip
    return trace_run(player, trace)
