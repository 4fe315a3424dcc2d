"""Names that a package offers."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import ismodule


def public(names: Mapping[str, object]) -> list[str]:
    """Return the names of a package that are neither private nor modules, sorted."""
    return sorted(name for name, value in names.items() if not name.startswith("_") and not ismodule(value))
