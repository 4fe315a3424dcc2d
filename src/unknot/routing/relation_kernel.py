# mypy: ignore-errors
"""The one function type that prover and simulator kernels see: int64(int64 at, int64 address, int64 out_pointer).

A shim of that type calls the compiled rule with bounds checked, and returns −1 when the rule raises; the caller then
asks the plain Python rule for the same state, which raises the real error.
"""

from __future__ import annotations

import ctypes
import hashlib
from dataclasses import dataclass
from pathlib import Path
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import NumbaError, njit, types

from unknot._base.errors import RelationError
from unknot._base.kernels import words_kernel
from unknot._base.kernels.kept_kernel import TARGET, Kept, c_function
from unknot._base.kernels.types_kernel import RULE_SIGNATURE
from unknot._base.kernels.words_kernel import array_at
from unknot.routing.rule_digest import rule_digest
from unknot.routing.tabulate import lookup, tabulate

if TYPE_CHECKING:
    from unknot.routing.relation import Relation

_SOURCE = hashlib.sha256(Path(__file__).read_bytes() + Path(words_kernel.__file__).read_bytes()).hexdigest()
"""Of the code that goes into every shim."""
C_RULE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Pointer(types.WrapperAddressProtocol):
    """A rule at an address, as kernels take it, with all that must stay alive while it is used.

    Attributes
    ----------
    ctypes : callable
        The function for Python.
    """

    def __init__(self, address, keeps):
        self.address, self.keeps, self.ctypes = address, keeps, C_RULE(address)

    def __call__(self, at, address, pointer):
        """Return the answer as kernels get it that run in Python, with Numba switched off."""
        return self.ctypes(at, address, pointer)

    def __wrapper_address__(self):
        return self.address

    def signature(self):
        return RULE_SIGNATURE


@dataclass(frozen=True, eq=False)
class Compiled:
    """A rule as a first-class function, with everything that must stay alive while it is used.

    Attributes
    ----------
    function : Pointer
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
    """The rule in one piece with its shim; only if it makes arrays itself are they counted, which costs time."""
    try:
        return _in_one_piece(rule, size, {"forceinline": True, "_nrt": False})
    except NumbaError:
        return _in_one_piece(rule, size, {})


def _in_one_piece(rule, size, options):
    """The shim of a rule, compiled or loaded from what an earlier process kept.

    What is kept is named after the digest of the rule, also inside, so that no two rules have a name in common.
    """
    digest = rule_digest(rule, size, sorted(options.items()), _SOURCE)
    keep = None if digest is None else Kept(f"rule-{digest}")
    known = keep and keep.load_overload(RULE_SIGNATURE, TARGET)
    if known:
        return Pointer(known.library.get_pointer_to_function(known.fndesc.llvm_cfunc_wrapper_name), known)
    mark, length = f"_{digest}" if digest else "", np.int64(size)
    fast = _jitted(rule, options, (), mark)
    fast.compile((types.int64, types.int64, types.int64[::1]))

    def shim(at, address, pointer):
        try:
            return np.int64(fast(at, address, array_at(pointer, length)))
        except Exception:
            return np.int64(-1)

    shim.__qualname__ += mark
    made = c_function(shim, RULE_SIGNATURE, options, keep)
    return Pointer(made.address, made)


def ask(relation: Relation, at: int, address: int) -> None:
    """Repeat in plain Python a question the compiled rule failed on, so that the real error is raised."""
    function = relation.compiled.function
    if getattr(function, "interrupted", False):
        function.interrupted = False
        raise KeyboardInterrupt
    relation.candidates(int(at), int(address))
    raise RelationError(
        f"{relation.name} at {relation.vcs.name(int(at))} for {relation.address_name(int(address))}: the compiled "
        "rule fails where the plain one does not; does it depend on anything but its arguments?"
    )
