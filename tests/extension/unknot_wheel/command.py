"""A command, and the form of its JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from unknot.cli.commands.options import Json, NetworkText
from unknot.cli.commands.printing import show, show_json


def degrees(
    network: NetworkText,
    least: Annotated[int, typer.Option(help="Least degree that is counted.")] = 0,
    json: Json = False,
) -> None:
    """Count the routers of each degree."""
    from unknot.cli.answers.filling import answer
    from unknot.fabrics.named import network as named
    from unknot_wheel.answer import DegreesAnswer

    built = named(network, where="NETWORK")
    count: dict[int, int] = {}
    for router in range(built.num_routers):
        degree = int((built.source == router).sum())
        if degree >= least:
            count[degree] = count.get(degree, 0) + 1
    if json:
        show_json(answer(DegreesAnswer, network=built.name, routers={str(k): n for k, n in sorted(count.items())}))
    else:
        show("\n".join(f"degree {k}: {n}" for k, n in sorted(count.items())))
