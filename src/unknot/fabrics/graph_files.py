"""Graph files: what GraphML, GML, DOT and node-link JSON share, how GML is read and written, and DOT written."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unknot._base.errors import NetworkError, TextError, UnknotError
from unknot._base.input import read_lines
from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format, refusing
from unknot.network import Network, from_networkx
from unknot.network.model import Description, describe

_PLACE = re.compile(r" at \(([0-9]+), ([0-9]+)\)$")


@contextmanager
def errors_of(path: str | Path, form: str, lines: Sequence[str] = ()) -> Iterator[None]:
    """Turn whatever a library raises while it reads a file into an error that names the file.

    Raises
    ------
    TextError
        With line and column where the message of the library ends with them.
    """
    try:
        yield
    except NetworkError as error:
        raise TextError(str(error), path) from error
    except (UnknotError, MemoryError):
        raise
    except RecursionError as error:
        raise TextError(f"this {form} is nested too deeply", path) from error
    except Exception as error:
        words = str(error)
        if isinstance(error, (AttributeError, TypeError, LookupError)) or not words:
            words = "something in it is not of the kind that is needed there"
        place = _PLACE.search(words)
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        words = words[: place.start()] if place else words
        short = words if len(words) <= 160 else f"{words[:100]} … {words[-59:]}"
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        raise TextError(f"this {form} cannot be read: {short}", path, line, column, text) from error


def writable(network: Network) -> Description:
    """Attributes of a network that differ from their defaults, as texts that the formats can hold.

    Raises
    ------
    NetworkError
        For a name with a control character.
    """
    for name in (*(network.router_labels or ()), *(network.terminal_labels or ()), *network.dimensions):
        if any(unicodedata.category(c) in ("Cc", "Cs") or _no_character(ord(c)) for c in name):
            raise NetworkError(f"the name {name!r} has a control character and cannot stand in this format")
    described = describe(network)
    graph = described.graph
    graph["name"] = "".join(c if c.isprintable() else " " for c in network.name)
    if graph["eject"] == graph["inject"]:
        del graph["eject"]
        if graph["inject"] == list(range(network.num_routers)):
            del graph["inject"]
    if not network.radices:
        del graph["radices"], graph["dimensions"]
        for node in described.nodes:
            node.pop("coordinates", None)
    return described


def flat(row: dict[str, Any]) -> dict[str, str | int]:
    """Attributes for a format without lists."""
    return {key: _scalar(attribute) for key, attribute in row.items()}


def _scalar(attribute: Any) -> str | int:
    if not isinstance(attribute, (list, tuple)):
        return attribute if isinstance(attribute, int) else str(attribute)
    if attribute and isinstance(attribute[0], str):
        return json.dumps(attribute, ensure_ascii=False)
    return " ".join(str(item) for item in attribute)


def _no_character(code: int) -> bool:
    """Whether a code point is barred from being a character by Unicode."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


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
    text = ["graph [", "  directed 1", "  multigraph 1", f"  {_gml_row(described.graph | labels)}"]
    for i, node in enumerate(described.nodes):
        text.append(f"  node [ {_gml_row({'id': i, 'label': str(i), **node})} ]")
    for i, (u, v, edge) in enumerate(described.edges):
        text.append(f"  edge [ {_gml_row({'source': u, 'target': v, 'key': i, **edge})} ]")
    write_text(path, "\n".join([*text, "]"]) + "\n")


def _gml_row(row: dict[str, object]) -> str:
    return " ".join(f"{key} {_gml_text(attribute)}" for key, attribute in flat(row).items())


def _gml_text(attribute: str | int) -> str:
    if isinstance(attribute, int):
        return str(attribute)
    marked = attribute.replace("&", "&amp;").replace('"', "&quot;")
    return '"' + "".join(c if " " <= c <= "~" else f"&#{ord(c)};" for c in marked) + '"'


_GML_SIGN = re.compile(r"\A(?>\s+|#[^\n]*\n|[A-Za-z]\w*[ \t]+(?:\"[^\"]*\"|[\d.]+))*+graph\s*\[")
GML = Format("gml", "GML", (".gml",), read_gml, write_gml, _GML_SIGN.search, EVERYTHING)


def write_dot(network: Network, path: str | Path) -> None:
    """Write every part of a network as a digraph."""
    described = writable(network)
    text = [f"digraph {_quoted(described.graph.pop('name'))} {{"]
    if described.graph:
        text.append(f"  graph{_list(described.graph)};")
    text += [f"  {i}{_list(node)};" for i, node in enumerate(described.nodes)]
    text += [f"  {u} -> {v}{_list(edge)};" for u, v, edge in described.edges]
    write_text(path, "\n".join([*text, "}"]) + "\n")


def _list(row: dict[str, object]) -> str:
    pairs = [f"{key}={_quoted(attribute)}" for key, attribute in flat(row).items()]
    return f" [{', '.join(pairs)}]" if pairs else ""


def _quoted(attribute: str | int) -> str:
    if isinstance(attribute, int):
        return str(attribute)
    return '"' + attribute.replace("\\", "\\\\").replace('"', '\\"') + '"'


_NOT_READ = "DOT is written, not read; NetworkX reads it, and unknot.network.from_networkx takes its graphs"
DOT = Format("dot", "a DOT graph", (".dot", ".gv"), refusing(_NOT_READ), write_dot, keeps=EVERYTHING, holds="program")
