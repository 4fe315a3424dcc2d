"""`unknot lanes --changes`: what is shown of lanes that packets change on the way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.lane_display import (
    LaneRequest,
    bound_rows,
    fewer,
    load_rows,
    proof_rows,
    served,
    write_lane_evidence,
    write_routes,
)

if TYPE_CHECKING:
    from unknot.cli.commands.proved import Proved
    from unknot.lanes import ChangingLanes

HOW = {
    "rising": ", of which packets may take a higher one at each hop,",
    "any": ", which packets may change at each hop,",
    "ports": ", changed by ports,",
}


def changing(request: LaneRequest, changes: str) -> int:
    """Find the lanes, show or print them as JSON; the exit code."""
    from unknot.cli.commands import activity
    from unknot.cli.commands.proved import proved, searching
    from unknot.cli.commands.shared import print_json
    from unknot.lanes import changing_lanes
    from unknot.studies import design

    began = time.monotonic()
    with keeping_the_best(), activity.status("looking for lanes") as show:
        network = request.network
        given = None if request.routing is None else design.routing(network, request.routing, None, where="--routing")
        found = changing_lanes(
            network,
            request.paths,
            changes=changes,
            routing=given,
            flows=request.flows,
            vcs=request.vcs,
            time_limit=searching(network, request.deadline),
            seed=request.seed,
            progress=show,
        )
        seconds = time.monotonic() - began
        proof = proved(found.relation, request.deadline)
    if request.out is not None:
        write_routes(found, request.out)
    if request.evidence is not None:
        write_lane_evidence(found, proof, request.evidence)
    if request.json:
        from unknot.cli.answers.form import answer
        from unknot.cli.answers.lanes import ChangingAnswer

        more = {
            "lanes": found.count,
            "conclusion": conclusion(found),
            "certificate_holds": proof.holds,
            "seconds": seconds,
        }
        print_json(answer(ChangingAnswer, found, proof.verdict, proof.delivery, of=found.relation, **more))
    else:
        _show(found, proof, seconds)
    return proof.code


def conclusion(found: ChangingLanes) -> str:
    """Return the conclusion in a sentence or two."""

    one = found.count == 1
    lanes = "1 lane is" if one else f"{found.count} lanes{HOW[found.changes]} are"
    return f"{lanes} enough for {served(found)}. {fewer(found)}"


def _show(found: ChangingLanes, proof: Proved, seconds: float) -> None:
    from unknot.cli.commands import display

    changed = f"{found.changing_pairs} of {found.pairs} routes change their lane"
    if found.levels is not None:
        changed += f"; {found.levels} service level{'s are' if found.levels > 1 else ' is'} in use"
    rows: list[tuple[str, Any]] = [
        ("conclusion", conclusion(found)),
        ("network", found.relation.network.name),
        *bound_rows(found),
        ("changes", changed),
        *proof_rows(found.relation, proof),
        *load_rows(found),
        ("search", f"{found.moves:,} moves in {seconds:.1f} s{'' if found.complete else '; it was cut short'}"),
    ]
    display.console().print(display.two_columns(rows))
