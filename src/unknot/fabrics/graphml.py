"""GraphML: XML with typed attributes. Nested graphs and hyperedges are no networks and are refused."""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape

from unknot.fabrics.graph_text import Attribute, Edge, GraphText, Part, describe, scalar
from unknot.fabrics.text import read_lines
from unknot.network import Network


def read_graphml(path: str | Path) -> Network:
    """Read a GraphML file, directed or not; see `unknot.fabrics.graph_text` for the attributes.

    Raises
    ------
    TextError
        With file, line and column.
    """
    lines = read_lines(path)
    reader = _Reader(GraphText(path, lines))
    try:
        reader.parser.Parse("\n".join(lines).encode(), True)
    except expat.ExpatError as error:
        message = expat.errors.messages[error.code]
        raise reader.text.error(f"this is not well-formed XML: {message}", error.lineno, error.offset + 1) from error
    if not reader.found:
        raise reader.text.error("there is no graph in this file")
    return reader.text.network()


def write_graphml(network: Network, path: str | Path) -> None:
    """Write every part of a network; `read_graphml` reads it back equal."""
    described = describe(network)
    kinds = {"graph": [described.graph], "node": described.nodes, "edge": [row[2] for row in described.edges]}
    keys: dict[tuple[str, str], str] = {}
    head = []
    for kind, rows in kinds.items():
        for name in dict.fromkeys(name for row in rows for name in row):
            key = keys[kind, name] = f"d{len(keys)}"
            form = "int" if name == "latency" else "string"
            head.append(f'  <key id="{key}" for="{kind}" attr.name="{name}" attr.type="{form}"/>')

    def data(kind: str, row: dict[str, object]) -> str:
        return "".join(f'<data key="{keys[kind, k]}">{escape(str(scalar(v)))}</data>' for k, v in row.items())

    body = [f"    {data('graph', described.graph)}"]
    body += [f'    <node id="{i}">{data("node", row)}</node>' for i, row in enumerate(described.nodes)]
    body += [
        f'    <edge id="{i}" source="{u}" target="{v}">{data("edge", row)}</edge>'
        for i, (u, v, row) in enumerate(described.edges)
    ]
    text = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *head,
        '  <graph id="G" edgedefault="directed">',
        *body,
        "  </graph>",
        "</graphml>",
    ]
    Path(path).write_text("\n".join(text) + "\n", encoding="utf-8")


class _Reader:
    """Handlers of the XML parser that fill a `GraphText`."""

    def __init__(self, text: GraphText) -> None:
        self.text = text
        self.found = False
        self.directed = True
        self.names: dict[str, str] = {}
        self.defaults: dict[tuple[str, str], Attribute] = {}
        self.open: list[str] = []
        self.key: tuple[str, str] | None = None
        self.part: Part | None = None
        self.words: list[str] = []
        self.begun = (0, 0)
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _place(self) -> tuple[int, int]:
        return self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1

    def _doctype(self, *_: object) -> None:
        raise self.text.error("a document type is not read; remove it", *self._place())

    def _start(self, full: str, given: dict[str, str]) -> None:
        name, above = full.rpartition(":")[2], self.open[-1] if self.open else ""
        self.open.append(name)
        place = self._place()

        def need(key: str) -> str:
            if key not in given:
                raise self.text.error(f"this {name} has no {key}", *place)
            return given[key]

        if name == "graph":
            if self.found:
                raise self.text.error("one graph is wanted, neither several nor graphs inside nodes", *place)
            self.found = True
            self.directed = given.get("edgedefault", "directed") == "directed"
        elif name == "hyperedge":
            raise self.text.error("a hyperedge is neither a channel nor a link", *place)
        elif name == "key" and above == "graphml":
            self.names[need("id")] = given.get("attr.name", given["id"])
            self.key = (given.get("for", "all"), given["id"])
        elif name == "node" and above == "graph":
            self.part = Part(*place)
            if self.text.nodes.setdefault(need("id"), self.part) is not self.part:
                raise self.text.error(f"there are two nodes {given['id']}", *place)
            self._presume("node", self.part)
        elif name == "edge" and above == "graph":
            both = {"true": False, "false": True}.get(given.get("directed", ""), not self.directed)
            number = given.get("id", "")
            key = int(number) if number.isdecimal() and len(number) < 10 else None
            edge = Edge(*place, {}, need("source"), need("target"), not both, key)
            self.part = edge
            self.text.edges.append(edge)
            self._presume("edge", edge)
        elif name == "data" and above in ("graph", "node", "edge"):
            if need("key") not in self.names:
                raise self.text.error(f"there is no key {given['key']}", *place)
            self.key = (above, given["key"])
            self.words, self.begun = [], place
        elif name == "default":
            self.words, self.begun = [], place

    def _presume(self, kind: str, part: Part) -> None:
        for (wanted, key), default in self.defaults.items():
            if wanted in (kind, "all"):
                part.attributes[self.names[key]] = default

    def _characters(self, words: str) -> None:
        if self.open[-1] in ("data", "default"):
            self.words.append(words)

    def _end(self, full: str) -> None:
        name = self.open.pop()
        above = self.open[-1] if self.open else ""
        value = Attribute("".join(self.words), *self.begun)
        if name == "default" and self.key is not None:
            self.defaults[self.key] = value
        elif name == "data" and self.key is not None and above in ("graph", "node", "edge"):
            home = self.text.attributes if above == "graph" or self.part is None else self.part.attributes
            home[self.names[self.key[1]]] = value
