"""Rules made to order: position-independent routing on meshes with the fewest VCs, and proofs for every size."""

from unknot.certificates import Rejected
from unknot.synthesis.rules.design import Design, design, distributions
from unknot.synthesis.rules.every_size import EverySize, NotUniform, every_size, rule_of
from unknot.synthesis.rules.impossible import Impossible, accept
from unknot.synthesis.rules.judge import Judged, judge
from unknot.synthesis.rules.proofs import Proof, proof_of, proved_rule
from unknot.synthesis.rules.requirements import Request
from unknot.synthesis.rules.rule import Rule, rule_from
from unknot.synthesis.rules.space import Space
from unknot.synthesis.rules.turns import TurnModel, turn_models

__all__ = [
    "Design",
    "EverySize",
    "Impossible",
    "Judged",
    "NotUniform",
    "Proof",
    "Rejected",
    "Request",
    "Rule",
    "Space",
    "TurnModel",
    "accept",
    "design",
    "distributions",
    "every_size",
    "judge",
    "proof_of",
    "proved_rule",
    "rule_from",
    "rule_of",
    "turn_models",
]
