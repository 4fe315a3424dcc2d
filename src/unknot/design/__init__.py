"""Rules made to order: position-independent routing on meshes with the fewest VCs, and proofs for every size."""

from unknot.certificates import Rejected
from unknot.design.decision import Decision, decide
from unknot.design.design import Design, design, distributions
from unknot.design.every_size import EverySize, NotUniform, every_size, rule_of
from unknot.design.impossible import Impossible, accept
from unknot.design.proofs import Proof, proof_of, proved_rule
from unknot.design.requirements import Request
from unknot.design.rule import Rule, rule_from
from unknot.design.space import Space
from unknot.design.turns import TurnModel, turn_models

__all__ = [
    "Decision",
    "Design",
    "EverySize",
    "Impossible",
    "NotUniform",
    "Proof",
    "Rejected",
    "Request",
    "Rule",
    "Space",
    "TurnModel",
    "accept",
    "decide",
    "design",
    "distributions",
    "every_size",
    "proof_of",
    "proved_rule",
    "rule_from",
    "rule_of",
    "turn_models",
]
