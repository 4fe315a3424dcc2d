"""Traffic: who sends how much to whom, by name, as arrays or as functions."""

from unknot.traffic.named import Traffic, pattern, patterns
from unknot.traffic.pattern import Pattern, TrafficError

__all__ = ["Pattern", "Traffic", "TrafficError", "pattern", "patterns"]
