"""Multistage networks: sizes, wiring against their definitions, numbers of paths, errors, and how they are called."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from tests.conformance import check_network
from unknot._base.errors import NetworkError, UnknotError
from unknot.network import Network, Places, tod
from unknot.network import families as topologies
from unknot.network.families import (
    banyan,
    baseline,
    benes,
    butterfly,
    clos,
    data_manipulator,
    dilated_banyan,
    extra_stage,
    extra_stage_cube,
    flip_network,
    indirect_cube,
    mesh,
    omega,
)
from unknot.network.stages import is_multistage, reaches, stages
from unknot.report.placement import placement
from unknot_papers.rcbn import augmented_composite_banyan, composite_banyan, rcbn

UNIQUE = [
    *(family(n) for family in (omega, flip_network, baseline, indirect_cube, banyan) for n in (2, 4, 8, 32)),
    *(family(27, 3) for family in (omega, flip_network, baseline, indirect_cube)),
    *(butterfly(k, n) for k, n in ((2, 1), (2, 4), (3, 3), (4, 2))),
]
MANY = [
    (composite_banyan(4), {1, 2}),
    (composite_banyan(8), {2, 3}),
    (rcbn(8), {2, 3}),
    (rcbn(16), {8, 10, 12, 13}),
    (benes(4), {2}),
    (benes(16), {8}),
    (extra_stage(8), {2}),
    (extra_stage(16, 3), {8}),
    (extra_stage(16, 0), {1}),
    (extra_stage_cube(4), {2}),
    (extra_stage_cube(32), {2}),
    (augmented_composite_banyan(4), {2}),
    (augmented_composite_banyan(8), {4}),
    (data_manipulator(2), {1, 2}),
    (data_manipulator(8), {1, 2, 3, 4, 5}),
    (dilated_banyan(8, 3), {9}),
    (dilated_banyan(16, 1), {1}),
    (clos(3, 2, 4), {3}),
    (clos(1, 1, 1), {1}),
]
ALL = [*UNIQUE, *(network for network, _ in MANY)]


def paths(network: Network) -> np.ndarray:
    """Number of paths from every terminal to every terminal, by powers of the adjacency matrix."""
    step = np.zeros((network.num_routers, network.num_routers), dtype=np.int64)
    np.add.at(step, (network.source, network.target), 1)
    reach = np.linalg.matrix_power(step, network.radices[0] - 1)
    return reach[np.ix_(network.inject, network.eject)]


@pytest.mark.parametrize("network", ALL, ids=lambda network: network.name)
def test_every_channel_leads_to_the_next_stage(network: Network) -> None:
    check_network(network)
    view = stages(network)
    assert is_multistage(network)
    assert (view.router >= -1).all()
    assert network.router_labels is not None
    assert network.router_labels[-1] == f"s{view.stage[-1]}r{view.row[-1]}"
    assert tod.network(network.name) == network


@pytest.mark.parametrize("family", [omega, flip_network, baseline, indirect_cube])
def test_a_name_is_the_call(family: Callable[..., Network]) -> None:
    calls = [f"{family.__name__}(8)", f"{family.__name__}(9, 3)"]
    assert [family(8).name, family(9, 3).name] == [tod.network(call).name for call in calls] == calls


@pytest.mark.parametrize("network", UNIQUE, ids=lambda network: network.name)
def test_one_path_for_every_pair(network: Network) -> None:
    assert (paths(network) == 1).all()


@pytest.mark.parametrize(("network", "counts"), MANY, ids=lambda case: getattr(case, "name", ""))
def test_several_paths(network: Network, counts: set[int]) -> None:
    assert set(paths(network).ravel().tolist()) == counts


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_omega_by_its_definition(n: int) -> None:
    """A message is routed by shuffling its line and setting the last bit to the next bit of the destination."""
    size = 1 << n
    network = omega(size)
    for s, d in itertools.product(range(size), repeat=2):
        at, line = int(network.inject[s]), s
        for stage in range(n):
            line = (line << 1 | line >> (n - 1)) & (size - 1)
            assert network.coordinates is not None
            assert network.coordinates[at].tolist() == [stage, line >> 1]
            line = line & ~1 | d >> (n - 1 - stage) & 1
            if stage < n - 1:
                first, channels = network.outgoing
                at = int(network.target[channels[first[at] + (line & 1)]])
        assert line == d
        assert at == network.eject[d]


@pytest.mark.parametrize(
    ("build", "mirror"), [(omega, flip_network), (banyan, lambda size: butterfly(2, size.bit_length() - 1))]
)
def test_inverse_networks(build: Callable[[int], Network], mirror: Callable[[int], Network]) -> None:
    """The second is the first read from right to left."""

    def links(network: Network, back: bool) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        assert network.coordinates is not None
        last = network.radices[0] - 1
        at = [(last - s, r) if back else (s, r) for s, r in network.coordinates.tolist()]
        pairs = zip(network.source.tolist(), network.target.tolist(), strict=True)
        return sorted((at[v], at[u]) if back else (at[u], at[v]) for u, v in pairs)

    for size in (4, 8, 16):
        assert links(build(size), False) == links(mirror(size), True)


def test_composite_banyan_is_two_banyans_over_each_other() -> None:
    for n in (2, 3, 4, 5, 6):
        network = composite_banyan(1 << n)
        view = stages(network)
        flips = (view.row[network.source] ^ view.row[network.target]).reshape(-1, 3)
        for stage, found in zip(
            view.stage[network.source].reshape(-1, 3)[:, 0].tolist(), flips.tolist(), strict=True
        ):
            assert found == [0, 1 << (n - 2 - stage), 1 << stage]
    assert rcbn(8) == composite_banyan(8)


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_rcbn_is_recursive(n: int) -> None:
    """Without the outer stages it is two networks of half the size; the outer links follow the composite banyan."""
    network, half, outer = rcbn(1 << n), rcbn(1 << (n - 1)), composite_banyan(1 << n)
    view, inner, rim = stages(network), stages(half), stages(outer)
    rows = 1 << (n - 2)

    def links(net: Network, stage: int) -> set[tuple[int, int]]:
        v = stages(net)
        kept = v.stage[net.source] == stage
        return set(zip(v.row[net.source[kept]].tolist(), v.row[net.target[kept]].tolist(), strict=True))

    assert links(network, 0) == links(outer, 0)
    assert links(network, view.count - 2) == links(outer, rim.count - 2)
    for stage in range(inner.count - 1):
        wanted = links(half, stage)
        assert links(network, stage + 1) == wanted | {(a + rows, b + rows) for a, b in wanted}


def test_extra_stage_cube_has_two_disjoint_paths() -> None:
    import networkx as nx

    network = extra_stage_cube(16)
    graph = nx.DiGraph(zip(network.source.tolist(), network.target.tolist(), strict=True))
    ends = itertools.product(set(network.inject.tolist()), set(network.eject.tolist()))
    assert {nx.node_connectivity(graph, a, b) for a, b in ends} == {2}


def test_sizes() -> None:
    assert (rcbn(64).num_routers, rcbn(64).radices) == (9 * 32, (9, 32))
    assert (benes(64).num_routers, benes(64).radices) == (11 * 32, (11, 32))
    assert clos(5, 3, 4).num_terminals == 12
    large = rcbn(2**15)
    assert large.num_routers == 27 * 2**14
    assert large.router_labels is None
    assert large.router_name(2**14) == "(1,0)"
    assert omega(4, latency=3).latency.tolist() == [3] * 4


def test_drawn_stage_by_stage() -> None:
    network = clos(2, 2, 4)
    place = placement(network)
    assert len(set(np.round(place.real, 6).tolist())) == 3
    assert (np.diff(place.imag[:4]) > 0).all()
    assert place.imag[4:6].tolist() == [0.0, 3.0]
    assert placement(clos(1, 2, 4))[4].imag == 1.5


def test_faults_keep_stages() -> None:
    faulty = rcbn(8).without(routers=["s1r2"])
    assert stages(faulty).router[1].tolist() == [4, 5, -1, 6]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: rcbn(12), r"rcbn\(12\): the number of terminals must be a power of 2 \(8, 16, …\), got 12"),
        (lambda: rcbn(4), r"power of 2 \(8, 16, …\), got 4"),
        (lambda: omega(0), "at least 2, got 0"),
        (lambda: omega(True), "at least 2, got True"),
        (lambda: omega(8.0), "at least 2, got 8.0"),  # type: ignore[arg-type]
        (lambda: omega(8, 1), "the size of a switch, k, must be"),
        (lambda: omega(8, 3), r"omega\(8, 3\): the number of terminals must be a power of 3 \(3, 9, 27, …\), got 8"),
        (lambda: omega(2**40), "the limit is"),
        (lambda: butterfly(1, 3), "the size of a switch must be"),
        (lambda: butterfly(2, 0), "the number of stages must be"),
        (lambda: butterfly(2, 40), "the limit is"),
        (lambda: extra_stage(8, -1), "from 0 to 12"),
        (lambda: extra_stage_cube(2), r"power of 2 \(4, 8, …\), got 2"),
        (lambda: clos(0, 1, 1), r"clos\(0, 1, 1\): m \(middle switches\) must be"),
        (lambda: clos(2, 2, 2**27), "the limit is"),
        (lambda: stages(mesh(2, 2)), "no multistage network"),
        (lambda: topologies.benes("8"), "got '8'"),  # type: ignore[arg-type]
    ],
)
def test_bad_sizes(build: Callable[[], Network], message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        build()


def staged(source: list[int], target: list[int], at: list[list[int]], **more: object) -> Network:
    return Network(
        "odd",
        len(at),
        source,
        target,
        **more,
        places=Places(coordinates=at, radices=(3, 2), dimensions=("stage", "row")),
    )


def test_views_of_what_is_not_staged() -> None:
    with pytest.raises(NetworkError, match="does not lead to the next stage"):
        stages(staged([0], [1], [[0, 0], [2, 0]]))
    with pytest.raises(NetworkError, match="where another switch stands"):
        stages(staged([], [], [[0, 0], [0, 0]]))
    with pytest.raises(NetworkError, match="injects at stage 1, not at stage 0"):
        stages(staged([0], [1], [[0, 0], [1, 0]], inject=[1], eject=[1]))
    with pytest.raises(NetworkError, match="ejects at stage 1, not at stage 2"):
        stages(staged([0], [1], [[0, 0], [1, 0]], inject=[0], eject=[1]))


def test_in_the_language() -> None:
    with pytest.raises(UnknotError, match="power of 2"):
        tod.network("rcbn(12)")
    assert tod.network("omega(27, k=3)") == omega(27, 3)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_data_manipulator_adds_and_subtracts_powers_of_two(n: int) -> None:
    size = 2**n
    network = data_manipulator(size)
    view = stages(network)
    found: dict[tuple[int, int], list[int]] = {}
    for u, v in zip(network.source, network.target, strict=True):
        found.setdefault((int(view.stage[u]), int(view.row[u])), []).append(int(view.row[v]))
    for stage, row in itertools.product(range(n), range(size)):
        step = 2 ** (n - 1 - stage)
        assert found[stage, row] == [row, (row + step) % size, (row - step) % size]
    sums = np.zeros(size, dtype=np.int64)
    for signs in itertools.product((-1, 0, 1), repeat=n):
        sums[sum(sign << i for i, sign in enumerate(signs)) % size] += 1
    assert (paths(network) == sums[(np.arange(size) - np.arange(size)[:, None]) % size]).all()


def test_the_augmented_composite_banyan_holds_the_composite_one() -> None:
    for size in (4, 8, 16):
        less, more = composite_banyan(size), augmented_composite_banyan(size)
        of_less, of_more = (list(zip(n.source.tolist(), n.target.tolist(), strict=True)) for n in (less, more))
        for link in set(of_less):
            assert of_more.count(link) >= of_less.count(link)
        assert len(of_more) == len(of_less) * 4 // 3


@pytest.mark.parametrize("network", [omega(8), butterfly(3, 2), benes(8), clos(2, 2, 3), extra_stage(8)])
def test_who_reaches_whom_over_channels(network: Network) -> None:
    """Beside the closure of the channels' matrix."""
    closure = np.eye(network.num_routers, dtype=bool)
    for _ in range(network.num_routers):
        for a, b in zip(network.source, network.target, strict=True):
            closure[a] |= closure[b]
    assert np.array_equal(reaches(network), closure[:, network.eject])
    assert np.array_equal(reaches(network, back=True), closure[network.inject].T)
