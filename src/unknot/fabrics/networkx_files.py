"""Files of NetworkX: GraphML, and node-link JSON, an object with `nodes` and with `edges` or `links`.

Nested graphs and hyperedges of GraphML are no networks and are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import NetworkError, TextError
from unknot._base.input import read_json
from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format
from unknot.fabrics.graph_files import errors_of, flat, writable
from unknot.network import Network
from unknot.network.interchange import from_attributes, in_order

if TYPE_CHECKING:
    from unknot.fabrics.xml_file import XmlElement

_GROWTH = 100
"""Bytes of memory for a byte of text at the peak of reading: 47 for bare nodes and edges."""
_USED = {"node": ("label", "coordinates"), "edge": ("latency", "bandwidth", "ports")}


def read_graphml(path: str | Path) -> Network:
    """Read a GraphML file, directed, undirected or mixed; attributes as in `unknot.network.interchange`.

    Raises
    ------
    TextError
        With the file; with line and column for what is not XML.
    """
    from unknot.fabrics.xml_file import read_xml

    root = read_xml(path, growth=_GROWTH)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    graphs = [*root.iter("graph")]
    if root.tag != "graphml" or root.find("graph") is None:
        raise TextError("there is no graph in this file", path)
    if len(graphs) > 1:
        raise TextError("one graph is needed, neither several nor graphs inside nodes", path)
    graph = graphs[0]
    if graph.find("hyperedge") is not None:
        raise TextError("a hyperedge is neither a channel nor a link", path)
    keys = root.findall("key")
    names = {_need(key, "id"): key.get("attr.name", key.attrib["id"]) for key in keys}
    defaults: dict[str, dict[str, str]] = {"graph": {}, "node": {}, "edge": {}}
    for key in keys:
        for kind, row in defaults.items():
            name, default = names[key.attrib["id"]], key.find("default")
            if default is not None and key.get("for", "all") in (kind, "all") and name in _USED.get(kind, (name,)):
                row[name] = default.text or ""
    nodes: dict[str, dict[str, str]] = {}
    for node in graph.findall("node"):
        if nodes.setdefault(_need(node, "id"), row := defaults["node"] | _attributes(node, names)) is not row:
            raise node.error(f"there are two nodes {node.attrib['id']!r}")
    directed, listed = graph.get("edgedefault", "directed") == "directed", graph.findall("edge")
    edges: list[Any] = [None] * len(listed)
    for edge, number in zip(listed, in_order(edge.get("id") for edge in listed), strict=True):
        row = defaults["edge"] | _attributes(edge, names)
        one_way = {"true": True, "false": False}.get(edge.get("directed", ""), directed)
        edges[number] = _need(edge, "source"), _need(edge, "target"), one_way, row
    with errors_of(path, "GraphML"):
        of_graph = {"name": Path(path).name} | defaults["graph"] | _attributes(graph, names)
        return from_attributes(nodes, edges, of_graph, of_graph["name"] or "graph")


def _need(element: XmlElement, key: str) -> str:
    if key not in element.attrib:
        there = ", ".join(f'{name}="{value}"' for name, value in element.attrib.items()) or "nothing"
        raise element.error(f"this {element.tag} has no {key}; there is only {there[:80]}")
    return element.attrib[key]


def _attributes(element: XmlElement, names: Mapping[str, str]) -> dict[str, str]:
    """Attributes by name; the label of a node drawn with yEd is inside of what else its data holds."""
    row = {}
    for data in element.findall("data"):
        if data.get("key") not in names:
            raise element.error(f"there is no key {data.get('key')}")
        if (drawn := data.find(".//NodeLabel")) is not None:
            row["label"] = drawn.text or ""
        elif not len(data):
            row[names[data.attrib["key"]]] = data.text or ""
    return row


def write_graphml(network: Network, path: str | Path) -> None:
    """Write every part of a network; `read_graphml` reads it back equal."""
    import networkx as nx

    described = writable(network)
    graph = nx.MultiDiGraph(**flat(described.graph))
    graph.add_nodes_from((i, flat(node)) for i, node in enumerate(described.nodes))
    graph.add_edges_from((u, v, i, flat(edge)) for i, (u, v, edge) in enumerate(described.edges))
    text = "\n".join(nx.generate_graphml(graph))
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


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


_XML = re.compile(r"\A(?>\s*)(?:<\?xml[^>]*>)?(?>\s+|<!--.*?-->)*+(?:<!DOCTYPE[^>]*>\s*)?<(?:\w+:)?graphml\b", re.S)
GRAPHML = Format("graphml", "GraphML", (".graphml",), read_graphml, write_graphml, _XML.search, EVERYTHING)
_OBJECT = re.compile(r'\A\s*\{\s*"\w+"\s*:')
NODE_LINK = Format("json", "node-link JSON", (".json",), read_node_link, write_node_link, _OBJECT.search, EVERYTHING)
