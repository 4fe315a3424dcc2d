"""`unknot simulate`."""

from __future__ import annotations

from typing import Annotated

import typer

from unknot.commands.options import BufferDepth, Json, NetworkText, RoutingText, SwitchingName, Vcs
from unknot.commands.shared import print_json, relation_of


def simulate(
    network: NetworkText,
    routing: RoutingText,
    load: Annotated[float, typer.Option(help="Offered load in flits per terminal per cycle.")],
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
    json: Json = False,
) -> None:
    """Run one design flit by flit."""
    from unknot import answers, terminal
    from unknot.simulation import simulate as run_flits
    from unknot.switching import switching_named

    technique = switching_named(switching)
    relation = relation_of(network, routing, vcs)
    with terminal.busy("simulating"):
        found = run_flits(
            relation,
            load,
            packet_length=packet_length,
            switching=technique,
            buffer_depth=buffer_depth,
            seed=seed,
            traffic=traffic,
            warmup=warmup,
            measure=measure,
        )
    if json:
        sizes = {"network": answers.of_network(relation.network)}
        print_json(answers.of_run(relation, found) | answers.of_relation(relation) | sizes)
    else:
        terminal.show_run(relation, found)
