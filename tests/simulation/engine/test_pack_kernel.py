"""Counters in planes against counters in an array."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation.engine.pack_kernel import count_arrivals, count_departures, flits_in, free_slots, with_slots
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.view_kernel import view


@njit
def play(raw, word, steps, counts, number):  # type: ignore[no-untyped-def]
    """Count what each step says: flits and credits that come, flits that leave and slots that they take.

    Returns which outputs have at least a number of slots.
    """
    s = view(raw)
    for flits, returned, sent, taken in steps:
        count_arrivals(s, word, flits, returned)
        s.masks.filled[word] |= flits
        s.masks.room[word] |= returned
        left, full = count_departures(s, word, sent, taken)
        s.masks.filled[word] &= left | ~sent
        s.masks.room[word] ^= full
    for cell in range(64):
        counts[0, cell], counts[1, cell] = flits_in(s, word, cell), free_slots(s, word, cell)
    return with_slots(s, word, number)


def bits(flags: np.ndarray) -> int:
    return int(np.packbits(flags, bitorder="little").view(np.int64)[0])


@given(depth=st.sampled_from([1, 2, 3, 8, 15, 16, 300]), seed=st.integers(0, 2**31), steps=st.integers(1, 40))
def test_planes_count_like_an_array(depth: int, seed: int, steps: int) -> None:
    random = np.random.default_rng(seed)
    counts = np.zeros((2, 64), dtype=np.int64)  # flits, and free slots
    masks = [[0, -1, 0, 0]] * depth  # credits for all slots, as of an empty router
    counts[1] = depth
    for _ in range(steps):
        flits, returned = (random.random((2, 64)) < 0.7) & (counts < depth)
        counts += [flits, returned]
        sent, taken = (random.random((2, 64)) < 0.4) & (counts > 0)
        counts -= [sent, taken]
        masks.append([bits(flits), bits(returned), bits(sent), bits(taken)])
    relation = dimension_order(mesh(2, 2))
    engine = engine_of(relation, "wormhole", Sources(0.0, uniform(relation), 1), buffer_depth=depth, seed=0)
    found, number = np.zeros((2, 64), dtype=np.int64), int(random.integers(1, depth + 1))
    enough = play(engine.parts[0].raw, 2, np.array(masks), found, number)
    assert found.tolist() == counts.tolist()
    assert enough == bits(counts[1] >= number)
    planes = engine.parts[0].planes
    assert not planes.reshape(4, -1)[[0, 1, 3]].any(), "counters of other words"
