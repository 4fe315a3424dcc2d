from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.fabrics.folders import EXAMPLES, FOLDERS, wiring
from tests.fabrics.texts import ibnetdiscover, lst, ring
from tests.reference.fabric_routes import plain_lst
from unknot._base.errors import TextError
from unknot.fabrics.fabric_lists import read_ibnetdiscover, read_subnet_list

FILES = [next(folder.glob("*.lst*")) for folder in FOLDERS]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.parent.name)
def test_examples_agree_with_a_naive_reading(path: Path) -> None:
    fabric, plain = read_subnet_list(path), plain_lst(path)
    guids, network = fabric.switch_guid.tolist(), fabric.network
    assert set(guids) == plain.switches
    cables = {
        ((guids[u], p), (guids[v], q))
        for u, v, (p, q) in zip(network.source, network.target, network.ports.tolist(), strict=True)
    }
    assert cables == {(a, b) for a, b in plain.cable.items() if {a[0], b[0]} <= plain.switches}
    assert fabric.lids.tolist() == sorted(plain.lid)
    hosts = [(guids[r], p) for r, p in zip(network.inject.tolist(), fabric.host_port.tolist(), strict=True)]
    assert sorted(hosts) == sorted(b for a, b in plain.cable.items() if a[0] not in plain.switches)


def test_the_512_host_fabric_calls_its_switches_adapters() -> None:
    fabric = read_subnet_list(EXAMPLES / "ibutils-rhino512" / "opensm-subnet.lst.gz")
    assert (fabric.network.num_routers, fabric.network.num_terminals, fabric.network.num_channels) == (216, 512, 4480)
    assert fabric.network.terminal_labels is not None
    assert "H-1 MT23108 Infinihost-II Mellanox Technologies" in fabric.network.terminal_labels
    assert any("216 nodes are called CA" in note for note in fabric.notes)


def test_the_65_nodes_that_share_a_name_go_by_guid() -> None:
    fabric = read_subnet_list(EXAMPLES / "ibutils-65sw" / "opensm-subnet.lst")
    assert fabric.network.router_name(0) == "MT47396 Infiniscale-III Mellanox Technologies"
    assert fabric.network.router_name(1) == f"0x{int(fabric.switch_guid[1]):016x}"
    assert (fabric.network.num_routers, fabric.network.num_terminals) == (62, 3)


def test_the_same_as_ibnetdiscover_plain_and_packed(tmp_path: Path) -> None:
    layout = ring(4)
    layout.links.append((("S1", 4), ("H0", 2)))
    layout.lids["H0", 2] = (20, 0)
    (tmp_path / "a").write_text(ibnetdiscover(layout))
    (tmp_path / "b").write_text("# a comment\n\n" + lst(layout))
    (tmp_path / "c").write_bytes(gzip.compress(lst(layout).encode()))
    wanted = wiring(read_ibnetdiscover(tmp_path / "a"))
    assert wiring(read_subnet_list(tmp_path / "b")) == wanted
    assert wiring(read_subnet_list(tmp_path / "c")) == wanted


def test_a_link_that_is_down_at_either_end_is_no_channel(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(lst(ring(4), down=[("S0", 1), ("H2", 1)]))
    fabric = read_subnet_list(tmp_path / "f")
    assert not fabric.network.between(0, 1)
    assert not fabric.network.between(1, 0)
    assert fabric.network.num_channels == 6
    assert fabric.network.terminal_labels == ("H0", "H1", "H3")
    assert fabric.owner.tolist() == [0, 1, -1, 2, 3, 4, 5, 6]
    assert any("2 cabled links are not active" in note for note in fabric.notes)
    assert fabric.lid_name(2) == "LID 0x0003 (a port that is not active, or no host's)"


def test_old_lists_without_speed(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(lst(ring(3)).replace(" SPD=10", ""))
    assert read_subnet_list(tmp_path / "f").network.num_channels == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.replace("LOG=ACT", "LOG=UP", 1), "no line of a link list"),
        (lambda t: t.replace("PN:01 }", "PN:0G }", 1), "no line of a link list"),
        (lambda t: "\n".join(t.splitlines()[:-1]), "is not listed at"),
        (lambda t: "\n".join(t.splitlines()[1:]), "is not listed at"),
        (lambda t: t.replace("{S0} LID:0004", "{S0} LID:0009", 1), "has LID"),
        (lambda t: t.replace("LID:0005", "LID:0004"), "belongs to"),
        (lambda t: t.replace("{S1}", "{S9}", 1), "was described differently"),
        (lambda t: t.replace("Ports:0C", "Ports:02"), "has ports 1 to 2, not 3"),
        (lambda t: t.replace("SW Ports", "CA Ports", 1), "described differently"),
        (lambda t: "# nothing\n", "no switch in this file"),
    ],
)
def test_broken_text_is_an_error(tmp_path: Path, change, words: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "fabric.lst"
    path.write_text(change(lst(ring(3))))
    with pytest.raises(TextError) as caught:
        read_subnet_list(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("down", [[("S0", 1)], [("S1", 2)], [("S0", 1), ("S1", 2)]])
def test_a_cable_that_is_down_at_one_end_carries_nothing(tmp_path: Path, down: list[tuple[str, int]]) -> None:
    """Neither way, whichever end says so."""
    (tmp_path / "f").write_text(lst(ring(4), down=down))
    fabric = read_subnet_list(tmp_path / "f")
    assert not fabric.network.between(0, 1)
    assert not fabric.network.between(1, 0)
    assert fabric.network.num_channels == 6
    assert any("1 cabled links are not active" in note for note in fabric.notes)


@pytest.mark.parametrize("down", [[("S2", 3)], [("H2", 1)], [("S2", 3), ("H2", 1)]])
def test_a_host_whose_cable_is_down_at_one_end_is_not_there(tmp_path: Path, down: list[tuple[str, int]]) -> None:
    (tmp_path / "f").write_text(lst(ring(4), down=down))
    fabric = read_subnet_list(tmp_path / "f")
    assert fabric.network.terminal_labels == ("H0", "H1", "H3")
    assert fabric.network.num_channels == 8


def test_a_cable_that_is_listed_twice_is_down_if_one_line_says_so(tmp_path: Path) -> None:
    text = lst(ring(4)).splitlines()
    for again in (text[0].replace("LOG=ACT", "LOG=DWN"), text[0]):
        first = text[0] if "DWN" in again else text[0].replace("LOG=ACT", "LOG=DWN")
        (tmp_path / "f").write_text("\n".join([first, *text[1:], again]) + "\n")
        fabric = read_subnet_list(tmp_path / "f")
        assert fabric.network.num_channels == 6
