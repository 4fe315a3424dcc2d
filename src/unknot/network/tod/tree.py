"""The syntax tree, made while the parser goes: one method for each rule of grammar.lark."""

from __future__ import annotations

import json
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
    Integer,
    Listing,
    Name,
    Node,
    Operator,
    Option,
    Position,
    Power,
    Prefix,
    Range,
    Replacement,
    Text,
    Truth,
)


class BadTokenError(Exception):
    """A token that the syntax allows but that means nothing."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.message, self.token = message, token


def _span(token: Token) -> tuple[int, int]:
    return token.start_pos or 0, token.end_pos or 0


def _nodes(children: list[Any]) -> tuple[Any, ...]:
    return tuple(child for child in children if isinstance(child, Node))


class Tree(Transformer[Token, Any]):
    """Transformer that makes the nodes as the parser goes, so that no depth of nesting is walked down again."""

    def include(self, c: list[Any]) -> Node:
        return Include(*_span(c[0]), self.string([c[1]]))

    def definition(self, c: list[Any]) -> Node:
        name, body = c[0], c[-1]
        inner = [t for t in c[1:-2] if isinstance(t, Token)]
        parameters = tuple(Name(*_span(t), str(t)) for t in inner if t.type == "NAME") if inner else None
        return Definition(*_span(name), str(name), parameters, body)

    def integer(self, c: list[Any]) -> Node:
        if len(c[0]) > 19 or int(c[0]) >= 2**63:
            raise BadTokenError("this number is too big; numbers are less than 2**63", c[0])
        return Integer(*_span(c[0]), int(c[0]))

    def string(self, c: list[Any]) -> Text:
        try:
            return Text(*_span(c[0]), json.loads(c[0], strict=False))
        except ValueError as error:
            raise BadTokenError(
                'a text is written as in JSON: \\" \\\\ \\n \\t \\u0041 are its escapes', c[0]
            ) from error

    def true(self, c: list[Any]) -> Node:
        return Truth(*_span(c[0]), True)

    def false(self, c: list[Any]) -> Node:
        return Truth(*_span(c[0]), False)

    def name(self, c: list[Any]) -> Node:
        return Name(*_span(c[0]), str(c[0]))

    def call(self, c: list[Any]) -> Node:
        arguments, options, clauses = c[2] if isinstance(c[2], tuple) else ((), (), None)
        return Call(c[0].start_pos, c[-1].end_pos, str(c[0]), arguments, options, clauses)

    def arguments(self, c: list[Any]) -> tuple[Any, ...]:
        nodes = _nodes(c)
        for before, after in pairwise(nodes):
            if isinstance(before, Option) and not isinstance(after, Option):
                place = Token("AT", "", start_pos=after.at)
                raise BadTokenError("values without a name come before options such as latency=2", place)
        options = tuple(n for n in nodes if isinstance(n, Option))
        return tuple(n for n in nodes if not isinstance(n, Option)), options, None

    def spread(self, c: list[Any]) -> tuple[Any, ...]:
        return (c[0],), (), c[1]

    def option(self, c: list[Any]) -> Node:
        return Option(*_span(c[0]), str(c[0]), c[2])

    def bracketed(self, c: list[Any]) -> Node:
        return c[1]  # type: ignore[no-any-return]

    def position(self, c: list[Any]) -> Node:
        return Position(c[0].start_pos, c[-1].end_pos, _nodes(c))

    def listing(self, c: list[Any]) -> Node:
        return Listing(c[0].start_pos, c[-1].end_pos, _nodes(c))

    def edges(self, c: list[Any]) -> Node:
        nodes = _nodes(c)
        clauses = nodes[-1] if isinstance(nodes[-1], Clauses) else None
        return Edges(c[0].start_pos, c[-1].end_pos, tuple(n for n in nodes if isinstance(n, Edge)), clauses)

    def edge(self, c: list[Any]) -> Node:
        timed = any(isinstance(t, Token) and t.type == "COLON" for t in c)
        nodes = _nodes(c)
        ends = nodes[:-1] if timed else nodes
        arcs = tuple(t.type == "ARC" for t in c if isinstance(t, Token) and t.type in ("ARC", "LINK"))
        return Edge(nodes[0].at, nodes[-1].end, ends, arcs, nodes[-1] if timed else None)

    def clauses(self, c: list[Any]) -> Node:
        nodes = _nodes(c)
        condition = None if isinstance(nodes[-1], Range) else nodes[-1]
        return Clauses(*_span(c[0]), tuple(n for n in nodes if isinstance(n, Range)), condition)

    def range(self, c: list[Any]) -> Node:
        nodes = _nodes(c)
        return Range(c[0].start_pos, nodes[-1].end, str(c[0]), nodes[0], nodes[1] if len(nodes) > 1 else None)

    def chain(self, c: list[Any]) -> Node:
        operators = tuple(Operator(*_span(t), t.type, str(t)) for t in c[1::2])
        return Chain(c[0].at, c[-1].end, tuple(c[0::2]), operators)

    def prefix(self, c: list[Any]) -> Node:
        return Prefix(c[0].start_pos, c[-1].end, c[0].type, len(c) - 1, c[-1])

    def power(self, c: list[Any]) -> Node:
        return Power(c[0].at, c[-1].end, c[0], tuple(c[2::2]))

    def replacement(self, c: list[Any]) -> Node:
        nodes = _nodes(c)
        return Replacement(c[0].at, c[-1].end_pos, nodes[0], nodes[1:])

    def conditional(self, c: list[Any]) -> Node:
        return Conditional(c[0].start_pos, c[-1].end, c[1], c[3], c[5])
