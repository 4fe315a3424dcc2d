"""Parts shared by the functions of the language: their call, kinds of values, operands under conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from unknot.network.tod import conditions, primitives, products, sets
from unknot.network.tod.plan import Budget, Oriented, Place, Plan, Replaced, Shape
from unknot.network.tod.values import Value

Size: TypeAlias = int
Count: TypeAlias = int
Cycles: TypeAlias = int
Whole: TypeAlias = Any
Flag: TypeAlias = bool
Operand: TypeAlias = Any
Words: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = tuple[int, ...]
Rows: TypeAlias = tuple[tuple[int, ...], ...]
FileName: TypeAlias = str


@dataclass(frozen=True, eq=False)
class Caller:
    """The call that a function answers: where it stands, where its values stand, and what may be spent."""

    place: Place
    values: tuple[Place, ...]
    budget: Budget
    read: Callable[[str, Place], Plan]

    def family(
        self, name: str, sides: Sequence[int], latency: int, routers: int, channels: int, shape: Shape | None = None
    ) -> Plan:
        sides = tuple(sides)
        dimensions = sides[0] if name == "hypercube" else 1 if name == "complete" else len(sides)
        return self.budget.plan(
            self.place, lambda: primitives.family(name, sides, latency), (), routers, channels, dimensions, shape
        )


def settle(budget: Budget, value: Value) -> Plan:
    """The plan of a network, whatever form it has: replacements are carried out, directions forgotten."""
    if isinstance(value, Oriented):
        return value.whole
    if isinstance(value, Replaced):
        a, b = value.skeleton, value.part
        return budget.plan(
            value.place,
            conditions.replaced,
            (a, b),
            a.routers * b.routers,
            a.channels + a.routers * b.channels,
            a.dimensions + b.dimensions,
        )
    assert isinstance(value, Plan)
    return value


def product(budget: Budget, place: Place, name: str, a: Value, b: Value) -> Value:
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
        products.size(name, (one.routers, two.routers), (one.channels, two.channels)),
        one.dimensions + two.dimensions,
    )
    if one is a and two is b:
        return plan
    return budget.plan(place, sets.undirected, (plan,), plan.routers, 2 * plan.channels, plan.dimensions)


def combined(budget: Budget, place: Place, name: str, a: Value, b: Value) -> Plan:
    """Union, intersection, difference, ring sum or join of two operands."""
    one, two = settle(budget, a), settle(budget, b)
    routers, channels = one.routers + two.routers, one.channels + two.channels
    if name in ("intersection", "difference"):
        routers, channels = one.routers, one.channels
    if name == "join":
        channels += 2 * one.routers * two.routers
        return budget.plan(place, sets.join, (one, two), routers, channels)
    if name in ("union", "ring_sum") and one.dimensions and one.dimensions == two.dimensions:
        known = _positions(one), _positions(two)
        if known[0] is not None and known[0] == known[1]:
            routers = one.routers
    make = {
        "union": sets.union,
        "intersection": sets.intersection,
        "difference": sets.difference,
        "ring_sum": sets.ring_sum,
    }[name]
    return budget.plan(place, make, (one, two), routers, channels, one.dimensions)


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
