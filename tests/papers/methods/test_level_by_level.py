"""The published permutation routing of RCBN: right where it ends, and stuck where paths exist."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from unknot_papers.multistage import Realisation, accept, permute
from unknot_papers.rcbn import rcbn

level_by_level = script("methods.level_by_level").level_by_level


@given(st.integers(3, 7), st.integers(0, 2**32 - 1), st.sampled_from(["own", "both"]))
def test_level_by_level_is_right_where_it_ends(n: int, seed: int, on_conflict: str) -> None:
    network = rcbn(1 << n)
    wanted = np.random.default_rng(seed).permutation(1 << n)
    for cases in ((1, 2, 3), (1, 2, 3, 4, 5)):
        paths, stuck = level_by_level(1 << n, wanted, cases=cases, on_conflict=on_conflict)
        assert (paths is None) == bool(stuck)
        if paths is not None:
            ends = np.arange(1 << n, dtype=np.int32)
            accept(Realisation(network, ends, wanted.astype(np.int32), True, "", "", paths))


def test_level_by_level_changes_other_tags_too() -> None:
    """Identity: all primary tags are 00, and two messages of one switch want the same link."""
    assert level_by_level(8, np.arange(8))[0] is not None
    assert level_by_level(16, np.arange(16))[0] is not None


def test_level_by_level_can_get_stuck_where_paths_exist() -> None:
    random = np.random.default_rng(0)
    draws = [random.permutation(16) for _ in range(60)]
    stuck = [wanted for wanted in draws if level_by_level(16, wanted)[0] is None]
    assert stuck
    assert permute(rcbn(16), stuck[0]).realised
    words = level_by_level(16, stuck[0])[1]
    assert "level 2 of 2: no pair of digits is left for input" in words
