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
        broadcast, multicast, scatter, gather, reduce, all_gather or all_reduce.
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
    from unknot.cli.answers.messages import MulticastAnswer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands.display import describe, tell
    from unknot.simulation.collectives import execute
    from unknot.traffic.collectives import collective, contention

    scale = Scale.of(units)
    relation = relation_of(network, routing, vcs, simulated=True)
    chosen = None if members is None else numbers_of(members, "<members>")
    schedule = collective(operation, relation.network, root, chosen, order=order)
    meetings = contention(relation, schedule)
    done = execute(
        relation, schedule, block=block, switching=switching, buffer_depth=buffer_depth, overhead=overhead,
        terminal_width=terminal_width,
    )  # fmt: skip
    if out is not None:
        from unknot.report.schedule_drawing import draw_schedule

        write(out, draw_schedule(relation, schedule))
    times = zip(schedule.sends, done.started, done.arrived, done.blocked, strict=True)
    sends = [{**vars(send), "started": start, "arrived": end, "blocked": late} for send, start, end, late in times]
    real = in_units(scale.units, [{"latency": done.latency}])
    terminals = relation.network.terminal_name
    names = [f"{terminals(send.source)} → {terminals(send.destination)}" for send in schedule.sends]
    keys: dict[str, Any] = {
        "sends": sends,
        "meetings": [{**vars(one), "messages": [names[one.one], names[one.other]]} for one in meetings],
        "units": real,
    }
    tell(json, MulticastAnswer, schedule, done, of=relation, scale=scale, **keys)
    if not json:
        describe(relation, done.deadlock)
    raise typer.Exit(HOLDS if done.latency is not None else FAILS)
