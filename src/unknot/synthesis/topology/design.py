"""Networks made to order under constraints, with their routes, and their distance from the best possible."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import Deadline, begun, counts_work
from unknot._base.errors import NetworkError
from unknot._base.progress import Progress, found
from unknot._base.shown import Brief
from unknot.certificates.documents import Document
from unknot.lane_assignment import Lanes, LongerLanes, lanes, longer_lanes
from unknot.network import Network
from unknot.search.bound import Bound
from unknot.search.effort import SearchEffort
from unknot.synthesis.topology.balancing import SLACKS, most_carrying
from unknot.synthesis.topology.bounds import least_diameter, least_hops
from unknot.synthesis.topology.losses import DeadLink, dead_link
from unknot.synthesis.topology.request import TopologyRequest
from unknot.synthesis.topology.shortening import Found, candidates
from unknot.synthesis.topology.throughput import Throughput, throughput_of

Objective = Literal["balanced", "hops", "diameter", "throughput"]
BOUNDING, SHORTENING, CARRYING, ROUTING = 0.3, 0.5, 0.65, 0.8
"""Shares of the time that is left: for the linear program of the bound, for the search for few hops where another one
follows, for that one, and for routes."""


@dataclass(frozen=True, eq=False, repr=False)
class TopologyDesign(Brief):
    """Network made to order with its routes, beside bounds for all networks of its request.

    Attributes
    ----------
    network : Network
    total_hops : int
        Hops of all ordered pairs of nodes.
    diameter : int
    least_hops : int
        Lower bound on the hops, shown by the evidence.
    least_diameter : int
        Lower bound on the diameter, by counting nodes.
    carried : Throughput
        What routes of any kind carry on this network, if terminals send to all others evenly or by the given flows.
    most_carried : Fraction or None
        No network of the request carries more; None where that is not known, for given flows or where nodes have
        other numbers of terminals than one.
    routes : Lanes or LongerLanes
        Routes without deadlock, a lane for each pair.
    evidence : Bound
        Links, hops and bound as a claim for the separate checker.
    known : tuple of Network
        Networks of the request that were known before, such as tori of cubes.
    price : float or None
        Of all channels; None where classes of reach have no prices.
    dead_link : DeadLink
        What the loss of a link costs at most.
    moves : int
        Moves of the search.
    objective : str
        What was to be good.
    even : bool
        Terminals send to all others evenly.
    complete : bool
        The search ended by itself: what was asked for is at its bound, or within the gap asked for.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.synthesis.topology import designed, requested
    >>> made = designed(requested(mesh(2, 3), ports=2, both_ways=False), "hops", moves=100_000)
    >>> made.mean_hops, made.gap, made.evidence_holds, made.lanes
    (1.6, 0.0, True, 2)
    """

    network: Network
    total_hops: int
    diameter: int
    least_hops: int
    least_diameter: int
    carried: Throughput
    most_carried: Fraction | None
    routes: Lanes | LongerLanes
    evidence: Bound
    known: tuple[Network, ...]
    price: float | None
    dead_link: DeadLink
    moves: int
    objective: str
    even: bool
    complete: bool

    @property
    def pairs(self) -> int:
        return self.network.num_routers * (self.network.num_routers - 1)

    @property
    def mean_hops(self) -> float:
        """Mean hops over all ordered pairs of nodes."""
        return self.total_hops / self.pairs

    @property
    def least_mean_hops(self) -> float:
        """Lower bound on the mean hops."""
        return self.least_hops / self.pairs

    @property
    def gap(self) -> float | None:
        """Share of the hops above their lower bound.

        Where the objective is throughput, the share of the bound for all networks above the throughput; None: no
        bound is known.
        """
        if self.objective == "throughput":
            return None if self.most_carried is None else float(self.most_carried) / self.carried.least - 1
        return self.total_hops / self.least_hops - 1

    @property
    def throughput(self) -> float:
        """Flits per terminal and cycle that some routes carry, found as flows; of given flows the multiple."""
        return self.carried.least

    @cached_property
    def throughput_holds(self) -> bool | None:
        """Whether the separate checker accepts flows of the throughput; None: too much to check, or no claim."""
        return None if self.carried.flows is None else self.carried.flows.evidence_holds(self.network)

    @property
    def throughput_bound(self) -> float:
        """The same that no routes on this network exceed."""
        return self.carried.most

    @property
    def most_throughput(self) -> float | None:
        """The same that no network of the request exceeds; None: not known."""
        return None if self.most_carried is None else float(self.most_carried)

    @property
    def lanes(self) -> int:
        """Lanes of the routes."""
        return self.routes.count

    @property
    def highest_load(self) -> float:
        """Highest load of a channel by the routes, as `unknot lanes` counts it."""
        return self.routes.highest_load

    @property
    def routed(self) -> float:
        """The throughput by these routes."""
        return (self.network.num_terminals - 1 if self.even else 1) / self.highest_load

    @cached_property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts links and bound; None: too much to check."""
        return self.evidence.evidence_holds(self.network)

    @cached_property
    def throughput_bound_holds(self) -> bool | None:
        """Whether the separate checker accepts the bound on what this network carries; None: too much to check."""
        return self.carried.evidence.evidence_holds(self.network)


