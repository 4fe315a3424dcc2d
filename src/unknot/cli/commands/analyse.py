"""`unknot analyse`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot.cli.commands.options import EvidenceDocument, Json, MostTime, NetworkText, RoutingText, UnitsText, Vcs
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import limited, relation_of, write_evidence
from unknot.cli.exit_codes import UNDECIDED

if TYPE_CHECKING:
    from unknot._base.units import Scale, Units
    from unknot.routing.relation import Relation
    from unknot.simulation.run.costs import Cost
    from unknot.verify.properties import Properties


def analyse(
    network: NetworkText,
    routing: RoutingText,
    vcs: Vcs = None,
    traffic: str = "uniform",
    best: bool = False,
    flits: Annotated[
        int | None,
        typer.Option(
            help="Also print what a message of this many flits takes alone, by simulator and cost model.", min=1
        ),
    ] = None,
    units: UnitsText = None,
    deadline: MostTime = None,
    evidence: EvidenceDocument = None,
    json: Json = False,
) -> None:
    """Tell the properties of a routing beside deadlock.

    Length and coherence of routes, adaptivity with a forbidden path, livelock with a cycle, virtual channels and
    those that are never used, channel loads and ideal throughput. --evidence has delivery, livelock, and the longest
    route.

    Exit code 0: all was found; 3: there was no time for some.

    Parameters
    ----------
    traffic
        A pattern for the loads, such as uniform or transpose.
    best
        Also find the best split of the traffic over all permitted routes.
    """
    from unknot._base.units import Scale
    from unknot.cli.commands import activity
    from unknot.verify.properties import properties

    scale = Scale.of(units)
    relation = limited(deadline, lambda: relation_of(network, routing, vcs, proved=True))
    with activity.working("analyse", tenths=True) as progress:
        find = partial(properties, relation, traffic=traffic, best=best, time_limit=deadline, progress=progress)
        facts = limited(deadline and deadline.closing, find)
    times: tuple[Cost, ...] = ()
    if flits is not None:
        from unknot.simulation.run.costs import costs

        times = limited(deadline, partial(costs, relation, packet_length=flits, traffic=traffic))
    if evidence is not None:
        from unknot.certificates.documents import answer_claims

        write_evidence(evidence, relation.network, relation, answer_claims(relation, [], facts.delivery))
    if json:
        show_json(_answer(relation, facts, times, scale.units))
    else:
        _show(relation, facts, traffic, scale)
        if times:
            _show_costs(times, scale)
    if deadline is not None and deadline.over and facts.left_out:
        raise typer.Exit(UNDECIDED)


def _show_costs(costs: tuple[Cost, ...], scale: Scale) -> None:
    """Print a message's latency alone in the network, under each technique."""
    from unknot.cli.commands import display

    first, rows = costs[0], []
    for cost in costs:
        formula = "d (β + L τ)" if cost.switching == "saf" else "d β + L τ"
        simulated, model = (f"{cycles:.2f}{scale.ns(cycles)}" for cycles in (cost.simulated, cost.model))
        rows.append((cost.switching, simulated, model, formula))
    constants = f"{first.hops:.4g} hops, β = {first.beta:.4g}, τ = {first.tau:.4g}"
    right = ("cycles", "cost model")
    display.print_table(("switching", *right, ""), rows, title=f"{first.flits} flits alone: {constants}", right=right)


def _show(relation: Relation, facts: Properties, traffic: str, scale: Scale) -> None:
    from rich.text import Text

    from unknot.cli.commands import display
    from unknot.report.phrases import span

    network, delivery, paths, use = relation.network, facts.delivery, facts.adaptivity, facts.vc_use
    yes = display.answer
    rows: list[tuple[str, str | Text]] = [
        ("network", network.name),
        ("routing", relation.name),
        ("delivers", yes(delivery.delivered)),
        ("minimal", yes(bool(delivery.minimal))),
        ("longest route", "endless" if delivery.longest_route is None else f"{delivery.longest_route} hops"),
        ("livelock-free", yes(facts.livelock.free)),
        *(("", text) for text in facts.livelock.describe(relation)[:1]),
        ("coherent", yes(facts.coherence.coherent)),
        ("", facts.coherence.witness.describe(relation) if facts.coherence.witness else ""),
        ("fully adaptive", yes(paths.fully_adaptive)),
        ("adaptivity", f"{paths.mean:.4f} of the shortest paths of a pair are permitted on average"),
    ]
    if paths.worst_pair is not None:
        pair = " to ".join(network.terminal_name(t) for t in paths.worst_pair)
        rows.append(("worst pair", f"{paths.worst_permitted} of {paths.worst_paths}, {pair}"))
    unused = ", ".join(relation.vcs.name(int(vc)) for vc in use.unused[:4])
    more = ", …" if use.unused.size > 4 else ""
    rows += [
        ("forbidden", paths.forbidden.describe(relation) if paths.forbidden else ""),
        ("VCs", f"{use.total} in all; {span(*use.per_channel)} per channel, {span(*use.per_router)} leave a router"),
        ("never used", f"{use.unused.size} VCs: {unused}{more}" if use.unused.size else "none"),
    ]
    for label, load in ((f"{traffic} traffic", facts.loads), ("best split", facts.best)):
        if load is not None:
            busiest = "" if load.busiest is None else f" on {network.channel_name(load.busiest)}"
            highest = f"{load.highest:.4g} flits per cycle{scale.gb_per_s(load.highest)}{busiest}"
            ideal = f"ideal throughput {load.throughput:.4g}{scale.gb_per_s(load.throughput)}"
            rows.append((label, f"{highest}, {ideal}"))
    rows += [("", reason) for reason in facts.left_out]
    display.print_rows(rows)


def _answer(relation: Relation, facts: Properties, times: tuple[Cost, ...], units: Units | None) -> dict[str, Any]:
    from unknot.cli.answers.analyses import AnalyseAnswer
    from unknot.cli.answers.form import answer
    from unknot.cli.answers.networks import in_units

    witness = facts.coherence.witness
    coherence = {**vars(facts.coherence), "witness": None if witness is None else witness.describe(relation)}
    livelock = {"free": facts.livelock.free, "cycles": facts.livelock.describe(relation)}
    loads = [{"load": load.highest, "throughput": load.throughput} for load in (facts.loads, facts.best) if load]
    alone = [{f"latency_{cost.switching}": cost.simulated for cost in times}] if times else []
    more = {"livelock": livelock, "coherence": coherence, "costs": times, "units": in_units(units, loads + alone)}
    return answer(AnalyseAnswer, facts, facts.delivery, of=relation, **more)
