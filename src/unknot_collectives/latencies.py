"""Bounds with latencies: a channel is of use from when the first byte can have come to it until the last must leave.

For two members that are far apart this adds their distance to the time of a block at the narrower end (alpha and
beta)."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import numpy as np

from unknot_collectives.evidence import Bound, leaving_bytes
from unknot_collectives.lengths import Distances, distances
from unknot_collectives.operation import Operation, ends_of
from unknot_collectives.platform import Platform, in_whole_numbers

MOST_DISTANCES = 2_000_000
"""Members times channels up to which all members are tried as ends of the farthest pair; beyond, the first ones."""


class LeastLatencies:
    """Least latencies from nodes to all others, in whole units; infinite where no channel leads."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.each, self.unit = in_whole_numbers([channel.latency for channel in platform.channels])

    def of(self, starts: Collection[int]) -> Distances:
        return distances(self.platform, np.array(self.each, dtype=float), sorted(starts))


def of_far_members(platform: Platform, operation: Operation, latencies: LeastLatencies) -> list[Bound]:
    """Return the cuts around either of two members that are farthest from each other."""
    most, pairs = max(1, MOST_DISTANCES // len(platform.channels)), list[tuple[float, int, int]]()
    for part in operation.parts:
        senders, receivers = (sorted(side) for side in ends_of(operation, part))
        senders = senders[:most]
        apart = latencies.of(senders)[:, receivers]
        apart[np.equal.outer(senders, receivers)] = -1
        if operation.blocks:
            apart[[[(a, b) not in operation.amounts for b in receivers] for a in senders]] = -1
        i, j = np.unravel_index(int(apart.argmax()), apart.shape)
        pairs.append((float(apart[i, j]), senders[i], receivers[j]))
    _, one, other = max(pairs, key=lambda pair: pair[0])
    cuts = (one,), tuple(node for node in range(platform.num_nodes) if node != other)
    return [Bound(platform, operation, Fraction(0), cut, source=one, target=other) for cut in cuts]


def with_latency(bound: Bound, late: LeastLatencies, early: LeastLatencies) -> Fraction:
    """Return the least time in which channels carry the bytes of a bound, each while it is of use only."""
    operation, on = bound.operation, bound.platform.channels
    sides = zip(*(ends_of(operation, part) for part in operation.parts), strict=True)
    senders, receivers = (set[int]().union(*side) for side in sides)
    if bound.lengths:
        weights = list(bound.lengths)
        sent = bound.time * sum(c.bandwidth * length for c, length in zip(on, weights, strict=True))
    else:
        cut = set(bound.cut)
        senders = (senders if bound.source is None else {bound.source}) & cut
        receivers = (receivers if bound.target is None else {bound.target}) - cut
        weights = [int(c.source in cut and c.target not in cut) for c in on]
        sent = leaving_bytes(operation, cut, bound.source, bound.target)
    before, after = (one.of(starts).min(axis=0).tolist() for one, starts in ((late, senders), (early, receivers)))
    useful = sorted(
        (int(before[c.source] + latency + after[c.target]), w * c.bandwidth)
        for c, latency, w in zip(on, late.each, weights, strict=True)
        if w and before[c.source] + after[c.target] < np.inf
    )
    time, rate = Fraction(0), Fraction(0)
    for place, (begins, amount) in enumerate(useful):
        time, rate = begins * late.unit, rate + amount
        ends = useful[place + 1][0] * late.unit if place + 1 < len(useful) else None
        if ends is None or sent <= rate * (ends - time):
            return time + sent / rate
        sent -= rate * (ends - time)
    return time
