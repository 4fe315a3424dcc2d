"""Floor plans and bills by hand, and against a count cable by cable."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import NetworkError
from unknot.network import Network, families
from unknot.network.floor_plan import Prices, bill


def test_a_bill_by_hand():
    """Nine groups in 3 × 3 cabinets; each of four switches, 6 cables within, and one to each other group."""
    dragonfly = families.dragonfly(4)
    apart = Counter(abs(a // 3 - b // 3) + abs(a % 3 - b % 3) for a in range(9) for b in range(a))
    assert apart == {1: 12, 2: 14, 3: 8, 4: 2}
    made = bill(dragonfly)
    metres = 54 * 1 + 12 * 3 + 14 * 4 + 8 * 5 + 2 * 6
    assert (made.switches, made.ports, made.cabinets) == (36, 2 * 90 + 72, 9)
    assert (made.electrical, made.optical, made.metres) == (88, 2, metres)
    cables = 88 * 40 + 16 * (metres - 12) + 2 * 376 + 5 * 12
    assert made.cost == 252 * 500 + cables + 72 * 46


def test_one_way_and_parallel_channels_are_cables():
    network = Network("odd", 3, source=[0, 0, 1, 1], target=[1, 1, 0, 2])
    made = bill(network, Prices(cabinet=1))
    assert made.electrical == 3
    assert made.metres == 3 + 3 + 4  # cabinets 0 and 1 in a row, 2 below 0


@given(st.integers(4, 12), st.integers(1, 5), st.integers(0, 9))
def test_lengths_against_a_count(n, cabinet, seed):
    network = families.random_regular(2 * (n // 2), 3, seed=seed)
    place = [r // cabinet for r in range(network.num_routers)]
    side = math.ceil(math.sqrt(place[-1] + 1))
    metres = 0.0
    for a, b in zip(network.source.tolist(), network.target.tolist(), strict=True):
        if a < b:
            (x, y), (u, v) = divmod(place[a], side), divmod(place[b], side)
            metres += 1 if place[a] == place[b] else 2 + abs(x - u) + abs(y - v)
    assert bill(network, Prices(cabinet=cabinet)).metres == pytest.approx(metres)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(NetworkError, match="different switches"):
        bill(families.butterfly(2, 2))
    with pytest.raises(NetworkError, match="port is a number"):
        Prices(port=-1)
    with pytest.raises(NetworkError, match="at least one switch"):
        Prices(cabinet=0)
