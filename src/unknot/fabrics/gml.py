"""GML: keys with numbers, strings or bracketed lists of keys."""

from __future__ import annotations

import html
import re
from pathlib import Path

from unknot.errors import TextError
from unknot.fabrics.graph_text import Attribute, Edge, GraphText, Part, describe, scalar
from unknot.fabrics.text import read_lines
from unknot.network import Network

_TOKEN = re.compile(
    r"(?P<space>\s+|(?<![^\n])[ \t]*#[^\n]*)|(?P<key>[A-Za-z][A-Za-z0-9_]*)|(?P<open>\[)|(?P<close>\])"
    r'|(?P<string>"[^"]*")|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)'
)
_DEEPEST = 64

_Value = tuple[object, int]
_Record = list[tuple[str, _Value]]


def read_gml(path: str | Path) -> Network:
    """Read a GML file, directed or not; see `unknot.fabrics.graph_text` for the attributes.

    Raises
    ------
    TextError
        With file, line and column.
    """
    lines = read_lines(path)
    text = GraphText(path, lines)
    records = _Parser("\n".join(lines), text).records()
    graphs = [value for key, value in records if key == "graph"]
    if len(graphs) != 1 or not isinstance(graphs[0][0], list):
        raise text.error(f"one `graph [ … ]` is wanted, but there are {len(graphs)}")
    directed = labelled = False
    for key, (value, at) in graphs[0][0]:
        place = text.place(at)
        if key in ("node", "edge"):
            if not isinstance(value, list):
                raise text.error(f"{key} [ … ] is wanted", *place)
            _add(text, key, {k: Attribute(v, *text.place(where)) for k, (v, where) in value}, place)
        elif key == "directed":
            directed = value == "1"
        elif key == "labels":
            labelled = value == "1"
        elif not isinstance(value, list):
            text.attributes[key] = Attribute(value, *place)
    for edge in text.edges:
        edge.directed = directed
    repeated = all("label" in p.attributes and p.attributes["label"].value == i for i, p in text.nodes.items())
    if repeated and not labelled:
        for part in text.nodes.values():
            del part.attributes["label"]
    return text.network()


def write_gml(network: Network, path: str | Path) -> None:
    """Write every part of a network; `read_gml` reads it back equal. Characters beyond ASCII become entities."""
    described = describe(network)
    rows = [*described.graph.items(), *([("labels", 1)] if network.router_labels is not None else [])]
    text = ["graph [", "  directed 1", "  multigraph 1", *(f"  {key} {_shown(value)}" for key, value in rows)]
    for i, node in enumerate(described.nodes):
        row = {"id": i, "label": str(i), **node}
        text.append("  node [ " + " ".join(f"{key} {_shown(value)}" for key, value in row.items()) + " ]")
    for i, (u, v, edge) in enumerate(described.edges):
        row = {"source": u, "target": v, "key": i, **edge}
        text.append("  edge [ " + " ".join(f"{key} {_shown(value)}" for key, value in row.items()) + " ]")
    Path(path).write_text("\n".join([*text, "]"]) + "\n", encoding="utf-8")


def _shown(value: object) -> str:
    plain = scalar(value)
    if isinstance(plain, int):
        return str(plain)
    marked = plain.replace("&", "&amp;").replace('"', "&quot;")
    return '"' + "".join(c if " " <= c <= "~" else f"&#{ord(c)};" for c in marked) + '"'


def _add(text: GraphText, kind: str, given: dict[str, Attribute], place: tuple[int, int]) -> None:
    for key in ("id",) if kind == "node" else ("source", "target"):
        if key not in given:
            raise text.error(f"this {kind} has no {key}", *place)
    if kind == "node":
        name = str(given["id"].value)
        part = Part(*place, {key: value for key, value in given.items() if key != "id"})
        if text.nodes.setdefault(name, part) is not part:
            raise text.error(f"there are two nodes {name}", *place)
    else:
        key = str(given["key"].value) if "key" in given else ""
        number = int(key) if key.isdecimal() and len(key) < 10 else None
        ends = str(given["source"].value), str(given["target"].value)
        text.edges.append(Edge(*place, given, *ends, key=number))


class _Parser:
    """Tokens to nested records."""

    def __init__(self, whole: str, text: GraphText) -> None:
        self.whole, self.text, self.at = whole, text, 0

    def records(self) -> _Record:
        stack: list[tuple[_Record, int]] = [([], 0)]
        key: str | None = None
        begun = 0
        while self.at < len(self.whole):
            start = self.at
            match = _TOKEN.match(self.whole, self.at)
            if match is None:
                raise self._error("this is neither a key nor a number, a string or a bracket", start)
            self.at = match.end()
            kind, word = match.lastgroup, match.group()
            if kind == "space":
                continue
            if kind == "close":
                if key is not None or len(stack) == 1:
                    raise self._error(f"a value is wanted after {key}" if key else "nothing is open here", start)
                stack.pop()
            elif key is None:
                if kind != "key":
                    raise self._error("a key is wanted here", start)
                key, begun = word, start
            elif kind == "key":
                raise self._error(f"a value is wanted after {key}, not {word}", start)
            elif kind == "open":
                inner: _Record = []
                stack[-1][0].append((key, (inner, begun)))
                stack.append((inner, begun))
                key = None
                if len(stack) > _DEEPEST:
                    raise self._error("this is nested too deeply", start)
            else:
                value = html.unescape(word[1:-1]) if kind == "string" else word
                stack[-1][0].append((key, (value, start)))
                key = None
        if key is not None or len(stack) > 1:
            raise self._error("the file ends too early; this is never closed", stack[-1][1])
        return stack[0][0]

    def _error(self, message: str, at: int) -> TextError:
        return self.text.error(message, *self.text.place(at))
