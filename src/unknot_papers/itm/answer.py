"""JSON form of `unknot itm`."""

from __future__ import annotations

from unknot.cli.answers.form import Form, RouterName, form_of
from unknot.cli.answers.networks import NetworkForm
from unknot_papers.itm.escape_layer import EscapeLayer
from unknot_papers.itm.spanning import Spanning


@form_of(EscapeLayer, Spanning, without=("spanning", "mesh"))
class ItmAnswer(Form):
    """JSON answer of `unknot itm`."""

    network: NetworkForm
    found: bool
    links: list[tuple[RouterName, RouterName]] | None
    circle: list[RouterName] | None
