"""The form of the answer to `unknot run` for a configuration."""

from __future__ import annotations

from typing import Annotated

from unknot.cli.answers.form import Form, Words, of
from unknot.cli.answers.networks import RelationForm, WithUnits
from unknot.cli.answers.runs import RunsForm
from unknot_booksim.runs import ConfiguredPoint


class BookSimPoint(Form, of=ConfiguredPoint, without="runs"):
    """One point of a configuration."""

    table = """
        setting found.offered_load found.accepted_load found.accepted_min found.accepted_max
        found.latency_mean found.latency_p99 found.network_latency_mean found.hops_mean found.stable found.reason
    """

    found: RunsForm = of("runs")


class RunBooksimAnswer(RelationForm, WithUnits):
    """JSON answer of `unknot run` for a BookSim configuration."""

    table = """
        network.name routing vcs switching deadlock_free established delivered requests_and_replies batches
        complete points
    """

    file: str
    """The configuration file."""
    warnings: list[str]
    """Warnings given before anything runs."""
    without_effect: list[str]
    """Keys that are set and change nothing here."""
    deadlock_free: bool | None
    """null when it is undecided."""
    switching: str
    """The technique that the verdict is for."""
    established: str
    """Result of the proof in words."""
    delivered: bool | None
    """Whether every packet arrives; null: there was no time to follow them."""
    requests_and_replies: str | None
    """Whether requests and replies with queues of their own can wait for each other; null: no replies."""
    batches: list[list[int]] | None
    """With sim_type = batch the cycles of each, by seed."""
    complete: Annotated[bool, Words(lambda complete, _: "" if complete else "NO, others were not finished")]
    """Whether all points, or batches, were finished; not where a time limit or Ctrl-C came first."""
    points: list[BookSimPoint]
