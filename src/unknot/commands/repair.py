"""`unknot repair`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unknot.commands.lanes import status
from unknot.commands.options import NetworkText
from unknot.commands.outcomes import FAILS, HOLDS
from unknot.commands.shared import relation_of

if TYPE_CHECKING:
    from unknot.routing.relation import Relation


def repair(
    network: NetworkText,
    routing: Annotated[
        str | None,
        typer.Option("--routing", metavar="NAME", help="A routing; by default a fabric's tables."),
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for the search.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0,
) -> None:
    """Find remedies for a routing that can deadlock, and show what each costs.

    The same routes in as few virtual lanes as possible; new tables; new routes. NETWORK may be a fabric with
    forwarding tables. Each remedy is judged anew.

    Exit code 0: every remedy was proved safe.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from unknot.checker import evidence_holds
    from unknot.commands import display
    from unknot.synthesis import loads_of, table_of
    from unknot.synthesis import repair as remedies
    from unknot.verify import check, deliver

    relation = _refuted(network, routing)
    with status("looking for remedies") as say:
        before = check(relation)
        found = remedies(relation, time_limit=time_limit, seed=seed, progress=say)
    old = loads_of(table_of(relation))
    table = Table(box=SIMPLE_HEAD)
    for heading in (
        "remedy",
        "lanes",
        "at least",
        "changed pairs",
        "highest load",
        "deadlock-free",
        "delivers",
        "minimal",
    ):
        table.add_column(heading)
    verdict = display.answer(before.deadlock_free)
    own = deliver(relation)
    minimal = display.answer(own.minimal)
    table.add_row(
        "as it is", "", "", "", f"{old.max(initial=0.0):g}", verdict, display.answer(own.delivered), minimal
    )
    safe = True
    for remedy in found:
        verdict_, delivery = check(remedy.relation), deliver(remedy.relation)
        holds = evidence_holds(remedy.relation, verdict_) is not False
        safe = safe and verdict_.deadlock_free is True and delivery.delivered and holds
        changed = "not compared" if remedy.changed_pairs is None else f"{remedy.changed_pairs} of {remedy.pairs}"
        table.add_row(
            remedy.kind, str(remedy.found.count), str(remedy.found.lower_bound), changed,
            f"{remedy.found.highest_load:g}", display.answer(verdict_.deadlock_free),
            display.answer(delivery.delivered), display.answer(delivery.minimal),
        )  # fmt: skip
    out = display.console()
    out.print(f"{relation.name} on {relation.network.name}")
    out.print(table)
    raise typer.Exit(HOLDS if safe else FAILS)


def _refuted(network: str, routing: str | None) -> Relation:
    if routing is not None:
        return relation_of(network, routing, None)
    from unknot import fabrics
    from unknot.errors import UnknotError
    from unknot.routing.forwarding_table import fabric_relation

    if not Path(network).is_dir():
        raise UnknotError(f"{network}: name a --routing, or a folder of a fabric with forwarding tables")
    return fabric_relation(fabrics.read_fabric(Path(network)))
