"""Tools of all searches: limits, linear programs, clauses with proofs, and lower bounds with evidence."""

from unknot._base.public import public as _public
from unknot.search.bound import Bound as Bound

__all__ = _public(globals())
