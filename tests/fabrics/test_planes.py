"""Several planes in one file, with LIDs of their own or the same: judged one by one and together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fabrics import texts
from tests.fabrics.texts import Layout
from unknot._base.errors import TextError
from unknot.fabrics import Fabric, read_fabric
from unknot.verify.audit import audit
from unknot.verify.table_faults import table_faults


def two_planes(shift: int, *, second_free: bool = True) -> Layout:
    """Two rings of four switches; the first goes round clockwise, the second the short way or round as well."""
    one, other = texts.ring(4), texts.ring(4)
    there = {node: f"{node[0]}{int(node[1:]) + 50}" for node in one.nodes}
    if second_free:  # no packet goes over the cable from S3 to S0
        at = {lid: int(owner[1:]) for (owner, _), (lid, _) in other.lids.items()}
        for i in range(4):
            other.tables[f"S{i}"] = {
                lid: other.tables[f"S{i}"][lid] if at[lid] == i else 1 if at[lid] > i else 2 for lid in at
            }
    links = [((there[a], p), (there[b], q)) for (a, p), (b, q) in other.links]
    lids = {(there[node], port): (lid + shift, lmc) for (node, port), (lid, lmc) in other.lids.items()}
    tables = {there[s]: {lid + shift: port for lid, port in table.items()} for s, table in other.tables.items()}
    return Layout([*one.links, *links], {**one.lids, **lids}, {**one.tables, **tables})


def read(layout: Layout, folder: Path) -> Fabric:
    (folder / "fabric.ibnetdiscover").write_text(texts.ibnetdiscover(layout))
    (folder / "opensm-lfts.dump").write_text(texts.lfts(layout))
    return read_fabric(folder)


@pytest.mark.parametrize("shift", [0, 100])
@pytest.mark.parametrize("second_free", [False, True])
def test_each_plane_and_both(tmp_path: Path, shift: int, second_free: bool) -> None:
    fabric = read(two_planes(shift, second_free=second_free), tmp_path)
    assert bool(fabric.lid_planes.any()) is (shift == 0)
    assert ("2 planes without a cable between them share LIDs" in fabric.notes) is (shift == 0)
    judged = audit(fabric)
    assert (judged.deadlock_free, judged.delivered) == (False, True)
    assert judged.host_to_host.delivery.pairs == 24
    assert [(one.plane, one.switches, one.hosts) for one in judged.planes] == [(1, 4, 4), (2, 4, 4)]
    assert [one.deadlock_free for one in judged.planes] == [False, second_free]
    assert [(one.pairs, one.undelivered_pairs) for one in judged.planes] == [(12, 0), (12, 0)]
    assert [one.first for one in judged.planes] == ["S0", "S50"]
    worst = table_faults(fabric).tried[0]
    assert (worst.pairs, worst.severed_pairs) == (24, 0)
    assert "0x00" in worst.example


def test_lanes_of_shared_lids_need_guids(tmp_path: Path) -> None:
    layout = two_planes(0)
    layout.lanes = {(s, i, 1): [0] * 15 + [15] for s in ("S0", "S50") for i in (0, 2, 3)}
    read(layout, tmp_path)
    (tmp_path / "by-guid.sl2vl").write_text(texts.sl2vl(layout))
    lanes = read_fabric(tmp_path).lanes
    assert lanes is not None
    assert (lanes[[0, 4], 2, 1, 0] == 0).all()
    (tmp_path / "by-guid.sl2vl").write_text(texts.saquery_sl2vl(layout))
    with pytest.raises(TextError, match="share LIDs, so rows need GUIDs"):
        read_fabric(tmp_path)


def test_lost_pairs_belong_to_their_plane(tmp_path: Path) -> None:
    layout = two_planes(0)
    del layout.tables["S52"][1]
    judged = audit(read(layout, tmp_path))
    assert judged.delivered is False
    assert [one.undelivered_pairs for one in judged.planes] == [0, 2]


def test_a_fabric_that_a_missing_cable_cut_in_two_is_one_plane(tmp_path: Path) -> None:
    """Its tables have routes to the other part, which no packet can take."""
    layout = two_planes(100)
    layout.tables["S0"][101] = 1
    fabric = read(layout, tmp_path)
    assert not fabric.plane.any()
    judged = audit(fabric)
    assert judged.planes == ()
    assert judged.delivered is False


def test_what_planes_may_not_share(tmp_path: Path) -> None:
    layout = two_planes(0)
    layout.lids["H50", 1] = layout.lids["H51", 1]
    with pytest.raises(TextError, match=r"LID 2 \(0x0002\) belongs to H5\d here and to H5\d by line"):
        read(layout, tmp_path)
    layout = two_planes(0)
    (tmp_path / "paths.psl").write_text(texts.psl(replace(layout, levels={(("H0", 1), 2): 1})))
    with pytest.raises(TextError, match=r"path records name LIDs, which planes of .* share; give one plane"):
        read(layout, tmp_path)
