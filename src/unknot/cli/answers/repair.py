"""Form of remedies for a routing that can deadlock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from unknot._base.three_valued import all_hold
from unknot.cli.answers.form import Form, Number, Plain, form_of
from unknot.cli.answers.networks import Natural, Positive, RelationForm
from unknot.repair.relaned import RepairedFault


@dataclass(frozen=True)
class State:
    """Verdict, delivery and load of a routing.

    Attributes
    ----------
    deadlock_free : bool or None
    certificate_holds : bool or None
        Whether the separate checker accepts the verdict's evidence.
    delivered : bool or None
        None: there was no time to follow the routes.
    minimal : bool or None
    widest_vcs : int
        Most VCs of a channel.
    highest_load : float or None
        Highest load of a channel under uniform traffic, in routes from terminal to terminal; None where some loop.
    mean_hops : float or None
    """

    deadlock_free: bool | None
    certificate_holds: bool | None
    delivered: bool | None
    minimal: bool | None
    widest_vcs: int
    highest_load: float | None
    mean_hops: float | None

    @property
    def safe(self) -> bool | None:
        """Whether it was proved deadlock-free, the proof holds, and everything arrives; None: open."""
        return all_hold((self.deadlock_free, self.certificate_holds is not False, self.delivered))


@form_of(State)
class StateForm(Form):
    """Verdict, delivery and load of a routing."""

    highest_load: Number | None
    mean_hops: Number | None


class RemedyForm(Form):
    """A remedy and its cost."""

    kind: str = Field(description="Kind of change.")
    cost: Natural | None = Field(description="Cost in units; null: the remedy is impossible.")
    unit: Literal["lanes", "pairs", "entries", "candidates", "VCs"]
    lower_bound: Natural = Field(description="Lower bound on the cost that any such remedy needs.")
    evidence_holds: bool | None = Field(description="Whether the checker accepts the bound; null: none to check.")
    changed_pairs: Natural | None = Field(description="Pairs of routers whose route changes; null: not compared.")
    pairs: Positive | None
    after: StateForm | None


class RepairAnswer(RelationForm):
    """JSON answer of `unknot repair`."""

    switching: str
    before: StateForm
    remedies: list[RemedyForm]


class ExportAnswer(RelationForm):
    """JSON answer of `unknot export`."""

    file: str
    format: str
    entries: Natural = Field(description="States (input, address) that packets can come to.")
    most_candidates: Natural = Field(description="Most candidates of an entry; more than 1: adaptive.")


@form_of(RepairedFault)
class RepairedFaultForm(Form):
    """A single fault and the cost of its repair."""


class RepairedFaultsAnswer(RelationForm):
    """JSON answer of `unknot faults --repair`."""

    kind: Literal["links", "channels", "routers"]
    lanes: Positive = Field(description="Without faults.")
    safe: bool | None = Field(
        description="Deadlock-free and delivering after all faults that leave the network connected; null: open."
    )
    faults: Annotated[list[RepairedFaultForm], Plain] = Field(description="The worst first.")
