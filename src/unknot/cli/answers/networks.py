"""Forms of networks and tables that are shown or written, and what many answers have: relations, units, manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from unknot._base.manifest import Manifest
from unknot._base.quantities import By
from unknot._base.units import Units
from unknot.cli.answers.filling import Subject
from unknot.cli.answers.form import Bounds, Form, Natural, Number, Positive, Words, of
from unknot.network.metrics import Metrics


class NetworkForm(Form):
    """Name and sizes of a network."""

    name: str
    routers: Natural = of("num_routers")
    channels: Natural = of("num_channels")
    terminals: Natural = of("num_terminals")


def _vcs_words(vcs: int | None, beside: Any) -> Any:
    if not beside["num_vcs"]:
        return "none: no channel joins two routers"
    if vcs is None:
        return f"{beside['num_vcs']} in all; channels have different numbers"
    return f"{vcs} (chosen; --vcs gives another number)" if beside.get("vcs_chosen") else vcs


class RelationForm(Form):
    """A routing on a network."""

    kinds = (Subject,)
    routing: str
    vcs: Annotated[Positive | None, Words(_vcs_words)]
    """Virtual channels of each channel; null: they differ."""
    num_vcs: Natural
    """Virtual channels in all."""
    network: NetworkForm


class ShowAnswer(Form, of=Metrics):
    """JSON answer of `unknot show`: name and figures of a network."""

    name: str
    table = """
        name routers channels links terminals degree_min degree_max connected terminals_connected diameter
        mean_distance sampled bisection bisection_lower bisection_upper bandwidths
    """
    bisection_lower: Natural | None = None
    """Channels that every split into halves cuts; null: not computed."""
    bisection_upper: Natural | None = None
    """Channels that the best split known cuts."""


class ConvertAnswer(Form):
    """JSON answer of `unknot convert`."""

    table = "file format network.name network.routers network.channels network.terminals dropped notes"

    file: str
    format: str
    dropped: list[str]
    """Parts that the format does not carry."""
    notes: list[str]
    """Parts that are written otherwise than the fabric has them."""
    network: NetworkForm


class ExportAnswer(RelationForm):
    """JSON answer of `unknot export`."""

    file: str
    format: str
    entries: Natural
    """States (input, address) that packets can come to."""
    most_candidates: Natural
    """Most candidates of an entry; more than 1: adaptive."""


FINITE = By(lambda number, _: number, float)
"""A number that is never null."""


class UnitsForm(Form):
    """Clock and width of a flit, and figures of the answer in nanoseconds and GB/s."""

    clock_ghz: Annotated[float, FINITE]
    flit_bytes: Annotated[float, FINITE]
    values: list[dict[str, Number]]
    """Figures in cycles under their names and _ns, loads under theirs and _gb_per_s; for each run."""


class WithUnits(Form):
    """An answer with times in cycles or loads in flits per cycle."""

    units: UnitsForm | None = None
    """Only with --units."""


def in_units(units: Units | None, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return what `UnitsForm` holds of these rows, None without units."""
    if units is None:
        return None
    values = [units.beside(row) for row in rows]
    return {"clock_ghz": units.clock_ghz, "flit_bytes": units.flit_bytes, "values": values}


Word = Annotated[str, Bounds(max_length=100_000)]


class ManifestForm(Form, of=Manifest):
    """Manifest of an outcome: the command, code, libraries and networks that made it."""

    command: Annotated[list[Word], Bounds(max_length=10_000)]
    """Words of the command line after `unknot`, as they were typed."""
    networks: dict[str, str]
    """Digests of the networks that were made or read, by their names."""
    libraries: dict[str, str]
    """Versions of Python and of the libraries that decide outcomes."""


class RerunAnswer(Form):
    """JSON answer of `unknot rerun`."""

    table = "file same differences changes"

    file: str
    output: str
    """As the command names it; `-` is the standard output."""
    command: list[str]
    same: bool
    differences: list[str]
    """Where the outcomes differ; the first few."""
    changes: list[str]
    """What has changed since: version, code, libraries, networks."""
