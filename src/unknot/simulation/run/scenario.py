"""Descriptions of a run: what is simulated, and how it is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.numbers import is_number, require_whole
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique
from unknot.routing.flow_controls.named import flow_given
from unknot.routing.relation import Relation
from unknot.routing.subnets import in_subnets, with_ports
from unknot.simulation.energy.option import Energy, energy_of
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.faults.fault import Fault, fault_of
from unknot.simulation.run.admission import require_fit
from unknot.traffic import pattern
from unknot.traffic.workload import Traffic, mean_length

TRAFFIC = Traffic()
"""The workload where none is given."""
MOST_CYCLES = 2**40
"""Most cycles of a part of a run."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """A relation under traffic at a load, with its routers: the input of a run.

    Parameters
    ----------
    relation : Relation
    load : float
        Offered flits per terminal and cycle, from 0 to a packet in each cycle at each port (`Router.terminal_width`).
    traffic : Traffic
    switching : str
        A technique, or a call that makes a flow control of the relation; a technique in the end.
    buffer_depth : int
        Flits per VC.
    router : Router
    seed : int
    watchdog : int
        Cycles between two looks of a watchdog that drops packets which stand still; 0: there is none.
    flow : FlowControl or str, optional
        Flow control of the relation, in place of a technique; or a call that makes one, as the command takes it.
    faults : sequence of Fault or str
        Channels and routers that die during the run, and relations that take the place of others; or their texts.

    Raises
    ------
    SimulationError
        If a part makes no sense, or packets do not fit their buffers.
    """

    relation: Relation
    load: float
    traffic: Traffic = TRAFFIC
    switching: str = DEFAULT_SWITCHING
    buffer_depth: int = BUFFER_DEPTH
    router: Router = DEFAULT
    seed: int = 1
    watchdog: int = 0
    flow: FlowControl | str | None = None
    faults: Sequence[Fault | str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.router, Router):
            raise SimulationError(f"router must be a Router, such as Router(routing_delay=0), got {self.router!r}")
        check_load(self.load, self.router.terminal_width * _longest_mean(self.traffic))
        object.__setattr__(self, "load", float(self.load))
        check_numbers(self.traffic.longest, self.buffer_depth, self.seed)
        fitting = max(1, self.buffer_depth // self.traffic.longest)
        alike, flow = flow_given(self.relation, self.switching, self.flow, packets=fitting)
        if flow is not None:
            require_fit(flow, self.buffer_depth, self.traffic.longest)
        object.__setattr__(self, "switching", alike)
        object.__setattr__(self, "flow", flow)
        check_buffers(self.traffic.longest, self.switching, self.buffer_depth)
        require_whole("watchdog", self.watchdog, 0, MOST_CYCLES, unit="cycles", error=SimulationError)
        if self.watchdog and (not self.control.whole or self.traffic.classes):
            raise SimulationError(
                "a watchdog drops packets that are whole in a buffer, so it goes with saf and vct, without classes"
            )
        object.__setattr__(self, "faults", self._read_faults())
        own_slots = self.router.own_slots
        if own_slots and (self.control.enters in ("packet", "empty or packet") or own_slots > self.buffer_depth):
            raise SimulationError(
                "router: own_slots takes wormhole or wormhole-nonatomic, and is at most buffer_depth; got "
                f"{self.switching}, {own_slots} of {self.buffer_depth}"
            )
        if not isinstance(self.traffic.pattern, str):
            # Made once: a function may have another answer when it is called again.
            resolved = replace(self.traffic, pattern=pattern(self.relation.network, self.traffic.pattern))
            object.__setattr__(self, "traffic", resolved)

    def _read_faults(self) -> tuple[Fault, ...]:
        """Return the faults; refuse them where packets cannot be lost."""
        texts = (self.faults,) if isinstance(self.faults, (str, Fault)) else self.faults
        faults = [fault_of(one, self.relation.network) if isinstance(one, str) else one for one in texts]
        for what, is_given in (
            (f"the flow control {self.control.name}", self.given is not None),
            ("a watchdog", self.watchdog > 0),
            ("traffic classes", bool(self.traffic.classes)),
            ("several subnets", self.traffic.subnets > 1),
            (f"a terminal_width of {self.router.terminal_width}", self.router.terminal_width > 1),
        ):
            if faults and is_given:
                raise SimulationError(
                    "faults lose packets of saf, vct, wormhole and wormhole-nonatomic with one source at each "
                    f"terminal; they do not go with {what}"
                )
        return tuple(sorted(faults, key=lambda fault: fault.cycle))

    @property
    def given(self) -> FlowControl | None:
        """The flow control of the relation, if there is any."""
        assert not isinstance(self.flow, str)
        return self.flow

    @property
    def failing(self) -> tuple[Fault, ...]:
        """Its faults, in the order of their cycles."""
        return cast(tuple[Fault, ...], self.faults)

    @property
    def control(self) -> FlowControl:
        """How packets take and give back buffers: the flow control, or that of the switching technique."""
        return self.given or technique(self.switching)

    @property
    def selecting_router(self) -> Router:
        """The router, with the selection function named by the relation unless the router sets its own."""
        return self.router.for_relation(self.simulated)

    @cached_property
    def simulated(self) -> Relation:
        """The relation of all subnets side by side, and of all ports of the terminals."""
        subnets = self.traffic.subnets
        relation = self.relation if subnets == 1 else in_subnets(self.relation, subnets)
        return with_ports(relation, self.router.terminal_width)


@dataclass(frozen=True)
class Measurement:
    """How long a run warms up and is measured, and which figures are kept.

    Parameters
    ----------
    warmup : int, optional
        Cycles before measuring. By default until the mean latency of the packets that arrive has been in balance for
        half of the time (MSER), 64 times the shortest warm-up at most.
    measure : int, optional
        Cycles in which created packets are measured. By default enough for 30,000 packets, between 5,000 and 200,000;
        fewer, from an eighth on, where control variates make the mean latency as well known: packets created, and
        mean hops where choices do not change them, take off the means what chance added. Up to 32 times as many while
        the latencies of successive batches depend on one another, or it is in doubt whether source queues grow
        without end.
    precision : float, optional
        Measure on, up to 256 times as long, until the half-width of the confidence interval of the mean latency is at
        most this part of it; not together with `measure`. Packets created, and mean hops where the routing leaves no
        choice, are then control variates, which take off the mean what chance added.
    interval : int, optional
        Cycles between two points of `Run.series`, which says what happens over time.
    by_pair : bool
        Whether figures are kept for each pair of terminals too: `Run.pairs`.
    energy : Energy, str or path, optional
        Technology by which `Run.energy` is computed, such as ``45nm, flit_width=128, clock=2, pitch=1``.

    Raises
    ------
    SimulationError
        If a number makes no sense.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> short = Measurement(warmup=50, measure=100)
    >>> simulate("mesh(4, 4)", 0.1, routing="dimension_order", measurement=short).measured
    100
    """

    warmup: int | None = None
    measure: int | None = None
    precision: float | None = None
    interval: int | None = None
    by_pair: bool = False
    energy: Energy | str | Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "energy", energy_of(self.energy))
        for name, least in (("warmup", 0), ("measure", 1), ("interval", 1)):
            cycles = getattr(self, name)
            if cycles is not None:
                require_whole(name, cycles, least, MOST_CYCLES, unit="cycles", error=SimulationError)
        if self.precision is not None and (not is_number(self.precision) or not 0 < self.precision < 1):
            raise SimulationError(f"precision must be a number between 0 and 1, such as 0.02, got {self.precision!r}")
        if self.precision is not None and self.measure is not None:
            raise SimulationError("precision chooses how long to measure: give either it or measure")

    @property
    def given_energy(self) -> Energy | None:
        """The energy, which is no text any more."""
        return cast("Energy | None", self.energy)


MEASUREMENT = Measurement()
"""The measurement where none is given."""


def check_load(load: float, most: float = 1.0) -> None:
    """Refuse a load that no terminal can offer, which creates a packet in a cycle at most."""
    if not is_number(load) or not 0 <= load <= most:
        flits = "1 flit" if most == 1 else f"{most:g} flits, a packet in each cycle,"
        raise SimulationError(f"load must be a number from 0 to {flits} per terminal and cycle, got {load!r}")


def _longest_mean(traffic: Traffic) -> float:
    """Return the flits of a packet, or of a message of each class with its reply."""
    if traffic.classes:
        return math.fsum(one.mean_length for one in traffic.classes)
    return mean_length(traffic.lengths)


def check_numbers(packet_length: int, buffer_depth: int, seed: int = 0) -> None:
    """Refuse numbers that no run can have."""
    for name, number, least, most in (
        ("packet_length", packet_length, 1, 1 << 20),
        ("buffer_depth", buffer_depth, 1, 1 << 20),
        ("seed", seed, 0, 2**64 - 1),
    ):
        require_whole(name, number, least, most, error=SimulationError)


def check_buffers(packet_length: int, switching: str, buffer_depth: int) -> None:
    """Refuse packets that do not fit their buffers."""
    if technique(switching).whole and packet_length > buffer_depth:
        raise SimulationError(
            f"a packet of {packet_length} flits does not fit a buffer of {buffer_depth}; {switching} needs "
            f"buffer_depth of at least packet_length: give {packet_length}, or another switching technique such as "
            "wormhole"
        )


def depth_for(switching: str, buffer_depth: int | None, *flits: int) -> int:
    """Flits per VC where none are given: 8, or those of the longest message where the technique needs as many."""
    if buffer_depth is not None:
        return buffer_depth
    whole = [n for n in flits if isinstance(n, (int, np.integer))] if technique(switching).whole else []
    return int(max([BUFFER_DEPTH, *whole]))
