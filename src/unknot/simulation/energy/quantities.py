"""Numbers with a unit, as technology files and options of energies write them."""

from __future__ import annotations

import math
import re
from typing import Any

from unknot._base.errors import UnknotError

_HEADS = {
    "pJ": {"pJ": 1.0, "fJ": 1e-3, "nJ": 1e3},
    "mW": {"mW": 1.0, "uW": 1e-3, "nW": 1e-6, "W": 1e3},
    "mm": {"mm": 1.0, "um": 1e-3, "cm": 10.0},
    "mm2": {"mm2": 1.0, "um2": 1e-6},
    "GHz": {"GHz": 1.0, "MHz": 1e-3},
    "bit": {"bit": 1.0, "B": 8.0},
}
"""Units, each with those that stand for it and their size."""
_TEXT = re.compile(
    r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?|[+-]?(?:nan|inf))\s*(.*?)\s*", re.I
)


def quantity(entry: Any, key: str, unit: str, *, bare: bool = False) -> float:
    """The number of a text, as ``0.1 pJ/bit``, in a unit; above 0, or for energies and powers at least 0.

    Parameters
    ----------
    bare : bool
        Whether a number without a unit has this unit.

    Raises
    ------
    UnknotError
        If the text has no number, another unit, or a number below.

    Examples
    --------
    >>> quantity("30 fJ/bit", "buffer_read", "pJ/bit"), quantity("2", "pitch", "mm", bare=True)
    (0.03, 2.0)
    """
    match = _TEXT.fullmatch(entry) if isinstance(entry, str) else None
    if match is None or (not match[2] and not bare):
        raise UnknotError(f'{key} is a number with the unit {unit}, such as "0.5 {unit}", got {entry!r}')
    head, _, rest = unit.partition("/")
    given, _, per = (match[2] or unit).partition("/")
    if given not in _HEADS[head] or per != rest:
        raise UnknotError(f"{key} is in {unit}, got {match[2]!r}")
    number = float(match[1]) * _HEADS[head][given]
    least = head in ("pJ", "mW")
    if not math.isfinite(number) or number < 0 or (number == 0 and not least):
        raise UnknotError(f"{key} is {'at least' if least else 'above'} 0, got {entry!r}")
    return number
