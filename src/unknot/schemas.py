"""The form of what Unknot writes as JSON about verdicts: read back strictly, and published as JSON Schema.

The models mirror the Python objects they are made of (`unknot.answers`). `json_schemas` gives the schemas (draft
2020-12) that stand in docs/schemas.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from unknot.switching import Switching

Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Grade = Literal["injected", "scheduled", "not-established"]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PlaceForm(_Form):
    """A virtual channel."""

    vc: Natural = Field(description="Number of the virtual channel.")
    channel: str = Field(description="Name of its channel.")
    index: Natural = Field(description="Its index within the channel.")


class MessageForm(_Form):
    """One blocked message."""

    source: Natural = Field(description="Terminal that sent it.")
    source_name: str
    address: Natural = Field(description="What its header carries.")
    address_name: str
    destination: Natural = Field(description="Terminal that the address stands for.")
    destination_name: str
    length: Positive = Field(description="Flits; it fills the VCs it holds exactly.")
    lead: list[PlaceForm] = Field(description="VCs on its way from the injection port to the first it holds.")
    held: Annotated[list[PlaceForm], Field(min_length=1, description="VCs it holds, tail first.")]
    wanted: Annotated[list[PlaceForm], Field(min_length=1, description="VCs its header waits for, all held.")]


class ConfigurationForm(_Form):
    """A deadlock configuration: messages none of which can ever move."""

    switching: Switching
    buffer_depth: Positive = Field(description="Flits per VC.")
    reachability: Grade = Field(description="How it is shown that it can come about.")
    messages: Annotated[list[MessageForm], Field(min_length=1, description="In the order of the schedule.")]


class ConfigurationFile(_Form):
    """A deadlock configuration and what it is one of: `unknot check --export` writes it, `unknot replay` reads it."""

    format: Literal["unknot-configuration"]
    version: Literal[1]
    network: str = Field(description="Text or file that names the network.")
    routing: str = Field(description="Text that names the routing.")
    vcs: Positive | None = Field(description="What --vcs was given.")
    num_vcs: Natural = Field(description="Virtual channels in all.")
    configuration: ConfigurationForm


class SizeForm(_Form):
    """How large the question was."""

    addresses: Natural
    states: Natural
    vcs: Natural
    dependencies: Natural
    cyclic_vcs: Natural


class CertificateForm(_Form):
    """What kind of proof there is."""

    kind: Literal["order", "escape", "drain", "exhausted"]


class VerdictForm(_Form):
    """The answer to "can it deadlock?"."""

    deadlock_free: bool | None = Field(description="null: open when the time was up.")
    switching: Switching
    method: str
    scope: str
    established: str
    size: SizeForm | None
    reachability: Grade | None
    configuration: ConfigurationForm | None
    certificate: CertificateForm | None
    certificate_holds: bool | None = Field(
        description="What the separate checker says of proof or counterexample; null: nothing to check, or too large."
    )


class DeadEndForm(_Form):
    """A reachable place without candidates for an address."""

    at: str
    address: str


class LoopForm(_Form):
    """Places that packets for an address never leave."""

    places: list[str]
    address: str


class NetworkForm(_Form):
    """Name and sizes of a network."""

    name: str
    routers: Natural
    channels: Natural
    terminals: Natural


class WaitForm(_Form):
    """Whom a message waits for, by position in the configuration."""

    message: Natural
    others: list[Natural] = Field(alias="for")


class ReplayForm(_Form):
    """What became of a configuration in the simulator."""

    stuck: bool
    injected: bool
    cycles: Natural
    waits: list[WaitForm]


class SectionForm(_Form):
    """A part of an explanation."""

    title: str
    paragraphs: list[str]


class SmallestForm(_Form):
    """What is known of the size of deadlock configurations."""

    proved: bool = Field(description="Nothing smaller exists than `configuration`.")
    messages_bound: Natural = Field(description="No configuration has fewer messages.")
    held_bound: Natural = Field(description="None with as few messages as `configuration` holds fewer VCs.")
    method: str = Field(description="How that is known, or what is missing.")


class CheckAnswer(VerdictForm):
    """What `unknot check --json` prints."""

    seconds: float = Field(description="Time for the verdict, compilation included.")
    smallest: SmallestForm | None = Field(description="Only with --smallest.")
    explanation: list[SectionForm] | None = Field(description="Only with --explain.")
    delivered: bool
    pairs: Natural
    undelivered_pairs: Natural
    dead_ends: list[DeadEndForm]
    loops: list[LoopForm]
    livelock_free: bool
    minimal: bool | None
    longest_route: Natural | None
    longest_pair: list[str] | None
    routing: str
    vcs: Positive | None
    num_vcs: Natural
    network: NetworkForm


class ReplayAnswer(_Form):
    """What `unknot replay --json` prints."""

    network: NetworkForm
    routing: str
    vcs: Positive | None
    num_vcs: Natural
    configuration: ConfigurationForm
    accepted: bool = Field(description="Whether the checker accepts it as a deadlock.")
    objection: str | None = Field(description="What the checker has against it.")
    replay: ReplayForm | None = Field(description="null when it cannot be put into the simulator.")


FORMS: dict[str, type[_Form]] = {
    "configuration": ConfigurationFile,
    "verdict": VerdictForm,
    "check": CheckAnswer,
    "replay": ReplayAnswer,
}


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schemas by name, each as the text of its file in docs/schemas says it."""
    return {
        name: {"$schema": "https://json-schema.org/draft/2020-12/schema", **form.model_json_schema()}
        for name, form in FORMS.items()
    }


if __name__ == "__main__":
    import json
    import sys
    from pathlib import Path

    for _name, _schema in json_schemas().items():
        Path(sys.argv[1], f"{_name}.json").write_text(json.dumps(_schema, indent=2) + "\n", encoding="utf-8")
