"""Forms of verdicts, counterexamples and deliveries."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from unknot._base.switching import Switching
from unknot.certificates.verdict import Verdict
from unknot.cli.answers.form import (
    AddressName,
    Bounds,
    By,
    Form,
    Natural,
    Number,
    Positive,
    TerminalName,
    VcName,
    form_of,
    key,
)
from unknot.cli.answers.networks import RelationForm
from unknot.verify.delivery import Delivery
from unknot.verify.smallest import Smallest

Grade = Literal["injected", "scheduled", "not-established"]


class VcForm(Form):
    """A virtual channel."""

    vc: Natural = key("Number of the virtual channel.")
    channel: str = key("Name of its channel.")
    index: Natural = key("Its index within the channel.")


def _place(vc: Any, subject: Any) -> Any:
    vcs, channel = subject.of.vcs, int(subject.of.vcs.channel[vc])
    return {"vc": vc, "channel": subject.network.channel_name(channel), "index": int(vcs.index[vc])}


def _destination(address: Any, subject: Any) -> Any:
    """The terminal an address stands for."""
    return int(subject.of.destination[address])


Vcs = list[Annotated[VcForm, By(_place)]]


class MessageForm(Form):
    """One blocked message."""

    source: Natural = key("Terminal that sent it.")
    source_name: TerminalName = key(of="source")
    address: Natural = key("Address in its header.")
    address_name: AddressName = key(of="address")
    destination: Annotated[Natural, By(_destination)] = key("Terminal that the address stands for.", of="address")
    destination_name: Annotated[TerminalName, By(_destination)] = key(of="address")
    length: Positive = key("Flits; it fills the VCs it holds exactly.")
    lead: Vcs = key("VCs on its way from the injection port to the first it holds.")
    held: Annotated[Vcs, Bounds(1)] = key("VCs it holds, tail first.")
    wanted: Annotated[Vcs, Bounds(1)] = key("VCs its header waits for, all held.")


class ConfigurationForm(Form):
    """A deadlock configuration: messages none of which can ever move."""

    switching: Switching
    buffer_depth: Positive = key("Flits per VC.")
    reachability: Grade = key("Way in which packets can get into it, if established.")
    messages: Annotated[list[MessageForm], Bounds(1)] = key("Messages in the order of the schedule.")


class CertificateForm(Form):
    """Kind of proof that a routing is deadlock-free."""

    kind: Literal["order", "escape", "drain", "exhausted"]


@form_of(Verdict)
class VerdictForm(Form):
    """The answer to "can it deadlock?"."""

    configuration: ConfigurationForm | None
    certificate: CertificateForm | None
    reachability: Grade | None = key("Reachability of the configuration; null without one.")
    certificate_holds: bool | None = key(
        "Whether the separate checker accepts the evidence; null: nothing to check, or too large."
    )
    table: ClassVar[tuple[str, ...]] = ("switching", "deadlock_free", "method", "scope", "established")


class DeadEndForm(Form):
    """A reachable input VC without candidates for an address."""

    at: VcName
    address: AddressName


class LoopForm(Form):
    """Places that packets for an address never leave."""

    places: list[VcName]
    address: AddressName


@form_of(Delivery)
class DeliveryForm(Form):
    """Delivery: dead ends, loops and lengths of routes."""

    dead_ends: list[DeadEndForm] = key("Reachable states without candidates; the first few.")
    loops: list[LoopForm] = key("Cycles of states that can never reach ejection; the first few.")
    longest_pair: tuple[TerminalName, AddressName] | None = key("Source and address of a longest route.")


@form_of(Smallest, without=("configuration",))
class SmallestForm(Form):
    """Bounds on the size of deadlock configurations; the smallest itself stands with the verdict."""


class SectionForm(Form):
    """A part of an explanation."""

    title: str
    paragraphs: list[str]


class TechniqueForm(Form):
    """The answer under one switching technique, in short."""

    table = ("deadlock_free", "method")
    deadlock_free: bool | None = key("null: undecided in the time given.")
    method: str = key("Method of the decision.")
    established: str


class CheckAnswer(VerdictForm, DeliveryForm, RelationForm):
    """JSON answer of `unknot check`."""

    table = (
        "network.name", "routing", "vcs", "switching", "deadlock_free", "method", "size", "seconds", "scope",
        "established", "certificate.kind", "reachability", "certificate_holds", "smallest", "delivered",
        "undelivered_pairs", "minimal", "longest_route", "longest_pair", "techniques", "dead_ends", "loops",
    )  # fmt: skip

    seconds: Number = key("Time for the verdict, compilation included.")
    techniques: dict[Switching, TechniqueForm] = key("The answers under all four techniques.")
    smallest: SmallestForm | None = key("Only with --smallest.")
    explanation: list[SectionForm] | None = key("Only with --explain.")


class AcceptedForm(Form):
    """What the checker said of a file."""

    file: str
    accepted: bool | None = key("Null: of a store, where rows are open and none is rejected.")
    says: list[str] = key("What each claim shows, or why the evidence was rejected.")


class AcceptAnswer(Form):
    """JSON answer of `unknot accept`."""

    files: list[AcceptedForm]
