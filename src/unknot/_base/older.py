"""Keywords that a class took before these became parts of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from inspect import signature
from typing import Any, TypeVar
from warnings import warn

T = TypeVar("T")


def takes_parts(**parts: type[Any]) -> Callable[[type[T]], type[T]]:
    """Let a class take fields of its parts as keywords of its own, as it did once, with a DeprecationWarning.

    Parameters
    ----------
    **parts : type
        Dataclasses by the names under which the class takes them.
    """
    part_of = {field.name: part for part, kind in parts.items() for field in fields(kind)}

    def taking(kind: type[T]) -> type[T]:
        plain: Callable[..., None] = kind.__init__

        names = [name for name in signature(plain).parameters if name != "self"]

        @wraps(plain)
        def init(self: T, *args: Any, **more: Any) -> None:
            if older := part_of.keys() & more.keys():
                more, args = dict(zip(names, args, strict=False)) | more, ()
            for key in older:
                part = part_of[key]
                made = parts[part]
                said = f"{kind.__name__}({key}=…) is now {part}={made.__name__}({key}=…)"
                warn(said, DeprecationWarning, stacklevel=2)
                before = more.get(part, made())
                before = before if isinstance(before, made) else made(before)
                more[part] = replace(before, **{key: more.pop(key)})
            plain(self, *args, **more)

        kind.__init__ = init  # type: ignore[assignment]
        return kind

    return taking
