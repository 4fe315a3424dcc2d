"""Edge lists in Python and in text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import networks
from unknot import fabrics
from unknot._base.errors import NetworkError, TextError
from unknot.network import Network, Places, from_edges
from unknot.network.edges import read_edge_list, write_edge_list
from unknot.network.families import torus


def pairs(network: Network) -> list[tuple[int, int]]:
    return list(zip(network.source.tolist(), network.target.tolist(), strict=True))


def test_numbers_number_the_routers() -> None:
    network = from_edges([(2, 0), (0, 1)])
    assert network.router_labels is None
    assert pairs(network) == [(2, 0), (0, 2), (0, 1), (1, 0)]


def test_names_become_labels() -> None:
    network = from_edges([("b", "a"), ("a", "c", 3)], directed=True, name="abc")
    assert network.router_labels == ("b", "a", "c")
    assert pairs(network) == [(0, 1), (1, 2)]
    assert network.latency.tolist() == [1, 3]
    assert network.name == "abc"
    gap = from_edges([(1, 2)])
    assert gap.router_labels == ("1", "2")


def test_loops_and_parallels() -> None:
    network = from_edges([(0, 0), (0, 1), (0, 1)])
    assert pairs(network) == [(0, 0), (0, 1), (1, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], "no edges"),
        ([(0,)], r"an edge is a pair, optionally with a latency and bandwidth; got \(0,\)"),
        ([(0, 1, 2, 3, 4)], "an edge is a pair"),
        ([(0, 1, 2, "fast")], "bandwidth of 0–1 must be a number of flits per cycle"),
        ([(0, 1, 1.5)], "latency of 0–1 must be a whole number, got 1.5"),
        ([(0, 1, True)], "whole number, got True"),
        ([(0, 1, 0)], "at least 1 cycle"),
    ],
)
def test_bad_edges(edges: list[tuple[int, ...]], message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        from_edges(edges)  # type: ignore[arg-type]


def test_reading(tmp_path: Path) -> None:
    path = tmp_path / "net.txt"
    path.write_text("# a network\n\na b\n b -> c 4  # one way\nc -- a 2\nc\n")
    network = read_edge_list(path)
    assert network.router_labels == ("a", "b", "c")
    assert pairs(network) == [(0, 1), (1, 0), (1, 2), (2, 0), (0, 2)]
    assert network.latency.tolist() == [1, 1, 4, 2, 2]
    assert network.name == "net.txt"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a b\na b c d\n", ":2:1", "expected `u v`"),
        ("a b\na b 1 1/x\n", ":2:7", "a bandwidth must be a number of flits per cycle"),
        ("a b\n  a -> b x\n", ":2:10", "a latency is a whole number of at least 1"),
        ("a b 0\n", ":1:5", "a latency is"),
        ("a b -1\n", ":1:5", "a latency is"),
        ("a ->\n", ":1:1", "expected `u v`"),
        ("a -> \n", ":1:1", "expected `u v`"),
        ("-- b\n", ":1:1", "expected `u v`"),
        ("a b\n\na->c\n", ":3:1", "router a->c has no channel"),
        ("# nothing\n", "", "no edge in this file"),
        ("", "", "no edge in this file"),
        ("a\n", "", "no edge in this file"),
    ],
)
def test_located_errors(tmp_path: Path, text: str, place: str, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(TextError) as caught:
        read_edge_list(path)
    assert str(caught.value).startswith(f"{path}{place}: {message}")
    if place:
        line = text.splitlines()[int(place.split(":")[1]) - 1]
        assert line.rstrip() in str(caught.value)
        shown, caret = str(caught.value).splitlines()[-2:]
        assert caret.index("^") - 4 == int(place.split(":")[2]) - 1
        assert shown == "    " + line


def test_not_text(tmp_path: Path) -> None:
    path = tmp_path / "bad.bin"
    path.write_bytes(b"\xfd\xfe\x00\x01")
    with pytest.raises(TextError, match="this is not text"):
        read_edge_list(path)


@given(networks(loops=True), st.booleans())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, network: Network, labelled: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "round.txt"
    if set(pairs(network)) and set(range(network.num_routers)) == {r for pair in pairs(network) for r in pair}:
        names = tuple(f"n{r}" for r in range(network.num_routers)) if labelled else None
        before = Network(
            "b",
            network.num_routers,
            network.source,
            network.target,
            network.latency,
            places=Places(router_labels=names),
        )
        write_edge_list(before, path)
        after = read_edge_list(path)
        assert after.latency.tolist() == before.latency.tolist()
        assert [after.channel_name(c) for c in range(after.num_channels)] == [
            before.channel_name(c) for c in range(before.num_channels)
        ]


def test_refused_to_write(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    for label in ("a b", "a#", ""):
        with pytest.raises(NetworkError, match="cannot stand in an edge list"):
            write_edge_list(Network("n", 2, [0], [1], places=Places(router_labels=("x", label))), path)
    with pytest.raises(NetworkError, match="two routers are called 'x'"):
        write_edge_list(Network("n", 2, [0], [1], places=Places(router_labels=("x", "x"))), path)
    with pytest.raises(NetworkError, match="router 2 has no channel"):
        write_edge_list(Network("n", 3, [0], [1]), path)
    assert not path.exists()
    write_edge_list(torus(3, 3), path)
    assert read_edge_list(path).num_channels == 36


CHIP = "cpu @ a\nddr @ b  # beside the switch\nio @ b\nport @ a -> c\na b\nb -> c 2\nc -> a\n"


def test_terminals_are_named(tmp_path: Path) -> None:
    path = tmp_path / "chip.edges"
    path.write_text(CHIP)
    network = read_edge_list(path)
    assert network.terminal_labels == ("cpu", "ddr", "io", "port")
    assert [network.router_name(int(r)) for r in network.inject] == ["a", "b", "b", "a"]
    assert [network.router_name(int(r)) for r in network.eject] == ["a", "b", "b", "c"]
    write_edge_list(network, tmp_path / "again.edges")
    assert read_edge_list(tmp_path / "again.edges") == network
    (tmp_path / "chip.txt").write_text(CHIP)
    assert fabrics.read_network(tmp_path / "chip.txt").terminal_labels == network.terminal_labels


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a b\ncpu @ c\n", ":2:1", "router c has no channel"),
        ("a b\ncpu @ a\ncpu @ b\n", ":3:1", "a second terminal is called cpu"),
        ("a b\ncpu @ a b\n", ":2:1", "or `t @ u`"),
        ("a b\ncpu @\n", "", ""),
        ("a b\n@ a\n", "", ""),
    ],
)
def test_terminals_that_cannot_be(text: str, place: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "net.edges"
    path.write_text(text)
    if not message:
        assert "@" in (read_edge_list(path).router_labels or ())  # a router of that name, as ever
        return
    with pytest.raises(TextError) as caught:
        read_edge_list(path)
    assert str(caught.value).startswith(f"{path}{place}: ")
    assert message in str(caught.value)


def test_terminals_whose_names_cannot_be_written(tmp_path: Path) -> None:
    for labels in (("a b", "c"), ("a", "a")):
        network = Network("two", 2, [0, 1], [1, 0], places=Places(terminal_labels=labels))
        with pytest.raises(NetworkError, match="terminal"):
            write_edge_list(network, tmp_path / "no.edges")


def test_routers_stand_for_their_only_terminal() -> None:
    named = from_edges([(1, 2), (2, 3)])
    # the name of a router, not an index, where terminals have no names
    assert [named.terminal(text) for text in ("1", "2", "3")] == [0, 1, 2]
    assert [named.terminal(number) for number in (0, 1, 2)] == [0, 1, 2]
    assert [torus(3, 3).terminal(text) for text in ("(1,0)", "(2, 2)", "t4", "4")] == [1, 8, 4, 4]
    two = Network(
        "two", 2, [0, 1], [1, 0], inject=[0, 1, 1], eject=[0, 1, 1], places=Places(router_labels=("a", "b"))
    )
    assert two.terminal("a") == 0
    with pytest.raises(NetworkError, match="no terminal called 'b'"):
        two.terminal("b")
    cross = Network("cross", 2, [0, 1], [1, 0], places=Places(router_labels=("a", "b"), terminal_labels=("b", "c")))
    assert (cross.terminal("a"), cross.terminal("b")) == (0, 0)  # names of terminals come first
