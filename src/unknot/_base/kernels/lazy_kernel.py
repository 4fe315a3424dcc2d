"""Kernels that are loaded, or compiled by Numba, when they are first called.

Compiling takes seconds. A piece of work that takes less is done by the same functions in plain Python, as long as
they are not compiled.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, update_wrapper
from typing import Any

from unknot._base.kernels.linked import NUMBER
from unknot._base.kernels.native import Native

STATES, MORE = 40_000, 10_000
"""Visits of a state, at about 10 µs each in plain Python, up to which no kernel is compiled; once Numba is loaded."""
FEW = 1_000
"""Visits up to which none is loaded."""
CHANNELS = 10
"""Channels that a breadth-first search passes in the time of such a visit."""
_plain: ContextVar[bool] = ContextVar("plain", default=False)
_visited = 0
_interpreted = os.environ.get("NUMBA_DISABLE_JIT") == "1"


class _Type(str):
    """A type in a signature that is read without Numba: a name, and how an array of such numbers is written."""

    def __call__(self, *kinds: Any) -> tuple[str, tuple[Any, ...]]:
        return self, kinds

    def __getitem__(self, _: Any) -> str:
        return "bool" if self == "boolean" else str(self)


class _Types:
    """The types of signatures by name, as `types_kernel` has them; they give the kinds of a `Native`."""

    I32 = READ32 = "int32"
    I64 = READ64 = "int64"
    READ_BOOL = "bool"

    def __getattr__(self, name: str) -> _Type:
        return _Type(name)

    def Tuple(self, kinds: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: N802 the name of Numba's
        return kinds

    def NamedTuple(self, kinds: tuple[Any, ...], _: type) -> tuple[Any, ...]:  # noqa: N802
        return kinds


def _kind(kind: Any) -> Any:
    """The kind of a parameter for `Native`."""
    if isinstance(kind, tuple):
        return tuple(_kind(part) for part in kind)
    return NUMBER if isinstance(kind, _Type) else kind


class Kernel:
    """A function with the signature for which it is compiled.

    Parameters
    ----------
    py_func : callable
        Means the same in plain Python.
    signature : callable, optional
        Gives the signature from the types of `unknot._base.kernels.types_kernel`; without it those of the call count.
    inline : bool
        Whether it becomes part of kernels that call it, for one that is called for every state.
    allocates : bool
        Whether it makes arrays, or calls a kernel that returns some: then Numba counts references to all arrays.

    Attributes
    ----------
    compiled : numba dispatcher
        Made when it is first wanted; kernels that call this one refer to it.
    native : Native
        What Python calls.
    """

    def __init__(
        self,
        py_func: Callable[..., Any],
        signature: Callable[[Any], Any] | None,
        inline: bool = False,
        allocates: bool = True,
    ) -> None:
        update_wrapper(self, py_func)
        self.py_func, self.signature, self.inline, self.allocates = py_func, signature, inline, allocates

    @property
    def compiled(self) -> Any:
        made = self.__dict__.get("_compiled")
        if made is None:
            types: Any = importlib.import_module("unknot._base.kernels.types_kernel")
            options = {"forceinline": self.inline, "_nrt": self.allocates and not self.inline}
            make = types.njit(self.signature(types), **types.INNER, **options) if self.signature else types.called
            fresh = make(self.py_func)
            # Where two threads are first at the same time, both keep what one of them made.
            made = self.__dict__.setdefault("_compiled", fresh)
        return made

    @cached_property
    def native(self) -> Native:
        assert self.signature is not None
        answer, kinds = self.signature(_Types())
        place = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        return Native(place, *_kind(kinds), answers=answer != "void")

    @property
    def _numba_type_(self) -> Any:
        """Numba's protocol for foreign objects: compiled code calls the compiled form of this kernel."""
        return self.compiled._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return (self.py_func if _interpreted or _plain.get() else self.native)(*arguments)


def kernel(
    signature: Callable[[Any], Any], *, inline: bool = False, allocates: bool = True
) -> Callable[[Callable[..., Any]], Kernel]:
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
    return lambda function: Kernel(function, signature, inline, allocates)


def helper(signature: Callable[[Any], Any] | None = None) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel for rules and kernels alone: in plain Python they call the function itself."""
    return lambda function: _Helper(function, signature)


class _Helper(Kernel):
    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


class _CallRule:
    """The answer of a rule: of the C function at an address; in plain Python also of a function."""

    @property
    def _numba_type_(self) -> Any:
        from unknot._base.kernels.words_kernel import called_rule

        return called_rule._numba_type_

    def __call__(self, rule: Any, at: int, address: int, pointer: int) -> int:
        word = ctypes.c_int64
        return int((rule if callable(rule) else ctypes.CFUNCTYPE(word, word, word, word)(rule))(at, address, pointer))


call_rule = _CallRule()


@contextmanager
def plainly(plain: bool = True) -> Iterator[bool]:
    """Have kernels run in plain Python inside, if that is needed; also in threads that take over the context."""
    before = _plain.set(plain)
    try:
        yield plain
    finally:
        _plain.reset(before)


def viewed() -> Callable[[Any], Any]:
    """Return the wrapper of a kernel's arrays: memory views in plain Python, which are faster to read."""
    return memoryview if _plain.get() else lambda array: array


def is_small(states: int, kernel: Kernel | Native) -> bool:
    """Whether visiting that many states is done sooner without a kernel; counts them if so."""
    global _visited
    ready = (kernel if isinstance(kernel, Native) else kernel.native).ready
    if _visited + states > (FEW if ready else MORE if "numba" in sys.modules else STATES):
        return False
    _visited += states
    return True
