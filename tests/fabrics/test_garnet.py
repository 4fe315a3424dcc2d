"""Topologies for gem5: run against modules that stand in for gem5's."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from tests.fabrics.networks import decorated
from unknot._base.errors import NetworkError, TextError
from unknot.fabrics import read_network
from unknot.fabrics.garnet import write_garnet
from unknot.network import Network, from_edges, grid
from unknot.network.families import mesh, torus


class SimpleTopology:
    description = "SimpleTopology"

    def __len__(self) -> int:
        return len(self.nodes)  # type: ignore[attr-defined]


def part(kind: str, keys: set[str]) -> Any:
    """A class of gem5's objects that takes these parameters and no others."""

    def make(**values: Any) -> SimpleNamespace:
        assert set(values) <= keys, (kind, values)
        return SimpleNamespace(**values)

    return make


Router = part("Router", {"router_id", "latency"})
ExtLink = part("ExtLink", {"link_id", "ext_node", "int_node", "latency", "weight"})
IntLink = part("IntLink", {"link_id", "src_node", "dst_node", "src_outport", "dst_inport", "latency", "weight"})


def run(path: Path, controllers: list[Any], **options: int) -> SimpleNamespace:
    """The network of gem5 that the file makes."""
    stubs = {
        name: ModuleType(name) for name in ("m5", "m5.params", "m5.objects", "topologies", "topologies.BaseTopology")
    }
    stubs["topologies.BaseTopology"].SimpleTopology = SimpleTopology  # type: ignore[attr-defined]
    scope: dict[str, Any] = {"__name__": path.stem}
    before = {name: sys.modules.get(name) for name in stubs}
    sys.modules.update(stubs)
    try:
        exec(compile(path.read_text(), str(path), "exec"), scope)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    assert issubclass(scope[path.stem], SimpleTopology)
    topology = scope[path.stem](controllers)
    made = SimpleNamespace()
    topology.makeTopology(SimpleNamespace(**options), made, IntLink, ExtLink, Router)
    return made


def check(network: Network, made: SimpleNamespace, controllers: list[Any]) -> None:
    assert [router.router_id for router in made.routers] == list(range(network.num_routers))
    links = [(li.src_node.router_id, li.dst_node.router_id, li.latency) for li in made.int_links]
    assert links == list(zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True))
    seats = network.inject.tolist()
    assert [(li.ext_node, li.int_node.router_id) for li in made.ext_links] == [
        (node, seats[i % len(seats)]) for i, node in enumerate(controllers)
    ]
    numbers = [link.link_id for link in [*made.ext_links, *made.int_links]]
    assert numbers == list(range(len(numbers)))


@given(decorated())
def test_what_is_written_makes_the_same_network(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    path = tmp_path_factory.mktemp("garnet") / "Mine.py"
    pairs = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    plain = len(set(pairs)) == len(pairs) and all(u != v for u, v in pairs)
    if plain and np.array_equal(network.inject, network.eject):
        write_garnet(network, path)
        controllers = [f"L1 {i}" for i in range(2 * network.num_terminals + 1)]
        check(network, run(path, controllers), controllers)
    else:
        with pytest.raises(NetworkError):
            write_garnet(network, path)
        assert not path.exists()


@pytest.mark.parametrize("network", [mesh(4, 3), torus(5, 4), mesh(3, 3, 3)])
def test_the_lightest_routes_of_a_product_go_dimension_by_dimension(network: Network, tmp_path: Path) -> None:
    write_garnet(network, tmp_path / "Grid.py")
    made = run(tmp_path / "Grid.py", [], router_latency=3, link_latency=2)
    assert {router.latency for router in made.routers} == {3}
    weight = np.array([link.weight for link in made.int_links])
    assert np.array_equal(weight, grid(network).dimension + 1)
    graph = nx.DiGraph()
    for link in made.int_links:
        graph.add_edge(link.src_node.router_id, link.dst_node.router_id, weight=link.weight)
    distance = dict(nx.all_pairs_dijkstra_path_length(graph))
    for target in range(network.num_routers):
        for start in range(network.num_routers):
            at, dimensions = start, []
            while at != target:
                good = [v for v in graph[at] if graph[at][v]["weight"] + distance[v][target] == distance[at][target]]
                step = min(good, key=lambda v: graph[at][v]["weight"])
                dimensions.append(graph[at][step]["weight"])
                at = step
            assert dimensions == sorted(dimensions)


def test_hostile_names_stay_words(tmp_path: Path) -> None:
    network = from_edges([(0, 1)], name='"""\nraise SystemExit\n"""\\')
    write_garnet(network, tmp_path / "Mine.py")
    check(network, run(tmp_path / "Mine.py", ["a"]), ["a"])


@pytest.mark.parametrize("name", ["3d.py", "my-net.py", "class.py"])
def test_the_file_is_called_as_a_class(name: str, tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="class called as the file"):
        write_garnet(mesh(2), tmp_path / name)


def test_it_is_not_read_back(tmp_path: Path) -> None:
    write_garnet(mesh(2), tmp_path / "Mine.py")
    with pytest.raises(TextError, match="a gem5 topology is a program"):
        read_network(tmp_path / "Mine.py")
    with pytest.raises(NetworkError, match="no terminals"):
        write_garnet(Network("n", 1, [], [], inject=[]), tmp_path / "Nobody.py")
