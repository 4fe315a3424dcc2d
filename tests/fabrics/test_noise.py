"""Error messages and terminal output in the output of tools are skipped and noted; broken lines are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabrics.folders import EXAMPLES, wiring
from unknot._base.errors import TextError
from unknot.fabrics import read_fabric

FOLDER = EXAMPLES / "opensm-random48-updn-rooted"
NOISE = [
    "=~=~=~=~=~=~=~=~=~=~=~= PuTTY log 2024.02.29 10:11:12 =~=~=~=~=~=~=~=~=~=~=~=",
    "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,2 Attr 0x11:0) bad status 110; Connection timed out",
    "[root@mds1 ~]# ibnetdiscover > fabric.txt",
    "admin@login-2:~/fabric$ ",
    "manager-7 [ mgmt-ha-active ] (config) # ",
    "*** WARNING ***: this command has been replaced by dump_fts",
    "ibwarn: [17430] parse_port_connection_data: cannot parse remote lid and connection type",
]


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("line", NOISE)
@pytest.mark.parametrize("at", [0, 20, 150, 10**6])
def test_messages_do_not_matter(line: str, at: int, tmp_path: Path) -> None:
    for name in ("fabric.ibnetdiscover", "opensm-lfts.dump", "opensm.fdbs"):
        lines = (FOLDER / name).read_text().splitlines()
        lines.insert(at, line)
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    found = read_fabric(tmp_path / "fabric.ibnetdiscover", tmp_path / "opensm-lfts.dump")
    whole = read_fabric(FOLDER)
    assert wiring(found) == wiring(whole)
    assert (found.tables == whole.tables).all()  # type: ignore[union-attr]
    assert sum("1 line of error messages or terminal output skipped" in note for note in found.notes) == 2
    by_hops = read_fabric(tmp_path / "fabric.ibnetdiscover", tmp_path / "opensm.fdbs")
    assert (by_hops.tables == whole.tables).all()  # type: ignore[union-attr]


def test_tabs_may_be_lost(tmp_path: Path) -> None:
    text = (FOLDER / "fabric.ibnetdiscover").read_text()
    (tmp_path / "fabric.ibnetdiscover").write_text(text.replace("\t", ""))
    assert wiring(read_fabric(tmp_path / "fabric.ibnetdiscover")) == wiring(read_fabric(FOLDER))


def test_two_outputs_in_one_file_are_noticed(tmp_path: Path) -> None:
    for name in ("fabric.ibnetdiscover", "opensm-subnet.lst"):
        text = (FOLDER / name).read_text()
        (tmp_path / name).write_text(text + text)
        found, whole = read_fabric(tmp_path / name), read_fabric(FOLDER / name)
        assert wiring(found) == wiring(whole)
        assert any("ports are described twice, first in line" in note for note in found.notes)
        assert not any("twice" in note for note in whole.notes)
    ring = EXAMPLES / "opensm-ring12-lash"
    (tmp_path / "lanes.dump").write_text(2 * (ring / "opensm-sl2vl.dump").read_text())
    assert any("are there twice" in note for note in read_fabric(ring, lanes=tmp_path / "lanes.dump").notes)


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_files_of_windows_shells(order: str, tmp_path: Path) -> None:
    for name in ("fabric.ibnetdiscover", "opensm-lfts.dump"):
        text = "\ufeff" + (FOLDER / name).read_text().replace("\n", "\r\n")
        (tmp_path / f"{name}.txt").write_bytes(text.encode(order))
    found, whole = read_fabric(tmp_path), read_fabric(FOLDER)
    assert wiring(found) == wiring(whole)
    assert (found.tables == whole.tables).all()  # type: ignore[union-attr]


def test_switches_that_do_not_give_their_lid(tmp_path: Path) -> None:
    text = (FOLDER / "fabric.ibnetdiscover").read_text()
    lines = [line.split(" base port 0")[0] if line.startswith("Switch") else line for line in text.splitlines()]
    (tmp_path / "fabric.ibnetdiscover").write_text("\n".join(lines) + "\n")
    found = read_fabric(tmp_path / "fabric.ibnetdiscover", FOLDER / "opensm-lfts.dump")
    whole = read_fabric(FOLDER / "fabric.ibnetdiscover", FOLDER / "opensm-lfts.dump")
    assert wiring(found) == wiring(whole)
    assert any("48 switches do not give the LID of port 0" in note for note in found.notes)


@pytest.mark.parametrize("line", ["nonsense", "[root@mds1", "root@mds1:", "src/query", "ibwarn", '[1] "S-00'])
def test_broken_lines_are_refused_at_their_line(line: str, tmp_path: Path) -> None:
    lines = (FOLDER / "fabric.ibnetdiscover").read_text().splitlines()
    lines.insert(30, line)
    (tmp_path / "fabric.ibnetdiscover").write_text("\n".join(lines) + "\n")
    with pytest.raises(TextError, match="ibnetdiscover:31: ibnetdiscover output has no such line"):
        read_fabric(tmp_path / "fabric.ibnetdiscover")
