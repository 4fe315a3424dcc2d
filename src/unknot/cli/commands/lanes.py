"""`unknot lanes`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot._base.errors import RelationError
from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.options import SEED, BothWays, EvidenceFile, Flows, Json, NetworkText, Seed, TimeLimit, Vcs
from unknot.cli.commands.outcomes import say
from unknot.cli.commands.shared import limited, print_json, write

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.cli.commands.proved import Proved
    from unknot.lanes import ChangingLanes, Lanes
    from unknot.lanes.ways import Floats
    from unknot.network import Network
    from unknot.routing.relation import Relation


CLAUSES = ".cnf"


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


@dataclass(frozen=True)
class Wanted:
    """Arguments with the same meaning whether packets keep their lanes or not."""

    network: Network
    paths: str
    routing: str | None
    flows: Floats | None
    vcs: int | None
    deadline: Deadline
    seed: int
    out: Path | None
    evidence: Path | None
    json: bool


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
        from unknot.cli.commands.longer_lanes import longer

        longer(built, count, goal.value, matrix, vcs, deadline, seed, out, json)
    if changes is not Changes.none:
        from unknot.cli.commands.changing_lanes import changing

        if most is not None:
            raise RelationError("lanes: --most is for packets that keep their lanes, and not for --changes")
        wanted = Wanted(built, paths.value, routing, matrix, vcs, deadline, seed, out, evidence, json)
        raise typer.Exit(changing(wanted, changes.value))
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


def write_lane_evidence(found: Lanes | ChangingLanes, proof: Proved, path: Path) -> None:
    """Write that the routes are safe and arrive, and why fewer lanes are impossible."""
    from unknot.cli.commands.accept import write_evidence
    from unknot.lanes.evidence import bound_claim

    bounds = [] if found.evidence is None else [bound_claim(found.evidence, found.sends, found.given)]
    write_evidence(found.relation, [proof.verdict], proof.delivery, path, bounds)


def _shared(network: Network, paths: Paths, both_ways: bool | None) -> bool:
    """Whether both directions share a lane: by default with tables on a fabric, whose ports have numbers."""
    return paths is not Paths.free and network.ports is not None if both_ways is None else both_ways


def write_routes(found: Lanes | ChangingLanes, out: Path) -> None:
    """Routes as tables, or the evidence: a cycle as a picture, a refutation as clauses and a proof."""
    from unknot.lanes import ForcedCycle, Refutation, RouteCycle, write_refutation
    from unknot.report.export import export
    from unknot.report.picture import ENDINGS

    if out.suffix.lower() == CLAUSES:
        if isinstance(found.evidence, Refutation):
            files = write_refutation(found.relation.network, found.evidence, out, sends=found.sends)
            say(f"the proof is in {files.drat} and {files.lrat}")
        else:
            say(f"{out} was not written: no clauses were refuted; a cycle of turns, or nothing, shows the bound")
    elif out.suffix.lower() not in ENDINGS:
        export(found.relation, out)
    elif isinstance(found.evidence, (ForcedCycle, RouteCycle)):
        from unknot.report import draw_cycle

        write(out, draw_cycle(found.relation, found.evidence))
    else:
        say(f"{out} was not written: no cycle of turns rules out one lane, so there is nothing to draw")


def conclusion(found: Lanes) -> str:
    """Return the conclusion in a sentence or two."""
    text = f"{found.count} lane{'s are' if found.count > 1 else ' is'} enough for {served(found)}"
    if found.least_count < found.count:
        return f"{text}, with the lowest load that was found; {found.least_count} would do."
    return f"{text}. {fewer(found)}"


def served(found: Lanes | ChangingLanes) -> str:
    """Describe the routes and the pairs they serve."""
    whom = f"all {found.pairs} pairs of routers{'' if found.sends is None else ' with flows'}"
    what = {"free": "shortest paths between", "table": "shortest paths by tables between"}.get(
        found.paths, "the given paths of"
    )
    return f"{what} {whom}{', whose two directions share a lane' if found.both_ways else ''}"


def fewer(found: Lanes | ChangingLanes) -> str:
    """Return a sentence on whether fewer lanes could do."""
    if found.fewest:
        return "Fewer than one there are not." if found.count == 1 else "Fewer are impossible."
    return f"Whether {found.count - 1} could do is open; {found.lower_bound - 1} could not."


def _bound(found: Lanes | ChangingLanes) -> str:
    from unknot.lanes import Refutation, RouteCycle

    if isinstance(found.evidence, Refutation):
        count = f"{found.evidence.lanes} lane{'s are' if found.evidence.lanes > 1 else ' is'} impossible"
        steps = len(found.evidence.steps)
        return (
            f"{count}: with {len(found.evidence.cycles)} cycles of channels that no lane may close, the clauses that "
            f"the routes of {len(found.evidence.pairs)} pairs of routers fulfil contradict each other; the proof has "
            f"{steps:,} step{'s' * (steps != 1)}"
        )
    if found.evidence is None:
        return "there is no fewer than one"
    name = found.relation.network.channel_name
    names = " → ".join(name(turn.channel) for turn in found.evidence.turns)
    if isinstance(found.evidence, RouteCycle):
        return f"1 lane is impossible: the given routes take each of these channels and then the next: {names}"
    return (
        "1 lane is impossible: each of these channels has to be followed by the next, because some pair of routers "
        f"has no other shortest path, and they close a cycle: {names}"
    )


def _floor(found: Lanes | ChangingLanes) -> str:
    if found.load_bound is None:
        return ""
    return f", and no shortest paths at all can have less than {found.load_bound:.4g}"


def bound_rows(found: Lanes | ChangingLanes) -> list[tuple[str, Any]]:
    """The lower bound, its evidence, and what was tried with fewer lanes."""
    from unknot.cli.commands import display

    rows: list[tuple[str, Any]] = [("lower bound", f"{found.lower_bound}: {_bound(found)}")]
    if found.evidence is not None:
        rows.append(("evidence", f"the separate checker {display.accepts(found.evidence_holds)}"))
    for lanes, (rounds, left) in sorted(found.tried.items()):
        if lanes < found.count:
            text = f"{lanes} lane{'s' * (lanes > 1)}: {rounds} rounds of search left {left} pairs or more"
            if found.conflicts.get(lanes):
                text += f", and a SAT solver had no answer after {found.conflicts[lanes]:,} conflicts"
            rows.append(("open" if lanes >= found.lower_bound else "tried", text))
    return rows


def proof_rows(relation: Relation, proof: Proved) -> list[tuple[str, Any]]:
    """The verdict on the routes, and whether all packets arrive."""
    from unknot.cli.commands import display

    return [
        ("deadlock-free", display.answer(proof.verdict.deadlock_free)),
        ("", f"{proof.verdict.established}; the separate checker {display.accepts(proof.holds)}"),
        *display.delivery_rows(relation, proof.delivery),
    ]


def load_rows(found: Lanes | ChangingLanes) -> list[tuple[str, Any]]:
    """The highest load."""
    unit = "routes" if found.sends is None else "in the units of the flows"
    text = f"{found.highest_load:g} {unit}; the mean of all is {found.mean_load:.4g}{_floor(found)}"
    return [("highest load", text)]


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
