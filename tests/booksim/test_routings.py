"""BookSim's networks and routings: every packet arrives, by ways as long as they should be."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from tests.booksim.files import understood
from unknot._base.errors import UnknotError
from unknot.routing.contract import Detour
from unknot.verify import check, deliver
from unknot_booksim import Setup
from unknot_booksim.networks import build
from unknot_booksim.routings import NOT_BUILT, ROUTINGS
from unknot_booksim.runs import run_booksim

SIZES = {
    "mesh": "k=3;n=2",
    "torus": "k=4;n=2",
    "fly": "k=3;n=2",
    "fattree": "k=2;n=3",
    "qtree": "k=4;n=3",
    "tree4": "k=4;n=3",
    "cmesh": "k=4;n=2;c=4;xr=2;yr=2;x=4;y=4",
    "flatfly": "k=4;n=2;c=4;xr=2;yr=2;x=4;y=4",
    "dragonflynew": "k=2;n=1",
}
CAN_DEADLOCK = {("mesh", "min_adapt"), ("mesh", "oddeven"), ("torus", "min_adapt"), ("dragonflynew", "ugal")}
"""An escape VC is not enough where a VC holds several packets, nor one VC for the groups of source and waypoint."""


def vcs_of(topology: str, routing: str) -> int:
    """VCs per channel in these tests: as many as the routing divides equally."""
    return 3 if (topology, routing) == ("dragonflynew", "ugal") else 4


def setup_of(folder: Path, topology: str, routing: str, *more: str, faithful: bool = False) -> Setup:
    if topology == "anynet":
        (folder / "net").write_text(
            "router 0 node 0 router 1 5 router 2\nrouter 1 node 1 router 2\nrouter 2 node 2\n"
        )
        more = ("network_file=net", *more)
    if (topology, routing) == ("anynet", "xy"):
        square = "router 0 node 0 router 1 router 2 router 3\nrouter 1 node 1 router 3\n"
        (folder / "net").write_text(square + "router 2 node 2 router 3\nrouter 3 node 3\n")
        more = ("anynet_cols=2", *more)
    keys = [
        f"topology={topology}",
        *SIZES.get(topology, "k=3").split(";"),
        f"routing_function={routing}",
        f"num_vcs={vcs_of(topology, routing)}",
    ]
    return understood(folder, *keys, *more, faithful=faithful)


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("pair", ROUTINGS)
def test_every_packet_arrives(pair: tuple[str, str], tmp_path: Path) -> None:
    relation = setup_of(tmp_path, *pair).relation
    found = deliver(relation)
    assert found.delivered
    assert relation.claims_minimal is not True or found.minimal
    assert relation.claims_minimal or not found.minimal
    assert relation.vcs.each == vcs_of(*pair)
    assert check(relation, "wormhole-nonatomic").deadlock_free is (pair not in CAN_DEADLOCK)
    assert check(relation, "wormhole").deadlock_free or pair == ("dragonflynew", "ugal")


@pytest.mark.parametrize("pair", [pair for pair in ROUTINGS if pair != ("torus", "valiant")])
def test_every_packet_arrives_faithfully(pair: tuple[str, str], tmp_path: Path) -> None:
    assert deliver(setup_of(tmp_path, *pair, faithful=True).relation).delivered


@pytest.mark.parametrize(
    "pair",
    [
        ("mesh", "xy_yx"), ("torus", "dim_order"), ("torus", "dim_order_bal"), ("cmesh", "xy_yx"),
        ("cmesh", "xy_yx_no_express"), ("flatfly", "xyyx"),
    ],
)  # fmt: skip
def test_an_odd_vc_belongs_to_the_second_class(pair: tuple[str, str], tmp_path: Path) -> None:
    relation = setup_of(tmp_path, *pair, "num_vcs=3").relation
    assert check(relation, "wormhole-nonatomic").deadlock_free
    offered = [
        [c.vc for c in relation.candidates(at, address) if c.vc is not None]
        for at in range(relation.num_vcs, relation.vcs.router.size)
        for address in range(relation.num_addresses)
    ]
    assert {tuple(relation.vcs.index[found].tolist()) for found in offered if found} == {(0,), (1, 2)}
    with pytest.raises(UnknotError, match="halves of 3 VCs share the middle one"):
        setup_of(tmp_path, *pair, "num_vcs=3", faithful=True)


def test_valiant_of_booksim_can_deadlock(tmp_path: Path) -> None:
    assert (
        check(setup_of(tmp_path, "mesh", "valiant", faithful=True).relation, "wormhole-nonatomic").deadlock_free
        is False
    )


@pytest.mark.parametrize(
    ("routing", "offered"), [("min_adapt", [(0, 1, 2, 3), (1, 2, 3)]), ("planar_adapt", [(2, 3), (0,)])]
)
def test_adaptive_routing_of_booksim_offers_one_direction(
    routing: str, offered: list[tuple[int, ...]], tmp_path: Path
) -> None:
    for faithful, ways in ((False, 2), (True, 1)):
        relation = setup_of(tmp_path, "mesh", routing, faithful=faithful).relation
        vcs = [c.vc for c in relation.candidates(relation.num_vcs, 8) if c.vc is not None]
        channels = list(dict.fromkeys(relation.vcs.channel[vcs].tolist()))
        found = [tuple(int(relation.vcs.index[v]) for v in vcs if relation.vcs.channel[v] == c) for c in channels]
        assert found == offered[:ways]


@pytest.mark.long
def test_express_channels_of_large_meshes(tmp_path: Path) -> None:
    """BookSim's packets go to and fro for ever where they take express channels for 2 hops."""
    large = ("k=8", "x=8", "y=8")
    assert deliver(setup_of(tmp_path, "cmesh", "xy_yx", *large).relation).delivered
    assert not deliver(setup_of(tmp_path, "cmesh", "xy_yx", *large, faithful=True).relation).delivered


