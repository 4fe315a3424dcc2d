"""What dying cables, channels and switches cut off, against a walk of every pair without them."""

from __future__ import annotations

import csv
import re
from itertools import combinations
from math import comb
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import pytest
from hypothesis import given, settings

from tests.cli.test_cli import answer, unknot_says
from tests.fabrics.folders import EXAMPLES
from tests.fabrics.texts import Layout, ibnetdiscover, lfts
from tests.verify.test_audit import layouts
from unknot._base.memory import SizeError, memory_limit
from unknot.certificates import Rejected, document, plain
from unknot.fabrics import Fabric, read_fabric
from unknot.verify.failures import Failures, Parts
from unknot.verify.table_faults import TableFaults, table_faults

Pair = tuple[int, int]


def delivered(fabric: Fabric, dead: set[int], gone: set[int]) -> tuple[set[Pair], set[Pair]]:
    """Pairs (terminal, LID) of surviving hosts that arrive, and those that have a way, without some channels."""
    network = fabric.network
    assert fabric.tables is not None
    assert network.ports is not None
    wired = {(int(network.source[c]), int(network.ports[c, 0])): c for c in range(network.num_channels)}
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from((network.source[c], network.target[c]) for c in range(network.num_channels) if c not in dead)
    arrive, could = set(), set()
    for column, owner in enumerate(fabric.owner.tolist()):
        for source in range(network.num_terminals):
            if not 0 <= owner < network.num_terminals or owner == source:
                continue
            here, home = int(network.inject[source]), int(network.eject[owner])
            if here in gone or home in gone:
                continue
            if nx.has_path(graph, here, home):
                could.add((source, int(fabric.lids[column])))
            for _ in range(network.num_routers + 1):
                port = int(fabric.tables[here, column])
                if here == home and port == fabric.host_port[owner]:
                    arrive.add((source, int(fabric.lids[column])))
                    break
                channel = wired.get((here, port))
                if channel is None or channel in dead:
                    break
                here = int(network.target[channel])
    return arrive, could


def channels_of(fabric: Fabric, kind: Parts) -> dict[str, tuple[set[int], set[int]]]:
    """Each part: its channels, and its switch."""
    network = fabric.network
    every = range(network.num_channels)
    if kind == "channels":
        return {network.channel_name(c): ({c}, set()) for c in every}
    if kind == "routers":
        return {
            network.router_name(r): ({c for c in every if r in (network.source[c], network.target[c])}, {r})
            for r in range(network.num_routers)
        }
    links: dict[str, tuple[set[int], set[int]]] = {}
    for c in every:
        near, far = network.channel_name(c).split("→")
        ends = sorted([(network.source[c], near), (network.target[c], far)], key=lambda e: (e[0], _port(e[1])))
        links.setdefault(f"{ends[0][1]} – {ends[1][1]}", (set(), set()))[0].add(c)
    return links


def _port(end: str) -> int:
    return int(end.rsplit("[", 1)[1].rstrip("]"))


def compare(fabric: Fabric, kind: Parts, at_once: int) -> None:
    parts = channels_of(fabric, kind)
    if len(parts) < at_once:
        return
    sweep = table_faults(fabric, failures=Failures(kind=kind, at_once=at_once, budget=10**6))
    whole, _ = delivered(fabric, set(), set())
    assert (sweep.possible, sweep.sampled) == (comb(len(parts), at_once), False)
    rows: dict[str, set[tuple[str, int]]] = {}
    for row in sweep.rows():
        rows.setdefault(row["parts"], set()).add((row["source"], int(row["lid"], 16)))
    expected = {}
    for names in combinations(parts, at_once):
        dead = set().union(*(parts[name][0] for name in names))
        gone = set().union(*(parts[name][1] for name in names))
        arrive, could = delivered(fabric, dead, gone)
        kept, _ = delivered(fabric, set(), gone)
        lost = (whole & kept) - arrive
        outcome = "disconnected" if lost - could else "cut" if lost else "holds"
        expected[names] = (outcome, len(lost), len(lost - could))
        named = {(fabric.network.terminal_name(source), lid) for source, lid in lost}
        assert rows.get(", ".join(names), set()) == named
    assert {f.parts: (f.outcome, f.lost_pairs, f.severed_pairs) for f in sweep.tried} == expected
    harm = [fault.lost_pairs for fault in sweep.tried]
    assert harm == sorted(harm, reverse=True)
    assert all((fault.example == "") == (fault.lost_pairs == 0) for fault in sweep.tried)
    assert sweep.pairs - sweep.undelivered_before == len(whole)
    accepted(sweep)


