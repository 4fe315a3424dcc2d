"""Networks and routings from text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.networks import in_parts
from unknot._base.errors import NetworkError, RelationError, TextError, UnknotError
from unknot.fabrics.named import network
from unknot.network import Network, from_edges
from unknot.network import families as topologies
from unknot.network.edges import write_edge_list
from unknot.network.graph import digest
from unknot.routing.named import require_connected, routing, routings


def test_texts_in_the_language() -> None:
    assert network("torus(4, 3)") == topologies.torus(4, 3)
    assert network(" ring(5, latency=2)") == topologies.ring(5, latency=2)
    assert network("{0 -- 1, 1 -- 2}") == from_edges([(0, 1), (1, 2)])
    assert network("ring(4) * ring(3)") == topologies.torus(4, 3)


def test_every_public_routing_is_there() -> None:
    assert {"dimension_order", "fully_adaptive", "duato"} <= set(routings())
    assert "Relation" not in routings()
    assert "Candidate" not in routings()


def test_files_by_path_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_edge_list(topologies.ring(4), tmp_path / "my ring.edges")
    assert network(str(tmp_path / "my ring.edges")).num_channels == 8
    assert network("my ring.edges", folder=tmp_path).num_channels == 8
    monkeypatch.chdir(tmp_path)
    assert network("my ring.edges").num_channels == 8


def test_a_file_goes_before_a_word_of_the_language(tmp_path: Path) -> None:
    write_edge_list(topologies.ring(4), tmp_path / "ring")
    assert network("ring", folder=tmp_path).num_channels == 8


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("torsu(8, 8)", "did you mean torus"),
        ("torsu", "did you mean torus"),
        ("fabrik.lst", "there is no file 'fabrik.lst'; did you mean fabric.lst?"),
        ("../nowhere/x.lst", "there is no file"),
        ("torus()", "at least one side is needed"),
        ("torus(0)", "at least 1"),
        ("ring(4, latency=0)", "latency must be a number of cycles"),
        ("ring(10**12)", "limit"),
        ("", "no network"),
        ("a\0b", "means nothing here"),
        ("x" * 5000, "is not defined"),
    ],
)
def test_networks_that_cannot_be(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "fabric.lst").write_text("")
    with pytest.raises(UnknotError) as caught:
        network(text, folder=tmp_path)
    assert said in str(caught.value)


def test_routings_by_name_and_call() -> None:
    torus = topologies.torus(4, 4)
    assert routing(torus, "dimension-order").num_vcs == torus.num_channels
    assert routing(torus, "dimension_order", 2).num_vcs == 2 * torus.num_channels
    assert routing(torus, 'dimension_order(vcs=2, dateline="none")').num_vcs == 2 * torus.num_channels
    assert "entry" in routing(torus, 'dimension_order(dateline="entry")', 2).name


@pytest.mark.parametrize(
    ("text", "vcs", "kind", "said"),
    [
        ("dimension_ordre", None, TextError, "did you mean dimension_order"),
        ("dimension_order", 0, RelationError, "at least 1 VC, got 0"),
        ("dimension_order(dateline='crossing')", 3, RelationError, "cannot be split"),
        ("dimension_order(vcs=2)", 2, TextError, "vcs is given twice"),
        ("dimension_order(network=2)", None, TextError, "no option 'network'"),
        ("dimension_order(order=['y'])", None, TextError, "order is a list of whole numbers or None, not ('y',)"),
        ("duato", 1, RelationError, "duato"),
        ("Relation", None, TextError, "unknown routing"),
    ],
)
def test_routings_that_cannot_be(text: str, vcs: int | None, kind: type[UnknotError], said: str) -> None:
    with pytest.raises(kind) as caught:
        routing(topologies.torus(4, 4), text, vcs)
    assert said in str(caught.value)


def test_a_routing_not_for_this_network() -> None:
    with pytest.raises(NetworkError, match="no coordinates"):
        routing(topologies.complete(4), "dimension_order")


def test_disconnected_networks_are_named() -> None:
    with pytest.raises(NetworkError, match="no way from router a to router c"):
        require_connected(from_edges([("a", "b"), ("c", "d")]))
    with pytest.raises(NetworkError, match="no way from router r1 to router r0"):
        require_connected(network("{0 -> 1}"))
    require_connected(topologies.ring(5))


def test_terminals_decide_what_is_connected() -> None:
    require_connected(Network("butterfly", 3, [0, 1], [1, 2], inject=[0], eject=[2]))
    with pytest.raises(NetworkError, match="no terminals"):
        require_connected(Network("bare", 2, [0, 1], [1, 0], inject=[], eject=[]))


def test_digest_sees_every_part_of_a_network() -> None:
    base = topologies.torus(4, 4)
    same = topologies.torus(4, 4)
    others = [topologies.torus(4, 4, latency=2), topologies.mesh(4, 4), topologies.torus(2, 8)]
    others += [base.without(routers=[3]), base.without(channels=[3])]
    assert digest(base) == digest(same)
    names = tuple(f"x{i}" for i in range(16))
    others += [replace(base, **in_parts({part: value}, of=base)) for part, value in {
        "router_labels": names, "terminal_labels": names, "dimensions": ("u", "v"), "radices": (8, 8),
        "ports": np.ones((base.num_channels, 2), dtype=np.int32),
        "inject": np.roll(base.inject, 1), "eject": np.roll(base.eject, 1),
    }.items()]  # fmt: skip
    bare = replace(base, places=replace(base.places, coordinates=None, radices=(), dimensions=()))
    others += [bare, replace(bare, num_routers=17)]
    assert len({digest(n) for n in [base, *others]}) == len(others) + 1
