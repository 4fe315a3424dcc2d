"""Throughput of a network by any routes: flows that are carried, and lengths of links that bound all flows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats, Ints
from unknot._base.shown import Brief
from unknot._base.work import spend
from unknot.certificates import plain
from unknot.certificates.claims import load_claim
from unknot.certificates.documents import Document, network_of
from unknot.network import Network
from unknot.search.bound import Bound
from unknot.synthesis.topology.annealing import links_of
from unknot.synthesis.topology.request import adjacency, hop_counts

GROWTH, FINE = 1.0, 0.3
"""Growth of a link in the first phase, as a share of its load over a load that is even; this much of it where phases
are many."""
PHASES = 1_000
"""Phases by which a network is judged at the end: both sides are within about a hundredth then."""
MOST_STEPS = 1e8
"""Most steps of these phases, each a link that a source looks at."""
STEP = 3e-8
"""Seconds of work of each of them."""
FEWEST = 40
"""Phases of a network of any size."""
MOST_PARTS = 1 << 24
"""Most numbers of flows of sources on channels, as a claim."""
PARTS = 10**6
"""The largest weight of a channel in a claim."""
PIECES = 2**20 - 1
"""Equal pieces of a flow in a claim, each with a path; only the load of a piece alone depends on their number."""


class FlowSpace(NamedTuple):
    """Demand, and the links that a symmetry makes alike.

    Attributes
    ----------
    kind : int64 array, shape (nodes, nodes)
        Number of the orbit of each pair of nodes.
    size : float64 array, shape (kinds,)
        Pairs of each orbit.
    demand : float64 array, shape (nodes, nodes)
        Flits per cycle from each node to each other, before all are multiplied by one number.
    sources : int64 array
        A node of each orbit.
    growth : float
        Growth of a link in the first phase for each flit per cycle.
    unit : float
        What a terminal sends to each other is one part of this many in a flit per cycle.
    """

    kind: Ints
    size: Floats
    demand: Floats
    sources: Ints
    growth: float
    unit: float


class FlowScratch(NamedTuple):
    """Scratch arrays: lengths of links by kind, lengths of the best bound, lengths kept from a network before; loads
    of a phase and their mean; shortest paths from a source, and a heap; parts that each source sent on each link, by
    its node and its number there, or nothing.
    """

    lengths: Floats
    shown: Floats
    kept: Floats
    load: Floats
    flow: Floats
    far: Floats
    below: Floats
    before: Ints
    order: Ints
    heap_far: Floats
    heap_node: Ints
    sent: Ints


def demand_of(network: Network, flows: npt.ArrayLike | None = None) -> Floats:
    """What routers send to each other: each terminal a flit to all others evenly, or given flows of terminals."""
    routers, terminals = network.num_routers, network.num_terminals
    demand = np.zeros((routers, routers))
    if flows is None:
        one = network.terminals_at.astype(np.float64)
        other = np.bincount(network.eject, minlength=routers).astype(np.float64)
        demand = np.outer(one, other) / max(1, terminals - 1)
    else:
        np.add.at(demand, np.ix_(network.inject, network.eject), np.asarray(flows, dtype=np.float64))
    np.fill_diagonal(demand, 0.0)
    return demand


def flow_space(demand: Floats, image: Ints, mean_load: float, unit: float = 1.0) -> FlowSpace:
    """The space of demand under a symmetry, for networks of about some mean load."""
    nodes = len(demand)
    pair = np.arange(nodes)
    first = np.full((nodes, nodes), nodes * nodes)
    for moved in image:
        np.minimum(first, moved[:, None] * nodes + moved[None], out=first)
    _, kind, size = np.unique(first, return_inverse=True, return_counts=True)
    sources = np.unique(image.min(axis=0)) if len(image) > 1 else pair
    return FlowSpace(
        kind.reshape(nodes, nodes).astype(np.int64), size.astype(np.float64), demand, sources, GROWTH / mean_load,
        unit,
    )  # fmt: skip


def flow_scratch(flows: FlowSpace, links: int, sent: tuple[int, int] = (0, 0)) -> FlowScratch:
    """Scratch arrays for networks with at most some links; parts are counted where they have a shape."""
    kinds, nodes = flows.size.size, len(flows.demand)
    lengths, shown, kept, load, flow = np.ones((5, kinds))
    far, below = np.zeros((2, nodes))
    before, order = np.zeros((2, nodes), dtype=np.int64)
    heap = np.zeros(links + 2), np.zeros(links + 2, dtype=np.int64)
    parts = np.zeros(sent, dtype=np.int64)
    return FlowScratch(lengths, shown, kept, load, flow, far, below, before, order, *heap, parts)


@dataclass(frozen=True, eq=False, repr=False)
class Throughput(Brief):
    """Flits per cycle that routes of any kind carry, as a multiple of the demand.

    Attributes
    ----------
    least : float
        Carried by flows that were found.
    flows : Bound or None
        These flows as a claim, if terminals send to all others evenly and numbers are not too many.
    most : float
        No routes carry more.
    evidence : Bound
        Weights of channels that show it, as a claim about the load.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> found = throughput_of(ring(4))
    >>> found.least <= found.most
    True
    """

    least: float
    most: float
    evidence: Bound
    flows: Bound | None

    @cached_property
    def gap(self) -> float:
        """Share by which the bound is above what is carried."""
        return self.most / self.least - 1 if self.least else float("inf")


def throughput_of(network: Network, flows: npt.ArrayLike | None = None, image: Ints | None = None) -> Throughput:
    """Bound what a network carries from both sides.

    Parameters
    ----------
    network : Network
        Connected, each channel of bandwidth 1, none twice.
    flows : array_like of float, shape (terminals, terminals), optional
        What terminals send to each other; by default each sends a flit per cycle to all others evenly.
    image : int64 array, shape (order, routers), optional
        Powers of a symmetry of network and flows, which makes the work less.

    Returns
    -------
    Throughput
        With a claim for the separate checker.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> carried = throughput_of(ring(6))
    >>> round(carried.least, 2), round(carried.most, 2)
    (1.11, 1.11)
    """
    from unknot.synthesis.topology.flows_kernel import carried

    demand = demand_of(network, flows)
    image = np.arange(len(demand))[None] if image is None else image
    there = adjacency(network)
    links = links_of(there)
    mean_load = float((demand * np.maximum(hop_counts(there), 1)).sum()) / network.num_channels
    space = flow_space(demand, image, mean_load / FINE, float(max(1, network.num_terminals - 1)))
    steps = space.sources.size * network.num_channels
    phases = int(max(FEWEST, min(PHASES, MOST_STEPS / steps)))
    even = flows is None and np.array_equal(network.inject, network.eject) and steps <= MOST_PARTS
    ways = flow_scratch(space, network.num_channels, (space.sources.size, links.after.size) if even else (0, 0))
    spend(STEP * steps * phases)
    least, _ = carried(links, space, ways, phases)
    weights = ways.shown[space.kind[network.source, network.target]]
    whole = np.maximum(1, np.rint(weights * (PARTS / weights.max()))).astype(np.int64).tolist()
    listed = None
    if flows is not None:
        table = np.asarray(flows, dtype=np.float64)
        listed = [[int(s), int(t), float(table[s, t])] for s, t in np.argwhere(table > 0)]
    # With capacities the checker rounds nothing to whole flows.
    limits = [1.0] * network.num_channels
    shown = plain.load_shown(plain.Network(network_of(network)), listed, limits, whole, shortest=False, pieces=PIECES)
    claim = load_claim(shown, listed, limits, {"weights": whole}, paths="any", pieces=PIECES)
    alone = Fraction(network.num_terminals - 1) if flows is None else Fraction(1)
    if not even or least == 0.0:
        return Throughput(least, float(alone / shown), Bound(claim), None)
    position = np.zeros(there.shape, dtype=np.int64)
    node, number = np.nonzero(links.after >= 0)
    position[node, links.after[node, number]] = node * links.after.shape[1] + number
    sent = ways.sent[:, position[network.source, network.target]]
    # Phases have weights of 1, 2, 3, …
    found = _carries(network, space.sources, sent, phases * (phases + 1) // 2, image)
    return Throughput(found["least"][0] / found["least"][1], float(alone / shown), Bound(claim), Bound(found))


def _carries(network: Network, sources: Ints, sent: Ints, parts: int, image: Ints) -> Document:
    """The claim that flows carry so much, if each terminal sends `parts` to each other.

    Parameters
    ----------
    sent : int64 array, shape (sources, channels)
        Parts.
    """
    nodes = network.num_routers
    number = np.zeros((nodes, nodes), dtype=np.int64)
    number[network.source, network.target] = np.arange(network.num_channels)
    load = np.zeros(network.num_channels, dtype=np.int64)
    for one in image:
        load[number[one[network.source], one[network.target]]] += sent.sum(axis=0)
    least = Fraction((network.num_terminals - 1) * parts, int(load.max()))
    proof = {"parts": parts, "images": image.tolist(), "sources": sources.tolist(), "flows": sent.tolist()}
    return {"subject": "carries", "least": [least.numerator, least.denominator], "proof": proof}
