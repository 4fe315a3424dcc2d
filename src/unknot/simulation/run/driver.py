"""One simulation from warm-up to the last measured packet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from unknot._base.errors import SimulationError
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.network import Network
from unknot.routing.named import relation_of
from unknot.routing.relation import Relation
from unknot.routing.subnets import in_subnets
from unknot.simulation.engine.classes import TrafficClass
from unknot.simulation.engine.detector import in_words
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import mix_of
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.traffic import Bursts, Lengths, length_shares, mean_length, pairs_of
from unknot.simulation.faults.fault import Fault
from unknot.simulation.faults.faulty_engine import FaultyEngine, FaultyRecorder
from unknot.simulation.run.bottleneck import bottleneck
from unknot.simulation.run.class_run import check_alone, check_subnets, class_runs
from unknot.simulation.run.measurement import Window, drain, measure_until_settled, warm_up
from unknot.simulation.run.options import check_parts, check_point, check_run, run_threads
from unknot.simulation.run.outcome import diagnosis
from unknot.simulation.run.pair_run import pair_run
from unknot.simulation.run.run import Run
from unknot.simulation.run.series import Recorder
from unknot.simulation.run.statistics import TOO_SHORT, mean, percentiles, saturated
from unknot.traffic import Traffic, pattern

DEFAULT = Router()
LONGEST = 32
"""Longest measurement, in windows, while batches depend on one another or stability is in doubt."""
LONGEST_PRECISE = 256
"""Longest measurement, in windows, when a precision is asked for."""
LONGER = "warm up and measure for longer, or leave out warmup and measure: both are then chosen"
"""Remedy for a run that is too short."""
AGAIN = 3
"""Most restarts of a window because latencies still rose in it."""


@with_bar
def simulate(
    relation: Relation | Network | str,
    load: float,
    *,
    routing: str | None = None,
    vcs: int | None = None,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int = 8,
    router: Router = DEFAULT,
    traffic: Traffic = "uniform",
    packet_length: Lengths = 1,
    bursts: Bursts | None = None,
    classes: Sequence[TrafficClass] = (),
    subnets: int = 1,
    warmup: int | None = None,
    measure: int | None = None,
    precision: float | None = None,
    interval: int | None = None,
    by_pair: bool = False,
    faults: Sequence[Fault] = (),
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Simulate a relation, flit by flit.

    Input-queued VC routers with credit flow control; `router` says how long their stages take, which allocators they
    have, and more. Injection and ejection channels have latency 1; an injection port has as many VCs as the widest
    channel, and so has an ejection port, which never stalls but must be allocated. By default routers are as by
    default in BookSim 2, and an empty network gives its latency to the cycle.

    Parameters stand in the groups of the command's help.

    Parameters
    ----------
    relation, routing, vcs
        *Network and router.* As `unknot.check` takes them; without `vcs` at least 4 VCs per channel where the routing
        can use them.
    switching : {"saf", "vct", "wormhole", "wormhole-nonatomic"}
    buffer_depth : int
        Flits per VC.
    router : Router
    load : float
        *Traffic.* Offered flits per terminal and cycle, 0 to 1.
    traffic : str, sequence of int, array, callable or Pattern
        As `unknot.traffic.pattern` reads it: ``uniform`` (the terminal itself included where the rule serves it),
        ``uniform_others``, ``transpose``, ``hotspot(3, share=0.1)``, …; a destination for each terminal; a matrix of
        rates. The busiest terminal offers the load.
    packet_length : int or mapping of int to float
        Flits per packet, or the share of each length among the packets.
    bursts : Bursts, optional
        Terminals are on or off, instead of creating packets with the same chance in every cycle.
    classes : sequence of TrafficClass
        Several sources of each terminal, in place of `traffic`, `packet_length` and `bursts`: each with its share of
        the load, pattern, messages and replies to them, and priority. `Run.classes` has what was found of each.
    subnets : int
        Equal networks side by side: each terminal has a port in each, and each `Message` says which it is sent into.
        A terminal injects a flit in a cycle into each, a class one in all; loads are of all subnets together.
    warmup : int, optional
        *Measurement.* Cycles before measuring. By default until the mean latency of the packets that arrive has been
        in balance for half of the time (MSER), 64 times the shortest warm-up at most.
    measure : int, optional
        Cycles in which created packets are measured. By default enough for 30,000 packets, between 5,000 and 200,000;
        and up to 32 times as many while the latencies of successive batches depend on one another, or it is in doubt
        whether source queues grow without end.
    precision : float, optional
        Measure on, up to 256 times as long, until the half-width of the confidence interval of the mean latency is at
        most this part of it; not together with `measure`.
    interval : int, optional
        Cycles between two points of `Run.series`, which says what happens over time.
    by_pair : bool
        Whether figures are kept for each pair of terminals too: `Run.pairs`.
    faults : sequence of Fault
        *Faults.* Channels and routers that die during the run, and relations that take the place of others; with one
        thread only.
    seed : int
        *Execution.* The same design, load and seed give the same run to the last bit.
    threads : int, optional
        Threads inside this one run; by default one for each processor, but only where each has 1,024 routers or 256
        flits created in a cycle, and one with `faults` or `classes`. Any number gives the same bits.
    progress : callable, optional
        Called with the stage and the cycle reached, see `unknot._base.progress`.

    Returns
    -------
    Run
        A deadlock is an answer (`Run.deadlock`), and so is saturation (`Run.stable`).

    Raises
    ------
    SimulationError
        If the point cannot be simulated, such as a negative load or a packet that does not fit its buffer.
    RelationError
        If a packet comes to an input VC without a candidate.
    """
    relation = relation_of(relation, routing, vcs, what="simulate", simulated=True)
    switching = switching_named(switching)
    check_run(warmup, measure, precision, interval)
    check_parts(router, bursts)
    count = run_threads(threads, relation.network, load, alone=bool(faults or classes))
    if classes:
        check_alone(
            count, faults=faults, bursts=bursts, traffic=traffic != "uniform", packet_length=packet_length != 1
        )
    check_subnets(subnets, classes=bool(classes), others=by_pair or interval is not None)
    mix = mix_of(relation, classes, float(load), subnets) if classes else None
    relation = relation if subnets == 1 else in_subnets(relation, subnets)
    shares = length_shares(mix.lengths if mix else packet_length)
    longest = shares[-1][0]
    check_point(longest, switching, buffer_depth, seed)
    terminals = relation.network.num_terminals
    if not terminals:
        raise SimulationError(f"network {relation.network.name!r} has no terminals, so nothing can be sent")
    sent = pattern(relation.network, traffic)
    pairs = mix.pairs[0] if mix else pairs_of(relation, sent)
    chance = float(load) / mean_length(shares)
    if bursts is not None and (busiest := chance * float(pairs.rate.max()) / bursts.share_on) > 1:
        raise SimulationError(
            f"bursts: a terminal that is on would have to create {busiest:.3g} packets in a cycle, of which 1 is the "
            "most; lower the load or let bursts last longer"
        )
    make: Callable[..., Engine] = FaultyEngine if faults else Engine
    if interval is not None:
        flits = sum(mix.flits) / mix.packets if mix and mix.packets else mean_length(shares)
        make = partial(FaultyRecorder if faults else Recorder, interval, flits)
    engine = make(
        relation,
        switching,
        packet_length=longest if len(shares) == 1 else dict(shares),
        buffer_depth=buffer_depth,
        chance=chance,
        seed=seed,
        pairs=pairs,
        router=router,
        bursts=bursts,
        threads=count,
        **({"faults": faults} if faults else {"mix": mix}),
    )
    rate = mix.packets if mix else chance * float(pairs.rate.sum())
    offered = sum(mix.flits) / engine.nodes if mix else rate * mean_length(shares) / terminals
    if by_pair:
        engine.keep_pairs()
    further = progress or (lambda stage, done, total: None)

    def say(stage: str, cycle: int) -> None:
        further(stage, cycle, 0)

    engine.advance(engine.now)  # what has to be compiled is compiled now
    say("starting", engine.now)
    cycles = measure or int(min(200_000, max(5_000, math.ceil(30_000 / rate) if rate else 0)))

    if warmup is None:
        warm_up(engine, rate, say)
    else:
        engine.run(warmup)

    at_once = longest + (0 if bursts is None else float(load) / bursts.share_on / bursts.end)

    def fails(window: Window, surely: bool) -> str:
        return saturated(
            window.lag_before,
            engine.lag(),
            window.cycles,
            at_once,
            window.accepted,
            engine.offered(offered, window.start, window.start + window.cycles)
            if isinstance(engine, FaultyEngine)
            else offered,
            int(rate * window.cycles),
            lambda source: relation.network.terminal_name(source % engine.nodes + terminals - engine.nodes),
            surely=surely,
        )

    measured = Window(engine, cautious=precision is not None)
    if engine.deadlock is None:
        again = AGAIN if warmup is None and measure is None else 0
        most = 1 if measure else LONGEST if precision is None else LONGEST_PRECISE
        measured = measure_until_settled(measured, cycles, most, again, precision, at_once, fails, say)
    accepted, accepted_half_width = measured.accepted, measured.accepted_half_width
    utilisation, occupancy = measured.utilisation(), measured.occupancy()
    reason = ""
    if engine.deadlock is None:
        reason = fails(measured, False)
        if not reason:
            reason = drain(engine, measured.end, 2 * measured.cycles + 20_000, say)

    arrived = engine.count("measured_arrived")
    latencies = engine.latencies()
    network_total, hops_total = engine.count("network_latency"), engine.count("hops")
    p50, p95, p99, worst = percentiles(latencies, (0.5, 0.95, 0.99, 1.0))
    if reason:
        say("looking why", engine.now)
        found = diagnosis(engine, measured.cycles)
        short = reason.startswith(TOO_SHORT)
        helps = LONGER if short else "" if mix else bottleneck(
            relation, utilisation, occupancy, offered, accepted, load=float(load), traffic=sent,
            switching=switching, lengths=shares, router=engine.router,
        )  # fmt: skip
        reason = f"{found}; {reason.partition(': ')[2]}" if found else f"{reason}; {helps}" if helps else reason
    if engine.deadlock is not None:
        messages = len(engine.deadlock.messages)
        reason = (
            f"deadlock of {messages} messages, found in cycle {engine.now}: {in_words(relation, engine.deadlock)}"
        )
    return Run(
        offered_load=float(load),
        accepted_load=accepted,
        latency_mean=mean(int(latencies.sum()), arrived),
        latency_p50=p50,
        latency_p95=p95,
        latency_p99=p99,
        latency_max=worst,
        network_latency_mean=mean(network_total, arrived),
        hops_mean=mean(hops_total, arrived),
        stable=not reason,
        reason=reason,
        packets=arrived,
        cycles=engine.now,
        flit_hops=engine.count("flit_hops"),
        switching=switching,
        packet_length=longest,
        buffer_depth=buffer_depth,
        seed=seed,
        network=relation.network.name,
        routing=relation.name,
        vcs=relation.vcs.each,
        traffic=traffic if isinstance(traffic, str) else sent.name,
        classes=class_runs(engine, mix, measured.cycles) if mix else (),
        lengths=shares if len(shares) > 1 else (),
        router=engine.router,
        bursts=bursts,
        warmup=measured.start,
        measured=measured.cycles,
        pairs=pair_run(engine) if by_pair else None,
        series=engine.series() if isinstance(engine, Recorder) else None,
        deadlock=engine.deadlock,
        latency_half_width=None if reason else measured.latency_half_width,
        accepted_half_width=accepted_half_width,
        utilisation=utilisation,
        occupancy=occupancy,
        **(engine.toll() if isinstance(engine, FaultyEngine) else {}),
    )
