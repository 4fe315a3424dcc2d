# mypy: ignore-errors
"""Relations with the plain rule in place of the compiled one, for tests."""

from unknot.routing.interpreter_kernel import interpreted

__all__ = ["interpreted"]
