"""Best networks for routing (Deng & Yang): which classes of messages may take every shortest path."""

from unknot_papers.bnr.table import Bnr, Conclusion, Refusal, bnr, conclude

__all__ = ["Bnr", "Conclusion", "Refusal", "bnr", "conclude"]
