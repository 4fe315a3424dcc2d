# mypy: ignore-errors
"""The one function type that prover and simulator kernels see: int64(int64 at, int64 address, int64 out_pointer).

A shim of that type calls the compiled rule with bounds checked, and returns −1 when the rule raises; the caller then
asks the plain Python rule for the same state, which raises the real error.
"""

from __future__ import annotations

from types import CellType, FunctionType
from typing import TYPE_CHECKING

import numpy as np
from numba import NumbaError, njit, types

from unknot._base.kernels.kept_kernel import TARGET, Kept, c_function
from unknot._base.kernels.types_kernel import RULE_SIGNATURE
from unknot._base.kernels.words_kernel import array_at
from unknot.routing.pointer import LEAN, Compiled, Pointer, file_of_rule, kept_rule
from unknot.routing.tabulate import lookup, tabulate

if TYPE_CHECKING:
    from unknot.routing.relation import Relation


def compile_relation(relation: Relation) -> Compiled:
    """Compile the rule, or tabulate it over its reachable states when Numba cannot compile it."""
    try:
        return Compiled(_shim(relation.rule, relation.max_candidates), False)
    # Numba says by any of these that it cannot compile a rule; a rule that is wrong raises when it is tabulated.
    except (NumbaError, TypeError, ValueError, NotImplementedError):
        return Compiled(_shim(lookup(tabulate(relation)), relation.max_candidates), True)


def _jitted(function, options, outer=(), mark=""):
    """`function` for Numba. Plain functions that it refers to, such as rules it is made of, are compiled with it."""
    if not isinstance(function, FunctionType):
        return njit(boundscheck=True, **options)(function)
    outer = (*outer, function)

    def inside(value):
        plain = isinstance(value, FunctionType) and value not in outer
        return _jitted(value, options, outer, mark) if plain else value

    cells = tuple(CellType(inside(cell.cell_contents)) for cell in function.__closure__ or ())
    names = {name: function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__}
    scope = {**function.__globals__, **{name: inside(value) for name, value in names.items()}}
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    copy.__qualname__ = function.__qualname__ + mark
    return njit(boundscheck=True, **options)(copy)


def _shim(rule, size):
    """The rule in one piece with its shim, compiled or loaded from what an earlier process kept.

    Only if it makes arrays itself are they counted, which costs time.
    """
    try:
        return kept_rule(rule, size) or _in_one_piece(rule, size, LEAN)
    except NumbaError:
        return _in_one_piece(rule, size, {})


def _in_one_piece(rule, size, options):
    """The shim of a rule, compiled, or loaded by Numba.

    What is kept is named after the digest of the rule, also inside, so that no two rules have a name in common.
    """
    file = file_of_rule(rule, size, options)
    keep = file and Kept(file)
    known = keep and keep.load_overload(RULE_SIGNATURE, TARGET)
    if known:
        return Pointer(known.library.get_pointer_to_function(known.fndesc.llvm_cfunc_wrapper_name), known)
    mark, length = f"_{file.rpartition('-')[2]}" if file else "", np.int64(size)
    fast = _jitted(rule, options, (), mark)
    fast.compile((types.int64, types.int64, types.int64[::1]))

    def shim(at, address, pointer):
        try:
            return np.int64(fast(at, address, array_at(pointer, length)))
        except Exception:  # whatever it is: no error passes through a C function, and the plain rule raises it again
            return np.int64(-1)

    shim.__qualname__ += mark
    made = c_function(shim, RULE_SIGNATURE, options, file)
    return Pointer(made.address, made)
