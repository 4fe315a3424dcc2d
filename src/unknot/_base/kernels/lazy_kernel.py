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
from functools import cached_property, partial, update_wrapper
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

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


I8 = Annotated[npt.NDArray[np.int8], "I8"]
I16 = Annotated[npt.NDArray[np.int16], "I16"]
I32 = Annotated[npt.NDArray[np.int32], "I32"]
I64 = Annotated[npt.NDArray[np.int64], "I64"]
F64 = Annotated[npt.NDArray[np.float64], "F64"]
FLAGS = Annotated[npt.NDArray[np.bool_], "FLAGS"]
READ32 = Annotated[npt.NDArray[np.int32], "READ32"]
READ64 = Annotated[npt.NDArray[np.int64], "READ64"]
READ_BOOL = Annotated[npt.NDArray[np.bool_], "READ_BOOL"]
"""Contiguous arrays of a kernel, by their names in `types_kernel`; `READ` admits read-only arrays, too."""
SCALARS = {int: "int64", float: "float64", bool: "boolean", type(None): "void"}


def typed(annotation: Any, types: Any) -> Any:
    """Return the type of Numba that an annotation means: a number, an array, a tuple or a named tuple of them."""
    if annotation in SCALARS:
        return getattr(types, SCALARS[annotation])
    if get_origin(annotation) is Annotated:
        return getattr(types, *annotation.__metadata__)
    if get_origin(annotation) is tuple:
        return types.Tuple(tuple(typed(part, types) for part in get_args(annotation)))
    parts = get_type_hints(annotation, include_extras=True).values()
    return types.NamedTuple([typed(part, types) for part in parts], annotation)


def _kind(annotation: Any) -> Any:
    """Return the kind of a parameter for `Native`."""
    if annotation in SCALARS:
        return NUMBER
    if get_origin(annotation) is Annotated:
        return np.dtype(get_args(get_args(get_args(annotation)[0])[1])[0]).name
    parts = get_args(annotation) or get_type_hints(annotation, include_extras=True).values()
    return tuple(map(_kind, parts))


class Kernel:
    """A function that is compiled for the types of its annotations.

    Parameters
    ----------
    py_func : callable
        Means the same in plain Python. Without annotations the types of a call count.
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

    def __init__(self, py_func: Callable[..., Any], inline: bool = False, allocates: bool = True) -> None:
        update_wrapper(self, py_func)
        self.py_func, self.inline, self.allocates = py_func, inline, allocates

    @property
    def hints(self) -> dict[str, Any]:
        """Annotations of the parameters, and `return`."""
        return get_type_hints(self.py_func, include_extras=True)

    @property
    def compiled(self) -> Any:
        made = self.__dict__.get("_compiled")
        if made is None:
            types: Any = importlib.import_module("unknot._base.kernels.types_kernel")
            options = {"forceinline": self.inline, "_nrt": self.allocates and not self.inline}
            kinds = {name: typed(hint, types) for name, hint in self.hints.items()}
            make = (
                types.njit(kinds.pop("return")(*kinds.values()), **types.INNER, **options) if kinds else types.called
            )
            fresh = make(self.py_func)
            # Where two threads are first at the same time, both keep what one of them made.
            made = self.__dict__.setdefault("_compiled", fresh)
        return made

    @cached_property
    def native(self) -> Native:
        kinds = self.hints
        answers = kinds.pop("return") is not type(None)
        place = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        return Native(place, *map(_kind, kinds.values()), answers=answers)

    @property
    def _numba_type_(self) -> Any:
        """Numba's protocol for foreign objects: compiled code calls the compiled form of this kernel."""
        return self.compiled._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return (self.py_func if _interpreted or _plain.get() else self.native)(*arguments)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a function a kernel, with the options of `Kernel`.

    Examples
    --------
    >>> @kernel
    ... def larger(a: int, b: int) -> int:
    ...     return a if a > b else b
    >>> with plainly():
    ...     larger(3, 4)
    4
    """
    return partial(Kernel, **options) if function is None else Kernel(function)


class helper(Kernel):  # noqa: N801 a decorator, as `kernel` is
    """A kernel for rules and kernels alone: in plain Python they call the function itself."""

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
