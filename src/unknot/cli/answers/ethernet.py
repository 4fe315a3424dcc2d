"""Forms of audits of lossless Ethernet, and of what is written to repair a fabric."""

from __future__ import annotations

from typing import Annotated

from unknot._base.quantities import By
from unknot.cli.answers.form import Form, Natural, Positive, Words, of
from unknot.cli.answers.networks import NetworkForm
from unknot.cli.answers.verdicts import VerdictForm
from unknot.cli.answers.words import CIRCLE, SIZE
from unknot.remedies.fault_queues import FaultQueues
from unknot.remedies.lossless import RepairedFabric
from unknot.report.repair_pages import WrittenRemedy
from unknot.verify.audit_ethernet import EthernetAudit


class AuditEthernetAnswer(
    VerdictForm,
    of=EthernetAudit,
    without="fabric relation verdict circle paths",
    also="""
        fabric=fabric.name holds deadlock_free established cyclic_dependency notes=fabric.notes
        unread=fabric.unread
    """,
):
    """JSON answer of `unknot audit` for lossless Ethernet."""

    parts = ("verdict",)
    table = """
        fabric deadlock_free spraying_free adaptive_free established certificate_holds loop flows delivered
        forwarding_loops lost losses reach.stopped_ports reach.stopped_flows reach.flows reach.stopped_hosts findings
        headroom assumption unread network.routers destinations notes
    """

    loop: Annotated[list[str], CIRCLE]
    network: NetworkForm = of("fabric.network")
    destinations: Annotated[int, SIZE] = of("fabric.destinations")
    """Groups of prefixes that all switches treat alike."""


QUEUES = """
    queues=queues.count lower_bound=queues.lower_bound evidence_holds=queues.evidence_holds
    tags_by=queues.established tagger_bounces=queues.bounces entries=queues.entries
"""
"""Keys of the fewest lossless queues."""


class QueuesForm(Form):
    """Fewest lossless queues for routes."""

    rules: Annotated[int, SIZE] = of("queues.rules")
    """Rules of all switches that change a tag."""


TOGETHER = Words(lambda number, _: f"{number} for the routes of all states together")
ALONE = Words(lambda number, _: f"{number} for the routes of each state alone")
OR_0 = By(lambda number, _: number or 0)


class RepairEthernetAnswer(
    QueuesForm,
    of=RepairedFabric,
    without="*",
    also=f"""{QUEUES} fabric=before.fabric.name refused route_maps_free=maps.free""",
):
    """JSON answer of `unknot repair` for lossless Ethernet."""

    deadlock_free: bool | None = of("before.deadlock_free")
    """As it is."""
    repaired_free: bool | None = of("after.deadlock_free")
    """The maps that are written, read back and judged; null: there are none, or it is open."""
    repaired_losses: Annotated[list[str], By(lambda losses, _: losses or [])] = of("after.losses")
    """Where packets of a lossless class can be dropped then."""
    route_maps_cut: Annotated[Natural, OR_0] = of("maps.cut")
    """Ordered pairs of switches with hosts that these cut off on the cables in use."""
    pairs: Annotated[Natural, OR_0] = of("maps.pairs")
    """Ordered pairs of switches with hosts."""


class WrittenRemedyForm(
    Form,
    of=WrittenRemedy,
    without="audit steps changed load",
    also="""
        entries_changed=changed replies_free longest_route=longest highest_load=load
    """,
):
    """Tables of a fabric, as they are or as a remedy has them."""

    table = """
        kind lanes entries_changed taken least deadlock_free replies_free delivered longest_route highest_load
        load_bound lane_pairs lane_highest complete
    """

    deadlock_free: bool | None = of("audit.deadlock_free")
    """Traffic between hosts."""
    delivered: bool | None = of("audit.delivered")
    """Between hosts."""


class RepairFabricAnswer(Form):
    """JSON answer of `unknot repair FABRIC --out DIR`."""

    table = """
        fabric before.lanes before.deadlock_free before.replies_free before.delivered before.longest_route
        before.highest_load remedies refused
    """

    fabric: str
    before: WrittenRemedyForm
    remedies: list[WrittenRemedyForm]
    """Empty for a fabric without fault, too."""
    refused: list[str]
    """Remedies that were not written, and why."""


class FaultsQueuesAnswer(
    QueuesForm,
    of=FaultQueues,
    without="queues alone",
    also=f"{QUEUES} network=queues.network.name evidence_holds refuted",
):
    """JSON answer of `unknot faults --repair` for routings of Ethernet."""

    table = """
        network states deadlocks state_queues state_lower_bound queues lower_bound refuted evidence_holds
        tags_by tagger_bounces rules entries free valley_free_cut valley_free_pairs
    """

    queues: Annotated[Positive, TOGETHER] = of("queues.count")
    """Lossless queues for each class, one set of rules for the routes of all states."""
    lower_bound: Annotated[Positive, TOGETHER] = of("queues.lower_bound")
    """Fewer are impossible for these, although routes of different states never hold at once."""
    state_queues: Annotated[Positive, ALONE]
    state_lower_bound: Annotated[Positive, ALONE]
    """Fewer are impossible in some state, whatever its rules."""
