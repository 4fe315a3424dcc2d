"""The network in cycle 0 of a run, and the threads that simulate it."""

from __future__ import annotations

from unknot._base.errors import SimulationError
from unknot._base.numbers import is_number
from unknot._base.threads import threads_of
from unknot.network import Network
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import sources_of
from unknot.simulation.run.scenario import Measurement, Scenario, check_load

ROUTERS, FLITS = 1024, 256
"""Routers, or flits created in a cycle, that keep a thread busy; with fewer it waits for the others."""


def engine_of(scenario: Scenario, measurement: Measurement, threads: int | None = 1) -> Engine:
    """Return the network in cycle 0, as an engine that keeps the figures that a measurement wants.

    Raises
    ------
    SimulationError
        If the traffic cannot be had on the relation, or options do not go together.
    """
    network, subnets = scenario.relation.network, scenario.traffic.subnets
    width = scenario.router.terminal_width
    several = bool(scenario.traffic.classes)
    count = run_threads(threads, network, scenario.load / width, alone=several or bool(scenario.faults))
    if subnets > 1 and scenario.control.pools:
        raise SimulationError(
            f"{scenario.control.name} has pools of the VCs of one network, so it goes with one subnet only"
        )
    if width > 1 and measurement.by_pair:
        raise SimulationError(f"router: a terminal_width of {width} does not go with by_pair")
    if several and count > 1:
        raise SimulationError(f"classes: runs with traffic classes have one thread, got {count}")
    if subnets > 1 and (measurement.by_pair or measurement.interval is not None):
        raise SimulationError("subnets: several go with neither by_pair nor interval")
    if not network.num_terminals:
        raise SimulationError(f"network {network.name!r} has no terminals, so nothing can be sent")
    sources = sources_of(scenario.relation, scenario.traffic, scenario.load, width)
    engine = Engine(scenario, sources, threads=count, interval=measurement.interval)
    if measurement.by_pair:
        engine.keep_pairs()
    if (energy := measurement.given_energy) is not None:
        engine.keep_events()
        engine.meter = energy.meter(scenario)
    return engine


def run_threads(threads: int | None, network: Network, load: float, *, alone: bool = False) -> int:
    """Number of threads of a run: as given, else one for a run `alone`, else as many as have work."""
    if not is_number(load) or load < 0:
        check_load(load)
    useful = 1 if alone else max(network.num_routers // ROUTERS, int(load * network.num_terminals) // FLITS)
    return threads_of(threads, "simulate", wrong=SimulationError, useful=useful)
