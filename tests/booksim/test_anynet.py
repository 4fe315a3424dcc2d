"""BookSim's anynet: back and forth, by an independent reading of its grammar, and broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from typer.testing import CliRunner

from tests.fabrics.networks import bare, both_ways, decorated, without_twins
from tests.strategies import networks
from unknot._base.errors import NetworkError, TextError
from unknot.cli.program import app
from unknot.fabrics import read_network
from unknot.network import Network, from_edges
from unknot.network.families import mesh, ring, torus
from unknot_booksim.anynet import read_booksim, write_booksim

Latencies = dict[tuple[int, int], int]


def as_booksim(text: str) -> tuple[dict[int, int], Latencies]:
    """Router of each node, latency of each channel: the state machine that BookSim runs over every line.

    A router that is named makes a channel there with latency 1, and one back unless there is one; a number behind it
    is the latency of the channel there; nodes have one latency for both ways.
    """
    routers: set[int] = set()
    node_at: dict[int, int] = {}
    latency: Latencies = {}
    for line in text.split("\n"):
        words = [word for word in line.split(" ") if word]
        if not words:
            continue
        assert words[0] == "router"
        head, body = int(words[1]), words[2:]
        routers.add(head)
        last: tuple[str, int] | None = None
        while body:
            word = body.pop(0)
            if word in ("router", "node"):
                number = int(body.pop(0))
                last = (word, number)
                if word == "node":
                    assert node_at.get(number, head) == head
                    node_at[number] = head
                else:
                    routers.add(number)
                    latency[head, number] = 1
                    latency.setdefault((number, head), 1)
            else:
                assert last is not None
                assert last[0] == "router"
                latency[head, last[1]] = int(word)
    assert routers == set(range(len(routers)))
    assert set(node_at) == set(range(len(node_at)))
    return node_at, latency


@given(
    networks(max_routers=6, max_channels=12, loops=True, strongly_connected=None).map(both_ways).map(without_twins)
)
def test_what_is_written_is_read_back_by_us_and_by_the_grammar(
    tmp_path_factory: pytest.TempPathFactory, network: Network
) -> None:
    path = tmp_path_factory.mktemp("booksim") / "n.anynet"
    write_booksim(network, path)
    assert read_booksim(path) == network
    node_at, latency = as_booksim(path.read_text())
    assert node_at == dict(enumerate(network.inject.tolist()))
    ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
    assert latency == dict(zip(ends, network.latency.tolist(), strict=True))


@given(decorated(max_routers=3, max_channels=6))
def test_what_it_cannot_say_is_refused(tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    path = tmp_path_factory.mktemp("booksim") / "n.anynet"
    pairs = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    one_seat = network.inject.tolist() == network.eject.tolist()
    if one_seat and len(set(pairs)) == len(pairs) and all((v, u) in pairs for u, v in pairs):
        write_booksim(network, path)
        assert read_booksim(path) == bare(network)
    else:
        with pytest.raises(NetworkError, match="BookSim"):
            write_booksim(network, path)
        assert not path.exists()


def test_how_it_looks(tmp_path: Path) -> None:
    write_booksim(from_edges([(0, 1, 3), (1, 2)]), tmp_path / "n")
    assert (tmp_path / "n").read_text() == (
        "router 0 node 0 router 1 3\nrouter 1 node 1 router 0 3 router 2\nrouter 2 node 2 router 1\n"
    )
    assert read_network(tmp_path / "n") == from_edges([(0, 1, 3), (1, 2)])


@pytest.mark.parametrize("network", [ring(5, latency=4), mesh(3, 4), torus(8, 8)])
def test_families(network: Network, tmp_path: Path) -> None:
    write_booksim(network, tmp_path / "n")
    assert read_network(tmp_path / "n") == bare(network)


def test_the_example_of_booksim(tmp_path: Path) -> None:
    text = "router 0 node 0 node 1 node 2 router 1 15 router 2\n\nrouter 1  node 3\nrouter 2 node 4 router 0 7 \n"
    (tmp_path / "n").write_text(text)
    network = read_network(tmp_path / "n")
    assert network.inject.tolist() == [0, 0, 0, 1, 2]
    ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
    assert dict(zip(ends, network.latency.tolist(), strict=True)) == as_booksim(text)[1]
    assert list(zip(network.source.tolist(), network.target.tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (2, 0),
        (1, 0),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("node 0 router 1", ":1:1: a line begins with `router`, not 'node'"),
        ("router 0 node 0\n# words", ":2:1: a line begins with `router`"),
        ("router 0 nod 0", ":1:10: `router` or `node` is needed, not 'nod'"),
        ("router x", ":1:8: a number is needed here, not 'x'"),
        ("router 0 router", ":1:16: a number is missing"),
        ("router 0 router 1 0", ":1:19: a latency, a whole number of at least 1, is needed here, not '0'"),
        ("router 0 router 1 3 4", ":1:21: `router` or `node` is needed, not '4'"),
        ("router 0 node 0 2", ":1:10: node 0 is 2 cycles from its router"),
        ("router 0 node 0 router 1\nrouter 1 node 0", ":2:10: node 0 sits at router 0 by line 1"),
        ("router 0 router 1\nrouter 0 router 1 3", ":2:10: router 0 is joined to router 1 by line 1 already"),
        ("router 0 router 2", ":1:10: routers are numbered from 0 without gaps; there is router 2, but no router 1"),
        ("router 0 node 1", ":1:10: nodes are numbered from 0 without gaps; there is node 1, but no node 0"),
    ],
)
def test_what_is_broken_is_reported(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "n").write_text(text)
    with pytest.raises(TextError) as caught:
        read_booksim(tmp_path / "n")
    assert said in str(caught.value)


def test_the_command_line_says_what_is_dropped_and_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["convert", "torus(4, 4)", "net.anynet"])
    said = " ".join(result.stdout.split())
    assert said.startswith("file net.anynet format booksim network torus(4, 4) ")
    assert said.endswith("network terminals 16 dropped coordinates")
    Path("one-way").write_text("0 -> 1\n")
    result = CliRunner().invoke(app, ["convert", "one-way", "other.anynet"])
    assert (result.exit_code, result.stdout, Path("other.anynet").exists()) == (2, "", False)
    assert "no channel leads back from r1 to r0" in result.stderr
    Path("pairs").write_text("0 1\n1 2\n")
    assert "ibsim, edges, booksim" in CliRunner().invoke(app, ["show", "pairs"]).stderr
