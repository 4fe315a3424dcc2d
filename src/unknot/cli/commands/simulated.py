"""The runs of `unknot simulate`: one, several seeds, or a search for saturation; and what is drawn of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unknot._base.errors import SimulationError, UnknotError
from unknot.cli.commands.answer_files import KINDS
from unknot.cli.commands.asking import PICTURES, named

if TYPE_CHECKING:
    from unknot._base.units import Scale, Units
    from unknot.cli.answers.form import Form
    from unknot.cli.commands.simulate import SimulateCommandOptions
    from unknot.flow_control.model import FlowControl
    from unknot.network import Network
    from unknot.report.picture import Drawing
    from unknot.routing.relation import Relation
    from unknot.simulation import Run
    from unknot.traffic import Pattern

ASSUMED = (
    "every router knows of a fault in its cycle, and lost packets free their buffers at once; a second fault, of the "
    "routing alone, brings new routes after a delay"
)
"""What a run with faults takes for granted, in words."""
RUN = 4096
"""Bytes of a run that is kept, its channels apart."""


PROOF = 1.0
"""Seconds of work of a proof beside a run."""
Told = tuple["type[Form]", Any, dict[str, Any]]
"""A form, what fills it, and further keys."""


def common(options: SimulateCommandOptions) -> dict[str, Any]:
    """What runs take, with a protocol or without."""
    from unknot.simulation.run import options as parsed

    return options.some("buffer_depth", "seed") | {
        "packet_length": parsed.lengths_of(options.packet_length),
        "router": parsed.router_of(options.router),
    }


def refuse_pictures(option: str) -> None:
    """Refuse pictures beside an option that makes more runs, or another kind."""
    for file in named(*PICTURES):
        raise UnknotError(f"{file}: a picture is of one run; with {option}, --out writes {', '.join(KINDS)}")


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


def takes_vcs(text: str, relation: Relation) -> bool:
    """Whether --vcs can give a routing another number of VCs; a file of the user is not run again to learn it."""
    from unknot.routing.named import routing_named
    from unknot.routing.own import is_code

    if is_code(text):
        return relation.made_by is not None and relation.made_by[1] is not None
    return routing_named(text).takes_vcs


def proof(relation: Relation, switching: str, flow: FlowControl | None, buffer_depth: int) -> str:
    """Say in a line what is proved of a design, as far as that takes no longer than its run."""
    from unknot._base.errors import UnknotError
    from unknot._base.work import counting_work
    from unknot.flow_control.techniques import technique_of
    from unknot.routing.tabulate import FEW
    from unknot.verify import check

    pairs = relation.vcs.router.size * relation.num_addresses
    if pairs > FEW:
        return f"not asked: {pairs:,} pairs of input VC and address would delay the run; `unknot check` asks"
    technique = switching if flow is None else technique_of(flow)
    try:
        with counting_work():
            verdict = check(relation, technique, time_limit=PROOF, buffer_depth=buffer_depth, flow=flow)
    except UnknotError as error:
        return f"open: {error}"
    answer = {True: "deadlock-free", False: "NOT deadlock-free", None: "open"}[verdict.deadlock_free]
    return f"{answer}: {verdict.established}"


def one(
    relation: Relation, load: float, point: dict[str, Any], units: Units | None, *, channels: bool, hinted: bool
) -> Told:
    """Make one run; `hinted` adds advice to an unstable result."""
    from unknot.cli.answers.runs import SimulateAnswer, channels_of, flows_of, routers_of
    from unknot.cli.commands import activity
    from unknot.simulation import simulate as run_flits
    from unknot.simulation.run.start import run_threads

    alone = "classes" in point or bool(point["flow"] or point["watchdog"] or point.get("faults"))
    threads = run_threads(point["threads"], relation.network, load, alone=alone)
    clock = _Clock(alone=threads == 1)
    sent = point["traffic"]
    flows = None if isinstance(sent, str) else sent
    with activity.working("simulating") as progress:
        run = run_flits(
            relation,
            load,
            **point,
            by_pair=flows is not None,
            progress=lambda *at: clock.describe(progress, *at),
        )
    hint = ""
    if hinted and not (run.stable or alone):
        from unknot.simulation.run.hint import hint as tried

        with activity.working("trying what helps") as progress:
            hint = tried(relation, run, traffic=sent, progress=progress)
    return (
        SimulateAnswer,
        run,
        {
            "hint": hint,
            "assumed": ASSUMED if run.faults else "",
            "channels": channels_of(relation, run, units) if channels or flows else None,
            "routers": routers_of(run) if channels else None,
            "busiest": channels_of(relation, run, units, busiest=True)[0] if run.utilisation.size else None,
            "network": relation.network,
            "flows": None if flows is None else flows_of(run, flows, units),
            "ns_per_flit_hop": clock.nanoseconds() / run.flit_hops if run.flit_hops else None,
        },
    )


def several(relation: Relation, load: float, point: dict[str, Any], seeds: int, jobs: int) -> Told:
    """Make one run for each seed."""
    from contextlib import ExitStack

    from unknot._base.memory import require
    from unknot.cli.answers.runs import SimulateSeedsAnswer
    from unknot.cli.commands import activity
    from unknot.simulation import replicate
    from unknot.simulation.run.replication import FEWEST_SEEDS
    from unknot.studies.workers import workers

    require("keeping the runs of all --seeds", seeds * (RUN + 32 * relation.network.num_channels))
    first = point.pop("seed")
    with activity.working("simulating") as progress, ExitStack() as stack:
        pool = None if jobs == 1 else stack.enter_context(workers(None, min(jobs, seeds)))
        every = range(first, first + seeds)
        runs = replicate(relation, load, seeds=every, executor=pool, progress=progress, **point)
    shared = ("switching", "buffer_depth", "traffic", "router", "bursts")
    few = f"too few seeds: {FEWEST_SEEDS} are needed" if len(runs.runs) < FEWEST_SEEDS else ""
    return SimulateSeedsAnswer, runs, {"intervals": few} | {name: getattr(runs.runs[0], name) for name in shared}


def search(relation: Relation, point: dict[str, Any]) -> Told:
    """Search for the load at which it saturates."""
    from unknot.cli.answers.runs import SimulateSaturationAnswer
    from unknot.cli.commands import activity
    from unknot.simulation import saturation, zero_load_latency

    alone = ("packet_length", "switching", "traffic", "router")
    with activity.working("searching") as progress:
        # The formula is for channels that pass a flit in each cycle.
        plain = bool((relation.network.bandwidth == 1).all())
        empty = zero_load_latency(relation, **{key: point[key] for key in alone}) if plain else None
        limit = saturation(relation, **point, progress=progress)
    figures = ({"zero_load_latency": empty} if plain else {}) | {
        name: getattr(limit, name) for name in ("lower", "load", "throughput")
    }
    return SimulateSaturationAnswer, limit, {"rows": [figures, *limit.rows], "zero_load_latency": empty}


def picture(relation: Relation, run: Run, scale: Scale) -> Drawing:
    """Draw the load of a run, with a technology the power of its channels, or its deadlock."""
    from unknot.report import draw_configuration, draw_load

    if run.deadlock is not None:
        return draw_configuration(relation, run.deadlock)
    note = f"{relation.name}, load {run.offered_load:g}{'' if run.stable else f', {run.outcome}'}"
    if run.energy is None:
        return draw_load(relation.network, run.utilisation, note=note, units=scale.units)
    if run.energy.pj_per_bit is not None:
        note += f", {run.energy.pj_per_bit:.3g} pJ per bit"
    power = run.energy.channel_dynamic_mw + run.energy.channel_static_mw
    return draw_load(relation.network, power, note=note, quantity="Power")


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
