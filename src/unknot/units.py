"""Nanoseconds and bytes per second: cycles and flits once a clock and the width of a flit are given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unknot.errors import UnknotError

_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([GgMm])[Hh]z\s*,\s*(\d+(?:\.\d+)?)\s*B\s*")


@dataclass(frozen=True)
class Units:
    """Physical units of a cycle and a flit.

    Parameters
    ----------
    clock_ghz : float
        Cycles per nanosecond.
    flit_bytes : float
        Bytes of a flit, which is what a channel carries in a cycle.

    Raises
    ------
    UnknotError
        If one is not a positive number.

    Examples
    --------
    >>> units = Units(clock_ghz=2.0, flit_bytes=16)
    >>> units.ns(100), units.gb_per_s(0.5), units.flits_per_cycle(16.0)
    (50.0, 16.0, 0.5)
    """

    clock_ghz: float
    flit_bytes: float

    def __post_init__(self) -> None:
        for name in ("clock_ghz", "flit_bytes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
                raise UnknotError(f"units: {name} must be a positive number, got {value!r}")

    @classmethod
    def of(cls, text: str) -> Units:
        """The units of a text such as ``2 GHz, 16 B``.

        Raises
        ------
        UnknotError
            If it is none.

        Examples
        --------
        >>> Units.of("500 MHz, 8 B")
        Units(clock_ghz=0.5, flit_bytes=8.0)
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise UnknotError(f"units: a clock and a width are wanted, such as '2 GHz, 16 B'; got {text!r}")
        return cls(float(found[1]) * (1.0 if found[2].lower() == "g" else 1e-3), float(found[3]))

    def ns(self, cycles: float) -> float:
        """Nanoseconds of a number of cycles."""
        return cycles / self.clock_ghz

    def gb_per_s(self, flits_per_cycle: float) -> float:
        """Gigabytes (10^9) per second of a load in flits per cycle."""
        return flits_per_cycle * self.flit_bytes * self.clock_ghz

    def flits_per_cycle(self, gb_per_s: float) -> float:
        """The load in flits per cycle of gigabytes per second."""
        return gb_per_s / (self.flit_bytes * self.clock_ghz)

    def of_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of results with its times in nanoseconds and its loads in GB/s beside it."""
        found = dict(row)
        for name, value in row.items():
            if name.startswith(("latency_", "network_latency_")):
                found[f"{name}_ns"] = None if value is None else self.ns(value)
            elif name in ("offered_load", "accepted_load"):
                found[f"{name.removesuffix('_load')}_gb_per_s"] = self.gb_per_s(value)
        return found
