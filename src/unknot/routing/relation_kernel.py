# mypy: ignore-errors
"""The one function type that prover and simulator kernels see: int64(int64 at, int64 address, int64 out_pointer).

A shim of that type calls the compiled rule with bounds checked, and returns −1 when the rule raises; the caller then
asks the plain Python rule for the same state, which raises the real error.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CellType, FunctionType
from typing import Any

import numpy as np
from numba import cfunc, njit, types
from numba.core.errors import NumbaError

from unknot.errors import RelationError
from unknot.routing.relation import Relation
from unknot.routing.tabulate import lookup, tabulate
from unknot.types_kernel import RULE_SIGNATURE
from unknot.words_kernel import array_at


@dataclass(frozen=True, eq=False)
class Compiled:
    """A rule as a first-class function, with everything that must stay alive while it is used.

    Attributes
    ----------
    function : numba CFunc
        Pass it to kernels whose signature names `RULE`.
    tabulated : bool
        Whether the rule had to be tabulated because Numba cannot compile it.
    """

    function: Any
    tabulated: bool
    keeps: object


def compile_relation(relation: Relation) -> Compiled:
    """Compile the rule, or tabulate it over its reachable states when Numba cannot compile it."""
    try:
        return Compiled(_shim(relation.rule, relation.max_candidates), False, relation.rule)
    # Numba says by any of these that it cannot compile a rule; a rule that is wrong raises when it is tabulated.
    except (NumbaError, TypeError, ValueError, NotImplementedError):
        table = tabulate(relation)
        return Compiled(_shim(lookup(table), relation.max_candidates), True, table)


def _jitted(function, options, outer=()):
    """`function` for Numba. Plain functions that it refers to, such as rules it is made of, are compiled with it."""
    if not isinstance(function, FunctionType):
        return njit(boundscheck=True, **options)(function)
    outer = (*outer, function)

    def inside(value):
        return _jitted(value, options, outer) if isinstance(value, FunctionType) and value not in outer else value

    cells = tuple(CellType(inside(cell.cell_contents)) for cell in function.__closure__ or ())
    names = {name: function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__}
    scope = {**function.__globals__, **{name: inside(value) for name, value in names.items()}}
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    return njit(boundscheck=True, **options)(copy)


def _shim(rule, size):
    """The rule in one piece with its shim; only if it makes arrays itself are they counted, which costs time."""
    try:
        return _in_one_piece(rule, size, {"forceinline": True, "_nrt": False})
    except NumbaError:
        return _in_one_piece(rule, size, {})


def _in_one_piece(rule, size, options):
    fast = _jitted(rule, options)
    fast.compile((types.int64, types.int64, types.int64[::1]))
    length = np.int64(size)

    def shim(at, address, pointer):
        try:
            return np.int64(fast(at, address, array_at(pointer, length)))
        except Exception:
            return np.int64(-1)

    return cfunc(RULE_SIGNATURE, **options)(shim)


def ask(relation: Relation, at: int, address: int) -> None:
    """Repeat in plain Python a question the compiled rule failed on, so that the real error is raised."""
    relation.candidates(int(at), int(address))
    raise RelationError(
        f"{relation.name} at {relation.vcs.name(int(at))} for {relation.address_name(int(address))}: the compiled "
        "rule fails where the plain one does not; does it depend on anything but its arguments?"
    )
