"""Technology files of Unknot: energies of events, leakage and measures with their units, in TOML."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.toml_places import TEXT, EntryError, KeyPath, Reader, Toml, record
from unknot.simulation.energy.geometry import Costs, Geometry
from unknot.simulation.energy.quantities import quantity

UNITS = {
    "buffer_write": "pJ/bit",
    "buffer_read": "pJ/bit",
    "crossbar": "pJ/bit/mm",
    "output": "pJ/bit",
    "switch_allocation": "pJ",
    "vc_allocation": "pJ",
    "link": "pJ/bit/mm",
    "buffer_leakage": "mW/bit",
    "crossbar_leakage": "mW/mm2",
    "leakage": "mW/mm2",
    "output_clock": "pJ/bit",
    "link_clock": "pJ/bit/mm",
    "buffer_area": "mm2/bit",
    "crossbar_pitch": "mm/bit",
    "output_area": "mm2/bit",
    "link_area": "mm2/bit/mm",
}
"""Keys that a technology file must have, with their units; of clocks the energy of a cycle."""
DESIGN = {
    "clock": "GHz",
    "flit_width": "bit",
    "pitch": "mm",
    "channel_length": "mm",
    "cycle_length": "mm",
    "terminal_length": "mm",
}
"""Options of a design with their units, which a file may have too."""


@dataclass(frozen=True)
class OwnTechnology:
    """A technology as a file of Unknot gives it.

    Attributes
    ----------
    name, node, source : str
        Its file, the process, and who published its figures.
    numbers : tuple of (str, float)
        Its other keys, in the units of `UNITS` and `DESIGN`.
    """

    name: str
    node: str
    source: str
    numbers: tuple[tuple[str, float], ...]

    @property
    def defaults(self) -> dict[str, float]:
        return {key: number for key, number in self.numbers if key in DESIGN}

    def costs(self, geometry: Geometry) -> Costs:
        """Return what the parts of a network cost.

        A buffer costs by its bits, a flit in the crossbar by the wires along a row and a column of crosspoints, and
        a link by its bits and length. Crossbars, outputs and links leak by their area.
        """
        of, bits, wide = dict(self.numbers), geometry.flit_width, geometry.width
        across = geometry.inputs * bits * of["crossbar_pitch"], geometry.outputs * bits * of["crossbar_pitch"]
        stored = geometry.vcs * geometry.depth * bits
        inside, outside = geometry.ends >= 0, geometry.begins >= 0
        area = {
            "buffer": stored * of["buffer_area"],
            "crossbar": across[0] * across[1],
            "output": geometry.outputs * bits * of["output_area"],
            "link": wide * geometry.length * of["link_area"],
        }
        power: dict[str, Any] = {part: of["leakage"] * taken for part, taken in area.items()}
        power["crossbar"] = of["crossbar_leakage"] * area["crossbar"]
        power["buffer"] = stored * of["buffer_leakage"]
        power["output"] = power["output"] + geometry.clock * geometry.outputs * bits * of["output_clock"]
        power["link"] = power["link"] + geometry.clock * wide * geometry.length * of["link_clock"]
        energy = {
            "buffer_write": inside * bits * of["buffer_write"],
            "buffer_read": inside * bits * of["buffer_read"],
            "crossbar_in": inside * bits * of["crossbar"] * across[1][geometry.ends],
            "crossbar_out": outside * bits * of["crossbar"] * across[0][geometry.begins],
            "output": outside * bits * of["output"],
            "switch_allocation": outside * of["switch_allocation"],
            "vc_allocation": outside * of["vc_allocation"],
            "link": bits * geometry.length * of["link"],
        }
        return Costs(energy, power, area)


def read_own(text: str, where: str | Path) -> OwnTechnology:
    """Read a technology file of Unknot.

    Raises
    ------
    TextError
        At a key that is unknown or missing, or whose number has another unit or makes no sense.

    Notes
    -----
    - `buffer_write`, `buffer_read` (pJ/bit), `buffer_leakage` (mW/bit), `buffer_area` (mm2/bit): buffers of VCs ×
      depth × width bits
    - `crossbar` (pJ/bit/mm): wires of a row and a column
    - `crossbar_pitch` (mm/bit), `crossbar_leakage` (mW/mm2): with ports and width the lengths and the area
    - `output` (pJ/bit), `output_clock` (pJ/bit, each cycle), `output_area` (mm2/bit): registers of outputs
    - `switch_allocation`, `vc_allocation` (pJ): of a flit, of a header
    - `link` (pJ/bit/mm), `link_clock` (pJ/bit/mm, each cycle), `link_area` (mm2/bit/mm): links
    - `leakage` (mW/mm2): of outputs and links
    - `node`, `source`: texts on where the figures come from
    """
    readers: dict[str, Reader] = {"node": TEXT, "source": TEXT}
    readers |= {key: partial(_read, unit) for key, unit in (UNITS | DESIGN).items()}
    with Toml(text, where) as toml:
        entries = record(readers, "node", "source", *UNITS)(toml.document, ())
    return OwnTechnology(Path(where).stem, entries.pop("node"), entries.pop("source"), tuple(entries.items()))


def _read(unit: str, entry: object, path: KeyPath) -> float:
    try:
        return quantity(entry, str(path[-1]), unit)
    except UnknotError as error:
        raise EntryError(str(error), path) from None
