"""What the forms of `unknot lanes` share: their arguments, and what they show and write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot.cli.commands.outcomes import say
from unknot.cli.commands.shared import write

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.cli.commands.proved import Proved
    from unknot.lanes import ChangingLanes, Lanes
    from unknot.lanes.ways import Floats
    from unknot.network import Network
    from unknot.routing.relation import Relation

CLAUSES = ".cnf"


@dataclass(frozen=True)
class LaneRequest:
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


def write_lane_evidence(found: Lanes | ChangingLanes, proof: Proved, path: Path) -> None:
    """Write that the routes are safe and arrive, and why fewer lanes are impossible."""
    from unknot.cli.commands.accept import write_evidence
    from unknot.lanes.evidence import bound_claim

    bounds = [] if found.evidence is None else [bound_claim(found.evidence, found.sends, found.given)]
    write_evidence(found.relation, [proof.verdict], proof.delivery, path, bounds)


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
