"""Rules made to order: position-independent routing on meshes with the fewest VCs, and proofs for every size."""

from inspect import ismodule as _ismodule

from unknot.design.decision import Decision as Decision
from unknot.design.decision import decide as decide
from unknot.design.design import Design as Design
from unknot.design.design import design as design
from unknot.design.design import distributions as distributions
from unknot.design.every_size import EverySize as EverySize
from unknot.design.every_size import every_size as every_size
from unknot.design.impossible import Impossible as Impossible
from unknot.design.impossible import accept as accept
from unknot.design.proofs import proved_rules as proved_rules
from unknot.design.ranking import Proof as Proof
from unknot.design.requirements import Request as Request
from unknot.design.rule import Rule as Rule
from unknot.design.rule import relation_of_offers as relation_of_offers
from unknot.design.space import Space as Space

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
