"""Files: real fabrics, and every format a network is kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.later import exports

if TYPE_CHECKING:
    from unknot.fabrics.fabric import NO_ENTRY as NO_ENTRY
    from unknot.fabrics.fabric import Changes as Changes
    from unknot.fabrics.fabric import Fabric as Fabric
    from unknot.fabrics.fabric import compare_fabrics as compare_fabrics
    from unknot.fabrics.format import Format as Format
    from unknot.fabrics.formats import FORMATS as FORMATS
    from unknot.fabrics.formats import kind_of as kind_of
    from unknot.fabrics.formats import write_network as write_network
    from unknot.fabrics.ibnetdiscover import read_ibnetdiscover as read_ibnetdiscover
    from unknot.fabrics.ibsim import read_ibsim as read_ibsim
    from unknot.fabrics.reading import read_fabric as read_fabric
    from unknot.fabrics.reading import read_network as read_network
    from unknot.fabrics.reading import split_form as split_form
    from unknot.fabrics.subnet_list import read_subnet_list as read_subnet_list

__getattr__, __dir__ = exports(
    __name__,
    {
        "fabric": ("NO_ENTRY", "Changes", "Fabric", "compare_fabrics"),
        "format": ("Format",),
        "formats": ("FORMATS", "kind_of", "write_network"),
        "ibnetdiscover": ("read_ibnetdiscover",),
        "ibsim": ("read_ibsim",),
        "reading": ("read_fabric", "read_network", "split_form"),
        "subnet_list": ("read_subnet_list",),
    },
)
__all__ = __dir__()
