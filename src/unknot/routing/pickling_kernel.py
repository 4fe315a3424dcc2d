# mypy: ignore-errors
"""Relations are pickled by the text of the algorithm that made them, else by the rule's code, else by its table.

Compiled code is never part of a pickle. Functions of installed modules go by name; a rule itself goes by value, with
what it captures, and such a pickle is for the Python version that wrote it.
"""

from __future__ import annotations

import importlib
import io
import pickle
from dataclasses import fields, replace

from numba import cloudpickle
from numba.extending import is_jitted

from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import Kernel
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.table import Table, lookup
from unknot.routing.tabulate import tabulate
from unknot.routing.virtual_channels import VirtualChannels

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
    apart = ("network", "vcs", "rule")
    rest = {f.name: getattr(relation, f.name) for f in fields(relation) if f.name not in apart}
    rest["preference"] = replace(relation.preference, hops=None)
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
    rest["preference"] = replace(rest["preference"], hops=hops)
    return kind(network, VirtualChannels(network, counts), rule, **rest)


def _by_table(kind: type[Relation], network: Network, counts, table: Table, rest) -> Relation:
    return kind(network, VirtualChannels(network, counts), lookup(table), **rest)
