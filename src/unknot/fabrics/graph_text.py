"""What GraphML, GML, DOT and node-link JSON have in common: nodes and edges with attributes, each with its place.

Attributes of the graph: `name`, `inject`, `eject`, `terminal_labels`, `radices`, `dimensions`; of a node: `label`,
`coordinates`; of an edge: `latency`, `ports`. Any other is ignored. Where a format has no lists, numbers stand with
blanks between them and names as JSON.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from unknot.errors import NetworkError, TextError
from unknot.network import Network

_NUMBER = re.compile(r"[+-]?\d{1,10}")
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Attribute:
    """A value, and where it stands."""

    value: object
    line: int = 0
    column: int = 0


@dataclass
class Part:
    """A node or an edge: attributes, and where it stands."""

    line: int = 0
    column: int = 0
    attributes: dict[str, Attribute] = field(default_factory=dict)


@dataclass
class Edge(Part):
    """An edge between two nodes, one way or both ways; `key` is its number, if it has one."""

    source: str = ""
    target: str = ""
    directed: bool = True
    key: object = None


@dataclass
class GraphText:
    """A graph as it stands in a file."""

    where: str | Path
    lines: Sequence[str]
    attributes: dict[str, Attribute] = field(default_factory=dict)
    nodes: dict[str, Part] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def error(self, message: str, line: int = 0, column: int = 0) -> TextError:
        """An error at a place in the file."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return TextError(message, self.where, line, column, text)

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of a position in the lines, joined."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.lines)]

    def network(self) -> Network:
        """The network of this graph. An edge that goes both ways is two channels.

        Nodes called 0 … n − 1 number the routers; others are numbered in order and give the routers their names,
        unless they have a `label`. Edges stand in order, or, where their keys are 0 … m − 1, by these.

        Raises
        ------
        TextError
            With the place: an edge to a node that is not there, an attribute that cannot be used.
        """
        if not self.nodes:
            raise self.error("this graph has no nodes, so there is no network")
        names = list(self.nodes)
        plain = set(names) == {str(i) for i in range(len(names))}
        if plain:
            names = [str(i) for i in range(len(names))]
        index = {name: i for i, name in enumerate(names)}
        parts = [self.nodes[name] for name in names]
        labels = [part.attributes["label"].value if "label" in part.attributes else None for part in parts]
        labelled = not plain or any(label is not None for label in labels)
        source, target, latency, ports = self._channels(index)
        coordinates, radices = self._coordinates(parts)
        dimensions = tuple(self._names("dimensions") or ()) if radices else ()
        inject = self._terminals("inject")
        eject = self._terminals("eject")
        try:
            return Network(
                name=str(self.attributes["name"].value) if "name" in self.attributes else Path(self.where).name,
                num_routers=len(names),
                source=source,  # type: ignore[arg-type]
                target=target,  # type: ignore[arg-type]
                latency=latency,  # type: ignore[arg-type]
                inject=inject,  # type: ignore[arg-type]
                eject=eject,  # type: ignore[arg-type]
                coordinates=coordinates,  # type: ignore[arg-type]
                radices=radices,
                dimensions=dimensions,
                router_labels=(
                    tuple(
                        str(label) if label is not None else name for label, name in zip(labels, names, strict=True)
                    )
                    if labelled
                    else None
                ),
                terminal_labels=None if (found := self._names("terminal_labels")) is None else tuple(found),
                ports=ports,  # type: ignore[arg-type]
            )
        except NetworkError as error:
            raise self.error(str(error)) from error

    def _channels(self, index: dict[str, int]) -> tuple[list[int], list[int], list[int], list[list[int]] | None]:
        edges, keys = self.edges, [edge.key for edge in self.edges]
        if all(isinstance(key, int) for key in keys) and set(keys) == set(range(len(keys))):
            edges = sorted(edges, key=lambda edge: edge.key)  # type: ignore[arg-type, return-value]
        source, target, latency, ports = [], [], [], []
        for edge in edges:
            for end in (edge.source, edge.target):
                if end not in index:
                    raise self.error(f"this edge ends at {end}, but there is no such node", edge.line, edge.column)
            cycles = self._cycles(edge.attributes.get("latency"))
            sockets = None
            if "ports" in edge.attributes:
                sockets = self._numbers(edge.attributes["ports"])
                if len(sockets) != 2:
                    place = edge.attributes["ports"]
                    raise self.error("ports are two numbers, at source and target", place.line, place.column)
            u, v = index[edge.source], index[edge.target]
            ways = [(u, v, sockets)]
            if not edge.directed and u != v:
                ways.append((v, u, sockets and sockets[::-1]))
            for a, b, plug in ways:
                source.append(a)
                target.append(b)
                latency.append(cycles)
                ports.append(plug)
        kept = [plug for plug in ports if plug is not None]
        return source, target, latency, kept if kept and len(kept) == len(ports) else None

    def _cycles(self, attribute: Attribute | None) -> int:
        if attribute is None:
            return 1
        found = self._numbers(attribute)
        if len(found) != 1 or found[0] < 1:
            raise self.error("a latency is a whole number of at least 1", attribute.line, attribute.column)
        return found[0]

    def _coordinates(self, parts: list[Part]) -> tuple[list[list[int]] | None, tuple[int, ...]]:
        """Coordinates and radices, when the graph has radices and every node has coordinates."""
        sides = self.attributes.get("radices")
        if sides is None or not all("coordinates" in part.attributes for part in parts):
            return None, ()
        radices = self._numbers(sides)
        coordinates = []
        for part in parts:
            attribute = part.attributes["coordinates"]
            found = self._numbers(attribute)
            if len(found) != len(radices) or not all(0 <= x < k for x, k in zip(found, radices, strict=True)):
                raise self.error(
                    f"coordinates {attribute.value} do not fit the radices {sides.value}",
                    attribute.line,
                    attribute.column,
                )
            coordinates.append(found)
        return (coordinates, tuple(radices)) if radices else (None, ())

    def _terminals(self, key: str) -> list[int] | None:
        attribute = self.attributes.get(key)
        if attribute is None:
            return None
        found = self._numbers(attribute)
        for router in found:
            if not 0 <= router < len(self.nodes):
                raise self.error(
                    f"{key} names router {router}, but they are numbered 0 to {len(self.nodes) - 1}",
                    attribute.line,
                    attribute.column,
                )
        return found

    def _numbers(self, attribute: Attribute) -> list[int]:
        value = attribute.value
        words = value if isinstance(value, list) else str(value).replace(",", " ").split()
        found = []
        for word in words:
            whole = not isinstance(word, bool) and _NUMBER.fullmatch(str(word))
            if not whole or abs(int(str(word))) > _LARGEST:
                raise self.error(f"whole numbers are wanted, not {word!r}", attribute.line, attribute.column)
            found.append(int(str(word)))
        return found

    def _names(self, key: str) -> list[str] | None:
        attribute = self.attributes.get(key)
        if attribute is None:
            return None
        value = attribute.value
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (json.JSONDecodeError, RecursionError):
                value = None
        if not isinstance(value, list):
            raise self.error(f"{key} must be a list of names, as JSON", attribute.line, attribute.column)
        return [str(name) for name in value]


