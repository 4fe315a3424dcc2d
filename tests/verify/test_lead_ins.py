"""A terminal of its own for each VC, against brute force."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from unknot.verify.lead_ins import own_terminals


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
