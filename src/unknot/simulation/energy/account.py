"""Energy of a run: events of its measuring window times what each costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats, Ints
from unknot._base.quantities import Unit
from unknot.simulation.energy.geometry import AT_BEGIN, AT_END, PARTS, Costs, Geometry

Milliwatts = Annotated[float, Unit("mW", "mW")]
PerBit = Annotated[float, Unit("pJ/bit", "pJ/bit")]
SquareMillimetres = Annotated[float, Unit("mm²", "mm²")]

OF_PART = {
    "buffer": ("buffer_write", "buffer_read"),
    "crossbar": ("crossbar_in", "crossbar_out", "switch_allocation"),
    "output": ("output", "vc_allocation"),
    "link": ("link",),
}
"""Events of each part; allocations are with what they lead to."""


@dataclass(frozen=True)
class EnergyPart:
    """What the buffers, crossbars, outputs or links of a run take.

    Attributes
    ----------
    name : str
        ``buffer``, ``crossbar``, with the allocation of the switch; ``output``, with that of VCs; ``link``.
    dynamic_mw, static_mw : float
        Power by events, and by leakage and clocks.
    area_mm2 : float or None
        None: the technology has none.
    """

    name: str
    dynamic_mw: Milliwatts
    static_mw: Milliwatts
    area_mm2: SquareMillimetres | None


@dataclass(frozen=True)
class EnergyClass:
    """What the flits of a traffic class take.

    Attributes
    ----------
    name : str
    dynamic_mw : float
    """

    name: str
    dynamic_mw: Milliwatts


@dataclass(frozen=True, eq=False)
class EnergyRun:
    """Power and area of a run while measuring.

    Attributes
    ----------
    technology : str
    flit_width : float
        Bits of a flit.
    clock_ghz : float
    pj_per_bit, dynamic_pj_per_bit : float or None
        Energy of all, and by events alone, for each bit that reached its terminal; None where none did.
    dynamic_mw, static_mw : float
        Power by events, and by leakage and clocks.
    area_mm2 : float or None
        None: the technology has none.
    parts : tuple of EnergyPart
    classes : tuple of EnergyClass
        Of a run with traffic classes.
    router_dynamic_mw, router_static_mw : float64 array, shape (routers,)
        Power of each router: buffers, crossbar, outputs and allocations.
    channel_dynamic_mw, channel_static_mw : float64 array, shape (channels,)
        Power of each channel. Links of terminals are in the part ``link`` alone.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> options = dict(routing="dimension_order", warmup=100, measure=500)
    >>> design = "45nm, flit_width=64, clock=1, channel_length=1, terminal_length=0.5"
    >>> energy = simulate("ring(4)", 0.1, energy=design, **options).energy
    >>> [part.name for part in energy.parts], energy.router_static_mw.shape
    (['buffer', 'crossbar', 'output', 'link'], (4,))
    """

    technology: str
    flit_width: float
    clock_ghz: float
    pj_per_bit: PerBit | None
    dynamic_pj_per_bit: PerBit | None
    dynamic_mw: Milliwatts
    static_mw: Milliwatts
    area_mm2: SquareMillimetres | None
    parts: tuple[EnergyPart, ...]
    classes: tuple[EnergyClass, ...]
    router_dynamic_mw: Floats
    router_static_mw: Floats
    channel_dynamic_mw: Floats
    channel_static_mw: Floats


@dataclass(frozen=True, eq=False)
class Meter:
    """What the events of a run cost.

    Attributes
    ----------
    technology : str
    costs : Costs
    geometry : Geometry
    channels : int
        Links that are channels.
    names : sequence of str
        Of the traffic classes.
    """

    technology: str
    costs: Costs
    geometry: Geometry
    channels: int
    names: Sequence[str]

    def read(self, flits: Ints, headers: Ints, cycles: int, delivered: int) -> EnergyRun:
        """Return the energy of some cycles.

        Parameters
        ----------
        flits, headers : int64 array, shape (classes, links)
            Flits sent into each link, and headers with a VC of each link.
        delivered : int
            Flits at their terminals.
        """
        watts = self.geometry.clock / max(1, cycles)  # picojoules in all these cycles as milliwatts
        energy = {name: watts * each for name, each in self._energies(flits, headers).items()}
        by_link = {name: each.sum(axis=0) for name, each in energy.items()}
        power, area = self.costs.power, self.costs.area
        parts = tuple(
            EnergyPart(
                part,
                float(sum(by_link[event].sum() for event in OF_PART[part])),
                float(power[part].sum()),
                None if area is None else float(area[part].sum()),
            )
            for part in PARTS
        )
        dynamic, static = sum(part.dynamic_mw for part in parts), sum(part.static_mw for part in parts)
        bits = delivered * self.geometry.flit_width * watts
        begins, ends = self.geometry.begins, self.geometry.ends
        in_routers = self._by_router(sum(by_link[name] for name in AT_END), ends)
        in_routers += self._by_router(sum(by_link[name] for name in AT_BEGIN), begins)
        return EnergyRun(
            technology=self.technology,
            flit_width=self.geometry.flit_width,
            clock_ghz=self.geometry.clock,
            pj_per_bit=(dynamic + static) / bits if bits else None,
            dynamic_pj_per_bit=dynamic / bits if bits else None,
            dynamic_mw=dynamic,
            static_mw=static,
            area_mm2=None if area is None else float(sum(each.sum() for each in area.values())),
            parts=parts,
            classes=tuple(
                EnergyClass(name, float(sum(each[k].sum() for each in energy.values())))
                for k, name in enumerate(self.names)
            ),
            router_dynamic_mw=in_routers,
            router_static_mw=power["crossbar"] + power["output"] + self._by_router(power["buffer"], ends),
            channel_dynamic_mw=by_link["link"][: self.channels],
            channel_static_mw=power["link"][: self.channels],
        )

    def _energies(self, flits: Ints, headers: Ints) -> dict[str, npt.NDArray[np.float64]]:
        """Picojoules of each class on each link, or in the router at its end or beginning, by event."""
        # What is read from a buffer crosses the switch: each router reads as many flits as it sends, shared out
        # to its buffers as flits came into them.
        into, out = (
            np.stack([self._by_router(row, at) for row in flits]) for at in (self.geometry.ends, self.geometry.begins)
        )
        share = np.divide(out, into, out=np.zeros_like(out), where=into > 0)
        read = flits * np.where(self.geometry.ends >= 0, share[:, self.geometry.ends], 0.0)
        events = {"buffer_read": read, "crossbar_in": read, "vc_allocation": headers}
        return {name: events.get(name, flits) * cost for name, cost in self.costs.energy.items()}

    def _by_router(self, each: Floats | Ints, routers: Ints) -> Floats:
        """Sums over the links of each router."""
        there = routers >= 0
        sums = np.bincount(routers[there], weights=each[there], minlength=self.geometry.inputs.size)
        return np.asarray(sums, dtype=np.float64)