def accepted(sweep: TableFaults) -> None:
    """The checker counts the same, and takes no other numbers."""
    claim = sweep.claim
    evidence = document(sweep.fabric.network, sweep.relation, [claim])
    assert f"each of {len(sweep.tried)} sets of faults" in plain.accept(evidence)[0]
    for fault in claim["faults"][:: max(1, len(claim["faults"]) // 3)]:
        for name in ("lost", "severed"):
            fault[name] += 1
            with pytest.raises(Rejected, match="a fault cuts"):
                plain.accept(evidence)
            fault[name] -= 1


@settings(max_examples=5)
@given(layout=layouts())
def test_any_tables(layout: Layout) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "fabric").write_text(ibnetdiscover(layout))
        (Path(folder) / "tables").write_text(lfts(layout))
        fabric = read_fabric(folder)
    if fabric.network.num_channels:
        compare(fabric, "links", 1)
        compare(fabric, "channels", 1)
        compare(fabric, "links", 2)
    compare(fabric, "routers", 1)


@pytest.mark.parametrize("kind", ["links", "routers"])
def test_a_ring(kind: Parts) -> None:
    compare(read_fabric(EXAMPLES / "opensm-ring12-lash"), kind, 1)


def test_a_bridge_disconnects_and_a_cable_without_routes_does_no_harm() -> None:
    sweep = table_faults(read_fabric(EXAMPLES / "ibutils-65sw"))
    assert sweep.tried[0].outcome == "disconnected"
    assert sweep.tried[0].severed_pairs == sweep.tried[0].lost_pairs == 4
    assert sweep.counts == {"disconnected": 1, "cut": 21, "holds": 147}


def test_sets_are_drawn_beyond_the_budget() -> None:
    fabric = read_fabric(EXAMPLES / "opensm-torus8x8-dor")
    failures = Failures(at_once=2, budget=5, seed=3)
    sweep = table_faults(fabric, failures=failures)
    assert (sweep.sampled, len(sweep.tried), sweep.possible) == (True, 5, comb(128, 2))
    assert [f.parts for f in table_faults(fabric, failures=failures).tried] == [f.parts for f in sweep.tried]


def test_routes_that_do_not_fit_the_memory() -> None:
    fabric = read_fabric(EXAMPLES / "opensm-torus8x8-dor")
    with memory_limit("100K"), pytest.raises(SizeError, match="hops in all"):
        table_faults(fabric)


def test_sets_that_do_not_fit_the_memory() -> None:
    fabric = read_fabric(EXAMPLES / "opensm-ring12-lash")
    with memory_limit("20K"), pytest.raises(SizeError, match="a list of 220 sets of failed links"):
        table_faults(fabric, failures=Failures(at_once=3))


def test_the_command(tmp_path: Path) -> None:
    folder = str(EXAMPLES / "opensm-ring12-lash")
    table = tmp_path / "lost.csv"
    result = unknot_says("faults", folder, "--show", "2", "--pairs", str(table))
    assert result.exit_code == 1
    assert re.search(r"cut +36 +0 +132 ", result.output)
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 72
    assert list(rows[0]) == ["parts", "source", "destination", "lid", "severed"]
    shown = answer(
        unknot_says("faults", f"{folder}/fabric.ibnetdiscover", "--tables", f"{folder}/opensm-lfts.dump", "--json")
    )
    assert (shown["survives"], shown["counts"], len(shown["tried"])) == (False, {"cut": 12}, 12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ring(4)",), "name a --routing"),
        (("nowhere.lst",), "there is no file 'nowhere.lst'"),
        ((str(EXAMPLES / "ibutils-rhino512"),), "no forwarding tables"),
        (
            (str(EXAMPLES / "opensm-ring12-lash"), "--repair"),
            "--repair, --fewer, --between and --vcs are of a --routing",
        ),
        ((str(EXAMPLES / "opensm-ring12-lash"), "--at-once", "13"), "13 of 12 links"),
        ((str(EXAMPLES / "opensm-ring12-lash"), "--budget", "0"), "budget of at least 1"),
        (("ring(4)", "--routing", "up_down", "--pairs", "x.csv"), "without --routing"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], said: str) -> None:
    result = unknot_says("faults", *words)
    assert result.exit_code == 2
    assert said in result.output
