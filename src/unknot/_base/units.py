"""Nanoseconds and bytes per second: cycles and flits once a clock and the width of a flit are given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unknot._base.calls import Piece
from unknot._base.errors import UnknotError
from unknot._base.quantities import CYCLES, FLITS, LOAD, Unit

_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([GgMm])[Hh]z\s*,\s*(\d+(?:\.\d+)?)\s*B\s*")

_TIMES = ("latency", "network_latency_", "round_trip_", "makespan", "zero_load_latency")
"""Beginnings of the names of results that are in cycles."""
_TIMES_ALONE = ("time", "bound", "measured", "all_to_all", "all_reduce")
"""Whole names of further times."""
_OF_LOADS = ("uniform", "uniform_bound", "adversarial", "adversarial_bound", "saturation")
_LOADS = ("offered_load", "accepted_load", "load", "throughput", *_OF_LOADS)
"""Names of results that are in flits per terminal and cycle."""
_BYTES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_OF_NS, _OF_BYTES = ("ns", "µs", "ms", "s"), ("B", "kB", "MB", "GB", "TB")
"""Names of a unit times 1, 1,000 and so on."""
_MOST_DIGITS = 20
"""Most digits of a size."""


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

    def __str__(self) -> str:
        return f"{self.clock_ghz:g} GHz, {self.flit_bytes:g} B"

    def __post_init__(self) -> None:
        for name in ("clock_ghz", "flit_bytes"):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < 1e9:
                raise UnknotError(f"units: {name} must be a positive number, got {number!r}")

    @classmethod
    def of(cls, text: str | Units) -> Units:
        """The units of a text such as ``2 GHz, 16 B``; units stay as they are.

        Raises
        ------
        UnknotError
            If it is none.

        Examples
        --------
        >>> Units.of("500 MHz, 8 B")
        Units(clock_ghz=0.5, flit_bytes=8.0)
        """
        if isinstance(text, Units):
            return text
        match = _TEXT.fullmatch(text)
        if match is None:
            raise Piece(text, "<units>").error("expected a clock and a width, such as 2 GHz, 16 B")
        return cls(float(match[1]) * (1.0 if match[2].lower() == "g" else 1e-3), float(match[3]))

    def ns(self, cycles: float) -> float:
        """Nanoseconds of a number of cycles."""
        return cycles / self.clock_ghz

    def gb_per_s(self, flits_per_cycle: float) -> float:
        """Gigabytes (10^9) per second of a load in flits per cycle."""
        return flits_per_cycle * self.flit_bytes * self.clock_ghz

    def gbit_per_s(self, flits_per_cycle: float) -> float:
        """Gigabits (10^9) per second of a load in flits per cycle."""
        return 8 * self.gb_per_s(flits_per_cycle)

    def flits_per_cycle(self, gb_per_s: float) -> float:
        """The load in flits per cycle of gigabytes per second."""
        return gb_per_s / (self.flit_bytes * self.clock_ghz)

    def of_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of results with its times in nanoseconds and its loads in GB/s beside it."""
        return {**row, **self.beside(row)}

    def beside(self, row: Mapping[str, Any]) -> dict[str, float | None]:
        """Times of a row in nanoseconds and its loads in GB/s alone, under names that end in the unit.

        Examples
        --------
        >>> Units(clock_ghz=2.0, flit_bytes=16).beside({"seed": 1, "latency_mean": 20.0, "offered_load": 0.5})
        {'latency_mean_ns': 10.0, 'offered_gb_per_s': 16.0}
        """
        figures: dict[str, float | None] = {}
        for name, figure in row.items():
            if name.startswith(_TIMES) or name in _TIMES_ALONE:
                figures[f"{name}_ns"] = None if figure is None else self.ns(figure)
            elif name in _LOADS:
                figures[f"{name.removesuffix('_load')}_gb_per_s"] = None if figure is None else self.gb_per_s(figure)
            elif name == "size":
                figures["size_bytes"] = figure * self.flit_bytes
        return figures


