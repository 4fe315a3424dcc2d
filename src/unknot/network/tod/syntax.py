"""The syntax tree of the topology description language, and errors in its texts.

Every node knows the stretch of text it was read from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from lark import Token

from unknot._base.errors import Source, TextError, shortened


@dataclass(frozen=True, eq=False)
class Node:
    """A stretch of a text, from offset `at` up to `end`."""

    source: Source
    at: int
    end: int

    def error(self, message: str) -> TextError:
        """An error with a caret under the beginning."""
        return self.source.error(message, self.at)

    @property
    def text(self) -> str:
        """The words of the text, shortened."""
        return shortened(" ".join(self.source.text[self.at : self.end].split()), 40)

    def up_to(self, last: Node) -> Node:
        """The text from here to the end of a later node."""
        return Node(self.source, self.at, last.end)


@dataclass(frozen=True, eq=False)
class Literal(Node):
    """A number, a text or a truth value."""

    value: int | str | bool


@dataclass(frozen=True, eq=False)
class Name(Node):
    name: str


@dataclass(frozen=True, eq=False)
class Position(Node):
    """``(x, y)``: the place of a router in several dimensions."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Listing(Node):
    """``[a, b, c]``."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Range(Node):
    """``name in last`` (from 0, last excluded) or ``name in first..last`` (both included)."""

    name: str
    first: Node
    last: Node | None


@dataclass(frozen=True, eq=False)
class Clauses(Node):
    """``for x in 8, y in 1..3 if x < y``."""

    ranges: tuple[Range, ...]
    condition: Node | None


@dataclass(frozen=True, eq=False)
class Option(Node):
    """``name=value`` in a call."""

    name: str
    value: Node


@dataclass(frozen=True, eq=False)
class OperatorCall(Node):
    name: str
    arguments: tuple[Node, ...]
    options: tuple[Option, ...]
    clauses: Clauses | None


@dataclass(frozen=True, eq=False)
class Edge(Node):
    """``a -- b -> c : latency``; a single end declares a router. ``arcs[i]`` is true for ``->``, false for ``--``."""

    ends: tuple[Node, ...]
    arcs: tuple[bool, ...]
    latency: Node | None


@dataclass(frozen=True, eq=False)
class Edges(Node):
    """``{edge, edge}`` or ``{edge, edge for …}``."""

    edges: tuple[Edge, ...]
    clauses: Clauses | None


@dataclass(frozen=True, eq=False)
class Chain(Node):
    """``a op b op c``, read from the left; the type of an operator is its terminal in the grammar."""

    operands: tuple[Node, ...]
    operators: tuple[Token, ...]


@dataclass(frozen=True, eq=False)
class Prefix(Node):
    """``- - a`` or ``not a``: the operator and how often it stands there."""

    kind: str
    times: int
    operand: Node


@dataclass(frozen=True, eq=False)
class Power(Node):
    """``base ** e1 ** e2``, read from the right."""

    base: Node
    exponents: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Replacement(Node):
    """``H[G1][G2]``."""

    graph: Node
    parts: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Conditional(Node):
    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, eq=False)
class Include(Node):
    path: Literal


@dataclass(frozen=True, eq=False)
class Definition(Node):
    """``name(parameters) = body``; `parameters` is None for a plain name."""

    name: str
    parameters: tuple[str, ...] | None
    body: Node


@dataclass(frozen=True, eq=False)
class WholeText:
    """A whole text: its includes, its definitions, and the expression that is the network (if any)."""

    source: Source
    includes: tuple[Include, ...] = ()
    definitions: tuple[Definition, ...] = ()
    result: Node | None = None


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below a node, in the order of its fields."""
    for field in fields(node):
        part = getattr(node, field.name)
        yield from (child for child in (part if isinstance(part, tuple) else (part,)) if isinstance(child, Node))


SHOWN = 20
"""Most problems that one error prints."""


class TodError(TextError):
    """Error with all problems of a text; place and message are those of the first.

    Attributes
    ----------
    problems : tuple of TextError
    """

    def __init__(self, problems: Sequence[TextError]) -> None:
        first = problems[0]
        super().__init__(first.message, first.where, first.line, first.column, first.text)
        self.problems = tuple(problems)
        shown = [str(problem) for problem in problems[:SHOWN]]
        if len(problems) > SHOWN:
            shown.append(f"… and {len(problems) - SHOWN} more problems")
        self.args = ("\n".join(shown),)

    def __reduce__(self) -> tuple[type[TodError], tuple[tuple[TextError, ...]]]:
        return TodError, (self.problems,)


def raise_all(problems: Sequence[TextError]) -> None:
    """Raise the problems, if any: a single problem unchanged, several as a `TodError`."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise TodError(sorted(problems, key=lambda p: (p.where, p.line, p.column)))


class MisfitError(Exception):
    """Error in some operands; the caller that knows where they were written adds the place."""
