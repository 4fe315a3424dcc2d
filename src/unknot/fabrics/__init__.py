"""Files: real fabrics, and every format a network is kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.fabrics.changes import Changes as Changes
    from unknot.fabrics.changes import compare_fabrics as compare_fabrics
    from unknot.fabrics.fabric import NO_ENTRY as NO_ENTRY
    from unknot.fabrics.fabric import Fabric as Fabric
    from unknot.fabrics.format import Format as Format
    from unknot.fabrics.formats import FORMATS as FORMATS
    from unknot.fabrics.formats import write_network as write_network
    from unknot.fabrics.reading import read_fabric as read_fabric
    from unknot.fabrics.reading import read_network as read_network

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