@counts_work
def designed(
    wanted: TopologyRequest,
    objective: Objective = "balanced",
    *,
    gap: float = 0.0,
    flows: npt.ArrayLike | None = None,
    most_lanes: int | None = None,
    moves: int | None = None,
    seed: int = 1,
    time_limit: float | Deadline | None = None,
    progress: Progress | None = None,
) -> TopologyDesign:
    """Find a good network that a request allows, by simulated annealing, and its routes.

    Ctrl-C ends the search and keeps the best network so far.

    Parameters
    ----------
    wanted : TopologyRequest
        Nodes, ports and links.
    objective : str
        "balanced": of networks whose hops are within 2 % of the fewest found, the one that carries most; "hops";
        "diameter": the least diameter, and of such networks the fewest hops; "throughput": what routes of any kind
        carry.
    gap : float
        Share above the bound at which the search ends.
    flows : array_like of float, shape (terminals, terminals), optional
        What terminals send to each other; by default each sends as much to every other.
    most_lanes : int, optional
        Most lanes of the routes, which are longer than shortest paths where that is needed.
    moves : int, optional
        Moves of the search in all, of every walker and start; half of them seek few hops where another objective
        follows.
    seed : int
        Of the random numbers.
    time_limit : float or Deadline, optional
        Seconds; by default a minute of work, whatever the machine.
    progress : callable, optional
        Called with the stage and how far it is, see `unknot._base.progress`.

    Returns
    -------
    TopologyDesign
        The best network, its routes, and what is shown of all others.

    Raises
    ------
    NetworkError
        If the search found no connected network.
    RelationError
        If no routes were found in that number of lanes.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.synthesis.topology import designed, requested
    >>> made = designed(requested(mesh(2, 3), ports=2, both_ways=False), moves=100_000)
    >>> made.diameter, made.total_hops, made.least_hops
    (2, 48, 48)
    """
    if objective not in get_args(Objective):
        raise NetworkError(f"objective: {objective!r} is none of {', '.join(get_args(Objective))}")
    if flows is not None and len(wanted.image) > 1:
        raise NetworkError("flows: a symmetry is kept under even traffic alone; leave out one of the two")
    deadline = begun(time_limit)
    whole = deadline.part(CARRYING)
    least, proof = least_hops(wanted, whole.part(BOUNDING))
    carries = objective in SLACKS
    effort = SearchEffort((whole.part(SHORTENING) if carries else whole).end, seed, progress)
    limit = float("inf") if moves is None else float(moves)
    effort.most_moves = SHORTENING * limit if carries else limit
    best, complete = _shortest(wanted, objective, least, gap, effort)
    most = _most_carried(wanted, least) if flows is None else None
    carried: Throughput | None = None
    if carries:
        effort.deadline, effort.most_moves = whole.end, limit
        best, carried = most_carrying(wanted, best, objective, flows, most, effort)
    network = wanted.network_of(best.links, f"designed {wanted.nodes.name}")
    carried = carried or throughput_of(network, flows, wanted.image if flows is None else None)
    limits = {"flows": flows, "time_limit": deadline.part(ROUTING), "seed": seed, "progress": progress}
    routes: Lanes | LongerLanes = lanes(network, **limits)  # type: ignore[arg-type]
    if most_lanes is not None and routes.count > most_lanes:
        routes = longer_lanes(network, most_lanes, **limits)  # type: ignore[arg-type]
    claim = _claim(wanted, best, least, proof, most)
    known = tuple(wanted.network_of(links, name) for name, links in wanted.known.items())
    price = float(wanted.prices[best.links].sum()) if wanted.prices.size else None
    return TopologyDesign(
        network, best.total, best.diameter, least, least_diameter(wanted), carried, most, routes, Bound(claim), known,
        price, dead_link(wanted, network), effort.moves, objective, flows is None, complete,
    )  # fmt: skip


