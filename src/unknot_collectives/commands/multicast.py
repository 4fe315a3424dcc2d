"""`unknot multicast`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import (
    Json,
    NetworkText,
    Options,
)
from unknot.cli.commands.shared import numbers_of, relation_of
from unknot.cli.commands.written import draw
from unknot.cli.exit_codes import FAILS, HOLDS


@dataclass(frozen=True)
class MulticastOptions(Options):
    """The operation, how its schedule is run, and where the answer goes.

    Attributes
    ----------
    buffer_depth
        Flits per virtual channel; by default 8, or the longest message under vct, saf.
    operation
        Operation: broadcast, scatter, gather, reduce, reduce_scatter, all_gather or all_reduce.
    root
        Terminal at the root of the operation.
    members : T,T,…
        Terminals that take part; by default all.
    order
        Order of the terminals: auto, circle, dimensions or numbers.
    block
        Flits of a block of data.
    overhead
        Cycles of work of a terminal before it sends.
    terminal_width
        Messages sent and received by a terminal at a time.
    out : svg|png|pdf
        pictures of the messages
    """

    network: NetworkText
    routing: str
    operation: str = "broadcast"
    root: int = 0
    members: str | None = None
    order: str = "auto"
    vcs: int | None = None
    switching: Switching = DEFAULT_SWITCHING
    block: int = 8
    buffer_depth: int | None = None
    overhead: int = 0
    terminal_width: int = 1
    units: str | None = None
    json: Json = False


def multicast(options: MulticastOptions) -> int:
    """Schedule a collective operation, list messages that may meet, and run the schedule.

    Exit code 0: the run is complete; 1: messages blocked each other for good; 3: the time limit ended the run.
    """
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands.display import describe, tell
    from unknot.simulation.engine.router import Router
    from unknot_collectives import collective, contention, messages_of
    from unknot_collectives.answer import MulticastAnswer
    from unknot_collectives.drawing import draw_messages
    from unknot_collectives.execution import blocked_cycles, execute

    scale = Scale.of(options.units)
    relation = relation_of(options.network, options.routing, options.vcs, simulated=True)
    chosen = None if options.members is None else numbers_of(options.members, "<members>")
    schedule = collective(
        relation.network, options.operation, options.root, chosen, block=options.block, order=options.order
    )
    messages = messages_of(relation.network, schedule)
    meetings = contention(relation, messages)
    router = Router(terminal_width=options.terminal_width)
    of_run = options.some("switching", "buffer_depth", "overhead")
    done = execute(relation, schedule, in_order=True, router=router, together=True, **of_run)
    draw(lambda: draw_messages(relation, messages, options.operation))
    columns = done.injected.tolist(), done.arrived.tolist(), blocked_cycles(relation, messages, done)
    names = ["{} → {}".format(*map(relation.network.terminal_name, (m.source, m.destination))) for m in messages]
    keys: dict[str, Any] = {
        "members": [member - relation.network.num_routers for member in schedule.operation.members],
        "sends": [
            {**vars(message), "started": started, "arrived": arrived, "blocked": blocked}
            for message, started, arrived, blocked in zip(messages, *columns, strict=True)
        ],
        "meetings": [{**vars(one), "messages": [names[one.one], names[one.other]]} for one in meetings],
        "units": in_units(scale.units, [{"latency": done.makespan}]),
    }
    given = options.some("operation", "root", "switching", "block", "overhead")
    keys |= {"steps": schedule.steps, "latency": done.makespan, "deadlock": done.deadlock}
    tell(options.json, MulticastAnswer, of=relation, scale=scale, **given, **keys)
    if not options.json:
        describe(relation, done.deadlock)
    return HOLDS if done.makespan is not None else FAILS
