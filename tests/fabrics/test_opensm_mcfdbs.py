"""Multicast tables: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabrics.folders import EXAMPLES, refused
from tests.fabrics.texts import dump_mfts, ibnetdiscover, lfts, mcfdbs, ring
from unknot._base.errors import TextError
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.opensm_tables import read_mcfdbs

TORUS = EXAMPLES / "opensm-torus4x4-updn-multicast"


def read(folder: Path, text: str) -> Fabric:
    layout = ring(3)
    (folder / "fabric").write_text(ibnetdiscover(layout))
    (folder / "tables").write_text(lfts(layout))
    (folder / "opensm.mcfdbs").write_text(text)
    return read_fabric(folder)


def text() -> str:
    layout = ring(3)
    layout.copies = {(0xC000, "S0"): [1, 3], (0xC000, "S1"): [2, 3], (0xC001, "S1"): [0]}
    return mcfdbs(layout)


def test_rows(tmp_path: Path) -> None:
    fabric = read(tmp_path, text())
    assert fabric.multicast is not None
    assert fabric.multicast.tolist() == [
        [0xC000, 0, 1], [0xC000, 0, 3], [0xC000, 1, 2], [0xC000, 1, 3], [0xC001, 1, 0],
    ]  # fmt: skip
    assert fabric.multicast_file.endswith("opensm.mcfdbs")


@pytest.mark.parametrize("ports", [5, 9, 12, 36])
@pytest.mark.parametrize("masks", [False, True])
def test_dumps_of_infiniband_diags_say_the_same(tmp_path: Path, ports: int, masks: bool) -> None:
    """Down to the columns as `dump_fts -M` and `dump_fts -M -n` print them of simulated fabrics."""
    layout = ring(3)
    layout.copies = {(0xC000, "S0"): [1, 3], (0xC000, "S1"): [0, ports], (0xC001, "S1"): [ports // 2]}
    (tmp_path / "a").write_text(mcfdbs(layout))
    (tmp_path / "b").write_text(dump_mfts(layout, ports, masks))
    one, other = (sorted(row[:3] for row in read_mcfdbs(tmp_path / name).rows) for name in "ab")
    assert one == other


def test_a_line_as_dump_mfts_prints_it(tmp_path: Path) -> None:
    """Ports 4 and 20 of a switch with 36."""
    head = "Multicast mlids [0xc000-0xc3ff] of switch DR path slid 0; dlid 0; 0,1,3 guid 0x000000000020000a (S10):\n"
    crosses = f"0xc001              x{' ' * 31}x{' ' * 33}\n"
    for body in (f" MLid\n{crosses}", " MLid       Port Mask\n0xc001      001000100000\n"):
        (tmp_path / "m").write_text(f"{head}{body}1 valid mlids dumped \n")
        assert [row[:3] for row in read_mcfdbs(tmp_path / "m").rows] == [(0x20000A, 0xC001, (4, 20))]
        (tmp_path / "m").write_text(f"{head}{body}2 valid mlids dumped \n")
        with pytest.raises(TextError, match="rows above: 1, not 2; is the file cut off"):
            read_mcfdbs(tmp_path / "m")


def test_a_real_dump_has_a_tree_for_each_group() -> None:
    fabric = read_fabric(TORUS)
    assert fabric.multicast is not None
    rows = fabric.multicast.tolist()
    hosts = set(zip(fabric.network.eject.tolist(), fabric.host_port.tolist(), strict=True))
    for mlid, switches, members in ((0xC000, 16, 16), (0xC001, 5, 5)):
        ports = [(r, port) for group, r, port in rows if group == mlid]
        assert len({r for r, _ in ports}) == switches
        assert sum(port in hosts for port in ports) == members
        assert sum(port not in hosts for port in ports) == 2 * (switches - 1)


def test_a_fabric_without_groups_has_an_empty_file(tmp_path: Path) -> None:
    fabric = read(tmp_path, "")
    assert fabric.multicast is not None
    assert fabric.multicast.shape == (0, 3)
    assert any("has no multicast group" in note for note in fabric.notes)


def test_terminal_output_is_skipped_and_noted(tmp_path: Path) -> None:
    noisy = "=~=~=~=~=~=~=~=~=~=~=~= PuTTY log 2026.01.05 10:00:00 =~=~=~=~=~=~=~=~=~=~=~=\r\n" + text()
    assert any("1 line of error messages" in note for note in read(tmp_path, noisy).notes)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("\nSwitch 0x0000000000200000\n", "\n", 3, "a row outside a table"),
        ("0xC000 : 0x001  0x003 ", "0x0004 : 0x001 ", 4, "0x0004 is no multicast LID"),
        ("0xC001 : 0x000 ", "0xC000 : 0x000 ", 9, "a second row of LID 0xc000; line 8 was the first"),
        ("0x001  0x003", "0x001  0x001", 4, "ports are different numbers"),
        ("0x001  0x003", "0x001  0x0ff", 4, "ports are different numbers"),
        ("0x001  0x003", "0x001  0x01f", 4, "S0 has ports 0 to 12, not 31"),
        ("0000200010", "0000200000", 6, "a second table of switch 0x0000000000200000; line 2 was the first"),
        ("0000200010", "0000200099", 8, "has no switch 0x0000000000200099"),
        ("0xC001 : 0x000 ", "0xC001 : 0x0", 9, "no such line; is it broken or cut off"),
    ],
)
def test_broken_files_are_refused_at_their_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    assert refused(lambda broken: read(tmp_path, broken), text(), (old, new), said) == line
