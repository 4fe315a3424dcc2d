"""Topology descriptions as files of networks; the language has a room of its own, `unknot.network.tod`."""

from __future__ import annotations

from pathlib import Path

from unknot.fabrics.format import Format
from unknot.network import Network


def read_tod(path: str | Path) -> Network:
    """Read a topology description, as `unknot.network.tod.read`."""
    from unknot.network import tod

    return tod.read(path)


FORMAT = Format("tod", "a topology description", (".tod",), read_tod)
