# mypy: ignore-errors
"""The plain Python rule behind the function pointer that kernels call, without compiling it.

A call costs microseconds instead of nanoseconds, but there is nothing to compile: right for going through hundreds of
small relations.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numba import types

from unknot.routing.relation import Relation
from unknot.routing.relation_kernel import RULE_SIGNATURE, Compiled


class _Callback(types.WrapperAddressProtocol):
    """A rule as a C function that calls Python back."""

    def __init__(self, relation: Relation) -> None:
        rule, size = relation.rule, relation.max_candidates
        view = ctypes.c_int64 * size

        def call(at, address, pointer):
            try:
                return int(rule(at, address, np.frombuffer(view.from_address(pointer), dtype=np.int64)))
            except Exception:
                return -1

        self.ctypes = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(call)
        self._address = ctypes.cast(self.ctypes, ctypes.c_void_p).value

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self):
        return RULE_SIGNATURE


def interpreted(relation: Relation) -> Relation:
    """The same relation, with the plain rule in place of the compiled one; changes and returns `relation`."""
    relation.__dict__["compiled"] = Compiled(_Callback(relation), False, relation.rule)
    return relation
