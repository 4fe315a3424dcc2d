"""Small networks that are queues of textbooks, the times they take, and intervals to compare means by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.special import stdtrit

from unknot._base.switching import Switching
from unknot.fabrics.named import network
from unknot.network import Network
from unknot.network.families import line
from unknot.routing import Relation, dimension_order, shortest_paths
from unknot.simulation import TracedMessage, run_trace

CONFIDENCE = 0.9999
"""Of the intervals: a case fails by chance once in ten thousand changes of the random numbers."""


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float]:
    """Mean of independent values and half of its confidence interval (Student)."""
    found = np.asarray(values)
    spread = float(found.std(ddof=1)) / found.size**0.5
    return float(found.mean()), float(stdtrit(found.size - 1, (1 + CONFIDENCE) / 2)) * spread


@cache
def two_routers(vcs: int, *, sources: int = 1, latency: int = 1) -> Relation:
    """All sources at one router, their sinks at another: one channel carries everything."""
    ends = f"inject={[0] * sources}, eject={[1] * sources}"
    return dimension_order(network(f"terminals(line(2, latency={latency}), {ends})"), vcs)


@cache
def along(routers: int, latency: int) -> Relation:
    """A line of routers, one VC for each channel."""
    return dimension_order(line(routers, latency=latency), 1)


@cache
def one_router(sources: int, vcs: int) -> Relation:
    """Sources and, as the last terminal, their sink at the same router: its ejection channel carries everything."""
    at = [0] * (sources + 1)
    return dimension_order(network(f"terminals(line(2), inject={at}, eject={at})"), vcs)


@cache
def star(latencies: tuple[int, ...], vcs: int) -> Relation:
    """Sources with a channel each to a hub, and from there one channel to the router of all sinks."""
    n = len(latencies)
    ends = {"inject": list(range(n)), "eject": [n + 1] * n}
    star = Network("star", n + 2, list(range(n + 1)), [n] * n + [n + 1], [*latencies, 1], **ends)
    return shortest_paths(star, vcs)


@cache
def row(sources: int, vcs: int) -> Relation:
    """A source at every router of a one-way line, all sinks at the router after the last."""
    along = list(range(sources))
    ends = {"inject": along, "eject": [sources] * sources}
    return shortest_paths(Network("row", sources + 1, along, [r + 1 for r in along], **ends), vcs)


def alone(switching: Switching, flits: int, routers: int, latency: int) -> int:
    """Cycles from creation to arrival without contention: 4 per router, the channels, 3 at the ends, the tail."""
    wait_for_tail = routers * max(0, flits - 2) if switching == "saf" else 0
    return 4 * routers + (routers - 1) * latency + 3 + flits - 1 + wait_for_tail


def service(switching: Switching, flits: int, latency: int) -> int:
    """Cycles from one packet to the next when a channel of one VC has several to send and its buffer holds one.

    A header that is granted the VC in T sends its first flit in T + 1 and its tail in T + L. It is read downstream
    `latency` + 2 cycles after it was sent, asks for a VC a cycle later, for the switch another cycle later, and
    leaves with all its flits behind it; store-and-forward waits for L − 2 of them first, when it has as many. The
    credit of the tail is read `latency` + 1 cycles after the tail has left, and in that cycle the VC is granted
    again: T + L + 2 latency + 5. Without atomic allocation, and with room enough, the VC is granted again when the
    tail has been sent. Then the packets queue in the buffer downstream, where a header asks for a VC two cycles after
    the tail before it has left: L + 2.
    """
    if switching == "wormhole-nonatomic":
        return flits + 2
    return flits + 2 * latency + 5 + (max(0, flits - 2) if switching == "saf" else 0)


def room(switching: Switching, flits: int, latency: int) -> int:
    """Buffer depth for `service`: one packet, or, for packets that follow each other, a round trip more."""
    return flits + (2 * latency + 5 if switching == "wormhole-nonatomic" else 0)


def one_server(ready: Sequence[int], service: int) -> list[int]:
    """Cycles in which customers begin to be served, in their order, by a server that is never idle in vain."""
    starts: list[int] = []
    for cycle in ready:
        starts.append(max(cycle, starts[-1] + service) if starts else cycle)
    return starts


def arrivals(
    relation: Relation, sent: Sequence[tuple[int, int, int]], switching: Switching, flits: int, depth: int
) -> np.ndarray:
    """Cycles in which packets arrive; each is (cycle, source, destination)."""
    trace = [TracedMessage(cycle, source, destination, flits) for cycle, source, destination in sent]
    run = run_trace(relation, trace, switching=switching, buffer_depth=depth)
    assert not run.reason
    return run.arrived
