"""Lower bounds on the time of a collective operation by its worst cut, or by lengths of channels.

What must leave a set of nodes takes at least its size over the bandwidth of the channels that leave. For all members
that send to each of some others the worst cut is found by Newton's iteration on minimum cuts from a node that feeds
every sender; reduce-scatter, reduce and scatter are all-gather, broadcast and gather on the reversed platform. All is
exact in fractions.

Nothing moves before the first message has cost its overhead, so that this is added; messages also follow each other
in rounds, as `rounds` counts them. `latencies` says what latencies add."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from unknot._base.errors import NetworkError
from unknot_collectives.cuts import MOST_CUTS, unlike, worst_cut
from unknot_collectives.evidence import Bound, by_cut, by_lengths
from unknot_collectives.latencies import MOST_DISTANCES, LeastLatencies, of_far_members, with_latency
from unknot_collectives.lengths import MOST_EVEN, even_lengths, fair_lengths
from unknot_collectives.operation import Operation
from unknot_collectives.platform import Platform
from unknot_collectives.rounds import ENDS, by_rounds
from unknot_collectives.time_cuts import by_time_cuts

LATE = Fraction(1, 50)
"""Cuts in time are sought where a latency, or what all add to the bound, is above this share of the bound without."""
REVERSED = {"reduce_scatter": "all_gather", "reduce": "broadcast", "scatter": "gather"}
"""Operations that are another one on the reversed platform."""


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
    made = replace(alone, platform=platform, time=alone.time + platform.overhead)
    rounds = (Bound(platform, operation, by_rounds(platform, operation, end), (), rounds=end) for end in ENDS)
    return max(made, *rounds, key=lambda one: one.time)


def _without_overhead(platform: Platform, operation: Operation, *, quick: bool, in_time: bool) -> Bound:
    unit = (_of_members if quick else _of_unit_size)(platform, replace(operation, size=Fraction(1)))
    made = replace(unit, operation=operation, time=unit.time * operation.size)
    if not any(channel.latency for channel in platform.channels):
        return made
    late, early = LeastLatencies(platform), LeastLatencies(platform.reversed())
    tried = [made, *of_far_members(platform, operation, late)]
    best = max((replace(one, time=with_latency(one, late, early)) for one in tried), key=lambda one: one.time)
    slow = max(best.time - made.time, *(channel.latency for channel in platform.channels))
    if in_time and slow > LATE * made.time:
        time, cuts = by_time_cuts(platform, operation, best.time)
        best = replace(best, time=time, in_time=cuts)
    return best


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
            (by_lengths(platform, operation, one) for one in fair_lengths(platform, operation)),
            key=lambda one: one.time,
        )
    bounds = [by_cut(platform, operation, cut) for cut in _worst_cuts(platform, operation)]
    if operation.kind in ("all_reduce", "barrier") or operation.groups:
        bounds += [by_lengths(platform, operation, one) for one in even_lengths(platform, operation)]
    return max(bounds, key=lambda one: one.time)


def _of_members(platform: Platform, operation: Operation) -> Bound:
    """Return the largest bound by a cut around one of the first members, without latencies."""
    every, size = frozenset(range(platform.num_nodes)), len(platform.channels) + len(operation.members) ** 2
    looked_at = operation.members[: max(1, MOST_DISTANCES // size)]
    cuts = [cut for member in looked_at for cut in (frozenset({member}), every - {member})]
    return max((by_cut(platform, operation, cut) for cut in cuts), key=lambda one: one.time)


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
