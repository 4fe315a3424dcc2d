"""A small, separate checker of verdicts: it imports the relation and nothing of the prover."""

from unknot.checker.rules import Rejected, Unchecked
from unknot.checker.verdicts import accept, evidence_holds

__all__ = ["Rejected", "Unchecked", "accept", "evidence_holds"]
