"""Short searches: what is found is checked whole, whatever the time of the search."""

import pytest


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot_collectives.searching.MOST_LOOKS", 10_000_000)
