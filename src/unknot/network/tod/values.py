"""Values of the language beside networks: numbers, truth values, texts, lists; single, or one per case of a rule.

Inside ``{… for x in n}`` a number is an int64 array with one entry for each choice of the variables. Numbers never
leave 63 bits: a result that would is an error, found from the bounds of the operands before it is computed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np

from unknot._base.errors import UnknotError
from unknot.network.bandwidth import read
from unknot.network.tod import products, sets
from unknot.network.tod.graph import WireRows
from unknot.network.tod.plan import Budget, Oriented, Plan, Replaced, Shape
from unknot.network.tod.syntax import MisfitError, Node

Value: TypeAlias = Any
"""int, bool, str, tuple (a list), `At`, an array of int64 or bool, `Plan`, `Replaced` or `Oriented`."""

LIMIT = 2**63


class At(tuple[Any, ...]):
    """The value of ``(x, y)``: coordinates of a router."""

    __slots__ = ()


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "QUOTIENT": operator.floordiv,
    "REMAINDER": operator.mod,
    "POWER": operator.pow,
    "PLUS": operator.add,
    "MINUS": operator.sub,
    "CARTESIAN": operator.mul,
    "UNION": operator.or_,
    "INTERSECTION": operator.and_,
    "RINGSUM": operator.xor,
}
"""Operators on numbers, by their terminals in the grammar."""


def is_network(value: Value) -> bool:
    return isinstance(value, (Plan, Replaced, Oriented))


def is_number(value: Value) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype == np.int64)
    return isinstance(value, int) and not isinstance(value, bool)


def is_truth(value: Value) -> bool:
    return isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == np.bool_)


def condition_of(value: Value, node: Node) -> Value:
    """The value of a condition, checked."""
    if not is_truth(value):
        raise node.error(f"if takes a truth value, but {node.text} is {kind(value)}")
    return value


def kind(value: Value) -> str:
    """Name the kind of a value, for messages."""
    if is_network(value):
        return "a network"
    if isinstance(value, np.ndarray):
        return "a number that varies" if is_number(value) else "a truth value that varies"
    names = {bool: "a truth value", int: "a number", str: "a text", At: "a position", tuple: "a list"}
    return names[type(value)]


def number(kind: str, symbol: str, a: Value, b: Value) -> Value:
    """An infix operator on two numbers.

    Raises
    ------
    MisfitError
        If it divides by zero, has a negative exponent, the result does not fit, or it is no operator on numbers.
    """
    if kind == "COMPARE":
        return _COMPARE[symbol](a, b)
    (low_a, high_a), (low_b, high_b) = _bounds(a), _bounds(b)
    bounds: Iterable[int] = ()
    if kind in ("QUOTIENT", "REMAINDER"):
        if low_b <= 0 <= high_b and (not isinstance(b, np.ndarray) or bool((b == 0).any())):
            raise MisfitError(f"{symbol} by zero")
        bounds = -high_a, -low_a, high_a
    elif kind == "POWER":
        if low_b < 0:
            raise MisfitError(f"the exponent is {low_b}; a power of a whole number takes an exponent of at least 0")
        base = max(abs(low_a), abs(high_a))
        bounds = (base ** min(high_b, 64) if base > 1 else 1,)
    elif kind in ("PLUS", "MINUS", "CARTESIAN"):
        bounds = [_NUMBERS[kind](x, y) for x in (low_a, high_a) for y in (low_b, high_b)]
    elif kind not in _NUMBERS:
        raise MisfitError(
            f"{symbol} is for networks, not for numbers"
            + ('; write // to divide, or a bandwidth as "1/4"' if symbol == "/" else "")
        )
    if max(map(abs, bounds), default=0) >= LIMIT:
        raise MisfitError(f"the result of {symbol} does not fit 63 bits")
    return _NUMBERS[kind](a, b)


def truth(kind: str, symbol: str, a: Value, b: Value) -> Value:
    """An infix operator on two truth values."""
    if kind == "OR":
        return a | b
    if kind == "AND":
        return a & b
    if kind == "COMPARE" and symbol in ("==", "!="):
        return _COMPARE[symbol](a, b)
    raise MisfitError(f"{symbol} is not for truth values")


def chosen(condition: Value, then: Value, otherwise: Value) -> Value:
    """``if`` where the condition varies: both values, each where it counts."""
    alike = (is_number(then) and is_number(otherwise)) or (is_truth(then) and is_truth(otherwise))
    if not alike:
        raise MisfitError(
            f"the condition varies, so both values must be numbers; they are {kind(then)} and {kind(otherwise)}"
        )
    return np.where(condition, then, otherwise)


def whole(value: Value, place: Node, what: str, least: int | None = None) -> int:
    """A single whole number, checked.

    Raises
    ------
    TextError
        Says what the number is for and what stands there.
    """
    if not is_number(value) or isinstance(value, np.ndarray):
        raise place.error(f"{what} must be a whole number, but {place.text} is {kind(value)}")
    if least is not None and value < least:
        raise place.error(f"{what} must be at least {least}, but it is {value}")
    return int(value)


def _bounds(value: Value) -> tuple[int, int]:
    if isinstance(value, np.ndarray):
        return (int(value.min()), int(value.max())) if value.size else (0, 0)
    return value, value


def _is_single(value: Value, least: int) -> bool:
    return is_number(value) and not isinstance(value, np.ndarray) and value >= least


def _is_rate(value: Value) -> bool:
    try:
        return (isinstance(value, str) or _is_single(value, 1)) and read(value, "") > 0
    except UnknotError:
        return False


def _are_numbers(value: Value) -> bool:
    return type(value) is tuple and all(_is_single(x, -(2**63)) for x in value)


# Kinds of parameters: what each must be, in words, and the test.
Size: TypeAlias = Annotated[int, "a whole number of at least 1", lambda value: _is_single(value, 1)]
Count: TypeAlias = Annotated[int, "a whole number of at least 0", lambda value: _is_single(value, 0)]
Cycles: TypeAlias = Annotated[
    int, "a number of cycles from 1 to 2**31 − 1", lambda value: _is_single(value, 1) and value < 2**31
]
Rate: TypeAlias = Annotated[Any, 'a bandwidth in flits per cycle, such as 2 or "1/4"', _is_rate]
Whole: TypeAlias = Annotated[Any, "a number", is_number]
Flag: TypeAlias = Annotated[bool, "true or false", lambda value: isinstance(value, bool)]
Operand: TypeAlias = Annotated[Any, "a network", is_network]
Numbers: TypeAlias = Annotated[tuple[int, ...], "a list of numbers", _are_numbers]
FileName: TypeAlias = Annotated[str, 'a file name in "quotes"', lambda value: isinstance(value, str)]


@dataclass(frozen=True, eq=False)
class Caller:
    """The call behind a function: its place in the text, the places of its values, and the remaining budget."""

    place: Node
    values: tuple[Node, ...]
    budget: Budget
    read: Callable[[str, Node], Plan]


def settle(budget: Budget, value: Value) -> Plan:
    """The plan of a network, whatever form it has: replacements are carried out, directions forgotten."""
    if isinstance(value, Oriented):
        return value.whole
    if isinstance(value, Replaced):
        a, b = value.skeleton, value.part
        return budget.plan(
            value.place,
            products.replaced,
            (a, b),
            a.routers * b.routers,
            a.channels + a.routers * b.channels,
            a.dimensions + b.dimensions,
        )
    assert isinstance(value, Plan)
    return value


def product(budget: Budget, place: Node, name: str, a: Value, b: Value) -> Value:
    """A product of two operands under whatever conditions they are."""
    if isinstance(a, Replaced) and isinstance(b, Replaced):
        raise place.error(
            f"both operands, {a.place.text} and {b.place.text}, have their routers replaced; only one can: replace "
            "the routers of the product instead, as in (line(2) ** 3)[ring(3)]"
        )
    if isinstance(a, Replaced):
        return Replaced(product(budget, place, name, a.skeleton, b), a.part, place)
    if isinstance(b, Replaced):
        return Replaced(product(budget, place, name, a, b.skeleton), b.part, place)
    one, two = (x.arcs if isinstance(x, Oriented) else x for x in (a, b))
    plan = budget.plan(
        place,
        products.PRODUCTS[name],
        (one, two),
        one.routers * two.routers,
        products.PRODUCTS[name].size((one.routers, two.routers), (one.channels, two.channels)),
        one.dimensions + two.dimensions,
    )
    if one is a and two is b:
        return plan
    return undirected(budget, place, plan)


def undirected(budget: Budget, place: Node, plan: Plan) -> Plan:
    """The plan with the opposite of every channel added where missing."""
    return budget.plan(place, sets.undirected, (plan,), plan.routers, 2 * plan.channels, plan.dimensions)


def stepped(c: Caller, shape: Shape, channels: int) -> Plan:
    """The plan of a line or ring with links between positions at a distance."""
    return c.budget.plan(c.place, lambda: products.stepped(shape), (), shape.k, channels, 1, shape)


def combined(budget: Budget, place: Node, name: str, a: Value, b: Value, across: WireRows | None = None) -> Plan:
    """Union, intersection, difference, ring sum or join of two operands; `across` is the wire of a join."""
    one, two = settle(budget, a), settle(budget, b)
    routers, channels = one.routers + two.routers, one.channels + two.channels
    if name in ("intersection", "difference"):
        routers, channels = one.routers, one.channels
    if name == "join":
        channels += 2 * one.routers * two.routers
        return budget.plan(place, lambda x, y: sets.join(x, y, across), (one, two), routers, channels)
    if name in ("union", "ring_sum") and one.dimensions and one.dimensions == two.dimensions:
        sides = _positions(one)
        if sides is not None and sides == _positions(two):
            routers = one.routers
    return budget.plan(place, getattr(sets, name), (one, two), routers, channels, one.dimensions)


GRAPH_OPERATIONS: dict[str, Callable[..., Value]] = {
    **dict.fromkeys(("union", "intersection", "difference", "ring_sum", "join"), combined),
    **dict.fromkeys(products.PRODUCTS, product),
}
"""Operations on two networks by name, called with the budget, the place, the name and the operands."""


def _positions(plan: Plan) -> list[int] | None:
    """Sides of a product of lines and rings, whose routers are then all the positions there are."""
    stack, sides = [plan], list[int]()
    while stack:
        at = stack.pop()
        if at.shape is not None:
            sides.append(at.shape.k)
        elif at.make in products.PRODUCTS.values():
            stack += reversed(at.operands)
        elif at.make in (sets.union, sets.undirected):
            stack.append(at.operands[0])
        else:
            return None
    return sides
