"""Forms of studies, comparisons, configurations of BookSim and audits, and how they are filled."""

from __future__ import annotations

from typing import Annotated, ClassVar

from unknot._base.switching import Switching
from unknot.cli.answers.analyses import UpdateForm
from unknot.cli.answers.filling import Answer, Answers, answer
from unknot.cli.answers.form import CIRCLE, NONZERO, By, Form, Number, Positive, form_of, key
from unknot.cli.answers.messages import ReplayForm
from unknot.cli.answers.networks import NetworkForm, RelationForm, WithUnits
from unknot.cli.answers.runs import BurstsForm, RouterForm, RunForm, RunsForm, Shares
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.fabrics import Changes
from unknot.studies.booksim.runs import ConfiguredPoint
from unknot.studies.comparison import Compared
from unknot.studies.result import DesignResult
from unknot.verify.audit import Audit
from unknot.verify.audit_merged import AuditedRoutes
from unknot.verify.audit_multicast import MulticastAudit
from unknot.verify.audit_traffic import TrafficAudit
from unknot.verify.update import Update

EachRun = Annotated[list[RunForm], By(lambda runs, subject: Answers(RunForm, runs, subject.of))]
"""Runs that are made anew when they are looked at."""


class StudiedDesign(Form):
    """A design of a study, its verdict, delivery, replay and runs."""

    table = ("name", "verdict.deadlock_free", "delivery.delivered", "delivery.minimal", "stable_up_to")

    name: str = key(of="design.name")
    network: str = key(of="design.network")
    routing: str = key(of="design.routing")
    vcs: Positive | None = key("Virtual channels of each channel; null: they differ.", of="relation.vcs.each")
    vcs_chosen: Annotated[bool, By(lambda vcs, _: vcs is None)] = key(
        "Whether the study gives no number of VCs.", of="design.vcs"
    )
    switching: Switching = key(of="design.switching")
    packet_length: Positive | Shares = key("Flits, or the share of each length.", of="design.packet_length")
    buffer_depth: Positive = key(of="design.buffer_depth")
    traffic: str = key(of="design.traffic")
    router: RouterForm = key(of="design.router")
    bursts: BurstsForm | None = key(of="design.bursts")
    verdict: VerdictForm
    delivery: DeliveryForm
    replay: ReplayForm | None
    stable_up_to: Number = key("Highest load at which all runs are stable; null: none is.")
    runs: EachRun


def design_answer(result: DesignResult) -> Answer:
    """Fill the form of a design."""
    relation = result.relation
    verdict = answer(VerdictForm, result.verdict, of=relation, certificate_holds=result.certificate_holds)
    return answer(StudiedDesign, result, of=relation, verdict=verdict)


Designs = list[Annotated[StudiedDesign, By(lambda result, _: design_answer(result))]]


class RunAnswer(WithUnits):
    """JSON answer of `unknot run`."""

    table = ("title", "designs", "designs.runs", "report")

    title: str = key(of="study.title")
    study: str | None = key("The file.", of="study.path")
    designs: Designs
    report: str


class CurveAnswer(WithUnits):
    """JSON answer of `unknot curve`; a design for each routing."""

    table = ("designs", "designs.runs")

    designs: Designs


@form_of(AuditedRoutes)
class RoutesForm(Form):
    """Routes between hosts."""


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
        "lost_cables", "new_cables", "lids", "entries", "compared", "deadlock_free_before", "update.deadlock_free",
        "update.established", "update.lasts", "update.lost", "update.loops", "update.order.complete",
        "update.order.batches", "update.order.drained",
    )  # fmt: skip

    deadlock_free_before: bool | None
    update: UpdateForm | None = key(
        "Traffic between hosts while switches change from the old tables to the new ones; null: cables, LIDs or "
        "lanes changed too, or there are no old tables."
    )


