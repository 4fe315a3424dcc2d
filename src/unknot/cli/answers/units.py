"""The form of what ``--units`` adds to JSON: times in nanoseconds, loads in GB/s."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from unknot._base.units import Units
from unknot.cli.answers.form import Form, Number, Plain


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
