"""The runs of `unknot simulate`: one, several seeds, or a search for saturation; and what is drawn of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import SimulationError
from unknot.cli.commands.shared import write

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot._base.units import Scale
    from unknot.cli.answers.form import Form
    from unknot.network import Network
    from unknot.routing.relation import Relation
    from unknot.simulation import Run, Runs, Saturation
    from unknot.traffic import Pattern

RUN = 4096
"""Bytes of a run that is kept, its channels apart."""


@dataclass(frozen=True)
class Task:
    """A design to simulate, and how its answer is printed.

    Attributes
    ----------
    point : dict
        Arguments of `unknot.simulate`.
    json : bool
        Whether the answer is JSON.
    deadline : Deadline, optional
        Of the command.
    chosen : bool
        Whether the number of VCs was chosen for lack of one given.
    scale : Scale
        What times and loads are printed in.
    """

    relation: Relation
    point: dict[str, Any]
    json: bool
    deadline: Deadline | None
    chosen: bool
    scale: Scale

    def tell(self, form: type[Form], outcome: Any, rows: Iterable[Mapping[str, Any]] = (), **more: Any) -> None:
        """Print what came out, with `rows` of figures in units, if units were given."""
        from unknot.cli.answers.networks import in_units
        from unknot.cli.commands.display import tell

        units = in_units(self.scale.units, rows or outcome.rows)
        more = {"vcs_chosen": self.chosen, "units": units, **more}
        tell(self.json, form, outcome, of=self.relation, scale=self.scale, **more)


def load_of(flows: Pattern, scale: Scale, network: Network) -> float:
    """The load at which the busiest terminal sends what a file of flows says, in MB/s.

    Raises
    ------
    SimulationError
        If that is more than a flit per cycle.
    """
    assert scale.units is not None
    assert flows.weight is not None
    rates = flows.weight.sum(axis=1) / 1000
    load = scale.units.flits_per_cycle(float(rates.max()))
    if load > 1:
        raise SimulationError(
            f"{flows.name}: {network.terminal_name(int(rates.argmax()))} sends {rates.max():.4g} GB/s, and a "
            f"terminal sends {scale.units.gb_per_s(1):.4g} GB/s at most with {scale.units}; --load scales the flows"
        )
    return load


def one(task: Task, load: float, channels: bool) -> Run:
    """Make one run and print it."""
    from unknot.cli.answers.runs import SimulateAnswer, channels_of, flows_of
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import describe
    from unknot.simulation import simulate as run_flits
    from unknot.simulation.run.scenario import run_threads

    alone = bool(task.point.get("faults") or task.point.get("classes"))
    threads = run_threads(task.point["threads"], task.relation.network, load, alone=alone)
    clock = _Clock(alone=threads == 1)
    sent = task.point["traffic"]
    flows = None if isinstance(sent, str) else sent
    with activity.working("simulating") as progress:
        run = run_flits(
            task.relation,
            load,
            **task.point,
            by_pair=flows is not None,
            progress=lambda *at: clock.describe(progress, *at),
        )
    hint = ""
    if not (run.stable or alone or task.deadline):
        from unknot.simulation.run.limits import hint as tried

        with activity.working("trying what helps") as progress:
            hint = tried(task.relation, run, traffic=sent, progress=progress)
    units = task.scale.units
    every = channels_of(task.relation, run, units) if channels or flows else None
    if every and not task.json:
        every.sort(key=lambda channel: -channel["utilisation"])
    busiest = channels_of(task.relation, run, units, busiest=True)[0] if run.utilisation.size else None
    task.tell(
        SimulateAnswer, run, hint=hint, channels=every, busiest=busiest, network=task.relation.network,
        flows=None if flows is None else flows_of(run, flows, units),
        ns_per_flit_hop=clock.nanoseconds() / run.flit_hops if run.flit_hops else None,
    )  # fmt: skip
    if not task.json:
        describe(task.relation, run.deadlock, run.packet_length)
    return run


def several(task: Task, load: float, seeds: int, jobs: int) -> Runs:
    """Make one run for each seed and print them."""
    from contextlib import ExitStack

    from unknot._base.memory import require
    from unknot.cli.answers.runs import SeedsAnswer
    from unknot.cli.commands import activity
    from unknot.simulation import replicate
    from unknot.simulation.run.replication import FEWEST_SEEDS
    from unknot.studies.workers import workers

    require("keeping the runs of all --seeds", seeds * (RUN + 32 * task.relation.network.num_channels))
    point = dict(task.point)
    first = point.pop("seed")
    with activity.working("simulating") as progress, ExitStack() as stack:
        pool = None if jobs == 1 else stack.enter_context(workers(None, min(jobs, seeds)))
        every = range(first, first + seeds)
        runs = replicate(task.relation, load, seeds=every, executor=pool, progress=progress, **point)
    point = {
        name: getattr(runs.runs[0], name) for name in ("switching", "buffer_depth", "traffic", "router", "bursts")
    }
    few = f"too few seeds: {FEWEST_SEEDS} are needed" if len(runs.runs) < FEWEST_SEEDS else ""
    task.tell(SeedsAnswer, runs, intervals=few, **point)
    return runs


def search(task: Task) -> Saturation:
    """Search for the load at which it saturates and print it."""
    from unknot.cli.answers.runs import SaturationAnswer
    from unknot.cli.commands import activity
    from unknot.simulation import saturation, zero_load_latency

    alone = ("packet_length", "switching", "traffic", "router")
    with activity.working("searching") as progress:
        empty = zero_load_latency(task.relation, **{key: task.point[key] for key in alone})
        limit = saturation(task.relation, **task.point, progress=progress)
    figures = {"zero_load_latency": empty, "load": limit.load, "throughput": limit.throughput}
    task.tell(SaturationAnswer, limit, rows=[figures, *limit.rows], zero_load_latency=empty)
    return limit


def draw(relation: Relation, run: Run, out: Path, scale: Scale) -> None:
    """Draw the load of a run, or its deadlock."""
    from unknot.report import draw_configuration, draw_load

    if run.deadlock is not None:
        write(out, draw_configuration(relation, run.deadlock))
        return
    note = f"{relation.name}, load {run.offered_load:g}{'' if run.stable else f', {run.outcome}'}"
    write(out, draw_load(relation.network, run.utilisation, note=note, units=scale.units))


class _Clock:
    """Processor time of a run from the moment everything is compiled: of the thread, or of all if it has several."""

    def __init__(self, *, alone: bool) -> None:
        import time

        self.read = time.thread_time_ns if alone else time.process_time_ns
        self.began: int | None = None

    def describe(self, further: Any, stage: str, cycle: int, total: int) -> None:
        if self.began is None:
            self.began = self.read()
        further(f"{stage}, cycle", cycle, total)

    def nanoseconds(self) -> int:
        return self.read() - (self.began or 0)
