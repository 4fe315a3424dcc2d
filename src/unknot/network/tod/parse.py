"""Parser from text to syntax tree, a method for each rule. The syntax itself stands in grammar.lark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken

from unknot._base.errors import Source, TextError, shortened
from unknot._base.phrases import listed
from unknot.network.tod import syntax
from unknot.network.tod.syntax import Definition, Include, Node, Option, WholeText, raise_all

LONGEST = 4_000_000
"""Most characters of a text."""
DEEPEST = 60
"""Most brackets open at once."""

_OPEN = {"LPAR": ")", "LSQB": "]", "LBRACE": "}"}
_CLOSE = {"RPAR": ")", "RSQB": "]", "RBRACE": "}"}
_INFIX = (
    "OR AND COMPARE UNION INTERSECTION RINGSUM PLUS MINUS CARTESIAN TENSOR STRONG LEXICOGRAPHIC LEFT_EQUAL "
    "RIGHT_EQUAL LEFT_ADJACENT RIGHT_ADJACENT POWER QUOTIENT REMAINDER LINK ARC"
)
_GOES_ON = {*_INFIX.split(), "EQUAL", "COMMA", "IF", "THEN", "ELSE", "FOR", "IN", "NOT", "COLON", "TO"}
_WORDS = {
    "an operator": {*_INFIX.split()},
    "a network or a value": {"INT", "STRING", "NAME", "LPAR", "LBRACE"},
}
_SHOWN = {
    "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "LBRACE": "{", "RBRACE": "}", "EQUAL": "=", "COMMA": ",",
    "COLON": ":", "TO": "..", "FOR": "for", "IN": "in", "IF": "if", "THEN": "then", "ELSE": "else",
    "LINK": "--", "ARC": "->", "NAME": "a name", "STRING": 'a text in "quotes"', "$END": "the end",
}  # fmt: skip


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


class SyntaxTree(Transformer[Token, Any]):
    """Transformer that makes the nodes as the parser goes, so that no depth of nesting is walked down again."""

    include = _fields(Include, 1)
    name = _fields(syntax.Name, 0)
    option = _fields(Option, 0, 2)
    conditional = _fields(syntax.Conditional, 1, 3, 5)
    true = _fields(syntax.Literal, lambda c: True)
    false = _fields(syntax.Literal, lambda c: False)
    position = _fields(syntax.Position, _nodes)
    listing = _fields(syntax.Listing, _nodes)
    chain = _fields(syntax.Chain, lambda c: tuple(c[0::2]), lambda c: tuple(c[1::2]))
    prefix = _fields(syntax.Prefix, lambda c: c[0].type, lambda c: len(c) - 1, -1)
    power = _fields(syntax.Power, 0, lambda c: tuple(c[2::2]))
    replacement = _fields(syntax.Replacement, lambda c: _nodes(c)[0], lambda c: _nodes(c)[1:])

    def definition(self, c: list[Any]) -> Node:
        return Definition(*_span(c), str(c[0]), c[1] if isinstance(c[1], tuple) else None, c[-1])

    def parameters(self, c: list[Any]) -> tuple[str, ...]:
        return tuple(str(word) for word in c if word.type == "NAME")

    def integer(self, c: list[Any]) -> Node:
        if len(c[0]) > 19 or int(c[0]) >= 2**63:
            raise Node(*_span(c)).error("this number is too big; numbers are less than 2**63")
        return syntax.Literal(*_span(c), int(c[0]))

    def string(self, c: list[Any]) -> Node:
        try:
            return syntax.Literal(*_span(c), json.loads(c[0], strict=False))
        except ValueError as error:
            words = 'a text is written as in JSON: \\" \\\\ \\n \\t \\u0041 are its escapes'
            raise Node(*_span(c)).error(words) from error

    def call(self, c: list[Any]) -> Node:
        parts, clauses = c[2] if isinstance(c[2], tuple) else ((), None)
        options = tuple(part for part in parts if isinstance(part, Option))
        return syntax.OperatorCall(*_span(c), str(c[0]), parts[: len(parts) - len(options)], options, clauses)

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
        if isinstance(last, syntax.Clauses):
            return syntax.Edges(*_span(c), tuple(edges), last)
        return syntax.Edges(*_span(c), (*edges, last), None)

    def edge(self, c: list[Any]) -> Node:
        arcs = tuple(mark.type == "ARC" for mark in c[1::2] if mark.type != "COLON")
        ends = c[0 : 2 * len(arcs) + 1 : 2]
        return syntax.Edge(*_span(c), tuple(ends), arcs, c[-1] if len(c) > 2 * len(arcs) + 1 else None)

    def clauses(self, c: list[Any]) -> Node:
        ranges = tuple(part for part in _nodes(c) if isinstance(part, syntax.Range))
        return syntax.Clauses(*_span(c), ranges, None if isinstance(c[-1], syntax.Range) else c[-1])

    def range(self, c: list[Any]) -> Node:
        first, *last = _nodes(c)
        return syntax.Range(*_span(c), str(c[0]), first, last[0] if last else None)


def parse(text: str, where: str = "<text>") -> WholeText:
    """Read a text of the topology description language.

    Raises
    ------
    TextError
        With the place of the problem; `TodError` if there are several.
    """
    source = Source(text, where)
    SOURCE.set(source)
    if len(text) > LONGEST:
        raise TextError(f"the text has {len(text)} characters; the limit is {LONGEST}", where)
    problems: list[TextError] = []
    statements: list[Node] = []
    try:
        for tokens in _statements(source, problems):
            try:
                statements.append(_statement(source, tokens))
            except TextError as problem:
                problems.append(problem)
    except TextError as problem:  # nothing is known of the statements behind it
        problems.append(problem)
    includes = tuple(one for one in statements if isinstance(one, Include))
    definitions = tuple(one for one in statements if isinstance(one, Definition))
    results = [one for one in statements if not isinstance(one, (Include, Definition))]
    problems += [
        extra.error(
            "this value is not used: only the last statement may be a bare network; give it a name, as in a = …"
        )
        for extra in results[:-1]
    ]
    raise_all(problems)
    return WholeText(source, includes, definitions, results[-1] if results else None)


def _statements(source: Source, problems: list[TextError]) -> Iterator[list[Token]]:
    """The tokens of each statement. Ends of lines count where no bracket is open and no operator asks for more.

    Raises
    ------
    TextError
        Where it cannot be known any more at which token a statement ends.
    """
    statement: list[Token] = []
    opened: list[Token] = []
    line_ended = False
    for token in _tokens(source):
        kind = token.type
        if kind == "NEWLINE":
            line_ended = True
            continue
        goes_on = bool(opened) or (statement and statement[-1].type in _GOES_ON) or kind in _GOES_ON - {"IF", "NOT"}
        if kind == "SEPARATOR" or (line_ended and not goes_on):
            for unclosed in opened[:1]:
                problems.append(source.error(f"this {unclosed} is not closed before the ;", unclosed.start_pos or 0))
            if statement and not opened:
                yield statement
            statement, opened = [], []
        line_ended = False
        if kind == "SEPARATOR":
            continue
        statement.append(token)
        if kind in _OPEN:
            opened.append(token)
            if len(opened) > DEEPEST:
                raise source.error(f"brackets are nested deeper than {DEEPEST} levels", token.start_pos or 0)
        elif kind in _CLOSE:
            if not opened or _OPEN[opened[-1].type] != token:
                open_one = f"; the last one opened is {opened[-1]}" if opened else ""
                raise source.error(f"this {token} closes nothing{open_one}", token.start_pos or 0)
            opened.pop()
    if opened:
        raise source.error(f"this {opened[-1]} is never closed", opened[-1].start_pos or 0)
    if statement:
        yield statement


def _tokens(source: Source) -> Iterator[Token]:
    try:
        yield from _grammar().lex(source.text)
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        character = source.text[at : at + 1]
        if character == '"':
            message = "this text is not closed before the end of the line"
        else:
            message = f"{character if character.isprintable() else ascii(character)} means nothing here"
        raise source.error(message, at) from None


def _statement(source: Source, tokens: Sequence[Token]) -> Any:
    depth, start = 0, "expression"
    if tokens[0].type == "INCLUDE":
        start = "include"
    for token in tokens:
        depth += (token.type in _OPEN) - (token.type in _CLOSE)
        if token.type == "EQUAL" and depth == 0:
            start = "definition"
    parser = _grammar().parse_interactive(start=start)
    try:
        for token in tokens:
            parser.feed_token(token)
        return parser.feed_eof(tokens[-1])  # type: ignore[no-untyped-call]
    except UnexpectedToken as error:
        token = error.token
        ended = token.type == "$END"
        at = (tokens[-1].end_pos if ended else token.start_pos) or 0
        accepted = parser.accepts()  # type: ignore[no-untyped-call]
        problem = "the statement ends here" if ended else f"{shortened(str(token), 40)} cannot stand here"
        raise source.error(f"{problem}; expected {_expected(accepted)}", at) from None


def _expected(terminals: set[str]) -> str:
    words = []
    for word, members in _WORDS.items():
        if len(members & terminals) >= len(members) - 3:
            words.append(word)
            terminals = terminals - members - {"LSQB", "MINUS", "NOT", "IF", "TRUE", "FALSE"}
    words += sorted(_SHOWN[t] for t in terminals if t in _SHOWN)
    return listed(words, "or") or "nothing more"


@cache
def _grammar() -> Lark:
    text = files("unknot.network.tod").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer="basic",
        start=["separator", "include", "definition", "expression"],
        keep_all_tokens=True,
        maybe_placeholders=False,
        transformer=SyntaxTree(),
    )
