"""Kernels that Numba compiles, or loads, when they are first called.

Importing Numba and loading the first kernel takes half a second. A piece of work that takes less is done by the same
functions in plain Python, as long as nothing else in the process has needed Numba.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from typing import Any

STATES = 40_000
"""Visits of a state, at about 10 µs each in plain Python, up to which Numba is not worth its import."""
_plain: ContextVar[bool] = ContextVar("plain", default=False)
_visited = 0


class Kernel:
    """A function with the signature for which it is compiled.

    Parameters
    ----------
    py_func : callable
        Means the same in plain Python.
    signature : callable
        Gives the signature from the types of `unknot._base.kernels.types_kernel`.

    Attributes
    ----------
    compiled : numba dispatcher
        Made when it is first wanted; kernels that call this one refer to it.
    """

    def __init__(self, py_func: Callable[..., Any], signature: Callable[[Any], Any]) -> None:
        update_wrapper(self, py_func)
        self.py_func, self.signature = py_func, signature

    @property
    def compiled(self) -> Any:
        made = self.__dict__.get("_compiled")
        if made is None:
            types: Any = importlib.import_module("unknot._base.kernels.types_kernel")
            fresh = types.kept(self.signature(types), nogil=True)(self.py_func)
            # Where two threads are first at the same time, both keep what one of them made.
            made = self.__dict__.setdefault("_compiled", fresh)
        return made

    @property
    def _numba_type_(self) -> Any:
        """Numba's protocol for objects of other libraries: what it compiles calls this kernel compiled."""
        return self.compiled._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return (self.py_func if _plain.get() else self.compiled)(*arguments)


def kernel(signature: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel.

    Examples
    --------
    >>> @kernel(lambda t: t.int64(t.int64, t.int64))
    ... def larger(a, b):
    ...     return a if a > b else b
    >>> with plainly():
    ...     larger(3, 4)
    4
    """
    return lambda function: Kernel(function, signature)


def helper(signature: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel that only rules call: plain rules call it in plain Python."""
    return lambda function: _Helper(function, signature)


class _Helper(Kernel):
    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


@contextmanager
def plainly(plain: bool = True) -> Iterator[bool]:
    """Have kernels run in plain Python inside, if that is wanted; also in threads that take over the context."""
    before = _plain.set(plain)
    try:
        yield plain
    finally:
        _plain.reset(before)


def runs_plainly() -> bool:
    """Whether kernels run in plain Python here."""
    return _plain.get()


def viewed() -> Callable[[Any], Any]:
    """Return what wraps the arrays that kernels take: memory views in plain Python, which reads them faster."""
    return memoryview if _plain.get() else _itself


def _itself(array: Any) -> Any:
    return array


def is_small(states: int) -> bool:
    """Whether visiting that many states is done sooner without Numba; counts them if so."""
    global _visited
    if "numba" in sys.modules or _visited + states > STATES:
        return False
    _visited += states
    return True
