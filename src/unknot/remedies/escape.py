"""Escape VCs laid under a relation that can deadlock, after Duato."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unknot._base.deadline import Deadline, counts_work
from unknot._base.errors import RelationError
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.lane_assignment.lanes import lanes
from unknot.lane_assignment.path_set import Ints
from unknot.lane_assignment.tables import LaneTable
from unknot.network import Network
from unknot.remedies.escape_bounds import escape_bound
from unknot.routing.contract import ATOMIC
from unknot.routing.overlay import Layer
from unknot.routing.parts import Published
from unknot.routing.paths import homes_of, tree_both_ways
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.taking import takes_relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.search.bound import Bounded

BOUND_SHARE = 0.3
"""Share of the time for the lower bound, where routes are searched for too."""


@dataclass(frozen=True, eq=False, repr=False)
class Escaped(Bounded):
    """A relation with escape VCs.

    Attributes
    ----------
    relation : Relation
    added : int
        VCs that were added, of all channels together.
    widest : int
        Most VCs that one channel got.
    original : Relation
    evidence : Bound or None
        Why fewer added VCs are not enough, for a relation that can deadlock as it is.

    Examples
    --------
    >>> from unknot.remedies import escaped
    >>> answer = escaped("ring(5)", routing="fully_adaptive")
    >>> answer.added, answer.widest, answer.relation
    (8, 1, <Relation fully_adaptive with escape VCs on ring(5), 18 VCs>)
    """

    relation: Relation
    added: int
    widest: int

    @property
    def lower_bound(self) -> int:
        """Fewest added VCs that can be enough for a relation that deadlocks without escapes."""
        return max(1, super().lower_bound)


@takes_relation
@counts_work
def escaped(
    relation: Relation,
    *,
    switching: str = DEFAULT_SWITCHING,
    minimal: bool = False,
    time_limit: float | Deadline = 20.0,
    seed: int = 1,
) -> Escaped:
    """Give a relation escape VCs, which every blocked header may enter and nobody leaves before the destination.

    The escape routes are those of a spanning tree: one more VC on each channel of the tree, up before down. No
    routing in an order of VCs of its own that connects all routers has fewer (calls one way, by which everyone hears
    from everyone: 2n − 2, Harary & Schwenk, The communication problem on graphs and digraphs, J. Franklin Institute
    1974); VCs that the relation has already might serve too, so fewer may be enough.

    Parameters
    ----------
    switching : str
        Technique of the lower bound; with escapes the relation is safe under `wormhole`, `vct` and `saf`.
    minimal : bool
        Escape along shortest paths, by tables in as few lanes as `lanes` finds, so that a minimal relation stays so.
    time_limit : float or Deadline
        Seconds for the search and for the lower bound.
    seed : int
        Seed of the random choices.

    Returns
    -------
    Escaped
        The routing with its escape VCs.

    Raises
    ------
    RelationError
        If some channel of the tree has none back, or the relation commits to its choices: a header that has committed
        to a VC never turns to an escape.

    Examples
    --------
    >>> from unknot.routing import fully_adaptive
    >>> from unknot.remedies import escaped
    >>> from unknot.network.families import ring
    >>> from unknot.verify import check
    >>> found = escaped(fully_adaptive(ring(5), vcs=1))
    >>> found.added, check(found.relation).deadlock_free
    (8, True)
    """
    network, deadline = relation.network, Deadline.of(time_limit, "escaped")
    if relation.commits:
        raise RelationError(f"{relation.name}: headers commit to a VC and wait for no other, so escapes are no use")
    _, column = homes_of(network)
    if minimal:
        laned = lanes(network, "table", time_limit=deadline.part(1 - BOUND_SHARE), seed=seed, tries=1)
        assert isinstance(laned.routes, LaneTable)
        step, lane, count = laned.routes.next_channel, laned.lane, laned.count
        column = laned.routes.addresses.row
    else:
        step, count = _tree(network), 1
        lane = np.zeros((network.num_routers, int(column.max(initial=0)) + 1), dtype=np.int64)
    lane = np.maximum(lane, 0)
    more = np.zeros(network.num_channels, dtype=np.int64)
    more[np.unique(step[step >= 0])] = count
    virtual = VirtualChannels(network, relation.vcs.counts + more)
    own, base = relation.vcs.counts.astype(np.int64), virtual.first[:-1]
    layer = Layer(virtual, relation)
    inner, ask = layer.inner, layer.rule
    total, router, at_channel = virtual.total, virtual.router, virtual.channel
    index, home = virtual.index, column[relation.destination]
    end = network.eject[relation.destination]

    def rule(at: int, address: int, out: Out) -> int:
        here, escape = router[at], at < total and inner[at] < 0
        count = 0 if escape else ask(at, address, out)
        if here == end[address]:
            if escape:
                out[0] = EJECT
                return 1
            return count
        channel = step[home[address], here]
        if channel < 0:
            return count
        level = index[at] - own[at_channel[at]] if escape else lane[here, home[address]]
        out[count] = base[channel] + own[channel] + level + (0 if escape else TIER)
        return count + 1

    published = Published(ATOMIC, relation.claims_minimal if minimal else None, "Duato 1993")
    addresses = replace(relation.addresses, classes=())
    made = Relation(network, virtual, rule, f"{relation.name} with escape VCs", addresses, published=published)
    bound = escape_bound(relation, switching, minimal=minimal, deadline=deadline)
    return Escaped(made, int(more.sum()), int(more.max(initial=0)), original=relation, evidence=bound)


def _tree(network: Network) -> Ints:
    """Next channels to every home by a spanning tree, shape (homes, routers)."""
    homes, _ = homes_of(network)
    root = int(np.argmax(network.outgoing.width))
    up, down = tree_both_ways(network, root)
    lost = np.flatnonzero((up < 0) & (np.arange(network.num_routers) != root))
    if lost.size:
        name = network.router_name(int(lost[0]))
        raise RelationError(f"{network.name}: router {name} is in no spanning tree of channels both ways")
    parent = np.where(up >= 0, network.target[up], root)
    step = np.tile(up, (homes.size, 1))
    for h, home in enumerate(homes.tolist()):
        below = home
        while below != root:
            step[h, parent[below]] = down[below]
            below = int(parent[below])
        step[h, home] = -1
    return step
