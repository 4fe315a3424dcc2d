"""Rules as function pointers, the form in which kernels call them: compiled, kept from earlier, or remembered.

A rule of few states is not compiled: the pointer leads back to Python, where each state is asked for once.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from functools import cached_property
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from unknot._base.kernels.cache import is_kept, sources_digest
from unknot._base.kernels.linked import file_of, load
from unknot.routing.contract import Rule

OTHERWISE = "the compiled rule fails where the plain one does not; does it depend on anything but its arguments?"
MODULES = ("numpy", "math")
"""Modules that a rule may use; what others hold may change between two processes."""
FEW_STATES = 20_000
"""Most states for which asking a rule for all of them is quicker than compiling it."""
MOST_BYTES = 1_000_000
"""Numba refers to larger captured arrays by their address, so that such a rule cannot be kept."""
LEAN = {"forceinline": True, "_nrt": False}
"""Options of Numba for rules that make no arrays."""
C_RULE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class UnknownError(Exception):
    """Error: a rule depends on something whose content is not known."""


def rule_digest(rule: Any, *more: object) -> str | None:
    """The hash, in 32 hexadecimal digits, of a rule and of `more` plain values; None if it cannot be known.

    Examples
    --------
    >>> def rule(at, address, out):
    ...     return 0
    >>> rule_digest(rule, 1) == rule_digest(rule, 1) != rule_digest(rule, 2)
    True
    """
    digest = hashlib.sha256(repr(more).encode())
    try:
        _add(digest, rule, ())
    except UnknownError:
        return None
    return digest.hexdigest()[:32]


def _add(digest: Any, captured: Any, outer: tuple[Any, ...]) -> None:
    captured = getattr(captured, "py_func", captured)
    if isinstance(captured, np.generic):
        captured = np.asarray(captured)
    if isinstance(captured, np.ndarray):
        if captured.dtype.hasobject or captured.nbytes > MOST_BYTES or not captured.flags.c_contiguous:
            raise UnknownError
        digest.update(f"array {captured.dtype.str} {captured.shape} {captured.flags.writeable}".encode())
        digest.update(captured.tobytes())
    elif isinstance(captured, FunctionType):
        if any(captured is one for one in outer):
            digest.update(b"again")
            return
        _add_function(digest, captured, (*outer, captured))
    elif isinstance(captured, CodeType):
        digest.update(
            repr((captured.co_code, captured.co_names, captured.co_varnames, captured.co_freevars)).encode()
        )
        _add(digest, captured.co_consts, outer)
    elif isinstance(captured, tuple):
        digest.update(f"tuple {len(captured)}".encode())
        for item in captured:
            _add(digest, item, outer)
    elif isinstance(captured, (bool, int, float, str, bytes, type(None))):
        digest.update(f"{type(captured).__name__} {captured!r}".encode())
    elif isinstance(captured, (type, BuiltinFunctionType)):
        digest.update(f"{captured.__module__}.{captured.__qualname__}".encode())
    elif isinstance(captured, ModuleType) and captured.__name__ in MODULES:
        digest.update(f"module {captured.__name__} {getattr(captured, '__version__', '')}".encode())
    else:
        raise UnknownError


def _add_function(digest: Any, function: FunctionType, outer: tuple[Any, ...]) -> None:
    _add(digest, function.__code__, outer)
    _add(digest, function.__defaults__ or (), outer)
    for cell in function.__closure__ or ():
        _add(digest, cell.cell_contents, outer)
    for name in _names(function.__code__):
        if name in function.__globals__:
            digest.update(name.encode())
            _add(digest, function.__globals__[name], outer)


def _names(code: CodeType) -> list[str]:
    """Names looked up by a function and by functions defined inside."""
    inner = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _names(constant)]
    return sorted({*code.co_names, *inner})


class Pointer:
    """A rule at an address, with all that must stay alive while it is used.

    Attributes
    ----------
    ctypes : callable
        The function for Python.
    tabulated : bool
        Whether the rule had to be tabulated because Numba cannot compile it.
    """

    tabulated = False

    def __init__(self, address: int, keeps: object) -> None:
        self.address, self.keeps = address, keeps

    @cached_property
    def ctypes(self) -> Callable[[int, int, int], int]:
        return C_RULE(self.address)


def file_of_rule(rule: Rule, size: int, options: dict[str, bool]) -> str | None:
    """Return the name of the file of a compiled rule; None if it depends on what cannot be known."""
    source = sources_digest("unknot.routing.relation_kernel")
    digest = rule_digest(rule, size, sorted(options.items()), source)
    return None if digest is None else file_of(f"rule-{digest}")


def kept_file(rule: Rule, size: int) -> str:
    """Return the name of the file of a rule that an earlier process compiled; empty if there is none."""
    files = (file_of_rule(rule, size, options) for options in (LEAN, {}))
    return next((file for file in files if file and is_kept(file)), "")


def kept_rule(rule: Rule, size: int) -> Pointer | None:
    """Load a rule that an earlier process compiled and kept, without Numba."""
    file = kept_file(rule, size)
    address = load(file) if file else 0
    return Pointer(address, None) if address else None


class Remembered(Pointer):
    """A rule as a C function that asks Python for each state once.

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C came while the rule was asked; Python drops exceptions of callbacks.
    """

    def __init__(self, rule: Rule, size: int) -> None:
        self.rule, self.size, self.interrupted = rule, size, False
        self.known: dict[tuple[int, int], bytes] = {}
        self._view: Any = ctypes.c_int64 * self.size
        callback = C_RULE(self._ask)
        super().__init__(ctypes.cast(callback, ctypes.c_void_p).value or 0, callback)

    def _ask(self, at: int, address: int, pointer: int) -> int:
        answer = self.known.get((at, address))
        if answer is not None:
            ctypes.memmove(pointer, answer, len(answer))
            return len(answer) >> 3
        try:
            out = np.frombuffer(self._view.from_address(pointer), dtype=np.int64)
            count = int(self.rule(at, address, out))
            if 0 <= count <= self.size:
                self.known[at, address] = out[:count].tobytes()
            return count
        except KeyboardInterrupt:
            self.interrupted = True
            return -1
        except (Exception, SystemExit):
            return -1
