"""Expressions of state tables: sets of nodes, and whole numbers."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from typing import Any

from unknot.certificates.plain.reading import Rejected, pay, printable

Evaluated = frozenset[int] | int
"""A set of nodes, or a number; 1 and 0 are yes and no."""
MOST_LETTERS = 2000
ORDERS: dict[type, Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
ON_SETS: dict[type, Any] = {ast.Add: operator.or_, ast.Sub: operator.sub, ast.BitAnd: operator.and_}
ON_NUMBERS: dict[type, Any] = {ast.Add: operator.add, ast.Sub: operator.sub}


def expression(text: Any) -> ast.expr:
    """Parse a text in Python's grammar."""
    if not isinstance(text, str) or len(text) > MOST_LETTERS:
        raise Rejected(f"{printable(str(text))!r} is no expression")
    pay(len(text))
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise Rejected(f"{printable(text)!r} is no expression") from None


def names_in(text: str) -> Iterator[str]:
    """Names of an expression."""
    return (node.id for node in ast.walk(expression(text)) if isinstance(node, ast.Name))


def evaluate(node: ast.expr, names: Mapping[str, Evaluated]) -> Evaluated:
    """Return the value of an expression; `Rejected` where it has none."""
    pay(2)
    match node:
        case ast.Constant(value=int(one)):
            return int(one)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Call(func=ast.Name(id="count"), args=[one], keywords=[]):
            return len(set_of(one, names))
        case ast.UnaryOp(op=ast.Not(), operand=one):
            return int(not number_of(one, names))
        case ast.UnaryOp(op=ast.USub(), operand=one):
            return -number_of(one, names)
        case ast.BoolOp(op=ast.And(), values=parts):
            return int(all(number_of(part, names) for part in parts))
        case ast.BoolOp(op=ast.Or(), values=parts):
            return int(any(number_of(part, names) for part in parts))
        case ast.Compare(left=one, ops=[ast.In() | ast.NotIn() as op], comparators=[other]):
            return int(bool(set_of(one, names) & set_of(other, names)) == isinstance(op, ast.In))
        case ast.Compare(left=one, ops=[op], comparators=[other]) | ast.BinOp(left=one, op=op, right=other):
            left, right = evaluate(one, names), evaluate(other, names)
            if isinstance(left, int) and isinstance(right, int):
                made = {**ORDERS, **ON_NUMBERS}.get(type(op))
            else:  # sets have no order but being equal
                made = {ast.Eq: operator.eq, ast.NotEq: operator.ne, **ON_SETS}.get(type(op))
            if made is not None and isinstance(left, int) == isinstance(right, int):
                value: Evaluated = made(left, right)
                return int(value) if isinstance(value, bool) else value
    raise Rejected(f"{printable(ast.unparse(node))!r} has no value here")


def set_of(node: ast.expr, names: Mapping[str, Evaluated]) -> frozenset[int]:
    value = evaluate(node, names)
    if isinstance(value, int):
        raise Rejected(f"{printable(ast.unparse(node))!r} is a number, where a set of nodes is expected")
    return value


def number_of(node: ast.expr, names: Mapping[str, Evaluated]) -> int:
    value = evaluate(node, names)
    if not isinstance(value, int):
        raise Rejected(f"{printable(ast.unparse(node))!r} is a set of nodes, where a number is expected")
    return value
