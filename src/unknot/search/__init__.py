"""Tools of all searches: limits, linear programs, clauses with proofs, and lower bounds with evidence."""

from inspect import ismodule as _ismodule

from unknot.search.bound import Bound as Bound

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
