"""Limits that people have, beside all networks there are; files of nodes; sentences for limits that contradict."""

from __future__ import annotations

import copy
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synthesis.topology.test_designed import total
from unknot import NetworkError
from unknot._base.errors import TextError
from unknot.certificates import Rejected, plain
from unknot.network.families import mesh
from unknot.synthesis.topology import Cut, LinkLimits, ReachClass, designed, read_limits, read_nodes, requested

Links = set[tuple[int, int]]


def drawn_limits(draw: st.DrawFn, nodes: int) -> LinkLimits:
    """Limits of each kind, two of which are there in the mean."""

    def perhaps(value: Any, nothing: Any = None) -> Any:
        return draw(st.sampled_from([nothing, nothing, nothing, value]))

    cut = Cut(draw(st.sampled_from("xy")), 0.5, draw(st.integers(1, 3)))
    classes = perhaps((ReachClass(1, 1, 1), ReachClass(2, draw(st.sampled_from([1.5, 3.0])), 2)), ())
    links = nodes * (1 if nodes < 6 else 2)
    return LinkLimits(
        existing=perhaps(((0, 1),), ()),
        classes=classes,
        racks=dict(enumerate(draw(st.lists(st.sampled_from("ab"), min_size=nodes, max_size=nodes)))),
        rack_links=perhaps(draw(st.integers(1, 3))),
        edge_wires=perhaps(draw(st.integers(1, 3))),
        cuts=perhaps((cut,), ()),
        length=perhaps(draw(st.sampled_from([1.0, 1.2, 1.5])) * links),
        price=perhaps(draw(st.sampled_from([1.0, 1.5])) * links) if classes else None,
        diameter=perhaps(draw(st.integers(2, 4))),
        survives=perhaps(True, False),
    )


def kept(links: Links, places: list[tuple[int, int]], limits: LinkLimits, one_way: bool) -> bool:
    """Whether links keep to all limits but ports and diameter, link by link."""

    def apart(u: int, v: int) -> float:
        return float(np.hypot(*np.subtract(places[u], places[v])))

    laid = [(u, v) for u, v in links if not {(u, v), (v, u)} & {*limits.existing}]
    if limits.length is not None and sum(apart(u, v) for u, v in laid) > limits.length + 1e-4:
        return False
    if limits.classes and any(apart(u, v) > limits.classes[-1].reach for u, v in links):
        return False
    if limits.price is not None:
        prices = [next(one.price for one in limits.classes if apart(*link) <= one.reach) for link in laid]
        if sum(prices) > limits.price:
            return False
    sides = [lambda node: limits.racks[node]] if limits.rack_links is not None else []
    for side, most in [(side, limits.rack_links) for side in sides] + [
        (lambda node, cut=cut: places[node]["xy".index(cut.axis)] > cut.at, cut.most) for cut in limits.cuts
    ]:
        for ends in product({side(node) for node in range(len(places))}, repeat=2):
            if ends[0] != ends[1] and sum((side(u), side(v)) == ends for u, v in links) > most:
                return False
    if limits.edge_wires is not None:
        directed: dict[object, int] = {}
        for u, v in links:
            for edge in way(places[u], places[v], u < v):
                directed[edge] = directed.get(edge, 0) + 1
        if max(directed.values(), default=0) > limits.edge_wires:
            return False
    return not limits.survives or all(
        total(len(places), links - ({(u, v)} if one_way else {(u, v), (v, u)}))[0] < 10**9 for u, v in links
    )


def way(at: tuple[int, int], end: tuple[int, int], rising: bool) -> list[object]:
    """Edges of the grid under a link, with directions: along x first from the end with the lower number."""
    corner = (end[0], at[1]) if rising else (at[0], end[1])
    found: list[object] = []
    for one, other in ((at, corner), (corner, end)):
        step = (int(np.sign(other[0] - one[0])), int(np.sign(other[1] - one[1])))
        while one != other:
            found.append((one, one := (one[0] + step[0], one[1] + step[1])))
    return found


