"""Display of objects: short texts, and for notebooks what `unknot.report` makes when one asks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from unknot._base.errors import shortened
from unknot._base.later import Later

LETTERS, ITEMS = 60, 4
"""Letters of a text and items of a collection that a short text shows."""


class Brief:
    """Base of dataclasses with one-line representations: plain values in full, other values by their size.

    Examples
    --------
    >>> from unknot.traffic import pattern
    >>> from unknot.network.families import ring
    >>> pattern(ring(4), "tornado")
    <Pattern name='tornado', itself=True, destination=int32[4], weight=None>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        values = (f"{f.name}={_brief(getattr(self, f.name))}" for f in fields(self) if f.repr)  # type: ignore[arg-type]
        return f"<{type(self).__name__} {', '.join(values)}>"


def _brief(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        return repr(shortened(value, LETTERS))
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, Collection):
        plain = len(value) <= ITEMS and all(item is None or isinstance(item, (bool, int, float)) for item in value)
        return repr(value) if plain else f"<{type(value).__name__} of {len(value)}>"
    name = getattr(value, "name", None)
    return f"<{type(value).__name__}{f' {name}' if isinstance(name, str) else ''}>"


class Shown:
    """Base of objects that a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(displays().html(self))


class Drawn:
    """Base of objects that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        picture: str = displays().draw_network(self).text
        return picture


displays = Later[Any]("unknot")
"""What draws objects, the module `unknot.report.notebook`: this room lies below the report."""


def curves(runs: Any, *, units: Any = None) -> Any:
    """Draw the curves of some runs."""
    return displays().draw_curves(runs, units=units)
