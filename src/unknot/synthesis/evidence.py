"""A small, separate checker of "fewer lanes are impossible": from the network and the demand alone.

It shares nothing with the search: distances are its own breadth-first searches, in plain Python.
"""

from __future__ import annotations

from collections import deque

from unknot.errors import UnknotError
from unknot.network import Network
from unknot.synthesis.forced import ForcedCycle
from unknot.synthesis.ways import Flags


class Rejected(UnknotError):  # noqa: N818
    """The evidence does not hold; the text says where."""


def accept_forced_cycle(network: Network, evidence: ForcedCycle, sends: Flags | None = None) -> None:
    """Return quietly if a cycle of forced turns shows that one lane is not enough; raise `Rejected` if not.

    Parameters
    ----------
    sends : bool array, shape (terminals, terminals), optional
        Who sends to whom; by default every terminal sends to every other.
    """
    if not evidence.turns:
        raise Rejected("a cycle has at least one turn")
    senders = _senders(network, sends)
    for turn, following in zip(evidence.turns, [*evidence.turns[1:], evidence.turns[0]], strict=True):
        if turn.following != following.channel:
            raise Rejected(f"channel {turn.following} is followed by channel {following.channel}: that is no cycle")
        if (turn.source, turn.destination) not in senders:
            raise Rejected(f"router {turn.source} does not send to router {turn.destination}")
        levels = shortest_levels(network, turn.source, turn.destination)
        if [turn.channel] not in levels or [turn.following] not in levels:
            raise Rejected(
                f"a shortest path from router {turn.source} to router {turn.destination} does not take channels "
                f"{turn.channel} and {turn.following}"
            )
        if levels.index([turn.following]) != levels.index([turn.channel]) + 1:
            raise Rejected(f"channel {turn.following} does not follow channel {turn.channel}")


def shortest_levels(network: Network, source: int, destination: int) -> list[list[int]]:
    """The channels that are first, second, … on some shortest path between two routers."""
    there = hops(network, destination, forward=False)
    if source not in there:
        return []
    levels, ring = [], {source}
    while destination not in ring:
        level = [
            c
            for u in sorted(ring)
            for c in _leaving(network, u)
            if there.get(int(network.target[c]), -1) == there[u] - 1
        ]
        levels.append(sorted(level))
        ring = {int(network.target[c]) for c in level}
    return levels


def hops(network: Network, start: int, *, forward: bool) -> dict[int, int]:
    """Hops from a router to every other, or from every other to it."""
    ends = network.target if forward else network.source
    first, channels = network.outgoing if forward else network.incoming
    found, todo = {start: 0}, deque([start])
    while todo:
        u = todo.popleft()
        for c in channels[first[u] : first[u + 1]].tolist():
            v = int(ends[c])
            if v not in found:
                found[v] = found[u] + 1
                todo.append(v)
    return found


def _leaving(network: Network, router: int) -> list[int]:
    first, channels = network.outgoing
    return [int(c) for c in channels[first[router] : first[router + 1]]]


def _senders(network: Network, sends: Flags | None) -> set[tuple[int, int]]:
    """Pairs of different routers between whose terminals something is sent."""
    terminals = range(network.num_terminals)
    inject, eject = network.inject.tolist(), network.eject.tolist()
    found = {
        (inject[s], eject[t]) for s in terminals for t in terminals if s != t and (sends is None or bool(sends[s, t]))
    }
    return {(s, t) for s, t in found if s != t}
