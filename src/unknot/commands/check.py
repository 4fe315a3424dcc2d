"""`unknot check`."""

from __future__ import annotations

import typer

from unknot.commands.options import (
    BufferDepth,
    Json,
    NetworkText,
    Picture,
    RoutingText,
    SwitchingName,
    TimeLimit,
    Vcs,
)
from unknot.commands.shared import exit_code, print_json, relation_of, write


def check(
    network: NetworkText,
    routing: RoutingText,
    vcs: Vcs = None,
    switching: SwitchingName = "wormhole",
    time_limit: TimeLimit = 60.0,
    buffer_depth: BufferDepth = 8,
    out: Picture = None,
    json: Json = False,
) -> None:
    """Prove that a routing cannot deadlock and delivers every pair, or show how it fails.

    Exit code 0: it holds; 1: it does not; 3: undecided in the time given.
    """
    from unknot import answers, terminal
    from unknot.checker import evidence_holds
    from unknot.switching import switching_named
    from unknot.verify import check as decide
    from unknot.verify import deliver

    technique = switching_named(switching)
    relation = relation_of(network, routing, vcs)
    with terminal.busy("proving"):
        verdict = decide(relation, technique, time_limit=time_limit, buffer_depth=buffer_depth)
        delivery = deliver(relation)
        holds = evidence_holds(relation, verdict)
    if out is not None:
        from unknot.report import draw_configuration, draw_network

        found = verdict.configuration
        write(out, draw_network(relation.network) if found is None else draw_configuration(relation, found))
    if json:
        print_json(
            {
                **answers.of_verdict(relation, verdict, holds),
                **answers.of_delivery(relation, delivery),
                **answers.of_relation(relation),
                "network": answers.of_network(relation.network),
            }
        )
    else:
        terminal.show_check(relation, verdict, delivery, holds)
    raise typer.Exit(exit_code(verdict.deadlock_free, delivery.delivered))
