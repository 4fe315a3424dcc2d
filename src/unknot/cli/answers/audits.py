"""Forms of audits, and how they are filled."""

from __future__ import annotations

from typing import Annotated, ClassVar

from unknot.cli.answers.analyses import UpdateForm
from unknot.cli.answers.filling import Answer, answer
from unknot.cli.answers.form import CIRCLE, NONZERO, Form, form_of, key
from unknot.cli.answers.networks import NetworkForm
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.fabrics import Changes
from unknot.verify.audit import Audit
from unknot.verify.audit_multicast import MulticastAudit
from unknot.verify.audit_traffic import TrafficAudit
from unknot.verify.update import Update


@form_of(TrafficAudit, without=("relation", "verdict", "delivery", "unknown"))
class TrafficForm(VerdictForm, DeliveryForm):
    """Verdict and delivery for one kind of traffic."""

    parts = ("verdict", "delivery")
    table: ClassVar[tuple[str, ...]] = (
        "traffic", "deadlock_free", "delivered", "pairs", "undelivered_pairs", "unknown_pairs", "longest_route",
        "longer_pairs", "extra_hops", "loop", "lost", "meaning",
    )  # fmt: skip

    holds: bool | None
    loop: Annotated[list[str], CIRCLE]
    longer_pairs: Annotated[int, NONZERO]
    extra_hops: Annotated[int, NONZERO]
    meaning: str
    unknown_pairs: Annotated[int, NONZERO] = key(
        "Pairs whose route, or service level, the files do not tell.", of="unknown.unknown_pairs"
    )
    unknown_because: list[str] = key(of="unknown.unknown_because")


@form_of(MulticastAudit, without=("relation", "verdict"))
class MulticastTablesForm(VerdictForm):
    """Verdict and delivery for multicast groups and the routes between hosts together."""

    parts = ("verdict",)
    table = (
        "groups", "level", "deadlock_free", "certificate_holds", "delivered", "pairs", "undelivered_pairs", "loop",
        "circling", "lost",
    )  # fmt: skip

    delivered: bool
    holds: bool | None
    loop: Annotated[list[str], CIRCLE]


@form_of(Changes, without=("switches",))
class ChangesForm(Form):
    """Changes since the reading that was compared with."""

    table = (
        "lost_cables", "new_cables", "rates", "lids", "entries", "compared", "deadlock_free_before",
        "update.deadlock_free", "update.established", "update.lasts", "update.lost", "update.loops",
        "update.order.complete", "update.order.batches", "update.order.drained",
    )  # fmt: skip

    deadlock_free_before: bool | None
    update: UpdateForm | None = key(
        "Traffic between hosts while switches change from the old tables to the new ones; null: cables, LIDs or "
        "lanes changed too, or there are no old tables."
    )


@form_of(Audit, without=("host_to_host", "switching"))
class AuditAnswer(TrafficForm):
    """JSON answer of `unknot audit`; verdict and delivery are those of host-to-host traffic."""

    table = (
        "fabric", "traffic", "deadlock_free", "established", "certificate_holds", "loop", "delivered", "lost",
        "pairs", "undelivered_pairs", "unknown_pairs", "unknown_because", "longest_route", "longer_pairs",
        "extra_hops", "replies.deadlock_free", "replies.certificate_holds", "replies.delivered", "replies.loop",
        "replies.lost",
        "multicast.*", "changes.*", "assumption", "switching", "lanes",
        "network.routers", "network.terminals", "fabric_file", "tables_file", "levels_file", "lanes_file",
        "multicast_file", "notes", "others",
    )  # fmt: skip

    fabric: str = key(of="fabric.name")
    fabric_file: str = key(of="fabric.fabric_file")
    tables_file: str = key(of="fabric.tables_file")
    levels_file: str = key(of="fabric.levels_file")
    lanes_file: str = key(of="fabric.lanes_file")
    multicast_file: str = key(of="fabric.multicast_file")
    notes: list[str] = key("Noticed on reading.", of="fabric.notes")
    network: NetworkForm = key(of="fabric.network")
    changes: ChangesForm | None


def audit_answer(
    audit: Audit,
    changes: Changes | None = None,
    before: Audit | None = None,
    update: Update | None = None,
) -> Answer:
    """Return an audit as plain values, with what changed since another reading of the fabric, and its audit."""
    since = changes and answer(
        ChangesForm,
        changes,
        deadlock_free_before=None if before is None else before.deadlock_free,
        update=None if update is None else answer(UpdateForm, update, of=update.relation),
    )
    return answer(AuditAnswer, audit.host_to_host, audit, holds=audit.holds, changes=since)
