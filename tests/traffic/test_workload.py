"""The workload counted packet by packet, and patterns by their rates."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot.network.families import complete
from unknot.traffic import Message, Traffic, TrafficClass, pattern
from unknot.traffic.workload import mean_length

MESSAGE = st.builds(Message, st.integers(1, 4), share=st.integers(1, 5), reply=st.integers(0, 3))
MESSAGES = st.lists(MESSAGE, min_size=1)


@given(st.lists(st.tuples(st.integers(1, 5), MESSAGES), min_size=1, max_size=3))
def test_lengths_are_those_of_all_packets(classes: list[tuple[int, list[Message]]]) -> None:
    packets: Counter[int] = Counter()
    for share, messages in classes:
        for one in messages:
            for flits in (one.flits, one.reply):
                packets[flits] += share * one.share  # type: ignore[assignment]
    del packets[0]
    lengths = Traffic(classes=[TrafficClass(share, messages=messages) for share, messages in classes]).lengths
    assert [flits for flits, _ in lengths] == sorted(packets)
    assert [share for _, share in lengths] == pytest.approx([packets[f] / packets.total() for f in sorted(packets)])
    assert mean_length(lengths) == pytest.approx(sum(f * n for f, n in packets.items()) / packets.total())


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=4, max_size=4))
def test_terminals_receive_what_others_send(rows: list[list[int]]) -> None:
    rates = np.array(rows, dtype=float)
    if not rates.any():
        rates[0, 1] = 1
    weighted, other = pattern(complete(4), rates), pattern(complete(4), rates + np.eye(4))
    assert weighted.received is not None
    np.testing.assert_allclose(weighted.received, rates.sum(axis=0) / rates.sum(axis=1).max())
    assert weighted.digest != other.digest
    single = pattern(complete(4), [1, 0, 1, 1])
    assert single.received is not None
    assert single.received.tolist() == [1, 3, 0, 0]
    assert pattern(complete(4), "uniform").received is None
    assert len({pattern(complete(4), one).digest for one in ("uniform", "uniform_others", [1, 0, 1, 1])}) == 3
