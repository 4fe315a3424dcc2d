"""The fewest virtual lanes in which packets of adaptive switches cannot deadlock: a service level for each pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unknot._base.errors import RelationError, UnknotError
from unknot.fabrics.fabric import Fabric
from unknot.lane_assignment.flow_paths import MOST_PATHS, FlowGraph, Path, graph_of_relations
from unknot.lane_assignment.forced import Turn, climbing
from unknot.lane_assignment.queues import PathQuestion
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.remedies.shorter_groups import require_states
from unknot.routing.adaptive_fabric import adaptive_routing
from unknot.routing.lossless import SENT
from unknot.routing.switchboard import destinations
from unknot.search.bound import Bound
from unknot.search.effort import SearchEffort

Pair = tuple[int, int]
"""Two switches, the lower first."""


@dataclass(frozen=True, eq=False)
class AdaptiveLanes:
    """Lanes of pairs of switches; both directions of a pair share a lane, and so do all ways of its packets.

    Attributes
    ----------
    lane : int32 array, shape (routers, LIDs of hosts)
    count : int
    network : Network
        What `bound` is about.
    bound : Bound
        Why fewer lanes are impossible, as far as is known.
    """

    lane: IntArray
    count: int
    network: Network
    bound: Bound

    @property
    def complete(self) -> bool:
        """Whether fewer lanes are impossible."""
        return self.count == self.bound.least


def adaptive_lanes(fabric: Fabric, most: int, effort: SearchEffort) -> AdaptiveLanes:
    """Find few lanes, kept from source to destination, in which packets cannot deadlock however switches wait.

    Parameters
    ----------
    fabric : Fabric
        Without service levels and lanes.
    most : int
        Lanes at most.

    Raises
    ------
    UnknotError
        If the ports that switches choose from depend on the level, the ways of one pair alone close a loop or all
        together none, more lanes would be needed, or the fabric is too large.
    """
    switches = (fabric.groups or {}).values()
    if any(one.by_lane or not _is_alike(one.private.values(), one.enabled, most) for one in switches):
        raise UnknotError("levels or lanes choose what switches choose from, so levels are not free to tell lanes")
    routing = adaptive_routing(fabric)
    relation, network = routing.waits, routing.waits.network
    if routing.unknown:
        raise UnknotError(f"{routing.unknown[0]}, so what its packets choose from is not known")
    require_states(fabric, relation)
    graph = graph_of_relations(network, [relation])
    ways = _ways(graph)
    part = graph.part
    turns = {
        pair: {(c, e) for path in paths for c, e in pairwise(path) if part[c] == part[e]}
        for pair, paths in ways.items()
    }
    turns = {pair: own for pair, own in turns.items() if own}
    if not turns:
        raise UnknotError("the ways of packets between hosts close no loop in one lane, so lanes mend nothing")
    lanes = _first_fit(network, turns)
    count = max(lanes.values()) + 1
    question = PathQuestion(network, [path for pair in turns for path in sorted(ways[pair])])
    answer, _, claim = question.fewest("shared", min(count, most + 1), effort)
    if answer is not None:
        count = len(answer.keys)
        lanes = {question.served.ends(pair): lane for pair, (lane, _) in answer.routes.items()}
    if count > most:
        raise UnknotError(f"no {most} lanes were found, and more are not written")
    lids = destinations(fabric, "host-to-host")
    home = fabric.network.eject[fabric.owner[lids]].tolist()
    lane = [[lanes.get((min(u, v), max(u, v)), 0) for v in home] for u in range(network.num_routers)]
    return AdaptiveLanes(np.array(lane, dtype=np.int32), count, network, Bound(claim))


def _is_alike(tables: Iterable[tuple[int, ...]], enabled: int, most: int) -> bool:
    """Whether a switch treats all of the first levels alike."""
    mask = (1 << most) - 1
    return enabled & mask in (0, mask) and all(len({*row[:most]}) == 1 for row in tables)


def _ways(graph: FlowGraph) -> dict[Pair, set[Path]]:
    """All ways of packets between two switches, in both directions."""
    source, target = graph.network.source, graph.network.target
    try:
        tails = graph.tails()
    except RelationError:
        raise UnknotError(
            f"packets can go round in circles, or have over {MOST_PATHS:,} ways to a host, so no lanes are sought"
        ) from None
    ways: dict[Pair, set[Path]] = defaultdict(set)
    for place, channel in enumerate(graph.came):
        for path in tails[place] if channel == SENT else ():
            if path:
                low, high = sorted((int(source[path[0]]), int(target[path[-1]])))
                ways[low, high].add(path)
    if sum(map(len, ways.values())) > MOST_PATHS:
        raise UnknotError(f"packets have more than {MOST_PATHS:,} ways, the most among which lanes are shared out")
    return dict(sorted(ways.items()))


def _first_fit(network: Network, turns: dict[Pair, set[Turn]]) -> dict[Pair, int]:
    """The first lane of each pair in which its turns close no cycle, the pairs with most turns first."""
    taken: list[set[Turn]] = []
    lanes: dict[Pair, int] = {}
    for pair, own in sorted(turns.items(), key=lambda item: -len(item[1])):
        if climbing(own, network.num_channels) is None:
            ends = " and ".join(map(network.router_name, pair))
            raise UnknotError(f"the ways between {ends} alone close a loop, so no number of lanes helps")
        fits = (k for k, turns in enumerate(taken) if climbing(turns | own, network.num_channels) is not None)
        lanes[pair] = next(fits, len(taken))
        if lanes[pair] == len(taken):
            taken.append(set())
        taken[lanes[pair]] |= own
    return lanes