@dataclass(frozen=True)
class Scale:
    """What times and loads are printed and drawn in: cycles and flits, or with units nanoseconds and GB/s.

    Examples
    --------
    >>> scale = Scale(Units(clock_ghz=2.0, flit_bytes=16))
    >>> scale.time(100), scale.load(0.5), scale.ns(None)
    (50.0, 16.0, '')
    >>> f"100 cycles{scale.ns(100)}, 0.5 flits per cycle{scale.gb_per_s(0.5)}"
    '100 cycles (50 ns), 0.5 flits per cycle (16 GB/s)'
    >>> f"100 cycles{Scale().ns(100)}"
    '100 cycles'
    """

    units: Units | None = None

    @classmethod
    def of(cls, units: Units | str | None) -> Scale:
        """The scale of units, or of their text, or of none."""
        return cls(None if units is None else Units.of(units))

    @property
    def time_name(self) -> str:
        """Unit of times."""
        return "cycles" if self.units is None else "ns"

    @property
    def load_name(self) -> str:
        """Unit of the loads of terminals."""
        return "flits / terminal / cycle" if self.units is None else "GB/s / terminal"

    @property
    def channel_name(self) -> str:
        """Unit of the loads of channels."""
        return "flits per cycle" if self.units is None else "GB/s"

    def time(self, cycles: float) -> float:
        """A number of cycles in this scale."""
        return cycles if self.units is None else self.units.ns(cycles)

    def unit_of(self, cycles: float) -> tuple[float, str]:
        """Factor from cycles to a unit, and the name of the unit: cycles, or ns, µs, ms or s.

        Of the units of seconds the smallest in which the given time is below 1,000.

        Examples
        --------
        >>> Scale().unit_of(60_000), Scale.of("2 GHz, 16 B").unit_of(60_000)
        ((1.0, 'cycles'), (0.0005, 'µs'))
        """
        if self.units is None:
            return 1.0, self.time_name
        place = _place(self.units.ns(cycles), _OF_NS)
        return self.units.ns(1) / 1000**place, _OF_NS[place]

    def load(self, flits_per_cycle: float) -> float:
        """A load in this scale."""
        return flits_per_cycle if self.units is None else self.units.gb_per_s(flits_per_cycle)

    def ns(self, cycles: float | None) -> str:
        """Text that follows a number of cycles: the time in brackets; empty without units."""
        return "" if self.units is None or cycles is None else f" ({_shown(self.units.ns(cycles), _OF_NS)})"

    def gb_per_s(self, flits_per_cycle: float | None) -> str:
        """Text that follows a load: the GB/s in brackets; empty without units."""
        if self.units is None or flits_per_cycle is None:
            return ""
        return f" ({self.units.gb_per_s(flits_per_cycle):.4g} GB/s)"

    def after(self, unit: Unit, figure: float) -> str:
        """Text that follows a figure in cycles, flits or flits per cycle: time, bytes or GB/s; empty without units.

        Examples
        --------
        >>> scale = Scale(Units(clock_ghz=2.0, flit_bytes=16))
        >>> scale.after(CYCLES, 100), scale.after(CYCLES, 60_000), scale.after(FLITS, 4000)
        (' (50 ns)', ' (30 µs)', ' (64 kB)')
        """
        if unit == FLITS and self.units is not None:
            return f" ({_shown(figure * self.units.flit_bytes, _OF_BYTES)})"
        return self.ns(figure) if unit == CYCLES else self.gb_per_s(figure) if unit == LOAD else ""

    def describe(self) -> str:
        """What a cycle and a flit a cycle are, in a sentence; empty without units."""
        if self.units is None:
            return ""
        return f"A cycle is {self.units.ns(1):.4g} ns; a flit per cycle is {self.units.gb_per_s(1):.4g} GB/s."


def _place(figure: float, names: Sequence[str]) -> int:
    """Return the unit in which a figure is below 1,000, by its place: each is 1,000 times the one before."""
    return next((i for i in range(len(names) - 1) if abs(figure) < 999.95 * 1000**i), len(names) - 1)


def _shown(figure: float, names: Sequence[str]) -> str:
    place = _place(figure, names)
    return f"{digits(figure / 1000**place)} {names[place]}"


def digits(figure: float) -> str:
    """Return a figure in four digits, or all before the point, thousands apart.

    Examples
    --------
    >>> digits(0.123456), digits(1234567.8)
    ('0.1235', '1,234,568')
    """
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.4g}"


def flits_of(piece: Piece, units: Units | None, least: int = 1) -> int:
    """Return the flits of a size, which is a number of them or, with units, of bytes."""
    text = piece.text.strip()
    number = text.rstrip("BkKMGi")
    ending = text[len(number) :]
    whole = number.isdecimal() and len(number) <= _MOST_DIGITS
    if not whole or int(number) < least or (ending and ending.removesuffix("B") not in _BYTES):
        raise piece.error("expected flits, such as 64, or bytes, such as 64kB or 1GiB")
    if not ending:
        return int(number)
    if units is None:
        raise piece.error("bytes need the width of a flit: --units '1 GHz, 32 B'")
    return max(least, -int(-int(number) * _BYTES[ending.removesuffix("B")] // units.flit_bytes))
