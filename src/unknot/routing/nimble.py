"""Quicker copies of rules, for plain Python."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

TYPES = "?bhilqBHI"
"""Whole numbers and truth values; of 64 bits without sign they would not wrap round."""
OPERATIONS = {
    "LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "UNARY_INVERT", "IS_OP", "IMPORT_NAME", "MAKE_FUNCTION"
}  # fmt: skip
"""Operations that a rule may not contain, but for names of `CALLED`."""
CALLED = {"range", "min", "max", "abs", "len", "int", "bool", "divmod", "EJECT", "TIER", "NO_WAIT", "VC_MASK"}


def nimble(rule: Any) -> Any:
    """A copy of a rule that reads captured arrays as memory views; the rule itself where that might differ."""
    try:
        return _copy(rule) if isinstance(rule, FunctionType) else rule
    except _OtherwiseError:
        return rule


class _OtherwiseError(Exception):
    """Error: a function does more than to read elements."""


def _copy(function: FunctionType, outer: tuple[FunctionType, ...] = ()) -> FunctionType:
    if function in outer or not _plain(function.__code__):
        raise _OtherwiseError
    outer = (*outer, function)
    cells = tuple(CellType(_view(cell.cell_contents, outer)) for cell in function.__closure__ or ())
    return FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)


def _view(captured: Any, outer: tuple[FunctionType, ...]) -> Any:
    if isinstance(captured, np.ndarray):
        if captured.dtype.char in TYPES and captured.dtype.isnative:
            return memoryview(captured)  # type: ignore[arg-type]
        raise _OtherwiseError
    captured = getattr(captured, "py_func", captured)
    if isinstance(captured, FunctionType):
        return _copy(captured, outer)
    if isinstance(captured, (bool, int, str, type(None))):
        return captured
    raise _OtherwiseError


@lru_cache(maxsize=256)
def _plain(code: CodeType) -> bool:
    """Whether a function does nothing but arithmetic, comparisons, element access and calls of plain functions."""
    return not any(
        instruction.opname in OPERATIONS
        and not (instruction.opname == "LOAD_GLOBAL" and instruction.argval in CALLED)
        for instruction in dis.get_instructions(code)
    )
