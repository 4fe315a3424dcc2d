"""Signs of adaptive routing beside forwarding tables: then the tables alone are never a yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import answer, unknot_says
from tests.fabrics.folders import EXAMPLES
from tests.fabrics.texts import fdbs, ibnetdiscover, lfts, ring
from unknot._base.errors import UnknotError
from unknot.fabrics import read_fabric
from unknot.verify.audit import audit
from unknot.verify.update import update_fabric

SAFE, UNSAFE = EXAMPLES / "opensm-leafspine-degraded-ftree", EXAMPLES / "opensm-torus8x8-dor"
SIGNS = {
    "ibdiagnet2.far": "# groups\ndump_ar: Switch 0x0000000000200000\n0x0001 : 1,2\n",
    "ibdiagnet2.plft": "0x0000000000200000 : 0 1\n",
    "ibdiagnet2.out": "Switch 0x0000000000200000\nPLFT_NUM: 2\n",
    "opensm.conf": "# The engine\nrouting_engine ar_updn\n",
    "partial.conf": "routing_engine updn, dfp\n",
    "kdor.conf": "routing_engine kdor-hc\n",
    "old.conf": "adv_routing_engine ar_ftree\n",
    "opensm.log": "Jun 20 14:38:48 0x02 -> osm_ucast_mgr_process: ar_ftree tables configured on all switches\n",
    "start.sh": "exec /usr/sbin/opensm -F /etc/opensm.conf -R ar_updn -B\n",
    "plugin.conf": "event_plugin_name osmarmgr\n",
    "options.conf": "# options\nevent_plugin_options armgr --conf_file /etc/opensm/ar_mgr.conf\n",
    "armgr.log": "AR Manager - Configuration cycle (number 1) completed successfully\n",
    "diagnet.log": "Adaptive Routing: enabled on 40 switches\n",
    "ibdiagnet2.db_csv": "START_AR_INFO\nNodeGUID,e,group_top\n0x20,1,16\nEND_AR_INFO\n",
}
NONE = {
    "opensm.conf": "# routing_engine ar_updn\nrouting_engine updn,ftree\nar_sl_mask 0xFFFF\n",
    "opensm.log": "osm_ucast_mgr_process: updn tables configured on all switches\n",
    "ibdiagnet2.out": "Switch 0x0000000000200000\nPLFT_NUM: 0\n",
    "ibdiagnet2.far": "# no switch has groups\n",
    "ibdiagnet2.db_csv": "START_AR_INFO\nNodeGUID,e,group_top\n0x20,0,16\nEND_AR_INFO\n",
    "diagnet.log": "Adaptive Routing: disabled; far ports are active\n",
}


def folder_with(tmp_path: Path, of: Path, name: str, text: str) -> Path:
    tmp_path.mkdir(exist_ok=True)
    for file in ("fabric.ibnetdiscover", "opensm-lfts.dump"):
        (tmp_path / file).write_text((of / file).read_text())
    (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize("name", SIGNS)
def test_a_sign_is_seen_and_named(tmp_path: Path, name: str) -> None:
    fabric = read_fabric(folder_with(tmp_path, SAFE, name, SIGNS[name]))
    assert len(fabric.adaptive) == 1
    assert fabric.adaptive[0].startswith(f"{name} (")
    alone = read_fabric(tmp_path, assume="static")
    assert alone.adaptive == ()
    assert any("by --assume static the tables alone are judged" in note for note in alone.assumed)


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_sign(tmp_path: Path, name: str) -> None:
    assert read_fabric(folder_with(tmp_path, SAFE, name, NONE[name])).adaptive == ()


@pytest.mark.long
def test_safe_tables_are_open_with_a_word(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, SAFE, "opensm.conf", SIGNS["opensm.conf"])
    shown = unknot_says("audit", str(folder), "--out", str(tmp_path / "page.html"))
    said = " ".join(shown.stdout.split())
    assert shown.exit_code == 3
    assert (
        "deadlock-free undecided established the static tables alone are free: packets may take other ways or" in said
    )
    assert "lanes, by what is not judged yet: opensm.conf (the engine ar_updn)" in said
    assert "opensm.conf (the engine ar_updn)" in (tmp_path / "page.html").read_text()
    found = json.loads(unknot_says("audit", str(folder), "--json").stdout)
    assert (found["deadlock_free"], found["delivered"], found["holds"], found["unknown_pairs"]) == (None,) * 3 + (0,)
    assert unknot_says("audit", str(folder), "--assume", "static").exit_code == 0
    faults = unknot_says("faults", str(folder), "--kind", "cables", "--json")
    assert faults.exit_code == 1  # a cable of a leaf
    (folder / "opensm.conf").unlink()
    assert unknot_says("audit", str(folder)).exit_code == 0


@pytest.mark.long
def test_a_deadlock_is_that_of_the_static_tables(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, UNSAFE, "ibdiagnet2.far", SIGNS["ibdiagnet2.far"])
    shown = unknot_says("audit", str(folder))
    said = " ".join(shown.stdout.split())
    assert shown.exit_code == 1
    assert "established by the static tables alone, beside ibdiagnet2.far (tables of adaptive routing): " in said


def test_faults_and_updates_are_open(tmp_path: Path) -> None:
    layout = ring(4)
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    (tmp_path / "tables.lfts").write_text(lfts(layout))
    (tmp_path / "opensm.conf").write_text("routing_engine ar_updn")
    one = json.loads(unknot_says("faults", str(tmp_path), "--kind", "channels", "--json").stdout)
    assert one["survives"] is False
    assert "opensm.conf (the engine ar_updn)" in one["unknown_because"][0]
    folder = folder_with(tmp_path / "safe", SAFE, "opensm.conf", "routing_engine ar_updn")
    fabric = read_fabric(folder)
    update = update_fabric(fabric, fabric)
    assert update is not None
    assert update.deadlock_free is None
    assert "opensm.conf (the engine ar_updn)" in update.established
    same = read_fabric(folder, assume="static")
    alone = update_fabric(same, same)
    assert alone is not None
    assert alone.deadlock_free is True


def test_faults_of_a_partial_dump_are_open(tmp_path: Path) -> None:
    """Two switches by two cables, of which one is not in use; entries towards a host of the second are unknown."""
    layout = ring(2)
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    head, _, tail = lfts(layout).partition("4 lids dumped\n")
    lines = [line for line in head.splitlines(keepends=True) if not line.startswith("0x0002")]
    (tmp_path / "tables.lfts").write_text("".join(lines) + tail)
    result = unknot_says("faults", str(tmp_path), "--kind", "routers", "--json")
    assert result.exit_code == 3
    shown = answer(result)
    assert (shown["survives"], shown["undelivered_before"]) == (None, 0)
    assert shown["unknown_because"] == ["1 of 2 pairs have no known route: entries of S0 are unknown"]


def test_ibdiagnets_own_form_of_the_tables(tmp_path: Path) -> None:
    layout = ring(3)
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    text = "# made by ibdiagnet\n" + fdbs(layout).replace("LID    :", "PLFT_NUM: 0\nLID    :")
    (tmp_path / "ibdiagnet2.fdbs").write_text(text)
    fabric = read_fabric(tmp_path)
    (tmp_path / "ibdiagnet2.fdbs").write_text(fdbs(layout))
    assert (fabric.tables == read_fabric(tmp_path).tables).all()  # type: ignore[union-attr]
    assert fabric.adaptive == ()
    (tmp_path / "ibdiagnet2.fdbs").write_text(text.replace("NUM: 0", "NUM: 2", 1))
    for read in (read_fabric(tmp_path), read_fabric(tmp_path / "fabric.ibnetdiscover", tmp_path / "ibdiagnet2.fdbs")):
        assert read.adaptive == ("ibdiagnet2.fdbs (PLFT_NUM above 0)",)
        assert audit(read).deadlock_free is None  # what S0 does by its table 2 alone is not known


def test_assumptions_have_names() -> None:
    with pytest.raises(UnknotError, match="unknown assumption"):
        read_fabric(SAFE, assume="adaptive")
