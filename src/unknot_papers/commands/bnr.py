"""`unknot bnr`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from unknot._base.switching import DEFAULT_SWITCHING
from unknot.cli.commands.options import MINUTE, Json, NetworkText, Picture, RoutingText, SwitchingName, TimeLimit, Vcs
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import limited, relation_of, write
from unknot.cli.exit_codes import FAILS, HOLDS, UNDECIDED

if TYPE_CHECKING:
    from unknot.routing.relation import Relation
    from unknot_papers.bnr.table import Conclusion


def bnr(
    network: NetworkText,
    routing: RoutingText,
    vcs: Vcs = None,
    switching: SwitchingName = DEFAULT_SWITCHING,
    deadline: TimeLimit = MINUTE,
    out: Picture = None,
    json: Json = False,
) -> None:
    """Judge a routing: minimal, deadlock-free and fully adaptive, or exactly where it is not.

    On a mesh or torus, for each choice of a direction in every dimension the table says whether messages that go
    these ways may take every shortest path (whether the routing provides their best network for routing, BNR). On
    any other network all messages are one class.

    Exit code 0: it holds; 1: it does not; 3: undecided in the time given.
    """
    from unknot.cli.commands import activity
    from unknot.cli.commands.shared import proved
    from unknot_papers.bnr.table import bnr as table_of
    from unknot_papers.bnr.table import conclude

    relation = limited(deadline, lambda: relation_of(network, routing, vcs, proved=True))
    with activity.working("bnr", tenths=True) as progress:
        table = limited(deadline, lambda: table_of(relation, progress=progress))
    with activity.working("proving"):
        proof = proved(relation, deadline, switching)
        conclusion = conclude(proof.verdict, proof.delivery, table)
    if out is not None:
        from unknot_papers.bnr.drawing import draw_bnr

        write(out, draw_bnr(relation, table, conclusion.reasons))
    if json:
        show_json(_answer(relation, conclusion, proof.holds))
    else:
        _show(relation, conclusion, proof.holds)
    raise typer.Exit({True: HOLDS, False: FAILS, None: UNDECIDED}[conclusion.holds])


def _show(relation: Relation, conclusion: Conclusion, holds: bool | None) -> None:
    from unknot.cli.commands import display

    verdict, delivery = conclusion.verdict, conclusion.delivery
    rows: display.Rows = [
        *display.subject_rows(relation),
        ("switching", verdict.switching),
        ("deadlock-free", display.answer(verdict.deadlock_free)),
        ("evidence", f"{verdict.established}; the separate checker {display.accepts(holds)}"),
        ("minimal", display.answer(bool(delivery.minimal))),
        ("delivers", display.answer(delivery.delivered)),
        ("BNRs", f"{sum(row.provided for row in conclusion.table)} of {len(conclusion.table)} provided"),
        ("all of these", display.answer(conclusion.holds)),
        *(("", reason) for reason in conclusion.reasons),
    ]
    display.print_rows(rows)
    lines = []
    for row in conclusion.table:
        why = row.forbidden.describe(relation) if row.forbidden else ""
        if row.provided and row.refusal:
            why = f"none; but lost by choice when {row.refusal.describe(relation)}"
        if not row.pairs:
            why = "no messages of this class"
        lines.append((row.name, display.answer(row.provided), f"{row.full_pairs} of {row.pairs}", why))
    display.print_table(("class", "provided", "pairs", "shortest forbidden path"), lines)


def _answer(relation: Relation, conclusion: Conclusion, holds: bool | None) -> dict[str, Any]:
    from unknot.cli.answers.form import answer
    from unknot_papers.bnr.answer import BnrAnswer

    sources = (conclusion, conclusion.verdict, conclusion.delivery)
    return answer(BnrAnswer, *sources, of=relation, bnrs=conclusion.table, certificate_holds=holds)
