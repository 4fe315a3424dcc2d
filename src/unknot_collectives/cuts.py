"""Cuts between senders and receivers: the worst by senders inside over bandwidth that leaves, and minimum cuts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot_collectives.platform import Platform, in_whole_numbers

MOST_FLOW = 2**31 - 1
"""Capacity of all arcs together, beyond which capacities of cuts are rounded."""
MOST_CUTS = 5_000_000
"""Receivers times channels up to which cuts before all receivers are looked at."""


def worst_cut(
    platform: Platform, senders: tuple[int, ...], receivers: tuple[int, ...]
) -> tuple[Fraction, frozenset[int]]:
    """Return the largest ratio of senders inside a set to bandwidth leaving it, and the set, with a receiver outside.

    Each receiver takes the minimum cuts that raise the ratio, and one that does not (Newton); of receivers that could
    change places one is enough. The set is the worst one, unless there are more than `MOST_CUTS` receivers times
    channels, of which some are left out then, or bandwidths have no common unit that lets flows be below `MOST_FLOW`.
    """
    rates, unit = in_whole_numbers([channel.bandwidth for channel in platform.channels])
    rate = np.array(rates, dtype=object if sum(rates) > MOST_FLOW else np.int64)
    source, target = np.array([(c.source, c.target) for c in platform.channels], dtype=np.int64).reshape(-1, 2).T
    inside, leaving, worst = 0, 1, frozenset[int]()
    looked_at = unlike(platform, senders, receivers)
    for receiver in looked_at[:: len(looked_at) * len(rates) // MOST_CUTS + 1]:
        fed = [sender for sender in senders if sender != receiver]
        near = np.arange(platform.num_nodes) != receiver  # any first cut will do: all but the receiver
        while fed:
            if inside:
                near = _fed_cut((source, target, rate * inside), fed, leaving, receiver, platform.num_nodes)
            within, room = int(near[fed].sum()), int(rate[near[source] & ~near[target]].sum())
            if within and not room:
                raise NetworkError(f"{platform.name}: no channel leads from member {fed[0]} to {receiver}")
            if within * leaving <= inside * room:
                break
            inside, leaving = Fraction(within, room).as_integer_ratio()
            worst = frozenset(np.flatnonzero(near).tolist())
    return Fraction(inside, leaving) / unit, worst


def unlike(platform: Platform, senders: tuple[int, ...], receivers: tuple[int, ...]) -> list[int]:
    """Return a receiver of each class: equal channels to and from equal nodes, and all are senders or none is."""
    ends = defaultdict[int, list[tuple[int, int, Fraction]]](list)
    for c in platform.channels:
        ends[c.source].append((1, c.target, c.bandwidth))
        ends[c.target].append((0, c.source, c.bandwidth))
    sending = set(senders)
    return list({(*sorted(ends[one]), one in sending): one for one in reversed(receivers)}.values())[::-1]


Arcs = tuple[Any, Any, Any]
"""Tails, heads and capacities, an array each."""


def _fed_cut(arcs: Arcs, fed: Sequence[int], amount: int, sink: int, nodes: int) -> np.ndarray[Any, Any]:
    """Return for each node whether it is on the near side of a minimum cut from senders, fed an amount each."""
    feeder = np.full(len(fed), nodes), np.array(fed), np.full(len(fed), amount, dtype=arcs[2].dtype)
    tails, heads, room = (np.concatenate(pair) for pair in zip(arcs, feeder, strict=True))
    coarse = max(1, -(-int(room.sum()) // MOST_FLOW))
    return minimum_cut((tails, heads, room // coarse), nodes, sink)[1][:nodes]


def minimum_cut(arcs: Arcs, source: int, sink: int) -> tuple[int, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the least capacity of arcs that part a source from a sink, and for each node whether it is near."""
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    tails, heads, room = (side.astype(np.int32) for side in arcs)
    count = int(max(tails.max(), heads.max(), sink)) + 1
    graph = csr_array(coo_array((room, (tails, heads)), shape=(count, count)))
    found = maximum_flow(graph, source, sink)
    left = graph - found.flow
    left.eliminate_zeros()
    near = np.zeros(count, dtype=np.bool_)
    near[breadth_first_order(left, source, return_predecessors=False)] = True
    return int(found.flow_value), near
