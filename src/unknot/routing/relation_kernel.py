# mypy: ignore-errors
"""The one function type that prover and simulator kernels see: int64(int64 at, int64 address, int64 out_pointer).

A shim of that type calls the compiled rule with bounds checked, and returns −1 when the rule raises; the caller then
asks the plain Python rule for the same state, which raises the real error.
"""

from __future__ import annotations

from contextlib import suppress
from types import CellType, FunctionType
from typing import TYPE_CHECKING

from llvmlite import ir
from numba import NumbaError, types
from numba.core.errors import UnsupportedBytecodeError

from unknot._base.kernels.kept_kernel import TARGET, CFunction, KeptByNumba
from unknot._base.kernels.types_kernel import I64, whole
from unknot._base.kernels.words_kernel import array_of
from unknot.routing.contract import Rule
from unknot.routing.pointer import LEAN, Pointer, file_of_rule, kept_rule

if TYPE_CHECKING:
    from unknot.routing.relation import Rule

UNCOMPILED = NumbaError, UnsupportedBytecodeError, TypeError, ValueError, NotImplementedError
"""Errors by which Numba says that it cannot compile a function; the second is no NumbaError."""


def compiled_rule(rule: Rule, size: int) -> Pointer | None:
    """Compile a rule with so many candidates at most; None when Numba cannot."""
    with suppress(*UNCOMPILED):
        return _shim(rule, size)
    return None


def _jitted(function, options, outer=(), mark=""):
    """Prepare `function` for Numba, with all plain functions named in it, such as the rules of a composed rule."""
    if not isinstance(function, FunctionType):
        return whole(boundscheck=True, **options)(function)
    outer = (*outer, function)

    def inside(value):
        plain = isinstance(value, FunctionType) and value not in outer
        return _jitted(value, options, outer, mark) if plain else value

    cells = tuple(CellType(inside(cell.cell_contents)) for cell in function.__closure__ or ())
    names = {name: function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__}
    scope = {**function.__globals__, **{name: inside(value) for name, value in names.items()}}
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    copy.__qualname__ = function.__qualname__ + mark
    return whole(boundscheck=True, **options)(copy)


def _shim(rule, size):
    """The rule in one piece with its shim, compiled or loaded from what an earlier process kept.

    Only if it makes arrays itself are they counted, which costs time.
    """
    try:
        return kept_rule(rule, size) or _in_one_piece(rule, size, LEAN)
    except (NumbaError, UnsupportedBytecodeError):
        return _in_one_piece(rule, size, {})


def _in_one_piece(rule, size, options):
    """The shim of a rule, compiled, or loaded by Numba.

    What is kept is named after the digest of the rule, also inside, so that no two rules have a name in common.
    """
    file = file_of_rule(rule, size, options)
    if file:
        with suppress(Exception):  # whatever is wrong with what was kept
            known = KeptByNumba(file)
            return Pointer(known.address, known)
    fast = _jitted(rule, options, (), f"_{file.rpartition('-')[2]}" if file else "")
    fast.compile((types.int64, types.int64, I64))
    (compiled,) = fast.overloads.values()

    def arguments(builder, words):
        at, address, out = words
        return [at, address, array_of(TARGET, builder, types.int64, out, ir.IntType(64)(size))]

    made = CFunction(compiled, 3, arguments, -1, file)
    # Numba refers to large arrays of the rule by their address, so the rule has to live as long.
    return Pointer(made.address, (made, rule))
