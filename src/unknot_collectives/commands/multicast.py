"""`unknot multicast`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import (
    Json,
    NetworkText,
)
from unknot.cli.commands.shared import numbers_of, relation_of, write
from unknot.cli.exit_codes import FAILS, HOLDS


def multicast(
    network: NetworkText,
    routing: str,
    operation: str = "broadcast",
    root: int = 0,
    members: str | None = None,
    order: str = "auto",
    vcs: int | None = None,
    switching: Switching = DEFAULT_SWITCHING,
    block: int = 8,
    buffer_depth: int | None = None,
    overhead: int = 0,
    terminal_width: int = 1,
    out: Path | None = None,
    units: str | None = None,
    json: Json = False,
) -> None:
    """Schedule a collective operation, say which messages may meet, and run it.

    Exit code 0: it ran to its end; 1: its messages blocked each other for good;
    3: it was given up at the time limit.

    Parameters
    ----------
    buffer_depth
        Flits per virtual channel; by default 8, or the longest message under vct, saf.
    operation
        broadcast, scatter, gather, reduce, reduce_scatter, all_gather or all_reduce.
    root
        Terminal from which data spread, or at which they meet.
    members : T,T,…
        Terminals that take part; by default all.
    order
        auto, circle, dimensions or numbers.
    block
        Flits of a block of data.
    overhead
        Cycles a terminal needs before it sends.
    terminal_width
        Messages that a terminal sends, and takes in, at a time.
    """
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands.display import describe, tell
    from unknot.simulation.engine.router import Router
    from unknot_collectives import collective, contention, messages_of
    from unknot_collectives.answer import MulticastAnswer
    from unknot_collectives.execution import blocked_cycles, execute

    scale = Scale.of(units)
    relation = relation_of(network, routing, vcs, simulated=True)
    chosen = None if members is None else numbers_of(members, "<members>")
    schedule = collective(relation.network, operation, root, chosen, block=block, order=order)
    messages = messages_of(relation.network, schedule)
    meetings = contention(relation, messages)
    done = execute(
        relation, schedule, switching=switching, buffer_depth=buffer_depth, overhead=overhead, in_order=True,
        router=Router(terminal_width=terminal_width), together=True,
    )  # fmt: skip
    if out is not None:
        from unknot_collectives.drawing import draw_messages

        write(out, draw_messages(relation, messages, operation))
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
    tell(
        json, MulticastAnswer, of=relation, scale=scale, operation=operation, root=root, steps=schedule.steps,
        switching=switching, block=block, overhead=overhead, latency=done.makespan, deadlock=done.deadlock, **keys,
    )  # fmt: skip
    if not json:
        describe(relation, done.deadlock)
    raise typer.Exit(HOLDS if done.makespan is not None else FAILS)
