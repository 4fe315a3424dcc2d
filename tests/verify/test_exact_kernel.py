"""The lightest closed walk of a given number of steps, compared with every such walk."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unknot.verify.exact_kernel import round_trip

Edges = dict[tuple[int, int], int]
NODES = 4


def walks(edges: Edges, walk: tuple[int, ...], steps: int) -> list[tuple[int, ...]]:
    if not steps:
        return [walk] if (walk[-1], walk[0]) in edges else []
    return [found for u, v in edges if u == walk[-1] for found in walks(edges, (*walk, v), steps - 1)]


@given(st.randoms(use_true_random=True), st.integers(1, 4))
def test_the_lightest_closed_walk(rng: random.Random, steps: int) -> None:
    """From its lowest node."""
    edges = {divmod(i, NODES): rng.randint(1, 9) for i in range(NODES**2) if rng.random() < 0.5}
    ordered = sorted(edges)
    first = np.searchsorted([u for u, _ in ordered], np.arange(NODES + 1)).astype(np.int64)
    target = np.array([v for _, v in ordered], dtype=np.int64)
    weight = np.array([edges[edge] for edge in ordered], dtype=np.int64)
    walk = np.full(steps, -1, dtype=np.int64)
    found = round_trip(first, target, weight, steps, walk)

    def heavy(nodes: tuple[int, ...]) -> int:
        return sum(edges[u, v] for u, v in zip(nodes, (*nodes[1:], nodes[0]), strict=True))

    every = [one for start in range(NODES) for one in walks(edges, (start,), steps - 1)]
    assert found == min(map(heavy, every), default=-1)
    if every:
        assert tuple(walk.tolist()) in every
        assert walk[0] == walk.min()
        assert heavy(tuple(walk.tolist())) == found
