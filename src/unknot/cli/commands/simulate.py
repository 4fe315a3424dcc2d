"""`unknot simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import (
    SEED,
    Json,
    MostTime,
    NetworkText,
    Seed,
    Seeds,
)
from unknot.cli.commands.shared import flows_in, relation_of, write_counterexample, write_rows

GROUPS = {
    "Network and router": ("routing", "vcs", "switching", "buffer_depth", "router"),
    "Traffic": ("load", "traffic", "flows", "packet_length", "bursts", "traffic_class", "protocol"),
    "Measurement": ("warmup", "measure", "precision", "interval", "saturation"),
    "Execution": ("seed", "seeds", "jobs", "threads", "time_limit"),
}
"""Groups of options, those of the arguments of `unknot.simulate`."""


def simulate(
    network: NetworkText,
    routing: str,
    vcs: int | None = None,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int = BUFFER_DEPTH,
    router: str = "",
    load: float | None = None,
    traffic: str = "uniform",
    flows: Path | None = None,
    packet_length: str = "1",
    bursts: str | None = None,
    traffic_class: list[str] | None = None,
    protocol: str | None = None,
    warmup: int | None = None,
    measure: int | None = None,
    precision: float | None = None,
    interval: int | None = None,
    saturation: bool = False,
    seed: Seed = SEED,
    seeds: Seeds = None,
    jobs: Annotated[int, typer.Option(help="With --seeds: runs at a time, each in a process.", min=1)] = 1,
    threads: int | None = None,
    deadline: MostTime = None,
    out: Path | None = None,
    export: Path | None = None,
    csv: Path | None = None,
    units: str | None = None,
    channels: bool = False,
    json: Json = False,
) -> None:
    """Run one design flit by flit.

    Exit code 0: it ran to its end, whatever was found; 3: it was given up at the time limit.

    Parameters
    ----------
    load
        Offered load in flits per terminal per cycle.
    interval
        Cycles between two points of what happens over time, in JSON.
    saturation
        Search for the load at which it saturates instead.
    threads
        Threads inside each run; by default the cores, if there is work for each. Same answer.
    traffic_class : --class TEXT
        A traffic class instead: 'share=2, traffic=transpose, flits=1, reply=4, priority=1'; repeatable.
    protocol : FILE.toml|NAME
        Terminals with finite queues and rules instead: request_reply, coherence, …, or a file, as `check` takes it.
    out : FILE.svg|png|pdf
        Draw where the load sits, or the deadlock.
    export : FILE.json
        Write the knot if it deadlocks, for `unknot replay`.
    channels
        With --json: every channel, how busy it was.
    """
    from unknot._base.errors import SimulationError
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands import simulated
    from unknot.cli.commands.display import describe, tell
    from unknot.simulation import Run
    from unknot.simulation.run import options

    if protocol is not None:
        from unknot.cli.commands.end_points import simulate_end_points

        kept: dict[str, Any] = {"--traffic": traffic != "uniform", "--bursts": bursts, "--class": traffic_class}
        kept |= {"--warmup": warmup, "--precision": precision, "--interval": interval, "--saturation": saturation}
        kept |= {"--seeds": seeds, "--out": out, "--export": export, "--csv": csv, "--units": units}
        if wrong := _given(kept | {"--channels": channels, "--threads": threads}):
            raise SimulationError(f"--protocol: {wrong} is about runs without it; leave it out")
        simulate_end_points(
            network, routing, protocol, vcs, flows, load, options.lengths_of(packet_length), measure,
            switching=switching, buffer_depth=buffer_depth, router=options.router_of(router), seed=seed, json=json,
        )  # fmt: skip
        return
    scale = Scale.of(units)
    computed = flows is not None and units is not None
    if load is not None if saturation else load is None and not computed:
        raise SimulationError(
            "give either --load, or --saturation to have it searched, or --flows with --units to have it computed"
        )
    if flows is not None and (traffic != "uniform" or traffic_class):
        raise SimulationError("--flows says who sends what; leave out --traffic and --class")
    one = {"--out": out, "--export": export, "--channels": channels, "--interval": interval}
    only_one = _given(one)
    if seeds is not None and (only_one or saturation):
        raise SimulationError(f"--seeds makes several runs: leave out {only_one or '--saturation'}")
    if saturation and traffic_class:
        raise SimulationError("--class is for runs at one load, not for --saturation")
    cycles = {"warmup": warmup, "measure": measure, "precision": precision}
    if saturation and (wrong := _given(one | {f"--{key}": value for key, value in cycles.items()})):
        raise SimulationError(f"{wrong} is for one run, not for --saturation")
    point: dict[str, Any] = {
        "packet_length": options.lengths_of(packet_length),
        "switching": switching,
        "buffer_depth": buffer_depth,
        "seed": seed,
        "traffic": traffic,
        "router": options.router_of(router),
        "bursts": None if bursts is None else options.bursts_of(bursts),
        "threads": threads,
    }
    if traffic_class:
        point["classes"] = [options.class_of(text) for text in traffic_class]
    relation = relation_of(network, routing, vcs, simulated=True, flows=flows)
    if flows is not None:
        point["traffic"] = sent = flows_in(flows, relation.network)
        load = simulated.load_of(sent, scale, relation.network) if load is None and not saturation else load
    if load is None:
        form, outcome, keys = simulated.search(relation, point)
    elif seeds is not None:
        form, outcome, keys = simulated.several(relation, load, point | cycles, seeds, jobs)
    else:
        point |= cycles | {"interval": interval}
        form, outcome, keys = simulated.one(
            relation, load, point, scale.units, channels=channels, hinted=deadline is None
        )
    if keys.get("channels") and not json:
        keys["channels"].sort(key=lambda channel: -channel["utilisation"])
    keys |= {"vcs_chosen": vcs is None, "units": in_units(scale.units, keys.pop("rows", outcome.rows))}
    tell(json, form, outcome, of=relation, scale=scale, **keys)
    if isinstance(outcome, Run):
        vcs = relation.made_by[1] if relation.made_by else vcs
        if not json:
            describe(relation, outcome.deadlock, outcome.packet_length)
        if out is not None:
            simulated.draw(relation, outcome, out, scale)
        if export is not None:
            write_counterexample(relation, outcome.deadlock, export, network, routing, vcs)
    write_rows(outcome.rows, csv, units=scale.units)


vars(simulate)["groups"] = GROUPS


def _given(options: dict[str, Any]) -> str:
    """The first of these options that was given."""
    return next((name for name, value in options.items() if value not in (None, False)), "")
