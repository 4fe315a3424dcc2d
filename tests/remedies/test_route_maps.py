"""Routes without valleys by route-maps: what is written, read back and judged, and what it costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from unknot._base.errors import TextError
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.network import Network
from unknot.network.families import xgft
from unknot.remedies.lossless import repair_lossless
from unknot.remedies.route_maps import FILE, judge_route_maps, write_route_maps

EXAMPLES = Path(__file__).parents[2] / "examples/ethernet"


def clos(folder: Path, network: Network, down: set[tuple[int, int]]) -> Path:
    """A folder of switches with all shortest paths on what is left, with addresses of neighbours."""
    folder.mkdir()
    ends = [(a, b) for a, b in zip(network.source.tolist(), network.target.tolist(), strict=True)]
    graph = nx.Graph([pair for pair in ends if (min(pair), max(pair)) not in down])
    for router in range(network.num_routers):
        routes: dict[str, object] = {}
        for home in sorted({*network.eject.tolist()}):
            near = sorted({path[1] for path in nx.all_shortest_paths(graph, router, home) if len(path) > 1})
            hops = [{"fib": True, "ip": f"10.9.{n}.1", "interfaceName": f"e{n}", "active": True} for n in near]
            local = [{"fib": True, "interfaceName": "hosts", "active": True}]
            kind = "bgp" if near else "connected"
            routes[f"10.1.{home}.0/24"] = [{"protocol": kind, "selected": True, "nexthops": hops or local}]
        (folder / f"s{router}.route.json").write_text(json.dumps(routes))
    cables = "".join(f"s{a} e{b} s{b} e{a}\n" for a, b in ends if a < b)
    (folder / "cables.txt").write_text(cables)
    return folder


def cut_pairs(network: Network, down: set[tuple[int, int]]) -> int:
    """Ordered pairs of leaves that no path joins that goes up and then down, by NetworkX."""
    assert network.coordinates is not None
    tier = network.coordinates[:, 0].tolist()
    graph = nx.DiGraph()
    for a, b in zip(network.source.tolist(), network.target.tolist(), strict=True):
        if (min(a, b), max(a, b)) not in down:
            graph.add_edge(*((a, "up"), (b, "up")) if tier[a] < tier[b] else ((a, "down"), (b, "down")))
    graph.add_edges_from(((r, "up"), (r, "down")) for r in range(network.num_routers))
    leaves = {*network.inject.tolist()}
    reached = {leaf: {r for r, way in nx.descendants(graph, (leaf, "up")) if way == "down"} for leaf in leaves}
    return sum(other != leaf and other not in reached[leaf] for leaf in leaves for other in leaves)


@pytest.mark.parametrize("down", [set(), {(0, 4)}, {(0, 4), (2, 6)}, {(0, 4), (1, 5), (4, 8)}], ids=len)
def test_what_is_written_admits_no_circle_and_costs_what_a_brute_force_says(
    tmp_path: Path, down: set[tuple[int, int]]
) -> None:
    network = xgft([1, 2, 2], [1, 2, 2])
    fabric = read_ethernet(clos(tmp_path / "fabric", network, down))
    write_route_maps(fabric, tmp_path / "fabric")
    maps = judge_route_maps(fabric, tmp_path / "fabric")
    assert (maps.free, maps.cut, maps.pairs) == (True, cut_pairs(network, down), 12)
    text = (tmp_path / "fabric" / f"s0.{FILE}").read_text()
    assert "neighbor 10.9.5.1 route-map UNKNOT-TO-ABOVE out" in text


def test_maps_that_are_not_loaded_everywhere_admit_a_circle(tmp_path: Path) -> None:
    repaired = repair_lossless(read_ethernet(EXAMPLES / "frr-two-links-down"), tmp_path / "out")
    assert repaired.maps is not None
    assert (repaired.maps.free, repaired.maps.cut, repaired.maps.pairs) == (True, 2, 12)
    for leaf in ("leaf2", "leaf3"):
        path = tmp_path / "out" / f"{leaf}.{FILE}"
        path.write_text(path.read_text().replace("route-map UNKNOT-TO-ABOVE deny", "route-map OTHER deny"))
    maps = judge_route_maps(read_ethernet(tmp_path / "out"), tmp_path / "out")
    assert (maps.free, maps.cut) == (False, 0)


def test_tunnels_between_tors_bounce_whatever_is_announced() -> None:
    repaired = repair_lossless(read_ethernet(EXAMPLES / "dual-tor-one-queue"))
    assert repaired.maps is not None
    assert repaired.maps.free is False


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("neighbor to-spine0", "neighbor 10.0.0.9", "leaf0.*:11: .*no neighbour"),
        ("address-family", "x", "no address-f"),
    ],
)
def test_a_file_that_is_no_fragment_is_refused_with_its_line(old: str, new: str, words: str, tmp_path: Path) -> None:
    repair_lossless(read_ethernet(EXAMPLES / "frr-all-links-up"), tmp_path / "out")
    path = tmp_path / "out" / f"leaf0.{FILE}"
    lines = path.read_text().replace(old, new).splitlines(keepends=True)
    path.write_text("".join(line for line in lines if old[0] == "n" or "neighbor" not in line))
    with pytest.raises(TextError, match=words):
        judge_route_maps(read_ethernet(tmp_path / "out"), tmp_path / "out")


def test_maps_beside_routes_that_are_not_read_are_open(tmp_path: Path) -> None:
    fabric = read_ethernet(EXAMPLES / "frr-two-links-down")
    assert repair_lossless(fabric, tmp_path / "whole").maps.free is True
    assert (
        repair_lossless(replace(fabric, unread=("routes of VRF blue (spine1)",)), tmp_path / "part").maps.free is None
    )
