"""Lower bounds on the time of a collective operation by its worst cut, or by lengths of channels.

What must leave a set of nodes takes at least its size over the bandwidth of the channels that leave. For all members
that send to each of some others the worst cut is found by Newton's iteration on minimum cuts from a node that feeds
every sender; reduce-scatter, reduce and scatter are all-gather, broadcast and gather on the reversed platform. All is
exact in fractions.

A channel across a cut is of use from when the first byte can have come to it until the last one must have left for
where it is needed: that adds the latencies. For two members that are far apart this is their distance, and the time
of a block at the narrower end (alpha and beta)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from math import lcm
from typing import Any

from unknot._base.errors import NetworkError
from unknot.traffic.collectives.flows import concurrent_flow
from unknot.traffic.collectives.operation import Operation
from unknot.traffic.collectives.platform import Platform
from unknot.traffic.collectives.schedule import in_whole_numbers

BY_SOURCE = ("gather", "all_gather", "all_to_all")
"""Operations in which each source has bytes of its own."""
BY_TARGET = ("scatter", "reduce_scatter", "all_to_all")
"""Operations in which each target needs bytes of its own."""
MOST_DISTANCES = 2_000_000
"""Members times channels up to which all members are tried as ends of the farthest pair; beyond, the first ones."""
REVERSED = {"reduce_scatter": "all_gather", "reduce": "broadcast", "scatter": "gather"}
"""Operations that are another one on the reversed platform."""


@dataclass(frozen=True)
class Bound:
    """A time that no schedule of an operation on a platform can be below.

    Attributes
    ----------
    platform : Platform
    operation : Operation
    time : Fraction
    cut : tuple of int
        Nodes, ascending; what must leave them takes that time.
    lengths : tuple of int
        For all_to_all, in place of a cut: of each channel. Bytes times their shortest ways, over bandwidth times
        length of all channels, is that time.
    source, target : int or None
        The only members whose bytes, and to which they, are counted at the cut; None: all.
    ends : str
        For all_reduce, in place of a cut: ``targets`` or ``sources``. Where members alone add up, they receive, and
        send, 2 (members − 1) times the size in all; over the bandwidth of the channels to, or from, them that is the
        time.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> platform = platform_of(ring(4))
    >>> bound(platform, Operation("all_reduce", platform.members, Fraction(8))).ends
    'targets'
    """

    platform: Platform
    operation: Operation
    time: Fraction
    cut: tuple[int, ...]
    lengths: tuple[int, ...] = ()
    ends: str = ""
    source: int | None = None
    target: int | None = None

    def claim(self) -> dict[str, Any]:
        """Return the claim that `unknot.certificates` checks, with the cut as its proof."""
        return {
            "subject": "collective",
            **self.platform.claim(self.operation, self.time),
            "proof": {"lengths": list(self.lengths)}
            if self.lengths
            else {"ends": self.ends}
            if self.ends
            else {"cut": list(self.cut), "source": self.source, "target": self.target},
        }


def bound(platform: Platform, operation: Operation) -> Bound:
    """Return the largest bound by a cut on the time of an operation; for all_to_all by lengths of channels.

    Without latencies it is the optimum of a broadcast or reduce between members alone; of an all-gather or
    reduce-scatter where every switch has equal bandwidth in and out; for an all-reduce, where switches add nothing
    up, it is a bound only. That of all-to-all is the optimum but for the rounding of lengths.

    Parameters
    ----------
    platform : Platform
        Nodes and channels.
    operation : Operation
        The operation.

    Returns
    -------
    Bound
        The bound with its evidence.

    Raises
    ------
    NetworkError
        If a member cannot reach another one that needs its data, or a member is no node of the platform.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> from unknot.traffic.collectives.platform import platform_of
    >>> platform = platform_of(torus(4, 4))
    >>> bound(platform, Operation("all_gather", platform.members, Fraction(64))).time
    Fraction(961, 1)
    """
    for member in operation.members:
        if not 0 <= member < platform.num_nodes:
            raise NetworkError(f"{platform.name}: member {member} is none of its {platform.num_nodes} nodes")
    unit = _of_unit_size(platform, replace(operation, size=Fraction(1)))
    made = replace(unit, operation=operation, time=unit.time * operation.size)
    if not any(channel.latency for channel in platform.channels):
        return made
    late, early = _Distances(platform), _Distances(platform.reversed())
    tried = [made, *_of_far_members(platform, operation, late)]
    return max((replace(one, time=_with_latency(one, late, early)) for one in tried), key=lambda one: one.time)


@lru_cache(maxsize=4)
def _of_unit_size(platform: Platform, operation: Operation) -> Bound:
    """Return the bound without latencies."""
    if operation.kind == "all_to_all":
        return bound_by_lengths(platform, operation)
    first = operation.members[0] if operation.root is None else operation.root
    kind = REVERSED.get(operation.kind, operation.kind)
    turned = kind != operation.kind
    one = platform.reversed() if turned else platform
    others = tuple(m for m in operation.members if m != first)
    if kind == "all_gather":
        time, cut = worst_cut(one, operation.members, operation.members)
    elif kind == "gather":
        time, cut = worst_cut(one, others, (first,))
    elif kind == "broadcast":
        time, cut = worst_cut(one, (first,), others)
    else:
        time, cut = worst_cut(platform, (first,), others)
        back, source = worst_cut(platform.reversed(), (first,), others)
        if back > time:
            time, cut, turned = back, source, True
        members = set(operation.members)
        for ends in ("target", "source"):
            room = sum(c.bandwidth for c in platform.channels if getattr(c, ends) in members)
            if 2 * (len(members) - 1) > time * room:
                total = Fraction(2 * (len(members) - 1)) / room
                return Bound(platform, operation, total * operation.size, (), ends=f"{ends}s")
    nodes = set(range(platform.num_nodes)) - cut if turned else cut
    return Bound(platform, operation, time * operation.size, tuple(sorted(nodes)))


class _Distances:
    """Least latencies from some nodes to all others, in whole units."""

    def __init__(self, platform: Platform) -> None:
        self.latencies, self.unit = in_whole_numbers([channel.latency for channel in platform.channels])
        self.leaving: list[list[tuple[int, int]]] = [[] for _ in range(platform.num_nodes)]
        for channel, latency in zip(platform.channels, self.latencies, strict=True):
            self.leaving[channel.source].append((channel.target, latency))

    def of(self, starts: Iterable[int]) -> dict[int, int]:
        heap, distances = [(0, start) for start in starts], dict[int, int]()
        while heap:
            distance, node = heappop(heap)
            if node not in distances:
                distances[node] = distance
                for other, latency in self.leaving[node]:
                    if other not in distances:
                        heappush(heap, (distance + latency, other))
        return distances


def _ends(operation: Operation) -> tuple[set[int], set[int]]:
    """Return the members whose bytes others need, and those that need them."""
    members, kind = set(operation.members), operation.kind
    root = {operation.root} if operation.root is not None else set[int]()
    return root if kind in ("broadcast", "scatter") else members, root if kind in ("reduce", "gather") else members


def _of_far_members(platform: Platform, operation: Operation, distances: _Distances) -> list[Bound]:
    """Return the cuts around either of two members that are farthest from each other."""
    senders, receivers = _ends(operation)
    farthest, pair = -1, (0, 0)
    for sender in sorted(senders)[: max(1, MOST_DISTANCES // len(platform.channels))]:
        reached = distances.of([sender])
        if receivers <= {sender}:
            continue
        far = max(receivers - {sender}, key=lambda node: (reached.get(node, -1), -node))
        if reached.get(far, -1) > farthest:
            farthest, pair = reached[far], (sender, far)
    one, other = pair
    cuts = (one,), tuple(node for node in range(platform.num_nodes) if node != other)
    return [Bound(platform, operation, Fraction(0), cut, source=one, target=other) for cut in cuts]


def _with_latency(bound: Bound, late: _Distances, early: _Distances) -> Fraction:
    """Return the least time in which channels carry what a bound counts, each only while it is of use."""
    operation, on = bound.operation, bound.platform.channels
    senders, receivers = _ends(operation)
    members = set(operation.members)
    if bound.lengths:
        weights = list(bound.lengths)
        sent = bound.time * sum(c.bandwidth * length for c, length in zip(on, weights, strict=True))
    elif bound.ends:
        weights = [int((c.target if bound.ends == "targets" else c.source) in members) for c in on]
        sent = operation.size * 2 * (len(members) - 1)
    else:
        cut = set(bound.cut)
        senders = (senders if bound.source is None else {bound.source}) & cut
        receivers = (receivers if bound.target is None else {bound.target}) - cut
        weights = [int(c.source in cut and c.target not in cut) for c in on]
        sent = operation.size * (len(senders) if operation.kind in BY_SOURCE else 1)
        sent *= len(receivers) if operation.kind in BY_TARGET else 1
    before, after = late.of(senders), early.of(receivers)
    useful = sorted(
        (before[c.source] + latency + after[c.target], w * c.bandwidth)
        for c, latency, w in zip(on, late.latencies, weights, strict=True)
        if w and c.source in before and c.target in after
    )
    time, rate = Fraction(0), Fraction(0)
    for place, (begins, amount) in enumerate(useful):
        time, rate = begins * late.unit, rate + amount
        ends = useful[place + 1][0] * late.unit if place + 1 < len(useful) else None
        if ends is None or sent <= rate * (ends - time):
            return time + sent / rate
        sent -= rate * (ends - time)
    return time


def worst_cut(
    platform: Platform, senders: tuple[int, ...], receivers: tuple[int, ...]
) -> tuple[Fraction, frozenset[int]]:
    """Return the largest ratio of senders inside a set to bandwidth leaving it, and the set, with a receiver outside.

    Each receiver takes the minimum cuts that raise the ratio, and one that does not.
    """
    import networkx as nx

    scale = lcm(*(c.bandwidth.denominator for c in platform.channels), 1)
    graph: Any = nx.DiGraph()
    graph.add_nodes_from(range(platform.num_nodes))
    for channel in platform.channels:
        if channel.source != channel.target:
            before = graph.get_edge_data(channel.source, channel.target, {"bandwidth": 0})["bandwidth"]
            graph.add_edge(channel.source, channel.target, bandwidth=before + int(channel.bandwidth * scale))
    edges = list(graph.edges(data="bandwidth"))
    inside, leaving, worst = 0, 1, frozenset[int]()
    for receiver in receivers:
        fed = [sender for sender in senders if sender != receiver]
        while fed:
            if not inside:  # any first cut will do: all but the receiver
                cut = frozenset(range(platform.num_nodes)) - {receiver}
            else:
                # Each sender is fed at the rate leaving / inside; all capacities are multiplied by inside.
                graph.add_edges_from((a, b, {"capacity": bandwidth * inside}) for a, b, bandwidth in edges)
                graph.add_edges_from((-1, sender, {"capacity": leaving}) for sender in fed)
                flow, (near, _) = nx.minimum_cut(graph, -1, receiver)
                graph.remove_node(-1)
                if flow == leaving * len(fed):
                    break
                cut = frozenset(near) - {-1}
            inside, worst = sum(sender in cut for sender in fed), cut
            leaving = sum(bandwidth for a, b, bandwidth in edges if a in cut and b not in cut)
            if not leaving:
                raise NetworkError(f"{platform.name}: no channel leads from member {min(cut & {*fed})} to {receiver}")
    return Fraction(inside * scale, leaving), worst


def bound_by_lengths(platform: Platform, operation: Operation) -> Bound:
    """Return the bound on an all-to-all by the dual of the concurrent flow, rounded to whole lengths of channels."""
    import networkx as nx

    members, channels = operation.members, platform.channels
    flow = concurrent_flow(platform, members, members)
    dual = [max(0.0, -float(price)) for price in flow.ineqlin.marginals]
    best = Bound(platform, operation, Fraction(0), ())
    for parts in (1, 12, 2520, 10**9):
        lengths = tuple(round(price / max(dual) * parts) for price in dual)
        graph: Any = nx.MultiDiGraph()
        graph.add_weighted_edges_from((c.source, c.target, w) for c, w in zip(channels, lengths, strict=True))
        distances = [nx.single_source_dijkstra_path_length(graph, sender) for sender in members]
        total = sum(distance[member] for distance in distances for member in members)
        room = sum((c.bandwidth * w for c, w in zip(channels, lengths, strict=True)), Fraction(0))
        if room and operation.size * total / room > best.time:
            best = Bound(platform, operation, operation.size * total / room, (), lengths)
    return best
