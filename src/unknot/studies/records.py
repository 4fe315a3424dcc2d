"""Results as plain JSON values and back, exactly: every float, array and tuple comes out as it went in."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

_T = TypeVar("_T")


def encode(value: Any) -> Any:
    """Dataclasses as objects, arrays and tuples as lists, numbers, texts and None as they are."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    return value


def decode(kind: type[_T], value: Any) -> _T:
    """The value that `encode` made this of, by the annotations of the dataclass `kind`."""
    hints = _annotations(kind)
    decoded: _T = kind(**{key: _decoded(hints[key], item) for key, item in value.items()})
    return decoded


_annotations: Callable[[type], dict[str, Any]] = cache(get_type_hints)
"""Types of the fields of a dataclass, kept: evaluating them takes longer than decoding one."""


def _decoded(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _decoded(next(option for option in inner if option is not type(None)), value)
    if origin is tuple:
        kinds = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return tuple(_decoded(k, item) for k, item in zip(kinds, value, strict=True))
    if origin in (np.ndarray, npt.NDArray):  # which of the two, with other arguments, depends on the NumPy version
        return np.array(value, dtype=inner[0] if origin is npt.NDArray else get_args(inner[1])[0])
    return decode(kind, value) if isinstance(kind, type) and is_dataclass(kind) else value
