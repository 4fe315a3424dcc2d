"""Rules made to order: position-independent routing on meshes with the fewest VCs, and proofs for every size."""

from unknot._base.public import public as _public
from unknot.synthesis.decision import Decision as Decision
from unknot.synthesis.decision import decide as decide
from unknot.synthesis.design import Design as Design
from unknot.synthesis.design import design as design
from unknot.synthesis.design import distributions as distributions
from unknot.synthesis.every_size import EverySize as EverySize
from unknot.synthesis.every_size import every_size as every_size
from unknot.synthesis.impossible import Impossible as Impossible
from unknot.synthesis.impossible import accept as accept
from unknot.synthesis.offers import relation_of_offers as relation_of_offers
from unknot.synthesis.proofs import proved_rules as proved_rules
from unknot.synthesis.ranking import Proof as Proof
from unknot.synthesis.requirements import Request as Request
from unknot.synthesis.rule import Rule as Rule
from unknot.synthesis.space import Space as Space

__all__ = _public(globals())
