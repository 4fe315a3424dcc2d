"""Design a topology: the fewest hops under constraints."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.options import MINUTE, SEED, Json, Seed, TimeLimit
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import left_open
from unknot.cli.commands.written import draw, write_evidence
from unknot.cli.exit_codes import HOLDS

if TYPE_CHECKING:
    from unknot.network import Network

SEARCHING = 0.8
"""Share of the time for the search and its bound; the rest is for the checker."""


def design_topology(
    nodes: str,
    ports: int,
    reach: float | None = None,
    distance: Literal["euclid", "manhattan", "chebyshev"] = "euclid",
    one_way: bool = False,
    keep: bool = False,
    symmetry: int = 1,
    objective: Literal["hops", "diameter"] = "hops",
    gap: float = 0.0,
    moves: int | None = None,
    seed: Seed = SEED,
    deadline: TimeLimit = MINUTE,
    export: Path | None = None,
    evidence: Path | None = None,
    json: Json = False,
) -> int:
    """Find a network with the fewest hops under constraints, and its distance from the best possible.

    The search is simulated annealing; a lower bound for all networks of the constraints comes with a proof. Ctrl-C
    ends the search and keeps the best network so far.

    --evidence writes the links, their hops and the proof of the bound.

    Exit code 0: the gap to the bound is at most --gap; 3: it is larger when the time is over; 130: Ctrl-C.

    Parameters
    ----------
    nodes : argument NODES
        Nodes: grid(4, 5), nodes(256), or a network or file, whose routers and coordinates are taken.
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
    symmetry : ORDER
        Keep a rotation: of nodes(n) by n/ORDER, of a grid by a half turn (2) or a quarter turn (4).
    objective
        What is least: hops between all pairs; diameter, and then hops.
    gap : SHARE
        Share above the bound at which the search ends, such as 0.03.
    moves
        Moves after which the search ends with its round.
    export : FILE
        File of the network, in the format of its ending.
    out : svg|png|pdf
        pictures of the network

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.design_topology("grid(2, 3)", ports=2, one_way=True)
    >>> answer.total_hops, answer.diameter, answer.holds
    (48, 2, True)
    """
    from unknot.cli.answers.topology import DesignTopologyAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.report import draw_network
    from unknot.synthesis.topology import designed, requested

    began = time.monotonic()
    wanted = requested(
        nodes_of(nodes), ports=ports, reach=reach, distance=distance, both_ways=not one_way, keep=keep,
        symmetry=symmetry,
    )  # fmt: skip
    with keeping_the_best(), activity.working("designing") as progress:
        made = designed(
            wanted,
            objective,
            gap=gap,
            moves=moves,
            seed=seed,
            time_limit=deadline.part(SEARCHING),
            progress=progress,
        )
    with activity.working("checking the evidence"):
        holds = made.evidence_holds
    seconds = time.monotonic() - began
    draw(partial(draw_network, made.network))
    if export is not None:
        from unknot.fabrics import write_network

        write_network(made.network, export)
        wrote(export)
    if evidence is not None:
        write_evidence(evidence, None, [made.evidence.claim])
    tell(json, DesignTopologyAnswer, made, of=made.network, evidence_holds=holds, seconds=seconds)
    return HOLDS if holds and made.gap <= gap else left_open()


def nodes_of(text: str) -> Network:
    """Read nodes: a grid, a number of them, or a network with its links."""
    from unknot._base.calls import apply, parse_call
    from unknot._base.errors import NetworkError
    from unknot.fabrics.named import network
    from unknot.network import Network

    def nodes(number: int) -> Network:
        if number < 2:
            raise NetworkError(f"{text}: a network to design has at least 2 nodes")
        return Network(f"nodes({number})", number, [], [])

    word = text.strip()
    if word.startswith("nodes("):
        return apply(parse_call(word, "NODES"), nodes)
    if word.startswith("grid("):
        sides = word.removeprefix("grid")
        return network(f"mesh{sides}", where="NODES")
    return network(word, where="NODES")
