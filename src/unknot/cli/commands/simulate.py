"""`unknot simulate`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from unknot._base.errors import SimulationError
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.cli.commands import simulated
from unknot.cli.commands.asking import named
from unknot.cli.commands.flows import flow_of
from unknot.cli.commands.options import (
    SEED,
    Json,
    MostTime,
    NetworkText,
    Options,
    Seed,
    Seeds,
    refuse_beside,
)
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import flows_in, relation_of
from unknot.cli.commands.simulated_protocol import with_protocol
from unknot.cli.commands.written import draw, write_counterexample


@dataclass(frozen=True)
class DesignOptions(Options):
    """What is simulated.

    Attributes
    ----------
    switching : NAME
        Switching technique: saf, vct, wormhole or wormhole-nonatomic; or a flow control, as for `check`.
    bubble : RULE
        Rule of bubble flow control, another spelling of --switching "bubble('RULE')".
    watchdog : CYCLES
        Cycles between two looks of a watchdog, which drops a packet blocked at both looks and sends the packet
        again; 0: no watchdog.
    fault
        Fault in a cycle: '2000: (1,1)->(1,2)', '3000: router (2,2); routing up_down'; all routers know at once;
        repeatable.
    """

    heading = "Network and router"
    network: NetworkText
    routing: str
    vcs: int | None = None
    switching: str = DEFAULT_SWITCHING
    buffer_depth: int = BUFFER_DEPTH
    router: str = ""
    bubble: str | None = None
    watchdog: int = 0
    fault: list[str] | None = None


@dataclass(frozen=True)
class TrafficOptions(Options):
    """What terminals send.

    Attributes
    ----------
    load
        Offered load in flits per terminal per cycle.
    traffic_class : --class TEXT
        Traffic class, in place of --traffic: 'share=2, traffic=transpose, flits=1, reply=4, priority=1'; repeatable.
    protocol : FILE.toml|NAME
        Protocol of terminals with finite queues: request_reply, coherence, …, or a file.
    """

    heading = "Traffic"
    load: float | None = None
    traffic: str = "uniform"
    flows: Path | None = None
    packet_length: str = "1"
    bursts: str | None = None
    traffic_class: list[str] | None = None
    protocol: str | None = None


@dataclass(frozen=True)
class MeasurementOptions(Options):
    """What is measured, and for how long.

    Attributes
    ----------
    interval
        Cycles between two points of the series over time, in JSON.
    saturation
        Search for the saturation load, as a 95 % interval of ± 1 %, instead of running one load.
    """

    heading = "Measurement"
    warmup: int | None = None
    measure: int | None = None
    precision: float | None = None
    interval: int | None = None
    energy: str | None = None
    saturation: bool = False


@dataclass(frozen=True)
class ExecutionOptions(Options):
    """How many runs there are, and on how many processors.

    Attributes
    ----------
    threads
        Number of threads inside each run; by default the cores, if all have work. Same answer.
    """

    heading = "Execution"
    seed: Seed = SEED
    seeds: Seeds = None
    jobs: Annotated[int, typer.Option(help="Number of runs at a time with --seeds, each in a process.", min=1)] = 1
    threads: int | None = None
    deadline: MostTime = None


@dataclass(frozen=True)
class OutputOptions(Options):
    """Where the answer goes.

    Attributes
    ----------
    out : svg|png|pdf
        pictures of the loads, or of the deadlock
    csv : hidden FILE
        Rows.
    export : FILE.json
        File of the knot after a deadlock, for `unknot replay`.
    channels
        With --json: list the utilisation of every channel.
    """

    export: Path | None = None
    units: str | None = None
    channels: bool = False
    json: Json = False


DURATION = ("warmup", "measure", "precision")
"""Options that say how long a run is."""
OF_ONE = ("export", "channels", "interval")
"""Options that are for one run."""
OF_PACKETS = (
    "bubble", "watchdog", "fault", "bursts", "warmup", "precision", "interval", "saturation", "seeds", "threads",
    "export", "units", "channels", "energy",
)  # fmt: skip
"""Options that are for packets without a protocol."""


@dataclass(frozen=True)
class SimulateCommandOptions(OutputOptions, ExecutionOptions, MeasurementOptions, TrafficOptions, DesignOptions):
    """All options of `unknot simulate`."""


def simulate(options: SimulateCommandOptions) -> None:
    """Run one design flit by flit.

    Exit code 0: the run is complete, with any result; 3: the time limit ended the run.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.simulate("ring(5)", "dimension_order", load=0.2, measure=500)
    >>> answer.outcome, answer.stable
    ('stable', True)
    """
    _require_one_kind(options)
    if options.protocol is None:
        _simulate(options)
    else:
        with_protocol(options, options.protocol)


def _require_one_kind(options: SimulateCommandOptions) -> None:
    """Refuse options of one kind of run beside those of another."""
    if options.protocol is not None:
        refuse_beside(
            "--protocol", "is about runs without it", traffic=options.traffic != "uniform",
            **options.some(*OF_PACKETS), **{"class": options.traffic_class},
        )  # fmt: skip
        return
    computed = options.flows is not None and options.units is not None
    if options.load is not None if options.saturation else options.load is None and not computed:
        raise SimulationError(
            "give either --load, or --saturation to have it searched, or --flows with --units to have it computed"
        )
    if options.flows is not None and (options.traffic != "uniform" or options.traffic_class):
        raise SimulationError("--flows says who sends what; leave out --traffic and --class")
    if options.fault:
        refuse_beside("--fault", "ends in no knot of one routing that could be replayed", **options.some("export"))
    if options.seeds is not None:
        refuse_beside("--seeds", "is for one run", **options.some(*OF_ONE, "saturation"))
        simulated.refuse_pictures("--seeds")
    if options.saturation:
        classes = {"class": options.traffic_class, "fault": options.fault}
        refuse_beside("--saturation", "is for one run", **options.some(*OF_ONE, *DURATION, "energy"), **classes)
        simulated.refuse_pictures("--saturation")


def _simulate(options: SimulateCommandOptions) -> None:
    """Make one run, a run for each seed, or the search for saturation; print and write the results."""
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands.display import describe, tell
    from unknot.simulation import Run
    from unknot.simulation.energy.option import energy_of
    from unknot.simulation.run import options as parsed
    from unknot.traffic.workload import Traffic

    scale = Scale.of(options.units)
    point = simulated.common(options) | options.some("traffic", "watchdog", "threads")
    point["bursts"] = None if options.bursts is None else parsed.bursts_of(options.bursts)
    if options.traffic_class:
        point["classes"] = [parsed.class_of(text) for text in options.traffic_class]
    relation = relation_of(options.network, options.routing, options.vcs, simulated=True, flows=options.flows)
    if options.fault:
        from unknot.simulation.faults.fault import fault_of

        point["faults"] = [fault_of(text, relation.network, "--fault") for text in options.fault]
    fitting = max(1, options.buffer_depth // Traffic(packet_length=point["packet_length"]).longest)
    point["switching"], point["flow"] = flow_of(relation, options.switching, options.bubble, packets=fitting)
    load = options.load
    if options.flows is not None:
        point["traffic"] = flows = flows_in(options.flows, relation.network)
        if load is None and not options.saturation:
            load = simulated.load_of(flows, scale, relation.network)
    proved = simulated.proof(relation, point["switching"], point["flow"], options.buffer_depth)
    cycles = options.some(*DURATION) | {"energy": energy_of(options.energy, "--energy")}
    in_full = options.json or bool(named(".json"))
    if load is None:
        form, outcome, keys = simulated.search(relation, point)
    elif options.seeds is not None:
        form, outcome, keys = simulated.several(relation, load, point | cycles, options.seeds, options.jobs)
    else:
        point |= cycles | ({"interval": options.interval} if in_full else {})
        hinted = options.deadline is None
        form, outcome, keys = simulated.one(
            relation, load, point, scale.units, channels=options.channels, hinted=hinted
        )
    if keys.get("channels") and not in_full:
        keys["channels"].sort(key=lambda channel: -channel["utilisation"])
    chosen = options.vcs is None and simulated.takes_vcs(options.routing, relation)
    keys |= {"vcs_chosen": chosen, "proof": proved, "units": in_units(scale.units, keys.pop("rows", outcome.rows))}
    if isinstance(outcome, Run):
        draw(partial(simulated.picture, relation, outcome, scale))
    tell(options.json, form, outcome, of=relation, scale=scale, **keys)
    if isinstance(outcome, Run):
        vcs = relation.made_by[1] if relation.made_by else options.vcs
        if not options.json:
            describe(relation, outcome.deadlock, outcome.packet_length)
        if len(outcome.faults) < len(options.fault or ()):
            notify(
                f"the run ended in cycle {outcome.cycles}, before all faults had come; --measure says for how long"
            )
        if options.export is not None:
            write_counterexample(relation, outcome.deadlock, options.export, options.network, options.routing, vcs)
