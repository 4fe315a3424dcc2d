# mypy: ignore-errors
"""The plain Python rule behind the function pointer that kernels call, without compiling it.

A call costs microseconds instead of nanoseconds, but there is nothing to compile: right for going through hundreds of
small relations.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
from numba import types

from unknot.routing.relation import Relation
from unknot.routing.relation_kernel import RULE_SIGNATURE, Compiled

FEW_STATES = 20_000
"""Most states for which asking a rule for all of them is quicker than compiling it."""


class _Callback(types.WrapperAddressProtocol):
    """A rule as a C function that calls Python back."""

    def __init__(self, relation: Relation, remember: bool) -> None:
        rule, size, addresses = relation.rule, relation.max_candidates, relation.num_addresses
        view = ctypes.c_int64 * size
        known: dict[int, np.ndarray] = {}

        def call(at, address, pointer):
            try:
                out = np.frombuffer(view.from_address(pointer), dtype=np.int64)
                found = known.get(at * addresses + address)
                if found is not None:
                    out[: found.size] = found
                    return found.size
                count = int(rule(at, address, out))
                if remember and 0 <= count <= size:
                    known[at * addresses + address] = out[:count].copy()
                return count
            except (Exception, SystemExit):
                return -1

        self.ctypes = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(call)
        self._address = ctypes.cast(self.ctypes, ctypes.c_void_p).value

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self):
        return RULE_SIGNATURE


def interpreted(relation: Relation, *, remember: bool = False) -> Relation:
    """Put the plain rule in the place of the compiled one; change and return `relation`.

    With `remember` the rule is asked for each state once only, at some hundred bytes per state.
    """
    relation.__dict__["compiled"] = Compiled(_Callback(relation, remember), False, relation.rule)
    return relation


def quickest(relation: Relation) -> Relation:
    """The relation itself, or, where it has few states, a copy that is not compiled and asked for each state once."""
    states = (relation.num_vcs + relation.network.num_terminals) * relation.num_addresses
    return relation if states > FEW_STATES else interpreted(replace(relation), remember=True)


def is_interpreted(relation: Relation) -> bool:
    """Whether the plain rule stands in place of the compiled one."""
    made = relation.__dict__.get("compiled")
    return made is not None and isinstance(made.function, _Callback)
