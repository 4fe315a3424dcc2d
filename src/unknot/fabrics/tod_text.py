"""Topology descriptions as files of networks; the language has a room of its own, `unknot.network.tod`."""

from __future__ import annotations

from pathlib import Path

from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format
from unknot.network import Network


def read_tod(path: str | Path) -> Network:
    """Read a topology description, as `unknot.network.tod.read`."""
    from unknot.network import tod

    return tod.read(path)


def write_tod(network: Network, path: str | Path) -> None:
    """Write a topology description that `read_tod` reads back equal."""
    from unknot.network import tod

    write_text(path, tod.write(network))


FORMAT = Format("tod", "a topology description", (".tod",), read_tod, write_tod, keeps=EVERYTHING)
