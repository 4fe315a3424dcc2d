"""Records from the short calls of functions, which take some of their fields by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

R = TypeVar("R")


def require_options(function: str, known: type, options: Mapping[str, Any]) -> None:
    """Refuse options of a function that are not among those of a `typing.TypedDict`.

    Raises
    ------
    TypeError
        As Python does for an argument that a function does not have.
    """
    unknown = [name for name in options if name not in known.__annotations__]
    if unknown:
        raise TypeError(f"{function}() got an unexpected keyword argument {unknown[0]!r}")


def with_fields(record: R, options: Mapping[str, Any]) -> R:
    """Return a record with the fields of its own among some options."""
    names = [field.name for field in fields(cast(Any, record))]
    own = {name: options[name] for name in names if name in options}
    return cast(R, replace(cast(Any, record), **own)) if own else record
