"""`unknot export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unknot.cli.commands.options import Json, NetworkText
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import relation_of


def export(
    network: NetworkText,
    routing: str,
    out: Path,
    vcs: int | None = None,
    flows: Path | None = None,
    json: Json = False,
) -> None:
    """Write a routing as tables, router by router: JSON, or a Verilog module (.v).

    An entry of a table has an input, an address and the candidates; entries of adaptive routings have several
    candidates.

    Parameters
    ----------
    out : FILE.json|v
        File of the tables.
    """
    from unknot.report.export import entries
    from unknot.report.export import export as write

    relation = relation_of(network, routing, vcs, flows=flows)
    write(relation, out)
    if not json:
        wrote(out)
        return
    from unknot.cli.answers.networks import ExportAnswer
    from unknot.cli.commands.display import tell

    choices = [len(candidates) for _, _, _, candidates in entries(relation)]
    more: dict[str, Any] = {"file": str(out), "format": out.suffix.lower().removeprefix(".")}
    tell(json, ExportAnswer, of=relation, entries=len(choices), most_candidates=max(choices, default=0), **more)
