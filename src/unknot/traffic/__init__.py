"""Traffic: who sends how much to whom, by name, as arrays or as functions; packet lengths, bursts and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.traffic.pattern import Pattern as Pattern
    from unknot.traffic.pattern import TrafficError as TrafficError
    from unknot.traffic.patterns import PatternLike as PatternLike
    from unknot.traffic.patterns import pattern as pattern
    from unknot.traffic.patterns import patterns as patterns
    from unknot.traffic.workload import Bursts as Bursts
    from unknot.traffic.workload import Message as Message
    from unknot.traffic.workload import Traffic as Traffic
    from unknot.traffic.workload import TrafficClass as TrafficClass

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
