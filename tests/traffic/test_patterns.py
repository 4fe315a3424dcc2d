"""Traffic patterns against their definitions on small networks."""

from __future__ import annotations

from itertools import permutations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import SimulationError, TextError
from unknot.network import families as topologies
from unknot.traffic import TrafficClass, TrafficError, pattern, patterns
from unknot.traffic.patterns import matching
from unknot.traffic.workload import HIGHEST_PRIORITY

BITS = ("bit_complement", "bit_reverse", "shuffle", "transpose")


def words(value: int, bits: int) -> str:
    return format(value, f"0{bits}b")


@pytest.mark.parametrize("bits", [2, 4, 6])
def test_patterns_on_bits(bits):
    network = topologies.complete(1 << bits)
    want = {
        "bit_complement": lambda w: w.translate(str.maketrans("01", "10")),
        "bit_reverse": lambda w: w[::-1],
        "shuffle": lambda w: w[1:] + w[0],
        "transpose": lambda w: w[bits // 2 :] + w[: bits // 2],
    }
    for name in BITS:
        destinations = pattern(network, name).destination.tolist()
        assert destinations == [int(want[name](words(s, bits)), 2) for s in range(1 << bits)], name


def test_patterns_on_digits():
    network = topologies.torus(8, 8)
    at = {tuple(c): i for i, c in enumerate(network.coordinates.tolist())}
    for name, step in (("tornado", 3), ("neighbour", 1)):
        destinations = pattern(network, name).destination.tolist()
        for (x, y), i in at.items():
            assert destinations[i] == at[(x + step) % 8, (y + step) % 8]
    transposed = pattern(network, "transpose").destination.tolist()
    assert all(transposed[i] == at[y, x] for (x, y), i in at.items())
    assert pattern(topologies.mesh(6, 6), "transpose").destination.tolist()[1] == 6
    assert pattern(topologies.mesh(5, 3), "tornado").destination.tolist()[0] == 2 + 5 * 1
    assert pattern(topologies.complete(5), "neighbour").destination.tolist() == [1, 2, 3, 4, 0]


@given(st.integers(2, 40), st.integers(0, 1000))
def test_a_permutation_is_one_and_depends_on_its_seed_alone(n, seed):
    network = topologies.complete(n)
    destinations = pattern(network, f"permutation(seed={seed})").destination
    assert sorted(destinations.tolist()) == list(range(n))
    assert (destinations == pattern(network, f"permutation({seed})").destination).all()


def test_a_hotspot_takes_its_share():
    weight = pattern(topologies.complete(10), "hotspot([2, 7], share=0.4)").weight
    assert np.allclose(weight.sum(axis=1), 1)
    assert np.allclose(weight[:, [2, 7]], 0.2 + 0.06)
    assert np.allclose(np.delete(weight, [2, 7], axis=1), 0.06)


def test_arrays_and_functions_are_traffic():
    network = topologies.complete(4)
    assert pattern(network, [1, 2, 3, -1]).destination.tolist() == [1, 2, 3, -1]
    assert pattern(network, lambda t: (t + 2) % 4).destination.tolist() == [2, 3, 0, 1]
    matrix = np.arange(16).reshape(4, 4)
    assert (pattern(network, matrix).weight == matrix).all()
    assert (pattern(network, lambda t: matrix[t]).weight == matrix).all()
    ready = pattern(network, "uniform_others")
    assert pattern(network, ready) is ready
    assert not ready.itself


def test_every_pattern_is_known_by_name():
    assert set(patterns()) == {
        *BITS, "uniform", "uniform_others", "tornado", "neighbour", "permutation", "hotspot",
        "next_group", "bad_dragon", "longest_matching",
    }  # fmt: skip
    for name in patterns():
        network = topologies.dragonfly(4) if name in ("next_group", "bad_dragon") else topologies.mesh(4, 4)
        assert pattern(network, name).name.startswith(name)


@pytest.mark.parametrize("network", [topologies.dragonfly(4), topologies.dragonfly_plus(2)], ids=lambda n: n.name)
def test_groups_send_to_the_next_one(network):
    group = network.coordinates[network.inject, 0]
    groups = group.max() + 1
    seats = pattern(network, "next_group").destination
    assert sorted(seats.tolist()) == list(range(network.num_terminals))
    assert (group[seats] == (group + 1) % groups).all()
    weight = pattern(network, "bad_dragon").weight
    assert np.allclose(weight.sum(axis=1), 1)
    assert ((weight > 0) == (group[None, :] == (group[:, None] + 1) % groups)).all()


@given(st.integers(2, 6), st.integers(0, 50))
def test_no_permutation_has_longer_paths_than_the_longest_matching(n, seed):
    network = topologies.irregular(n, 3, 1, seed=seed) if n > 3 else topologies.line(n)
    chosen = pattern(network, "longest_matching").destination.tolist()
    assert sorted(chosen) == list(range(network.num_terminals))
    graph = network.to_networkx()
    hops = dict(networkx.all_pairs_shortest_path_length(graph))
    ends = network.inject.tolist()
    lengths = [sum(hops[ends[a]][ends[b]] for a, b in enumerate(to)) for to in permutations(range(len(ends)))]
    assert sum(hops[ends[a]][ends[b]] for a, b in enumerate(chosen)) == max(lengths)


@given(st.integers(4, 6), st.integers(0, 50), st.data())
def test_no_permutation_has_more_paths_across_a_split_or_longer_ones(n, seed, data):
    network = topologies.irregular(n, 3, 1, seed=seed)
    side = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    hops = dict(networkx.all_pairs_shortest_path_length(network.to_networkx()))
    ends = network.inject.tolist()

    def worth(to):
        pairs = [(ends[a], ends[b]) for a, b in enumerate(to)]
        return sum(side[a] != side[b] for a, b in pairs), sum(hops[a][b] for a, b in pairs)

    chosen = matching(network, "crossing", side).destination.tolist()
    assert worth(chosen) == max(map(worth, permutations(range(n))))


@pytest.mark.parametrize("priority", [-1, HIGHEST_PRIORITY + 1, 0.5, "1"])
def test_priorities_of_classes_are_whole_numbers_from_0(priority):
    assert [TrafficClass(priority=fine).priority for fine in (0, HIGHEST_PRIORITY)] == [0, HIGHEST_PRIORITY]
    with pytest.raises(SimulationError, match="traffic class: priority"):
        TrafficClass(priority=priority)


@pytest.mark.parametrize(
    ("traffic", "error", "text"),
    [
        ("transpos", TextError, "did you mean transpose"),
        ("hotspot(9)", TrafficError, "0 to 4"),
        ("hotspot(share=2)", TrafficError, "from 0 to 1"),
        ("hotspot(share=0.1, at=2)", TextError, "no option 'at'"),
        ("bit_reverse", TrafficError, "power of two"),
        ("transpose", TrafficError, "power of two"),
        ("next_group", TrafficError, "has no groups"),
        ("permutation(seed=-1)", TrafficError, "seed"),
        ([0, 1], TrafficError, "for each of the 5"),
        ([0, 1, 2, 3, 5], TrafficError, "0 to 4"),
        (-np.ones((5, 5)), TrafficError, "not negative"),
        (np.ones((4, 5)), TrafficError, "5 × 5"),
        (lambda t: [0] * t, TrafficError, "one length"),
    ],
)
def test_what_makes_no_sense_is_refused(traffic, error, text):
    with pytest.raises(error, match=text):
        pattern(topologies.complete(5), traffic)


def test_transpose_needs_two_halves():
    with pytest.raises(TrafficError, match="two halves"):
        pattern(topologies.complete(8), "transpose")
