"""`unknot lanes --changes`: what is shown of lanes that packets change on the way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from unknot.commands.guard import keeping_the_best
from unknot.commands.outcomes import FAILS, HOLDS

if TYPE_CHECKING:
    from unknot.commands.lanes import Wanted
    from unknot.synthesis import ChangingLanes
    from unknot.verify import Delivery, Verdict

HOW = {
    "rising": ", of which packets may take a higher one at each hop,",
    "any": ", which packets may change at each hop,",
    "ports": ", changed by ports,",
}


def changing(wanted: Wanted, changes: str) -> int:
    """Find the lanes, show or print them as JSON; the exit code."""
    from unknot.checker import evidence_holds
    from unknot.commands import activity
    from unknot.commands.lanes import write_lane_evidence, write_routes
    from unknot.commands.shared import print_json
    from unknot.studies import design
    from unknot.synthesis import changing_lanes
    from unknot.verify import check, deliver

    began = time.monotonic()
    with keeping_the_best(), activity.status("looking for lanes") as show:
        network = wanted.network
        given = None if wanted.routing is None else design.routing(network, wanted.routing, None, where="--routing")
        found = changing_lanes(
            network,
            wanted.paths,
            changes=changes,
            routing=given,
            flows=wanted.flows,
            vcs=wanted.vcs,
            time_limit=wanted.time_limit,
            seed=wanted.seed,
            progress=show,
        )
        seconds = time.monotonic() - began
        verdict, delivery = check(found.relation), deliver(found.relation)
        holds = evidence_holds(found.relation, verdict)
    if wanted.out is not None:
        write_routes(found, wanted.out)
    if wanted.evidence is not None:
        write_lane_evidence(found, verdict, delivery, wanted.evidence)
    if wanted.json:
        from unknot.answers.form import answer
        from unknot.answers.lanes import ChangingAnswer

        more = {"lanes": found.count, "conclusion": conclusion(found), "certificate_holds": holds, "seconds": seconds}
        print_json(answer(ChangingAnswer, found, verdict, delivery, of=found.relation, **more))
    else:
        _show(found, verdict, delivery, holds, seconds)
    return HOLDS if verdict.deadlock_free and delivery.delivered and holds is not False else FAILS


def conclusion(found: ChangingLanes) -> str:
    """Return the conclusion in a sentence or two."""
    from unknot.commands.lanes import fewer, served

    one = found.count == 1
    lanes = "1 lane is" if one else f"{found.count} lanes{HOW[found.changes]} are"
    return f"{lanes} enough for {served(found)}. {fewer(found)}"


def _show(found: ChangingLanes, verdict: Verdict, delivery: Delivery, holds: bool | None, seconds: float) -> None:
    from unknot.commands import display
    from unknot.commands.lanes import bound_rows, load_rows

    changed = f"{found.changing_pairs} of {found.pairs} routes change their lane"
    if found.levels is not None:
        changed += f"; {found.levels} service level{'s are' if found.levels > 1 else ' is'} in use"
    rows: list[tuple[str, Any]] = [
        ("conclusion", conclusion(found)),
        ("network", found.relation.network.name),
        *bound_rows(found),
        ("changes", changed),
        ("deadlock-free", display.answer(verdict.deadlock_free)),
        ("", f"{verdict.established}; the separate checker {display.accepts(holds)}"),
        *display.delivery_rows(found.relation, delivery),
        *load_rows(found),
        ("search", f"{found.moves:,} moves in {seconds:.1f} s{'' if found.complete else '; it was cut short'}"),
    ]
    display.console().print(display.two_columns(rows))
