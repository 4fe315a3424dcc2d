"""The search of states, its number of states and its time."""

from __future__ import annotations

from collections.abc import Iterator

from unknot.verify.explorer import explored


def _endless(state: int) -> Iterator[tuple[str, int]]:
    yield "up", state + 1


def test_the_fewest_moves_lead_to_the_end() -> None:
    outcome = explored(0, lambda state: [("one", state + 1), ("three", state + 3)], lambda state: state == 7, 1000)
    assert outcome.run is not None
    assert sorted(outcome.run) == ["one", "three", "three"]


def test_a_search_ends_at_its_number_of_states_and_at_its_time() -> None:
    outcome = explored(0, _endless, lambda state: False, 10)
    assert (outcome.complete, outcome.states) == (False, 11)
    outcome = explored(0, _endless, lambda state: False, 10_000, end=float("-inf"))
    assert not outcome.complete
    assert outcome.states <= 64
    assert explored(0, lambda state: [("on", (state + 1) % 500)], lambda state: False, 10_000).complete


def test_states_without_a_way_back() -> None:
    assert explored(0, lambda state: [("on", (state + 1) % 5)], lambda state: False, 100).returns
    assert not explored(0, lambda state: [("on", min(state + 1, 4))], lambda state: False, 100).returns
