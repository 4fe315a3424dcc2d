"""Audits against an independent reading of the files and a walk of every pair (tests/reference/fabric_routes.py)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fabrics.folders import EXAMPLES, ROUTED
from tests.fabrics.texts import PORTS, Layout, ibnetdiscover, lfts, lst, ring
from tests.reference.fabric_routes import (
    Plain,
    follow,
    plain_ibnetdiscover,
    plain_lanes,
    plain_levels,
    plain_lst,
    plain_tables,
)
from unknot._base.errors import UnknotError
from unknot.certificates import accept_verdict
from unknot.cli.answers.audits import audit_answer
from unknot.fabrics import read_fabric
from unknot.routing.switchboard import TRAFFICS
from unknot.verify.audit import Audit, audit
from unknot.verify.audit_traffic import TrafficAudit


@cache
def audited(folder: Path) -> Audit:
    return audit(read_fabric(folder))


@cache
def plainly(folder: Path) -> Plain:
    described = folder / "fabric.ibnetdiscover"
    plain = plain_ibnetdiscover(described) if described.exists() else plain_lst(folder / "opensm-subnet.lst")
    plain = plain_tables(plain, folder / "opensm.fdbs")
    if (folder / "paths.psl").exists():
        plain_lanes(plain_levels(plain, folder / "paths.psl"), folder / "opensm-sl2vl.dump")
    return plain


def compare(found: TrafficAudit, plain: Plain, names: dict[int, str], *, all_told: bool = True) -> None:
    """Everything an audit says of one kind of traffic, found again the naive way."""
    wanted = follow(plain, found.traffic)
    cyclic = not nx.is_directed_acyclic_graph(wanted.dependencies)
    assert found.verdict.deadlock_free is (False if cyclic else None if wanted.unknown else True)
    if found.verdict.deadlock_free is not None:
        accept_verdict(found.relation, found.verdict)
    delivery, lost = found.delivery, wanted.pairs - wanted.delivered - wanted.unknown
    assert (delivery.pairs, delivery.undelivered_pairs) == (wanted.pairs, lost)
    assert found.unknown.unknown_pairs == wanted.unknown
    assert delivery.delivered is (False if lost else None if wanted.unknown else True)
    assert found.holds is (False if cyclic or lost else None if wanted.unknown else True)
    longer = [wanted.lengths[pair] - wanted.shortest[pair] for pair in wanted.lengths]
    if delivery.delivered or not plain.lane:
        assert found.longer_pairs == sum(extra > 0 for extra in longer)
        assert found.extra_hops == max(longer, default=0)
    if delivery.delivered:
        assert delivery.minimal is (not found.longer_pairs)
        assert delivery.longest_route == max(wanted.lengths.values())
    dead = {(names[guid], lid) for guid, lid in wanted.lost}
    shown = {
        (line.split()[0], int(line.split("LID ")[1][:6], 16)) for line in found.lost if not line.startswith("LID")
    }
    assert shown == dead if len(found.lost) < 20 else shown <= dead
    assert bool(found.loop) == cyclic
    if cyclic:
        guid = {name: g for g, name in names.items()}
        ring = [guid[name] for name in found.loop]
        steps = {
            (a[0], b[0], plain.cable[b[:2]][0])
            for a, b in wanted.dependencies.edges
            if plain.cable[a[:2]][0] in plain.switches and plain.cable[b[:2]][0] in plain.switches
        }
        for i, here in enumerate(ring):
            assert (ring[i - 1], here, ring[(i + 1) % len(ring)]) in steps


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("folder", ROUTED, ids=lambda f: f.name)
@pytest.mark.parametrize("position", range(len(TRAFFICS)), ids=TRAFFICS)
def test_examples_agree_with_a_walk_of_every_pair(folder: Path, position: int) -> None:
    found = audited(folder)
    assert [kind.traffic for kind in found.traffics] == list(TRAFFICS)
    network = found.fabric.network
    names = {int(guid): network.router_name(r) for r, guid in enumerate(found.fabric.switch_guid)}
    compare(found.traffics[position], plainly(folder), names)


EXPECTED = {
    "ibutils-65sw": (True, True, False, False),
    "opensm-leafspine-degraded-ftree": (True, True, True, False),
    "opensm-random48-lash": (False, False, False, False),
    "opensm-random48-updn-rooted": (True, True, True, True),
    "opensm-ring12-lash": (True, False, False, False),
    "opensm-torus4x4-updn-multicast": (True, True, True, True),
    "opensm-torus8x8-dor": (False, False, False, False),
    "opensm-torus8x8-updn": (False, False, False, False),
    "opensm-torus8x8-updn-rooted": (True, True, True, True),
}


@pytest.mark.parametrize("folder", ROUTED, ids=lambda f: f.name)
def test_verdicts_of_the_examples(folder: Path) -> None:
    found = audited(folder)
    assert tuple(kind.verdict.deadlock_free for kind in found.traffics) == EXPECTED[folder.name]
    assert all(kind.delivery.delivered for kind in found.traffics)
    assert found.host_to_host.holds is EXPECTED[folder.name][0]
    assert all(kind.certificate_holds for kind in found.traffics)
    assert ("one virtual lane" in found.assumption) is (folder.name != "opensm-ring12-lash")


def test_the_loop_of_dimension_order_on_a_torus_is_a_row_or_column() -> None:
    found = audited(EXAMPLES / "opensm-torus8x8-dor")
    places = [tuple(int(n) for n in name[1:].split("_")) for name in found.loop]
    assert len(found.loop) == len(set(found.loop)) == 8
    assert 1 in {len({x for x, _ in places}), len({y for _, y in places})}


@pytest.mark.parametrize("folder", ROUTED, ids=lambda f: f.name)
def test_json_is_plain_and_says_the_same(folder: Path) -> None:
    found = audited(folder)
    shown = json.loads(json.dumps(audit_answer(found)))
    assert shown["holds"] is found.holds
    assert shown["deadlock_free"] is found.deadlock_free
    assert shown["reachability"] == found.host_to_host.verdict.reachability
    assert (shown["configuration"] is None) == (found.host_to_host.verdict.configuration is None)
    assert shown["loop"] == list(found.loop)
    assert shown["delivered"] is found.delivered
    assert shown["method"] == found.host_to_host.verdict.method
    assert [other["traffic"] for other in shown["others"]] == list(TRAFFICS[1:])
    if shown["configuration"]:
        assert shown["configuration"]["messages"][0]["source_name"][0] == "H"
        assert "LID 0x" in shown["configuration"]["messages"][0]["address_name"]


def audit_of(layout: Layout, **options: str) -> Audit:
    with TemporaryDirectory() as folder:
        (Path(folder) / "fabric").write_text(ibnetdiscover(layout))
        (Path(folder) / "tables").write_text(lfts(layout))
        return audit(read_fabric(folder), **options)


def test_a_ring_routed_clockwise() -> None:
    found = audit_of(ring(4))
    assert (found.holds, found.deadlock_free, found.delivered) == (False, False, True)
    assert found.loop == ("S0", "S1", "S2", "S3")
    assert found.host_to_host.extra_hops == 2
    assert found.host_to_host.longer_pairs == 4
    assert found.host_to_host.verdict.reachability == "injected"


@pytest.mark.parametrize("switching", ["saf", "vct", "wormhole", "wormhole-nonatomic"])
def test_every_technique(switching: str) -> None:
    found = audit_of(ring(4), switching=switching)
    assert found.switching == switching
    assert found.deadlock_free is False
    assert set(found.loop) == {"S0", "S1", "S2", "S3"}


def test_dead_ends_and_loops_are_reported_with_switch_and_lid() -> None:
    layout = ring(4)
    layout.tables["S1"] |= {3: 9, 4: 40}
    layout.tables["S2"][4] = 255
    layout.tables["S3"][1] = 3
    layout.tables["S0"][2] = 0
    layout.tables["S1"][1] = 1
    layout.tables["S2"][1] = 2
    found = audit_of(layout)
    assert (found.holds, found.delivered) == (False, False)
    assert set(found.host_to_host.lost) == {
        "S1 sends LID 0x0003 (H2) to port 9, which leads nowhere",
        "S1 sends LID 0x0004 (H3) to port 40, but has ports 1 to 12",
        "S2 has no entry for LID 0x0004 (H3)",
        "S3 sends LID 0x0001 (H0) to port 3, where H3 is",
        "S0 sends LID 0x0002 (H1) to port 0, which is the switch itself",
        "LID 0x0001 (H0) goes round for ever: S1 → S2 → S1",
    }
    assert found.host_to_host.delivery.undelivered_pairs == 12
    assert audit_answer(found)["lost"] == list(found.host_to_host.lost)


def test_safe_but_incomplete_tables_do_not_hold() -> None:
    layout = ring(3)
    layout.tables = {name: dict.fromkeys(table, 255) for name, table in layout.tables.items()}
    found = audit_of(layout)
    assert found.deadlock_free is True
    assert (found.holds, found.delivered) == (False, False)
    assert found.host_to_host.delivery.undelivered_pairs == 6


def test_a_fabric_without_tables_or_without_hosts_cannot_be_audited(tmp_path: Path) -> None:
    with pytest.raises(UnknotError, match=r"has no forwarding tables.*`unknot show`"):
        audit(read_fabric(EXAMPLES / "ibutils-rhino512"))
    layout = ring(3)
    layout.lids = {end: lid for end, lid in layout.lids.items() if end[0] in ("S0", "S1", "S2", "H0")}
    with pytest.raises(UnknotError, match="1 host ports with a LID"):
        audit_of(layout)
    with pytest.raises(UnknotError, match="unknown switching"):
        audit_of(ring(3), switching="cut-through")


def test_switches_without_lids_leave_host_traffic_only() -> None:
    layout = ring(3)
    layout.lids = {end: lid for end, lid in layout.lids.items() if end[0][0] == "H"}
    found = audit_of(layout)
    assert found.others == ()
    assert found.deadlock_free is False


def test_a_lone_switch_whose_third_host_is_down(tmp_path: Path) -> None:
    """Nobody answers to LID 3, to which no way is measured."""
    hosts = [(f"H{port}", 1) for port in (1, 2, 3)]
    lids = {host: (port, 0) for port, host in enumerate(hosts, 1)}
    layout = Layout([(("S0", end[0]), host) for host, end in lids.items()], lids, {"S0": {1: 1, 2: 2, 3: 3}})
    (tmp_path / "list").write_text(lst(layout, down=[("S0", 3), ("H3", 1)]))
    (tmp_path / "tables").write_text(lfts(layout))
    found = audit(read_fabric(tmp_path))
    assert (found.holds, found.fabric.owner.tolist(), found.host_to_host.extra_hops) == (True, [0, 1, -1], 0)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Connected fabrics of a few switches with any tables at all."""
    switches = draw(st.integers(1, 6))
    free = {s: list(range(1, PORTS)) for s in range(switches)}
    links = []
    more = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
    pairs = [(draw(st.integers(0, s - 1)), s) for s in range(1, switches)]
    for a, b in pairs + draw(st.lists(more, max_size=4)):
        if a != b and free[a] and free[b]:
            links.append(((f"S{a}", free[a].pop(0)), (f"S{b}", free[b].pop(0))))
    lids = {(f"S{s}", 0): (100 + s, 0) for s in range(switches)}
    homes = draw(st.lists(st.integers(0, switches - 1), min_size=2, max_size=5))
    for h, s in enumerate(homes):
        links.append(((f"S{s}", free[s].pop(0)), (f"H{h}", 1)))
        lids[f"H{h}", 1] = (4 * (h + 1), draw(st.integers(0, 2)))
    layout = Layout(links, lids)
    every = [lid for base, lmc in lids.values() for lid in range(base, base + (1 << lmc))]
    for s in range(switches):
        used = [port for port, _ in layout.ends(f"S{s}")]
        ports = st.sampled_from(used) | st.sampled_from([*used, 0, 11, 77, 255])
        layout.tables[f"S{s}"] = {lid: draw(ports) for lid in sorted(every) if draw(st.integers(0, 30))}
    for lid, owner in ((lid, end) for end, (b, m) in lids.items() for lid in range(b, b + (1 << m))):
        home = owner[0] if owner[1] == 0 else next(a[0] for a, b in links if b == owner)
        port = 0 if owner[1] == 0 else next(a[1] for a, b in links if b == owner)
        if draw(st.integers(0, 9)):
            layout.tables[home][lid] = port
    return layout


@settings(max_examples=4)
@given(layout=layouts())
def test_any_tables_agree_with_a_walk_of_every_pair(layout: Layout) -> None:
    check_any_tables(layout)


@pytest.mark.campaign
@settings(max_examples=100)
@given(layout=layouts())
def test_many_tables_agree_with_a_walk_of_every_pair(layout: Layout) -> None:
    check_any_tables(layout)


def check_any_tables(layout: Layout) -> None:
    with TemporaryDirectory() as folder:
        described, tables = Path(folder) / "fabric", Path(folder) / "tables"
        described.write_text(ibnetdiscover(layout))
        tables.write_text(lfts(layout))
        found = audit(read_fabric(folder))
        plain = plain_tables(plain_ibnetdiscover(described), tables)
    for kind in found.traffics:
        if kind.delivery.pairs:
            compare(kind, plain, plain.name)
