"""What a simulation answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from unknot.switching import Switching
from unknot.verify.verdict import Configuration


@dataclass(frozen=True)
class Run:
    """The result of one simulation; times in cycles, loads in flits per terminal per cycle.

    Attributes
    ----------
    offered_load : float
        Load asked for.
    accepted_load : float
        Flits ejected per terminal and cycle while measuring.
    latency_mean, latency_p50, latency_p95, latency_p99, latency_max : float or None
        Packet latency, from creation to the ejection of the tail, of packets created while measuring; None when
        none arrived.
    network_latency_mean : float or None
        The same from injection of the header.
    hops_mean : float or None
        Routers traversed by a packet, source and destination included.
    stable : bool
        False when the run saturated or deadlocked; the latencies then have no steady meaning.
    reason : str
        Why it is not stable; empty when it is.
    deadlock : Configuration or None
        The knot of blocked messages, when the run came to one.
    packets : int
        Measured packets that arrived.
    cycles : int
        Cycles simulated in all.
    flit_hops : int
        Switch traversals in all, ejection included.
    switching, packet_length, buffer_depth, seed :
        The point that was simulated.
    """

    offered_load: float
    accepted_load: float
    latency_mean: float | None
    latency_p50: float | None
    latency_p95: float | None
    latency_p99: float | None
    latency_max: float | None
    network_latency_mean: float | None
    hops_mean: float | None
    stable: bool
    reason: str
    packets: int
    cycles: int
    flit_hops: int
    switching: Switching
    packet_length: int
    buffer_depth: int
    seed: int
    deadlock: Configuration | None = field(default=None)
