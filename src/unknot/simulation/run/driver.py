"""One simulation from warm-up to the last measured packet."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from unknot._base.progress import Progress, with_bar
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.flow_control.model import FlowControl
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.engine.detector import in_words
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.player import play
from unknot.simulation.run.measurement import Measured, arrivals
from unknot.simulation.run.records import SimulateOptions, records
from unknot.simulation.run.run import ClassRun, PairRun, Run, Series
from unknot.simulation.run.scenario import MEASUREMENT, Measurement, Scenario
from unknot.simulation.run.statistics import mean
from unknot.simulation.run.window import Window
from unknot.traffic import PatternLike, Traffic
from unknot.traffic.workload import PATTERN


@takes_simulated
@with_bar
def simulate(
    relation: Relation,
    load: float,
    *,
    switching: str = DEFAULT_SWITCHING,
    buffer_depth: int = BUFFER_DEPTH,
    router: Router = DEFAULT,
    flow: FlowControl | str | None = None,
    watchdog: int = 0,
    traffic: PatternLike | Traffic = PATTERN,
    measurement: Measurement = MEASUREMENT,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    **fields: Unpack[SimulateOptions],
) -> Run:
    """Simulate a relation, flit by flit.

    Input-queued VC routers with credit flow control; `router` says how long their stages take, which allocators they
    have, and more. Injection and ejection channels have latency 1; an injection port has as many VCs as the widest
    channel, and so has an ejection port, which never stalls but must be allocated. By default routers are as by
    default in BookSim 2, and an empty network gives its latency to the cycle.

    Parameters stand in the groups of the command's help.

    Parameters
    ----------
    load : float
        Offered flits per terminal and cycle. A terminal sends 1, or `Router.terminal_width`, and may create a packet
        in each cycle: a load above 1 saturates it.
    routing : str, optional
        *Network and router.* Name of the routing, where the first argument is a network.
    vcs : int, optional
        VCs per channel; by default at least 4 where the routing can use them.
    switching : str
        The switching technique, ``saf``, ``vct``, ``wormhole`` or ``wormhole-nonatomic``; or a call that makes a flow
        control of this relation, such as ``damq(reserved=1)``. A packet takes the slot of the longest.
    buffer_depth : int
        Flits per VC.
    router : Router
        Pipeline, allocators and buffers of the routers.
    flow : FlowControl or str, optional
        Flow control of this relation, in place of `switching`.
    watchdog : int
        Cycles between two looks of a watchdog in each router, under ``saf`` and ``vct``: a packet that was blocked at
        both is dropped and sent again by its terminal. By default there is none, and a knot of packets ends the run.
    traffic : str, sequence of int, array, callable, Pattern or Traffic
        *Traffic.* As `unknot.traffic.pattern` reads it: ``uniform`` (the terminal itself included where the rule
        serves it), ``uniform_others``, ``transpose``, ``hotspot(3, share=0.1)``, …; a destination for each terminal;
        a matrix of rates; or a whole workload. The busiest terminal offers the load.
    measurement : Measurement
        *Measurement.* How long the run warms up and is measured, and which figures are kept.
    seed : int
        *Execution.* The same design, load and seed give the same run to the last bit.
    threads : int, optional
        Threads inside this one run; by default one for each processor, but only where each has 1,024 routers or 256
        flits created in a cycle, and one with `classes`. Any number gives the same bits.
    progress : callable, optional
        Called with the stage and the cycle reached, see `unknot._base.progress`.
    **fields
        Fields of `Traffic` and `Measurement` by themselves: `packet_length`, `bursts`, `classes`, `subnets`;
        `warmup`, `measure`, `precision`, `interval`, `by_pair`, `energy`; and `faults` of the network, each a `Fault`
        or its text, such as ``2000: (1,1)->(1,2)``: what dies during the run, and routings that take the place of
        others. All routers know of each in its cycle.

    Returns
    -------
    Run
        A deadlock is an answer (`Run.deadlock`), and so is saturation (`Run.stable`).

    Raises
    ------
    SimulationError
        If the point cannot be simulated, such as a negative load or a packet that does not fit its buffer.
    RelationError
        If a packet comes to an input VC without a candidate, or if `flow` does not go with `switching`.

    Examples
    --------
    >>> run = simulate("mesh(4, 4)", 0.2, routing="dimension_order", vcs=2, warmup=100, measure=200)
    >>> run.stable, round(run.latency_mean, 1), round(run.hops_mean, 2)
    (True, 19.7, 2.42)
    """
    workload, measurement = records("simulate", SimulateOptions, fields, traffic, measurement)
    faults = fields.get("faults", ())
    scenario = Scenario(relation, load, workload, switching, buffer_depth, router, seed, watchdog, flow, faults)
    return run_scenario(scenario, measurement, threads=threads, progress=progress)


def run_scenario(
    scenario: Scenario,
    measurement: Measurement | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Run a scenario, the common core of `simulate`, `saturation` and their callers."""
    source = Measured(scenario, measurement or Measurement(), threads)
    engine = source.engine
    engine.advance(engine.now)  # what has to be compiled is compiled now
    play(source, progress=progress)
    # Without a window where a knot came before.
    window = source.window or Window(engine)
    reason = source.reason if engine.deadlock is None else in_words(engine.relation, engine.deadlock, engine.now)
    figures = source.kept
    if "packets" not in figures:
        figures = window.figures() | arrivals(engine) | figures
    relation, faults = scenario.simulated, () if engine.faults is None else engine.faults.figures(engine.state)
    return Run(
        **stated(scenario),
        **figures,
        stable=not reason,
        reason=reason,
        cycles=engine.now,
        flit_hops=engine.count("flit_hops"),
        dropped=engine.count("dropped"),
        faults=faults,
        lost_packets=sum(fault.lost_packets for fault in faults),
        lost_flits=sum(fault.lost_flits for fault in faults),
        network=relation.network.name,
        routing=relation.name,
        vcs=relation.vcs.each,
        classes=_class_runs(engine, window.cycles),
        warmup=window.start,
        measured=window.cycles,
        pairs=_pair_run(engine) if source.measurement.by_pair else None,
        series=_series(engine),
        deadlock=engine.deadlock,
        latency_half_width=None if reason else window.latency_half_width,
    )


