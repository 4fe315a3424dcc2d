"""One simulation from warm-up to the last measured packet."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from unknot.errors import SimulationError
from unknot.routing.relation import Relation
from unknot.simulation.detector import in_words
from unknot.simulation.engine import Engine, check_point
from unknot.simulation.layout import (
    ARRIVED,
    DRAWN,
    FLIT_HOPS,
    HOPS_SUM,
    LATENCY_SUM,
    MEASURED_ARRIVED,
    MEASURED_CREATED,
    NETWORK_SUM,
)
from unknot.simulation.measurement import Window
from unknot.simulation.run import Run
from unknot.simulation.statistics import (
    doubtful,
    mean,
    percentiles,
    saturated,
    steady,
)
from unknot.simulation.traffic import pairs_of
from unknot.switching import Switching, switching_named
from unknot.traffic import Traffic, pattern

Progress = Callable[[str, int], None]
LONGEST = 16
"""How many times as long a run measures, at most, while its stability is in doubt."""


def simulate(
    relation: Relation,
    load: float,
    *,
    packet_length: int = 1,
    switching: Switching = "wormhole",
    buffer_depth: int = 8,
    seed: int = 1,
    traffic: Traffic = "uniform",
    warmup: int | None = None,
    measure: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Simulate a relation under Bernoulli traffic, flit by flit.

    Input-queued VC routers of one-cycle stages (routing, VC allocation, switch allocation, switch traversal) with
    credit flow control; both allocators are iSLIP with one iteration. Injection and ejection channels have latency 1;
    an injection port has as many VCs as the widest channel, and so has an ejection port, which never stalls but must
    be allocated. With BookSim 2's defaults this gives its zero-load latency to the cycle.

    Parameters
    ----------
    load : float
        Offered flits per terminal and cycle, 0 to 1.
    packet_length : int
        Flits per packet.
    switching : {"saf", "vct", "wormhole", "wormhole-nonatomic"}
    buffer_depth : int
        Flits per VC.
    seed : int
        The same design, load and seed give the same run to the last bit.
    traffic : str, sequence of int, array, callable or Pattern
        As `unknot.traffic.pattern` reads it: ``uniform`` (the terminal itself included where the rule serves it),
        ``uniform_others``, ``transpose``, ``hotspot(3, share=0.1)``, …; a destination for each terminal; a matrix of
        rates. The busiest terminal offers the load.
    warmup : int, optional
        Cycles before measuring. By default phases are run until the mean latency changes by less than 5 % twice in a
        row, 20 of them at most.
    measure : int, optional
        Cycles in which created packets are measured. By default enough for 30,000 packets, between 5,000 and 200,000;
        and up to 16 times as many while it is in doubt whether source queues grow without end.
    progress : callable, optional
        Called with the stage in words and the cycle reached.

    Returns
    -------
    Run
        A deadlock is an answer (`Run.deadlock`), and so is saturation (`Run.stable`).

    Raises
    ------
    SimulationError
        If the point cannot be simulated, such as a negative load or a packet that does not fit its buffer.
    RelationError
        If a packet comes to a place where it has no candidate.
    """
    switching = switching_named(switching)
    check_point(packet_length, switching, buffer_depth, seed)
    number = isinstance(load, (int, float, np.integer, np.floating)) and not isinstance(load, bool)
    if not number or not math.isfinite(load) or not 0 <= load <= 1:
        raise SimulationError(f"load must be a number from 0 to 1 flit per terminal and cycle, got {load!r}")
    for name, cycles, least in (("warmup", warmup, 0), ("measure", measure, 1)):
        if cycles is not None and (
            isinstance(cycles, bool) or not isinstance(cycles, (int, np.integer)) or cycles < least
        ):
            raise SimulationError(f"{name} must be a whole number of cycles, at least {least}, got {cycles!r}")
    terminals = relation.network.num_terminals
    if not terminals:
        raise SimulationError(f"network {relation.network.name!r} has no terminals, so nothing can be sent")
    pairs = pairs_of(relation, pattern(relation.network, traffic))
    chance = float(load) / packet_length
    engine = Engine(
        relation,
        switching,
        packet_length=packet_length,
        buffer_depth=buffer_depth,
        chance=chance,
        seed=seed,
        pairs=pairs,
    )
    rate = chance * float(pairs.rate.sum())
    say = progress or (lambda stage, cycle: None)
    engine.advance(engine.now)  # what has to be compiled is compiled now
    say("starting", engine.now)
    cycles = measure or int(min(200_000, max(5_000, math.ceil(30_000 / rate) if rate else 0)))

    if warmup is None:
        _warm_up(engine, rate, say)
    else:
        engine.run(warmup)
    measured = Window(engine)
    if engine.deadlock is None:
        _measure(measured, cycles, 1 if measure else LONGEST, packet_length, say)
    accepted, accepted_half_width = measured.accepted, measured.accepted_half_width
    utilisation, occupancy = measured.utilisation(), measured.occupancy()
    reason = ""
    if engine.deadlock is None:
        reason = saturated(
            measured.lag_before,
            engine.lag(),
            measured.cycles,
            packet_length,
            accepted,
            rate * packet_length / terminals,
            int(rate * measured.cycles),
            relation.network.terminal_name,
        )
        if not reason:
            reason = _drain(engine, measured.end, 2 * measured.cycles + 20_000, say)
    if engine.deadlock is not None:
        messages = len(engine.deadlock.messages)
        reason = (
            f"deadlock of {messages} messages, found in cycle {engine.now}: {in_words(relation, engine.deadlock)}"
        )

    arrived = engine.count(MEASURED_ARRIVED)
    latencies = engine.latencies()
    p50, p95, p99, worst = percentiles(latencies, (0.5, 0.95, 0.99, 1.0))
    return Run(
        offered_load=float(load),
        accepted_load=accepted,
        latency_mean=mean(int(latencies.sum()), arrived),
        latency_p50=p50,
        latency_p95=p95,
        latency_p99=p99,
        latency_max=worst,
        network_latency_mean=mean(engine.count(NETWORK_SUM), arrived),
        hops_mean=mean(engine.count(HOPS_SUM), arrived),
        stable=not reason,
        reason=reason,
        packets=arrived,
        cycles=engine.now,
        flit_hops=engine.count(FLIT_HOPS),
        switching=switching,
        packet_length=packet_length,
        buffer_depth=buffer_depth,
        seed=seed,
        deadlock=engine.deadlock,
        latency_half_width=None if reason else measured.latency_half_width,
        accepted_half_width=accepted_half_width,
        utilisation=utilisation,
        occupancy=occupancy,
    )


