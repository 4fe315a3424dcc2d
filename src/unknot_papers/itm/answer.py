"""JSON form of `unknot itm`."""

from __future__ import annotations

from unknot.cli.answers.form import Form, RouterName, form_of
from unknot.cli.answers.networks import NetworkForm
from unknot_papers.itm.escape_layer import EscapeLayer
from unknot_papers.itm.spanning import Spanning


@form_of(EscapeLayer, Spanning, without=("spanning", "mesh"))
class ItmAnswer(Form):
    """JSON answer of `unknot itm`."""

    table = (
        "network.name", "network.routers", "network.channels", "itself", "why_not", "chordal", "kind", "found",
        "proved", "method", "reason", "added_vcs", "verdicts", "circle", "routes",
    )  # fmt: skip

    network: NetworkForm
    found: bool
    links: list[tuple[RouterName, RouterName]] | None
    circle: list[RouterName] | None
