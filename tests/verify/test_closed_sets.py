"""Small sets of messages that block each other."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verify.rows import Lists, rows
from unknot.network.families import ring
from unknot.routing import dimension_order
from unknot.verify import dependencies
from unknot.verify.exact import Worm
from unknot.verify.lead_ins import small_closed_set
from unknot.verify.states import Core


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
    vcs, none = np.arange(count, dtype=np.int32), np.empty(0, dtype=np.int32)
    graph = dependencies(dimension_order(ring(4)))
    core = Core(graph, vcs, vcs + 10, np.zeros(count + 1, dtype=np.int64), none, vcs, *rows(waits, np.int32))
    found = small_closed_set(core, np.ones(count, dtype=bool))
    assert found == [Worm(vc + 10, (vc,), tuple(wanted)) for vc, wanted in expected.items()]
