"""Functions of the language that make graphs to begin with, permutations and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unknot.network.tod import primitives
from unknot.network.tod.plan import Plan, Shape
from unknot.network.tod.syntax import MisfitError
from unknot.network.tod.values import Caller, Count, Cycles, FileName, Flag, Numbers, Size, Value, Whole


def point(c: Caller) -> Plan:
    return line(c, 1)


def line(c: Caller, k: Size, *, latency: Cycles = 1) -> Plan:
    return c.family("line", (k,), latency, k, 2 * (k - 1), Shape("line", k, latency))


def ring(c: Caller, k: Size, *, latency: Cycles = 1, directed: Flag = False, double: Flag = False) -> Plan:
    shape = Shape("ring", k, latency, directed)
    if directed and double:
        raise c.place.error("a ring is directed or double, not both")
    if directed:
        return c.budget.plan(c.place, lambda: primitives.one_way_ring(k, latency), (), k, k, 1, shape)
    if double:
        return c.budget.plan(c.place, lambda: primitives.double_ring(k, latency), (), k, 2 * k, 1, shape)
    return c.family("ring", (k,), latency, k, 2 * k if k > 2 else 2 * (k - 1), shape)


def complete(c: Caller, n: Size, *, latency: Cycles = 1) -> Plan:
    return c.family("complete", (n,), latency, n, n * (n - 1))


def star(c: Caller, leaves: Count, *, latency: Cycles = 1) -> Plan:
    return c.budget.plan(c.place, lambda: primitives.star(leaves, latency), (), leaves + 1, 2 * leaves)


def tree(c: Caller, arity: Size, depth: Count, *, latency: Cycles = 1) -> Plan:
    routers = primitives.tree_size(arity, depth)
    return c.budget.plan(c.place, lambda: primitives.tree(arity, depth, latency), (), routers, 2 * (routers - 1))


def mesh(c: Caller, *sides: Size, latency: Cycles = 1) -> Plan:
    return c.family("mesh", sides, latency, _product(sides), 2 * sum(_product(sides) // k * (k - 1) for k in sides))


def torus(c: Caller, *sides: Size, latency: Cycles = 1) -> Plan:
    routers = _product(sides)
    return c.family("torus", sides, latency, routers, sum(routers * min(2, k - 1) for k in sides))


def hypercube(c: Caller, n: Count, *, latency: Cycles = 1) -> Plan:
    routers = 2 ** min(n, 64)
    return c.family("hypercube", (n,), latency, routers, routers * n)


def cayley(c: Caller, *generators: Numbers, latency: Cycles = 1) -> Plan:
    if not generators:
        raise c.place.error("cayley needs at least one permutation, as in cayley([1,0,2], [2,1,0])")
    for generator, place in zip(generators, c.values, strict=False):
        if sorted(generator) != list(range(len(generator))):
            raise place.error(f"{place.text} is no permutation: each of 0 … n − 1 stands in it once, as in [1, 0, 2]")
        if len(generator) != len(generators[0]):
            raise place.error(
                f"this permutation has {len(generator)} letters, but the first one has {len(generators[0])}"
            )
    letters, moves = len(generators[0]), len(generators)

    def afford(routers: int) -> None:
        c.budget.fits(c.place, routers, routers * moves, letters)

    try:
        made = primitives.cayley(list(generators), latency, afford)
    except MisfitError as error:
        raise c.place.error(str(error)) from error
    return c.budget.plan(c.place, lambda: made, (), made.routers, made.channels, letters)


def file(c: Caller, path: FileName) -> Plan:
    return c.read(path, c.place)


def least(c: Caller, *numbers: Whole) -> Value:
    return _extreme(c, numbers, np.minimum, "min")


def greatest(c: Caller, *numbers: Whole) -> Value:
    return _extreme(c, numbers, np.maximum, "max")


def absolute(c: Caller, number: Whole) -> Value:
    return abs(number)


def _extreme(c: Caller, numbers: tuple[Value, ...], function: Callable[..., Any], name: str) -> Value:
    if not numbers:
        raise c.place.error(f"{name} takes at least one number")
    extreme = numbers[0]
    for number in numbers[1:]:
        extreme = function(extreme, number)
    return int(extreme) if np.ndim(extreme) == 0 else extreme


def swap(c: Caller, n: Size, i: Count, j: Count) -> Numbers:
    letters = list(range(_letters(c, n, i, j)))
    letters[i], letters[j] = letters[j], letters[i]
    return tuple(letters)


def flip(c: Caller, n: Size, length: Count) -> Numbers:
    letters = list(range(_letters(c, n, length - 1)))
    return tuple(letters[:length][::-1] + letters[length:])


def shift(c: Caller, n: Size, by: Count = 1) -> Numbers:
    letters = list(range(_letters(c, n)))
    return tuple(letters[by % n :] + letters[: by % n])


def _letters(c: Caller, n: int, *at: int) -> int:
    if n > primitives.MAX_LETTERS:
        raise c.values[0].error(f"permutations of {n} letters; the limit is {primitives.MAX_LETTERS}")
    for i in at:
        if i >= n:
            raise c.place.error(
                f"{c.place.text}: a permutation of {n} letters has no letter {i}; they are 0 to {n - 1}"
            )
    return n


def _product(sides: Sequence[int]) -> int:
    total = 1
    for side in sides:
        total = min(total * side, 2**80)
    return total
