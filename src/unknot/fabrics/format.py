"""The noun of this room: a format of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from unknot._base.errors import TextError
from unknot.network import Network


@dataclass(frozen=True)
class Format:
    """A format of files that hold a network, a fabric, or something of a fabric.

    Attributes
    ----------
    name : str
        Name on the command line.
    words : str
        What such a file is, in words.
    endings : tuple of str
        Endings of file names; the first is the usual one. ``.txt``, ``.dump`` and ``.conf`` decide on writing only.
    read : callable
        Takes a path and returns a `Network`, `Fabric`, `TableFile`, `LevelFile`, `LaneFile` or
        `MulticastFile`, by `holds`.
    write : callable or None
        None where Unknot only reads.
    sign : callable or None
        Takes the first 64 KiB of a file and returns something true if the file is of this format for certain; None
        where the content does not show it.
    keeps : frozenset of str
        Which of `PARTS` it carries. Everything else is dropped on writing; what would change the channels or
        their ends is refused by the writer instead.
    holds : str
        ``network``, ``fabric``, ``tables``, ``levels`` (of paths), ``lanes`` (of levels),
        ``multicast`` (tables), or ``program`` for what is only written.
    joins_ports : bool
        Whether terminals that are ports of one host are written as one host.

    Examples
    --------
    >>> from unknot.fabrics import FORMATS
    >>> from unknot.network.families import mesh
    >>> edges = FORMATS["edges"]
    >>> edges.words, edges.endings, edges.dropped(mesh(2, 2))
    ('an edge list', ('.edges', '.txt'), ['coordinates'])
    """

    name: str
    words: str
    endings: tuple[str, ...]
    read: Callable[[Path], Any]
    write: Callable[[Network, Path], None] | None = None
    sign: Callable[[str], object] | None = None
    keeps: frozenset[str] = frozenset()
    holds: Literal["network", "fabric", "tables", "levels", "lanes", "multicast", "program"] = "network"
    joins_ports: bool = False

    def dropped(self, network: Network) -> list[str]:
        """The parts of a network that differ from the defaults and are not carried."""
        return [part for part, present in PARTS.items() if part not in self.keeps and present(network)]


def refusing(reason: str) -> Callable[[Path], Network]:
    """A reader of a format that is only written, which gives the reason.

    Raises
    ------
    TextError
        Always.
    """

    def refuse(path: Path) -> Network:
        raise TextError(reason, path)

    return refuse


PARTS: dict[str, Callable[[Network], bool]] = {
    "latencies": lambda network: bool((network.latency != 1).any()),
    "bandwidths": lambda network: bool((network.bandwidth != 1).any()),
    "terminals": lambda network: (
        not (
            np.array_equal(network.inject, np.arange(network.num_routers))
            and np.array_equal(network.inject, network.eject)
        )
    ),
    "router names": lambda network: network.router_labels is not None,
    "terminal names": lambda network: network.terminal_labels is not None,
    "coordinates": lambda network: network.coordinates is not None,
    "port numbers": lambda network: network.ports is not None,
}
"""Parts of a network beside routers and channels, each with the test whether a network has it."""
EVERYTHING = frozenset(PARTS)
