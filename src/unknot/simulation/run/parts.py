"""Parts of runs: each kind of run is a record of some of them, and of what it alone has."""

from __future__ import annotations

from dataclasses import dataclass

from unknot._base.quantities import Cycles, Flits, Load
from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration


@dataclass(frozen=True)
class OfferedAndAccepted:
    """OfferedAndAccepted of a run, in flits per terminal and cycle.

    Attributes
    ----------
    offered_load : float
        Load asked for.
    accepted_load : float
        Flits ejected per terminal and cycle while measuring.
    """

    offered_load: Load
    accepted_load: Load


@dataclass(frozen=True)
class Latencies:
    """Latencies of packets, messages or transactions, in cycles; the kind of run says since when.

    Attributes
    ----------
    latency_mean, latency_p50, latency_p95, latency_p99, latency_max : float or None
        Mean, percentiles and maximum over those that arrived; None when none did.
    """

    latency_mean: Cycles | None
    latency_p50: Cycles | None
    latency_p95: Cycles | None
    latency_p99: Cycles | None
    latency_max: Cycles | None


@dataclass(frozen=True)
class NetworkLatencies(Latencies):
    """Latencies with and without the time before injection.

    Attributes
    ----------
    network_latency_mean : float or None
        Mean latency from injection of the header.
    """

    network_latency_mean: Cycles | None


@dataclass(frozen=True, kw_only=True)
class Ending:
    """State in which a network was left.

    Attributes
    ----------
    cycles : int
        Cycles simulated in all.
    flit_hops : int
        Flits sent over a channel by a router in all, the channels to terminals included.
    switching, buffer_depth :
        The point that was simulated.
    deadlock : Configuration or None
        The knot of blocked messages, when the run came to one.
    """

    cycles: int
    flit_hops: int
    switching: Switching
    buffer_depth: Flits
    deadlock: Configuration | None = None
