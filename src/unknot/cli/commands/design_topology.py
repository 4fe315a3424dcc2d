"""Design a topology under constraints, with its routes."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unknot._base.three_valued import all_hold
from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.options import MINUTE, SEED, Json, Seed, TimeLimit
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import exit_code, proved
from unknot.cli.commands.written import draw, write_evidence

if TYPE_CHECKING:
    from unknot.network import Network
    from unknot.synthesis.topology import LinkLimits

SEARCHING, COMPARING = 0.7, 0.5
"""Shares of the time for search, bounds and routes, and of the rest for networks beside; the rest is for proofs."""


def design_topology(
    nodes: str,
    ports: int,
    reach: float | None = None,
    distance: Literal["euclid", "manhattan", "chebyshev"] = "euclid",
    one_way: bool = False,
    keep: bool = False,
    limits: Path | None = None,
    symmetry: int = 1,
    objective: Literal["balanced", "hops", "diameter", "throughput"] = "balanced",
    flows: Path | None = None,
    count: int | None = None,
    gap: float = 0.0,
    moves: int | None = None,
    seed: Seed = SEED,
    deadline: TimeLimit = MINUTE,
    export: Path | None = None,
    routes: Path | None = None,
    evidence: Path | None = None,
    json: Json = False,
) -> int:
    """Find a good network under constraints, its routes in lanes, and its distance from the best possible.

    The search is simulated annealing; bounds for all networks of the constraints come with a proof. Ctrl-C
    ends the search and keeps the best network so far.

    --evidence writes the links, the proofs of the bounds, and that the routes are safe.

    Exit code 0: the gap to the bound is at most --gap, and the routes are proved; 3: a part is open when the time is
    over; 130: Ctrl-C.

    Parameters
    ----------
    nodes : argument NODES
        Nodes: grid(4, 5), nodes(256), cubes(4, 4, 4, count=4), a network or file, whose routers and coordinates
        are taken, or FILE.toml with a table of nodes and constraints.
    ports
        Most links from each node and to each node.
    reach : LENGTH
        Greatest length of a link, in units of coordinates; by default any.
    distance
        How lengths are measured.
    one_way
        Links need not be there in both directions.
    keep
        Keep the links of NODES.
    limits : --constraints FILE.toml
        Links that are required, forbidden or there already, nodes with another number of ports, switches, racks,
        wires, classes of reach with prices, a diameter, and whether any link may be dead.
    symmetry : ORDER
        Keep a rotation: of nodes(n) by n/ORDER, of a grid by a half turn (2) or a quarter turn (4).
    objective
        What is best: throughput, of networks within 2 % of the fewest hops (balanced); hops between all pairs;
        diameter, and then hops; throughput by any routes.
    flows
        Traffic, as for lanes; by default even.
    count : --lanes
        Most lanes of the routes, by longer paths where needed.
    gap : SHARE
        Share above the bound at which the search ends, such as 0.03.
    moves
        Most moves of the search, of all walkers and starts.
    export : FILE
        File of the network, in the format of its ending.
    routes : FILE.json
        File of the routes, as --routing takes it.
    out : svg|png|pdf
        pictures of the network

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.design_topology("grid(2, 3)", ports=2, one_way=True)
    >>> answer.total_hops, answer.diameter, answer.lanes, answer.holds
    (48, 2, 2, True)
    """
    from unknot.cli.answers.topology import DesignTopologyAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.lane_assignment import read_flows
    from unknot.report import draw_network
    from unknot.report.export import export as export_routes
    from unknot.report.export import require_format
    from unknot.synthesis.topology import beside, designed, read_limits, requested

    if routes is not None:
        require_format(routes)
    began = time.monotonic()
    places, known = nodes_of(nodes)
    wanted = requested(
        places, ports=ports, reach=reach, distance=distance, both_ways=not one_way, keep=keep,
        symmetry=symmetry, limits=known if limits is None else known.with_others(read_limits(limits, places)),
    )  # fmt: skip
    with keeping_the_best(), activity.working("designing") as progress:
        made = designed(
            wanted,
            objective,
            gap=gap,
            flows=None if flows is None else read_flows(flows, wanted.nodes),
            most_lanes=count,
            moves=moves,
            seed=seed,
            time_limit=deadline.part(SEARCHING),
            progress=progress,
        )
        rows = [*beside(made, distance, deadline.part(COMPARING))]
    with activity.working("proving"):
        proof = proved(made.routes.relation, deadline)
        holds = all_hold((made.evidence_holds, made.throughput_bound_holds, made.throughput_holds, proof.safe))
    seconds = time.monotonic() - began
    draw(partial(draw_network, made.network))
    if export is not None:
        from unknot.fabrics import write_network

        write_network(made.network, export)
        wrote(export)
    if routes is not None:
        export_routes(made.routes.relation, routes)
        wrote(routes)
    if evidence is not None:
        shown = [one.claim for one in (made.evidence, made.carried.evidence, made.carried.flows) if one is not None]
        write_evidence(evidence, made.routes.relation, [*proof.claims(), *shown])
    sources = (made, proof.verdict, proof.delivery)
    tell(
        json, DesignTopologyAnswer, *sources, of=made.routes.relation, certificate_holds=proof.holds, beside=rows,
        seconds=seconds,
    )  # fmt: skip
    reached = made.gap is not None and made.gap <= gap
    return exit_code(holds if holds is False or reached else None)


def nodes_of(text: str) -> tuple[Network, LinkLimits]:
    """Read nodes: a grid, a number of them, cubes with switches, a table, or a network with its links."""
    from unknot._base.calls import apply, parse_call
    from unknot._base.errors import NetworkError
    from unknot.fabrics.named import network
    from unknot.network import Network
    from unknot.synthesis.topology import LinkLimits, cubes, read_nodes

    def nodes(number: int) -> Network:
        if number < 2:
            raise NetworkError(f"{text}: a network to design has at least 2 nodes")
        return Network(f"nodes({number})", number, [], [])

    word = text.strip()
    if word.startswith("nodes("):
        return apply(parse_call(word, "NODES"), nodes), LinkLimits()
    if word.startswith("cubes("):
        return apply(parse_call(word, "NODES"), cubes)
    if word.endswith(".toml"):
        return read_nodes(word)
    if word.startswith("grid("):
        sides = word.removeprefix("grid")
        return network(f"mesh{sides}", where="NODES"), LinkLimits()
    return network(word, where="NODES"), LinkLimits()
