"""Lower bounds on the time of a collective operation by its worst cut, or by lengths of channels.

What must leave a set of nodes takes at least its size over the bandwidth of the channels that leave. For all members
that send to each of some others the worst cut is found by Newton's iteration on minimum cuts from a node that feeds
every sender; reduce-scatter, reduce and scatter are all-gather, broadcast and gather on the reversed platform. All is
exact in fractions.

Nothing moves before the first message has cost its overhead, so that this is added; and from a member, or to one,
messages follow each other: as in the postal model of Bar-Noy and Kipnis (1994) those that have the data of one are
counted over time.

A channel across a cut is of use from when the first byte can have come to it until the last one must have left for
where it is needed: that adds the latencies. For two members that are far apart this is their distance, and the time
of a block at the narrower end (alpha and beta)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot_collectives.cuts import MOST_CUTS, unlike, worst_cut
from unknot_collectives.lengths import MOST_EVEN, Distances, carried, distances, even_lengths, fair_lengths
from unknot_collectives.platform import Operation, Platform, in_whole_numbers
from unknot_collectives.time_cuts import TimeCut, by_time_cuts

BY_SOURCE = ("gather", "all_gather", "all_to_all")
"""Operations in which each source has bytes of its own, for all."""
BY_TARGET = ("scatter", "reduce_scatter", "all_to_all")
"""Operations in which each target needs bytes of its own, of all."""
MOST_DISTANCES = 2_000_000
"""Members times channels up to which all members are tried as ends of the farthest pair; beyond, the first ones."""
LATE = Fraction(1, 50)
"""Share of the bound without latencies: cuts in time are sought where one of these, or what they add, is above."""
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
        In place of a cut: of each channel. What `carried` returns, over bandwidth times length of all channels, is
        that time.
    source, target : int or None
        The only members whose bytes, and to which they, are counted at the cut; None: all.
    in_time : tuple of TimeCut
        In place of both: cuts in time, by whose windows the operation does not end by that time.
    rounds : str
        In place of all: by how many messages the data of a ``source`` come to all who need them, or those that a
        ``target`` needs come to the target; else empty.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives.platform import platform_of
    >>> platform = platform_of(ring(4))
    >>> lower = bound(platform, Operation("all_reduce", platform.members, Fraction(8)))
    >>> lower.time, lower.lengths
    (Fraction(12, 1), (0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1))
    """

    platform: Platform
    operation: Operation
    time: Fraction
    cut: tuple[int, ...]
    lengths: tuple[int, ...] = ()
    source: int | None = None
    target: int | None = None
    in_time: tuple[TimeCut, ...] = ()
    rounds: str = ""

    def claim(self) -> dict[str, Any]:
        """Return the claim that `unknot.certificates` checks, with the cut as its proof."""
        proof: dict[str, Any] = {"cut": list(self.cut), "source": self.source, "target": self.target}
        if self.rounds:
            proof = {"rounds": self.rounds}
        elif self.in_time:
            proof = {"cuts": [one.words for one in self.in_time]}
        elif self.lengths:
            proof = {"lengths": list(self.lengths)}
        return {"subject": "collective", **self.platform.claim(self.operation, self.time), "proof": proof}


def bound(platform: Platform, operation: Operation, *, quick: bool = False, in_time: bool = False) -> Bound:
    """Return the largest bound by a cut, or by lengths of channels, on the time of an operation.

    Without latencies it is the optimum of a broadcast or reduce between members alone; of an all-gather or
    reduce-scatter where every switch has equal bandwidth in and out; for an all-reduce or barrier, where switches add
    nothing up, and for several groups, it is a bound only. That of all-to-all is the optimum but for the rounding of
    lengths, up to `MOST_FLOWS` members times channels; beyond, lengths of classes may be a little below it. Of more
    members some cuts and lengths are left out, as `left_out` says.

    Parameters
    ----------
    platform : Platform
        Nodes and channels.
    operation : Operation
        The operation.
    quick : bool
        Whether cuts around one of the first members are enough.
    in_time : bool
        Whether cuts in time are looked for, too, where the platform is small and latencies count: seconds.

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
    >>> from unknot_collectives.platform import platform_of
    >>> platform = platform_of(torus(4, 4))
    >>> bound(platform, Operation("all_gather", platform.members, Fraction(64))).time
    Fraction(961, 1)
    """
    for member in operation.members:
        if not 0 <= member < platform.num_nodes:
            raise NetworkError(f"{platform.name}: member {member} is none of its {platform.num_nodes} nodes")
    free = replace(platform, overhead=Fraction(0))
    alone = _without_overhead(free, operation, quick=quick, in_time=in_time)
    if not platform.overhead:
        return alone
    made = [replace(alone, platform=platform, time=alone.time + platform.overhead)]
    for end in ("source", "target"):
        made.append(Bound(platform, operation, _by_rounds(platform, operation, end), (), rounds=end))
    return max(made, key=lambda one: one.time)


