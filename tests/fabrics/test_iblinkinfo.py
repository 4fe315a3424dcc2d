"""Output of iblinkinfo says what that of ibnetdiscover says; broken lines are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabrics.folders import refused, wiring
from tests.fabrics.texts import Layout, iblinkinfo, ibnetdiscover, lfts, ring
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.formats import kind_of


def read(folder: Path, text: str) -> Fabric:
    (folder / "links.txt").write_text(text)
    return read_fabric(folder / "links.txt")


def test_it_says_what_ibnetdiscover_says(tmp_path: Path) -> None:
    layout = ring(5)
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    (tmp_path / "tables.lfts").write_text(lfts(layout))
    found, other = read(tmp_path, iblinkinfo(layout)), read_fabric(tmp_path / "fabric.ibnetdiscover")
    assert kind_of(tmp_path / "links.txt") == "iblinkinfo"
    assert wiring(found) == wiring(other)
    assert found.network.router_labels == other.network.router_labels
    assert any("links.txt was not used" in note for note in read_fabric(tmp_path).notes)
    (tmp_path / "fabric.ibnetdiscover").unlink()
    assert read_fabric(tmp_path).tables is not None
    again = read(tmp_path, iblinkinfo(layout).replace(")==>", ") (HOQ:0 VL_Stall:7)==>"))
    assert wiring(again) == wiring(found)


def test_links_that_are_not_active_and_several_ports(tmp_path: Path) -> None:
    layout = Layout(
        [(("S0", 1), ("S1", 1)), (("S0", 2), ("S1", 2)), (("S0", 3), ("H0", 1)), (("S1", 3), ("H0", 2))],
        {("S0", 0): (4, 0), ("S1", 0): (5, 0), ("H0", 1): (1, 0), ("H0", 2): (2, 0)},
    )
    found = read(tmp_path, iblinkinfo(layout, [("S0", 2), ("S1", 2)]))
    assert (found.network.num_channels, found.network.num_terminals) == (2, 2)
    assert "1 cabled links are not active and were left out" in found.notes
    assert found.network.terminal_labels == ("H0[1]", "H0[2]")


def test_a_cable_that_runs_at_a_slower_rate(tmp_path: Path) -> None:
    text = iblinkinfo(ring(3)).replace("4X          10.0 Gbps", "4X      25.78125 Gbps")
    slow = text.replace("4X      25.78125 Gbps", "1X      25.78125 Gbps", 1)
    found = read(tmp_path, slow)
    assert sorted(found.network.bandwidth.tolist()) == [0.25] * 2 + [1.0] * 4
    assert read(tmp_path, text).network.bandwidth.tolist() == [1.0] * 6


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Switch: 0x0000000000200000 S0:", "", "a port line must stand below the line of its node"),
        ("Switch: 0x0000000000200000 S0:", "Switch: S0:", "the line of a switch without its GUID"),
        ("==( 4X", "== 4X", "iblinkinfo output has no such line"),
        ('    5    2[  ] "S1"', '   55    2[  ] "S1"', "no node in this file has LID 55"),
        ('    5    2[  ] "S1"', '    5    1[  ] "S1"', "is cabled to"),
        ("CA: H2:", "Ca: H2:", "iblinkinfo output has no such line"),
    ],
)
def test_broken_lines_are_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    whole = iblinkinfo(ring(3))
    assert refused(lambda text: read(tmp_path, text), whole, (old, new), said) > 0


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    whole = iblinkinfo(ring(3))
    refused(lambda text: read(tmp_path, text), whole, (whole[whole.index("CA: H2") :], ""), "is the file cut off")
