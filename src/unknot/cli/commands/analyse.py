"""`unknot analyse`."""

from __future__ import annotations

from pathlib import Path

import typer

from unknot.cli.commands.options import Json, MostTime, NetworkText
from unknot.cli.commands.shared import relation_of
from unknot.cli.commands.written import write_evidence
from unknot.cli.exit_codes import UNDECIDED


def analyse(
    network: NetworkText,
    routing: str,
    vcs: int | None = None,
    traffic: str = "uniform",
    best: bool = False,
    units: str | None = None,
    deadline: MostTime = None,
    evidence: Path | None = None,
    json: Json = False,
) -> None:
    """Show adaptivity, channel loads, unused VCs and livelock of a routing.

    The answer has the lengths of routes, adaptivity with a forbidden path, livelock with a cycle, unused virtual
    channels, channel loads and the ideal throughput. --evidence has delivery, livelock, and the longest route.

    Exit code 0: the answer has all properties; 3: time ran out before some.

    Parameters
    ----------
    traffic
        Pattern for the loads, such as uniform or transpose.
    best
        Also find the best split of the traffic over all permitted routes.
    """
    from unknot._base.units import Scale
    from unknot.cli.answers.analyses import AnalyseAnswer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.verify.properties import properties

    scale = Scale.of(units)
    relation = relation_of(network, routing, vcs, proved=True)
    with activity.working("analyse") as progress:
        facts = properties(relation, traffic=traffic, best=best, time_limit=deadline, progress=progress)
    if evidence is not None:
        from unknot.verify.delivery import answer_claims

        write_evidence(evidence, relation, answer_claims(relation, [], facts.delivery))
    loads = [{"load": load.highest, "throughput": load.throughput} for load in (facts.loads, facts.best) if load]
    tell(
        json, AnalyseAnswer, facts, facts.delivery, of=relation, scale=scale,
        livelock={"free": facts.livelock.free, "cycles": facts.livelock.describe(relation)},
        units=in_units(scale.units, loads),
    )  # fmt: skip
    if deadline is not None and deadline.over and facts.left_out:
        raise typer.Exit(UNDECIDED)
