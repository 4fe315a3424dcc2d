"""The form of a BookSim configuration that was run."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from unknot.cli.answers.form import Form, Plain, form_of
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.runs import RunsForm
from unknot.cli.answers.units import WithUnits
from unknot.studies.booksim.runs import Point


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
