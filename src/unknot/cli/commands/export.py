"""`unknot export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unknot.cli.commands.answer_files import KINDS
from unknot.cli.commands.asking import named
from unknot.cli.commands.options import Json, NetworkText
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import relation_of


def export(
    network: NetworkText,
    routing: str,
    target: Path,
    vcs: int | None = None,
    flows: Path | None = None,
    json: Json = False,
) -> None:
    """Write a routing as tables, router by router: JSON, or a Verilog module (.v).

    An entry of a table has an input, an address and the candidates; entries of adaptive routings have several
    candidates.

    Parameters
    ----------
    target : argument FILE.json|v
        File of the tables.
    """
    from unknot.report.export import entries
    from unknot.report.export import export as write

    relation = relation_of(network, routing, vcs, flows=flows)
    write(relation, target)
    wrote(target)
    if not json and not named(*KINDS):
        return
    from unknot.cli.answers.networks import ExportAnswer
    from unknot.cli.commands.display import tell

    choices = [len(candidates) for _, _, _, candidates in entries(relation)]
    more: dict[str, Any] = {"file": str(target), "format": target.suffix.lower().removeprefix(".")}
    tell(json, ExportAnswer, of=relation, entries=len(choices), most_candidates=max(choices, default=0), **more)