@pytest.mark.long
@settings(deadline=None)
@given(st.data())
def test_limits_are_kept_by_the_best_of_all_networks(data: st.DataObject) -> None:
    one_way = data.draw(st.booleans())
    shapes = [(2, 2), (4, 1)] if one_way else [(2, 2), (3, 2), (4, 2), (2, 3), (6, 1)]
    grid = mesh(*data.draw(st.sampled_from(shapes)))
    assert grid.coordinates is not None
    places = [(*map(int, at), 0)[:2] for at in grid.coordinates]
    size = grid.num_routers
    limits = drawn_limits(data.draw, size) if len(grid.dimensions) > 1 else LinkLimits(
        length=data.draw(st.sampled_from([None, 1.5 * size])), cuts=(Cut("x", 1.5, data.draw(st.integers(1, 4))),),
        survives=data.draw(st.booleans()),
    )  # fmt: skip
    ports = data.draw(st.integers(2, 3))
    try:
        wanted = requested(grid, ports=ports, reach=1.0 if size == 8 else 2.0, both_ways=not one_way, limits=limits)
    except NetworkError:
        wanted = None
    near = [
        (u, v)
        for u, v in product(range(size), repeat=2)
        if u != v
        and np.hypot(*np.subtract(places[u], places[v])) <= (1.0 if size == 8 else 2.0)
        and (one_way or u < v)
    ]
    assert len(near) <= 14
    found = []
    for chosen in range(1 << len(near)):
        links = {near[i] for i in range(len(near)) if chosen >> i & 1}
        links |= set() if one_way else {(v, u) for u, v in links}
        if any(sum(node == link[side] for link in links) > ports for node in range(size) for side in (0, 1)):
            continue
        needed = {*limits.existing} | (set() if one_way else {(v, u) for u, v in limits.existing})
        if not (needed <= links and len(links) >= size and kept(links, places, limits, one_way)):
            continue
        far, hops = total(size, links)
        if far <= (limits.diameter or size):
            found.append(hops)
    if wanted is None or not found:
        assert not found
        if wanted is not None:
            with pytest.raises(NetworkError, match="no connected network"):
                designed(wanted, "hops", moves=20_000)
        return
    made = designed(wanted, "hops", moves=50_000)
    assert made.least_hops <= min(found)
    assert made.total_hops == min(found)
    assert made.evidence_holds


def test_prices_wires_and_a_dead_link_are_told_and_checked() -> None:
    limits = LinkLimits(
        existing=((0, 1),), classes=(ReachClass(1, 1, 1), ReachClass(2, 3, 2)), price=40, length=40,
        cuts=(Cut("x", 0.5, 3),), edge_wires=2, diameter=4, survives=True, racks={0: "a", 8: "b"}, rack_links=1,
    )  # fmt: skip
    made = designed(requested(mesh(3, 3), ports=4, limits=limits), moves=40_000)
    network, places = made.network, mesh(3, 3).coordinates
    assert places is not None
    ends = [*zip(network.source.tolist(), network.target.tolist(), strict=True)]
    far = [float(np.hypot(*(places[u] - places[v]))) for u, v in ends]
    assert network.latency.tolist() == [1 if one <= 1 else 2 for one in far]
    assert made.price == sum(1 if one <= 1 else 3 for one in far) - 2 <= 40
    worst = max(total(9, {*ends} - {(u, v), (v, u)})[::-1] for u, v in ends)
    assert made.dead_link.mean_hops == worst[0] / 72
    assert 0 < (made.dead_link.throughput or 0.0) < made.throughput_bound
    claim = made.evidence.claim
    plain.check(None, None, claim)

    def forged(sentence: str, **changes: Any) -> None:
        with pytest.raises(Rejected, match=sentence):
            plain.check(None, None, copy.deepcopy(claim) | changes)

    (most, takes), *others = claim["budgets"]
    spent = sum(part for u, v, part in takes if [u, v] in claim["links"])
    forged(f"take {spent} of a budget of {spent - 1}", budgets=[[spent - 1, takes], *others])
    forged("a link stands there twice", budgets=[[most, [*takes, takes[0]]], *others])
    forged("lists of 3 entries", budgets=[[most, [*takes[:-1], takes[-1][:2]]], *others])
    forged("hops apart", diameter=made.diameter - 1)
    for wrong in (None, 1, [[most]], [[most, [[0, 1, -1]]]], [["1", takes]], [[-1, takes]]):
        forged("^budgets: .*(lists of 2 entries|whole number from 0)", budgets=wrong)
    forged("'diameter' is str", diameter="4")
    forged("'survives' is int", survives=1)
    many = len(claim["budgets"])
    forged(f"there is no budget {many}", proof={"levels": 3, "rows": [*claim["proof"]["rows"], ["budget", many, 1]]})
    lone = [[u, v] for u in range(9) for v in (u - 1, u + 1) if 0 <= v < 9]
    forged("no other way leads from", links=lone, hops=240, diameter=None, budgets=[], allowed=None, required=[])


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"price": 3}, "give classes of reach"),
        ({"classes": (ReachClass(1, 2.0),), "price": 31}, "take 32 of the price at least, more than the limit of 31"),
        ({"length": 15.5}, "take 16 of the length of wires at least, more than the limit of 15.5"),
        ({"required": ((0, 8),), "length": 5}, "required links take 5.65685 of the length of wires, more than"),
        ({"rack_links": 1}, "name the nodes of each under racks"),
        ({"cuts": (Cut("z", 0.5, 1),)}, "'z' is none of the axes x, y"),
        ({"cuts": (Cut("x", 0.5, 0),)}, r"from \(0,0\) to \(1,0\): .* room for none of the wires up over x = 0.5"),
        ({"edge_wires": 0}, "room for none of the wires over the edge"),
        ({"diameter": 1}, "diameter of at most 1 is asked for; .* some nodes are 2 hops apart in any network"),
        ({"survives": True, "ports": {4: 1}}, r"\(1,1\) has 1 port, and is cut off"),
        ({"survives": True, "forbidden": ((0, 1), (0, 4), (0, 2), (0, 6), (0, 5), (0, 7), (0, 8))}, "dead link from"),
    ],
)
def test_limits_that_contradict_each_other_are_named(limits: dict[str, Any], sentence: str) -> None:
    with pytest.raises(NetworkError, match=sentence):
        requested(mesh(3, 3), ports=4, limits=LinkLimits(**limits))


