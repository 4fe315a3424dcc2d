"""`unknot simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot.commands.options import BufferDepth, Json, NetworkText, RoutingText, SwitchingName, Vcs
from unknot.commands.outcomes import say
from unknot.commands.shared import print_json, relation_of, write

if TYPE_CHECKING:
    from unknot.routing.relation import Relation
    from unknot.simulation import Run


def simulate(
    network: NetworkText,
    routing: RoutingText,
    load: Annotated[float | None, typer.Option(help="Offered load in flits per terminal per cycle.")] = None,
    vcs: Vcs = None,
    packet_length: Annotated[int, typer.Option(help="Flits.")] = 1,
    switching: SwitchingName = "wormhole",
    buffer_depth: BufferDepth = 8,
    traffic: Annotated[
        str, typer.Option(help="A pattern: uniform, transpose, tornado, 'hotspot(3, share=0.1)' and others.")
    ] = "uniform",
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 1,
    warmup: Annotated[
        int | None, typer.Option(help="Cycles before measuring; by default chosen for the network.")
    ] = None,
    measure: Annotated[int | None, typer.Option(help="Cycles in which packets are measured.")] = None,
    saturation: Annotated[
        bool, typer.Option("--saturation", help="Search for the load at which it saturates instead.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write a drawing of where the load sits, .svg or .png.", dir_okay=False)
    ] = None,
    channels: Annotated[
        bool, typer.Option("--channels", help="With --json: every channel, how busy it was.")
    ] = False,
    json: Json = False,
) -> None:
    """Run one design flit by flit."""
    from unknot import answers, terminal
    from unknot.errors import SimulationError
    from unknot.simulation import simulate as run_flits
    from unknot.switching import switching_named

    technique = switching_named(switching)
    if (load is None) == (not saturation):
        raise SimulationError("give either --load, or --saturation to have the load searched")
    point: dict[str, Any] = {
        "packet_length": packet_length,
        "switching": technique,
        "buffer_depth": buffer_depth,
        "seed": seed,
        "traffic": traffic,
    }
    if out is not None:
        from unknot.report.picture import require_ending

        require_ending(out)
    relation = relation_of(network, routing, vcs)
    sizes = answers.of_relation(relation) | {"network": answers.of_network(relation.network)}
    if load is None:
        if out is not None or channels or warmup is not None or measure is not None:
            raise SimulationError("--out, --channels, --warmup and --measure are for one run, not for --saturation")
        _search(relation, point, sizes, json)
        return
    clock = _Clock()
    with terminal.cycles("simulating") as tell:
        found = run_flits(
            relation, load, **point, warmup=warmup, measure=measure, progress=lambda *at: clock.tell(tell, *at)
        )
    if json:
        cost = {"ns_per_flit_hop": clock.nanoseconds() / found.flit_hops if found.flit_hops else None}
        every = {"channels": answers.of_channels(relation, found)} if channels else {}
        print_json(answers.of_run(relation, found) | cost | sizes | every)
    else:
        terminal.show_run(relation, found)
    if out is not None:
        _draw(relation, found, out)


def _draw(relation: Relation, run: Run, out: Path) -> None:
    from unknot.report import draw_load

    if run.deadlock is not None and not run.utilisation.any():
        say("deadlocked before anything was measured: the drawing shows no load")
    note = f"{relation.name}, load {run.offered_load:g}{'' if run.stable else ', not stable'}"
    write(out, draw_load(relation.network, run.utilisation, note=note))


def _search(relation: Relation, point: dict[str, Any], sizes: dict[str, Any], json: bool) -> None:
    from unknot import answers, terminal
    from unknot.simulation import saturation, zero_load_latency

    empty = zero_load_latency(relation, **{key: point[key] for key in ("packet_length", "switching", "traffic")})
    with terminal.cycles("searching") as tell:
        found = saturation(relation, **point, progress=tell)
    if json:
        print_json(answers.of_saturation(relation, found) | {"zero_load_latency": empty} | sizes)
    else:
        terminal.show_saturation(relation, found, empty)


class _Clock:
    """Processor time of a run from the moment everything is compiled."""

    def __init__(self) -> None:
        self.began: int | None = None

    def tell(self, further: Any, stage: str, cycle: int) -> None:
        import time

        if self.began is None:
            self.began = time.thread_time_ns()
        further(stage, cycle)

    def nanoseconds(self) -> int:
        import time

        return time.thread_time_ns() - (self.began or 0)
