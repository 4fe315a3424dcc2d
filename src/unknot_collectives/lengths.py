"""Lengths of channels for bounds: what an operation must carry, each byte times the length of its way.

Fair lengths are those under which the bytes of an all-to-all have the longest ways: the dual of the concurrent flow.
Small platforms take the prices of the linear program. On large ones channels of a class have one length. The classes
begin as one, and are parted where what goes along shortest paths, shared evenly among equal ones, is not the same on
all of their channels: automorphisms keep it, so channels that they turn into each other stay together. Lengths of
classes are those of a small linear program whose rows are such flows (cutting planes)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError
from unknot._base.memory import require
from unknot_collectives.flows import MOST_FLOWS, concurrent_flow, share
from unknot_collectives.operation import Operation
from unknot_collectives.platform import Platform, in_whole_numbers

Distances = npt.NDArray[np.float64]
"""Whole numbers below 2^53, or infinite, by sender and receiver."""
MOST_FAIR = 20_000
"""Members times channels up to which `even_lengths` has the lengths of an all-to-all too."""
MOST_SHARED = 6_000
"""Members times channels up to which it has prices of a linear program of trees."""
MOST_EVEN = 4_000_000
"""Those up to which lengths of classes are looked for; beyond, plain ones are tried."""
MOST_PLANES = 60
"""Linear programs of classes that are solved."""
CLOSE = 1e-9
"""Relative difference below which two bounds are equal."""
EVEN = 1e-7
"""Share of the highest load of a channel below which loads are equal."""
ENOUGH = 1e-5
"""Relative difference below which the next program's bound is not worth another try."""


def fair_lengths(platform: Platform, operation: Operation) -> Iterator[Sequence[int]]:
    """Yield fair lengths of all channels in whole numbers, in several roundings; plain ones where there are too many.

    Raises
    ------
    NetworkError
        If a receiver cannot be reached.
    """
    size = len(operation.members) * len(platform.channels)
    if size > MOST_EVEN:
        yield from plain_lengths(platform, operation)
    elif size > MOST_FLOWS:
        yield from _rounded(_of_classes(platform, operation))
    else:
        yield from _rounded(concurrent_flow(platform, operation.amounts).prices)


def _rounded(exact: Distances) -> Iterator[tuple[int, ...]]:
    for parts in (1, 12, 2520, 10**9):
        if (rounded := np.rint(exact / exact.max() * parts)).any():
            yield tuple(map(int, rounded))


def plain_lengths(platform: Platform, operation: Operation) -> Iterator[list[int]]:
    """Yield lengths: 1 for channels into members, out of them, between other nodes, or all, and 0 for the rest.

    The last two also with the time of a unit of bytes in place of 1.
    """
    members, channels = set(operation.members), platform.channels
    into, out = [int(c.target in members) for c in channels], [int(c.source in members) for c in channels]
    taken, _ = in_whole_numbers([1 / c.bandwidth for c in channels])
    between = [1 - max(ends) for ends in zip(into, out, strict=True)]
    for lengths in (into, out, between, [a * b for a, b in zip(between, taken, strict=True)], [1] * len(into), taken):
        if any(lengths):
            yield lengths


def even_lengths(platform: Platform, operation: Operation) -> Iterator[list[int]]:
    """Yield plain lengths; on small platforms also lengths fair to an all-to-all, and prices of the bandwidth that
    trees share, the same in both directions.
    """
    members, channels = set(operation.members), platform.channels
    yield from plain_lengths(platform, operation)
    exact = list[Distances]()
    if len(members) * len(channels) <= MOST_FAIR:
        exact.append(concurrent_flow(platform, replace(operation, kind="all_to_all").amounts).prices)
    if len(members) * len(channels) <= MOST_SHARED:
        roots = None if operation.kind in ("all_reduce", "barrier") else operation.parts
        shared = share(replace(platform, members=operation.members), operation.parts, roots, up=roots is None)
        exact += [] if shared is None else [shared.prices]
    for prices in exact:
        there = defaultdict[tuple[int, int], float](float)
        for channel, price in zip(channels, prices.tolist(), strict=True):
            there[channel.source, channel.target] += price
        both = np.array([there[c.source, c.target] + there[c.target, c.source] for c in channels])
        yield from map(list, _rounded(both))


def carried(platform: Platform, operation: Operation, lengths: Sequence[int]) -> Fraction:
    """Return how many bytes times lengths of channels an operation of size 1 must carry at least, of all groups.

    Of all_to_all the blocks times their shortest ways. Else a chunk reaches all members of a group, or is added up
    from them, over no less than a shortest tree between them, if members alone copy and add up.
    """
    apart = distances_between(platform, lengths, operation.members)
    place = {member: i for i, member in enumerate(operation.members)}
    if operation.blocks:
        return sum(
            (amount * int(apart[place[a], place[b]]) for (a, b), amount in operation.amounts.items()), Fraction(0)
        )
    total = 0
    for part in operation.parts:
        rows = [place[member] for member in part]
        among = apart[np.ix_(rows, rows)]
        if operation.kind == "all_to_all":
            total += int(among.astype(np.int64).sum())
            continue
        chunks = len(part) if operation.kind in ("all_gather", "reduce_scatter") else 2
        total += chunks * _tree_length(np.minimum(among, among.T))
    return Fraction(total)


