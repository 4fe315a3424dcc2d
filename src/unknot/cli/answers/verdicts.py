"""Forms of verdicts and deliveries."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from unknot._base.quantities import AddressNumber, TerminalNumber, VcNumber
from unknot._base.switching import Switching
from unknot.certificates.verdict import Verdict
from unknot.cli.answers.configuration_file import Grade
from unknot.cli.answers.form import Form, HopCount, Natural, Number, Words
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.words import PAIR
from unknot.verify.delivery import Delivery
from unknot.verify.progress import Progress
from unknot.verify.smallest import Smallest


class CertificateForm(Form):
    """Kind of proof that a routing is deadlock-free."""

    kind: Literal["order", "escape", "drain", "exhausted", "pools", "states"]


class VerdictForm(Form, of=Verdict):
    """The answer to "can it deadlock?"."""

    certificate: CertificateForm | None
    reachability: Grade | None
    """Reachability of the configuration; null without one."""
    certificate_holds: bool | None
    """Whether the separate checker accepts the evidence; null: nothing to check, or too large."""
    table: ClassVar[str] = "switching flow deadlock_free method scope established"


class DeadEndForm(Form):
    """A reachable input VC without candidates for an address."""

    at: VcNumber
    address: AddressNumber


class LoopForm(Form):
    """Places that packets for an address never leave."""

    places: list[VcNumber]
    address: AddressNumber


def _undelivered_words(pairs: int, beside: Any) -> str:
    return f"{pairs:,} of {beside['pairs']:,} pairs" if pairs else ""


def _minimal_words(minimal: bool | None, beside: Any) -> Any:
    return "no: routes may be endless" if minimal is None and beside["delivered"] is False else minimal


def _longest_words(hops: int | None, beside: Any) -> Any:
    return "endless" if hops is None and beside["delivered"] is False else hops


class DeliveryForm(Form, of=Delivery):
    """Delivery: dead ends, loops and lengths of routes."""

    dead_ends: list[DeadEndForm]
    """Reachable states without candidates; the first few."""
    loops: list[LoopForm]
    """Cycles of states that can never reach ejection; the first few."""
    undelivered_pairs: Annotated[Natural, Words(_undelivered_words)]
    minimal: Annotated[bool | None, Words(_minimal_words)]
    longest_route: Annotated[HopCount | None, Words(_longest_words)]
    longest_pair: Annotated[tuple[TerminalNumber, AddressNumber] | None, PAIR]
    """Source and address of a longest route."""


class SmallestForm(Form, of=Smallest, without="configuration"):
    """Bounds on the size of deadlock configurations; the smallest itself stands with the verdict."""


class SectionForm(Form):
    """A part of an explanation."""

    title: str
    paragraphs: list[str]


class TechniqueForm(Form):
    """The answer under one switching technique, in short."""

    table = "deadlock_free method"
    deadlock_free: bool | None
    """null: undecided in the time given."""
    method: str
    """Method of the decision."""
    established: str


class ProgressForm(Form, of=Progress, without="packets starved"):
    """Whether each packet arrives under an arbiter."""


class CheckAnswer(VerdictForm, DeliveryForm, RelationForm):
    """JSON answer of `unknot check`."""

    table = """
        network.name routing vcs switching flow deadlock_free method size seconds scope established
        certificate.kind reachability certificate_holds smallest delivered undelivered_pairs minimal
        longest_route longest_pair techniques dead_ends loops progress.arbiter progress.arrives
        progress.bound progress.reason
    """

    seconds: Number
    """Time for the verdict, compilation included."""
    techniques: dict[Switching, TechniqueForm]
    """The answers under all four techniques."""
    smallest: SmallestForm | None
    """Only with --smallest."""
    explanation: list[SectionForm] | None
    """Only with --explain."""
    progress: ProgressForm | None
    """Only with --arbiter, of a routing that is free of deadlock."""


class AcceptedForm(Form):
    """What the checker said of a file."""

    file: str
    accepted: bool | None
    """null: too much to be checked."""
    says: list[str]
    """What each claim shows that counts, or why the evidence was rejected."""
    not_asked: list[str]
    """Claims that were not asked for, which do not count."""


class AcceptAnswer(Form):
    """JSON answer of `unknot accept`."""

    files: list[AcceptedForm]
