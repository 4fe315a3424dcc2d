"""DOT, the language of Graphviz: graphs and digraphs, chains of edges, subgraphs, default attributes.

The grammar is that of Graphviz's page "DOT Language"; Lark parses it. pydot took 40 times as long on a torus of 4,096
channels, does not keep apart `--` and `->`, and passes over what stands behind the last brace.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base import memory
from unknot._base.errors import TextError
from unknot._base.input import read_lines
from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format
from unknot.fabrics.graph_files import errors_of, flat, writable
from unknot.network import Network
from unknot.network.interchange import ATTRIBUTES, Edge, from_attributes

if TYPE_CHECKING:
    from lark import Lark, Token

_GRAMMAR = r"""
start: STRICT? (GRAPH | DIGRAPH) [name] body
body: "{" (statement | ";")* "}"
?statement: defaults | assignment | chain
defaults: (GRAPH | NODE | EDGE) attributes
assignment: name "=" name
chain: operand (ARROW operand)* [attributes]
?operand: node | subgraph
node: name (":" name)*
subgraph: [SUBGRAPH [name]] body
attributes: ("[" (attribute ("," | ";")?)* "]")+
attribute: name ["=" name]
name: ID | STRING ("+" STRING)* | HTML

STRICT: "strict"i
GRAPH: "graph"i
DIGRAPH: "digraph"i
NODE: "node"i
EDGE: "edge"i
SUBGRAPH: "subgraph"i
ARROW: "->" | "--"
ID: /[^\W\d]\w*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)/i
STRING: /"(?:[^"\\]|\\.)*"/s
HTML: /<(?:[^<>]|<[^<>]*>)*>/
SPACE: /\s+|\/\/[^\n]*|(?<![^\n])#[^\n]*|\/\*.*?\*\//s
%ignore SPACE
"""
_DEEPEST = 50
_GROWTH = 240
"""Bytes of memory for a byte of text at the peak of reading."""
_EDGE = 400
"""Bytes of memory for an edge, until the network is made."""
_WORDS = {
    "LBRACE": "{", "RBRACE": "}", "LSQB": "[", "RSQB": "]", "EQUAL": "=", "PLUS": "+", "COLON": ":", "COMMA": ",",
    "SEMICOLON": ";", "ARROW": "an edge", "ID": "a name", "GRAPH": "graph", "DIGRAPH": "digraph", "STRICT": "strict",
    "SUBGRAPH": "subgraph", "NODE": "node", "EDGE": "edge", "$END": "the end of the file",
}  # fmt: skip
_Row = dict[str, str]
_LOST = {'"': "this string is never closed", "/": "this comment is never closed", "<": "this HTML is never closed"}


def read_dot(path: str | Path) -> Network:
    """Read a DOT file; attributes as in `unknot.network.interchange`. HTML in attributes is passed over.

    Raises
    ------
    TextError
        With file, line and column where the text is not DOT; with the file for an attribute that is not usable.
    SizeError
        If groups of nodes joined to groups of nodes make more edges than fit the memory.
    """
    lines = read_lines(path, growth=_GROWTH)
    graph = _Graph(path, lines)
    with errors_of(path, "DOT"):
        graph.fill(_parsed(path, lines))
        name = str(graph.attributes.get("name", Path(path).name))
        return from_attributes(graph.nodes, graph.edges, graph.attributes, name)


def write_dot(network: Network, path: str | Path) -> None:
    """Write every part of a network as a digraph; `read_dot` reads it back equal."""
    described = writable(network)
    text = [f"digraph {_quoted(described.graph.pop('name'))} {{"]
    if described.graph:
        text.append(f"  graph{_list(described.graph)};")
    text += [f"  {i}{_list(node)};" for i, node in enumerate(described.nodes)]
    text += [f"  {u} -> {v}{_list(edge)};" for u, v, edge in described.edges]
    write_text(path, "\n".join([*text, "}"]) + "\n")


def _list(row: dict[str, object]) -> str:
    pairs = [f"{key}={value if isinstance(value, int) else _quoted(value)}" for key, value in flat(row).items()]
    return f" [{', '.join(pairs)}]" if pairs else ""


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Graph:
    """Nodes and edges of a graph, filled statement by statement."""

    def __init__(self, path: str | Path, lines: list[str]) -> None:
        self.path, self.lines = path, lines
        self.attributes: _Row = {}
        self.nodes: dict[str, _Row] = {}
        self.edges: list[Edge] = []
        self.arrow, self.strict = "->", False
        self.seen: set[tuple[str, str]] = set()

    def fill(self, parts: list[Any]) -> None:
        *kinds, name, body = parts
        self.strict, self.arrow = len(kinds) == 2, "->" if kinds[-1].type == "DIGRAPH" else "--"
        if name is not None:
            self.attributes["name"] = name
        self._body(body, {}, {}, self.attributes, 1)

    def _body(self, statements: list[Any], nodes: _Row, edges: _Row, own: _Row, depth: int) -> list[str]:
        """Statements in braces; returns the nodes that are named in them."""
        if depth > _DEEPEST:
            raise TextError(f"subgraphs are nested deeper than {_DEEPEST} levels", self.path)
        named: dict[str, None] = {}
        for statement in statements:
            if isinstance(statement, tuple):
                kind, attributes = statement
                {"GRAPH": own, "NODE": nodes, "EDGE": edges}[kind].update(attributes)
            else:
                named |= dict.fromkeys(self._chain(statement, nodes, edges, depth))
        return list(named)

    def _chain(self, parts: list[Any], nodes: _Row, edges: _Row, depth: int) -> list[str]:
        *chain, own = parts
        groups: list[list[str]] = []
        for operand in chain[::2]:
            if isinstance(operand, str):
                self.nodes.setdefault(operand, dict(nodes))
                groups.append([operand])
            else:
                groups.append(self._body(operand, dict(nodes), dict(edges), {}, depth + 1))
        if len(chain) == 1 and isinstance(chain[0], str):
            self.nodes[chain[0]].update(own or {})
        attributes = {**edges, **(own or {})}
        for (left, right), arrow in zip(pairwise(groups), chain[1::2], strict=True):
            if arrow != self.arrow:
                words = f"`{self.arrow}` joins the nodes of this graph, not `{arrow}`"
                raise self.error(words, arrow.line, arrow.column)
            many = len(self.edges) + len(left) * len(right)
            memory.require(f"{self.path}:{arrow.line}: a graph of {many:,} edges", many * _EDGE)
            for u in left:
                for v in right:
                    ends = (u, v) if self.arrow == "->" else (min(u, v), max(u, v))
                    if not (self.strict and ends in self.seen):
                        self.edges.append((u, v, self.arrow == "->", attributes))
                    if self.strict:
                        self.seen.add(ends)
        return [name for group in groups for name in group]

    def error(self, message: str, line: int, column: int) -> TextError:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return TextError(message, self.path, line, column, text)


class _Rules:
    """The value of each rule of the grammar.

    A node is its name; a chain is a list of nodes, arrows and bodies with attributes or None behind them; a body is a
    list of chains and of pairs (kind, attributes) for defaults. Attributes that nobody uses, HTML and ``\\N``, which
    stands for the name of the node, are passed over.
    """

    @staticmethod
    def start(parts: list[Any]) -> list[Any]:
        return parts

    body = chain = start
    subgraph = staticmethod(lambda parts: parts[-1])
    node = staticmethod(lambda parts: parts[0])
    attribute = staticmethod(lambda parts: (parts[0], parts[1]))

    @staticmethod
    def name(tokens: list[Token]) -> str:
        if tokens[0].type != "STRING":
            return _Html(tokens[0]) if tokens[0].type == "HTML" else str(tokens[0])
        pieces = [str(token)[1:-1].replace("\\\n", "") for token in tokens]
        return _Html("\\N") if pieces == ["\\N"] else re.sub(r'\\(["\\])', r"\1", "".join(pieces))

    @staticmethod
    def attributes(parts: list[Any]) -> _Row:
        return {
            str(key): value
            for key, value in parts
            if key in ATTRIBUTES and value is not None and not isinstance(value, _Html)
        }

    @staticmethod
    def defaults(parts: list[Any]) -> tuple[str, _Row]:
        return parts[0].type, parts[1]

    @staticmethod
    def assignment(parts: list[Any]) -> tuple[str, _Row]:
        return "GRAPH", _Rules.attributes([parts])


class _Html(str):
    """Text in angle brackets or ``\\N``: no value for an attribute that is used."""


def _parsed(path: str | Path, lines: list[str]) -> Any:
    from lark import UnexpectedCharacters, UnexpectedToken

    graph = _Graph(path, lines)
    text = "\n".join(lines)
    try:
        return _parser().parse(text)
    except UnexpectedCharacters as error:
        sign = text[error.pos_in_stream : (error.pos_in_stream or 0) + 1]
        words = _LOST.get(sign, f"DOT has no such sign as {sign!r}")
        raise graph.error(words, error.line, error.column) from None
    except UnexpectedToken as error:
        expected = sorted({_WORDS[kind] for kind in error.expected if kind in _WORDS})
        if error.token.type == "$END":
            words, line, column = "the file ends too early", len(lines), len(lines[-1]) + 1
        else:
            words, line, column = f"{str(error.token)[:40]} cannot stand here", error.line, error.column
        raise graph.error(f"{words}; wanted: {' or '.join(expected)}", line, column) from None


@cache
def _parser() -> Lark:
    from lark import Lark, Transformer

    class Rules(_Rules, Transformer):  # type: ignore[type-arg]
        pass

    return Lark(_GRAMMAR, parser="lalr", lexer="basic", maybe_placeholders=True, transformer=Rules())


_SIGN = re.compile(
    r"\A(?>\s+|//[^\n]*|#[^\n]*|/\*.*?\*/)*+(?:strict\s+)?(?:di)?graph\b(?:\s*(?:\w+|\"(?:[^\"\\]|\\.)*\"))?\s*\{",
    re.S | re.I,
)
FORMAT = Format("dot", "a DOT graph", (".dot", ".gv"), read_dot, write_dot, _SIGN.search, EVERYTHING)
