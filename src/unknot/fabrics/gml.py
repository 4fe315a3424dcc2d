"""GML, read by NetworkX: keys with numbers, strings or bracketed lists of keys."""

from __future__ import annotations

import re
from pathlib import Path

from unknot._base.input import read_lines
from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format
from unknot.fabrics.graph_files import errors_of, flat, writable
from unknot.network import Network, from_networkx

_GROWTH = 100
"""Bytes of memory for a byte of text at the peak of reading."""


def read_gml(path: str | Path) -> Network:
    """Read a GML file, directed or not; attributes as in `unknot.network.interchange`.

    Labels that only repeat the numbers of the nodes are no names, unless the graph has ``labels 1``.

    Raises
    ------
    TextError
        With the file, and with line and column where NetworkX gives them.
    """
    import networkx as nx

    lines = read_lines(path, growth=_GROWTH)
    head, bracket, tail = "\n".join(lines).rpartition("]")
    # NetworkX takes parallel edges only where a file says that it has them; few programs do.
    text = f"{head} multigraph 1 {bracket}{tail}" if bracket else tail
    with errors_of(path, "GML", lines):
        graph = nx.parse_gml(text.split("\n"), label=None)
        named = graph.graph.get("labels") == 1
        if not named and all(
            str(attributes.get("label", "")) == str(node) for node, attributes in graph.nodes(data=True)
        ):
            for _, attributes in graph.nodes(data=True):
                del attributes["label"]
        graph.graph.setdefault("name", Path(path).name)
        return from_networkx(graph)


def write_gml(network: Network, path: str | Path) -> None:
    """Write every part of a network; `read_gml` reads it back equal. Characters beyond ASCII become entities."""
    described = writable(network)
    labels = {"labels": 1} if network.router_labels is not None else {}
    text = ["graph [", "  directed 1", "  multigraph 1", f"  {_row(described.graph | labels)}"]
    for i, node in enumerate(described.nodes):
        text.append(f"  node [ {_row({'id': i, 'label': str(i), **node})} ]")
    for i, (u, v, edge) in enumerate(described.edges):
        text.append(f"  edge [ {_row({'source': u, 'target': v, 'key': i, **edge})} ]")
    write_text(path, "\n".join([*text, "]"]) + "\n")


def _row(row: dict[str, object]) -> str:
    shown = {key: str(value) if isinstance(value, int) else _quoted(value) for key, value in flat(row).items()}
    return " ".join(f"{key} {value}" for key, value in shown.items())


def _quoted(value: str) -> str:
    marked = value.replace("&", "&amp;").replace('"', "&quot;")
    return '"' + "".join(c if " " <= c <= "~" else f"&#{ord(c)};" for c in marked) + '"'


_SIGN = re.compile(r"\A(?>\s+|#[^\n]*\n|[A-Za-z]\w*[ \t]+(?:\"[^\"]*\"|[\d.]+))*+graph\s*\[")
FORMAT = Format("gml", "GML", (".gml",), read_gml, write_gml, _SIGN.search, EVERYTHING)
