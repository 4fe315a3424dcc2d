"""Audits with service levels and virtual lanes against a walk of every pair."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cli.test_cli import unknot_says
from tests.fabrics.folders import EXAMPLES
from tests.fabrics.texts import Layout, ibnetdiscover, lfts, psl, ring, sl2vl
from tests.reference.fabric_routes import plain_ibnetdiscover, plain_lanes, plain_levels, plain_tables
from tests.verify.test_audit import compare, layouts
from unknot._base.errors import UnknotError
from unknot.cli.answers.audits import audit_answer
from unknot.fabrics import read_fabric
from unknot.verify.audit import NO_MULTICAST, Audit, audit

RING = EXAMPLES / "opensm-ring12-lash"


def test_lash_on_a_ring_is_safe_with_its_lanes_alone() -> None:
    with_lanes = audit(read_fabric(RING))
    assert (with_lanes.holds, with_lanes.lanes) == (True, 6)
    assert with_lanes.host_to_host.certificate_holds
    alone = audit(read_fabric(RING / "fabric.ibnetdiscover", RING / "opensm-lfts.dump"))
    assert (alone.deadlock_free, alone.lanes) == (False, 1)
    levels = audit(read_fabric(RING / "fabric.ibnetdiscover", RING / "opensm-lfts.dump", levels=RING / "paths.psl"))
    assert (levels.holds, levels.lanes) == (True, 6)
    shown = audit_answer(with_lanes)
    assert shown["lanes"] == 6
    assert shown["levels_file"].endswith("paths.psl")
    assert shown["lanes_file"].endswith("opensm-sl2vl.dump")


def test_an_audit_says_where_the_lanes_come_from() -> None:
    tables, levels, lanes = (RING / name for name in ("opensm-lfts.dump", "paths.psl", "opensm-sl2vl.dump"))
    network = RING / "fabric.ibnetdiscover"
    said = {
        known: audit(
            read_fabric(
                network, tables, levels=levels if "SL" in known else None, lanes=lanes if "VL" in known else None
            )
        ).assumption
        for known in ("", "SL", "VL", "SL VL")
    }
    assert said[""].startswith("no service levels are known, so all traffic is judged as sharing one virtual lane")
    by_file, unmapped = f"service levels (SLs) by {levels}", "the VL is the SL modulo their number"
    assert all(words.endswith(NO_MULTICAST) for words in said.values())
    own = "SL 0 for the switches' own ports without a path record"
    assert said["SL"] == f"6 virtual lanes (VLs) in use; {by_file}, {own}; {unmapped}; {NO_MULTICAST}"
    assert said["SL VL"] == said["SL"].replace(unmapped, f"mapped to VLs by {lanes}")
    assert said["VL"].startswith(
        "no service levels are known, so all traffic is judged at service level (SL) 0, mapped"
    )
    assert f"by {lanes}; tables safe only in several lanes" in said["VL"]


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(("lanes", "free"), [(1, False), (2, False), (3, False), (6, True), (8, True)])
def test_fewer_lanes_than_the_levels_ask_for(lanes: int, free: bool) -> None:
    fabric = read_fabric(RING / "fabric.ibnetdiscover", RING / "opensm-lfts.dump", levels=RING / "paths.psl")
    found = audit(fabric, lanes=lanes)
    assert (found.deadlock_free, found.lanes) == (free, lanes)
    plain = plain_tables(plain_ibnetdiscover(RING / "fabric.ibnetdiscover"), RING / "opensm.fdbs")
    plain.lanes = lanes
    compare(found.host_to_host, plain_levels(plain, RING / "paths.psl"), plain.name)


def test_lanes_that_make_no_sense_are_refused() -> None:
    fabric = read_fabric(RING)
    with pytest.raises(UnknotError, match="give either that file or a number of lanes"):
        audit(fabric, lanes=2)
    bare = read_fabric(RING / "fabric.ibnetdiscover", RING / "opensm-lfts.dump")
    with pytest.raises(UnknotError, match="says nothing without the service levels"):
        audit(bare, lanes=2)
    levels = read_fabric(RING / "fabric.ibnetdiscover", RING / "opensm-lfts.dump", levels=RING / "paths.psl")
    with pytest.raises(UnknotError, match="1 to 15 data lanes, not 16"):
        audit(levels, lanes=16)


def test_a_level_without_a_lane_is_a_dead_end() -> None:
    layout = ring(4)
    layout.lanes = {
        (f"S{s}", a, b): [15 if (s, a, b) == (1, 2, 1) else 0] * 16
        for s in range(4)
        for a in range(4)
        for b in (1, 2, 3)
    }
    found = judged(layout)
    assert (found.deadlock_free, found.delivered) == (True, False)
    assert found.host_to_host.lost == tuple(
        f"S1 sends LID 0x000{lid} (H{lid - 1}) to port 1, but drops SL 0 from port 2 there: it has no data lane "
        "for it (VL 15, or no row)"
        for lid in (3, 4)
    )


def both_ways_round() -> Layout:
    """A ring of 5 by shortest paths; in each direction one pair alone is at SL 1, and the other way it is at SL 0."""
    layout = ring(5)
    for s in range(5):
        for d in range(5):
            port = 1 if (d - s) % 5 <= 2 else 2
            layout.tables[f"S{s}"] |= {d + 1: 3 if s == d else port, 6 + d: 0 if s == d else port}
            layout.levels[(f"H{s}", 1), d + 1] = int((s, d) in ((0, 2), (0, 3)))
    return layout


def test_replies_at_the_level_of_the_request_can_deadlock_where_requests_cannot() -> None:
    found = judged(both_ways_round())
    assert found.replies is not None
    assert (found.deadlock_free, found.replies.verdict.deadlock_free, found.holds) == (True, False, False)
    assert set(found.replies.loop) == {f"S{s}" for s in range(5)}
    assert found.replies.certificate_holds
    shown = audit_answer(found)
    assert (shown["deadlock_free"], shown["replies"]["deadlock_free"], shown["holds"]) == (True, False, False)
    same = both_ways_round()
    same.levels |= {(("H2", 1), 1): 1, (("H3", 1), 1): 1}
    again = judged(same)
    assert again.replies is not None
    assert (again.holds, again.replies.holds) == (True, True)


def test_a_deadlock_of_replies_is_said_and_counts(tmp_path: Path) -> None:
    layout = both_ways_round()
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    (tmp_path / "tables.lfts").write_text(lfts(layout))
    (tmp_path / "paths.psl").write_text(psl(layout))
    result = unknot_says("audit", str(tmp_path), "--out", str(tmp_path / "page.html"))
    assert result.exit_code == 1
    assert re.search(r"traffic +host-to-host *\ndeadlock-free +yes", result.stdout)
    assert re.search(r"replies deadlock-free +NO", result.stdout)
    assert re.search(r"replies loop +S0 → ", result.stdout)
    assert "Message 1:" in result.stdout
    lead = "Between hosts, these forwarding tables cannot deadlock. Traffic with replies at the level of the request"
    assert lead in (tmp_path / "page.html").read_text()


def test_several_levels_of_a_pair_are_all_judged() -> None:
    layout = both_ways_round()
    more = "".join(f"0x{layout.guid(f'H{s}'):016x} {d + 1} 0\n" for s, d in ((0, 2), (0, 3)))
    assert judged(layout).deadlock_free is True
    found = judged(layout, more)
    assert (found.deadlock_free, found.host_to_host.delivery.pairs) == (False, 20)
    assert (
        "2 pairs have several service levels, the first H0 to LID 0x0003 (H2); all are judged" in found.fabric.notes
    )


def judged(layout: Layout, more_levels: str = "") -> Audit:
    with TemporaryDirectory() as folder:
        described, tables = Path(folder) / "fabric", Path(folder) / "tables"
        described.write_text(ibnetdiscover(layout))
        tables.write_text(lfts(layout))
        levels, lanes = Path(folder) / "levels.psl", Path(folder) / "lanes.sl2vl"
        if layout.levels:
            levels.write_text(psl(layout) + more_levels)
        if layout.lanes:
            lanes.write_text(sl2vl(layout))
        found = audit(
            read_fabric(
                described, tables, levels=levels if layout.levels else None, lanes=lanes if layout.lanes else None
            )
        )
        plain = plain_tables(plain_ibnetdiscover(described), tables)
        if layout.levels:
            plain_levels(plain, levels)
        if layout.lanes:
            plain_lanes(plain, lanes)
        for kind in found.rows:
            if kind.delivery.pairs:
                compare(kind, plain, plain.name)
    return found


@st.composite
def laned(draw: st.DrawFn) -> Layout:
    """Any tables with any levels and lanes; some pairs have no record, some levels no lane."""
    layout = draw(layouts())
    lids = [lid for base, lmc in layout.lids.values() for lid in range(base, base + (1 << lmc))]
    for source in layout.lids:
        for lid in lids:
            if draw(st.integers(0, 9)):
                layout.levels[source, lid] = draw(st.integers(0, 3))
    if draw(st.booleans()):
        lanes = st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 15]), min_size=16, max_size=16)
        some = draw(st.lists(lanes, min_size=1, max_size=4))
        number = 0
        for node in (node for node in layout.nodes if node[0] == "S"):
            cabled = [port for port, _ in layout.ends(node)]
            for came in [0, *cabled]:
                for out in cabled:
                    layout.lanes[node, came, out] = some[number % len(some)]
                    number += 1
    return layout


NOBODY = Layout(
    [(("S0", 1), ("H0", 1)), (("S0", 2), ("H1", 1))],
    {("S0", 0): (100, 0), ("H0", 1): (4, 0), ("H1", 1): (8, 0)},
    {"S0": {}},
    {(("H1", 1), 8): 0},
)
"""Levels are given, but no pair of hosts has one."""


@settings(max_examples=4)
@example(layout=NOBODY)
@given(layout=laned())
def test_any_lanes_agree_with_a_walk_of_every_pair(layout: Layout) -> None:
    judged(layout)


@pytest.mark.campaign
@settings(max_examples=100)
@given(layout=laned())
def test_many_lanes_agree_with_a_walk_of_every_pair(layout: Layout) -> None:
    judged(layout)
