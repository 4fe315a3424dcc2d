"""Node-link JSON as NetworkX writes it: an object with `nodes` and with `edges` or `links`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unknot.errors import TextError
from unknot.fabrics.graph_text import Attribute, Edge, GraphText, Part, describe
from unknot.fabrics.text import read_lines
from unknot.network import Network
from unknot.output import write_text

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.S)


def read_node_link(path: str | Path) -> Network:
    """Read node-link JSON; see `unknot.fabrics.graph_text` for the attributes.

    Raises
    ------
    TextError
        With file, line and column.
    """
    lines = read_lines(path)
    text = _JsonText(path, lines, whole="\n".join(lines))
    try:
        found = json.loads(text.whole)
    except json.JSONDecodeError as error:
        raise GraphText.error(text, f"this is not JSON: {error.msg}", error.lineno, error.colno) from error
    except (RecursionError, ValueError) as error:
        raise text.error(f"this JSON cannot be read: {error}") from error
    key = next((key for key in ("edges", "links") if isinstance(found, dict) and key in found), None)
    if key is None or not isinstance(found.get("nodes"), list) or not isinstance(found[key], list):
        raise text.error('an object with lists "nodes" and "edges" (or "links") is wanted')
    text.edges_called = key
    graph = found.get("graph") or {}
    if not isinstance(graph, dict):
        raise text.error('"graph" must be an object of attributes')
    text.attributes = {
        name: Attribute(value, i, _GRAPH) for i, (name, value) in enumerate(graph.items()) if value is not None
    }
    for i, row in enumerate(found["nodes"]):
        given = _row(text, row, ("id",), i, _NODES)
        name = _name(given["id"].value)
        if text.nodes.setdefault(name, Part(i, _NODES, given)).line != i:
            raise text.error(f"there are two nodes {name}", i, _NODES)
    directed = found.get("directed") is True
    for i, row in enumerate(found[key]):
        given = _row(text, row, ("source", "target"), i, _EDGES)
        ends = _name(given["source"].value), _name(given["target"].value)
        number = row.get("key")
        whole = isinstance(number, int) and not isinstance(number, bool)
        text.edges.append(Edge(i, _EDGES, given, *ends, directed, number if whole else None))
    return text.network()


def write_node_link(network: Network, path: str | Path) -> None:
    """Write every part of a network; NetworkX's `node_link_graph` and `from_networkx` make it again, too."""
    described = describe(network)
    graph = {"inject": network.inject.tolist(), "eject": network.eject.tolist(), **described.graph}
    nodes = [{"id": i, **node} for i, node in enumerate(described.nodes)]
    edges = [{"source": u, "target": v, "key": i, **edge} for i, (u, v, edge) in enumerate(described.edges)]
    rows = [
        '"directed": true',
        '"multigraph": true',
        f'"graph": {_json(graph)}',
        f'"nodes": {_listed(nodes)}',
        f'"edges": {_listed(edges)}',
    ]
    write_text(path, "{\n" + ",\n".join(rows) + "\n}\n")


_NODES, _EDGES, _GRAPH = -1, -2, -3
"""In place of a column: the line is an index in this list; the real place is found when an error needs it."""


@dataclass
class _JsonText(GraphText):
    whole: str = ""
    edges_called: str = field(default="edges")

    def error(self, message: str, line: int = 0, column: int = 0) -> TextError:
        if column >= 0:
            return super().error(message)
        wanted = {_NODES: "nodes", _EDGES: self.edges_called, _GRAPH: "graph"}[column]
        at = _position(self.whole, wanted, line)
        return super().error(message, *self.place(at))


def _row(text: _JsonText, row: object, needed: tuple[str, ...], index: int, kind: int) -> dict[str, Attribute]:
    if not isinstance(row, dict):
        raise text.error("an object is wanted here", index, kind)
    for key in needed:
        if row.get(key) is None:
            raise text.error(f'"{key}" is missing here', index, kind)
    return {key: Attribute(value, index, kind) for key, value in row.items() if value is not None}


def _name(value: Any) -> str:
    return str(tuple(value)) if isinstance(value, list) else str(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(rows: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(_json(row) for row in rows) + "\n]" if rows else "[]"


def _position(whole: str, key: str, index: int) -> int:
    """Where an item of a list or object in the outermost object begins."""
    depth, count = 0, 0
    last = inside = ""
    fresh = False
    for match in _TOKEN.finditer(whole):
        word = match.group()
        if fresh and depth == 2 and inside == key and word not in "]}":
            if count == index:
                return match.start()
            count += 1
        fresh = False
        if word in "[{":
            depth += 1
            fresh = True
        elif word in "]}":
            depth -= 1
        elif word == ",":
            fresh = True
        elif word == ":" and depth == 1:
            inside = json.loads(last)
        last = word
    return 0
