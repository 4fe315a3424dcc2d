"""Files: real fabrics, and every format a network is kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unknot.fabrics.comparison import Changes, compare_fabrics
    from unknot.fabrics.fabric import NO_ENTRY, Fabric
    from unknot.fabrics.format import Format
    from unknot.fabrics.formats import FORMATS, kind_of, write_network
    from unknot.fabrics.ibnetdiscover import read_ibnetdiscover
    from unknot.fabrics.ibsim import read_ibsim
    from unknot.fabrics.reading import read_fabric, read_network, split_form
    from unknot.fabrics.subnet_list import read_subnet_list

__all__ = [
    "FORMATS",
    "NO_ENTRY",
    "Changes",
    "Fabric",
    "Format",
    "compare_fabrics",
    "kind_of",
    "read_fabric",
    "read_ibnetdiscover",
    "read_ibsim",
    "read_network",
    "read_subnet_list",
    "split_form",
    "write_network",
]

_HOMES = {
    "unknot.fabrics.comparison": (
        "Changes",
        "compare_fabrics",
    ),
    "unknot.fabrics.fabric": (
        "NO_ENTRY",
        "Fabric",
    ),
    "unknot.fabrics.format": ("Format",),
    "unknot.fabrics.formats": (
        "FORMATS",
        "kind_of",
        "write_network",
    ),
    "unknot.fabrics.ibnetdiscover": ("read_ibnetdiscover",),
    "unknot.fabrics.ibsim": ("read_ibsim",),
    "unknot.fabrics.reading": (
        "read_fabric",
        "read_network",
        "split_form",
    ),
    "unknot.fabrics.subnet_list": ("read_subnet_list",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: most networks are described, not read."""
    if name in _HOME:
        import importlib

        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'unknot.fabrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
