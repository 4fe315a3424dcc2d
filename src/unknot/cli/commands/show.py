"""`unknot show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from unknot.cli.commands.options import Json, MostTime, NetworkText, Picture
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import limited, write

if TYPE_CHECKING:
    from unknot.cli.commands.display import Rows
    from unknot.network import Network
    from unknot.network.metrics import Metrics


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
    from unknot.network import measure
    from unknot.studies.design import network as named

    built = limited(deadline, lambda: named(network, where="NETWORK"))
    metrics = limited(deadline, lambda: measure(built, sample=sample))
    if out is not None:
        from unknot.report import draw_network

        limited(deadline, lambda: write(out, draw_network(built, view=view, terminals=terminals)))
    if json:
        from unknot.cli.answers.form import answer
        from unknot.cli.answers.networks import ShowAnswer

        show_json(answer(ShowAnswer, metrics, name=built.name))
    else:
        _show(built, metrics)


def _show(network: Network, metrics: Metrics) -> None:
    """Figures of a network."""
    from rich.text import Text

    from unknot.cli.commands.display import answer, print_rows
    from unknot.report.phrases import span

    sampled = f" (sampled from {metrics.sampled} routers)" if metrics.sampled else ""
    unknown = "not computed" if metrics.connected else "none: not connected"
    connected = answer(metrics.connected)
    if metrics.terminals_connected and not metrics.connected:
        unknown = "none: not every router has a way to every other"
        connected = Text("every terminal has a way to every other; not every router")
    rows: Rows = [
        ("network", network.name),
        ("routers", str(metrics.routers)),
        ("channels", f"{metrics.channels} directed ({metrics.links} links)"),
        ("terminals", str(metrics.terminals)),
        ("degree", span(metrics.degree_min, metrics.degree_max)),
        ("connected", connected),
        ("diameter", unknown if metrics.diameter is None else f"{metrics.diameter} hops{sampled}"),
        ("mean distance", unknown if metrics.mean_distance is None else f"{metrics.mean_distance:.4f} hops{sampled}"),
        ("bisection", "not known" if metrics.bisection is None else f"{metrics.bisection} channels"),
    ]
    print_rows(rows)
