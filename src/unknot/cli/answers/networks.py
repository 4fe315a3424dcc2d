"""Forms that many answers have: networks, relations, units, and manifests of outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AliasChoices, Field

from unknot._base.manifest import Manifest
from unknot._base.units import Units
from unknot.cli.answers.form import Form, Number, Plain, Subject, form_of
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


class UnitsForm(Form):
    """Clock and width of a flit, and figures of the answer in nanoseconds and GB/s."""

    clock_ghz: float
    flit_bytes: float
    values: Annotated[list[dict[str, Number]], Plain] = Field(
        description="Figures in cycles under their names and _ns, loads under theirs and _gb_per_s; for each run."
    )


class WithUnits(Form):
    """An answer with times in cycles or loads in flits per cycle."""

    units: UnitsForm | None = Field(default=None, description="Only with --units.")


def in_units(units: Units | None, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return what `UnitsForm` holds of these rows, None without units."""
    if units is None:
        return None
    values = [units.beside(row) for row in rows]
    return {"clock_ghz": units.clock_ghz, "flit_bytes": units.flit_bytes, "values": values}


Word = Annotated[str, Field(max_length=100_000)]


@form_of(Manifest)
class ManifestForm(Form):
    """Manifest of an outcome: the command, code, libraries and networks that made it."""

    command: Annotated[list[Word], Field(max_length=10_000), Plain] = Field(
        description="Words of the command line after `unknot`, as they were typed."
    )
    networks: dict[str, str] = Field(description="Digests of the networks that were made or read, by their names.")
    libraries: dict[str, str] = Field(description="Versions of Python and of the libraries that decide outcomes.")


class RerunAnswer(Form):
    """JSON answer of `unknot rerun`."""

    file: str
    output: str = Field(description="As the command names it; `-` is the standard output.")
    command: list[str]
    same: bool
    differences: list[str] = Field(description="Where the outcomes differ; the first few.")
    changes: list[str] = Field(description="What has changed since: version, code, libraries, networks.")
