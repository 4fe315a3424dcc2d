"""The array model: validation, names, groupings, faults, memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance import check_network
from tests.networks import in_parts
from tests.strategies import networks
from unknot._base.errors import NetworkError
from unknot.network import Network, Places, Wires, from_edges
from unknot.network.families import hypercube, mesh, ring, torus

BAD: list[tuple[dict[str, Any], str]] = [
    ({"num_routers": 0}, "'n': it needs at least one router, got 0"),
    ({"num_routers": 2.5}, "at least one router, got 2.5"),
    ({"num_routers": True}, "at least one router, got True"),
    ({"source": [0, 3]}, r"source\[1\] is 3, but routers are numbered 0 to 2"),
    ({"target": [-1, 0]}, r"target\[0\] is -1"),
    ({"target": [1]}, "2 channel sources, 1 targets"),
    ({"source": [[0, 1]]}, "source must have one dimension, got 2"),
    ({"source": [0.5, 1.0]}, "whole numbers are needed, got float64"),
    ({"source": [0, 2**32]}, "fit 32 bits; the largest here is 4294967296"),
    ({"latency": [1]}, "1 latencies for 2 channels"),
    ({"latency": [1, 0]}, r"latency\[1\] is 0; it must be at least 1 cycle"),
    ({"latency": 0}, r"latency\[0\] is 0"),
    ({"inject": [5]}, r"inject\[0\] is 5"),
    ({"inject": [0, 1], "eject": [0]}, "2 terminals inject, 1 eject"),
    ({"router_labels": ["a", "b"]}, "2 router_labels, but 3 needed"),
    ({"terminal_labels": ["a"]}, "1 terminal_labels, but 3 needed"),
    ({"ports": [1, 2]}, r"ports must have shape \(2, 2\)"),
    ({"coordinates": [[0], [1]], "radices": (3,)}, r"coordinates of shape \(2, 1\), but 3 routers in 1 dimensions"),
    ({"coordinates": [[0], [1], [3]], "radices": (3,)}, "a coordinate lies outside the radices"),
    ({"coordinates": [[0], [1], [2]], "radices": (3,), "dimensions": ("x", "y")}, "2 dimension names for 1 radices"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_validation(wrong: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"name": "n", "num_routers": 3, "source": [0, 1], "target": [1, 2]}
    assert Network(**good).num_terminals == 3
    with pytest.raises(NetworkError, match=message):
        Network(**(good | in_parts(wrong)))


def test_arrays_are_private_and_read_only() -> None:
    source = np.array([0, 1], dtype=np.int32)
    network = Network("n", 2, source, source[::-1])
    source[0] = 1
    assert network.source.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        network.source[0] = 1
    with pytest.raises(AttributeError):
        network.name = "m"  # type: ignore[misc]


def test_two_numbers_name_nothing() -> None:
    for find in (ring(4).router, ring(4).terminal):
        assert find(" 2 ") == 2
        with pytest.raises(NetworkError, match="called '1 2'"):
            find("1 2")


def test_terminals_default_and_differ() -> None:
    network = Network("n", 2, [0], [1], inject=[0, 0, 1], eject=[1, 1, 0])
    assert (network.num_terminals, network.inject.tolist(), network.eject.tolist()) == (3, [0, 0, 1], [1, 1, 0])
    empty = Network("n", 2, [0], [1], inject=[])
    assert (empty.num_terminals, empty.eject.size) == (0, 0)


@given(networks(loops=True, strongly_connected=None))
def test_groupings_equal_naive(network: Network) -> None:
    for (first, channels), ends in ((network.outgoing, network.source), (network.incoming, network.target)):
        naive = [[c for c in range(network.num_channels) if ends[c] == r] for r in range(network.num_routers)]
        assert [channels[first[r] : first[r + 1]].tolist() for r in range(network.num_routers)] == naive
    for u in range(network.num_routers):
        for v in range(network.num_routers):
            naive_between = [
                c for c in range(network.num_channels) if (network.source[c], network.target[c]) == (u, v)
            ]
            assert network.between(u, v) == naive_between


@given(networks(loops=True, strongly_connected=None))
def test_conformance(network: Network) -> None:
    check_network(network)


def test_names_and_lookup() -> None:
    grid = torus(4, 3)
    assert grid.router_name(7) == "(3,1)"
    assert grid.router("(3, 1)") == grid.router("7") == grid.router(7) == grid.router(np.int32(7)) == 7
    assert grid.channel_name(0) == "(0,0)→(1,0)"
    named = from_edges([("leaf-1", "spine"), ("leaf-2", "spine"), ("leaf-2", "spine")])
    assert named.router("leaf-2") == 2
    assert named.channel_name(2) == "leaf-2→spine#0"
    assert named.channel_name(4) == "leaf-2→spine#1"
    with pytest.raises(NetworkError, match="no router called 'leaf-3'; did you mean leaf-"):
        named.router("leaf-3")
    with pytest.raises(NetworkError, match="no router 12: routers are numbered 0 to 11"):
        grid.router(12)
    with pytest.raises(NetworkError, match="no router -1"):
        grid.router(-1)
    with pytest.raises(NetworkError, match=r"no router called '\(4,0\)'"):
        grid.router("(4,0)")
    assert grid.terminal("t5") == grid.terminal(5) == 5
    with pytest.raises(NetworkError, match="no terminal called 'q'"):
        grid.terminal("q")
    ported = Network(
        "p", 2, [0, 1], [1, 0], wires=Wires(ports=[[3, 4], [4, 3]]), places=Places(router_labels=("a", "b"))
    )
    assert ported.channel_name(0) == "a[3]→b[4]"
    numbered = from_edges([("1", "0"), ("0", "7")])
    assert numbered.router("7") == numbered.router_labels.index("7")  # type: ignore[union-attr]


@given(networks(max_routers=6, max_channels=12), st.data())
def test_faults_compose(network: Network, data: st.DataObject) -> None:
    """Faults one after the other equal all at once; survivors keep their properties and know where they stood."""
    dead_channels = (
        data.draw(st.sets(st.sampled_from(range(network.num_channels)))) if network.num_channels else set()
    )
    dead_routers = data.draw(st.sets(st.sampled_from(range(network.num_routers)), max_size=network.num_routers - 1))
    both = network.without(routers=dead_routers, channels=dead_channels)
    first = network.without(channels=dead_channels)
    assert first.origin is not None
    second = first.without(routers=dead_routers)
    assert both == second
    assert both.origin is not None
    assert second.origin is not None
    for kept in ("routers", "channels", "terminals"):
        assert getattr(both.origin, kept).tolist() == getattr(second.origin, kept).tolist()
    origin = both.origin
    assert origin.routers.tolist() == [r for r in range(network.num_routers) if r not in dead_routers]
    assert (origin.routers[both.source] == network.source[origin.channels]).all()
    assert (origin.routers[both.target] == network.target[origin.channels]).all()
    assert (origin.routers[both.inject] == network.inject[origin.terminals]).all()
    assert (origin.routers[both.eject] == network.eject[origin.terminals]).all()
    assert (both.latency == network.latency[origin.channels]).all()
    alive = [
        c
        for c in range(network.num_channels)
        if c not in dead_channels and not {int(network.source[c]), int(network.target[c])} & dead_routers
    ]
    assert origin.channels.tolist() == alive


def test_faults_keep_names() -> None:
    faulty = mesh(3, 3).without(routers=["(1,1)"], links=[(0, 1)])
    assert (faulty.num_routers, faulty.num_channels) == (8, 24 - 8 - 2)
    assert faulty.router_name(4) == "(2,1)"
    assert faulty.radices == (3, 3)
    assert faulty.terminal_name(0) == "t0"
    twice = faulty.without(links=[(0, 3)])
    assert twice.origin is not None
    assert twice.name.count("with faults") == 1
    assert mesh(2, 2).without() == mesh(2, 2)
    with pytest.raises(NetworkError, match=r"no link \(0,0\)–\(1,1\)"):
        mesh(3, 3).without(links=[(0, 4)])
    with pytest.raises(NetworkError, match="no channel 24"):
        mesh(3, 3).without(channels=[24])
    with pytest.raises(NetworkError, match="no router 9"):
        mesh(3, 3).without(links=[(0, 9)])
    with pytest.raises(NetworkError, match="at least one router"):
        ring(3).without(routers=[0, 1, 2])


def test_same_name_twice() -> None:
    """Real fabrics have nodes of the same description; only asking for one by that name is an error."""
    network = Network("n", 3, [0], [1], places=Places(router_labels=("hca", "sw", "hca")))
    assert network.router("sw") == 1
    assert network.router_name(2) == "hca"
    with pytest.raises(NetworkError, match="2 routers called 'hca'; give the number of one of them, such as 0 or 2"):
        network.router("hca")


def test_equality() -> None:
    assert ring(4) == ring(4)
    assert ring(4) != ring(5)
    assert ring(4) != ring(4, latency=2)
    assert ring(4) != "ring(4)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(ring(4))
    assert repr(hypercube(3)) == "<Network hypercube(3): 8 routers, 24 channels, 8 terminals>"


def held_bytes(network: Network) -> int:
    """Bytes of all arrays of a network, the groupings included."""
    arrays = [network.source, network.target, network.latency, network.inject, network.eject]
    arrays += [a for a in (network.coordinates, network.ports) if a is not None]
    arrays += [*network.outgoing, *network.incoming]
    return sum(array.nbytes for array in arrays)


@pytest.mark.long
def test_memory_of_a_million_routers() -> None:
    network = torus(1024, 1024)
    assert (network.num_routers, network.num_channels) == (2**20, 2**22)
    assert held_bytes(network) <= 64 * network.num_channels


@pytest.mark.long
def test_six_million_channels() -> None:
    network = torus(100, 100, 100)
    assert (network.num_routers, network.num_channels) == (10**6, 6 * 10**6)
    assert held_bytes(network) <= 64 * network.num_channels
    middle = 50 + 50 * 100 + 50 * 10**4
    first, channels = network.outgoing
    ends = network.target[channels[first[middle] : first[middle + 1]]].tolist()
    assert ends == [middle + 1, middle - 1, middle + 100, middle - 100, middle + 10**4, middle - 10**4]


def test_channels_as_rows() -> None:
    network = Network(
        "two", 2, [0, 1], [1, 0], wires=Wires([3, 4], bandwidth=[1, 0.5]), places=Places(router_labels=("a", "b"))
    )
    rows = network.to_frame().to_dict("records")
    assert rows == [
        {"source": 0, "target": 1, "latency": 3, "bandwidth": 1.0, "name": "a→b"},
        {"source": 1, "target": 0, "latency": 4, "bandwidth": 0.5, "name": "b→a"},
    ]