def _tree_length(apart: Distances) -> int:
    """Return the length of a shortest tree that joins all places (Prim)."""
    nearest, left, total = apart[0].copy(), np.ones(len(apart), dtype=bool), 0
    left[0] = False
    while left.any():
        place = int(np.argmin(np.where(left, nearest, np.inf)))
        total += int(nearest[place])
        left[place] = False
        nearest = np.minimum(nearest, apart[place])
    return total


def distances_between(platform: Platform, lengths: Sequence[int], members: Sequence[int]) -> Distances:
    """Return the lengths of the shortest paths between members.

    Raises
    ------
    NetworkError
        If one cannot be reached.
    """
    apart = distances(platform, np.array(lengths, dtype=float), members)[:, list(members)]
    if not np.isfinite(apart).all():
        one, other = np.argwhere(~np.isfinite(apart))[0].tolist()
        raise NetworkError(f"{platform.name}: no channel leads from member {members[one]} to {members[other]}")
    return apart


def distances(platform: Platform, lengths: Distances, starts: Sequence[int]) -> Distances:
    """Return the lengths of the shortest paths from some nodes to all; infinite where there is none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    nodes = platform.num_nodes
    require(f"distances from {len(starts)} members", 8 * len(starts) * nodes)
    key = np.array([channel.source * nodes + channel.target for channel in platform.channels])
    order = np.lexsort((lengths, key))
    ends, first = np.unique(key[order], return_index=True)  # of parallel channels the shortest
    # Zeros that are stored are channels of length 0.
    graph = csr_array((lengths[order][first], (ends // nodes, ends % nodes)), shape=(nodes, nodes))
    return np.asarray(dijkstra(graph, indices=list(starts)))


def _of_classes(platform: Platform, operation: Operation) -> Distances:
    """Return lengths that are equal on each class of channels.

    Each program keeps near the best lengths so far, nearer after one that did not bring better ones.
    """
    from scipy.optimize import linprog

    senders = operation.members
    row = {sender: i for i, sender in enumerate(senders)}
    sent = np.zeros((len(senders), platform.num_nodes))
    for (sender, receiver), amount in operation.amounts.items():
        sent[row[sender], receiver] = float(amount)
    width = np.array([float(channel.bandwidth) for channel in platform.channels])
    ends = np.array([[c.source in row, c.target in row] for c in platform.channels], dtype=float).T
    classes, planes = np.zeros(width.size, dtype=np.int64), list[Distances]()
    tried = [start for start in (*ends, 1 - ends.max(axis=0), 1 / width) if start.any()]
    best, most, radius = tried[0], 0.0, 1.0
    for _ in range(MOST_PLANES):
        lengths = tried.pop() if tried else best
        lengths = lengths / (lengths @ width)
        flow = _even_flow(platform, lengths, senders, sent)
        planes.append(flow)
        better = flow @ lengths > most * (1 + CLOSE)
        if better:
            best, most = lengths, float(flow @ lengths)
        parts = np.rint(flow / width / (flow / width).max() / EVEN)
        classes = np.unique(np.stack([classes, width, lengths, parts]), axis=1, return_inverse=True)[1].reshape(-1)
        if tried:
            continue
        radius = radius * 2 if better else radius / 2
        count = int(classes.max()) + 1
        rows = np.array([np.bincount(classes, plane) for plane in planes])
        least = np.zeros(count)
        least[classes] = best
        # The largest time so that no plane has less: its flow along these lengths.
        above = np.hstack([-rows, np.ones((len(planes), 1))])
        near = radius / width.sum()
        limits = [(max(0.0, length - near), length + near) for length in least.tolist()]
        unit = np.append(np.bincount(classes, width), 0)[None]
        cost = np.append(np.zeros(count), -1)
        solved = linprog(cost, above, np.zeros(len(planes)), unit, [1], [*limits, (None, None)], method="highs")
        if not solved.success or -solved.fun <= most * (1 + ENOUGH):
            break
        tried = [solved.x[:-1][classes]]
    return np.asarray(best, dtype=float)


def _even_flow(platform: Platform, lengths: Distances, senders: Sequence[int], sent: Distances) -> Distances:
    """Return what each channel carries if all goes along shortest paths, shared evenly among equal ones.

    Of paths of one length those of fewest channels count.
    """
    source = np.array([channel.source for channel in platform.channels])
    target = np.array([channel.target for channel in platform.channels])
    hop = max(lengths.max(), 1e-300) * 1e-7
    reaches = distances(platform, lengths + hop, senders)
    if not np.isfinite(reaches[sent > 0]).all():
        raise NetworkError(f"{platform.name}: there is no flow from each member to each other one")
    near, flow = hop / 2, np.zeros(source.size)
    for row, reached in enumerate(reaches):
        tight = np.flatnonzero(np.abs(reached[source] + lengths + hop - reached[target]) < near)
        arriving = np.bincount(target[tight], minlength=platform.num_nodes)
        rank = np.rint(reached[target[tight]] / near)
        order = np.argsort(-rank, kind="stable")
        tight, rank = tight[order], rank[order]
        through = sent[row].copy()
        for batch in np.split(tight, np.flatnonzero(np.diff(rank)) + 1):
            carried = through[target[batch]] / arriving[target[batch]]
            flow[batch] += carried
            np.add.at(through, source[batch], carried)
    return flow
