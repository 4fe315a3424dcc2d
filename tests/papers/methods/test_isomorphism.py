"""Equivalences of multistage networks, and sizes by the closed forms of the literature."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from unknot._base.errors import NetworkError
from unknot.network import Network, Places
from unknot.network.families import (
    banyan,
    baseline,
    benes,
    butterfly,
    clos,
    extra_stage,
    extra_stage_cube,
    flip_network,
    indirect_cube,
    omega,
)
from unknot_papers.rcbn import composite_banyan, rcbn

holds, isomorphism = script("methods.isomorphism").holds, script("methods.isomorphism").isomorphism
cost, costs = script("methods.fraction").cost, script("methods.fraction").costs

BANYANS = [banyan, omega, flip_network, baseline, indirect_cube, lambda size: butterfly(2, size.bit_length() - 1)]


def shuffled(network: Network, seed: int) -> Network:
    """The same network with the rows of its stages, its channels and its terminals in another order."""
    random = np.random.default_rng(seed)
    assert network.coordinates is not None
    stage, at = network.coordinates[:, 0], np.empty(network.num_routers, dtype=np.int64)
    for s in range(network.radices[0]):
        there = np.flatnonzero(stage == s)
        at[there] = random.permutation(there)
    order = random.permutation(network.num_channels)
    coordinates = np.empty_like(network.coordinates)
    coordinates[:, 0] = stage
    coordinates[:, 1] = network.coordinates[:, 1]
    return Network(
        "shuffled",
        network.num_routers,
        at[network.source][order],
        at[network.target][order],
        inject=random.permutation(at[network.inject]),
        eject=random.permutation(at[network.eject]),
        places=Places(coordinates=coordinates, radices=network.radices, dimensions=network.dimensions),
    )


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("size", [2, 4, 8, 16, 128])
def test_banyan_networks_are_equivalent(size: int) -> None:
    networks = [family(size) for family in BANYANS]
    for other in networks[1:]:
        found = isomorphism(networks[0], other)
        assert found is not None
        assert holds(networks[0], other, found)


def test_k_ary_ones_too() -> None:
    for a, b in itertools.pairwise((omega(27, 3), flip_network(27, 3), baseline(27, 3), butterfly(3, 3))):
        assert isomorphism(a, b) is not None
    assert isomorphism(omega(64, 4), indirect_cube(64, 4)) is not None
    assert isomorphism(omega(16), omega(16, 4)) is None


@given(st.sampled_from([rcbn(16), omega(32), benes(8), clos(3, 2, 4), extra_stage(8)]), st.integers(0, 2**32 - 1))
def test_networks_in_another_order_are_found_again(network: Network, seed: int) -> None:
    other = shuffled(network, seed)
    found = isomorphism(network, other)
    assert found is not None
    assert holds(network, other, found)


def test_networks_that_differ() -> None:
    assert isomorphism(extra_stage(8), extra_stage_cube(8)) is not None
    assert isomorphism(rcbn(16), benes(16)) is None
    assert isomorphism(omega(8), with_moved_links()) is None
    assert isomorphism(composite_banyan(8), rcbn(8)) is not None


def test_networks_that_take_too_many_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(isomorphism.__globals__, "MAX_TRIES", 5)
    with pytest.raises(NetworkError, match="neither equivalent nor different after 5 guesses"):
        isomorphism(omega(16), flip_network(16))


def with_moved_links() -> Network:
    """Omega(8) with the targets of two links of the first stage exchanged: still 2 × 2 switches."""
    whole = omega(8)
    target = whole.target.copy()
    target[[0, 4]] = target[[4, 0]]
    target[[1, 2]] = target[[2, 1]]
    return dataclasses.replace(whole, name="moved", target=target)


def test_forged_mappings_are_refused() -> None:
    network, other = omega(8), baseline(8)
    found = isomorphism(network, other)
    assert found is not None
    for key in ("routers", "inputs", "outputs"):
        changed = getattr(found, key).copy()
        changed[[0, -1]] = changed[[-1, 0]]
        assert not holds(network, other, dataclasses.replace(found, **{key: changed}))
        changed[0] = changed[1]
        assert not holds(network, other, dataclasses.replace(found, **{key: changed}))


@pytest.mark.long
def test_large_networks_are_searched() -> None:
    network = benes(128)
    found = isomorphism(network, shuffled(network, 1))
    assert found is not None
    with pytest.raises(NetworkError, match="no multistage network"):
        isomorphism(Network("one", 1, [], []), Network("one", 1, [], []))


@pytest.mark.parametrize("n", [3, 4, 7])
def test_sizes(n: int) -> None:
    size = 1 << n
    rows = {row.name.split("(")[0]: row for row in costs(size)}
    assert rows["omega"].switches == n * size // 2
    assert rows["omega"].crosspoints == 2 * n * size
    assert rows["benes"].switches == (2 * n - 1) * size // 2
    assert rows["rcbn"].stages == 2 * n - 3
    assert rows["rcbn"].switches == size * (2 * n - 3) // 2
    assert rows["rcbn"].links == 3 * size * (n - 2)
    assert rows["rcbn"].crosspoints == size // 2 * (2 * 6 + 9 * (2 * n - 5))
    assert rows["composite_banyan"].links == 3 * size // 2 * (n - 1)
    assert (rows["benes"].paths_min, rows["benes"].paths_max) == (size // 2, size // 2)


def test_paths_of_too_many_pairs_are_not_counted() -> None:
    assert cost(omega(2**13)).paths_min is None
