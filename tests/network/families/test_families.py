"""Every family is what NetworkX calls by that name, in all sizes; bad sizes give messages."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest

from tests.conformance import check_network
from unknot._base.errors import NetworkError
from unknot._base.memory import SizeError, memory_limit, of_network
from unknot.network import Network, grid, to_networkx
from unknot.network.families import (
    benes,
    butterfly,
    chordal_ring,
    clos,
    complete,
    cube_connected_cycles,
    de_bruijn,
    dragonfly,
    extra_stage_cube,
    fat_tree,
    from_edges,
    generalized_petersen,
    hypercube,
    hyperx,
    irregular,
    line,
    mesh,
    omega,
    pancake,
    random_regular,
    ring,
    shuffle_exchange,
    slim_fly,
    torus,
)
from unknot_papers.itm import itm
from unknot_papers.rcbn import rcbn

CASES: list[tuple[Network, nx.Graph]] = [
    (line(1), nx.path_graph(1)),
    (line(6), nx.path_graph(6)),
    (ring(1), nx.path_graph(1)),
    (ring(2), nx.path_graph(2)),
    (ring(3), nx.cycle_graph(3)),
    (ring(9), nx.cycle_graph(9)),
    (mesh(4), nx.path_graph(4)),
    (mesh(4, 3), nx.grid_graph([3, 4])),
    (mesh(2, 3, 4), nx.grid_graph([4, 3, 2])),
    (mesh(1, 4, 1), nx.path_graph(4)),
    (torus(5), nx.cycle_graph(5)),
    (torus(4, 3), nx.grid_graph([3, 4], periodic=True)),
    (torus(3, 4, 5), nx.grid_graph([5, 4, 3], periodic=True)),
    (torus(2, 2), nx.cycle_graph(4)),
    (hypercube(0), nx.path_graph(1)),
    (hypercube(1), nx.path_graph(2)),
    (hypercube(5), nx.hypercube_graph(5)),
    (complete(1), nx.complete_graph(1)),
    (complete(7), nx.complete_graph(7)),
]


@pytest.mark.parametrize(("network", "graph"), CASES, ids=lambda case: getattr(case, "name", ""))
def test_isomorphic(network: Network, graph: nx.Graph) -> None:
    found = to_networkx(network)
    assert found.number_of_edges() == 2 * graph.number_of_edges()
    assert nx.is_isomorphic(nx.DiGraph(found), graph.to_directed())
    assert network.num_terminals == network.num_routers
    check_network(network)


@pytest.mark.parametrize("sides", [(4, 3), (3, 5, 2), (6,)])
def test_numbers_and_coordinates(sides: tuple[int, ...]) -> None:
    """Dimension 0 is the low digit; channels are sorted by source, then port."""
    for network in (mesh(*sides), torus(*sides)):
        strides = np.cumprod([1, *sides[:-1]])
        assert (network.coordinates @ strides).tolist() == list(range(network.num_routers))
        assert (np.diff(network.source) >= 0).all()
        view = grid(network)
        assert view.complete
        ports = view.channel[view.channel >= 0]
        assert ports.tolist() == list(range(network.num_channels))


def test_latency_everywhere() -> None:
    for network in (line(3, latency=4), torus(3, 3, latency=4), hypercube(2, latency=4), complete(3, latency=4)):
        assert set(network.latency.tolist()) == {4}
    with pytest.raises(NetworkError, match="at least 1 cycle"):
        mesh(2, 2, latency=0)


def test_names() -> None:
    assert [n.name for n in (line(3), ring(3), mesh(2, 3), torus(3, 4), hypercube(2), complete(3))] == [
        "line(3)",
        "ring(3)",
        "mesh(2, 3)",
        "torus(3, 4)",
        "hypercube(2)",
        "complete(3)",
    ]
    assert from_edges([(0, 1)]).num_channels == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: mesh(), r"mesh\(\): at least one side is needed, as in mesh\(8, 8\)"),
        (lambda: torus(), r"torus\(\): at least one side is needed"),
        (lambda: mesh(4, 0), r"mesh\(4, 0\): a side must be a whole number of at least 1, got 0"),
        (lambda: torus(4, -2), "a side must be a whole number of at least 1, got -2"),
        (lambda: torus(2.5, 2), "whole number of at least 1, got 2.5"),  # type: ignore[arg-type]
        (lambda: torus("8", 8), "whole number of at least 1, got '8'"),  # type: ignore[arg-type]
        (lambda: mesh(True, 2), "whole number of at least 1, got True"),
        (lambda: line(0), r"line\(0\): a side must be"),
        (lambda: ring(-1), r"ring\(-1\): a side must be"),
        (lambda: torus(2**14, 2**14), "268435456 routers; the limit is 134217728"),
        (lambda: hypercube(-1), r"hypercube\(-1\): the dimension must be a whole number from 0 to 27"),
        (lambda: hypercube(28), "from 0 to 27"),
        (lambda: hypercube(True), "from 0 to 27"),
        (lambda: hypercube(3.0), "from 0 to 27"),  # type: ignore[arg-type]
        (lambda: complete(0), r"complete: the number of routers must be a whole number of at least 1, got 0"),
        (lambda: complete(20_000), "399980000 channels; the limit is"),
        (lambda: complete(True), "of at least 1, got True"),
        (lambda: ring(10**5000), r"ring\(10\^4999 or more\): 10\^4999 or more routers; the limit is"),
        (lambda: complete(-(10**5000)), r"got -10\^4999 or more"),
        (lambda: mesh(*[1] * 1000), "1000 dimensions; the limit is 64"),
        (lambda: butterfly(10, 10**9), "the number of stages must be a whole number from 1 to 64"),
    ],
)
def test_bad_sizes(build: Callable[[], Network], message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        build()


def test_numpy_sizes_are_sizes() -> None:
    three = np.int64(3)
    assert mesh(three, three).num_routers == 9  # type: ignore[arg-type]
    assert hypercube(three).num_routers == 8  # type: ignore[arg-type]
    assert complete(three).num_channels == 6  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "build",
    [
        lambda: fat_tree(256, 3),
        lambda: complete(5000),
        lambda: torus(512, 512, 8),
        lambda: hypercube(20),
        lambda: omega(2**20),
        lambda: benes(2**20),
        lambda: clos(2**13, 2, 2**10),
        lambda: rcbn(2**20),
        lambda: butterfly(4, 11),
        lambda: random_regular(10**6, 32),
        lambda: irregular(10**6, 32),
        lambda: dragonfly(64),
        lambda: hyperx([64, 64, 64]),
        lambda: slim_fly(121),
        lambda: de_bruijn(2, 24),
        lambda: shuffle_exchange(23),
        lambda: pancake(10),
        lambda: cube_connected_cycles(20),
        lambda: itm(4 * 10**6),
        lambda: generalized_petersen(10**7, 2),
        lambda: chordal_ring(10**7, [5, -5]),
        lambda: extra_stage_cube(2**21),
    ],
)
def test_sizes_are_estimated_before_anything_is_built(build: Callable[[], Network]) -> None:
    tracemalloc.start()
    try:
        with memory_limit("300M"), pytest.raises(SizeError, match=r"would take about .* the limit is 300 MiB"):
            build()
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "build", [lambda: torus(64, 64, 8), lambda: complete(500), lambda: fat_tree(16, 3), lambda: omega(2**13)]
)
def test_an_estimate_is_what_building_takes_within_a_factor(build: Callable[[], Network]) -> None:
    tracemalloc.start()
    try:
        made = build()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    estimate = of_network(made.num_routers, made.num_channels, made.num_terminals, len(made.radices))
    assert peak / 1.5 < estimate < 5 * peak
