"""Small sets of messages that block each other."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verify.rows import Lists, rows
from unknot.verify.exact_model import Worm
from unknot.verify.lead_ins import small_closed_set
from unknot.verify.remainder import heads_alone


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
    found = small_closed_set(heads_alone(vcs, vcs + 10, vcs, *rows(waits, np.int64)))
    assert found == [Worm(vc + 10, (vc,), tuple(wanted)) for vc, wanted in expected.items()]
