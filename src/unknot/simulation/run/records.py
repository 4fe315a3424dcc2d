"""Records of a run from the short calls of its functions, which take their fields by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from unknot._base.records import require_options, with_fields
from unknot.simulation.energy.option import Energy
from unknot.simulation.faults.fault import Fault
from unknot.simulation.run.scenario import Measurement
from unknot.traffic import Bursts, PatternLike, Traffic, TrafficClass
from unknot.traffic.workload import Lengths


class PointOptions(TypedDict, total=False):
    """Fields of `Traffic`, and how long a run is measured, which functions also take by themselves."""

    packet_length: Lengths
    bursts: Bursts | None
    warmup: int | None
    measure: int | None
    precision: float | None
    energy: Energy | str | Path | None


class SimulateOptions(PointOptions, total=False):
    """All fields of `Traffic` and `Measurement` but the pattern, and what happens to the network of a `Scenario`."""

    classes: Sequence[TrafficClass]
    subnets: int
    interval: int | None
    by_pair: bool
    faults: Sequence[Fault | str]


def records(
    function: str, known: type, options: Mapping[str, Any], traffic: PatternLike | Traffic, measurement: Measurement
) -> tuple[Traffic, Measurement]:
    """Return a workload and a measurement with the fields that a function was given by themselves.

    Parameters
    ----------
    function : str
        Its name.
    known : type
        The options that it takes, a `typing.TypedDict`.

    Raises
    ------
    TypeError
        If there is another option.
    """
    require_options(function, known, options)
    workload = traffic if isinstance(traffic, Traffic) else Traffic(traffic)
    return with_fields(workload, options), with_fields(measurement, options)
