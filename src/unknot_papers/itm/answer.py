"""JSON form of `unknot itm`."""

from __future__ import annotations

from unknot._base.quantities import RouterNumber
from unknot.cli.answers.form import Form
from unknot.cli.answers.networks import NetworkForm
from unknot_papers.itm.escape_layer import EscapeLayer
from unknot_papers.itm.spanning import Spanning


class ItmAnswer(Form, of=(EscapeLayer, Spanning), without="spanning mesh"):
    """JSON answer of `unknot itm`."""

    table = """
        network.name network.routers network.channels itself why_not chordal kind found proved method reason
        added_vcs verdicts circle routes
    """

    network: NetworkForm
    found: bool
    links: list[tuple[RouterNumber, RouterNumber]] | None
    circle: list[RouterNumber] | None