def test_nodes_and_limits_are_read_at_their_places(tmp_path: Path) -> None:
    path = tmp_path / "hall.toml"
    path.write_text(
        """existing = [["a", "b"]]
rack_links = 1
length = 20
survives = true
[nodes]
a = [0, 0]
b = [0, 3]
c = [4, 0]
d = [4, 3]
[racks]
left = ["a", "b"]
right = ["c", "d"]
[[classes]]
reach = 5
price = 2.5
latency = 3
[[cuts]]
axis = "y"
at = 1
most = 2
"""
    )
    nodes, limits = read_nodes(path)
    assert limits == LinkLimits(
        existing=((0, 1),), rack_links=1, length=20.0, survives=True,
        racks={0: "left", 1: "left", 2: "right", 3: "right"},
        classes=(ReachClass(5.0, 2.5, 3),), cuts=(Cut("y", 1.0, 2),),
    )  # fmt: skip
    with pytest.raises(NetworkError, match="no connected network; give more time, moves or ports or looser limits"):
        designed(requested(nodes, ports=2, limits=limits), moves=2000)
    looser = limits._replace(rack_links=2, length=22.0)
    assert designed(requested(nodes, ports=2, limits=looser), moves=2000).price == 15
    for text, sentence in (
        ("nodes = 3", "hall.toml:1:9: a table"),
        ("rack_links = 3", "at least 2 nodes"),
        ("nodes = {a = [0, 0], b = [1]}", "hall.toml:1:26: 2 coordinates are needed as before, not 1"),
        ("nodes = {a = [0], b = [-1]}", "hall.toml:1:24: a whole number from 0 on"),
        ("nodes = {a = [], b = []}\nracks = {x = ['a'], y = ['a']}", "2:26: a is in rack x already"),
        ("nodes = {a = [], b = []}\nlength = -1.0", "hall.toml:2:10: a number from 0 on is needed here, not -1.0"),
        ("nodes = {a = [], b = []}\ncuts = [{axis = 'x', at = 1}]", "most is missing here"),
        ("nodes = {a = [], b = []}\ndiameter = 0", "a whole number from 1 on"),
    ):
        path.write_text(text)
        with pytest.raises(TextError, match=sentence):
            read_nodes(path)
    path.write_text("nodes = {a = []}")
    with pytest.raises(TextError, match="unknown key 'nodes'"):
        read_limits(path, nodes)
