"""The worst permutation, against all permutations of small networks."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot._base.memory import SizeError
from unknot.network import families
from unknot.routing import dimension_order, fully_adaptive, nca, shortest_paths, up_down
from unknot.verify.loads import loads
from unknot.verify.permutations import worst_permutation


def holds(worst, relation) -> None:
    """Whether prices meet every pair's load on the busiest channel, and the permutation loads it so."""
    many, channel = relation.network.num_terminals, worst.channel
    for source in range(many):
        for home in range(many):
            if source == home:
                continue
            alone = np.zeros((many, many))
            alone[source, home] = 1
            share = loads(relation, alone).channel[channel] / relation.network.bandwidth[channel]
            assert worst.sender_price[source] + worst.receiver_price[home] >= share - 1e-9
    assert min(worst.sender_price.min(), worst.receiver_price.min()) >= -1e-9
    assert np.isclose(worst.sender_price.sum() + worst.receiver_price.sum(), worst.load)
    sends = np.zeros((many, many))
    talks = worst.destination >= 0
    sends[np.flatnonzero(talks), worst.destination[talks]] = 1
    assert sends.sum(axis=0).max() <= 1
    assert np.isclose(loads(relation, sends).highest, worst.load)


@pytest.mark.long
@given(st.sampled_from([4, 6]), st.integers(0, 999), st.sampled_from([shortest_paths, fully_adaptive, up_down]))
@settings(max_examples=8, deadline=None)
def test_no_permutation_of_a_small_network_is_worse(n, seed, routing):
    relation = routing(families.random_regular(n, 3, seed=seed + 1))
    worst = worst_permutation(relation)
    highest = max(loads(relation, list(pi)).highest for pi in permutations(range(n)))
    assert np.isclose(worst.load, highest)
    holds(worst, relation)


@pytest.mark.parametrize(
    "relation",
    [nca(families.fat_tree(3, 2)), dimension_order(families.mesh(3, 3)), fully_adaptive(families.torus(3, 4))],
    ids=lambda one: one.network.name,
)
def test_prices_prove_the_worst(relation):
    holds(worst_permutation(relation), relation)


def test_channels_of_less_bandwidth_count_for_more():
    ring = families.ring(5)
    slow = replace(ring, wires=replace(ring.wires, bandwidth=[0.5] + [1.0] * 9))
    assert worst_permutation(shortest_paths(slow)).channel == 0
    assert worst_permutation(shortest_paths(slow)).load == 2 * worst_permutation(shortest_paths(ring)).load


def test_memory_is_estimated(monkeypatch):
    monkeypatch.setattr("unknot.verify.pair_shares.ENTRY", 10**12)
    with pytest.raises(SizeError):
        worst_permutation(fully_adaptive(families.mesh(3, 3)))


def test_channels_that_are_alike_take_the_prices_of_one(monkeypatch):
    assign, solved = scipy.optimize.linear_sum_assignment, []
    monkeypatch.setattr(scipy.optimize, "linear_sum_assignment", lambda *a, **k: solved.append(1) or assign(*a, **k))
    relation = fully_adaptive(families.torus(4, 4))
    alike = worst_permutation(relation)
    few = len(solved)
    monkeypatch.setattr("unknot.verify.permutations._KnownPrices.bound", lambda *_: np.inf)
    each = worst_permutation(relation)
    assert (alike.load, alike.channel) == (each.load, each.channel)
    assert few <= 4
    assert len(solved) - few == relation.network.num_channels
