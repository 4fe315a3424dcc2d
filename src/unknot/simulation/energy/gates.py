"""Technology files of BookSim: a process by its gates and wires, from which circuits are composed.

Repeated wires with registers, buffers of SRAM, crossbars of tri-state gates: James Balfour, William J. Dally: Design
tradeoffs for tiled CMP on-chip networks. ICS 2006. Of capacitance C switched at the supply V an event takes C V².
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.errors import SimulationError, Source, UnknotError, near
from unknot.simulation.energy.geometry import Costs, Geometry

KEYS = (
    "H_INVD2", "W_INVD2", "H_DFQD1", "W_DFQD1", "H_ND2D1", "W_ND2D1", "H_SRAM", "W_SRAM", "Vdd", "R", "IoffSRAM",
    "IoffP", "IoffN", "Cg_pwr", "Cd_pwr", "Cgdl", "Cg", "Cd", "LAMBDA", "MetalPitch", "Rw", "Cw_gnd", "Cw_cpl",
    "wire_length",
)  # fmt: skip
"""Keys of such a file: heights and widths of cells in pitches; volts; ohms, amperes and farads a micrometre of gate;
a pitch in millimetres; ohms and farads a millimetre of wire; millimetres that a flit goes in a cycle."""
_UNUSED = ("H_ND2D1", "W_ND2D1")
_LINE = re.compile(r"\s*(?:(\w+)\s*=\s*([^;]*?)\s*;?)?\s*(?://.*)?")
_PJ, _MW = 1e12, 1e3
_FANOUT = 5 / 16
"""Of a chain of drivers, each four times as large as the one before: 1/4 + 1/16 of the load that it drives."""


@dataclass(frozen=True)
class GateTechnology:
    """A process as a technology file of BookSim gives it.

    Attributes
    ----------
    name : str
    numbers : tuple of (str, float)
        Its keys.
    faithful : bool
        Whether circuits are added up as BookSim does where that is known to be wrong: address wires of buffers as a
        product of capacitances, and leakage of crossbars as a current.
    """

    name: str
    numbers: tuple[tuple[str, float], ...]
    faithful: bool = False

    @cached_property
    def of(self) -> dict[str, float]:
        """The keys, and capacitances derived from them.

        ``wire`` is the capacitance of a millimetre of wire; ``gate`` and ``drain`` belong to an inverter of 1 µm with
        a p transistor of 2 µm, ``slow_gate`` and ``slow_drain`` to delays; ``chain`` loads a chain of drivers.
        """
        of = dict(self.numbers)
        of |= {
            "wire": 2 * (of["Cw_cpl"] + of["Cw_gnd"]),
            "gate": 3 * of["Cg_pwr"],
            "drain": 3 * of["Cd_pwr"],
            "slow_gate": 3 * (of["Cg"] + of["Cgdl"]),
            "slow_drain": 3 * of["Cd"],
            "off": 0.5 * (of["IoffN"] + 2 * of["IoffP"]),
            "tracks": 2 * of["MetalPitch"],  # from a wire to the next: one between two is a shield
        }
        of["chain"] = _FANOUT * (1 + of["slow_drain"] / of["slow_gate"])
        of["power_chain"] = _FANOUT * (1 + of["drain"] / of["gate"])
        # Twenty times what an inverter takes to drive four others.
        of["cycle"] = 20 * of["R"] * (3 * of["Cd"] + 12 * of["Cg"] + 12 * of["Cgdl"])
        return of

    @property
    def defaults(self) -> dict[str, float]:
        length = self.of["wire_length"]
        return {"clock": 1e-9 / self.of["cycle"], "cycle_length": length, "terminal_length": length}

    def costs(self, geometry: Geometry) -> Costs:
        """Return what the parts of a network cost."""
        bits, inside, outside = geometry.flit_width, geometry.ends >= 0, geometry.begins >= 0
        into, out = geometry.places
        depth = np.maximum(geometry.vcs * geometry.depth, 1.0)
        row, column, ends, control, leak = self._crossbar(bits, geometry.inputs, geometry.outputs)
        # Inputs in the first half of the rows drive half of a column, and outputs in the first half of a row.
        entering = column[geometry.ends] * np.where(into < geometry.inputs[geometry.ends] / 2, 0.5, 1.0)
        leaving = row[geometry.begins] * np.where(out < geometry.outputs[geometry.begins] / 2, 0.5, 1.0)
        wordline, read, write, cell = self._buffer(bits, depth)
        flit, leakage, clock, link_area = self._links(geometry)
        of, joule = self.of, _PJ * self.of["Vdd"] ** 2
        energy = {
            "buffer_write": inside * (wordline + write) * joule,
            "buffer_read": inside * (wordline + read) * joule,
            "crossbar_in": inside * entering * joule,
            "crossbar_out": outside * (leaving + ends[geometry.begins]) * joule,
            "output": outside * (self._register(bits) + self._enable(bits)) * joule,
            "switch_allocation": outside * control[geometry.begins] * joule,
            "vc_allocation": np.zeros(inside.size),
            "link": flit * joule,
        }
        clocked = joule * geometry.clock
        power = {
            "buffer": np.where(inside, depth * bits * of["IoffSRAM"] * of["Vdd"] * _MW, 0.0),
            "crossbar": leak * _MW,
            "output": geometry.outputs * self._clock(1.0, bits) * clocked,
            "link": leakage * _MW + clock * clocked,
        }
        pitches = of["MetalPitch"] ** 2
        area = {
            "buffer": np.where(inside, depth * bits * cell, 0.0),
            "crossbar": geometry.inputs * geometry.outputs * (bits * of["tracks"]) ** 2,
            "output": geometry.outputs * bits * of["W_DFQD1"] * of["H_DFQD1"] * pitches,
            "link": link_area,
        }
        return Costs(energy, power, area)

    def _links(self, geometry: Geometry) -> tuple[Floats, Floats, Floats, Floats]:
        """Capacitance that a flit switches in each link, its leakage in watts, its clocked capacitance, its area."""
        of, wide, rows = self.of, geometry.width, []
        lengths, place = np.unique(geometry.length, return_inverse=True)
        for length in lengths.tolist():
            size, segments, stages = self.repeaters(length)
            many = stages * segments
            wire = 0.5 * (many * size * (of["gate"] + of["drain"]) + of["wire"] * length)
            cells = stages * of["W_DFQD1"] * of["H_DFQD1"] + many * (of["W_INVD2"] + 3 * size) * of["H_INVD2"]
            rows.append([wire, many * size * of["off"] * of["Vdd"], stages, cells * of["MetalPitch"] ** 2])
        wire, leak, stages, area = np.array(rows)[place].T
        flit = geometry.flit_width * wire + stages * self._register(geometry.flit_width)
        return flit, leak * wide, self._clock(stages, wide), area * wide

    def repeaters(self, length: float) -> tuple[float, float, float]:
        """Size of the repeaters of a wire, repeaters in each stage, and stages: those of the least power × stages⁴
        whose stages take at most 0.8 of a cycle.

        Raises
        ------
        SimulationError
            If none of up to 39 repeaters in up to 639 stages are fast enough.
        """
        return _repeaters(self, length)

    def _register(self, bits: float) -> float:
        """Capacitance that a register of some bits switches for a flit, half of whose bits change."""
        of = self.of
        latch = 1.6 * (of["gate"] + of["drain"])
        data, clock = latch + 1.6 * 2 / 3 * of["drain"], latch + 1.6 * 2 / 3 * of["Cg_pwr"]
        return bits * (0.5 * data + clock)

    def _clock(self, stages: float | Floats, bits: float | Floats) -> Floats:
        """Capacitance of the clock of registers: of its wires across a bank of repeaters, and of the registers."""
        of = self.of
        wires = bits * of["wire"] * of["H_DFQD1"] * of["MetalPitch"]
        return np.asarray(stages * (1 + of["chain"]) * (wires + bits * of["slow_gate"]))

    def _enable(self, bits: float) -> float:
        """Capacitance of the enabling wire of an output."""
        of = self.of
        load = bits * (of["tracks"] * of["wire"] + of["gate"])
        return (1 + _FANOUT) * (1 + of["drain"] / of["gate"]) * load

    def _buffer(self, bits: float, depth: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Capacitances of a word line with what precharges and decodes, of reading and of writing; area of a bit."""
        of, pitch = self.of, self.of["MetalPitch"]
        height, ratio = 8 * pitch * depth, 1 + of["drain"] / of["gate"]
        word = bits * (8 * of["LAMBDA"] * of["Cg_pwr"] + 6 * pitch * of["wire"])
        address = of["wire"] * height + of["gate"]
        if self.faithful:
            address = of["wire"] * (8 * pitch + depth) * of["gate"]
        across = 1.25 * ratio * (2 * of["wire"] * 6 * bits * pitch + 5 * bits * of["gate"])
        lines = across + (1 + of["power_chain"]) * (2 * address + word)
        bitline = bits * depth * (4 * of["LAMBDA"] * of["Cd_pwr"] + 8 * pitch * of["wire"])
        inner = 0.0 if self.faithful else bits * (of["drain"] + of["gate"])
        return lines, bitline, bitline + inner, of["H_SRAM"] * of["W_SRAM"] * pitch**2

    def _crossbar(
        self, bits: float, inputs: Floats | Ints, outputs: Floats | Ints
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Capacitance that a flit switches in a row, a column, and at their ends, and a grant; leakage in watts."""
        of, ratio = self.of, self.of["slow_drain"] / self.of["slow_gate"]
        across, down = (ports * bits * of["tracks"] * of["wire"] for ports in (outputs, inputs))
        point, driver = down / 16, across / 16  # gates of a crosspoint and of an input, by the wire that they drive
        row, column = across + outputs * point, down + inputs * 4 * point * ratio
        ends = of["chain"] * (0.5 * across + driver) + driver + 4 * driver * ratio
        grant = (1 + of["chain"]) * (_FANOUT * bits * across + across + down)
        gates = bits * (inputs * outputs * point + (inputs + outputs) * driver) / of["gate"]
        leak = np.asarray(of["off"] * (1.0 if self.faithful else of["Vdd"]) * gates)
        return 0.5 * bits * row, 0.5 * bits * column, 0.5 * bits * ends, np.asarray(grant), leak


@lru_cache(maxsize=256)
def _repeaters(process: GateTechnology, length: float) -> tuple[float, float, float]:
    of, bits, busy = process.of, 64, 0.2
    sizes = np.cumsum([1.0, *([0.1] * 89)])
    for most in (40, 640):
        size, segments, stages = np.meshgrid(sizes, np.arange(1.0, 40.0), np.arange(1.0, most), indexing="ij")
        part = length / (segments * stages)
        gates = of["R"] * (of["slow_drain"] + of["slow_gate"])
        wire = (of["R"] / size * of["wire"] + size * of["Rw"] * of["slow_gate"]) * part
        delay = segments * (gates + wire + 0.5 * of["Rw"] * of["wire"] * part**2)
        switched = stages * segments * size * (of["gate"] + of["drain"]) + of["wire"] * length
        power = busy * (bits * 0.5 * switched + stages * process._register(bits))
        metric = np.where(delay < 0.8 * of["cycle"], stages**4 * power, np.inf)
        best = np.unravel_index(np.argmin(metric), metric.shape)
        if np.isfinite(metric[best]):
            return float(size[best]), float(segments[best]), float(stages[best])
    raise SimulationError(
        f"{process.name}: no repeaters drive a link of {length:g} mm in {most - 1} stages; its lengths follow from "
        "channel_length, cycle_length or terminal_length"
    )


def read_gates(text: str, where: str | Path) -> GateTechnology:
    """Read a technology file of BookSim.

    Raises
    ------
    TextError
        At a key that is unknown or missing, or given twice, and at what is no number above 0.
    """
    source, numbers, at = Source(text, where), dict[str, float](), 0
    for line in text.split("\n"):
        match, begin = _LINE.fullmatch(line.rstrip("\r")), at
        at += len(line) + 1
        if match is None:
            raise source.error("expected KEY = NUMBER;", begin + len(line) - len(line.lstrip()))
        key, number = match.groups()
        if key is None:
            continue
        if key not in KEYS:
            raise source.error(f"unknown key {key!r}; {near(key, KEYS)}", begin + match.start(1))
        if key in numbers:
            raise source.error(f"{key} is given twice", begin + match.start(1))
        try:
            numbers[key] = float(number)
        except ValueError:
            numbers[key] = math.nan
        if not 0 < numbers[key] < math.inf:
            raise source.error(f"{key} is a number above 0, got {number!r}", begin + match.start(2))
    if missing := [key for key in KEYS if key not in numbers and key not in _UNUSED]:
        raise UnknotError(f"{where}: {missing[0]} is missing, and nothing can stand for it")
    return GateTechnology(Path(where).stem, tuple(numbers.items()))
