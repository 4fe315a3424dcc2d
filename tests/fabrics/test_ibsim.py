"""ibsim networks: back and forth, by an independent reading of the grammar, and what no fabric can be."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.fabrics.folders import EXAMPLES
from tests.fabrics.networks import both_ways
from tests.strategies import networks
from unknot._base.errors import NetworkError, TextError
from unknot.fabrics import read_network
from unknot.fabrics.ibsim import read_ibsim, write_ibsim
from unknot.network import Network, Wires, from_edges, measure
from unknot.network.families import complete, torus

Port = tuple[str, int]

FABRICS = sorted(EXAMPLES.glob("*/ibsim.net"))


def as_ibsim(text: str) -> tuple[dict[str, tuple[str, int]], dict[Port, Port]]:
    """Type and ports of each node, and where each port leads, line by line as ibsim takes them.

    A record is a line with type, number of ports and quoted name, then a line for each port that begins with a
    bracket; any other line ends the record. Names have less than 65 bytes; # and @ in them mean something else.
    """
    nodes: dict[str, tuple[str, int]] = {}
    cables: dict[Port, Port] = {}
    name = ""
    for line in text.split("\n"):
        if line.startswith("["):
            assert name
            match = re.fullmatch(r'\[(\d+)\] "([^"]*)"\[(\d+)\]', line)
            assert match
            port = (name, int(match[1]))
            assert 1 <= port[1] <= nodes[name][1]
            assert port not in cables
            cables[port] = (match[2], int(match[3]))
        elif line:
            match = re.fullmatch(r'(Switch|Hca) (\d+) "([^"]*)"', line)
            assert match
            name = match[3]
            assert name not in nodes
            assert name
            assert len(name.encode()) < 65
            assert not set(name) & {"#", "@"}
            nodes[name] = (match[1], int(match[2]))
        else:
            name = ""
    return nodes, cables


@given(networks(max_routers=6, max_channels=12, strongly_connected=None).map(both_ways), st.booleans())
def test_what_is_written_is_read_back_by_us_and_by_the_grammar(
    tmp_path_factory: pytest.TempPathFactory, network: Network, named: bool
) -> None:
    assume(set(range(network.num_routers)) == {*network.source.tolist(), *network.inject.tolist()})
    if named:
        network = replace(
            network,
            places=replace(
                network.places,
                router_labels=tuple(f"ä{r} [x]y" for r in range(network.num_routers)),
                terminal_labels=tuple(f"port {t}" for t in range(network.num_terminals)),
            ),
        )
    path = tmp_path_factory.mktemp("ibsim") / "n.net"
    write_ibsim(network, path)
    read = read_ibsim(path)
    switches = network.router_labels or tuple(f"S{r}" for r in range(network.num_routers))
    hosts = network.terminal_labels or tuple(f"H{t}" for t in range(network.num_terminals))
    assert (read.router_labels, read.terminal_labels) == (switches, hosts)
    assert read.inject.tolist() == read.eject.tolist() == network.inject.tolist()
    pairs = sorted(zip(network.source.tolist(), network.target.tolist(), strict=True))
    assert sorted(zip(read.source.tolist(), read.target.tolist(), strict=True)) == pairs
    nodes, cables = as_ibsim(path.read_text())
    assert {name: kind for name, (kind, _) in nodes.items()} == dict.fromkeys(switches, "Switch") | dict.fromkeys(
        hosts, "Hca"
    )
    assert all(cables[far] == near for near, far in cables.items())
    assert len(cables) == network.num_channels + 2 * network.num_terminals
    write_ibsim(read, path)
    assert read_ibsim(path) == read


@pytest.mark.parametrize("path", FABRICS, ids=lambda p: p.parent.name)
def test_real_fabrics_keep_names_and_ports(path: Path, tmp_path: Path) -> None:
    network = read_ibsim(path)
    write_ibsim(network, tmp_path / "again.net")
    assert read_network(tmp_path / "again.net") == network
    if not any(line.startswith("#") for line in path.read_text().splitlines()):
        assert as_ibsim((tmp_path / "again.net").read_text())[0].keys() == as_ibsim(path.read_text())[0].keys()


def test_ports_that_make_no_cables_are_numbered_anew(tmp_path: Path) -> None:
    network = replace(from_edges([(0, 1)]), wires=Wires(ports=[[1, 1], [1, 2]]))
    write_ibsim(network, tmp_path / "n")
    ports = read_ibsim(tmp_path / "n").ports
    assert ports is not None
    assert ports.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (from_edges([(0, 1)], directed=True), "channels from r0 to r1: 1, back: 0"),
        (from_edges([(0, 1), (1, 1)]), "leads back to itself"),
        (Network("n", 2, [0, 1], [1, 0], inject=[0], eject=[1]), "injects and ejects at two routers"),
        (Network("n", 2, [], [], inject=[0]), "switch S1 has no cable"),
        (from_edges([("a", 'b"')]), "ibsim cannot take the name 'b\"'"),
        (from_edges([("a", "b#c")]), "ibsim cannot take the name 'b#c'"),
        (from_edges([("a", "b" * 65)]), "at most 64 bytes"),
        (from_edges([("H0", "b")]), "two nodes are called 'H0'"),
        (complete(256), "switch S0 has a port 256"),
    ],
)  # fmt: skip
def test_what_no_fabric_can_be_is_refused(network: Network, said: str, tmp_path: Path) -> None:
    with pytest.raises(NetworkError) as caught:
        write_ibsim(network, tmp_path / "n")
    assert said in str(caught.value)
    assert not (tmp_path / "n").exists()


def test_a_torus(tmp_path: Path) -> None:
    write_ibsim(torus(8, 8), tmp_path / "n")
    read = read_network(tmp_path / "n")
    assert (read.source.tolist(), read.target.tolist()) == (torus(8, 8).source.tolist(), torus(8, 8).target.tolist())


def test_a_loopback_cable_is_one_cable(tmp_path: Path) -> None:
    (tmp_path / "n.net").write_text(
        'Switch 4 "a"\n[1] "a"[2]\n[2] "a"[1]\n[3] "b"[1]\n[4] "b"[2]\n\nSwitch 2 "b"\n[1] "a"[3]\n[2] "a"[4]\n'
    )
    metrics = measure(read_network(tmp_path / "n.net"))
    assert (metrics.channels, metrics.links) == (6, 3)
    assert measure(from_edges([(0, 0), (0, 1)])).links == 2


@pytest.mark.parametrize("number", ["4294967296", "256", "9" * 5000, "²", "٣"])
def test_numbers_of_ports_that_cannot_be(number: str, tmp_path: Path) -> None:
    (tmp_path / "n.net").write_text(
        f'Switch {number} "a"\n[1] "b"[1]\n\nSwitch 2 "b"\n[1] "a"[1]\n', encoding="utf-8"
    )
    with pytest.raises(TextError, match=r"n.net:1: (a node has at most 255 ports|an ibsim network has no such line)"):
        read_network(tmp_path / "n.net")
