"""`unknot lanes`."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot._base.errors import RelationError
from unknot.cli.commands.changing_lanes import changing
from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.lane_display import (
    CLAUSES,
    LaneRequest,
    bound_rows,
    fewer,
    load_rows,
    proof_rows,
    served,
    write_lane_evidence,
    write_routes,
)
from unknot.cli.commands.longer_lanes import longer
from unknot.cli.commands.options import SEED, BothWays, EvidenceFile, Flows, Json, NetworkText, Seed, TimeLimit, Vcs
from unknot.cli.commands.shared import limited, print_json

if TYPE_CHECKING:
    from unknot.cli.commands.proved import Proved
    from unknot.lanes import Lanes
    from unknot.network import Network


class Goal(StrEnum):
    """Quantity to minimise where paths may be longer."""

    mean = "mean"
    longest = "longest"


class First(StrEnum):
    """Quantity to minimise first."""

    lanes = "lanes"
    load = "load"


class Paths(StrEnum):
    """Freedom in the choice of paths."""

    free = "free"
    table = "table"
    given = "given"


class Changes(StrEnum):
    """Whether packets change lanes on the way."""

    none = "none"
    rising = "rising"
    any = "any"
    ports = "ports"


def lanes(
    network: NetworkText,
    paths: Annotated[
        Paths,
        typer.Option(help="free: any shortest path for each pair; table: by destination; given: those of --routing."),
    ] = Paths.free,
    routing: Annotated[
        str | None, typer.Option(metavar="NAME", help="The routing whose paths are given, or a fabric's tables.")
    ] = None,
    changes: Annotated[
        Changes,
        typer.Option(
            help="Whether packets change lanes on the way: none; rising: only to higher ones, as VC classes; any; "
            "ports: by input port, output port and service level, as SL2VL."
        ),
    ] = Changes.none,
    flows: Flows = None,
    count: Annotated[
        int | None, typer.Option("--lanes", help="This many lanes, by longer paths where they are needed.")
    ] = None,
    goal: Annotated[Goal, typer.Option(help="With --lanes: a small mean of hops, or a short longest detour.")] = (
        Goal.mean
    ),
    most: Annotated[int | None, typer.Option(help="Find the loads of routes in up to this many lanes, too.")] = None,
    first: Annotated[First, typer.Option(help="With --most: the fewest lanes, or the lowest load.")] = First.lanes,
    vcs: Vcs = None,
    both_ways: BothWays = None,
    time_limit: TimeLimit = 60.0,
    seed: Seed = SEED,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the routes there, as export does; with .svg, .png or .pdf draw the cycle that rules out "
            "one lane; with .cnf write the clauses that refute fewer lanes, and their proof beside them as .drat "
            "and .lrat.",
        ),
    ] = None,
    evidence: EvidenceFile = None,
    json: Json = False,
) -> None:
    """Find routes along shortest paths that cannot deadlock, in as few virtual lanes as possible.

    A lane is a virtual channel of every channel that a packet keeps all the way, or with --changes may leave for
    another. Ctrl-C ends the search and keeps the best so far.

    Exit code 0: routes were found, and the proof holds; 3: there was no time for the proof.
    """
    from unknot._base.deadline import Deadline
    from unknot.cli.commands import activity
    from unknot.cli.commands.proved import proved, searching
    from unknot.lanes import lanes as fewest
    from unknot.lanes import read_flows
    from unknot.report.export import require_format
    from unknot.report.picture import ENDINGS
    from unknot.studies import design

    deadline = Deadline.after(time_limit, "--time-limit")
    of_evidence = out is not None and out.suffix.lower() in (*ENDINGS, CLAUSES)
    if out is not None and (count is not None or not of_evidence):
        require_format(out, () if count is not None else (*ENDINGS, CLAUSES))
    built = limited(deadline, lambda: design.network(network, where="NETWORK"))
    matrix = None if flows is None else read_flows(flows, built)
    if matrix is None:
        design.require_connected(built)
    began = time.monotonic()
    if count is not None:
        if paths is not Paths.free or routing is not None or most is not None:
            raise RelationError("lanes: with --lanes paths are free, and --most has no meaning")
        if evidence is not None:
            raise RelationError("lanes: --evidence is for the fewest lanes, and --lanes gives their number")
        if changes is not Changes.none:
            raise RelationError("lanes: with --lanes packets keep their lanes, and --changes has no meaning")
        longer(built, count, goal.value, matrix, vcs, deadline, seed, out, json)
    if changes is not Changes.none:
        if most is not None:
            raise RelationError("lanes: --most is for packets that keep their lanes, and not for --changes")
        request = LaneRequest(built, paths.value, routing, matrix, vcs, deadline, seed, out, evidence, json)
        raise typer.Exit(changing(request, changes.value))
    with keeping_the_best(), activity.status("looking for lanes") as show:
        given = None
        if routing is not None:
            given = limited(deadline, lambda: design.routing(built, routing, None, where="--routing"))
        found = fewest(
            built,
            paths.value,
            routing=given,
            flows=matrix,
            vcs=vcs,
            time_limit=searching(built, deadline),
            most=most,
            first=first.value,
            both_ways=_shared(built, paths, both_ways),
            seed=seed,
            progress=show,
        )
        seconds = time.monotonic() - began
        proof = proved(found.relation, deadline)
    if out is not None:
        write_routes(found, out)
    if evidence is not None:
        write_lane_evidence(found, proof, evidence)
    if json:
        print_json(_answer(found, proof, seconds))
    else:
        _show(found, proof, seconds)
    raise typer.Exit(proof.code)


def _shared(network: Network, paths: Paths, both_ways: bool | None) -> bool:
    """Whether both directions share a lane: by default with tables on a fabric, whose ports have numbers."""
    return paths is not Paths.free and network.ports is not None if both_ways is None else both_ways


def conclusion(found: Lanes) -> str:
    """Return the conclusion in a sentence or two."""
    text = f"{found.count} lane{'s are' if found.count > 1 else ' is'} enough for {served(found)}"
    if found.least_count < found.count:
        return f"{text}, with the lowest load that was found; {found.least_count} would do."
    return f"{text}. {fewer(found)}"


def _show(found: Lanes, proof: Proved, seconds: float) -> None:
    from unknot.cli.commands import display

    rows: list[tuple[str, Any]] = [
        ("conclusion", conclusion(found)),
        ("network", found.relation.network.name),
        *bound_rows(found),
        *proof_rows(found.relation, proof),
        *load_rows(found),
        *(("front", f"{lanes} lanes: highest load {load:g}") for lanes, load in found.front if len(found.front) > 1),
        ("search", f"{found.moves:,} moves in {seconds:.1f} s{'' if found.complete else '; it was cut short'}"),
    ]
    display.console().print(display.two_columns(rows))


def _answer(found: Lanes, proof: Proved, seconds: float) -> dict[str, Any]:
    from unknot.cli.answers.form import answer
    from unknot.cli.answers.lanes import LanesAnswer

    more = {
        "lanes": found.count,
        "conclusion": conclusion(found),
        "certificate_holds": proof.holds,
        "seconds": seconds,
    }
    return answer(LanesAnswer, found, proof.verdict, proof.delivery, of=found.relation, **more)
