# mypy: ignore-errors
"""The one function type that prover and simulator kernels see: int64(int64 at, int64 address, int64 out_pointer).

A shim of that type calls the compiled rule with bounds checked, and returns −1 when the rule raises; the caller then
asks the plain Python rule for the same state, which raises the real error.

Relations are pickled by the text of the algorithm that made them, else by the rule's code, else by its table.
Compiled code is never part of a pickle. Functions of installed modules go by name; a rule itself goes by value, with
what it captures, and such a pickle is for the Python version that wrote it.
"""

from __future__ import annotations

import importlib
import io
import pickle
from contextlib import suppress
from dataclasses import fields
from types import CellType, FunctionType
from typing import TYPE_CHECKING

from llvmlite import ir
from numba import NumbaError, cloudpickle, types
from numba.extending import is_jitted

from unknot._base.errors import RelationError
from unknot._base.kernels.kept_kernel import TARGET, CFunction, KeptByNumba
from unknot._base.kernels.lazy_kernel import Kernel
from unknot._base.kernels.types_kernel import I64, whole
from unknot._base.kernels.words_kernel import array_of
from unknot.network import Network
from unknot.routing.pointer import LEAN, Pointer, file_of_rule, kept_rule
from unknot.routing.tabulate import Table, lookup, tabulate
from unknot.routing.virtual_channels import VirtualChannels

if TYPE_CHECKING:
    from unknot.routing.relation import Relation, Rule

UNCOMPILED = NumbaError, TypeError, ValueError, NotImplementedError
"""Errors by which Numba says that it cannot compile a function."""


def compile_relation(relation: Relation) -> Pointer:
    """Compile the rule, or tabulate it over its reachable states when Numba cannot compile it."""
    try:
        return _shim(relation.rule, relation.max_candidates)
    except UNCOMPILED:  # a rule that is wrong raises when it is tabulated
        pointer = _shim(lookup(tabulate(relation)), relation.max_candidates)
        pointer.tabulated = True
        return pointer


def compile_hops(hops: Rule) -> Pointer | None:
    """Compile the function that counts the hops of ways; None when Numba cannot."""
    with suppress(*UNCOMPILED):
        return _shim(hops, 1)
    return None


def _jitted(function, options, outer=(), mark=""):
    """`function` for Numba. Plain functions that it refers to, such as rules it is made of, are compiled with it."""
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
    except NumbaError:
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
    return Pointer(made.address, made)


LARGEST = 1_000_000
"""States up to which a rule that cannot be pickled by value is pickled as a table."""


class _ByValue(cloudpickle.CloudPickler):
    """Functions defined in functions go by value; compiled helpers of a module go by name."""

    def reducer_override(self, obj):
        if is_jitted(obj) or isinstance(obj, Kernel):
            module, name = obj.py_func.__module__, obj.py_func.__qualname__
            if getattr(importlib.import_module(module), name, None) is obj:
                return _helper, (module, name)
            return cloudpickle.CloudPickler.reducer_override(self, obj.py_func)
        return super().reducer_override(obj)


def reduced(relation: Relation):
    """Return a function and its arguments that make a relation again, for pickle.

    Raises
    ------
    RelationError
        If the rule captures what cannot be pickled, and has too many states for a table.
    """
    apart = ("network", "vcs", "rule", "hops")
    rest = {f.name: getattr(relation, f.name) for f in fields(relation) if f.name not in apart}
    head = type(relation), relation.network, relation.vcs.counts
    table = getattr(relation.rule, "table", None)
    if table is None:
        try:
            return _by_value, (*head, _dumped((relation.rule, relation.hops)), rest)
        except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError) as error:
            try:
                table = relation.table or tabulate(relation, limit=LARGEST)
            except RelationError as reason:
                raise RelationError(f"{relation.name}: the rule cannot be pickled: {error}; {reason}") from error
    return _by_table, (*head, table, rest)  # without `hops` the simulator follows the table, to the same numbers


def _dumped(functions) -> bytes:
    stream = io.BytesIO()
    _ByValue(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(functions)
    return stream.getvalue()


def _helper(module: str, name: str):
    return getattr(importlib.import_module(module), name)


def _by_value(kind: type[Relation], network: Network, counts, functions: bytes, rest) -> Relation:
    rule, hops = pickle.loads(functions)
    return kind(network, VirtualChannels(network, counts), rule, hops=hops, **rest)


def _by_table(kind: type[Relation], network: Network, counts, table: Table, rest) -> Relation:
    return kind(network, VirtualChannels(network, counts), lookup(table), **rest)
