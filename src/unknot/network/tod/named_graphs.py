"""Functions of the language that make graphs to begin with, permutations and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from unknot.network.tod.graph import Dimension, Graph, from_network, numbered
from unknot.network.tod.plan import Plan, Shape
from unknot.network.tod.values import Caller, Count, Cycles, FileName, Flag, Numbers, Size, Value, Whole, stepped

MAX_LETTERS = 15
"""Most letters of the permutations of a Cayley graph: their keys fit 63 bits."""


def point(c: Caller) -> Plan:
    return line(c, 1)


def line(c: Caller, k: Size, *, latency: Cycles = 1) -> Plan:
    return stepped(c, Shape("line", k, latency), 2 * (k - 1))


def ring(c: Caller, k: Size, *, latency: Cycles = 1, directed: Flag = False, double: Flag = False) -> Plan:
    shape = Shape("ring", k, latency, directed)
    if directed and double:
        raise c.place.error("a ring is directed or double, not both")
    if double and k == 2:
        # The two ways round are different links.
        dimension = (Dimension(2, straight=True),)
        return c.budget.made(
            c.place, Graph(numbered(2), dimension, np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), latency), shape
        )
    return stepped(c, shape, k if directed else 2 * k if k > 2 else 2 * (k - 1))


def _family(c: Caller, name: str, sides: Sequence[int], latency: int, routers: int, channels: int) -> Plan:
    dimensions = sides[0] if name == "hypercube" else 1 if name == "complete" else len(sides)

    def make() -> Graph:
        from unknot.network import families

        return from_network(getattr(families, name)(*sides, latency=latency), straight=name == "hypercube")

    return c.budget.plan(c.place, make, (), routers, channels, dimensions)


def complete(c: Caller, n: Size, *, latency: Cycles = 1) -> Plan:
    return _family(c, "complete", (n,), latency, n, n * (n - 1))


def star(c: Caller, leaves: Count, *, latency: Cycles = 1) -> Plan:
    return tree(c, leaves, 1, latency=latency)


def tree(c: Caller, arity: Size, depth: Count, *, latency: Cycles = 1) -> Plan:
    routers = _tree_size(arity, depth)
    return c.budget.plan(c.place, lambda: _tree(arity, routers, latency), (), routers, 2 * (routers - 1))


def _tree(arity: int, routers: int, latency: int) -> Graph:
    """The complete tree: router 0 is the root, the children of router r are arity · r + 1, …, level by level."""
    child = np.arange(1, routers)
    parent = (child - 1) // arity
    dimension = (Dimension(routers),)
    source, target = np.concatenate([parent, child]), np.concatenate([child, parent])
    return Graph(numbered(routers), dimension, source, target, latency).ordered


def _tree_size(arity: int, depth: int) -> int:
    """Number of routers of the complete tree; numbers past 2**63 stand for any that are too big."""
    return depth + 1 if arity == 1 else sum(arity**level for level in range(min(depth, 64) + 1))


def mesh(c: Caller, *sides: Size, latency: Cycles = 1) -> Plan:
    return _family(c, "mesh", sides, latency, _product(sides), 2 * sum(_product(sides) // k * (k - 1) for k in sides))


def torus(c: Caller, *sides: Size, latency: Cycles = 1) -> Plan:
    routers = _product(sides)
    return _family(c, "torus", sides, latency, routers, sum(routers * min(2, k - 1) for k in sides))


def hypercube(c: Caller, n: Count, *, latency: Cycles = 1) -> Plan:
    routers = 2 ** min(n, 64)
    return _family(c, "hypercube", (n,), latency, routers, routers * n)


def cayley(c: Caller, *generators: Numbers, latency: Cycles = 1) -> Plan:
    """The Cayley graph of the group that some permutations generate.

    Routers are the permutations p of the group, each letter a coordinate; p has a channel to p∘g for each generator
    g, to the permutation whose letter i is letter g[i] of p.
    """
    from unknot.network.families.small_graphs import generated

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

    if letters > MAX_LETTERS:
        raise c.place.error(f"permutations of {letters} letters; the limit is {MAX_LETTERS}")
    known, target = generated(letters, generators, afford)
    source = np.repeat(np.arange(len(known)), moves)
    made = Graph(known, tuple(Dimension(letters) for _ in range(letters)), source, target, latency)
    return c.budget.made(c.place, made)


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
    extreme = reduce(function, numbers)
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
    if n > MAX_LETTERS:
        raise c.values[0].error(f"permutations of {n} letters; the limit is {MAX_LETTERS}")
    for i in at:
        if i >= n:
            raise c.place.error(
                f"{c.place.text}: a permutation of {n} letters has no letter {i}; they are 0 to {n - 1}"
            )
    return n


def _product(sides: Sequence[int]) -> int:
    return reduce(lambda total, side: min(total * side, 2**80), sides, 1)
