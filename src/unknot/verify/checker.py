"""The separate checker lives in `unknot.checker`, apart from all that it judges; this is its name of old."""

from unknot.checker import Rejected, accept, evidence_holds

__all__ = ["Rejected", "accept", "evidence_holds"]
