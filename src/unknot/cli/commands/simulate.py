"""`unknot simulate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from unknot._base.errors import SimulationError
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching
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
from unknot.cli.commands.shared import flows_in, relation_of, write_counterexample, write_rows


@dataclass(frozen=True)
class DesignOptions(Options):
    """What is simulated.

    Attributes
    ----------
    bubble : RULE
        With bubble flow control, as `check` takes it: localised, global or critical.
    watchdog : CYCLES
        Cycles between two looks, after which packets blocked at both are dropped and sent again; 0: none.
    """

    heading = "Network and router"
    network: NetworkText
    routing: str
    vcs: int | None = None
    switching: Switching = DEFAULT_SWITCHING
    buffer_depth: int = BUFFER_DEPTH
    router: str = ""
    bubble: str | None = None
    watchdog: int = 0


@dataclass(frozen=True)
class TrafficOptions(Options):
    """What terminals send.

    Attributes
    ----------
    load
        Offered load in flits per terminal per cycle.
    traffic_class : --class TEXT
        A traffic class instead: 'share=2, traffic=transpose, flits=1, reply=4, priority=1'; repeatable.
    protocol : FILE.toml|NAME
        Terminals with finite queues and rules instead: request_reply, coherence, …, or a file, as `check` takes it.
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
        Cycles between two points of what happens over time, in JSON.
    saturation
        Search for the load at which it saturates instead.
    """

    heading = "Measurement"
    warmup: int | None = None
    measure: int | None = None
    precision: float | None = None
    interval: int | None = None
    saturation: bool = False


@dataclass(frozen=True)
class ExecutionOptions(Options):
    """How many runs there are, and on how many processors.

    Attributes
    ----------
    threads
        Threads inside each run; by default the cores, if there is work for each. Same answer.
    """

    heading = "Execution"
    seed: Seed = SEED
    seeds: Seeds = None
    jobs: Annotated[int, typer.Option(help="With --seeds: runs at a time, each in a process.", min=1)] = 1
    threads: int | None = None
    deadline: MostTime = None


@dataclass(frozen=True)
class OutputOptions(Options):
    """Where the answer goes.

    Attributes
    ----------
    out : FILE.svg|png|pdf
        Draw where the load sits, or the deadlock.
    export : FILE.json
        Write the knot if it deadlocks, for `unknot replay`.
    channels
        With --json: every channel, how busy it was.
    """

    out: Path | None = None
    export: Path | None = None
    csv: Path | None = None
    units: str | None = None
    channels: bool = False
    json: Json = False


def simulate(
    design: DesignOptions,
    sent: TrafficOptions,
    measured: MeasurementOptions,
    execution: ExecutionOptions,
    output: OutputOptions,
) -> None:
    """Run one design flit by flit.

    Exit code 0: it ran to its end, whatever was found; 3: it was given up at the time limit.
    """
    if sent.protocol is not None:
        _simulate_protocol(design, sent, sent.protocol, measured, execution, output)
    else:
        _require_one_kind(sent, measured, execution, output)
        _simulate(design, sent, measured, execution, output)


def _require_one_kind(
    sent: TrafficOptions, measured: MeasurementOptions, execution: ExecutionOptions, output: OutputOptions
) -> None:
    """Refuse options of one kind of run beside those of another."""
    computed = sent.flows is not None and output.units is not None
    if sent.load is not None if measured.saturation else sent.load is None and not computed:
        raise SimulationError(
            "give either --load, or --saturation to have it searched, or --flows with --units to have it computed"
        )
    if sent.flows is not None and (sent.traffic != "uniform" or sent.traffic_class):
        raise SimulationError("--flows says who sends what; leave out --traffic and --class")
    alone: dict[str, object] = {"out": output.out, "export": output.export, "channels": output.channels}
    alone["interval"] = measured.interval
    if execution.seeds is not None:
        refuse_beside("--seeds", "is for one run", **alone, saturation=measured.saturation)
    if measured.saturation:
        cycles = {"warmup": measured.warmup, "measure": measured.measure, "precision": measured.precision}
        refuse_beside("--saturation", "is for one run", **alone, **cycles, **{"class": sent.traffic_class})


def _common(design: DesignOptions, sent: TrafficOptions, execution: ExecutionOptions) -> dict[str, Any]:
    """What runs take, with a protocol or without."""
    from unknot.simulation.run import options

    return {
        "packet_length": options.lengths_of(sent.packet_length),
        "switching": design.switching,
        "buffer_depth": design.buffer_depth,
        "router": options.router_of(design.router),
        "seed": execution.seed,
    }


def _simulate(
    design: DesignOptions,
    sent: TrafficOptions,
    measured: MeasurementOptions,
    execution: ExecutionOptions,
    output: OutputOptions,
) -> None:
    """Make one run, one for each seed, or those that find saturation; print and write what came out."""
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands import simulated
    from unknot.cli.commands.display import describe, tell
    from unknot.simulation import Run
    from unknot.simulation.run import options

    scale = Scale.of(output.units)
    point = _common(design, sent, execution) | {
        "traffic": sent.traffic,
        "bubble": design.bubble,
        "watchdog": design.watchdog,
        "bursts": None if sent.bursts is None else options.bursts_of(sent.bursts),
        "threads": execution.threads,
    }
    if sent.traffic_class:
        point["classes"] = [options.class_of(text) for text in sent.traffic_class]
    relation = relation_of(design.network, design.routing, design.vcs, simulated=True, flows=sent.flows)
    load = sent.load
    if sent.flows is not None:
        point["traffic"] = flows = flows_in(sent.flows, relation.network)
        if load is None and not measured.saturation:
            load = simulated.load_of(flows, scale, relation.network)
    cycles = {"warmup": measured.warmup, "measure": measured.measure, "precision": measured.precision}
    if load is None:
        form, outcome, keys = simulated.search(relation, point)
    elif execution.seeds is not None:
        form, outcome, keys = simulated.several(relation, load, point | cycles, execution.seeds, execution.jobs)
    else:
        point |= cycles | {"interval": measured.interval}
        hinted = execution.deadline is None
        form, outcome, keys = simulated.one(
            relation, load, point, scale.units, channels=output.channels, hinted=hinted
        )
    if keys.get("channels") and not output.json:
        keys["channels"].sort(key=lambda channel: -channel["utilisation"])
    keys |= {"vcs_chosen": design.vcs is None, "units": in_units(scale.units, keys.pop("rows", outcome.rows))}
    tell(output.json, form, outcome, of=relation, scale=scale, **keys)
    if isinstance(outcome, Run):
        vcs = relation.made_by[1] if relation.made_by else design.vcs
        if not output.json:
            describe(relation, outcome.deadlock, outcome.packet_length)
        if output.out is not None:
            simulated.draw(relation, outcome, output.out, scale)
        if output.export is not None:
            write_counterexample(relation, outcome.deadlock, output.export, design.network, design.routing, vcs)
    write_rows(outcome.rows, output.csv, units=scale.units)


def _simulate_protocol(
    design: DesignOptions,
    sent: TrafficOptions,
    text: str,
    measured: MeasurementOptions,
    execution: ExecutionOptions,
    output: OutputOptions,
) -> None:
    """Simulate a routing with a protocol, or without a load replay the deadlock that the prover finds; print it."""
    from unknot.cli.answers.messages import ProtocolReplayAnswer, ProtocolRunAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.simulation.protocol_run import CYCLES, replayed_in_flits, simulate_protocol
    from unknot.verify.protocols import check_protocol, protocol
    from unknot.verify.protocols.words import blocked, steps

    others = {
        "bubble": design.bubble,
        "watchdog": design.watchdog,
        **vars(sent),
        **vars(measured),
        **vars(execution),
        **vars(output),
    }
    others |= {"traffic": sent.traffic != "uniform", "class": others.pop("traffic_class")}
    for name in ("load", "flows", "packet_length", "protocol", "measure", "seed", "jobs", "deadline", "json"):
        del others[name]
    refuse_beside("--protocol", "is about runs without it", **others)
    point = _common(design, sent, execution)
    if not isinstance(point["packet_length"], int):
        raise SimulationError("--protocol takes one --packet-length for all messages")
    described = protocol(text, "--protocol")
    relation = relation_of(design.network, design.routing, design.vcs, flows=sent.flows, proved=True)
    if sent.load is None:
        with activity.working("proving"):
            verdict = check_protocol(relation, described, design.switching)
        with activity.working("replaying"):
            run = verdict.run
            replayed = None if run is None else replayed_in_flits(verdict.system, verdict.switching, run)
        tell(
            output.json, ProtocolReplayAnswer, verdict, of=relation, protocol=described.name, replayed=replayed,
            steps=steps(verdict), blocked=blocked(verdict),
        )  # fmt: skip
        return
    cycles = CYCLES if measured.measure is None else measured.measure
    with activity.working("simulating") as progress:
        outcome = simulate_protocol(relation, described, sent.load, cycles=cycles, **point, progress=progress)
    tell(output.json, ProtocolRunAnswer, outcome, of=relation, protocol=described.name, **point)
