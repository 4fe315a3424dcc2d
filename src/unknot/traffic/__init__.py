"""Traffic: who sends how much to whom, by name, as arrays or as functions; packet lengths, bursts and classes."""

from unknot.traffic.named import PatternLike, pattern, patterns
from unknot.traffic.pattern import Pattern, TrafficError
from unknot.traffic.workload import Bursts, Message, Traffic, TrafficClass

__all__ = [
    "Bursts",
    "Message",
    "Pattern",
    "PatternLike",
    "Traffic",
    "TrafficClass",
    "TrafficError",
    "pattern",
    "patterns",
]
