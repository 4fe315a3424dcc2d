"""Results as plain JSON values and back, exactly: every float, array and tuple comes out as it went in."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from sys import intern
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
    decoder: Callable[[Any], _T] = _decoder(kind)  # type: ignore[arg-type]  # types are hashable
    return decoder(value)


@cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    """What decodes a value of a type; kept, since to read annotations takes longer than to decode one."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        one = _decoder(next(option for option in inner if option is not type(None)))
        return lambda value: None if value is None else one(value)
    if origin is tuple:
        each = [_decoder(part) for part in inner if part != ...]
        if inner[1:] == (...,):
            return lambda value: tuple(map(each[0], value))
        return lambda value: tuple(part(item) for part, item in zip(each, value, strict=True))
    if origin in (np.ndarray, npt.NDArray):  # which of the two, with other arguments, depends on the NumPy version
        number = inner[0] if origin is npt.NDArray else get_args(inner[1])[0]
        return lambda value: np.array(value, dtype=number)
    if isinstance(kind, type) and is_dataclass(kind):
        annotations = get_type_hints(kind)
        return lambda value: kind(
            **{key: None if item is None else _decoder(annotations[key])(item) for key, item in value.items()}
        )
    return intern if kind is str else lambda value: value
