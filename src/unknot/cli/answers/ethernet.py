"""Forms of audits of lossless Ethernet, and of what is written to repair a fabric."""

from __future__ import annotations

from typing import Annotated

from unknot._base.quantities import By
from unknot.cli.answers.form import CIRCLE, SIZE, Form, HopCount, Natural, Number, Positive, Words, of
from unknot.cli.answers.networks import NetworkForm
from unknot.cli.answers.verdicts import VerdictForm
from unknot.remedies.fault_queues import FaultQueues
from unknot.report.repair_pages import WrittenRemedy
from unknot.verify.audit_ethernet import EthernetAudit


class AuditEthernetAnswer(VerdictForm, of=EthernetAudit, without="fabric relation verdict circle paths"):
    """JSON answer of `unknot audit` for lossless Ethernet."""

    parts = ("verdict",)
    table = """
        fabric deadlock_free established certificate_holds loop flows delivered forwarding_loops lost losses
        findings assumption unread network.routers destinations notes
    """

    fabric: str = of("fabric.name")
    holds: bool | None
    deadlock_free: bool | None
    established: str
    loop: Annotated[list[str], CIRCLE]
    cyclic_dependency: bool | None
    """Whether buffers depend on one another in a circle; null: undecided, or not all is read."""
    network: NetworkForm = of("fabric.network")
    destinations: Annotated[int, SIZE] = of("fabric.destinations")
    """Groups of prefixes that all switches treat alike."""
    notes: list[str] = of("fabric.notes")
    """Noticed on reading."""
    unread: list[str] = of("fabric.unread")
    """In the files and not read; beside it `deadlock_free` is not true."""


class QueuesForm(Form):
    """Fewest lossless queues for routes."""

    queues: Positive = of("queues.count")
    """Lossless queues for each class."""
    lower_bound: Positive = of("queues.lower_bound")
    """Fewer are impossible."""
    evidence_holds: bool | None = of("queues.evidence_holds")
    """Whether the separate checker accepts the lower bound; null: it is 1."""
    tags_by: str = of("queues.established")
    """By whom the tags are."""
    tagger_bounces: Positive | None = of("queues.bounces")
    """Queues that Tagger takes by bounces of a Clos; null: it does not apply."""
    rules: Annotated[int, SIZE] = of("queues.rules")
    """Rules of all switches that change a tag."""
    entries: list[str] = of("queues.entries")
    """The same as entries of TCAMs, with sets of ports."""


TOGETHER = Words(lambda number, _: f"{number} for the routes of all states together")
ALONE = Words(lambda number, _: f"{number} for the routes of each state alone")
OR_0 = By(lambda number, _: number or 0)


class RepairEthernetAnswer(QueuesForm):
    """JSON answer of `unknot repair` for lossless Ethernet."""

    fabric: str = of("before.fabric.name")
    deadlock_free: bool | None = of("before.deadlock_free")
    """As it is."""
    repaired_free: bool | None = of("after.deadlock_free")
    """The maps that are written, read back and judged; null: there are none, or it is open."""
    repaired_losses: Annotated[list[str], By(lambda losses, _: losses or [])] = of("after.losses")
    """Where packets of a lossless class can be dropped then."""
    refused: str
    """Why QoS maps cannot express the rules; empty: they can."""
    route_maps_free: bool | None = of("maps.free")
    """Instead, FRR's route-maps, read back: no route that they admit can deadlock in one queue; null: open."""
    route_maps_cut: Annotated[Natural, OR_0] = of("maps.cut")
    """Ordered pairs of switches with hosts that these cut off on the cables in use."""
    pairs: Annotated[Natural, OR_0] = of("maps.pairs")
    """Ordered pairs of switches with hosts."""


class WrittenRemedyForm(Form, of=WrittenRemedy, without="audit steps changed load"):
    """Tables of a fabric, as they are or as a remedy has them."""

    table = """
        kind lanes entries_changed deadlock_free replies_free delivered longest_route highest_load
        load_bound lane_pairs lane_highest complete
    """

    entries_changed: Natural = of("changed")
    """Entries of tables (switch, LID) that are new or others."""
    deadlock_free: bool | None = of("audit.deadlock_free")
    """Traffic between hosts."""
    replies_free: bool | None
    """Replies at the level of the request."""
    delivered: bool | None = of("audit.delivered")
    """Between hosts."""
    longest_route: HopCount | None = of("longest")
    """Hops; null: some route is endless."""
    highest_load: Number = of("load")
    """Routes between hosts over the busiest channel, those to the LIDs of a port in equal shares."""


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


class FaultsQueuesAnswer(QueuesForm, of=FaultQueues, without="queues alone"):
    """JSON answer of `unknot faults --repair` for routings of Ethernet."""

    table = """
        network states deadlocks state_queues state_lower_bound queues lower_bound refuted evidence_holds
        tags_by tagger_bounces rules entries free valley_free_cut valley_free_pairs
    """

    network: str = of("queues.network.name")
    queues: Annotated[Positive, TOGETHER] = of("queues.count")
    """Lossless queues for each class, one set of rules for the routes of all states."""
    lower_bound: Annotated[Positive, TOGETHER] = of("queues.lower_bound")
    """Fewer are impossible for these, although routes of different states never hold at once."""
    state_queues: Annotated[Positive, ALONE]
    state_lower_bound: Annotated[Positive, ALONE]
    """Fewer are impossible in some state, whatever its rules."""
    evidence_holds: bool | None
    """Whether the separate checker accepts both lower bounds; null: there is nothing to check."""
    refuted: str
    """Numbers of queues that are shown to be impossible, and for which routes; empty: none."""
