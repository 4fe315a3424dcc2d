"""Forms of studies, configurations of BookSim and audits, and how they are filled."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from unknot._base.switching import Switching
from unknot._base.units import Units
from unknot.cli.answers.form import Answer, Form, Plain, answer, fill, form_of
from unknot.cli.answers.networks import NetworkForm, Positive, RelationForm, WithUnits, in_units
from unknot.cli.answers.runs import BurstsForm, ReplayForm, RouterForm, RunForm, RunsForm, Shares
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.fabrics import Changes
from unknot.studies.booksim.runs import Point
from unknot.studies.result import DesignResult, StudyResult
from unknot.verify.audit import Audit
from unknot.verify.audit_merged import Routes
from unknot.verify.audit_multicast import MulticastAudit
from unknot.verify.audit_traffic import TrafficAudit


class DesignAnswer(Form):
    """A design of a study, its verdict, delivery, replay and runs."""

    name: str
    network: str
    routing: str
    vcs: Positive | None = Field(description="Virtual channels of each channel; null: they differ.")
    vcs_chosen: bool = Field(description="Whether the study gives no number of VCs.")
    switching: Switching
    packet_length: Positive | Shares = Field(description="Flits, or the share of each length.")
    buffer_depth: Positive
    traffic: str
    router: RouterForm
    bursts: BurstsForm | None
    verdict: VerdictForm
    delivery: DeliveryForm
    replay: ReplayForm | None
    runs: list[RunForm]


class RunAnswer(WithUnits):
    """JSON answer of `unknot run`."""

    title: str
    study: str | None = Field(description="The file.")
    designs: list[DesignAnswer]
    report: str


class CurveAnswer(WithUnits):
    """JSON answer of `unknot curve`; a design for each routing."""

    designs: list[DesignAnswer]


def curve_answer(result: StudyResult, units: Units | None = None) -> Answer:
    """Return curves as plain values."""
    designs = [design_answer(design) for design in result.designs]
    return answer(CurveAnswer, designs=designs, units=in_units(units, result.rows))


def design_answer(result: DesignResult) -> DesignAnswer:
    """Fill the form of a design."""
    relation, replay = result.relation, result.replay
    return fill(
        DesignAnswer,
        result.design,
        vcs=relation.vcs.each,
        vcs_chosen=result.design.vcs is None,
        verdict=fill(VerdictForm, result.verdict, of=relation, certificate_holds=result.certificate_holds),
        delivery=fill(DeliveryForm, result.delivery, of=relation),
        replay=replay and fill(ReplayForm, replay, of=relation),
        runs=[fill(RunForm, run, of=relation) for run in result.runs],
    )


def study_answer(result: StudyResult, report: str, units: Units | None = None) -> Answer:
    """Return a study as plain values."""
    study = result.study
    designs = [design_answer(design) for design in result.designs]
    real = in_units(units, result.rows)
    return answer(RunAnswer, title=study.title, study=study.path, designs=designs, report=report, units=real)


@form_of(Routes)
class RoutesForm(Form):
    """Routes between hosts."""


@form_of(TrafficAudit, without=("relation", "verdict", "delivery", "unknown"))
class TrafficForm(VerdictForm, DeliveryForm):
    """Verdict and delivery for one kind of traffic."""

    holds: bool | None
    meaning: str
    unknown_pairs: int = Field(description="Pairs whose route, or service level, the files do not tell.")
    unknown_because: Annotated[list[str], Plain]


@form_of(MulticastAudit, without=("relation", "verdict"))
class MulticastTablesForm(VerdictForm):
    """Verdict and delivery for multicast groups and the routes between hosts together."""

    delivered: bool
    holds: bool | None


@form_of(Changes, without=("switches",))
class ChangesForm(Form):
    """Changes since the reading that was compared with."""

    deadlock_free_before: bool | None


class AuditAnswer(TrafficForm):
    """JSON answer of `unknot audit`; verdict and delivery are those of host-to-host traffic."""

    fabric: str
    fabric_file: str
    tables_file: str
    levels_file: str
    lanes_file: str
    notes: Annotated[list[str], Plain] = Field(description="Noticed on reading.")
    network: NetworkForm
    lanes: int
    assumption: str
    others: list[TrafficForm]
    replies: TrafficForm | None = Field(
        description="Between hosts, with replies at the level of the request; null: no levels are known."
    )
    multicast_file: str
    multicast: MulticastTablesForm | None = Field(description="null: no group.")
    changes: ChangesForm | None
    routes: RoutesForm | None


def audit_answer(
    audit: Audit, changes: Changes | None = None, before: Audit | None = None, routes: Routes | None = None
) -> Answer:
    """Return an audit as plain values, with what changed since another reading of the fabric, and its audit."""
    fabric, multicast = audit.fabric, audit.multicast
    more = {
        "fabric": fabric.name,
        "network": fabric.network,
        "lanes": audit.lanes,
        "holds": audit.holds,
        "assumption": audit.assumption,
        "routes": routes,
        "changes": changes and fill(ChangesForm, changes, deadlock_free_before=before and before.deadlock_free),
        "multicast": multicast and fill(MulticastTablesForm, multicast, multicast.verdict, of=multicast.relation),
        "replies": audit.replies and fill(TrafficForm, *_sources(audit.replies), of=audit.replies.relation),
        "others": [fill(TrafficForm, *_sources(other), of=other.relation) for other in audit.others],
    }
    hosts = audit.host_to_host
    return answer(AuditAnswer, *_sources(hosts), fabric, of=hosts.relation, **more)


def _sources(traffic: TrafficAudit) -> tuple[object, ...]:
    return traffic, traffic.verdict, traffic.delivery, traffic.unknown


@form_of(Point)
class BookSimPoint(Form):
    """One point of a configuration."""

    found: RunsForm


class BookSimAnswer(RelationForm, WithUnits):
    """JSON answer of `unknot run` for a BookSim configuration."""

    file: str = Field(description="The configuration file.")
    warnings: list[str] = Field(description="Warnings given before anything runs.")
    without_effect: list[str] = Field(description="Keys that are set and change nothing here.")
    deadlock_free: bool | None = Field(description="null when it is undecided.")
    switching: str = Field(description="The technique that the verdict is for.")
    established: str = Field(description="Result of the proof in words.")
    delivered: bool = Field(description="Whether every packet arrives.")
    requests_and_replies: str | None = Field(
        description="Result on message-dependent deadlock, and on what it rests; null: no replies."
    )
    batches: list[list[int]] | None = Field(description="With sim_type = batch the cycles of each, by seed.")
    points: Annotated[list[BookSimPoint], Plain]
