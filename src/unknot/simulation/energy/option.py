"""The option `energy` of runs: a technology, and the widths, lengths and clock of a design."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.arrays import Floats
from unknot._base.calls import Piece
from unknot._base.errors import SimulationError, UnknotError, near
from unknot._base.input import read_text
from unknot._base.numbers import is_number
from unknot.network import Network
from unknot.simulation.energy.account import Meter
from unknot.simulation.energy.gates import read_gates
from unknot.simulation.energy.geometry import Technology, geometry_of
from unknot.simulation.energy.noxim import read_noxim
from unknot.simulation.energy.own import DESIGN as UNITS
from unknot.simulation.energy.own import read_own
from unknot.simulation.energy.quantities import quantity

if TYPE_CHECKING:
    from unknot.simulation.run.scenario import Scenario

LENGTHS = ("channel_length", "pitch", "cycle_length")
"""Options of which one says how long channels are."""
SHIPPED = Path(__file__).parent / "technologies"
"""Folder of technologies that are taken by their names."""


@dataclass(frozen=True)
class Energy:
    """A technology and a design, by which the energy of a run is computed.

    Parameters
    ----------
    technology : str, path or technology
        File of a technology: of Unknot (TOML), of BookSim (``tech_file``) or of Noxim (``power.yaml``); or ``45nm``,
        the name of a technology within Unknot.
    flit_width : float
        Bits of a flit. A channel of bandwidth 1/2 has half as many wires.
    clock : float
        Cycles in a nanosecond, in GHz.
    channel_length : float or sequence of float
        Millimetres of every channel, or of each.
    pitch : float
        Millimetres between two positions next to each other: channels are as long as the coordinates of their routers
        are apart, added up over the dimensions. A channel around a torus crosses the torus.
    cycle_length : float
        Millimetres for each cycle of a channel's latency.
    terminal_length : float
        Millimetres of the links of terminals.

    Raises
    ------
    UnknotError
        If the file cannot be read, or a number is none above 0.

    Notes
    -----
    The file may have options too. Lengths need `channel_length`, `pitch` or `cycle_length`. Nothing is assumed: a
    missing number is an error.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> design = Energy("45nm", flit_width=128, clock=2.0, pitch=1.5, terminal_length=0.5)
    >>> run = simulate("mesh(4, 4)", 0.1, routing="dimension_order", energy=design, warmup=100, measure=500)
    >>> run.energy.dynamic_mw > 0, run.energy.static_mw > 0
    (True, True)
    """

    technology: Any
    flit_width: float | None = None
    clock: float | None = None
    channel_length: float | Sequence[float] | None = None
    pitch: float | None = None
    cycle_length: float | None = None
    terminal_length: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.technology, (str, Path)):
            object.__setattr__(self, "technology", read_technology(self.technology))
        for name in UNITS:
            given = getattr(self, name)
            several = (
                name == "channel_length" and isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str)
            )
            for number in given if several else [given]:
                if given is not None and not (is_number(number) and 0 < number < np.inf):
                    raise SimulationError(f"energy: {name} is a number above 0, in {UNITS[name]}, got {number!r}")
            if several:
                object.__setattr__(self, name, tuple(float(number) for number in given))
        if len(given := [name for name in LENGTHS if getattr(self, name) is not None]) > 1:
            raise SimulationError(f"energy: {given[0]} and {given[1]} both say how long channels are; give one")

    def number(self, key: str) -> float:
        """The value of an option, or of the file.

        Raises
        ------
        SimulationError
            If neither has it.
        """
        own = getattr(self, key)
        number = self.technology.defaults.get(key) if own is None else own
        if number is None:
            raise SimulationError(
                f"energy: {key} is missing: neither {self.technology.name} nor an option says it, and nothing is "
                f'assumed; such as "{self.technology.name}, {key}=1 {UNITS[key]}"'
            )
        return float(number)

    def meter(self, scenario: Scenario) -> Meter:
        """Return the meter of runs of a scenario.

        Raises
        ------
        SimulationError
            If a width, a length or the clock is missing.
        """
        network, classes = scenario.simulated.network, scenario.traffic.classes
        geometry = geometry_of(scenario, *self.require(network))
        names = tuple(one.name or str(k) for k, one in enumerate(classes))
        costs = self.technology.costs(geometry)
        return Meter(self.technology.name, costs, geometry, network.num_channels, names)

    def require(self, network: Network) -> tuple[float, float, Floats, float]:
        """Return the width of a flit, the clock, and the lengths of channels and of links of terminals.

        Raises
        ------
        SimulationError
            If any is missing.
        """
        clock, bits = self.number("clock"), self.number("flit_width")
        return bits, clock, self._lengths(network), self.number("terminal_length")

    def _lengths(self, network: Network) -> Floats:
        """Millimetres of each channel."""
        own = [name for name in LENGTHS if getattr(self, name) is not None]
        chosen = next(iter(own or [name for name in LENGTHS if name in self.technology.defaults]), None)
        if chosen is None:
            hint = " or pitch, by coordinates of routers" if network.coordinates is not None else ""
            raise SimulationError(
                f"energy: nobody says how long the channels of {network.name} are, and nothing is assumed: give "
                f"channel_length, cycle_length{hint}, in mm"
            )
        if chosen == "pitch":
            if network.coordinates is None:
                raise SimulationError(
                    f"energy: pitch takes coordinates of routers, and {network.name} has none: give channel_length "
                    "or cycle_length"
                )
            apart = np.abs(network.coordinates[network.source] - network.coordinates[network.target]).sum(axis=1)
            if (apart == 0).any():
                name = network.channel_name(int(np.argmin(apart)))
                raise SimulationError(
                    f"energy: channel {name} of {network.name} joins routers in one place: give "
                    "channel_length or cycle_length"
                )
            return np.asarray(self.number("pitch") * apart, dtype=np.float64)
        if chosen == "cycle_length":
            return np.asarray(self.number("cycle_length") * network.latency, dtype=np.float64)
        if isinstance(self.channel_length, tuple):
            if len(self.channel_length) != network.num_channels:
                raise SimulationError(
                    f"energy: channel_length has {len(self.channel_length)} lengths, and {network.name} has "
                    f"{network.num_channels} channels"
                )
            return np.array(self.channel_length)
        return np.full(network.num_channels, self.number("channel_length"))


def energy_of(
    given: Energy | str | Path | None, where: str = "<energy>", *, folder: str | Path = ".", confined: bool = False
) -> Energy | None:
    """Read an energy from a text, as ``45nm, flit_width=128 bit, pitch=2 mm``; an `Energy` stays as before.

    Parameters
    ----------
    folder : path
        Start of a relative path of a technology file.
    confined : bool
        Whether the file must be within the folder.

    Raises
    ------
    TextError
        At a wrong place of the text or of the file.
    """
    if given is None or isinstance(given, Energy):
        return given
    if not isinstance(given, (str, Path)):
        raise UnknotError(f'energy is a text such as "45nm, flit_width=128, clock=1, pitch=1.5", got {given!r}')
    whole, options = Piece(str(given), where), dict[str, Any]()
    first = re.search(r",\s*[\w-]+\s*=", whole.text)
    named = whole.part(0, first.start() if first else None)
    for piece in whole.part(first.start() + 1).split(",") if first else ():
        key, _, text = (one.strip() for one in piece.text.partition("="))
        key = key.replace("-", "_")
        if key not in UNITS:
            raise piece.error(f"unknown option {key!r}; {near(key, UNITS)}")
        if key in options:
            raise piece.error(f"{key} is given twice")
        try:
            options[key] = quantity(text, key, UNITS[key], bare=True)
        except UnknotError as error:
            raise piece.error(str(error)) from None
    technology = named.read(lambda: read_technology(named.text, folder, confined=confined))
    return whole.read(lambda: Energy(technology, **options))


def read_technology(path: str | Path, folder: str | Path = ".", *, confined: bool = False) -> Technology:
    """Read a technology file of any of the three forms, or a technology of Unknot by its name.

    Parameters
    ----------
    folder, confined : path, bool
        As `energy_of` takes them.

    Raises
    ------
    UnknotError
        If the file is missing, or of no form.
    """
    known = {file.stem: file for file in SHIPPED.glob("*.toml")}
    file = known.get(str(path), Path(folder, path))
    if str(path) not in known and confined and not file.resolve().is_relative_to(Path(folder).resolve()):
        raise UnknotError(f"{str(path)!r} is outside the folder of this file; allow it with --outside-files")
    if not file.exists():
        raise UnknotError(f"{str(path)!r} is no file and no technology; {near(str(path), known)}")
    text = read_text(file, what="a technology file is text in UTF-8")
    if re.search(r"^\s*Energy\s*:", text, re.M):
        return read_noxim(text, file)
    if re.search(r"^\s*(?:Vdd|Cw_cpl|LAMBDA|MetalPitch|H_INVD2)\s*=", text, re.M):
        return read_gates(text, file)
    return read_own(text, file)
