"""Keywords that a class took before these became parts of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
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

        @wraps(plain)
        def init(self: T, *args: Any, **more: Any) -> None:
            for key in part_of.keys() & more.keys():
                part = part_of[key]
                made = parts[part].__name__
                warn(f"{kind.__name__}({key}=…) is now {part}={made}({key}=…)", DeprecationWarning, stacklevel=2)
                more[part] = replace(more.get(part, parts[part]()), **{key: more.pop(key)})
            plain(self, *args, **more)

        kind.__init__ = init  # type: ignore[assignment]
        return kind

    return taking