def _without_overhead(platform: Platform, operation: Operation, *, quick: bool, in_time: bool) -> Bound:
    unit = (_of_members if quick else _of_unit_size)(platform, replace(operation, size=Fraction(1)))
    made = replace(unit, operation=operation, time=unit.time * operation.size)
    if not any(channel.latency for channel in platform.channels):
        return made
    late, early = _Latencies(platform), _Latencies(platform.reversed())
    tried = [made, *_of_far_members(platform, operation, late)]
    best = max((replace(one, time=_with_latency(one, late, early)) for one in tried), key=lambda one: one.time)
    slow = max(best.time - made.time, *(channel.latency for channel in platform.channels))
    if in_time and slow > LATE * made.time:
        time, cuts = by_time_cuts(platform, operation, best.time)
        best = replace(best, time=time, in_time=cuts)
    return best


def _by_rounds(platform: Platform, operation: Operation, end: str) -> Fraction:
    """Return when the data of a member can be where they are needed, at the earliest, if messages had no size.

    A member sends the next message when its channels have carried what the one before costs at the least.
    """
    out, members, kind = end == "source", set(operation.members), operation.kind
    one = platform if out else platform.reversed()
    one_sided = ("reduce", "gather") if out else ("broadcast", "scatter")
    if operation.blocks:
        most = max(Counter(pair[not out] for pair in operation.amounts).values()) + 1
    else:
        most = 2 if kind in one_sided else max(map(len, operation.parts))
    wide, late = defaultdict[int, Fraction](Fraction), defaultdict[tuple[bool, bool], list[Fraction]](list)
    for c in one.channels:
        wide[c.source] += c.bandwidth
        late[c.source in members, c.target in members].append(c.latency)
    far = [min(late[True, False]) + min(late[False, True])] if late[True, False] and late[False, True] else []
    apart = min([*late[True, True], *far])
    slots = platform.overhead * min(c.bandwidth for c in one.channels) / max(wide[m] for m in members)
    # Members that have the data: when the next message of each can have come, since when, and its number.
    coming, at = list[tuple[Fraction, Fraction, int]](), Fraction(0)
    for _ in range(most - 1):
        heappush(coming, (at + apart + max(platform.overhead, slots), at, 1))
        at, since, sent = heappop(coming)
        heappush(coming, (since + apart + max(platform.overhead, (sent + 1) * slots), since, sent + 1))
    return at


def left_out(platform: Platform, operation: Operation) -> str:
    """Return a sentence on bounds that are not tried among so many members; empty: all are."""
    members, size = operation.members, len(operation.members) * len(platform.channels)
    if operation.kind == "all_to_all":
        what = "the bound is by plain lengths of channels; better ones were not looked for" * (size > MOST_EVEN)
    else:
        many = size > MOST_CUTS and len(unlike(platform, members, members)) * len(platform.channels) > MOST_CUTS
        what = "the bound is by cuts before some of the members; others were not looked at" * many
    return f"{what} among {len(members)} members" if what else ""


@lru_cache(maxsize=4)
def _of_unit_size(platform: Platform, operation: Operation) -> Bound:
    """Return the bound without latencies."""
    if operation.kind == "all_to_all":
        return max(
            (_by_lengths(platform, operation, one) for one in fair_lengths(platform, operation)),
            key=lambda one: one.time,
        )
    bounds = [_by_cut(platform, operation, cut) for cut in _worst_cuts(platform, operation)]
    if operation.kind in ("all_reduce", "barrier") or operation.groups:
        bounds += [_by_lengths(platform, operation, one) for one in even_lengths(platform, operation)]
    return max(bounds, key=lambda one: one.time)


