"""Forms of audits of lossless Ethernet, and of what is written to repair a fabric."""

from __future__ import annotations

from typing import Annotated

from unknot.cli.answers.form import CIRCLE, SIZE, By, Form, Natural, Number, Positive, Words, form_of, key
from unknot.cli.answers.networks import NetworkForm
from unknot.cli.answers.verdicts import VerdictForm
from unknot.repair.fault_queues import FaultQueues
from unknot.report.repair_pages import WrittenRemedy
from unknot.verify.audit_ethernet import EthernetAudit


@form_of(EthernetAudit, without=("fabric", "relation", "verdict", "circle", "paths"))
class AuditEthernetAnswer(VerdictForm):
    """JSON answer of `unknot audit` for lossless Ethernet."""

    parts = ("verdict",)
    table = (
        "fabric", "deadlock_free", "established", "certificate_holds", "loop", "flows", "delivered",
        "forwarding_loops", "lost", "losses", "findings", "assumption", "unread", "network.routers", "destinations",
        "notes",
    )  # fmt: skip

    fabric: str = key(of="fabric.name")
    holds: bool | None
    deadlock_free: bool | None
    established: str
    loop: Annotated[list[str], CIRCLE]
    cyclic_dependency: bool | None = key(
        "Whether buffers depend on one another in a circle; null: undecided, or not all is read."
    )
    network: NetworkForm = key(of="fabric.network")
    destinations: Annotated[int, SIZE] = key(
        "Groups of prefixes that all switches treat alike.", of="fabric.destinations"
    )
    notes: list[str] = key("Noticed on reading.", of="fabric.notes")
    unread: list[str] = key("In the files and not read; beside it `deadlock_free` is not true.", of="fabric.unread")


class QueuesForm(Form):
    """Fewest lossless queues for routes."""

    queues: Positive = key("Lossless queues for each class.", of="queues.count")
    lower_bound: Positive = key("Fewer are impossible.", of="queues.lower_bound")
    evidence_holds: bool | None = key(
        "Whether the separate checker accepts the lower bound; null: it is 1.", of="queues.evidence_holds"
    )
    tags_by: str = key("By whom the tags are.", of="queues.established")
    tagger_bounces: Positive | None = key(
        "Queues that Tagger takes by bounces of a Clos; null: it does not apply.", of="queues.bounces"
    )
    rules: Annotated[int, SIZE] = key("Rules of all switches that change a tag.", of="queues.rules")
    entries: list[str] = key("The same as entries of TCAMs, with sets of ports.", of="queues.entries")


TOGETHER = Words(lambda number, _: f"{number} for the routes of all states together")
ALONE = Words(lambda number, _: f"{number} for the routes of each state alone")
OR_0 = By(lambda number, _: number or 0)


class RepairEthernetAnswer(QueuesForm):
    """JSON answer of `unknot repair` for lossless Ethernet."""

    fabric: str = key(of="before.fabric.name")
    deadlock_free: bool | None = key("As it is.", of="before.deadlock_free")
    repaired_free: bool | None = key(
        "The maps that are written, read back and judged; null: there are none, or it is open.",
        of="after.deadlock_free",
    )
    repaired_losses: Annotated[list[str], By(lambda losses, _: losses or [])] = key(
        "Where packets of a lossless class can be dropped then.", of="after.losses"
    )
    refused: str = key("Why QoS maps cannot express the rules; empty: they can.")
    route_maps_free: bool | None = key(
        "Instead, FRR's route-maps, read back: no route that they admit can deadlock in one queue; null: open.",
        of="maps.free",
    )
    route_maps_cut: Annotated[Natural, OR_0] = key(
        "Ordered pairs of switches with hosts that these cut off on the cables in use.", of="maps.cut"
    )
    pairs: Annotated[Natural, OR_0] = key("Ordered pairs of switches with hosts.", of="maps.pairs")


@form_of(WrittenRemedy, without=("audit", "steps", "changed", "load"))
class WrittenRemedyForm(Form):
    """Tables of a fabric, as they are or as a remedy has them."""

    table = (
        "kind", "lanes", "entries_changed", "deadlock_free", "replies_free", "delivered", "longest_route",
        "highest_load", "load_bound", "lane_pairs", "lane_highest", "complete",
    )  # fmt: skip

    entries_changed: Natural = key("Entries of tables (switch, LID) that are new or others.", of="changed")
    deadlock_free: bool | None = key("Traffic between hosts.", of="audit.deadlock_free")
    replies_free: bool | None = key("Replies at the level of the request.")
    delivered: bool | None = key("Between hosts.", of="audit.delivered")
    longest_route: Natural | None = key("Hops; null: some route is endless.", of="longest")
    highest_load: Number = key(
        "Routes between hosts over the busiest channel, those to the LIDs of a port in equal shares.", of="load"
    )


class RepairFabricAnswer(Form):
    """JSON answer of `unknot repair FABRIC --out DIR`."""

    table = (
        "fabric", *(f"before.{name}" for name in WrittenRemedyForm.table[1:8] if name != "entries_changed"),
        "remedies", "refused",
    )  # fmt: skip

    fabric: str
    before: WrittenRemedyForm
    remedies: list[WrittenRemedyForm] = key("Empty for a fabric without fault, too.")
    refused: list[str] = key("Remedies that were not written, and why.")


@form_of(FaultQueues, without=("queues", "alone"))
class FaultsQueuesAnswer(QueuesForm):
    """JSON answer of `unknot faults --repair` for routings of Ethernet."""

    table = (
        "network", "states", "deadlocks", "state_queues", "state_lower_bound", "queues", "lower_bound", "refuted",
        "evidence_holds", "tags_by", "tagger_bounces", "rules", "entries", "free", "valley_free_cut",
        "valley_free_pairs",
    )  # fmt: skip

    network: str = key(of="queues.network.name")
    queues: Annotated[Positive, TOGETHER] = key(
        "Lossless queues for each class, one set of rules for the routes of all states.", of="queues.count"
    )
    lower_bound: Annotated[Positive, TOGETHER] = key(
        "Fewer are impossible for these, although routes of different states never hold at once.",
        of="queues.lower_bound",
    )
    state_queues: Annotated[Positive, ALONE]
    state_lower_bound: Annotated[Positive, ALONE] = key("Fewer are impossible in some state, whatever its rules.")
    evidence_holds: bool | None = key(
        "Whether the separate checker accepts both lower bounds; null: there is nothing to check."
    )
    refuted: str = key("Numbers of queues that are shown to be impossible, and for which routes; empty: none.")
