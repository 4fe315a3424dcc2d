"""Forms of studies and curves."""

from __future__ import annotations

from typing import Annotated, Any

from unknot._base.quantities import By, Load
from unknot.cli.answers.filling import Answer, Answers, answer
from unknot.cli.answers.form import Form, Natural, Positive, Words, of
from unknot.cli.answers.networks import WithUnits
from unknot.cli.answers.replays import ReplayForm
from unknot.cli.answers.runs import BurstsForm, RouterForm, RunForm, Shares
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot.studies.checks import Check
from unknot.studies.result import DesignResult

EachRun = Annotated[list[RunForm], By(lambda runs, subject: Answers(RunForm, runs, subject.of))]
"""Runs that are made anew when they are looked at."""


def _interval(ends: list[float] | None, _: Any) -> str:
    return "" if ends is None else f"{ends[0]:.4g} to {ends[1]:.4g}"


class StudiedDesign(Form):
    """A design of a study, its verdict, delivery, replay and runs."""

    table = """
        name verdict.deadlock_free verdict.established delivery.delivered delivery.minimal stable_up_to saturation
    """

    name: str = of("design.name")
    network: str = of("design.network")
    routing: str = of("design.routing")
    vcs: Positive | None = of("relation.vcs.each")
    """Virtual channels of each channel; null: they differ."""
    vcs_chosen: Annotated[bool, By(lambda vcs, _: vcs is None)] = of("design.vcs")
    """Whether the study gives no number of VCs."""
    switching: str = of("design.switching")
    """The technique, or the flow control of the relation."""
    packet_length: Positive | Shares = of("design.packet_length")
    """Flits, or the share of each length."""
    buffer_depth: Positive = of("design.buffer_depth")
    traffic: str = of("design.traffic")
    router: RouterForm = of("design.router")
    bursts: BurstsForm | None = of("design.bursts")
    verdict: VerdictForm
    delivery: DeliveryForm
    replay: ReplayForm | None
    stable_up_to: Load
    """Highest load at which all runs are stable; null: none is."""
    saturation: Annotated[list[Load] | None, Words(_interval)]
    """Loads between which it saturates, a 95 % interval; null: no run surely saturates."""
    runs: EachRun


def design_answer(design: DesignResult) -> Answer:
    """Fill the form of a design."""
    relation = design.relation
    verdict = answer(VerdictForm, design.verdict, of=relation, certificate_holds=design.certificate_holds)
    return answer(StudiedDesign, design, of=relation, verdict=verdict)


Designs = list[Annotated[StudiedDesign, By(lambda design, _: design_answer(design))]]


class RunAnswer(WithUnits):
    """JSON answer of `unknot run`."""

    table = "title designs designs.runs report"

    title: str = of("study.title")
    study: str | None = of("study.path")
    """The file."""
    designs: Designs
    report: str


class CurveDifference(Form):
    """By how much two designs of a curve differ under the same packets."""

    table = "load words"

    first: str
    second: str
    load: Load
    """Offered to both."""
    cycles: float | None
    """Mean latency of the first design less that of the second one; null: one of them is not stable."""
    half_width: float | None
    """Of the 95 % confidence interval of the difference."""
    words: str
    """The difference as a sentence."""


class CurveAnswer(WithUnits):
    """JSON answer of `unknot curve`; a design for each routing."""

    table = "designs designs.runs differences"

    complete: Annotated[bool, By(lambda cut_short, _: not cut_short)] = of("cut_short")
    """Whether all points were finished; not where the time limit came first."""
    designs: Designs
    differences: list[CurveDifference]
    """Where `--differences` asked for them."""


class CheckForm(Form, of=Check, also="as_expected"):
    """A check, with its answer."""

    table = "network routing vcs switching expect answer as_expected"


class RunChecksAnswer(Form):
    """JSON answer of `unknot run` for a file of checks."""

    file: str
    """The file of checks."""
    left_out: Natural
    """Number of checks that read no changed file, and were not run."""
    checks: list[CheckForm]