class AuditAnswer(TrafficForm):
    """JSON answer of `unknot audit`; verdict and delivery are those of host-to-host traffic."""

    table = (
        "fabric", "traffic", "deadlock_free", "established", "certificate_holds", "loop", "delivered", "lost",
        "pairs", "undelivered_pairs", "unknown_pairs", "unknown_because", "longest_route", "longer_pairs",
        "extra_hops", "replies.deadlock_free", "replies.certificate_holds", "replies.delivered", "replies.loop",
        "replies.lost",
        "multicast.*", "changes.*", "assumption", "switching", "lanes",
        "network.routers", "network.terminals", "fabric_file", "tables_file", "levels_file", "lanes_file",
        "multicast_file", "notes", "routes.lengths", "others", "routes.cables",
    )  # fmt: skip

    fabric: str
    fabric_file: str
    tables_file: str
    levels_file: str
    lanes_file: str
    notes: list[str] = key("Noticed on reading.")
    network: NetworkForm
    lanes: int
    assumption: str
    others: list[TrafficForm]
    replies: TrafficForm | None = key(
        "Between hosts, with replies at the level of the request; null: no levels are known."
    )
    multicast_file: str
    multicast: MulticastTablesForm | None = key("null: no group.")
    changes: ChangesForm | None
    routes: RoutesForm | None


FILES = ("fabric_file", "tables_file", "levels_file", "lanes_file", "multicast_file", "notes")
"""Keys that are attributes of the fabric."""


def audit_answer(
    audit: Audit,
    changes: Changes | None = None,
    before: Audit | None = None,
    routes: AuditedRoutes | None = None,
    update: Update | None = None,
) -> Answer:
    """Return an audit as plain values, with what changed since another reading of the fabric, and its audit."""
    fabric = audit.fabric
    since = changes and answer(
        ChangesForm,
        changes,
        deadlock_free_before=before and before.deadlock_free,
        update=update and answer(UpdateForm, update, of=update.relation),
    )
    shared = {
        name: getattr(audit, name) for name in ("lanes", "holds", "assumption", "multicast", "replies", "others")
    }
    files = {name: getattr(fabric, name) for name in FILES}
    return answer(
        AuditAnswer, audit.host_to_host, **shared, **files, fabric=fabric.name, network=fabric.network, routes=routes,
        changes=since,
    )  # fmt: skip


@form_of(ConfiguredPoint)
class BookSimPoint(Form):
    """One point of a configuration."""

    table = (
        "setting", "found.offered_load", "found.accepted_load", "found.latency_mean", "found.latency_p99",
        "found.network_latency_mean", "found.hops_mean", "found.stable", "found.reason",
    )  # fmt: skip

    found: RunsForm


class RunBooksimAnswer(RelationForm, WithUnits):
    """JSON answer of `unknot run` for a BookSim configuration."""

    table = (
        "network.name", "routing", "vcs", "switching", "deadlock_free", "established", "delivered",
        "requests_and_replies", "batches", "points",
    )  # fmt: skip

    file: str = key("The configuration file.")
    warnings: list[str] = key("Warnings given before anything runs.")
    without_effect: list[str] = key("Keys that are set and change nothing here.")
    deadlock_free: bool | None = key("null when it is undecided.")
    switching: str = key("The technique that the verdict is for.")
    established: str = key("Result of the proof in words.")
    delivered: bool = key("Whether every packet arrives.")
    requests_and_replies: str | None = key(
        "Whether requests and replies with queues of their own can wait for each other; null: no replies."
    )
    batches: list[list[int]] | None = key("With sim_type = batch the cycles of each, by seed.")
    points: list[BookSimPoint]


@form_of(Compared)
class ComparedForm(Form):
    """A design beside others."""

    table = (
        "design", "failed", "routing", "bill.electrical", "bill.optical", "bill.cost", "bisection_lower",
        "bisection_upper", "vcs", "deadlock_free", "delivered", "uniform", "uniform_bound", "adversarial",
        "adversarial_bound", "saturation", "all_to_all", "all_reduce",
    )  # fmt: skip


class CompareAnswer(Form):
    """JSON answer of `unknot compare`."""

    rows: list[ComparedForm]
