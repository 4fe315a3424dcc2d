"""Kernels that are loaded without Numba, and compiled by it when they are not there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from typing import Any

from unknot._base.kernels.cache import sources_digest
from unknot._base.kernels.linked import RAISED, file_of, load


class Native:
    """A kernel of whole numbers and one-dimensional arrays that answers with a whole number.

    Parameters
    ----------
    place : str
        The module of the kernel and its name in it, with a dot between them.
    kinds : str
        For each parameter "number", or the type of an array's numbers.

    Attributes
    ----------
    function : callable
        The C function; it is loaded, or compiled, when it is first wanted.
    """

    def __init__(self, place: str, *kinds: str) -> None:
        self.module, _, self.name = place.rpartition(".")
        self.kinds = kinds
        self._lock = RLock()

    @property
    def function(self) -> Callable[..., int]:
        with self._lock:
            made: Callable[..., int] | None = self.__dict__.get("_function")
            if made is None:
                made = self._function = self._made()
        return made

    @property
    def file(self) -> str:
        """Name of the file in which it is kept."""
        return file_of(f"{self.module.removeprefix('unknot.')}.{self.name}", self.kinds, sources_digest(self.module))

    def _made(self) -> Callable[..., int]:
        address = load(self.file)
        if not address:
            compiled = import_module("unknot._base.kernels.native_kernel").compiled(self)
            self._keeps, address = compiled, compiled.address
        words = sum(1 if kind == "number" else 2 for kind in self.kinds)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * words)(address)

    def __call__(self, *arguments: Any) -> int:
        words: list[int] = []
        for kind, argument in zip(self.kinds, arguments, strict=True):
            if kind == "number":
                words.append(int(argument))
            elif argument.dtype == kind and argument.ndim == 1 and argument.flags.c_contiguous:
                words += argument.ctypes.data, argument.size
            else:
                shape = f"{argument.dtype} {argument.shape}"
                raise TypeError(f"{self.name} takes a contiguous array of {kind}, not {shape}")
        answer = self.function(*words)
        if answer == RAISED:
            raise RuntimeError(f"{self.module}.{self.name} raised an exception; is an index out of bounds?")
        return answer