@pytest.mark.parametrize(
    ("topology", "routers", "nodes", "diameter"),
    [
        ("mesh", 9, 9, 4), ("torus", 16, 16, 4), ("fattree", 12, 8, 4),
        ("cmesh", 16, 64, 4), ("flatfly", 16, 64, 2), ("dragonflynew", 36, 72, 3),
    ],
)  # fmt: skip
def test_sizes(topology: str, routers: int, nodes: int, diameter: int, tmp_path: Path) -> None:
    network = build(setup_of(tmp_path, topology, next(r for t, r in ROUTINGS if t == topology)).configuration).network
    assert (network.num_routers, network.num_terminals) == (routers, nodes)
    graph = nx.DiGraph(zip(network.source.tolist(), network.target.tolist(), strict=True))
    assert graph.number_of_edges() == network.num_channels
    ends = set(network.eject.tolist())
    far = dict(nx.all_pairs_shortest_path_length(graph))
    assert max(far[a][b] for a in ends for b in ends) == diameter


def test_adaptive_routing_takes_every_port_up(tmp_path: Path) -> None:
    for routing, ports in (("nca", 1), ("anca", 2)):
        relation = setup_of(tmp_path, "fattree", routing).relation
        last = relation.network.num_terminals - 1
        found = {relation.vcs.channel[c.vc] for c in relation.candidates(relation.num_vcs, last) if c.vc is not None}
        assert len(found) == ports


def test_odd_rings_have_one_shortest_way(tmp_path: Path) -> None:
    for routing in ("dim_order", "dim_order_bal", "min_adapt"):
        relation = setup_of(tmp_path, "torus", routing, "k=5").relation
        assert deliver(relation).minimal


def test_cables_to_terminals_of_a_flattened_butterfly(tmp_path: Path) -> None:
    """Three terminals a side are a cycle away; four would be more."""
    relation = setup_of(tmp_path, "flatfly", "ran_min", "k=2", "n=2", "c=9", "xr=3", "yr=3", "x=2", "y=2").relation
    assert relation.network.num_terminals == 36


def test_latencies_of_channels(tmp_path: Path) -> None:
    for topology, routing, found in (
        ("torus", "dim_order", {2}), ("mesh", "dor", {1}), ("cmesh", "dor", {2, 4}),
        ("flatfly", "ran_min", {2, 4, 6}), ("dragonflynew", "min", {10, 100}),
    ):  # fmt: skip
        network = setup_of(tmp_path, topology, routing).relation.network
        assert set(network.latency.tolist()) == found
        if topology in ("torus", "cmesh", "flatfly"):
            plain = setup_of(tmp_path, topology, routing, "use_noc_latency=0").relation.network
            assert set(plain.latency.tolist()) == {1}


def test_shortest_ways_of_files_prefer_low_numbers(tmp_path: Path) -> None:
    relation = setup_of(tmp_path, "anynet", "min").relation
    network = relation.network
    for source in range(3):
        for target in range(3):
            if source != target:
                candidate = relation.candidates(relation.num_vcs + source, target)[0].vc
                assert candidate is not None
                step = int(network.target[relation.vcs.channel[candidate]])
                # From router 0 to router 1 the way by router 2 takes 2 cycles, the channel between them 5.
                assert step == (2 if (source, target) == (0, 1) else target)