def _shortest(
    wanted: TopologyRequest, objective: str, least: int, gap: float, effort: SearchEffort
) -> tuple[Found, bool]:
    """The best network of few hops, or of a small diameter, and whether the bound was reached."""
    least_far = least_diameter(wanted)
    best: Found | None = None
    complete = False
    for one in candidates(wanted, objective, least_far, effort):
        if one is not None and (best is None or one.rank(objective) < best.rank(objective)):
            best = one
            mean, gap_now = one.total / (wanted.size * (wanted.size - 1)), one.total / least - 1
            found(f"{mean:.4f} mean hops, {gap_now:.1%} above the bound; diameter {one.diameter}")
        if best is not None and best.total <= (1 + gap) * least:
            complete = objective != "diameter" or best.diameter == least_far
        if complete:
            break
    if best is None:
        more = "time, moves or ports" + " or looser limits" * wanted.limited
        raise NetworkError(f"{wanted.nodes.name}: the search found no connected network; give more {more}")
    return best, complete


def _most_carried(wanted: TopologyRequest, least: int) -> Fraction | None:
    """What no network carries more than, where each node has a terminal: a flit takes a link for each hop."""
    ends = wanted.nodes.inject, wanted.nodes.eject
    if any(not np.array_equal(np.sort(end), np.arange(wanted.size)) for end in ends):
        return None
    return Fraction(min(int(wanted.leaving.sum()), int(wanted.entering.sum())) * (wanted.size - 1), least)


def _claim(wanted: TopologyRequest, best: Found, least: int, proof: Document, most: Fraction | None) -> Document:
    """Links, hops and bounds for the checker."""
    every = int(wanted.allowed.sum()) == wanted.size * (wanted.size - 1)
    carried = {} if most is None else {"carried": [most.numerator, most.denominator]}
    limits: Document = {
        "budgets": [[one.most, np.column_stack([one.links, one.parts]).tolist()] for one in wanted.budgets],
        "diameter": wanted.most_far,
        "survives": wanted.survives,
    }
    limits = {name: limit for name, limit in limits.items() if limit}
    return {
        "subject": "hops",
        "nodes": wanted.size,
        "allowed": None if every else [np.flatnonzero(row).tolist() for row in wanted.allowed],
        "leaving": wanted.leaving.tolist(),
        "entering": wanted.entering.tolist(),
        "both_ways": wanted.both_ways,
        "required": np.argwhere(wanted.required).tolist(),
        **limits,
        "links": np.argwhere(best.links).tolist(),
        "hops": best.total,
        "least": least,
        **carried,
        "proof": proof,
    }
