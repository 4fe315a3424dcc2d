"""`unknot curve`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.cli.commands.answer_files import KINDS
from unknot.cli.commands.asking import PICTURES, named
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
from unknot.cli.commands.shared import flows_in, kept, kept_in, relation_of
from unknot.cli.commands.written import draw
from unknot.cli.exit_codes import UNDECIDED


@dataclass(frozen=True)
class CurveOptions(Options):
    """All options of `unknot curve`.

    Attributes
    ----------
    routing : NAME
        Routing, as in `simulate`; repeatable, a curve for each.
    switching : NAME
        Switching technique: saf, vct, wormhole or wormhole-nonatomic; or a flow control, as for `check`.
    loads : FROM:TO:STEP
        Offered loads, or a list: '0.1, 0.2'; of the busiest terminal.
    saturation
        Search for the saturation of each routing instead: an interval of 95 %, ± 1 %.
    differences
        Say by how many cycles each routing differs from the first: both run again under the same packets.
    beyond
        Continue the curve beyond the first unstable load.
    jobs
        Number of runs at a time; by default the number of cores.
    store
        SQLite file of results; by default beside the first --out.
    out : svg|png|pdf
        pictures of the curves
    """

    network: NetworkText
    routing: list[str]
    loads: str = "0.05:1:0.05"
    saturation: bool = False
    differences: bool = False
    beyond: bool = False
    vcs: int | None = None
    switching: str = DEFAULT_SWITCHING
    buffer_depth: int = BUFFER_DEPTH
    router: str = ""
    traffic: str = "uniform"
    flows: Path | None = None
    packet_length: str = "1"
    bursts: str | None = None
    warmup: int | None = None
    measure: int | None = None
    precision: float | None = None
    energy: str | None = None
    seed: Seed = SEED
    seeds: Seeds = None
    jobs: int | None = None
    store: Path | None = None
    deadline: MostTime = None
    units: str | None = None
    json: Json = False


def curve(options: CurveOptions) -> None:
    """Draw latency and accepted load against offered load, for one or several routings of a network.

    The command proves each routing first. The command keeps finished runs, so a stopped curve goes on when the
    command is repeated.

    Exit code 0: the curve is complete; 3: the time limit ended the curve, and the answer has the finished runs.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.curve("ring(5)", ["dimension_order", "up_down"], loads="0.1, 0.2", warmup=50, measure=200)
    >>> [(one.design.name, len(one.runs)) for one in answer.designs], len(answer.to_frame())
    ([('dimension_order', 2), ('up_down', 2)], 4)
    """
    from unknot._base.deadline import NEVER
    from unknot._base.errors import SimulationError
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.answers.studies import CurveAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.simulation.energy.option import energy_of
    from unknot.simulation.run import options as parsed
    from unknot.studies.load_curve import curve as measured_curve

    flows, deadline = options.flows, options.deadline
    if flows is not None and options.traffic != "uniform":
        raise SimulationError("--flows says who sends what; leave out --traffic")
    searched = options.saturation
    if searched:
        chosen = {"loads": options.loads != CurveOptions.loads}
        refuse_beside("--saturation", "chooses the loads", **chosen, **options.some("beyond", "differences"))
    scale, files = Scale.of(options.units), named(*KINDS, *PICTURES)
    store = options.store or (files[0].with_suffix(".sqlite") if files else None)
    relations = {
        text: relation_of(options.network, text, options.vcs, simulated=True, flows=flows) for text in options.routing
    }
    with kept_in(store), activity.working("curve") as progress:
        curves = measured_curve(
            relations,
            **(options.some("saturation") if searched else options.some("loads", "beyond", "differences")),
            **options.some("switching", "buffer_depth", "warmup", "measure", "precision", "jobs"),
            router=parsed.router_of(options.router),
            traffic=options.traffic if flows is None else flows_in(flows, next(iter(relations.values())).network),
            packet_length=parsed.lengths_of(options.packet_length),
            bursts=None if options.bursts is None else parsed.bursts_of(options.bursts),
            energy=energy_of(options.energy, "--energy"),
            seeds=range(options.seed, options.seed + (options.seeds or 1)),
            store=store,
            time_limit=deadline or NEVER,
            progress=progress,
            note=notify,
        )
    if curves.cut_short and deadline is not None:
        notify(f"given up after {deadline.seconds:g} s, the time limit; points that are done are {kept(store)}")
        if not curves.rows:
            raise typer.Exit(UNDECIDED)
    draw(partial(curves.plot, units=scale.units))
    tell(options.json, CurveAnswer, curves, scale=scale, units=in_units(scale.units, curves.rows))
    if curves.cut_short:
        raise typer.Exit(UNDECIDED)