def test_routings_that_are_not_built_say_why(tmp_path: Path) -> None:
    for topology, routing in NOT_BUILT:
        with pytest.raises(UnknotError, match="is not built"):
            setup_of(tmp_path, topology, routing)
    with pytest.raises(UnknotError, match="did you mean dim_order"):
        setup_of(tmp_path, "mesh", "dimorder")
    with pytest.raises(UnknotError, match="BookSim's default"):
        understood(tmp_path, text="num_vcs = 2;")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("topology=torus;k=1", "at least 2 routers"), ("topology=qtree", "wants k = 4 and n = 3"),
        ("topology=tree", "there is no topology 'tree'"),
        ("topology=cmesh", "even k"), ("topology=cmesh;k=4;c=4", "xr = 2"), ("topology=flatfly;x=3", "x = y"),
        ("topology=flatfly;x=4;y=4", "whole rows"), ("topology=dragonflynew", "n = 1"), ("topology=anynet", "a file"),
        ("topology=flatfly;k=2;n=5;c=1;xr=1;yr=1;x=4;y=8", "from 1 to 4"),
        ("topology=flatfly;k=2;n=2;c=16;xr=4;yr=4;x=2;y=2", "more than a cycle"),
        ("topology=cmesh;k=2;n=3", "from 1 to 2"),
        ("topology=flatfly;k=200;n=2;c=1;xr=1;yr=1;x=200;y=200", "has 16000000 channels"),
        ("topology=torus;k=40;n=3;num_vcs=2;x=1;n=4", "more than 65536"),
        ("topology=meshh", "did you mean mesh"), ("k=1000;n=9", "more than"),
        ("routing_function=xy_yx;num_vcs=1", "at least 2 VCs"), ("routing_function=romm;num_vcs=3", "even number"),
        ("routing_function=dim_order_ni;num_vcs=9", "dim_order is built"),
        ("topology=torus;routing_function=valiant;num_vcs=6", "a multiple of 4 VCs"),
    ],
)  # fmt: skip
def test_sizes_that_do_not_fit(keys: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UnknotError, match=words):
        understood(tmp_path, *keys.split(";"))


def test_a_routing_that_stops_booksim_is_refused_faithfully(tmp_path: Path) -> None:
    with pytest.raises(
        UnknotError, match="routing_function: valiant on torus: BookSim stops with a failed assertion"
    ):
        setup_of(tmp_path, "torus", "valiant", faithful=True)


def test_draws_are_equally_likely(tmp_path: Path) -> None:
    """A packet has an address for each draw, so each is drawn as often as in BookSim."""
    relation = setup_of(tmp_path, "fattree", "nca").relation
    assert np.bincount(relation.destination).tolist() == [4] * 8


def test_the_page_lists_every_routing() -> None:
    page = (Path(__file__).parents[2] / "docs" / "booksim.md").read_text(encoding="utf-8")
    for topology, routing in ROUTINGS:
        line = next(line for line in page.splitlines() if line.startswith("|") and f"`{topology}`" in line)
        assert f"`{routing}`" in line


def test_decisions_are_those_of_booksim(tmp_path: Path) -> None:
    """Nobody is in the way, so packets that compare go minimally, and of two orders they keep the one they drew."""
    idle = ("injection_rate=0.001", "sample_period=1000", "use_noc_latency=0")
    for topology, routing, minimal in (
        ("flatfly", "ugal", "ran_min"), ("flatfly", "ugal_xyyx", "ran_min"),
        ("dragonflynew", "ugal", "min"), ("mesh", "adaptive_xy_yx", "dor"),
    ):  # fmt: skip
        hops = [
            run_booksim(setup_of(tmp_path, topology, one, *idle, faithful=True))[0].runs.runs[0].hops_mean
            for one in (routing, minimal)
        ]
        assert hops[0] == pytest.approx(hops[1], rel=0.03)
    orders = setup_of(tmp_path, "mesh", "adaptive_xy_yx").relation
    assert orders.decides == Detour(weight=1, margin=-1)
    assert orders.num_addresses == 18


def test_rows_then_columns_of_a_fork(tmp_path: Path) -> None:
    relation = setup_of(tmp_path, "anynet", "xy").relation
    network = relation.network
    (first,) = {int(relation.vcs.channel[vc]) for vc in (one.vc for one in relation.candidates(relation.num_vcs, 3))}
    assert (network.source[first], network.target[first]) == (0, 1)
    with pytest.raises(UnknotError, match="no multiple of 3"):
        setup_of(tmp_path, "anynet", "xy", "anynet_cols=3")
    with pytest.raises(UnknotError, match="router 1 has no channel to router 2"):
        setup_of(tmp_path, "anynet", "xy", "anynet_cols=4")


def test_ways_of_oddeven_are_those_of_its_fork(tmp_path: Path) -> None:
    """By column: odd ones let packets to the right turn, even ones packets to the left; else there is one way."""
    setup = setup_of(tmp_path, "mesh", "oddeven", "k=4")
    relation, channel = setup.relation, setup.built.channel
    for here in range(16):
        for there in set(range(16)) - {here}:
            (x, y), (to, down) = (here % 4, here // 4), (there % 4, there // 4)
            along, beside = {int(to < x)} if to != x else set(), {2 + int(down < y)} if down != y else set()
            if x % 2:
                wanted = along if to < x else along | beside
            else:
                wanted = along | beside if to < x or not beside else beside
            found = [one.vc for one in relation.candidates(relation.num_vcs + here, there) if one.tier == 0]
            ports = {int(np.flatnonzero(channel[here] == relation.vcs.channel[vc])[0]) for vc in found}
            assert ports == wanted, (here, there)
