"""`unknot multicast`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from unknot._base.switching import DEFAULT_SWITCHING
from unknot.cli.commands.options import (
    Json,
    MessageDepth,
    MostTime,
    NetworkText,
    Picture,
    RoutingText,
    SwitchingName,
    UnitsText,
    Vcs,
)
from unknot.cli.commands.printing import show, show_json
from unknot.cli.commands.shared import limited, relation_of, write
from unknot.cli.exit_codes import FAILS, HOLDS

if TYPE_CHECKING:
    from unknot._base.units import Scale, Units
    from unknot.routing.relation import Relation
    from unknot.simulation.collectives import Execution
    from unknot.traffic.collectives import Meeting, Schedule

SHOWN = 8
"""Meetings that are named."""


def multicast(
    network: NetworkText,
    routing: RoutingText,
    operation: str = "broadcast",
    root: int = 0,
    members: str | None = None,
    order: str = "auto",
    vcs: Vcs = None,
    switching: SwitchingName = DEFAULT_SWITCHING,
    block: int = 8,
    buffer_depth: MessageDepth = None,
    overhead: int = 0,
    out: Picture = None,
    units: UnitsText = None,
    deadline: MostTime = None,
    json: Json = False,
) -> None:
    """Schedule a collective operation, say which messages may meet, and run it.

    Exit code 0: it ran to its end; 1: its messages blocked each other for good;
    3: it was given up at the time limit.

    Parameters
    ----------
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
    """
    from unknot._base.errors import UnknotError
    from unknot._base.units import Scale
    from unknot.simulation.collectives import execute
    from unknot.traffic.collectives import collective, contention

    scale = Scale.of(units)
    relation = limited(deadline, lambda: relation_of(network, routing, vcs, simulated=True))
    chosen = None
    if members is not None:
        try:
            chosen = [int(member) for member in members.split(",") if member.strip()]
        except ValueError:
            raise UnknotError(f"--members: terminals are numbers with commas between them, got {members!r}") from None
    schedule = limited(deadline, lambda: collective(operation, relation.network, root, chosen, order=order))
    meetings = limited(deadline, lambda: contention(relation, schedule))
    run = partial(execute, relation, schedule, block=block, switching=switching, buffer_depth=buffer_depth)
    done = limited(deadline, lambda: run(overhead=overhead))
    if out is not None:
        from unknot.report.schedule_drawing import draw_schedule

        write(out, draw_schedule(relation, schedule))
    if json:
        show_json(_answer(relation, schedule, meetings, done, scale.units))
    else:
        _print(relation, schedule, meetings, done, scale)
    raise typer.Exit(HOLDS if done.latency is not None else FAILS)


def _answer(
    relation: Relation, schedule: Schedule, meetings: list[Meeting], done: Execution, units: Units | None
) -> dict[str, Any]:
    from unknot.cli.answers.form import answer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.answers.runs import MulticastAnswer

    times = zip(schedule.sends, done.started, done.arrived, done.blocked, strict=True)
    sends = [{**vars(send), "started": start, "arrived": end, "blocked": late} for send, start, end, late in times]
    real = in_units(units, [{"latency": done.latency}])
    return answer(MulticastAnswer, schedule, done, of=relation, sends=sends, meetings=meetings, units=real)


def _print(relation: Relation, schedule: Schedule, meetings: list[Meeting], done: Execution, scale: Scale) -> None:
    network = relation.network

    def shown(i: int) -> str:
        send = schedule.sends[i]
        return f"{network.terminal_name(send.source)} → {network.terminal_name(send.destination)}"

    within = [meeting for meeting in meetings if meeting.same_step]
    members = len(schedule.members)
    show(f"{schedule.operation} among {members} terminals of {network.name}, routing {relation.name}")
    show(f"  {len(schedule.sends)} messages in {schedule.steps} steps")
    show(f"  messages of one step that may meet: {len(within) or 'none'}")
    for meeting in within[:SHOWN]:
        show(f"    {shown(meeting.one)} and {shown(meeting.other)} on {network.channel_name(meeting.channel)}")
    across = len(meetings) - len(within)
    show(f"  messages of different steps that may meet, when a step begins before the last ends: {across or 'none'}")
    if done.latency is None:
        show(f"  in the simulator ({done.switching}): DEADLOCK")
        if done.deadlock is not None:
            from unknot.report.configuration_text import describe

            for sentence in describe(relation, done.deadlock):
                show(f"    {sentence}")
    else:
        took, worst = f"{done.latency} cycles{scale.ns(done.latency)}", _worst(done)
        show(f"  in the simulator ({done.switching}, {done.block} flits a block): {took} to the last")
        show(f"    arrival; {done.blocked_messages} messages held up, {worst} cycles{scale.ns(worst)} at most")


def _worst(done: Execution) -> int:
    return max((cycles for cycles in done.blocked if cycles is not None), default=0)
