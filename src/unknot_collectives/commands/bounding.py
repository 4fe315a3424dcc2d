"""Bounds that a command shows: in their part of the time, and by the names of their channels."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from unknot.cli.commands.printing import notify

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.network import Network
    from unknot_collectives.evidence import Bound
    from unknot_collectives.operation import Operation
    from unknot_collectives.platform import Platform

BOUNDING = 0.5
"""Share of a time limit after which bounds that are not known yet are quick ones."""
PER_MEMBER = 1.5e-5, 4e-7
"""About the seconds of a bound for each member and channel, by lengths of classes, and by cuts or plain lengths; none
that takes too long is begun: it cannot be ended."""
MOST_NAMED = 4
"""Most channels of a bound that are named one by one."""


def bounds_of(platform: Platform, operations: list[Operation], limit: Deadline | None) -> tuple[list[Bound], bool]:
    """Return a bound for each operation, and whether the exact ones were done in their part of the time."""
    from unknot._base.deadline import NEVER, within
    from unknot_collectives import bound
    from unknot_collectives.bounds import left_out

    def exactly() -> list[Bound]:
        return [bound(platform, one, in_time=True) for one in operations]

    quick = [] if limit is None else [bound(platform, one, quick=True) for one in operations]
    part = (limit or NEVER).part(BOUNDING)
    plainly = operations[0].kind != "all_to_all" or bool(left_out(platform, operations[0]))
    about = PER_MEMBER[plainly] * len(operations[0].members) * len(platform.channels)
    # Compiled parts of libraries are not interrupted: in a thread of their own Ctrl-C does not wait for them.
    exact = part.unless_over(lambda: within(inf, exactly)) if about < part.left else None
    if exact and (words := left_out(platform, operations[0])):
        notify(words)
    return exact or quick, exact is not None


def reducing(platform: Platform, bounds: list[Bound]) -> list[Bound]:
    """Return bounds of all-reduces in switches that reduce: each member's vector leaves it once."""
    from unknot_collectives import bound

    wholes = [one.operation for one in bounds]
    if wholes[0].kind != "all_reduce":
        return bounds
    return [bound(platform, replace(one, kind="reduce", root=one.members[0])) for one in wholes]


def counted(bound: Bound, network: Network) -> str:
    """Channels that a bound counts: by name if they are few, or how many between routers and of terminals."""
    if bound.rounds:
        return f"rounds of messages {'to all from' if bound.rounds == 'source' else 'from all to'} a member"
    cut, channels = set(bound.cut), list(enumerate(bound.platform.channels))
    if bound.lengths:
        numbers = [number for number, _ in channels if bound.lengths[number]]
    else:
        numbers = [number for number, one in channels if one.source in cut and one.target not in cut]
    inner = [network.channel_name(number) for number in numbers if number < network.num_channels]
    ends = len(numbers) - len(inner)
    names = ", ".join(inner) if len(inner) <= MOST_NAMED else f"{len(inner)} channels between routers"
    words = names, f"{ends} channel{'s' * (ends > 1)} between terminals and routers" * bool(ends)
    return " and ".join(filter(None, words))