def _warm_up(engine: Engine, rate: float, say: Progress) -> None:
    """Run phases until the latency of the packets that arrive in them is steady, or the sources fall far behind."""
    if not rate:
        return
    phase = int(min(20_000, max(500, math.ceil(200 / rate))))
    means: list[float | None] = []
    for _ in range(20):
        say("warming up", engine.now)
        packets, total = engine.count(ARRIVED), engine.count(LATENCY_SUM)
        if not engine.run(phase):
            return
        means.append(mean(engine.count(LATENCY_SUM) - total, engine.count(ARRIVED) - packets))
        last = means[-1]
        if last is not None and 2 * last > phase and phase < 20_000:
            phase *= 2
            means.clear()
        if steady(means) or engine.lag().mean() > max(200, phase / 4):
            return


def _measure(window: Window, cycles: int, longest: int, packet_length: int, say: Progress) -> None:
    """Measure, and go on to `longest` times as many cycles while saturation is in doubt."""
    engine = window.engine
    say("measuring", engine.now)
    done = 0
    while window.go_on(done or cycles, lambda cycle: say("measuring", cycle)):
        done = window.cycles
        if done >= longest * cycles or not doubtful(window.lag_before, engine.lag(), done, packet_length):
            return


def _drain(engine: Engine, end: int, patience: int, say: Progress) -> str:
    """Go on under load until every packet created before cycle `end` has arrived; why not, if they do not."""
    limit = engine.now + patience
    while engine.now < limit:
        counted = engine.count(MEASURED_CREATED), engine.count(MEASURED_ARRIVED)
        if counted[0] == counted[1] and int(engine.state.terminals[:, DRAWN].min()) >= end:
            return ""
        say("draining", engine.now)
        if not engine.run(100):
            return ""
    missing = engine.count(MEASURED_CREATED) - engine.count(MEASURED_ARRIVED)
    return f"saturated: {missing} measured packets had not arrived {patience} cycles after measuring ended"
