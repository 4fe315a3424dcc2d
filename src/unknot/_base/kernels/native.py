"""Kernels that are loaded without Numba, and compiled by it when they are not there."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from typing import Any

import numpy as np

from unknot._base.kernels.cache import is_kept, sources_digest
from unknot._base.kernels.linked import NUMBER, RAISED, file_of, flat, load, words_of

ADDRESS = "address"
"""The way to pass an array without its size, for a kind that makes its argument of the address."""


class Native:
    """A kernel of whole numbers, one-dimensional arrays and tuples of both, with a whole number as its result.

    Parameters
    ----------
    place : str
        The module of the kernel and its name in it, with a dot between them.
    kinds : str or tuple
        For each parameter `NUMBER`, the type of an array's numbers, a tuple of these, or a function of kernels, by
        its module and name, that makes the argument of an array, or of its address.
    answers : bool
        Whether it returns a number; else nothing.

    Attributes
    ----------
    function : callable
        The C function; it is loaded, or compiled, when it is first needed.
    """

    def __init__(self, place: str, *kinds: Any, answers: bool = True) -> None:
        self.module, _, self.name = place.rpartition(".")
        self.kinds, self.answers = kinds, answers
        self._reading = tuple(map(_read, kinds))
        self._lock = RLock()

    @property
    def function(self) -> Callable[..., int]:
        with self._lock:
            made: Callable[..., int] | None = self.__dict__.get("_function")
            if made is None:
                made = self._function = self._made()
        return made

    @property
    def address(self) -> int:
        """Address of the compiled C function, for kernels that call it."""
        function: Any = self.function
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    @property
    def ready(self) -> bool:
        """Whether it need not be compiled."""
        return "_function" in self.__dict__ or is_kept(self.file)

    @property
    def file(self) -> str:
        """Name of the file in which it is kept."""
        return file_of(f"{self.module.removeprefix('unknot.')}.{self.name}", self.kinds, sources_digest(self.module))

    def _made(self) -> Callable[..., int]:
        address = load(self.file)
        if not address:
            compiled = import_module("unknot._base.kernels.native_kernel").compiled(self)
            self._keeps, address = compiled, compiled.address
        words = sum(words_of(kind) for kind in flat(self.kinds))
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * words)(address)

    def __call__(self, *arguments: Any) -> int:
        function = self.__dict__.get("_function") or self.function  # no lock where it is there: short runs notice
        answer = function(*_words(self._reading, arguments, [], self.name))
        if answer == RAISED:
            # Indices are checked only on demand; else what raises is an array that finds no memory.
            if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
                raise RuntimeError(f"{self.module}.{self.name} raised an exception; is an index out of bounds?")
            raise MemoryError(f"no memory is left for the arrays of {self.module}.{self.name}")
        return answer


def _read(kind: Any) -> Any:
    """How an argument of a kind is read: `NUMBER`, `ADDRESS`, the type of an array, or a tuple of these."""
    if isinstance(kind, tuple):
        return tuple(map(_read, kind))
    return NUMBER if kind == NUMBER else ADDRESS if "." in kind else np.dtype(kind)


def _words(reading: tuple[Any, ...], arguments: tuple[Any, ...], words: list[int], name: str) -> list[int]:
    """Append the words by which arguments are passed."""
    for kind, argument in zip(reading, arguments, strict=True):
        if kind is NUMBER:
            words.append(int(argument))
        elif kind is ADDRESS:
            words.append(argument if type(argument) is int else argument.ctypes.data)
        elif type(kind) is tuple:
            _words(kind, argument, words, name)
        elif argument.dtype == kind and argument.ndim == 1 and argument.flags.c_contiguous:
            words += argument.ctypes.data, argument.size
        else:
            shape = f"{argument.dtype} {argument.shape}"
            raise TypeError(f"{name} takes a contiguous array of {kind}, not {shape}")
    return words
