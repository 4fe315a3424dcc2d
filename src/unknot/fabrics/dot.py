"""DOT, the language of Graphviz: graphs and digraphs, chains of edges, subgraphs, default attributes."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from unknot.errors import TextError
from unknot.fabrics.graph_text import Attribute, Edge, GraphText, Part, describe, scalar
from unknot.fabrics.text import read_lines
from unknot.network import Network

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|(?<![^\n])#[^\n]*|/\*.*?\*/)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<arrow>->|--)"
    r"|(?P<word>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))"
    r"|(?P<mark>[{}\[\]=;,:+])",
    re.S,
)
_WORDS = {"strict", "graph", "digraph", "node", "edge", "subgraph"}
_DEEPEST = 50
_OWN = "\0"
"""The label that stands for the name of the node, written ``\\N``."""

_Given = dict[str, Attribute]
_Token = tuple[str, str, int]


def read_dot(path: str | Path) -> Network:
    """Read a DOT file; see `unknot.fabrics.graph_text` for the attributes. HTML strings are not read.

    Raises
    ------
    TextError
        With file, line and column.
    """
    lines = read_lines(path)
    text = GraphText(path, lines)
    _Parser(text, _tokens(text, "\n".join(lines))).graph()
    return text.network()


def write_dot(network: Network, path: str | Path) -> None:
    """Write every part of a network as a digraph; `read_dot` reads it back equal."""
    described = describe(network)
    called = described.graph.pop("name")
    text = [f"digraph {_quoted(called)} {{"]
    if described.graph:
        text.append(f"  graph{_list(described.graph)};")
    text += [f"  {i}{_list(node)};" for i, node in enumerate(described.nodes)]
    text += [f"  {u} -> {v}{_list(edge)};" for u, v, edge in described.edges]
    Path(path).write_text("\n".join([*text, "}"]) + "\n", encoding="utf-8")


def _list(row: dict[str, object]) -> str:
    shown = ((key, scalar(value)) for key, value in row.items())
    pairs = [f"{key}={value if isinstance(value, int) else _quoted(value)}" for key, value in shown]
    return f" [{', '.join(pairs)}]" if pairs else ""


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _tokens(text: GraphText, whole: str) -> list[_Token]:
    """Kind, value and position of each token; a quoted string is a `name`, as is a word that is no keyword."""
    found: list[_Token] = []
    at = 0
    while at < len(whole):
        match = _TOKEN.match(whole, at)
        if match is None:
            what = {"<": "HTML is not read", '"': "this string is never closed", "/": "this comment is never closed"}
            raise text.error(what.get(whole[at], "DOT has no such sign"), *text.place(at))
        kind, word = str(match.lastgroup), match.group()
        if kind == "string":
            inner = word[1:-1].replace("\\\n", "")
            found.append(("name", _OWN if inner == "\\N" else re.sub(r'\\(["\\])', r"\1", inner), at))
        elif kind == "word":
            found.append(("keyword", word.lower(), at) if word.lower() in _WORDS else ("name", word, at))
        elif kind != "space":
            found.append((kind, word, at))
        at = match.end()
    return [*found, ("end", "the end of the file", len(whole.rstrip()))]


class _Parser:
    """Statements to nodes and edges."""

    def __init__(self, text: GraphText, tokens: list[_Token]) -> None:
        self.text, self.tokens, self.next = text, tokens, 0
        self.arrow, self.strict, self.deep = "->", False, 0
        self.seen: set[tuple[str, str]] = set()

    def graph(self) -> None:
        self.strict = self._skip("strict")
        kind, word, at = self._take()
        if kind != "keyword" or word not in ("graph", "digraph"):
            raise self._error("`graph` or `digraph` is wanted", at)
        self.arrow = "->" if word == "digraph" else "--"
        if self.tokens[self.next][0] == "name":
            self.text.attributes["name"] = self._name()
        self._body({}, {}, self.text.attributes)
        kind, word, at = self._take()
        if kind != "end":
            raise self._error("one graph is wanted in a file; here begins more", at)

    def _body(self, nodes: _Given, edges: _Given, own: _Given) -> list[str]:
        """Statements in braces; returns the nodes that are named in them."""
        self._want("{")
        self.deep += 1
        if self.deep > _DEEPEST:
            raise self._error("subgraphs are nested too deeply", self.tokens[self.next][2])
        named: list[str] = []
        while not self._skip("}"):
            kind, word, at = self.tokens[self.next]
            if kind == "end":
                raise self._error("the file ends too early: a brace is never closed", at)
            if self._skip(";"):
                continue
            if kind == "keyword" and word in ("graph", "node", "edge"):
                self.next += 1
                {"graph": own, "node": nodes, "edge": edges}[word].update(self._attributes())
            elif kind == "name" and self.tokens[self.next + 1][:2] == ("mark", "="):
                key = self._name()
                self._want("=")
                own[str(key.value)] = self._name()
            else:
                named += self._edges(nodes, edges)
        self.deep -= 1
        return list(dict.fromkeys(named))

    def _edges(self, nodes: _Given, edges: _Given) -> list[str]:
        start = self.next
        groups = [self._operand(nodes, edges)]
        places = []
        while self.tokens[self.next][0] == "arrow":
            _, word, at = self._take()
            if word != self.arrow:
                raise self._error(f"`{self.arrow}` joins the nodes of this graph, not `{word}`", at)
            places.append(at)
            groups.append(self._operand(nodes, edges))
        alone = self.tokens[start][0] == "name" and len(groups) == 1
        given = self._attributes()
        if alone:
            self.text.nodes[groups[0][0]].attributes.update(given)
        attributes = {**edges, **given}
        for (left, right), at in zip(pairwise(groups), places, strict=True):
            for u in left:
                for v in right:
                    ends = (u, v) if self.arrow == "->" else (min(u, v), max(u, v))
                    if not (self.strict and ends in self.seen):
                        self.seen.add(ends)
                        place = self.text.place(at)
                        self.text.edges.append(Edge(*place, attributes, u, v, self.arrow == "->"))
        return [name for group in groups for name in group]

    def _operand(self, nodes: _Given, edges: _Given) -> list[str]:
        kind, word, at = self.tokens[self.next]
        if (kind, word) == ("mark", "{") or kind == "keyword":
            if kind == "keyword":
                if word != "subgraph":
                    raise self._error(f"{word} cannot stand here; as a name it needs quotes", at)
                self.next += 1
                if self.tokens[self.next][0] == "name":
                    self._name()
            return self._body(dict(nodes), dict(edges), {})
        name = str(self._name().value)
        while self._skip(":"):
            self._name()
        if name not in self.text.nodes:
            self.text.nodes[name] = Part(*self.text.place(at), dict(nodes))
        return [name]

    def _attributes(self) -> _Given:
        found: _Given = {}
        while self._skip("["):
            while not self._skip("]"):
                key = self._name()
                if self._skip("="):
                    found[str(key.value)] = self._name()
                else:
                    found[str(key.value)] = Attribute("true", key.line, key.column)
                if not self._skip(","):
                    self._skip(";")
        return {key: value for key, value in found.items() if value.value != _OWN}

    def _name(self) -> Attribute:
        kind, word, at = self._take()
        if kind != "name":
            raise self._error(f"a name is wanted, not {word}", at)
        while self._skip("+"):
            word += str(self._name().value)
        return Attribute(word, *self.text.place(at))

    def _take(self) -> _Token:
        token = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def _skip(self, word: str) -> bool:
        kind, found, _ = self.tokens[self.next]
        if kind in ("mark", "keyword") and found == word:
            self.next += 1
            return True
        return False

    def _want(self, word: str) -> None:
        _, found, at = self.tokens[self.next]
        if not self._skip(word):
            raise self._error(f"`{word}` is wanted, not {found}", at)

    def _error(self, message: str, at: int) -> TextError:
        return self.text.error(message, *self.text.place(at))
