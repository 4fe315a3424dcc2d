"""Forms of networks and tables that are shown or written, and what many answers have: relations, units, manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from unknot._base.manifest import Manifest
from unknot._base.units import Units
from unknot.cli.answers.filling import Subject
from unknot.cli.answers.form import Bounds, Form, Natural, Number, Positive, Words, form_of, key
from unknot.network.metrics import Metrics


class NetworkForm(Form):
    """Name and sizes of a network."""

    name: str
    routers: Natural = key(of="num_routers")
    channels: Natural = key(of="num_channels")
    terminals: Natural = key(of="num_terminals")


def _vcs_words(vcs: int | None, beside: Any) -> Any:
    if vcs is None:
        return f"{beside['num_vcs']} in all, not as many on each channel"
    return f"{vcs} (chosen; --vcs gives another number)" if beside.get("vcs_chosen") else vcs


class RelationForm(Form):
    """A routing on a network."""

    kinds = (Subject,)
    routing: str
    vcs: Annotated[Positive | None, Words(_vcs_words)] = key("Virtual channels of each channel; null: they differ.")
    num_vcs: Natural = key("Virtual channels in all.")
    network: NetworkForm


@form_of(Metrics)
class ShowAnswer(Form):
    """JSON answer of `unknot show`: name and figures of a network."""

    name: str
    table = (
        "name", "routers", "channels", "links", "terminals", "degree_min", "degree_max", "connected",
        "terminals_connected", "diameter", "mean_distance", "sampled", "bisection", "bisection_lower",
        "bisection_upper", "bandwidths",
    )  # fmt: skip
    bisection_lower: Natural | None = key(
        "Channels that every split into halves cuts; null: not computed.", default=None
    )
    bisection_upper: Natural | None = key("Channels that the best split known cuts.", default=None)


class ConvertAnswer(Form):
    """JSON answer of `unknot convert`."""

    table = (
        "file", "format", "network.name", "network.routers", "network.channels", "network.terminals", "dropped",
        "notes",
    )  # fmt: skip

    file: str
    format: str
    dropped: list[str] = key("Parts that the format does not carry.")
    notes: list[str] = key("Parts that are written otherwise than the fabric has them.")
    network: NetworkForm


class ExportAnswer(RelationForm):
    """JSON answer of `unknot export`."""

    file: str
    format: str
    entries: Natural = key("States (input, address) that packets can come to.")
    most_candidates: Natural = key("Most candidates of an entry; more than 1: adaptive.")


class UnitsForm(Form):
    """Clock and width of a flit, and figures of the answer in nanoseconds and GB/s."""

    clock_ghz: float
    flit_bytes: float
    values: list[dict[str, Number]] = key(
        "Figures in cycles under their names and _ns, loads under theirs and _gb_per_s; for each run."
    )


class WithUnits(Form):
    """An answer with times in cycles or loads in flits per cycle."""

    units: UnitsForm | None = key("Only with --units.", default=None)


def in_units(units: Units | None, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return what `UnitsForm` holds of these rows, None without units."""
    if units is None:
        return None
    values = [units.beside(row) for row in rows]
    return {"clock_ghz": units.clock_ghz, "flit_bytes": units.flit_bytes, "values": values}


Word = Annotated[str, Bounds(max_length=100_000)]


@form_of(Manifest)
class ManifestForm(Form):
    """Manifest of an outcome: the command, code, libraries and networks that made it."""

    command: Annotated[list[Word], Bounds(max_length=10_000)] = key(
        "Words of the command line after `unknot`, as they were typed."
    )
    networks: dict[str, str] = key("Digests of the networks that were made or read, by their names.")
    libraries: dict[str, str] = key("Versions of Python and of the libraries that decide outcomes.")


class RerunAnswer(Form):
    """JSON answer of `unknot rerun`."""

    table = ("file", "same", "differences", "changes")

    file: str
    output: str = key("As the command names it; `-` is the standard output.")
    command: list[str]
    same: bool
    differences: list[str] = key("Where the outcomes differ; the first few.")
    changes: list[str] = key("What has changed since: version, code, libraries, networks.")
