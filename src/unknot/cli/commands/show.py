"""`unknot show`."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from unknot._base.errors import UnknotError
from unknot.cli.commands.asking import PICTURES, asked, named
from unknot.cli.commands.options import Json, NetworkText
from unknot.cli.commands.unread import name_idle
from unknot.cli.commands.written import draw


def show(
    network: NetworkText,
    sample: int | None = None,
    view: Literal["auto", "whole", "matrix"] = "auto",
    terminals: bool = False,
    json: Json = False,
) -> None:
    """Describe a network: sizes, degrees, distances.

    Exit code 3: the time limit ended the command.

    Parameters
    ----------
    sample
        Number of routers from which distances of a large network are estimated.
    view
        Kind of pictures: every router, or a matrix of links; auto: the matrix from 600
        routers on, of grids of two dimensions from 1,024.
    terminals
        Also draw terminals, as squares beside their routers.
    out : svg|png|pdf
        pictures of the network

    Examples
    --------
    >>> import unknot
    >>> network = unknot.show("ring(8) ** 2 * line(4)")
    >>> network.routers, network.diameter
    (256, 11)
    >>> network.plot()
    <Drawing: Network ring(8) ** 2 * line(4): 256 routers, 1,408 channels, 256 terminals>
    """
    from unknot.cli.answers.networks import ShowAnswer
    from unknot.cli.commands.display import tell
    from unknot.fabrics.named import network as network_named
    from unknot.network import bisection_bounds, measure
    from unknot.network.halves import can_be_halved
    from unknot.report import draw_network
    from unknot.report.drawing import is_matrix

    drawn = asked() is not None or named(*PICTURES)
    if not drawn and view != "auto":
        raise UnknotError(f"--view {view} is of a picture; name its file with --out")
    if terminals and (not drawn or (view == "matrix" and asked() is None)):
        raise UnknotError(
            "--terminals is of a picture of every router; name its file with --out, without --view matrix"
        )
    built = network_named(network, where="NETWORK")
    metrics = measure(built, sample=sample)
    matrix = view == "auto" and is_matrix(built, view)
    name_idle(sample=sample is not None and metrics.sampled is None, terminals=terminals and matrix)
    draw(lambda: draw_network(built, view=view, terminals=terminals))
    halves = bisection_bounds(built) if metrics.bisection is None and can_be_halved(built) else None
    if halves is not None and halves.lower == halves.upper:
        metrics, halves = replace(metrics, bisection=halves.lower), None
    tell(
        json,
        ShowAnswer,
        metrics,
        name=built.name,
        bisection_lower=halves and halves.lower,
        bisection_upper=halves and halves.upper,
    )
