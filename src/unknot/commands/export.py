"""`unknot export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unknot.commands.options import NetworkText, Vcs
from unknot.commands.outcomes import say
from unknot.commands.shared import relation_of


def export(
    network: NetworkText,
    routing: Annotated[
        str,
        typer.Option("--routing", metavar="NAME", help="A routing, or 'lanes' for the fewest lanes."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.json|csv|v|py", help="Where the tables go.")],
    vcs: Vcs = None,
) -> None:
    """Write a routing as tables, router by router: JSON, CSV, a Verilog module (.v), weights for gem5's Garnet (.py).

    An entry has an input, an address and the candidates there; adaptive routings have several, which Garnet cannot
    hold.
    """
    from unknot.studies import design
    from unknot.synthesis import export as write
    from unknot.synthesis import lanes

    if routing == "lanes":
        relation = lanes(design.network(network, where="NETWORK"), vcs=vcs).relation
    else:
        relation = relation_of(network, routing, vcs)
    write(relation, out)
    say(f"wrote {out}")
