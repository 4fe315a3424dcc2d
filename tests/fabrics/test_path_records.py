"""Which path records are asked for, and what is made of the answers; no subnet manager is needed."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest

from tests.fabrics.folders import EXAMPLES
from unknot._base.errors import UnknotError
from unknot.fabrics import read_fabric
from unknot.fabrics.managed.path_records import asking, collect

LEAVES = read_fabric(EXAMPLES / "opensm-leafspine-degraded-ftree")
"""12 leaves with 6 hosts each."""
HOME = {int(lid): int(LEAVES.network.inject[t]) for lid, t in zip(LEAVES.lids, LEAVES.owner, strict=True) if t < 72}


def by_switch(slid: int, dlid: int) -> int:
    return (3 * HOME[slid] + HOME[dlid]) % 7


def by_destination(slid: int, dlid: int) -> int:
    return dlid % 5


def by_pair(slid: int, dlid: int) -> int:
    return (slid + 2 * dlid) % 8


@pytest.mark.parametrize(
    ("levels", "by", "said", "most"),
    [
        (by_switch, "switches", "switches", 12 * 12 + 200),
        (by_destination, "destinations", "destinations", 72 + 200),
        (by_destination, "switches", "pairs", 72 * 71),
        (by_pair, "switches", "pairs", 72 * 71),
        (by_pair, "pairs", "pairs", 72 * 71),
        (lambda s, d: 0, "destinations", "destinations", 72 + 200),
    ],
)
def test_all_levels_with_few_queries(levels: Callable[[int, int], int], by: str, said: str, most: int) -> None:
    queries: list[tuple[int, int]] = []

    def ask(slid: int, dlid: int) -> int:
        queries.append((slid, dlid))
        return levels(slid, dlid)

    collected = collect(LEAVES, ask, by)
    assert collected.by == said
    assert collected.queries == len(queries) <= len(set(queries)) + 200 <= most + 200
    assert collected.unanswered == 0
    assert collected.fabric.levels is not None
    lids = [(i, int(lid)) for i, lid in enumerate(LEAVES.lids) if LEAVES.owner[i] < 72]
    for _, slid in lids:
        for to, dlid in lids:
            if slid != dlid:
                sender = int(LEAVES.owner[LEAVES.lids.tolist().index(slid)])
                assert collected.fabric.levels[sender, to] == levels(slid, dlid)


def test_levels_that_are_drawn_anew_are_all_found() -> None:
    """As DFSSSP does: each query between two switches may give the one level or the next."""
    random = np.random.default_rng(1)
    levels = collect(LEAVES, lambda slid, dlid: 2 * (HOME[dlid] % 3) + int(random.integers(2)))
    assert levels.by == "draws"
    assert levels.queries >= 72 * 71 * 9
    assert len(levels.fabric.more_levels) > 0.98 * 72 * 71
    assert levels.fabric.levels is not None
    for sender, column, level in levels.fabric.more_levels[::97].tolist():
        own = 2 * (int(LEAVES.network.inject[LEAVES.owner[column]]) % 3)
        assert {level, int(levels.fabric.levels[sender, column])} == {own, own + 1}


def test_pairs_without_a_path_are_counted() -> None:
    levels = collect(LEAVES, lambda slid, dlid: None, "destinations")
    assert levels.unanswered == 72 * 71
    assert levels.fabric.levels is not None
    assert np.all(levels.fabric.levels == -1)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(UnknotError, match="unknown way to ask"):
        collect(LEAVES, by_pair, "guesses")
    with (
        asking(os.environ) as ask,
        pytest.raises(UnknotError, match=r"no path records: .*(libibmad|InfiniBand)"),
    ):
        ask(1, 2)
