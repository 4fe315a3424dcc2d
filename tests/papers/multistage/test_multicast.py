"""Multicast against trying every set of trees, and fractions of permutations."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import multistage as naive
from unknot.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.topologies import benes, clos, omega
from unknot_papers.multistage.fraction import Fraction, realisable_fraction
from unknot_papers.multistage.multicast import accept_trees, multicast
from unknot_papers.rcbn import composite_banyan, rcbn


def possible(network: Network, requests: dict[int, tuple[int, ...]]) -> bool:
    """One path for every output; paths of one input may share links but must not meet again once they have parted."""
    wanted = [(s, d) for s, outputs in requests.items() for d in outputs]

    def trees(index: int, owner: dict[int, int], into: dict[tuple[int, int], int]) -> bool:
        if index == len(wanted):
            return True
        s, d = wanted[index]
        for path in naive.paths(network, s, d):
            ends = {(s, int(network.target[c])): c for c in path}
            if all(owner.get(c, s) == s for c in path) and all(into.get(k, c) == c for k, c in ends.items()):
                new = owner | dict.fromkeys(path, s), into | ends
                if trees(index + 1, *new):
                    return True
        return False

    return trees(0, {}, {})


@given(st.integers(0, 2**32 - 1), st.sampled_from([rcbn(8), omega(8), benes(4), clos(2, 2, 2), composite_banyan(4)]))
@settings(max_examples=40)
def test_multicast_agrees_with_every_set_of_trees(seed: int, network: Network) -> None:
    random = np.random.default_rng(seed)
    size = network.num_terminals
    owner = random.integers(0, size + 3, size)
    requests = {s: tuple(np.flatnonzero(owner == s).tolist()) for s in range(size) if (owner == s).any()}
    found = multicast(network, requests)
    accept_trees(found)
    assert found.realised is possible(network, requests)


def test_broadcast_passes_every_network() -> None:
    for network in (rcbn(16), omega(16), benes(8), clos(1, 2, 3)):
        found = multicast(network, {1: range(network.num_terminals)})
        assert found.realised
        accept_trees(found)


def test_permutations_are_the_case_of_one_output_each() -> None:
    assert multicast(rcbn(16), {s: [15 - s] for s in range(16)}).realised
    assert multicast(omega(8), {0: [0], 4: [1]}).realised is False


def test_multicast_errors_and_forgeries() -> None:
    with pytest.raises(UnknotError, match="inputs t0 and t3 ask for the same output t1"):
        multicast(rcbn(8), {0: [1, 2], 3: [1]})
    with pytest.raises(NetworkError, match="no terminal 8"):
        multicast(rcbn(8), {0: [8]})
    found = multicast(rcbn(8), {0: [0, 5], 1: [1]})
    less = {0: found.channels[0][:1], 1: found.channels[1]}
    loose = {0: found.channels[0][1:], 1: found.channels[1]}
    both = {0: found.channels[0], 1: found.channels[0]}
    for channels, message in ((less, "is not reached"), (loose, "hangs in the air"), (both, "two inputs use")):
        with pytest.raises(NetworkError, match=message):
            accept_trees(dataclasses.replace(found, channels=channels))


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_intervals_of_fractions_are_wilsons(tried: int, share: float) -> None:
    from scipy.stats import binomtest  # takes a second to import

    realised = round(share * tried)
    expected = binomtest(realised, tried).proportion_ci(0.95, "wilson")
    assert Fraction(realised, tried, False).interval == pytest.approx((expected.low, expected.high), abs=1e-7)
    assert Fraction(realised, tried, True).interval == (realised / tried, realised / tried)


def test_fractions() -> None:
    assert realisable_fraction(omega(4)) == Fraction(16, 24, True)
    assert str(realisable_fraction(omega(4))) == "16 of 24 (66.7%)"
    drawn = realisable_fraction(omega(8), samples=2000, seed=2)
    low, high = drawn.interval
    assert low < 4096 / 40320 < high
    assert "of 2000 drawn (" in str(drawn)
    assert realisable_fraction(rcbn(64), samples=5) == Fraction(5, 5, False)
    assert realisable_fraction(rcbn(8), samples=20, busy=0.5) == Fraction(20, 20, False)
    few, many = (realisable_fraction(omega(16), samples=200, busy=busy).share for busy in (0.2, 0.5))
    assert many < few < 1
    with pytest.raises(UnknotError, match="a number from 0 to 1, got 2"):
        realisable_fraction(omega(8), samples=1, busy=2)
    with pytest.raises(UnknotError, match="ask for samples"):
        realisable_fraction(rcbn(16))
    with pytest.raises(UnknotError, match="at least 1"):
        realisable_fraction(rcbn(16), samples=0)


def test_banyans_realise_one_permutation_for_every_setting_of_their_switches() -> None:
    for size in (2, 4, 8):
        n = size.bit_length() - 1
        assert realisable_fraction(omega(size)).realised == 2 ** (size // 2 * n)
    small = [list(p) for p in itertools.permutations(range(4))]
    assert sum(naive.realisable(omega(4), p) for p in small) == 16
