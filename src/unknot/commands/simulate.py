"""`unknot simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot.commands.options import (
    SEED,
    BufferDepth,
    Csv,
    Json,
    NetworkText,
    RoutingText,
    Seed,
    SwitchingName,
    Vcs,
    in_groups,
)
from unknot.commands.outcomes import say
from unknot.commands.shared import limited, network_for, print_json, relation_of, write, write_rows
from unknot.switching import DEFAULT_SWITCHING

if TYPE_CHECKING:
    from unknot.routing.relation import Relation
    from unknot.simulation import Run, Runs, Saturation


GROUPS = {
    "Network and router": ("routing", "vcs", "switching", "buffer_depth", "router"),
    "Traffic": ("load", "traffic", "packet_length", "bursts", "traffic_class"),
    "Measurement": ("warmup", "measure", "precision", "interval", "saturation"),
    "Faults": ("fault",),
    "Execution": ("seed", "seeds", "jobs", "threads", "time_limit"),
}
"""Groups of options, those of the arguments of `unknot.simulate`."""


@in_groups(GROUPS)
def simulate(
    network: NetworkText,
    routing: RoutingText,
    vcs: Vcs = None,
    switching: SwitchingName = DEFAULT_SWITCHING,
    buffer_depth: BufferDepth = 8,
    router: Annotated[
        str, typer.Option(help="Options of the router: 'routing_delay=0, allocator=islip, iterations=2'.")
    ] = "",
    load: Annotated[float | None, typer.Option(help="Offered load in flits per terminal per cycle.")] = None,
    traffic: Annotated[
        str, typer.Option(help="A pattern: uniform, transpose, tornado, 'hotspot(3, share=0.1)' and others.")
    ] = "uniform",
    packet_length: Annotated[str, typer.Option(help="Flits, or shares of several lengths: '1:0.5, 5:0.5'.")] = "1",
    bursts: Annotated[
        str | None, typer.Option(help="Chances in a cycle that a burst begins and that it ends: '0.01, 0.1'.")
    ] = None,
    traffic_class: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            help="A traffic class instead: 'share=2, traffic=transpose, flits=1, reply=4, priority=1'; repeatable.",
        ),
    ] = None,
    warmup: Annotated[
        int | None, typer.Option(help="Cycles before measuring; by default until it is in balance.")
    ] = None,
    measure: Annotated[int | None, typer.Option(help="Cycles in which packets are measured.")] = None,
    precision: Annotated[
        float | None, typer.Option(help="Measure until the mean latency is known to this part of it, as 0.02.")
    ] = None,
    interval: Annotated[
        int | None, typer.Option(help="Cycles between two points of what happens over time, in JSON.")
    ] = None,
    saturation: Annotated[
        bool, typer.Option("--saturation", help="Search for the load at which it saturates instead.")
    ] = False,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help="What dies in a cycle: '2000: (1,1)->(1,2)', '3000: router (2,2); routing up_down'; repeatable."
        ),
    ] = None,
    seed: Seed = SEED,
    seeds: Annotated[
        int | None, typer.Option(help="Number of replications (seeds SEED, SEED+1, …); reports the mean.", min=1)
    ] = None,
    jobs: Annotated[int, typer.Option(help="With --seeds: runs at a time, each in a process.", min=1)] = 1,
    threads: Annotated[
        int | None,
        typer.Option(help="Threads inside each run; by default the cores, 1,024 routers for each. Same answer."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which the run is given up; exit code 3.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a drawing of where the load sits, or of the deadlock, .svg or .png.",
            dir_okay=False,
        ),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write the knot if it deadlocks, for `unknot replay`.")
    ] = None,
    csv: Csv = None,
    units: Annotated[
        str | None, typer.Option(help="Clock and width of a flit, as '2 GHz, 16 B': adds ns and GB/s.")
    ] = None,
    series: Annotated[
        Path | None, typer.Option(help="Write a drawing of what happens over time, .svg or .png.", dir_okay=False)
    ] = None,
    channels: Annotated[
        bool, typer.Option("--channels", help="With --json: every channel, how busy it was.")
    ] = False,
    json: Json = False,
) -> None:
    """Run one design flit by flit.

    Exit code 0: it ran to its end, whatever was found; 3: it was given up at the time limit.
    """
    from unknot.errors import SimulationError
    from unknot.simulation.run import options
    from unknot.switching import switching_named
    from unknot.units import Units

    technique = switching_named(switching)
    real = None if units is None else Units.of(units)
    if (load is None) == (not saturation):
        raise SimulationError("give either --load, or --saturation to have the load searched")
    one = {"--out": out, "--export": export, "--series": series, "--channels": channels, "--interval": interval}
    only_one = _given(one)
    if seeds is not None and (only_one or saturation):
        raise SimulationError(f"--seeds makes several runs: leave out {only_one or '--saturation'}")
    if load is None and fault:
        raise SimulationError("--fault is for runs at one load, not for --saturation")
    if load is None and traffic_class:
        raise SimulationError("--class is for runs at one load, not for --saturation")
    cycles = {"warmup": warmup, "measure": measure, "precision": precision}
    if load is None and (wrong := _given(one | {f"--{key}": value for key, value in cycles.items()})):
        raise SimulationError(f"{wrong} is for one run, not for --saturation")
    point: dict[str, Any] = {
        "packet_length": options.lengths_of(packet_length, "--packet-length"),
        "switching": technique,
        "buffer_depth": buffer_depth,
        "seed": seed,
        "traffic": traffic,
        "router": options.router_of(router, "--router"),
        "bursts": None if bursts is None else options.bursts_of(bursts, "--bursts"),
        "threads": threads,
    }
    if traffic_class:
        point["classes"] = [options.class_of(text, "--class") for text in traffic_class]
    if fault:
        from unknot.simulation.faults.fault import fault_of

        point["faults"] = [fault_of(text, "--fault") for text in fault]
    for file in (out, series):
        if file is not None:
            from unknot.report.picture import require_ending

            require_ending(file)
    if time_limit is not None and not time_limit > 0:
        raise SimulationError(f"--time-limit is a positive number of seconds, got {time_limit:g}")
    relation = relation_of(network, routing, vcs, simulated=True)
    chosen = vcs is None
    vcs = relation.made_by[1] if relation.made_by else vcs
    found: Run | Runs | Saturation
    if load is None:
        found = _search(relation, point, json, time_limit, chosen)
    elif seeds is not None:
        found = _several(relation, load, point | cycles, seeds, jobs, json, time_limit, chosen)
    else:
        steps = interval or (None if series is None else STEP)
        found = run = _one(relation, load, point | cycles | {"interval": steps}, channels, json, time_limit, chosen)
        if len(run.faults) < len(fault or ()):
            say(f"the run ended in cycle {run.cycles}, before all faults had come")
        if out is not None:
            _draw(relation, run, out)
        if export is not None:
            _export(relation, run, export, {"network": network_for(export, network), "routing": routing, "vcs": vcs})
        if series is not None:
            from unknot.report import write_series

            write_series(run, series, title=f"{relation.name} on {relation.network.name}, load {load:g}")
            say(f"wrote {series}")
    rows = found.rows if real is None else [real.of_row(row) for row in found.rows]
    if real is not None and not json:
        from unknot.commands.display import show_units

        show_units(rows)
    write_rows(rows, csv)


STEP = 100
"""Cycles between two points of a drawing over time."""
RUN = 4096
"""Bytes of a run that is kept, its channels apart."""


def _given(options: dict[str, Any]) -> str:
    """The first of these options that was given."""
    return next((name for name, value in options.items() if value not in (None, False)), "")


def _one(
    relation: Relation,
    load: float,
    point: dict[str, Any],
    channels: bool,
    json: bool,
    time_limit: float | None,
    chosen: bool,
) -> Run:
    from unknot.commands import activity, display
    from unknot.simulation import simulate as run_flits
    from unknot.simulation.run.options import run_threads

    alone = bool(point.get("faults") or point.get("classes"))
    threads = run_threads(point["threads"], relation.network, alone=alone)
    clock = _Clock(alone=threads == 1 and time_limit is None)
    with activity.cycles("simulating") as progress:
        found = limited(
            time_limit, lambda: run_flits(relation, load, **point, progress=lambda *at: clock.describe(progress, *at))
        )
    if json:
        from unknot.answers.form import answer
        from unknot.answers.runs import SimulateAnswer, channels_of

        cost = clock.nanoseconds() / found.flit_hops if found.flit_hops else None
        every = channels_of(relation, found) if channels else None
        print_json(
            answer(
                SimulateAnswer,
                found,
                of=relation,
                ns_per_flit_hop=cost,
                channels=every,
                vcs_chosen=chosen,
                network=relation.network,
            )
        )
    else:
        display.show_run(relation, found, chosen=chosen)
    return found


def _several(
    relation: Relation,
    load: float,
    point: dict[str, Any],
    seeds: int,
    jobs: int,
    json: bool,
    time_limit: float | None,
    chosen: bool,
) -> Runs:
    from contextlib import ExitStack
    from functools import partial

    from unknot.commands import activity, display
    from unknot.memory import require
    from unknot.simulation import replicate
    from unknot.studies.workers import workers

    require("keeping the runs of all --seeds", seeds * (RUN + 32 * relation.network.num_channels))
    first = point.pop("seed")
    with activity.progress_bar("simulating") as progress, ExitStack() as stack:
        pool = None if jobs == 1 else stack.enter_context(workers(None, min(jobs, seeds)))
        every = range(first, first + seeds)
        run = partial(replicate, relation, load, seeds=every, executor=pool, progress=progress, **point)
        found = limited(time_limit, run)
    if json:
        from unknot.answers.form import answer
        from unknot.answers.runs import SeedsAnswer

        print_json(answer(SeedsAnswer, found, of=relation, vcs_chosen=chosen))
    else:
        display.show_runs(relation, found, chosen=chosen)
    return found


def _draw(relation: Relation, run: Run, out: Path) -> None:
    from unknot.report import draw_configuration, draw_load

    if run.deadlock is not None:
        write(out, draw_configuration(relation, run.deadlock))
        return
    note = f"{relation.name}, load {run.offered_load:g}{'' if run.stable else ', not stable'}"
    write(out, draw_load(relation.network, run.utilisation, note=note))


def _export(relation: Relation, run: Run, file: Path, words: dict[str, Any]) -> None:
    from unknot.answers.configuration_file import write_configuration

    if run.deadlock is None:
        say(f"no deadlock, so {file} was not written")
        return
    write_configuration(relation, run.deadlock, file, **words)
    say(f"wrote {file}")


def _search(
    relation: Relation, point: dict[str, Any], json: bool, time_limit: float | None, chosen: bool
) -> Saturation:
    from unknot.commands import activity, display
    from unknot.simulation import saturation, zero_load_latency

    alone = ("packet_length", "switching", "traffic", "router")
    with activity.cycles("searching") as progress:
        empty, found = limited(
            time_limit,
            lambda: (
                zero_load_latency(relation, **{key: point[key] for key in alone}),
                saturation(relation, **point, progress=progress),
            ),
        )
    if json:
        from unknot.answers.form import answer
        from unknot.answers.runs import SaturationAnswer

        print_json(answer(SaturationAnswer, found, of=relation, zero_load_latency=empty, vcs_chosen=chosen))
    else:
        display.show_saturation(relation, found, empty, chosen=chosen)
    return found


class _Clock:
    """Processor time of a run from the moment everything is compiled: of the thread, or of all if it has several."""

    def __init__(self, *, alone: bool) -> None:
        import time

        self.read = time.thread_time_ns if alone else time.process_time_ns
        self.began: int | None = None

    def describe(self, further: Any, stage: str, cycle: int, total: int) -> None:
        if self.began is None:
            self.began = self.read()
        further(stage, cycle, total)

    def nanoseconds(self) -> int:
        return self.read() - (self.began or 0)
