"""Forms of audits of lossless Ethernet."""

from __future__ import annotations

from typing import Annotated, Any

from unknot.cli.answers.filling import Answer, answer
from unknot.cli.answers.form import CIRCLE, Form, Natural, Positive, form_of, key
from unknot.cli.answers.networks import NetworkForm
from unknot.cli.answers.verdicts import VerdictForm
from unknot.lanes.queues import LosslessQueues, switch_rules
from unknot.repair.fault_queues import FaultQueues
from unknot.repair.lossless import RepairedFabric
from unknot.verify.audit_ethernet import EthernetAudit


@form_of(EthernetAudit, without=("fabric", "relation", "verdict", "standstill", "circle", "paths"))
class EthernetAuditAnswer(VerdictForm):
    """JSON answer of `unknot audit` for lossless Ethernet."""

    table = (
        "fabric", "deadlock_free", "established", "certificate_holds", "loop", "flows", "delivered",
        "forwarding_loops", "lost", "losses", "findings", "assumption", "network.routers", "destinations", "notes",
    )  # fmt: skip

    fabric: str
    holds: bool | None
    deadlock_free: bool | None
    established: str
    loop: Annotated[list[str], CIRCLE]
    cyclic_dependency: bool | None = key("Whether buffers depend on one another in a circle; null: undecided.")
    replay_seed: int | None = key("Seed of the replay in which the flows stand still for ever; null: there is none.")
    network: NetworkForm
    destinations: int = key("Groups of prefixes that all switches treat alike.")
    notes: list[str] = key("Noticed on reading.")


def ethernet_answer(audit: EthernetAudit) -> Answer:
    """Return an audit as plain values."""
    fabric, free, stuck = audit.fabric, audit.verdict.deadlock_free, audit.standstill
    return answer(
        EthernetAuditAnswer,
        audit,
        audit.verdict,
        of=audit.relation,
        fabric=fabric.name,
        cyclic_dependency=None if free is None else not free,
        replay_seed=None if stuck is None else stuck.seed,
        network=fabric.network,
        destinations=len(fabric.destinations),
        notes=fabric.notes,
    )


class QueuesForm(Form):
    """Fewest lossless queues for routes."""

    queues: Positive = key("Lossless queues for each class.")
    lower_bound: Positive = key("Fewer are impossible.")
    evidence_holds: bool | None = key("Whether the separate checker accepts the lower bound; null: it is 1.")
    tags_by: str = key("By whom the tags are.")
    tagger_bounces: Positive | None = key("Queues that Tagger takes by bounces of a Clos; null: it does not apply.")
    rules: Natural = key("Rules of all switches that change a tag.")
    entries: list[str] = key("The same as entries of TCAMs, with sets of ports.")


class EthernetRepairAnswer(QueuesForm):
    """JSON answer of `unknot repair` for lossless Ethernet."""

    fabric: str
    deadlock_free: bool | None = key("As it is.")
    repaired_free: bool | None = key(
        "The maps that are written, read back and judged; null: there are none, or it is open."
    )
    repaired_losses: list[str] = key("Where packets of a lossless class can be dropped then.")
    refused: str = key("Why QoS maps cannot express the rules; empty: they can.")
    route_maps_free: bool | None = key(
        "Instead, FRR's route-maps, read back: no route that they admit can deadlock in one queue; null: open."
    )
    route_maps_cut: Natural = key("Ordered pairs of switches with hosts that these cut off on the cables in use.")
    pairs: Natural = key("Ordered pairs of switches with hosts.")


@form_of(FaultQueues, without=("queues",))
class FaultQueuesAnswer(QueuesForm):
    """JSON answer of `unknot faults --repair` for routings of Ethernet."""

    network: str


def queues_keys(queues: LosslessQueues) -> dict[str, Any]:
    """Return the keys about queues."""
    network, entries = queues.network, queues.entries
    return {
        "queues": queues.count, "lower_bound": queues.lower_bound, "evidence_holds": queues.evidence_holds,
        "tags_by": queues.established, "tagger_bounces": queues.bounces,
        "rules": sum(map(len, queues.rules.values())),
        "entries": [f"{network.router_name(r)}: {row}" for r in entries for row in switch_rules(network, entries[r])],
    }  # fmt: skip


def ethernet_repair_answer(repaired: RepairedFabric) -> Answer:
    """Return a repair as plain values."""
    after = repaired.after
    return answer(
        EthernetRepairAnswer,
        fabric=repaired.before.fabric.name,
        deadlock_free=repaired.before.deadlock_free,
        repaired_free=None if after is None else after.deadlock_free,
        repaired_losses=[] if after is None else after.losses,
        refused=repaired.refused,
        route_maps_free=repaired.maps and repaired.maps.free,
        route_maps_cut=repaired.maps.cut if repaired.maps else 0,
        pairs=repaired.maps.pairs if repaired.maps else 0,
        **queues_keys(repaired.queues),
    )


def fault_queues_answer(after: FaultQueues) -> Answer:
    """Return queues for all routes after failures as plain values."""
    return answer(FaultQueuesAnswer, after, network=after.queues.network.name, **queues_keys(after.queues))
