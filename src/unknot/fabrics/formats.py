"""Every format of files that a network can be read from or written to, in one table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unknot.errors import UnknotError, near
from unknot.fabrics.booksim import read_booksim, write_booksim
from unknot.fabrics.dot import read_dot, write_dot
from unknot.fabrics.garnet import read_garnet, write_garnet
from unknot.fabrics.gml import read_gml, write_gml
from unknot.fabrics.graphml import read_graphml, write_graphml
from unknot.fabrics.ibnetdiscover import read_ibnetdiscover
from unknot.fabrics.ibsim import read_ibsim, write_ibsim
from unknot.fabrics.node_link import read_node_link, write_node_link
from unknot.fabrics.subnet_list import read_subnet_list
from unknot.network import Network, read_edge_list, write_edge_list
from unknot.output import write_text


@dataclass(frozen=True)
class Format:
    """A format of files that hold a network.

    Attributes
    ----------
    name : str
        How it is called on the command line.
    words : str
        What such a file is, in words.
    endings : tuple of str
        Endings of file names for which it is written.
    read : callable
    write : callable or None
        None where Unknot only reads.
    sign : pattern or None
        Found in the first 64 KiB of such files and of no others; None where the ending decides.
    keeps : frozenset of str
        Which of `PARTS` it carries. Everything else is dropped on writing; what would change the channels or
        their ends is refused by the writer instead.
    """

    name: str
    words: str
    endings: tuple[str, ...]
    read: Callable[[Path], Network]
    write: Callable[[Network, Path], None] | None
    sign: re.Pattern[str] | None
    keeps: frozenset[str] = frozenset()

    def dropped(self, network: Network) -> list[str]:
        """The parts of a network that are not as they are by default and are not carried."""
        return [part for part, present in PARTS.items() if part not in self.keeps and present(network)]


PARTS: dict[str, Callable[[Network], bool]] = {
    "latencies": lambda network: bool((network.latency != 1).any()),
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
"""What a network has beside routers and channels, and whether a network has it."""


def _read_tod(path: Path) -> Network:
    from unknot import tod

    return tod.read(path)


def _write_tod(network: Network, path: Path) -> None:
    from unknot import tod

    write_text(path, tod.write(network))


_ALL = frozenset(PARTS)
_XML = r"\A(?>\s*)(?:<\?xml[^>]*>)?(?>\s+|<!--.*?-->)*+(?:<!DOCTYPE[^>]*>\s*)?<(?:\w+:)?graphml\b"
_DOT = r"\A(?>\s+|//[^\n]*|#[^\n]*|/\*.*?\*/)*+(?:strict\s+)?(?:di)?graph\b(?:\s*(?:\w+|\"(?:[^\"\\]|\\.)*\"))?\s*\{"
_GML = r"\A(?>\s+|#[^\n]*\n|[A-Za-z]\w*[ \t]+(?:\"[^\"]*\"|[\d.]+))*+graph\s*\["
_GARNET = r"^from (?:topologies\.)?BaseTopology import|^\s*def makeTopology\(|^class \w+\((?:Simple|Base)Topology\)"
_JSON = r'\A\s*\{\s*"\w+"\s*:'

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("tod", "a topology description", (".tod",), _read_tod, _write_tod, None, _ALL),
        Format(
            "graphml", "GraphML", (".graphml",), read_graphml, write_graphml, re.compile(_XML, re.S), _ALL
        ),
        Format("gml", "GML", (".gml",), read_gml, write_gml, re.compile(_GML), _ALL),
        Format("dot", "a DOT graph", (".dot", ".gv"), read_dot, write_dot, re.compile(_DOT, re.S | re.I), _ALL),
        Format(
            "json", "node-link JSON", (".json",), read_node_link, write_node_link, re.compile(_JSON), _ALL
        ),
        Format(
            "garnet", "a gem5 topology", (".py",), read_garnet, write_garnet,
            re.compile(_GARNET, re.M),
            frozenset({"latencies", "terminals"}),
        ),
        Format(
            "lst", "a link list (.lst)", (".lst",), lambda path: read_subnet_list(path).network, None,
            re.compile(r"^\{.* NodeGUID:[0-9a-fA-F]+ .*\bPN:", re.M),
        ),
        Format(
            "ibnetdiscover", "ibnetdiscover output", (".ibnetdiscover",),
            lambda path: read_ibnetdiscover(path).network, None,
            re.compile(r'^(?:switchguid|caguid|rtguid|vendid)=0x|^# Topology file: |"[SHR]-[0-9a-f]{16}"', re.M),
        ),
        Format(
            "ibsim", "an ibsim network", (".net",), read_ibsim, write_ibsim,
            re.compile(r'^(?:Switch|Hca|Ca)\s+\d+\s+"', re.M),
            frozenset({"terminals", "router names", "terminal names", "port numbers"}),
        ),
        Format(
            "booksim", "a BookSim anynet file", (".anynet",), read_booksim, write_booksim,
            re.compile(r"\A\s*router\s+\d+\s+(?:node|router)\s+\d+", re.M),
            frozenset({"latencies", "terminals"}),
        ),
        Format(
            "edges", "an edge list", (".edges", ".txt"), read_edge_list, write_edge_list, None,
            frozenset({"latencies", "router names"}),
        ),
    )
}  # fmt: skip
"""By name; of several signs in a file, the first in this order counts. What has no sign is an edge list."""


def format_named(name: str) -> Format:
    """The format of this name.

    Raises
    ------
    UnknotError
        With near names.
    """
    if name not in FORMATS:
        raise UnknotError(f"there is no format {name!r}; {near(name, FORMATS)}")
    return FORMATS[name]


def format_for(path: str | Path) -> Format:
    """The format that is written into a file of this name.

    Raises
    ------
    UnknotError
        If its ending is that of no format.
    """
    ending = Path(path).suffix.lower()
    for form in FORMATS.values():
        if ending in form.endings:
            return form
    known = ", ".join(f"{form.endings[0]} ({form.name})" for form in FORMATS.values() if form.write)
    raise UnknotError(
        f"{path}: no format has the ending {ending or 'of this name'!r}; use one of {known}, or name it"
    )


def write_network(network: Network, path: str | Path, form: str | None = None) -> tuple[Format, list[str]]:
    """Write a network into a file.

    Parameters
    ----------
    form : str, optional
        Name of the format; by default the ending of the file decides.

    Returns
    -------
    Format
        The one that was written.
    list of str
        The parts of the network that this format does not carry.

    Raises
    ------
    UnknotError
        If there is no such format, or it cannot say what this network is.
    """
    chosen = format_for(path) if form is None else format_named(form)
    if chosen.write is None:
        raise UnknotError(f"{chosen.words} can be read, but not written")
    chosen.write(network, Path(path))
    return chosen, chosen.dropped(network)
