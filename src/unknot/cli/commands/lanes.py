"""`unknot lanes`."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from unknot._base.errors import RelationError
from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.options import (
    MINUTE,
    SEED,
    Json,
    NetworkText,
    Options,
    Seed,
    TimeLimit,
)
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.shared import exit_code
from unknot.cli.commands.written import write_evidence

if TYPE_CHECKING:
    from unknot.lane_assignment import ChangingLanes, Lanes, LongerLanes
    from unknot.network import Network
    from unknot.verify.examination import Examination


CLAUSES = ".cnf"
HOW = {
    "rising": ", of which packets may take a higher one at each hop,",
    "any": ", which packets may change at each hop,",
    "ports": ", changed by ports,",
}
"""How packets change their lanes, by the value of `--changes`."""


@dataclass(frozen=True)
class LanesOptions(Options):
    """What lanes are sought for, and where the answer goes.

    Attributes
    ----------
    evidence : FILE.json|v
        File of the evidence, for `unknot accept`; with .v for Coq.
    paths
        Kind of paths; free: any shortest path for each pair; table: a next channel by router and destination;
        given: the paths of --routing.
    routing : NAME
        Routing whose paths are given, or a fabric's tables.
    changes
        Changes of lane on the way: none; rising, only to higher lanes, as VC classes; any; ports, by input port,
        output port and service level, as in SL2VL tables.
    count : --lanes
        Most lanes, by longer paths where needed.
    stretch : HOPS
        Most hops by which a route may exceed a shortest path.
    goal
        Goal for longer paths: a low highest load, a small mean of hops, or a short longest detour.
    most
        Most lanes in which the search looks for a lower load.
    first
        Goal that comes first, with --most: the fewest lanes, or the lowest load.
    multipath
        Let packets take every shortest path that climbs in their lane, as adaptive routers can; loads count one path
        for each pair.
    worst
        Seek a low load under the worst permutation of terminals, then a low load of all flows.
    survive
        Kind of parts; each pair keeps a path in the lanes after each single failure of such a part.
    lmc
        LMC with --paths table: each terminal has 2^LMC LIDs, each with its own route.
    effort
        Most moves of the search for a low load, for each pair; by default 33 million moves in all.
    export : FILE.json|v|cnf
        File of the routes, as --routing takes it, or a Verilog module; with .cnf the clauses that refute fewer lanes,
        and their proof as .drat and .lrat.
    """

    network: NetworkText
    paths: Literal["free", "table", "given"] = "free"
    routing: str | None = None
    changes: Literal["none", "rising", "any", "ports"] = "none"
    flows: Path | None = None
    count: int | None = None
    stretch: int | None = None
    goal: Literal["load", "mean", "longest"] = "load"
    most: int | None = None
    first: Literal["lanes", "load"] = "lanes"
    multipath: bool = False
    worst: bool = False
    survive: Literal["links", "channels", "routers", "any"] | None = None
    lmc: int = 0
    effort: int | None = None
    vcs: int | None = None
    both_ways: bool | None = None
    deadline: TimeLimit = MINUTE
    seed: Seed = SEED
    export: Path | None = None
    evidence: Path | None = None
    json: Json = False

    @property
    def longer(self) -> bool:
        """Whether routes may be longer than shortest paths."""
        return self.count is not None or self.stretch is not None


def lanes(options: LanesOptions) -> int:
    """Find routes along shortest paths that cannot deadlock, in as few virtual lanes as possible.

    A lane is one virtual channel of each channel. A packet keeps its lane all the way; with --changes a packet may
    change its lane. Ctrl-C ends the search and keeps the best routes so far.

    Exit code 0: the routes are proved; 3: time ran out before the proof.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.lanes("ring(6)")
    >>> answer.conclusion
    '2 lanes are enough for shortest paths between all 30 pairs of routers. Fewer are impossible.'
    >>> answer.relation
    <Relation lanes (2 lanes) on ring(6), 24 VCs>
    """
    from unknot.cli.answers.lanes import ANSWERS
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.cli.commands.shared import proved
    from unknot.fabrics.named import network
    from unknot.lane_assignment import LongerLanes, read_flows
    from unknot.lane_assignment.figures import disagreement
    from unknot.routing.named import require_connected

    _refuse_meaningless(options)
    built = network(options.network, where="NETWORK")
    matrix = None if options.flows is None else read_flows(options.flows, built)
    if matrix is None:
        require_connected(built)
    began = time.monotonic()
    with keeping_the_best(), activity.working("looking for lanes") as show:
        routes = _routes(options, built, {"flows": matrix, "progress": show})
        seconds = time.monotonic() - began
        proof = proved(routes.relation, options.deadline)
    if options.export is not None:
        _write_routes(routes, options.export)
    if options.evidence is not None:
        _write_evidence(routes, proof, options.evidence)
    differing = () if isinstance(routes, LongerLanes) else routes.disagreements
    unproved = "" if proof.safe is not None else " The time was over before all this was proved: that part is open."
    more: dict[str, Any] = {
        "lanes": routes.count,
        "conclusion": conclusion(routes, options.survive) + disagreement(differing) + unproved,
    }
    if not options.longer:
        more["seconds"] = seconds
    sources = (routes, proof.verdict, proof.delivery)
    tell(options.json, ANSWERS[type(routes)], *sources, of=routes.relation, certificate_holds=proof.holds, **more)
    return exit_code(proof.safe, None if differing else True)


def _refuse_meaningless(options: LanesOptions) -> None:
    """Refuse options without meaning beside others, and files that cannot store routes."""
    from unknot.report.export import require_format

    longer, changing, most = options.longer, options.changes != "none", options.most
    if longer and (options.paths != "free" or options.routing is not None or most is not None):
        raise RelationError("lanes: with --lanes or --stretch paths are free, and --most has no meaning")
    if longer and changing:
        raise RelationError("lanes: with --lanes or --stretch packets keep their lanes, and --changes has no meaning")
    if changing and most is not None:
        raise RelationError("lanes: --most is for packets that keep their lanes, and not for --changes")
    of_evidence = () if longer else (CLAUSES,)
    if options.export is not None and options.export.suffix.lower() not in of_evidence:
        require_format(options.export, of_evidence)
    effort = options.effort is not None
    if (longer or changing) and (effort or options.worst or options.multipath or options.survive or options.lmc):
        raise RelationError(
            "lanes: --effort, --worst, --multipath, --survive and --lmc are for shortest paths in lanes that packets "
            "keep"
        )
    if options.multipath and options.paths != "free":
        raise RelationError("lanes: --multipath is for free paths, not for --paths")


def _routes(options: LanesOptions, network: Network, search: dict[str, Any]) -> Lanes | ChangingLanes | LongerLanes:
    """Look for routes of the kind that is sought; `search` has what all searches take besides."""
    from unknot.cli.commands.shared import searching
    from unknot.lane_assignment import changing_lanes, longer_lanes, multipath
    from unknot.lane_assignment import lanes as fewest_lanes
    from unknot.routing.named import routing

    relation = None
    if options.routing is not None:
        relation = routing(network, options.routing, None, where="--routing")
    search |= options.some("vcs", "seed") | {"time_limit": searching(network, options.deadline)}
    if options.longer:
        return longer_lanes(network, options.count, **options.some("stretch", "goal"), **search)
    if options.changes != "none":
        return changing_lanes(network, options.paths, changes=options.changes, routing=relation, **search)
    search |= options.some("most", "worst", "survive", "lmc")
    search |= {} if options.most is None else {"first": options.first}
    search |= {} if options.effort is None else {"effort": options.effort}
    # by default with tables on a fabric, whose ports have numbers
    shared = options.paths != "free" and network.ports is not None
    both_ways = shared if options.both_ways is None else options.both_ways
    routes = fewest_lanes(network, options.paths, routing=relation, both_ways=both_ways, **search)
    return replace(routes, relation=multipath(routes, vcs=options.vcs)) if options.multipath else routes


def _write_evidence(routes: Lanes | ChangingLanes | LongerLanes, proof: Examination, path: Path) -> None:
    """Write that the routes are safe and arrive, and why fewer lanes are impossible."""
    from unknot.lane_assignment import LongerLanes
    from unknot.lane_assignment.evidence import bound_claim

    claims = proof.claims()
    if not isinstance(routes, LongerLanes) and routes.evidence is not None:
        claims.append(bound_claim(routes.evidence, routes.sends, routes.given))
    if routes.load_evidence is not None:
        claims.append(routes.load_evidence.claim)
    write_evidence(path, routes.relation, claims)


def _write_routes(routes: Lanes | ChangingLanes | LongerLanes, file: Path) -> None:
    """Write routes as tables, or the evidence of a refutation as clauses and a proof."""
    from unknot.lane_assignment import LongerLanes, Refutation, write_refutation
    from unknot.report.export import export

    if isinstance(routes, LongerLanes) or file.suffix.lower() != CLAUSES:
        export(routes.relation, file)
        wrote(file)
    elif isinstance(routes.evidence, Refutation):
        network, sends, given = routes.relation.network, routes.sends, routes.given
        files = write_refutation(network, routes.evidence, file, sends=sends, given=given)
        wrote(file)
        notify(f"the proof is in {files.drat} and {files.lrat}")
    else:
        notify(f"{file} was not written: no clauses were refuted; a cycle of turns, or nothing, shows the bound")


def conclusion(routes: Lanes | ChangingLanes | LongerLanes, survive: str | None) -> str:
    """Return the conclusion in a sentence or two."""
    from unknot._base.phrases import count
    from unknot.lane_assignment import ChangingLanes, Lanes, LongerLanes

    one = routes.count == 1
    if isinstance(routes, LongerLanes):
        lanes = f"In {count(routes.count, 'lane')}"
        if not routes.longer_pairs:
            return f"{lanes} every route is a shortest path, for {count(routes.pairs, 'pair')} of routers."
        return f"{lanes} {routes.longer_pairs} of {count(routes.pairs, 'route')} are longer than shortest paths."
    how = HOW[routes.changes] if isinstance(routes, ChangingLanes) else ""
    which = f"all {routes.pairs:,} pairs" if routes.pairs > 1 else "the only pair"
    whom = f"{which} of routers{'' if routes.sends is None else ' with flows'}"
    paths = {"free": "shortest paths between", "table": "shortest paths by tables between"}
    more = ", whose two directions share a lane" if routes.both_ways else ""
    if survive is not None:
        part = "failure" if survive == "any" else f"failed {survive[:-1]}"
        more = f", and for climbing paths of all after each single {part}"
    served = f"{paths.get(routes.paths, 'the given paths of')} {whom}{more}"
    text = f"{'1 lane is' if one else f'{routes.count} lanes{how} are'} enough for {served}"
    if isinstance(routes, Lanes) and routes.least_count < routes.count:
        return f"{text}, with the lowest load that was found; {routes.least_count} would do."
    if routes.fewest:
        return f"{text}.{'' if one else ' Fewer are impossible.'}"
    fewer = f"; {routes.lower_bound - 1} could not" if routes.lower_bound > 1 else ""
    longer = isinstance(routes, Lanes) and routes.paths == "free" and survive is None
    hint = " --stretch 1 looks for fewer by routes that are longer by a hop at most." if longer else ""
    return f"{text}. Whether {routes.count - 1} could do is open{fewer}.{hint}"
