"""Every packet has the very steps of BookSim, by its own routing functions on its own networks.

`python -m benchmarks.booksim_routes CLONE` records them again.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.booksim.files import understood
from tests.booksim.steps import CASES, steps, summary

RECORDED = json.loads((Path(__file__).parents[1] / "cases" / "booksim_routes.json").read_text(encoding="utf-8"))


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("keys", CASES)
def test_steps_are_those_of_booksim(keys: str, tmp_path: Path) -> None:
    relation = understood(tmp_path, *keys.split(";"), faithful=True).relation
    network = relation.network
    channels = zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True)
    homes = zip(range(network.num_terminals), network.inject.tolist(), network.eject.tolist(), strict=True)
    assert summary(steps(relation), channels, homes) == RECORDED[keys]
