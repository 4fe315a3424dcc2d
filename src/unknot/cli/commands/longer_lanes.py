"""`unknot lanes --lanes`: routes in a prescribed number of lanes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.lane_display import proof_rows
from unknot.cli.commands.shared import print_json

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.lanes.ways import Floats
    from unknot.network import Network


def longer(
    network: Network,
    count: int,
    goal: str,
    flows: Floats | None,
    vcs: int | None,
    deadline: Deadline,
    seed: int,
    out: Path | None,
    json: bool,
) -> NoReturn:
    """Find the routes, show or print them as JSON, and end with the exit code."""
    from unknot.cli.commands import activity, display
    from unknot.cli.commands.proved import proved, searching
    from unknot.lanes import longer_lanes
    from unknot.report.export import export

    with keeping_the_best(), activity.status("looking for short routes") as show:
        found = longer_lanes(
            network,
            count,
            goal=goal,
            flows=flows,
            vcs=vcs,
            time_limit=searching(network, deadline),
            seed=seed,
            progress=show,
        )
        proof = proved(found.relation, deadline)
    if out is not None:
        export(found.relation, out)
    lanes = f"{count} lane{'s' * (count > 1)}"
    conclusion = f"In {lanes} {found.longer_pairs} of {found.pairs} routes are longer than shortest paths."
    if not found.longer_pairs:
        conclusion = f"In {lanes} all {found.pairs} routes are shortest paths."
    if json:
        from unknot.cli.answers.form import answer
        from unknot.cli.answers.lanes import LongerAnswer

        more = {"lanes": count, "conclusion": conclusion, "certificate_holds": proof.holds}
        print_json(answer(LongerAnswer, found, proof.verdict, proof.delivery, of=found.relation, **more))
    else:
        rows: list[tuple[str, Any]] = [
            ("conclusion", conclusion),
            ("network", network.name),
            ("mean hops", f"{found.mean_hops:.4g}; of shortest paths {found.mean_shortest:.4g}"),
            ("longest detour", f"{found.longest_detour} hop{'s' * (found.longest_detour != 1)}"),
            ("highest load", f"{found.highest_load:g}"),
            *proof_rows(found.relation, proof),
            ("search", f"{found.moves:,} moves{'' if found.complete else '; it was cut short'}"),
        ]
        display.console().print(display.two_columns(rows))
    raise typer.Exit(proof.code)