def _of_members(platform: Platform, operation: Operation) -> Bound:
    """Return the largest bound by a cut around one of the first members, without latencies."""
    every, size = frozenset(range(platform.num_nodes)), len(platform.channels) + len(operation.members) ** 2
    looked_at = operation.members[: max(1, MOST_DISTANCES // size)]
    cuts = [cut for member in looked_at for cut in (frozenset({member}), every - {member})]
    return max((_by_cut(platform, operation, cut) for cut in cuts), key=lambda one: one.time)


def _worst_cuts(platform: Platform, operation: Operation) -> Iterator[frozenset[int]]:
    """Yield the worst cut of each group; where bytes go both ways, also that of the other direction."""
    kind = REVERSED.get(operation.kind, operation.kind)
    turned = kind != operation.kind
    one, every = platform.reversed() if turned else platform, frozenset(range(platform.num_nodes))
    for part in operation.parts:
        first = part[0] if operation.root is None else operation.root
        others = tuple(m for m in part if m != first)
        senders = part if kind == "all_gather" else others if kind == "gather" else (first,)
        receivers = part if kind == "all_gather" else (first,) if kind == "gather" else others
        cut = worst_cut(one, senders, receivers)[1]
        yield every - cut if turned else cut
        if kind in ("all_reduce", "barrier"):
            yield every - worst_cut(platform.reversed(), senders, receivers)[1]


def _by_cut(platform: Platform, operation: Operation, cut: frozenset[int]) -> Bound:
    room = sum(c.bandwidth for c in platform.channels if c.source in cut and c.target not in cut)
    leaving = _leaving(operation, cut)
    if leaving and not room:
        raise NetworkError(f"{platform.name}: no channel leads from members that send to others that receive")
    return Bound(platform, operation, leaving / room if room else Fraction(0), tuple(sorted(cut)))


def _leaving(operation: Operation, cut: Collection[int], source: int | None = None, target: int | None = None) -> Any:
    """Return how many bytes must leave a cut, of one source or all, to one target or all."""
    if operation.blocks:
        sent = sum(
            amount
            for (a, b), amount in operation.amounts.items()
            if a in cut and b not in cut and source in (None, a) and target in (None, b)
        )
        return operation.size * sent
    leaving = 0
    for part in operation.parts:
        senders, receivers = _ends(operation, part)
        inside = len((senders if source is None else senders & {source}) & set(cut))
        outside = len((receivers if target is None else receivers & {target}) - set(cut))
        own = inside if operation.kind in BY_SOURCE else min(inside, 1)
        leaving += own * (outside if operation.kind in BY_TARGET else min(outside, 1))
    return operation.size * leaving


def _by_lengths(platform: Platform, operation: Operation, lengths: Sequence[int]) -> Bound:
    room = sum((c.bandwidth * w for c, w in zip(platform.channels, lengths, strict=True)), Fraction(0))
    time = operation.size * carried(platform, operation, lengths) / room
    return Bound(platform, operation, time, (), tuple(lengths))


class _Latencies:
    """Least latencies from nodes to all others, in whole units; infinite where no channel leads."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.each, self.unit = in_whole_numbers([channel.latency for channel in platform.channels])

    def of(self, starts: Collection[int]) -> Distances:
        return distances(self.platform, np.array(self.each, dtype=float), sorted(starts))


def _ends(operation: Operation, part: Sequence[int]) -> tuple[set[int], set[int]]:
    """Return the members of a group whose bytes are needed elsewhere, and the members in need of bytes."""
    members, kind = set(part), operation.kind
    root = {operation.root} if operation.root is not None else set[int]()
    return root if kind in ("broadcast", "scatter") else members, root if kind in ("reduce", "gather") else members


def _of_far_members(platform: Platform, operation: Operation, latencies: _Latencies) -> list[Bound]:
    """Return the cuts around either of two members that are farthest from each other."""
    most, pairs = max(1, MOST_DISTANCES // len(platform.channels)), list[tuple[float, int, int]]()
    for part in operation.parts:
        senders, receivers = (sorted(side) for side in _ends(operation, part))
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


def _with_latency(bound: Bound, late: _Latencies, early: _Latencies) -> Fraction:
    """Return the least time in which channels carry the bytes of a bound, each channel during its
    useful time only.
    """
    operation, on = bound.operation, bound.platform.channels
    sides = zip(*(_ends(operation, part) for part in operation.parts), strict=True)
    senders, receivers = (set[int]().union(*side) for side in sides)
    if bound.lengths:
        weights = list(bound.lengths)
        sent = bound.time * sum(c.bandwidth * length for c, length in zip(on, weights, strict=True))
    else:
        cut = set(bound.cut)
        senders = (senders if bound.source is None else {bound.source}) & cut
        receivers = (receivers if bound.target is None else {bound.target}) - cut
        weights = [int(c.source in cut and c.target not in cut) for c in on]
        sent = _leaving(operation, cut, bound.source, bound.target)
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
