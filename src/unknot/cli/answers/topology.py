"""Form of networks made to order."""

from __future__ import annotations

from typing import Annotated

from unknot.cli.answers.form import CHECKED, Form, Number
from unknot.cli.answers.networks import NetworkForm
from unknot.synthesis.topology import TopologyDesign


class DesignTopologyAnswer(Form, of=TopologyDesign, without="evidence", also="mean_hops least_mean_hops gap"):
    """JSON answer of `unknot design topology`."""

    table = """
        network.name network.routers network.channels mean_hops least_mean_hops gap diameter least_diameter
        total_hops least_hops evidence_holds moves complete seconds
    """

    network: NetworkForm
    evidence_holds: Annotated[bool | None, CHECKED]
    """Whether the separate checker accepts links and bound; null: too much to check."""
    seconds: Number
