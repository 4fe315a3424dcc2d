"""Files of energies of Noxim, ``power.yaml``: tables by depth, width, length and ports, in joules and watts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from unknot._base.errors import SimulationError, Source, near
from unknot.simulation.energy.geometry import Costs, Geometry

SHAPES = {
    "Buffer": ("depth", "flit width", "leakage", "push", "front", "pop"),
    "LinkBitLine": ("length", "leakage", "dynamic"),
    "crossbar": ("ports", "flit width", "leakage", "dynamic"),
    "network_interface": ("flit width", "leakage", "dynamic"),
    "routing": ("leakage", "dynamic"),
    "selection": ("leakage", "dynamic"),
}
"""Tables that are read, with their columns; of the last two the row ``default``."""
_SECTIONS = ("Energy", "Router")
_WIRELESS = "Hub"
_LINE = re.compile(r"( *)(?:(-) *)?(?:(\w+) *:)? *(.*?) *(?:#.*)?")
_PJ, _MW = 1e12, 1e3

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class TableTechnology:
    """Energies as a file of Noxim gives them.

    Attributes
    ----------
    name : str
    tables : tuple of (str, rows)
        By `SHAPES`, in joules, watts, bits and millimetres.
    """

    name: str
    tables: tuple[tuple[str, Rows], ...]

    @property
    def defaults(self) -> dict[str, float]:
        return {}

    @cached_property
    def rows(self) -> dict[str, Rows]:
        """The tables by name."""
        return dict(self.tables)

    def costs(self, geometry: Geometry) -> Costs:
        """Return what the parts of a network cost.

        Each VC has a buffer; a link costs its bits times a bit line, a crossbar the row of the fewest sufficient
        ports; a header is routed and selects in each router. A link of a terminal has a network interface.
        """
        bits, inside, outside = geometry.flit_width, geometry.ends >= 0, geometry.begins >= 0
        stored, push, front, pop = self._row("Buffer", float(geometry.depth), bits)
        line = np.array([self._row("LinkBitLine", length) for length in geometry.length.tolist()])
        ports = np.maximum(geometry.inputs, geometry.outputs).tolist()
        crossing = np.array([self._row("crossbar", float(many), bits, fits=True) for many in ports])
        interface = self._row("network_interface", bits)
        (route,), (select,) = self.rows["routing"], self.rows["selection"]
        nothing, ending = np.zeros(inside.size), np.where(inside & outside, 0.0, 1.0)
        energy = {
            "buffer_write": inside * push,
            "buffer_read": inside * (pop + front),
            "crossbar_in": nothing,
            "crossbar_out": outside * crossing[geometry.begins, 1],
            "output": nothing,
            "switch_allocation": nothing,
            "vc_allocation": outside * (route[1] + select[1]),
            "link": bits * line[:, 1] + ending * interface[1],
        }
        power = {
            "buffer": inside * geometry.vcs * stored,
            "crossbar": crossing[:, 0] + route[0] + select[0],
            "output": np.zeros(geometry.outputs.size),
            "link": geometry.width * line[:, 0] + ending * interface[0],
        }
        return Costs(
            {name: _PJ * each for name, each in energy.items()},
            {part: _MW * each for part, each in power.items()},
            None,
        )

    def _row(self, table: str, *keys: float, fits: bool = False) -> tuple[float, ...]:
        """The rest of the row with these keys; with `fits` the least first key that is large enough.

        Raises
        ------
        SimulationError
            If there is none.
        """
        rows = sorted(self.rows[table])
        for row in rows:
            first = row[0] >= keys[0] if fits else math.isclose(row[0], keys[0])
            if first and all(map(math.isclose, row[1 : len(keys)], keys[1:])):
                return row[len(keys) :]
        names = SHAPES[table][: len(keys)]
        asked = ", ".join(f"{name} {key:g}" for name, key in zip(names, keys, strict=True))
        known = "; ".join(dict.fromkeys(" ".join(f"{key:g}" for key in row[: len(keys)]) for row in rows))
        raise SimulationError(f"{self.name}: {table} has no row for {asked}; its rows ({', '.join(names)}): {known}")


def read_noxim(text: str, where: str | Path) -> TableTechnology:
    """Read a ``power.yaml`` of Noxim, without its wireless hubs.

    Raises
    ------
    TextError
        At an unknown, missing or repeated section or table, and at a row of the wrong form.
    """
    source, tables, chosen = Source(text, where), dict[str, list[tuple[float, ...]]](), ""
    for at, key, listed, rest in _entries(source):
        if key in SHAPES or key in _SECTIONS or key == _WIRELESS:
            if key in tables:
                raise source.error(f"{key} is given twice", at)
            chosen = key
            if key in SHAPES:
                tables[key] = []
            if rest:
                raise source.error(f"{key} is a table: its rows stand below", at)
        elif chosen == _WIRELESS:
            continue
        elif chosen in ("routing", "selection") and key and not listed:
            row = _numbers(source, at, rest, SHAPES[chosen])
            if key == "default":
                tables[chosen].append(row)
        elif chosen in SHAPES and listed and not key:
            tables[chosen].append(_numbers(source, at, rest, SHAPES[chosen]))
        else:
            raise source.error(f"unknown key {key!r}; {near(key, [*SHAPES, *_SECTIONS, _WIRELESS])}", at)
    for name in SHAPES:
        if not tables.get(name):
            words = "its row default" if name in ("routing", "selection") else "with a row at least"
            raise source.error(f"{name} is missing here, {words}", 0)
    return TableTechnology(Path(where).stem, tuple((name, tuple(rows)) for name, rows in tables.items()))


def _entries(source: Source) -> Iterator[tuple[int, str, bool, str]]:
    """Yield the lines that say something: offset, key, whether they are items of a list, and the rest."""
    at = 0
    for line in source.text.split("\n"):
        begin, at = at, at + len(line) + 1
        bare = line.rstrip("\r").replace("\t", " ")
        match = _LINE.fullmatch(bare)
        if match is None:
            raise source.error("expected KEY:, or - [NUMBERS]", begin)
        blanks, listed, key, rest = match.groups()
        if listed or key or rest:
            yield begin + len(blanks), key or "", bool(listed), rest


def _numbers(source: Source, at: int, text: str, columns: tuple[str, ...]) -> tuple[float, ...]:
    """The numbers of a row in brackets."""
    words = text[1:-1].split(",") if text[:1] == "[" and text[-1:] == "]" else []
    try:
        row = tuple(float(word) for word in words)
    except ValueError:
        row = ()
    if len(row) != len(columns) or not all(0 <= number < math.inf for number in row):
        raise source.error(f"expected [{', '.join(columns)}] as numbers from 0 on", at)
    return row
