"""Graphs to begin with, made by `unknot.network.families` or here, on arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unknot.network.tod.graph import Dimension, Graph, from_network, graph, numbered
from unknot.network.tod.syntax import MisfitError

MAX_LETTERS = 15
"""Most letters of the permutations of a Cayley graph: their keys fit 63 bits."""


def family(name: str, sides: tuple[int, ...], latency: int) -> Graph:
    """A family of `unknot.network.families`, called by name."""
    from unknot.network import families as topologies

    network = getattr(topologies, name)(*sides, latency=latency)
    return from_network(network, straight=name == "hypercube")


def one_way_ring(k: int, latency: int) -> Graph:
    """A ring with channels upward only; a ring of one router has none."""
    here = np.arange(k if k > 1 else 0)
    return graph(numbered(k), (Dimension(k, straight=True),), here, (here + 1) % k, latency)


def double_ring(k: int, latency: int) -> Graph:
    """A ring in which the two ways round are different links even if there are only two routers."""
    if k != 2:
        return family("ring", (k,), latency)
    return graph(numbered(2), (Dimension(2, straight=True),), [0, 0, 1, 1], [1, 1, 0, 0], latency)


def star(leaves: int, latency: int) -> Graph:
    """Router 0 linked to `leaves` others."""
    return tree(leaves, 1, latency)


def tree(arity: int, depth: int, latency: int) -> Graph:
    """The complete tree: router 0 is the root, the children of router r are arity · r + 1, …, level by level."""
    routers = tree_size(arity, depth)
    child = np.arange(1, routers)
    parent = (child - 1) // arity
    dimension = (Dimension(routers),)
    source, target = np.concatenate([parent, child]), np.concatenate([child, parent])
    return graph(numbered(routers), dimension, source, target, latency).ordered


def tree_size(arity: int, depth: int) -> int:
    """Number of routers of the complete tree; numbers past 2**63 stand for any that are too big."""
    if arity == 1:
        return depth + 1
    total = level = 1
    for _ in range(min(depth, 64)):
        level *= arity
        total += level
    return total


def cayley(generators: list[tuple[int, ...]], latency: int, afford: Callable[[int], None]) -> Graph:
    """The Cayley graph of the group that some permutations generate.

    Routers are the permutations p of the group, each letter a coordinate; p has a channel to p∘g for each generator
    g, to the permutation whose letter i is letter g[i] of p.

    Parameters
    ----------
    generators : list of permutations of 0 … n − 1
    afford : callable
        Called with the number of routers found so far, before more are looked for; raises when they are too many.
    """
    from unknot.network.families.small_graphs import generated

    letters = len(generators[0])
    if letters > MAX_LETTERS:
        raise MisfitError(f"permutations of {letters} letters; the limit is {MAX_LETTERS}")
    known, target = generated(letters, generators, afford)
    source = np.repeat(np.arange(len(known)), len(generators))
    return graph(known, tuple(Dimension(letters) for _ in range(letters)), source, target, latency)
