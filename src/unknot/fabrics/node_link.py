"""Node-link JSON as NetworkX writes it: an object with `nodes` and with `edges` or `links`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from unknot._base.errors import NetworkError
from unknot._base.input import read_json
from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format
from unknot.fabrics.graph_files import errors_of, writable
from unknot.network import Network
from unknot.network.interchange import from_attributes, in_order


def read_node_link(path: str | Path) -> Network:
    """Read node-link JSON; attributes as in `unknot.network.interchange`.

    Raises
    ------
    TextError
        With the file; with line and column for what is not JSON, else with the place such as ``edges[3]``.
    """
    document = read_json(path)
    with errors_of(path, "JSON"):
        return _network(document, Path(path).name)


def write_node_link(network: Network, path: str | Path) -> None:
    """Write every part of a network; NetworkX's `node_link_graph` and `from_networkx` make it again, too."""
    described = writable(network)
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


def _network(document: Any, name: str) -> Network:
    key = next((key for key in ("edges", "links") if isinstance(document, dict) and key in document), None)
    if key is None or not isinstance(document.get("nodes"), list) or not isinstance(document[key], list):
        raise NetworkError('an object with lists "nodes" and "edges" (or "links") is needed')
    graph = document.get("graph") or {}
    if not isinstance(graph, dict):
        raise NetworkError('"graph" must be an object of attributes')
    nodes: dict[str, dict[str, Any]] = {}
    for i, row in enumerate(document["nodes"]):
        _check(row, ("id",), f"nodes[{i}]")
        called = _name(row["id"])
        if called in nodes:
            raise NetworkError(f"nodes[{i}]: there are two nodes {called}")
        nodes[called] = row
    directed = document.get("directed") is True
    edges: list[Any] = [None] * len(document[key])
    for i, row in enumerate(document[key]):
        _check(row, ("source", "target"), f"{key}[{i}]")
    for number, row in zip(in_order(row.get("key") for row in document[key]), document[key], strict=True):
        edges[number] = (_name(row["source"]), _name(row["target"]), directed, row)
    title = graph.get("name")
    return from_attributes(nodes, edges, graph, name if title is None else str(title))


def _check(row: object, needed: tuple[str, ...], where: str) -> None:
    if not isinstance(row, dict):
        raise NetworkError(f"{where}: an object is needed here")
    for key in needed:
        if row.get(key) is None:
            raise NetworkError(f'{where}: "{key}" is missing here')


def _name(label: Any) -> str:
    return str(tuple(label)) if isinstance(label, list) else str(label)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(rows: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(_json(row) for row in rows) + "\n]" if rows else "[]"


_SIGN = re.compile(r'\A\s*\{\s*"\w+"\s*:')
FORMAT = Format("json", "node-link JSON", (".json",), read_node_link, write_node_link, _SIGN.search, EVERYTHING)
