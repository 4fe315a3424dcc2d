"""Slurm's trees of switches, read back here line by line and compared with the ways in the network."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given

from tests.fabric_loop.fabrics import dual_port_hosts
from tests.fabrics.folders import EXAMPLES
from tests.fabrics.networks import both_ways
from unknot._base.errors import NetworkError, TextError
from unknot.fabrics import kind_of, read_network, write_network
from unknot.fabrics.slurm import write_slurm
from unknot.network import Network, from_edges
from unknot.network.families import torus
from unknot.verify.testing import networks


def as_tree(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """The switch of each node, and the switch above each switch; each has one."""
    node: dict[str, str] = {}
    above: dict[str, str] = {}
    switches = set()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"SwitchName=([\w.-]+) (Nodes|Switches)=([\w.,-]+)", line)
        assert match
        assert match[1] not in switches
        switches.add(match[1])
        for child in match[3].split(","):
            kept = node if match[2] == "Nodes" else above
            assert child not in kept
            assert match[2] == "Nodes" or child in switches
            kept[child] = match[1]
    return node, above


def chain(above: dict[str, str], switch: str) -> list[str]:
    found = [switch]
    while found[-1] in above:
        found.append(above[found[-1]])
    return found


@given(networks(max_routers=8, max_channels=14, strongly_connected=None).map(both_ways))
def test_nodes_meet_where_the_ways_between_them_are_lowest(
    tmp_path_factory: pytest.TempPathFactory, network: Network
) -> None:
    """Two nodes are closer in the tree than a third where their best way stays lower."""
    path = tmp_path_factory.mktemp("slurm") / "topology.conf"
    if not network.num_terminals or network.inject.tolist() != network.eject.tolist():
        with pytest.raises(NetworkError):
            write_slurm(network, path)
        return
    write_slurm(network, path)
    node, above = as_tree(path.read_text())
    assert sorted(node) == sorted(f"H{t}" for t in range(network.num_terminals))
    graph = nx.Graph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(zip(network.source.tolist(), network.target.tolist(), strict=True))
    seats = network.inject.tolist()
    level = nx.multi_source_dijkstra_path_length(graph, set(seats))

    def height(u: int, v: int) -> int | None:
        for k in range(len(level)):
            part = graph.subgraph([r for r in level if level[r] <= k])
            if nx.has_path(part, u, v):
                return k
        return None

    for a, u in enumerate(seats):
        ours = chain(above, node[f"H{a}"])
        met: dict[int, set[int | None]] = {}
        for b, v in enumerate(seats):
            theirs = chain(above, node[f"H{b}"])
            common = next((i for i, switch in enumerate(ours) if switch in theirs), -1)
            assert (common == -1) == (not nx.has_path(graph, u, v))
            assert (common == 0) == (u == v)
            met.setdefault(common, set()).add(-1 if u == v else height(u, v))
        assert all(len(heights) == 1 for heights in met.values())
        lowest = [met[i].pop() for i in sorted(met) if i >= 0]
        assert lowest == sorted(lowest, key=lambda k: -1 if k is None else k)
        assert len(set(lowest)) == len(lowest)


def test_a_fat_tree_has_its_pods(tmp_path: Path) -> None:
    edges = [(f"e{p}{i}", f"a{p}{j}") for p in range(2) for i in range(2) for j in range(2)]
    edges += [(f"a{p}{j}", f"c{j}") for p in range(2) for j in range(2)]
    network = from_edges(edges)
    hosts = [r for r in range(network.num_routers) if network.router_name(r).startswith("e") for _ in range(2)]
    network = replace(network, inject=hosts, eject=None, terminal_labels=tuple(f"n{t} HCA-1" for t in range(8)))
    form, dropped = write_network(network, tmp_path / "topology.conf")
    assert (form.name, dropped) == ("slurm", [])
    assert (tmp_path / "topology.conf").read_text() == (
        "# 10 switches, 8 nodes\nSwitchName=e00 Nodes=n0,n1\nSwitchName=e01 Nodes=n2,n3\n"
        "SwitchName=e10 Nodes=n4,n5\nSwitchName=e11 Nodes=n6,n7\nSwitchName=level1 Switches=e00,e01\n"
        "SwitchName=level1_2 Switches=e10,e11\nSwitchName=level2 Switches=level1,level1_2\n"
    )
    assert kind_of(tmp_path / "topology.conf") == "slurm"
    with pytest.raises(TextError, match="does not say which cables there are"):
        read_network(tmp_path / "topology.conf")


def test_a_real_fabric_a_torus_and_hosts_with_two_ports(tmp_path: Path) -> None:
    path = tmp_path / "topology.conf"
    network = read_network(EXAMPLES / "opensm-leafspine-degraded-ftree")
    write_slurm(network, path)
    node, above = as_tree(path.read_text())
    assert (len(node), len(set(node.values())), len(set(above.values()))) == (72, len(above), 1)
    grid = torus(3, 3)
    write_slurm(grid, path)
    names = [grid.router_name(r).strip("()").replace(", ", "_").replace(",", "_") for r in range(9)]
    assert path.read_text().splitlines()[-1] == f"SwitchName=level0 Switches={','.join(names)}"
    (tmp_path / "a.net").write_text(dual_port_hosts(4))
    write_slurm(read_network(tmp_path / "a.net"), path)
    assert as_tree(path.read_text())[0] == {f"H{s}": f"S{s}" for s in range(4)}


def test_names_that_slurm_takes(tmp_path: Path) -> None:
    network = from_edges([("MF0;sw:IS/L1", "MF0 sw:IS/L1")])
    write_slurm(network, tmp_path / "a")
    assert set(as_tree((tmp_path / "a").read_text())[0].values()) == {"MF0_sw_IS_L1", "MF0_sw_IS_L1_2"}
    for bad in (" ", "a,b", "[x]"):
        with pytest.raises(NetworkError, match="begins with no name for a node of Slurm"):
            write_slurm(replace(network, terminal_labels=(bad, "y")), tmp_path / "b")
    with pytest.raises(NetworkError, match="no terminals"):
        write_slurm(replace(network, inject=[], eject=[]), tmp_path / "b")
    assert not (tmp_path / "b").exists()
