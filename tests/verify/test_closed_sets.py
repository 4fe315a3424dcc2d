"""Small sets of messages that block each other; a terminal of its own for each VC, against brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.rows import Lists, rows
from unknot.verify.closed_sets import own_terminals, small_closed_set
from unknot.verify.exact_model import Worm
from unknot.verify.waiting import BlockedHeads


@pytest.mark.parametrize(
    ("waits", "expected"),
    [
        ([[1], [1]], {1: [1]}),
        ([[0], [0]], {0: [0]}),
        ([[1], [3], [1], [3, 4], [3]], {3: [3, 4], 4: [3]}),
        ([[1], [2], [0], [3]], {3: [3]}),
    ],
)
def test_every_vc_is_begun_with(waits: Lists, expected: dict[int, list[int]]) -> None:
    """One head on each VC, of an address 10 above it; the smallest set is found from some VCs only."""
    count = len(waits)
    vcs = np.arange(count)
    found = small_closed_set(BlockedHeads(vcs, vcs + 10, rows(waits, np.int64)))
    assert found == [Worm(vc + 10, (vc,), tuple(wanted)) for vc, wanted in expected.items()]


@given(st.lists(st.sets(st.integers(3, 7), max_size=3), max_size=5))
def test_terminals_of_their_own_are_found_where_there_are_some(doors: list[set[int]]) -> None:
    chosen = own_terminals(doors)
    exists = any(len({*choice}) == len(doors) for choice in product(*doors))
    assert len({*chosen}) == len(chosen) == (len(doors) if exists else 0)
    assert all(terminal in door for terminal, door in zip(chosen, doors, strict=False))


def test_the_first_free_terminal_may_be_needed_elsewhere() -> None:
    assert own_terminals([{5, 9}, {5}]) == [9, 5]
    assert own_terminals([{5, 9}, {5}, {9}]) == []
    assert own_terminals([{9, 5}, {5, 9}]) == [5, 9]
