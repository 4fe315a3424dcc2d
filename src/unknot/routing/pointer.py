"""Compiled rules as addresses, and those that an earlier process kept."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from unknot._base.kernels.cache import sources_digest
from unknot._base.kernels.linked import file_of, load
from unknot.routing.rule_digest import rule_digest

if TYPE_CHECKING:
    from unknot.routing.relation import Rule

LEAN = {"forceinline": True, "_nrt": False}
"""Options of Numba for rules that make no arrays."""
C_RULE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Pointer:
    """A rule at an address, with all that must stay alive while it is used.

    Attributes
    ----------
    ctypes : callable
        The function for Python.
    """

    def __init__(self, address: int, keeps: object) -> None:
        self.address, self.keeps = address, keeps

    @cached_property
    def ctypes(self) -> Callable[[int, int, int], int]:
        return C_RULE(self.address)


@dataclass(frozen=True, eq=False)
class Compiled:
    """A rule as kernels take it.

    Attributes
    ----------
    function : Pointer
    tabulated : bool
        Whether the rule had to be tabulated because Numba cannot compile it.
    """

    function: Pointer
    tabulated: bool


def file_of_rule(rule: Rule, size: int, options: dict[str, bool]) -> str | None:
    """Return the name of the file of a compiled rule; None if it depends on what cannot be known."""
    source = sources_digest("unknot.routing.relation_kernel")
    digest = rule_digest(rule, size, sorted(options.items()), source)
    return None if digest is None else file_of(f"rule-{digest}")


def kept_rule(rule: Rule, size: int) -> Pointer | None:
    """Load a rule that an earlier process compiled and kept, without Numba."""
    for options in (LEAN, {}):
        file = file_of_rule(rule, size, options)
        address = file and load(file)
        if address:
            return Pointer(address, None)
    return None
