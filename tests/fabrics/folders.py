"""The example fabrics, and what makes two readings of one the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from unknot._base.errors import TextError
from unknot.fabrics import Fabric

EXAMPLES = Path(__file__).parents[2] / "examples" / "fabrics"
FOLDERS = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
ROUTED = [folder for folder in FOLDERS if folder.name != "ibutils-rhino512"]
OPENSM = [folder for folder in FOLDERS if folder.name.startswith("opensm-")]


def wiring(fabric: Fabric) -> tuple[object, ...]:
    """Everything about a fabric but names, notes and tables."""
    network = fabric.network
    arrays = (network.source, network.target, network.ports, network.inject, network.eject, fabric.switch_guid)
    arrays += (fabric.port_guid, fabric.host_port, fabric.lids, fabric.owner)
    return tuple(None if array is None else array.tolist() for array in arrays)


def same(a: Fabric, b: Fabric) -> bool:
    """Whether two readings agree in everything, names and tables included."""
    tables = (a.tables is None and b.tables is None) or (
        a.tables is not None and b.tables is not None and np.array_equal(a.tables, b.tables)
    )
    more = all(
        (x is None and y is None) or (x is not None and y is not None and np.array_equal(x, y))
        for x, y in ((a.levels, b.levels), (a.lanes, b.lanes))
    )
    return wiring(a) == wiring(b) and a.network == b.network and tables and more


def refused(read: Callable[[str], object], whole: str, change: tuple[str, str], said: str) -> int:
    """Check that a text is refused after a change; return the line that the error names."""
    assert change[0] in whole
    with pytest.raises(TextError) as error:
        read(whole.replace(*change, 1))
    assert re.search(said, error.value.message)
    return error.value.line
