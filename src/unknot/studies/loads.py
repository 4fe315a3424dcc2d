"""Loads at which a study simulates."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from unknot._base.errors import UnknotError
from unknot.studies.entries import MOST_LOADS

Load = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class StudyTable(BaseModel):
    """A table of a study file, whose keys are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


class Ramp(StudyTable):
    """Loads that rise in equal steps; ends included."""

    start: Load = Field(alias="from")
    to: Load
    step: Load

    def __str__(self) -> str:
        return f"{self.start}:{self.to}:{self.step}"

    @property
    def count(self) -> int:
        """Number of loads; more than `MOST_LOADS` are not counted."""
        return math.floor(min(max((self.to - self.start) / self.step, -1), MOST_LOADS) + 1e-9) + 1

    def values(self) -> tuple[float, ...]:
        """The loads, rounded to ten places."""
        return tuple(round(self.start + i * self.step, 10) for i in range(self.count))


EVERY = Ramp.model_construct(start=0.05, to=1.0, step=0.05)
"""Loads where none are given."""


FINE = tuple(float(f"{1.01**-k:.4g}") for k in range(463, -1, -1))
"""Loads of a search for saturation where none are given: 0.01 to 1 in steps of 1 %."""


def ramp_or_list(entry: Any) -> str:
    return "ramp" if isinstance(entry, (dict, Ramp)) else "list"


def rising(loads: tuple[float, ...] | Ramp) -> tuple[float, ...] | Ramp:
    count = loads.count if isinstance(loads, Ramp) else len(loads)
    if not count:
        raise UnknotError("no load in it; `from` must not exceed `to`, and a list needs a load")
    if count > MOST_LOADS:
        raise UnknotError(f"more than {MOST_LOADS} loads")
    if isinstance(loads, tuple) and len(set(loads)) < count:
        raise UnknotError("a load stands here twice")
    return loads
