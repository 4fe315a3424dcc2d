"""Objects of a caller under names, for functions that read texts: networks, relations and functions of a session."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

Kind = Literal["network", "routing"]
_LENT: ContextVar[dict[tuple[Kind, str], Any]] = ContextVar("unknot-lent")


@contextmanager
def lending() -> Iterator[None]:
    """Keep objects that `lend` names until the block ends.

    Examples
    --------
    >>> with lending():
    ...     name = lend("network", "ring", object())
    ...     lent("network", "ring") is not None
    True
    >>> lent("network", "ring")
    """
    token = _LENT.set({})
    try:
        yield
    finally:
        _LENT.reset(token)


def lend(kind: Kind, name: str, thing: Any, taken: Collection[Any] = ()) -> str:
    """Return the name under which an object is found, with a number if `taken` or other objects have `name`."""
    kept, unique, count = _LENT.get(), name, 1
    while unique in taken or kept.setdefault((kind, unique), thing) is not thing:
        count += 1
        unique = f"{name}_{count}"
    return unique


def lent(kind: Kind, name: str) -> Any:
    """Return the object of a name; None without one."""
    return _LENT.get({}).get((kind, name.strip()))
