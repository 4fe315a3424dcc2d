"""Expressions of state tables: sets of nodes, whole numbers and conditions on them.

A text such as ``count(sharers - requestor)`` is Python's grammar with a few words of it. Sets of nodes are bit masks.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from unknot._base.errors import near, shortened
from unknot._base.toml_places import EntryError

Sort = Literal["nodes", "number"]
"""What a value is: a set of nodes, or a whole number; conditions are the numbers 0 and 1."""
Value = Callable[[list[int]], int]
"""A function of the values of all names."""
MOST_LETTERS, MOST_NUMBER = 2000, 1000


class TableError(EntryError):
    """A state table that cannot be."""


@dataclass(frozen=True)
class CellNames:
    """Names of an expression: where each value stands in the list, its sort, and constant sets of nodes."""

    places: Mapping[str, int]
    sorts: Mapping[str, Sort]
    constants: Mapping[str, int]


def parsed(text: str) -> ast.expr:
    """Parse the text of an expression."""
    try:
        if len(text) > MOST_LETTERS:
            raise ValueError
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise TableError(f"{shortened(text, 60)!r} is no expression such as sharers - requestor") from None


@lru_cache(maxsize=1 << 14)
def mentioned(text: str) -> frozenset[str]:
    """Names in an expression."""
    return frozenset(node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)) - {"count"}


def compiled(text: str, names: CellNames, sort: Sort) -> Value:
    """Compile an expression whose value has a sort."""
    found, value = _made(parsed(text), names)
    if found != sort:
        words = {"nodes": "a set of nodes", "number": "a number or a condition"}
        raise TableError(f"{shortened(text, 60)!r} is {words[found]}; {words[sort]} is needed here")
    return value


_COMPARED: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_BOTH: dict[tuple[type[ast.operator], Sort], Callable[[int, int], int]] = {
    (ast.Add, "number"): operator.add,
    (ast.Sub, "number"): operator.sub,
    (ast.Add, "nodes"): operator.or_,
    (ast.Sub, "nodes"): lambda left, right: left & ~right,
    (ast.BitAnd, "nodes"): operator.and_,
}


def _made(node: ast.expr, names: CellNames) -> tuple[Sort, Value]:
    match node:
        case ast.Constant(value=bool(n) | int(n)) if abs(n) <= MOST_NUMBER:
            return "number", lambda _, n=int(n): n
        case ast.Name(id="none"):
            return "nodes", lambda _: 0
        case ast.Name(id=name) if name in names.constants:
            return "nodes", lambda _, mask=names.constants[name]: mask
        case ast.Name(id=name) if name in names.places:
            return names.sorts[name], operator.itemgetter(names.places[name])
        case ast.Name(id=name):
            raise TableError(f"unknown name {name!r}; {near(name, [*names.places, *names.constants, 'none'])}")
        case ast.Call(func=ast.Name(id="count"), args=[one], keywords=[]):
            members = _of(one, names, "nodes")
            return "number", lambda values: members(values).bit_count()
        case ast.UnaryOp(op=ast.Not(), operand=one):
            denied = _of(one, names, "number")
            return "number", lambda values: not denied(values)
        case ast.UnaryOp(op=ast.USub(), operand=one):
            negated = _of(one, names, "number")
            return "number", lambda values: -negated(values)
        case ast.BoolOp(op=ast.And() | ast.Or() as joint, values=parts):
            made = [_of(part, names, "number") for part in parts]
            test = all if isinstance(joint, ast.And) else any
            return "number", lambda values: test(part(values) for part in made)
        case ast.BinOp(left=left, op=op, right=right):
            sort, first = _made(left, names)
            second = _of(right, names, sort)
            both = _BOTH.get((type(op), sort))
            if both is not None:
                return sort, lambda values: both(first(values), second(values))
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
            some, several = _of(left, names, "nodes"), _of(right, names, "nodes")
            inside = isinstance(op, ast.In)
            return "number", lambda values: bool(some(values) & several(values)) == inside
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            sort, first = _made(left, names)
            second, compare = _of(right, names, sort), _COMPARED[type(op)]
            return "number", lambda values: compare(first(values), second(values))
    words = "+, -, &, comparisons, in, and, or, not, count(…), none and names"
    raise TableError(f"{shortened(ast.unparse(node), 60)!r} is no part of an expression: {words} are")


def _of(node: ast.expr, names: CellNames, sort: Sort) -> Value:
    found, value = _made(node, names)
    if found != sort:
        kind = {"nodes": "set of nodes", "number": "number or condition"}
        text = shortened(ast.unparse(node), 60)
        raise TableError(f"{text!r} is a {kind[found]}; a {kind[sort]} is needed here")
    return value
