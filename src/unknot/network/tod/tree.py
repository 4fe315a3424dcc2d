"""The syntax tree, made while the parser goes: one method for each rule of grammar.lark."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from itertools import pairwise
from typing import Any

from lark import Token, Transformer

from unknot.network.tod.syntax import (
    Call,
    Chain,
    Clauses,
    Conditional,
    Definition,
    Edge,
    Edges,
    Include,
    Listing,
    Literal,
    Name,
    Node,
    Option,
    Position,
    Power,
    Prefix,
    Range,
    Replacement,
    Source,
)

SOURCE: ContextVar[Source] = ContextVar("source")
"""The text that is parsed: the grammar, and this transformer with it, is made once for all texts."""


def _span(parts: list[Any]) -> tuple[Source, Any, Any]:
    """The text from the first to the last of some tokens and nodes."""
    first, last = parts[0], parts[-1]
    return (
        SOURCE.get(),
        first.start_pos if isinstance(first, Token) else first.at,
        last.end_pos if isinstance(last, Token) else last.end,
    )


def _nodes(parts: list[Any]) -> tuple[Any, ...]:
    return tuple(part for part in parts if isinstance(part, Node))


def _fields(kind: Callable[..., Node], *fields: int | Callable[[list[Any]], Any]) -> Callable[[Any, list[Any]], Node]:
    """Maker of a node whose fields are some of the parts of its rule, or made of them all."""

    def field(c: list[Any], of: int | Callable[[list[Any]], Any]) -> Any:
        part = c[of] if isinstance(of, int) else of(c)
        return str(part) if isinstance(part, Token) else part

    def make(self: Any, c: list[Any]) -> Node:
        return kind(*_span(c), *(field(c, of) for of in fields))

    return make


class Tree(Transformer[Token, Any]):
    """Transformer that makes the nodes as the parser goes, so that no depth of nesting is walked down again."""

    include = _fields(Include, 1)
    name = _fields(Name, 0)
    option = _fields(Option, 0, 2)
    conditional = _fields(Conditional, 1, 3, 5)
    true = _fields(Literal, lambda c: True)
    false = _fields(Literal, lambda c: False)
    position = _fields(Position, _nodes)
    listing = _fields(Listing, _nodes)
    chain = _fields(Chain, lambda c: tuple(c[0::2]), lambda c: tuple(c[1::2]))
    prefix = _fields(Prefix, lambda c: c[0].type, lambda c: len(c) - 1, -1)
    power = _fields(Power, 0, lambda c: tuple(c[2::2]))
    replacement = _fields(Replacement, lambda c: _nodes(c)[0], lambda c: _nodes(c)[1:])

    def definition(self, c: list[Any]) -> Node:
        return Definition(*_span(c), str(c[0]), c[1] if isinstance(c[1], tuple) else None, c[-1])

    def parameters(self, c: list[Any]) -> tuple[str, ...]:
        return tuple(str(word) for word in c if word.type == "NAME")

    def integer(self, c: list[Any]) -> Node:
        if len(c[0]) > 19 or int(c[0]) >= 2**63:
            raise Node(*_span(c)).error("this number is too big; numbers are less than 2**63")
        return Literal(*_span(c), int(c[0]))

    def string(self, c: list[Any]) -> Node:
        try:
            return Literal(*_span(c), json.loads(c[0], strict=False))
        except ValueError as error:
            words = 'a text is written as in JSON: \\" \\\\ \\n \\t \\u0041 are its escapes'
            raise Node(*_span(c)).error(words) from error

    def call(self, c: list[Any]) -> Node:
        parts, clauses = c[2] if isinstance(c[2], tuple) else ((), None)
        options = tuple(part for part in parts if isinstance(part, Option))
        return Call(*_span(c), str(c[0]), parts[: len(parts) - len(options)], options, clauses)

    def arguments(self, c: list[Any]) -> tuple[Any, ...]:
        nodes = _nodes(c)
        for before, after in pairwise(nodes):
            if isinstance(before, Option) and not isinstance(after, Option):
                raise after.error("values without a name come before options such as latency=2")
        return nodes, None

    def spread(self, c: list[Any]) -> tuple[Any, ...]:
        return (c[0],), c[1]

    def bracketed(self, c: list[Any]) -> Node:
        node: Node = replace(c[1], at=c[0].start_pos, end=c[-1].end_pos)
        return node

    def edges(self, c: list[Any]) -> Node:
        *edges, last = _nodes(c)
        if isinstance(last, Clauses):
            return Edges(*_span(c), tuple(edges), last)
        return Edges(*_span(c), (*edges, last), None)

    def edge(self, c: list[Any]) -> Node:
        arcs = tuple(mark.type == "ARC" for mark in c[1::2] if mark.type != "COLON")
        ends = c[0 : 2 * len(arcs) + 1 : 2]
        return Edge(*_span(c), tuple(ends), arcs, c[-1] if len(c) > 2 * len(arcs) + 1 else None)

    def clauses(self, c: list[Any]) -> Node:
        ranges = tuple(part for part in _nodes(c) if isinstance(part, Range))
        return Clauses(*_span(c), ranges, None if isinstance(c[-1], Range) else c[-1])

    def range(self, c: list[Any]) -> Node:
        first, *last = _nodes(c)
        return Range(*_span(c), str(c[0]), first, last[0] if last else None)
