"""Conclusion, figures and files of `unknot lanes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unknot.cli.commands import display
from unknot.cli.commands.outcomes import notify
from unknot.cli.commands.shared import write_evidence
from unknot.lanes import ChangingLanes, Lanes, LongerLanes

if TYPE_CHECKING:
    from unknot.cli.commands.display import Rows
    from unknot.cli.commands.shared import Proved

CLAUSES = ".cnf"
HOW = {
    "rising": ", of which packets may take a higher one at each hop,",
    "any": ", which packets may change at each hop,",
    "ports": ", changed by ports,",
}
"""How packets change their lanes, by the value of `--changes`."""


def write_lane_evidence(routes: Lanes | ChangingLanes | LongerLanes, proof: Proved, path: Path) -> None:
    """Write that the routes are safe and arrive, and why fewer lanes are impossible."""
    from unknot.lanes.evidence import bound_claim

    claims = proof.claims(routes.relation)
    if not isinstance(routes, LongerLanes) and routes.evidence is not None:
        claims.append(bound_claim(routes.evidence, routes.sends, routes.given))
    if not isinstance(routes, LongerLanes) and routes.load_evidence is not None:
        claims.append(routes.load_evidence.claim)
    write_evidence(path, routes.relation.network, routes.relation, claims)


def write_routes(routes: Lanes | ChangingLanes | LongerLanes, out: Path) -> None:
    """Write routes as tables, or the evidence of a refutation as clauses and a proof."""
    from unknot.lanes import Refutation, write_refutation
    from unknot.report.export import export

    if isinstance(routes, LongerLanes) or out.suffix.lower() != CLAUSES:
        export(routes.relation, out)
    elif isinstance(routes.evidence, Refutation):
        network, sends, given = routes.relation.network, routes.sends, routes.given
        files = write_refutation(network, routes.evidence, out, sends=sends, given=given)
        notify(f"the proof is in {files.drat} and {files.lrat}")
    else:
        notify(f"{out} was not written: no clauses were refuted; a cycle of turns, or nothing, shows the bound")


def conclusion(routes: Lanes | ChangingLanes | LongerLanes) -> str:
    """Return the conclusion in a sentence or two."""
    one = routes.count == 1
    if isinstance(routes, LongerLanes):
        lanes = f"In {routes.count} lane{'s' * (not one)}"
        if not routes.longer_pairs:
            return f"{lanes} all {routes.pairs} routes are shortest paths."
        return f"{lanes} {routes.longer_pairs} of {routes.pairs} routes are longer than shortest paths."
    how = HOW[routes.changes] if isinstance(routes, ChangingLanes) else ""
    whom = f"all {routes.pairs} pairs of routers{'' if routes.sends is None else ' with flows'}"
    paths = {"free": "shortest paths between", "table": "shortest paths by tables between"}
    both = ", whose two directions share a lane" if routes.both_ways else ""
    served = f"{paths.get(routes.paths, 'the given paths of')} {whom}{both}"
    text = f"{'1 lane is' if one else f'{routes.count} lanes{how} are'} enough for {served}"
    if isinstance(routes, Lanes) and routes.least_count < routes.count:
        return f"{text}, with the lowest load that was found; {routes.least_count} would do."
    if routes.fewest:
        return f"{text}.{'' if one else ' Fewer are impossible.'}"
    return f"{text}. Whether {routes.count - 1} could do is open; {routes.lower_bound - 1} could not."


def rows(routes: Lanes | ChangingLanes | LongerLanes, proof: Proved, seconds: float) -> Rows:
    """Bounds, verdict and figures of routes."""
    proved: Rows = [
        ("deadlock-free", display.answer(proof.verdict.deadlock_free)),
        ("", f"{proof.verdict.established}; the separate checker {display.accepts(proof.holds)}"),
        *display.delivery_rows(routes.relation, proof.delivery),
    ]
    short = "" if routes.complete else "; it was cut short"
    if isinstance(routes, LongerLanes):
        detour = f"{routes.longest_detour} hop{'s' * (routes.longest_detour != 1)}"
        return [
            ("network", routes.relation.network.name),
            ("mean hops", f"{routes.mean_hops:.4g}; of shortest paths {routes.mean_shortest:.4g}"),
            ("longest detour", detour),
            ("highest load", f"{routes.highest_load:g}"),
            *_lane_rows(routes),
            *proved,
            ("search", f"{routes.moves:,} moves{short}"),
        ]
    changed = ""
    if isinstance(routes, ChangingLanes):
        changed = f"{routes.changing_pairs} of {routes.pairs} routes change their lane"
        if routes.levels is not None:
            changed += f"; {routes.levels} service level{'s are' if routes.levels > 1 else ' is'} in use"
    front = routes.front if isinstance(routes, Lanes) and len(routes.front) > 1 else ()
    unit = "routes" if routes.sends is None else "in the units of the flows"
    load = f"{routes.highest_load:g} {unit}; the mean of all is {routes.mean_load:.4g}"
    bound: Rows = []
    if routes.load_bound is not None and routes.load_gap is not None:
        least = "no load is lower" if routes.load_gap <= 0 else f"the highest load is {routes.load_gap:.2%} above it"
        holds = display.accepts(routes.load_bound_holds)
        bound.append(
            ("load bound", f"{routes.load_bound:.4g} on any shortest paths: {least}; the separate checker {holds}")
        )
    return [
        ("network", routes.relation.network.name),
        *_bound_rows(routes),
        ("changes", changed),
        *proved,
        ("highest load", load),
        *bound,
        *_lane_rows(routes),
        *(("front", f"{lanes} lanes: highest load {most:g}") for lanes, most in front),
        ("search", f"{routes.moves:,} moves in {seconds:.1f} s{short}"),
    ]


def _lane_rows(routes: Lanes | ChangingLanes | LongerLanes) -> Rows:
    """How pairs and loads are shared out among lanes, where there are several."""
    if isinstance(routes, ChangingLanes) or routes.count == 1:
        return []
    shares = zip(routes.lane_pairs, routes.lane_highest, strict=True)
    return [("in lanes", "; ".join(f"{pairs} pairs, highest load {most:g}" for pairs, most in shares))]


def _bound_rows(routes: Lanes | ChangingLanes) -> Rows:
    """The lower bound, its evidence, and what was tried with fewer lanes."""
    lines: Rows = [("lower bound", f"{routes.lower_bound}: {_bound(routes)}")]
    if routes.evidence is not None:
        lines.append(("evidence", f"the separate checker {display.accepts(routes.evidence_holds)}"))
    for lanes, (rounds, left) in sorted(routes.tried.items()):
        if lanes < routes.count:
            text = f"{lanes} lane{'s' * (lanes > 1)}: {rounds} rounds of search left {left} pairs or more"
            if routes.conflicts.get(lanes):
                text += f", and a SAT solver had no answer after {routes.conflicts[lanes]:,} conflicts"
            lines.append(("open" if lanes >= routes.lower_bound else "tried", text))
    return lines


def _bound(routes: Lanes | ChangingLanes) -> str:
    from unknot.lanes import Refutation, RouteCycle

    if isinstance(routes.evidence, Refutation):
        count = f"{routes.evidence.lanes} lane{'s are' if routes.evidence.lanes > 1 else ' is'} impossible"
        steps, cycles = len(routes.evidence.steps), len(routes.evidence.cycles)
        pairs = f"{len(routes.evidence.pairs)} pairs{' of routers' * (routes.given is None)}"
        return (
            f"{count}: with {cycles} cycles of channels that no lane may close, the clauses that the routes of "
            f"{pairs} fulfil contradict each other; the proof has {steps:,} step{'s' * (steps != 1)}"
        )
    if routes.evidence is None:
        return "there is no fewer than one"
    name = routes.relation.network.channel_name
    names = " → ".join(name(turn.channel) for turn in routes.evidence.turns)
    if isinstance(routes.evidence, RouteCycle):
        return f"1 lane is impossible: the given routes take each of these channels and then the next: {names}"
    return (
        "1 lane is impossible: each of these channels has to be followed by the next, because some pair of routers "
        f"has no other shortest path, and they close a cycle: {names}"
    )
