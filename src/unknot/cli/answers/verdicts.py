"""Forms of verdicts, counterexamples and deliveries."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, ValidationInfo, model_validator

from unknot._base.switching import Switching
from unknot.certificates.verdict import Verdict
from unknot.cli.answers.form import AddressName, Form, Number, Plain, TerminalName, VcName, form_of
from unknot.cli.answers.networks import Natural, Positive, RelationForm
from unknot.report.explanation import Section
from unknot.verify.delivery import Delivery
from unknot.verify.smallest import Smallest

Grade = Literal["injected", "scheduled", "not-established"]


class VcForm(Form):
    """A virtual channel."""

    vc: Natural = Field(description="Number of the virtual channel.")
    channel: str = Field(description="Name of its channel.")
    index: Natural = Field(description="Its index within the channel.")

    @model_validator(mode="before")
    @classmethod
    def _of_number(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, int) or info.context is None:
            return value
        relation = info.context["relation"]
        channel = int(relation.vcs.channel[value])
        return {
            "vc": value,
            "channel": relation.network.channel_name(channel),
            "index": int(relation.vcs.index[value]),
        }


def _destination(address: Any, info: ValidationInfo) -> Any:
    """The terminal an address stands for; what is read from a file stays as it is."""
    return address if info.context is None else int(info.context["relation"].destination[address])


Vcs = Annotated[list[VcForm], Plain]


class MessageForm(Form):
    """One blocked message."""

    source: Natural = Field(description="Terminal that sent it.")
    source_name: TerminalName = Field(validation_alias=AliasChoices("source_name", "source"))
    address: Natural = Field(description="Address in its header.")
    address_name: AddressName = Field(validation_alias=AliasChoices("address_name", "address"))
    destination: Annotated[Natural, BeforeValidator(_destination)] = Field(
        validation_alias=AliasChoices("destination", "address"), description="Terminal that the address stands for."
    )
    destination_name: Annotated[TerminalName, BeforeValidator(_destination)] = Field(
        validation_alias=AliasChoices("destination_name", "address")
    )
    length: Positive = Field(description="Flits; it fills the VCs it holds exactly.")
    lead: Vcs = Field(description="VCs on its way from the injection port to the first it holds.")
    held: Annotated[Vcs, Field(min_length=1)] = Field(description="VCs it holds, tail first.")
    wanted: Annotated[Vcs, Field(min_length=1)] = Field(description="VCs its header waits for, all held.")


class ConfigurationForm(Form):
    """A deadlock configuration: messages none of which can ever move."""

    switching: Switching
    buffer_depth: Positive = Field(description="Flits per VC.")
    reachability: Grade = Field(description="Way in which packets can get into it, if established.")
    messages: Annotated[list[MessageForm], Field(min_length=1), Plain] = Field(
        description="Messages in the order of the schedule."
    )


class CertificateForm(Form):
    """Kind of proof that a routing is deadlock-free."""

    kind: Literal["order", "escape", "drain", "exhausted"]


@form_of(Verdict)
class VerdictForm(Form):
    """The answer to "can it deadlock?"."""

    configuration: ConfigurationForm | None
    certificate: CertificateForm | None
    reachability: Grade | None = Field(description="Reachability of the configuration; null without one.")
    certificate_holds: bool | None = Field(
        description="Whether the separate checker accepts the evidence; null: nothing to check, or too large."
    )


class DeadEndForm(Form):
    """A reachable input VC without candidates for an address."""

    at: VcName
    address: AddressName


class LoopForm(Form):
    """Places that packets for an address never leave."""

    places: Annotated[list[VcName], Plain]
    address: AddressName


@form_of(Delivery)
class DeliveryForm(Form):
    """Delivery: dead ends, loops and lengths of routes."""

    dead_ends: Annotated[list[DeadEndForm], Plain] = Field(
        description="Reachable states without candidates; the first few."
    )
    loops: Annotated[list[LoopForm], Plain] = Field(
        description="Cycles of states that can never reach ejection; the first few."
    )
    longest_pair: tuple[TerminalName, AddressName] | None = Field(
        description="Source and address of a longest route."
    )


@form_of(Smallest, without=("configuration",))
class SmallestForm(Form):
    """Bounds on the size of deadlock configurations; the smallest itself stands with the verdict."""


@form_of(Section)
class SectionForm(Form):
    """A part of an explanation."""


class TechniqueForm(Form):
    """The answer under one switching technique, in short."""

    deadlock_free: bool | None = Field(description="null: undecided in the time given.")
    method: str = Field(description="Method of the decision.")
    established: str


class CheckAnswer(VerdictForm, DeliveryForm, RelationForm):
    """JSON answer of `unknot check`."""

    seconds: Number = Field(description="Time for the verdict, compilation included.")
    techniques: dict[Switching, TechniqueForm] = Field(description="The answers under all four techniques.")
    smallest: SmallestForm | None = Field(description="Only with --smallest.")
    explanation: Annotated[list[SectionForm] | None, Plain] = Field(description="Only with --explain.")


class AcceptedForm(Form):
    """What the checker said of a file."""

    file: str
    accepted: bool | None = Field(description="Null: of a store, where rows are open and none is rejected.")
    says: list[str] = Field(description="What each claim shows, or why the evidence was rejected.")


class AcceptAnswer(Form):
    """JSON answer of `unknot accept`."""

    files: Annotated[list[AcceptedForm], Plain]
