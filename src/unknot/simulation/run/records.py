"""Records of a run from the short calls of its functions, which take their fields by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypedDict, TypeVar, cast

from unknot.simulation.run.scenario import Measurement
from unknot.traffic import Bursts, PatternLike, Traffic, TrafficClass
from unknot.traffic.workload import Lengths

R = TypeVar("R")


class PointOptions(TypedDict, total=False):
    """Fields of `Traffic`, and how long a run is measured, which functions also take by themselves."""

    packet_length: Lengths
    bursts: Bursts | None
    warmup: int | None
    measure: int | None
    precision: float | None


class SimulateOptions(PointOptions, total=False):
    """All fields of `Traffic` and `Measurement` but the pattern."""

    classes: Sequence[TrafficClass]
    subnets: int
    interval: int | None
    by_pair: bool


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
    unknown = [name for name in options if name not in known.__annotations__]
    if unknown:
        raise TypeError(f"{function}() got an unexpected keyword argument {unknown[0]!r}")
    workload = traffic if isinstance(traffic, Traffic) else Traffic(traffic)
    return _with_fields(workload, options), _with_fields(measurement, options)


def _with_fields(record: R, options: Mapping[str, Any]) -> R:
    """Return a record with the fields of its own among some options."""
    names = [field.name for field in fields(cast(Any, record))]
    own = {name: options[name] for name in names if name in options}
    return cast(R, replace(cast(Any, record), **own)) if own else record