@dataclass(frozen=True)
class Description:
    """A network as attributes: of the graph, of each router, of each channel (source, target, attributes)."""

    graph: dict[str, Any]
    nodes: list[dict[str, Any]]
    edges: list[tuple[int, int, dict[str, Any]]]


def describe(network: Network) -> Description:
    """The attributes from which `GraphText.network` makes the same network; lists as lists.

    Raises
    ------
    NetworkError
        For a name with a control character.
    """
    for name in (*(network.router_labels or ()), *(network.terminal_labels or ()), *network.dimensions):
        if any(unicodedata.category(c) in ("Cc", "Cs") or _no_character(ord(c)) for c in name):
            raise NetworkError(f"the name {name!r} has a control character and cannot stand in this format")
    graph: dict[str, Any] = {"name": "".join(c if c.isprintable() else " " for c in network.name)}
    if not (np.array_equal(network.inject, network.eject) and np.array_equal(network.inject, _each(network))):
        graph["inject"] = network.inject.tolist()
    if not np.array_equal(network.inject, network.eject):
        graph["eject"] = network.eject.tolist()
    if network.terminal_labels is not None:
        graph["terminal_labels"] = list(network.terminal_labels)
    nodes: list[dict[str, Any]] = [{} for _ in range(network.num_routers)]
    if network.coordinates is not None and network.radices:
        graph["radices"] = list(network.radices)
        graph["dimensions"] = list(network.dimensions)
        for node, row in zip(nodes, network.coordinates.tolist(), strict=True):
            node["coordinates"] = row
    if network.router_labels is not None:
        for node, label in zip(nodes, network.router_labels, strict=True):
            node["label"] = label
    edges: list[tuple[int, int, dict[str, Any]]] = [
        (u, v, {"latency": cycles})
        for u, v, cycles in zip(
            network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True
        )
    ]
    if network.ports is not None:
        for (_, _, attributes), pair in zip(edges, network.ports.tolist(), strict=True):
            attributes["ports"] = pair
    return Description(graph, nodes, edges)


def scalar(value: Any) -> str | int:
    """A value for a format without lists."""
    if not isinstance(value, list):
        return value if isinstance(value, int) else str(value)
    if value and isinstance(value[0], str):
        return json.dumps(value, ensure_ascii=False)
    return " ".join(str(item) for item in value) if value else ""


def _no_character(code: int) -> bool:
    """Whether this is one of the code points that Unicode keeps from being characters."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _each(network: Network) -> Any:
    return np.arange(network.num_routers)
