"""`unknot show`."""

from __future__ import annotations

from typing import Literal

from unknot.cli.commands.options import Json, MostTime, NetworkText, Picture
from unknot.cli.commands.shared import limited, write


def show(
    network: NetworkText,
    sample: int | None = None,
    out: Picture = None,
    view: Literal["auto", "whole", "matrix"] = "auto",
    terminals: bool = False,
    deadline: MostTime = None,
    json: Json = False,
) -> None:
    """Describe a network: sizes, degrees, distances.

    Exit code 3: it was given up at the time limit.

    Parameters
    ----------
    sample
        Estimate distances of a large network from this many routers.
    view
        What --out draws: every router, or a matrix of who is joined to whom; auto: the matrix from 600 routers on.
    terminals
        Draw terminals too.
    """
    from unknot.cli.answers.networks import ShowAnswer
    from unknot.cli.commands.display import tell
    from unknot.network import measure
    from unknot.studies.design import network as named

    built = limited(deadline, lambda: named(network, where="NETWORK"))
    metrics = limited(deadline, lambda: measure(built, sample=sample))
    if out is not None:
        from unknot.report import draw_network

        limited(deadline, lambda: write(out, draw_network(built, view=view, terminals=terminals)))
    tell(json, ShowAnswer, metrics, name=built.name)
