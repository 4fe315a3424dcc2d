"""Multicast forwarding tables as read, and how they are joined to the fabric they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from unknot.fabrics.fabric import Fabric
from unknot.fabrics.format import FabricText


@dataclass
class MulticastFile(FabricText):
    """Rows of one file: (node GUID of the switch, multicast LID, output ports, line)."""

    rows: list[tuple[int, int, tuple[int, ...], int]] = field(default_factory=list)


def with_multicast(fabric: Fabric, file: MulticastFile) -> Fabric:
    """The fabric with its multicast tables.

    Raises
    ------
    TextError
        If a table belongs to no switch of the fabric, or copies to a port that its switch does not have.
    """
    copies = []
    for guid, mlid, ports, line in file.rows:
        r = file.switch(fabric, guid, "multicast tables", line)
        file.require_port(fabric, r, max(ports, default=0), line)
        copies += [(mlid, r, port) for port in ports]
    rows = np.array(sorted(copies), dtype=np.int32).reshape(-1, 3)
    notes = (*fabric.notes, *file.notes) if file.rows else (*fabric.notes, f"{file.where} has no multicast group")
    return replace(fabric, multicast=rows, multicast_file=str(file.where), notes=notes)
