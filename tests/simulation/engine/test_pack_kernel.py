"""Counters in planes against counters in an array."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from tests.reference.uniform_pairs import uniform
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.pack_kernel import FLITS, SLOTS, add, at_least, counted, subtract
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.view_kernel import view


@njit
def play(raw, word, steps, counts, left, number):  # type: ignore[no-untyped-def]
    """Add the first two masks of each step and subtract the others; the counts after all, and where some are left.

    Returns where the first counts are at least a number.
    """
    s = view(raw)
    for up, more, down, less in steps:
        add(s, word, FLITS, up)
        add(s, word, SLOTS, more)
        left[FLITS], left[SLOTS] = subtract(s, word, down, less)
    for cell in range(64):
        counts[FLITS, cell], counts[SLOTS, cell] = counted(s, word, FLITS, cell), counted(s, word, SLOTS, cell)
    return at_least(s, word, FLITS, number)


def bits(flags: np.ndarray) -> int:
    return int(np.packbits(flags, bitorder="little").view(np.int64)[0])


@given(depth=st.sampled_from([1, 2, 3, 8, 15, 16, 300]), seed=st.integers(0, 2**31), steps=st.integers(1, 40))
def test_planes_count_like_an_array(depth: int, seed: int, steps: int) -> None:
    random = np.random.default_rng(seed)
    counts = np.zeros((2, 64), dtype=np.int64)
    masks = []
    for _ in range(steps):
        ups = (random.random((2, 64)) < 0.7) & (counts < depth)
        counts += ups
        downs = (random.random((2, 64)) < 0.4) & (counts > 0)
        counts -= downs
        masks.append([bits(ups[0]), bits(ups[1]), bits(downs[0]), bits(downs[1])])
    relation = dimension_order(mesh(2, 2))
    engine = Engine(relation, "wormhole", Sources(0.0, uniform(relation), 1), buffer_depth=depth, seed=0)
    found, left = np.zeros((2, 64), dtype=np.int64), np.zeros(2, dtype=np.int64)
    number = int(random.integers(0, depth + 1))
    enough = play(engine.parts[0].raw, 2, np.array(masks), found, left, number)
    assert enough == bits(counts[FLITS] >= number)
    assert found.tolist() == counts.tolist()
    assert left.tolist() == [bits(counts[FLITS] > 0), bits(counts[SLOTS] > 0)]
    other = engine.parts[0].planes.reshape(4, -1)[[0, 1, 3]]
    assert not other.any(), "counters of other words"
