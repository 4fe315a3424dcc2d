"""Form of networks made to order."""

from __future__ import annotations

from typing import Annotated

from unknot.cli.answers.form import Form, Number
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.cli.answers.words import CHECKED
from unknot.synthesis.topology import Beside, DeadLink, TopologyDesign


class BesideForm(Form, of=Beside):
    """A network with as many nodes and no more ports."""


class DeadLinkForm(Form, of=DeadLink):
    """The link whose loss costs most hops, and what is left."""


class DesignTopologyAnswer(
    VerdictForm,
    DeliveryForm,
    RelationForm,
    of=TopologyDesign,
    without="network carried most_carried routes evidence known",
    also="""
        mean_hops least_mean_hops gap throughput throughput_bound most_throughput lanes highest_load routed
        throughput_holds throughput_bound_holds
    """,
):
    """JSON answer of `unknot design topology`."""

    table = """
        network.name network.routers network.channels objective mean_hops least_mean_hops gap diameter least_diameter
        total_hops least_hops evidence_holds throughput throughput_holds throughput_bound throughput_bound_holds
        most_throughput lanes deadlock_free established certificate_holds delivered minimal highest_load routed price
        dead_link.link dead_link.mean_hops dead_link.diameter dead_link.throughput beside
        moves complete seconds
    """

    evidence_holds: Annotated[bool | None, CHECKED]
    """Whether the separate checker accepts links and bound; null: too much to check."""
    throughput_holds: Annotated[bool | None, CHECKED]
    """Whether the separate checker accepts flows of the throughput; null: too much to check, or no claim."""
    throughput_bound_holds: Annotated[bool | None, CHECKED]
    """Whether the separate checker accepts the bound on what this network carries; null: too much to check."""
    beside: list[BesideForm]
    """The network, then known networks of the request, mesh and torus of its grid and the family of fewest hops."""
    seconds: Number