def stated(scenario: Scenario) -> dict[str, Any]:
    """What a run says of its scenario, by the names of its fields."""
    traffic = scenario.traffic
    return {
        "offered_load": scenario.load,
        "switching": scenario.switching,
        "packet_length": traffic.longest,
        "buffer_depth": scenario.buffer_depth,
        "seed": scenario.seed,
        "flow": scenario.given,
        "watchdog": scenario.watchdog,
        "traffic": traffic.pattern_name,
        "lengths": traffic.lengths if len(traffic.lengths) > 1 else (),
        "router": scenario.selecting_router,
        "bursts": traffic.bursts,
    }


def _class_runs(engine: Engine, cycles: int) -> tuple[ClassRun, ...]:
    """Return the figures of each class, of a run that was measured for some cycles."""
    if not isinstance(engine.sources, Mix):
        return ()
    rows, terminals, mix = engine.parts[0].classes, engine.nodes, engine.sources
    return tuple(
        ClassRun(
            name=one.name or str(k),
            offered_load=flits / terminals,
            accepted_load=int(row.flits_out) / (terminals * cycles) if cycles else 0.0,
            latency_mean=mean(int(row.latency), int(row.arrived)),
            network_latency_mean=mean(int(row.network_latency), int(row.arrived)),
            hops_mean=mean(int(row.hops), int(row.arrived)),
            packets=int(row.arrived),
        )
        for k, (one, flits, row) in enumerate(zip(mix.classes, mix.flits, rows, strict=True))
    )


def _pair_run(engine: Engine) -> PairRun:
    """Return the figures of each pair, of an engine that kept them."""
    packets = engine.pairs("packets")
    means = []
    for column in ("latency", "network_latency", "hops"):
        mean = np.full(packets.shape, np.nan)
        means.append(np.divide(engine.pairs(column), packets, out=mean, where=packets > 0))
    return PairRun(packets, *means)


def _series(engine: Engine) -> Series | None:
    """Return the series that an engine recorded; None without an interval."""
    if engine.interval is None:
        return None
    rows = np.array(engine.records)
    created, drawn, out, latency, arrived = np.diff(rows[:, :5], axis=0).T
    return Series(
        interval=engine.interval,
        offered=created * engine.sources.mean_length * engine.scenario.router.terminal_width / np.maximum(1, drawn),
        accepted=out / (engine.interval * engine.nodes),
        latency=np.where(arrived > 0, latency / np.maximum(1, arrived), np.nan),
        inside=rows[1:, 5].astype(np.int64),
        behind=rows[1:, 6],
    )
