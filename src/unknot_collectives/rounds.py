"""A bound by rounds of messages without a size: how fast those that have the data of a member can become more.

A. Bar-Noy, S. Kipnis: Designing broadcasting algorithms in the postal model for message-passing systems. Mathematical
Systems Theory, 27(5), 1994."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from heapq import heappop, heappush

from unknot_collectives.operation import Operation, ends_of
from unknot_collectives.platform import Platform

ENDS = ("source", "target")
"""Where the member is whose data count: they leave it, or come to it."""


def by_rounds(platform: Platform, operation: Operation, end: str) -> Fraction:
    """Return when the data of a member can be where they are needed, at the earliest, if messages had no size.

    A member sends the next message when its channels have carried what the one before costs at the least.
    """
    out, members = end == "source", set(operation.members)
    one = platform if out else platform.reversed()
    if operation.blocks:
        most = max(Counter(pair[not out] for pair in operation.amounts).values()) + 1
    else:  # a root alone is one beside the member
        most = max(2, *(len(ends_of(operation, part)[out]) for part in operation.parts))
    wide, late = defaultdict[int, Fraction](Fraction), defaultdict[tuple[bool, bool], list[Fraction]](list)
    for c in one.channels:
        wide[c.source] += c.bandwidth
        late[c.source in members, c.target in members].append(c.latency)
    far = [min(late[True, False]) + min(late[False, True])] if late[True, False] and late[False, True] else []
    apart = min([*late[True, True], *far])
    slot = platform.overhead * min(c.bandwidth for c in one.channels) / max(wide[m] for m in members)

    def message(since: Fraction, number: int) -> tuple[Fraction, Fraction, int]:
        return since + apart + max(platform.overhead, number * slot), since, number

    # Next messages of all that have the data: when each can have come, since when its sender has them, its number.
    coming, at = [message(Fraction(0), 1)], Fraction(0)
    for _ in range(most - 1):
        at, since, number = heappop(coming)
        heappush(coming, message(since, number + 1))
        heappush(coming, message(at, 1))
    return at
