"""Forms of audits, and how they are filled."""

from __future__ import annotations

from typing import Annotated, ClassVar

from unknot.cli.answers.analyses import UpdateForm
from unknot.cli.answers.diagnoses import DiagnosisForm
from unknot.cli.answers.filling import Answer, answer
from unknot.cli.answers.form import Form, of
from unknot.cli.answers.networks import NetworkForm
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.cli.answers.words import CIRCLE, NONZERO
from unknot.fabrics import Changes
from unknot.fabrics.diagnosis import Diagnosis
from unknot.fabrics.rates import counted
from unknot.verify.audit import Audit
from unknot.verify.audit_adaptive import AdaptiveVerdicts
from unknot.verify.audit_multicast import MulticastAudit
from unknot.verify.audit_traffic import TrafficAudit
from unknot.verify.update import Update


class TrafficForm(
    VerdictForm,
    DeliveryForm,
    of=TrafficAudit,
    without="relation verdict delivery unknown",
    also="holds meaning unknown_because=unknown.unknown_because",
):
    """Verdict and delivery for one kind of traffic."""

    parts = ("verdict", "delivery")
    table: ClassVar[str] = """
        traffic deadlock_free delivered pairs undelivered_pairs unknown_pairs longest_route longer_pairs
        extra_hops loop lost meaning
    """

    loop: Annotated[list[str], CIRCLE]
    longer_pairs: Annotated[int, NONZERO]
    extra_hops: Annotated[int, NONZERO]
    unknown_pairs: Annotated[int, NONZERO] = of("unknown.unknown_pairs")
    """Pairs whose route, or service level, the files do not tell."""


class MulticastTablesForm(VerdictForm, of=MulticastAudit, without="relation verdict", also="delivered holds"):
    """Verdict and delivery for multicast groups and the routes between hosts together."""

    parts = ("verdict",)
    table = "groups level deadlock_free certificate_holds delivered pairs undelivered_pairs loop circling lost"

    loop: Annotated[list[str], CIRCLE]


class AdaptiveForm(Form, of=AdaptiveVerdicts):
    """Verdicts on host-to-host traffic where switches choose ports."""

    table = "static given_port free_port circling levels"


class ChangesForm(Form, of=Changes, without="switches"):
    """Changes since the reading that was compared with."""

    table = """
        lost_cables new_cables rates lids entries compared deadlock_free_before update.deadlock_free
        update.established update.lasts update.lost update.loops update.order.complete update.order.batches
        update.order.drained
    """

    deadlock_free_before: bool | None
    update: UpdateForm | None
    """Traffic between hosts while switches change from the old tables to the new ones; null: cables, LIDs or lanes
    changed too, or there are no old tables."""


class AuditAnswer(
    TrafficForm,
    of=Audit,
    without="host_to_host switching",
    also="""
        fabric=fabric.name fabric_file=fabric.fabric_file tables_file=fabric.tables_file
        levels_file=fabric.levels_file lanes_file=fabric.lanes_file multicast_file=fabric.multicast_file
        notes=fabric.notes
    """,
):
    """JSON answer of `unknot audit`; verdict and delivery are those of host-to-host traffic."""

    table = """
        fabric traffic deadlock_free established certificate_holds loop
        planes delivered lost pairs undelivered_pairs unknown_pairs unknown_because
        longest_route longer_pairs extra_hops
        replies.deadlock_free replies.certificate_holds replies.delivered replies.loop replies.lost
        adaptive.* multicast.* changes.*
        diagnosis.structure.words diagnosis.counts assumption switching lanes network.routers network.terminals cables
        fabric_file tables_file levels_file lanes_file multicast_file notes others
    """

    network: NetworkForm = of("fabric.network")
    diagnosis: DiagnosisForm | None
    cables: list[str]
    """Cables between switches, by their rates."""
    changes: ChangesForm | None


def audit_answer(
    audit: Audit,
    diagnosis: Diagnosis | None = None,
    changes: Changes | None = None,
    before: Audit | None = None,
    update: Update | None = None,
) -> Answer:
    """Return an audit as plain values, a diagnosis of the cables, changes since another reading, and its audit."""
    since = changes and answer(
        ChangesForm,
        changes,
        deadlock_free_before=None if before is None else before.deadlock_free,
        update=None if update is None else answer(UpdateForm, update, of=update.relation),
    )
    return answer(
        AuditAnswer, audit.host_to_host, audit, holds=audit.holds, changes=since, cables=counted(audit.fabric.rates),
        diagnosis=None if diagnosis is None else answer(DiagnosisForm, diagnosis),
    )  # fmt: skip
