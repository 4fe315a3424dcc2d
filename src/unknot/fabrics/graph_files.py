"""Shared parts of GraphML, GML, DOT and node-link JSON: what is written for a network, and errors with the file."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError, TextError, UnknotError
from unknot.network import Network

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
            words = "something in it is not of the kind that is wanted there"
        place = _PLACE.search(words)
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        words = words[: place.start()] if place else words
        short = words if len(words) <= 160 else f"{words[:100]} … {words[-59:]}"
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        raise TextError(f"this {form} cannot be read: {short}", path, line, column, text) from error


@dataclass(frozen=True)
class Description:
    """A network as attributes: of the graph, of each router, of each channel (source, target, attributes)."""

    graph: dict[str, Any]
    nodes: list[dict[str, Any]]
    edges: list[tuple[int, int, dict[str, Any]]]


def describe(network: Network) -> Description:
    """The attributes from which `unknot.network.from_attributes` makes the same network; lists as lists.

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


def flat(row: dict[str, Any]) -> dict[str, str | int]:
    """Attributes for a format without lists."""
    return {key: _scalar(value) for key, value in row.items()}


def _scalar(value: Any) -> str | int:
    if not isinstance(value, list):
        return value if isinstance(value, int) else str(value)
    if value and isinstance(value[0], str):
        return json.dumps(value, ensure_ascii=False)
    return " ".join(str(item) for item in value)


def _no_character(code: int) -> bool:
    """Whether this is one of the code points that Unicode keeps from being characters."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _each(network: Network) -> Any:
    return np.arange(network.num_routers)
