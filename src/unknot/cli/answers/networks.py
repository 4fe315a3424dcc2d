"""Forms of networks and relations."""

from __future__ import annotations

from typing import Annotated

from pydantic import AliasChoices, Field

from unknot.cli.answers.form import Form, Plain, Subject, form_of
from unknot.network.metrics import Metrics

MOST = 2**63 - 1
Natural = Annotated[int, Field(ge=0, le=MOST), Plain]
Positive = Annotated[int, Field(ge=1, le=MOST), Plain]


class NetworkForm(Form):
    """Name and sizes of a network."""

    name: str
    routers: Natural = Field(validation_alias=AliasChoices("routers", "num_routers"))
    channels: Natural = Field(validation_alias=AliasChoices("channels", "num_channels"))
    terminals: Natural = Field(validation_alias=AliasChoices("terminals", "num_terminals"))


class RelationForm(Form):
    """A routing on a network."""

    homes = dict.fromkeys(("routing", "vcs", "num_vcs", "network"), Subject)
    routing: str
    vcs: Positive | None = Field(description="Virtual channels of each channel; null: they differ.")
    num_vcs: Natural = Field(description="Virtual channels in all.")
    network: NetworkForm


@form_of(Metrics)
class ShowAnswer(Form):
    """JSON answer of `unknot show`: name and figures of a network."""

    name: str


class ConvertAnswer(Form):
    """JSON answer of `unknot convert`."""

    file: str
    format: str
    dropped: list[str] = Field(description="Parts that the format does not carry.")
    notes: list[str] = Field(description="Parts that are written otherwise than the fabric has them.")
    network: NetworkForm
