"""What each member of a collective operation has at the end, by following its sends."""

from __future__ import annotations

from unknot._base.errors import NetworkError
from unknot.traffic.collectives import Schedule


def holdings(schedule: Schedule) -> dict[int, frozenset[int]]:
    """Members whose data each member has at the end, all sends done in order.

    Raises
    ------
    NetworkError
        If a message carries what its source does not have by then, or adds up something twice.
    """
    spreads = schedule.operation in ("broadcast", "multicast", "scatter")
    start = {m: {m} for m in schedule.members}
    if spreads:
        whole = set(schedule.members) if schedule.operation == "scatter" else {schedule.root}
        start = {m: (whole if m == schedule.root else set()) for m in schedule.members}
    held = {m: set(blocks) for m, blocks in start.items()}
    arrived: dict[int, set[int]] = {}
    adds = schedule.operation in ("reduce", "all_reduce")
    for i, send in enumerate(schedule.sends):
        known = set(start[send.source]).union(
            *(arrived[j] for j in send.needs if schedule.sends[j].destination == send.source)
        )
        if not set(send.blocks) <= known:
            missing = schedule.network.terminal_name(min(set(send.blocks) - known))
            source = schedule.network.terminal_name(send.source)
            raise NetworkError(
                f"{schedule.operation}: in step {send.step} {source} sends data of {missing} that it does not have"
            )
        arrived[i] = set(send.blocks)
        both = held[send.destination] & arrived[i]
        if adds and both and held[send.destination] != both:
            raise NetworkError(f"{schedule.operation}: data of {len(both)} members would be added up twice")
        held[send.destination] |= arrived[i]
    return {m: frozenset(blocks) for m, blocks in held.items()}
