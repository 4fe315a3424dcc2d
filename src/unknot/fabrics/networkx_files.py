"""Files of NetworkX: GraphML, and node-link JSON, an object with `nodes` and with `edges` or `links`.

Nested graphs and hyperedges of GraphML are no networks and are refused.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import NetworkError, TextError
from unknot._base.input import read_json
from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format
from unknot.fabrics.graph_files import errors_of, flat, writable
from unknot.network import Network, from_networkx
from unknot.network.interchange import from_attributes, in_order

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SPACE = "{http://graphml.graphdrawing.org/xmlns}"
_GROWTH = 100
"""Bytes of memory for a byte of text at the peak of reading: 47 for bare nodes and edges."""
_USED = {"graph": (), "node": ("label", "coordinates"), "edge": ("latency", "bandwidth", "ports")}


def read_graphml(path: str | Path) -> Network:
    """Read a GraphML file, directed, undirected or mixed; attributes as in `unknot.network.interchange`.

    Raises
    ------
    TextError
        With the file; with line and column for what is not XML.
    """
    from networkx.readwrite.graphml import GraphMLReader

    from unknot.fabrics.xml_file import read_xml

    root = read_xml(path, growth=_GROWTH)
    with errors_of(path, "GraphML"):
        one_way = _prepare(root, path)
        reader = GraphMLReader(edge_key_type=int, force_multigraph=True)
        keys, defaults = reader.find_graphml_keys(root)
        graph = reader.make_graph(root.find(f"{_SPACE}graph"), keys, defaults)
        for kind, rows in (("node", graph.nodes(data=True)), ("edge", graph.edges(data=True))):
            default_of = {
                keys[key]["name"]: default
                for key, default in defaults.items()
                if keys[key]["for"] in (kind, "all", None) and keys[key]["name"] in _USED[kind]
            }
            for *_, attributes in rows:
                attributes.update({name: default for name, default in default_of.items() if name not in attributes})
        for _, _, key, attributes in graph.edges(keys=True, data=True):
            attributes["directed"] = one_way[key]
        for key, default in defaults.items():
            if keys[key]["for"] in ("graph", "all", None):
                graph.graph.setdefault(keys[key]["name"], default)
        graph.graph.setdefault("name", Path(path).name)
        return from_networkx(graph)


def write_graphml(network: Network, path: str | Path) -> None:
    """Write every part of a network; `read_graphml` reads it back equal."""
    import networkx as nx

    described = writable(network)
    graph = nx.MultiDiGraph(**flat(described.graph))
    graph.add_nodes_from((i, flat(node)) for i, node in enumerate(described.nodes))
    graph.add_edges_from((u, v, i, flat(edge)) for i, (u, v, edge) in enumerate(described.edges))
    text = "\n".join(nx.generate_graphml(graph))
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _prepare(root: Element, path: str | Path) -> list[bool]:
    """Make the file one that NetworkX reads as GraphML means it.

    Every element gets GraphML's name space, every key a name and the type string, every edge its number as `id`.
    Returns for each edge whether it goes one way. What NetworkX would pass over in silence is an error.
    """
    for element in root.iter():
        if isinstance(element.tag, str) and not element.tag.startswith("{http://www.yworks.com"):
            element.tag = _SPACE + element.tag.rpartition("}")[2]
    graphs = root.findall(f".//{_SPACE}graph")
    if root.tag != f"{_SPACE}graphml" or not root.findall(f"{_SPACE}graph"):
        raise TextError("there is no graph in this file", path)
    if len(graphs) > 1:
        raise TextError("one graph is needed, neither several nor graphs inside nodes", path)
    for key in root.findall(f"{_SPACE}key"):
        _need(key, ("id",), path)
        key.attrib.setdefault("attr.name", key.attrib["id"])
        key.attrib["attr.type"] = "string"
        for default in key.findall(f"{_SPACE}default"):
            default.text = default.text or ""
    graph = graphs[0]
    if graph.find(f"{_SPACE}hyperedge") is not None:
        raise TextError("a hyperedge is neither a channel nor a link", path)
    nodes: set[str] = set()
    for node in graph.findall(f"{_SPACE}node"):
        _need(node, ("id",), path)
        if node.attrib["id"] in nodes:
            raise TextError(f"there are two nodes {node.attrib['id']!r}", path)
        nodes.add(node.attrib["id"])
    edges = graph.findall(f"{_SPACE}edge")
    directed = graph.attrib.get("edgedefault", "directed") == "directed"
    graph.attrib["edgedefault"] = "directed"
    one_way = [directed] * len(edges)
    for edge, number in zip(edges, in_order(edge.attrib.get("id") for edge in edges), strict=True):
        _need(edge, ("source", "target"), path)
        for end in (edge.attrib["source"], edge.attrib["target"]):
            if end not in nodes:
                ends = f"{edge.attrib['source']!r} – {edge.attrib['target']!r}"
                raise TextError(f"edge {ends} ends at {end!r}, but there is no such node", path)
        edge.attrib["id"] = str(number)
        one_way[number] = {"true": True, "false": False}.get(edge.attrib.pop("directed", ""), directed)
    for part in graph:
        for port in part.findall(f"{_SPACE}port"):
            part.remove(port)
    return one_way


def _need(element: Element, keys: tuple[str, ...], path: str | Path) -> None:
    for key in keys:
        if key not in element.attrib:
            kind = element.tag.rpartition("}")[2]
            attributes = ", ".join(f'{name}="{value}"' for name, value in element.attrib.items()) or "nothing"
            raise TextError(f"this {kind} has no {key}; there is only {attributes[:80]}", path)


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
