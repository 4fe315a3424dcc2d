from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabrics.folders import OPENSM, wiring
from tests.fabrics.texts import Layout, ibnetdiscover, ring
from tests.reference.fabric_routes import plain_ibnetdiscover
from unknot._base.errors import TextError
from unknot.fabrics.fabric_lists import read_ibnetdiscover, read_subnet_list


@pytest.mark.parametrize("folder", OPENSM, ids=lambda f: f.name)
def test_examples_agree_with_a_naive_reading(folder: Path) -> None:
    fabric = read_ibnetdiscover(folder / "fabric.ibnetdiscover")
    plain = plain_ibnetdiscover(folder / "fabric.ibnetdiscover")
    network = fabric.network
    assert set(fabric.switch_guid.tolist()) == plain.switches
    guids = fabric.switch_guid.tolist()
    cables = {
        ((guids[u], p), (guids[v], q))
        for u, v, (p, q) in zip(network.source, network.target, network.ports.tolist(), strict=True)
    }
    assert cables == {(a, b) for a, b in plain.cable.items() if {a[0], b[0]} <= plain.switches}
    assert fabric.lids.tolist() == sorted(plain.lid)
    for index, (lid, owner) in enumerate(zip(fabric.lids.tolist(), fabric.owner.tolist(), strict=True)):
        assert plain.name[plain.lid[lid][0]] == fabric.owner_name(owner)
        assert fabric.lid_name(index) == f"LID 0x{lid:04x} ({plain.name[plain.lid[lid][0]]})"


@pytest.mark.parametrize("folder", OPENSM, ids=lambda f: f.name)
def test_examples_agree_with_the_link_list(folder: Path) -> None:
    one = read_ibnetdiscover(folder / "fabric.ibnetdiscover")
    other = read_subnet_list(folder / "opensm-subnet.lst")
    assert wiring(one) == wiring(other)
    assert one.network == other.network
    assert one.switch_ports.tolist() == other.switch_ports.tolist()


def test_a_ring(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(ibnetdiscover(ring(3)))
    fabric = read_ibnetdiscover(tmp_path / "f")
    network = fabric.network
    assert network.router_labels == ("S0", "S1", "S2")
    assert network.terminal_labels == ("H0", "H1", "H2")
    assert network.num_channels == 6
    assert network.channel_name(0) == "S0[1]→S1[2]"
    assert fabric.host_port.tolist() == [3, 3, 3]
    assert fabric.lids.tolist() == [1, 2, 3, 4, 5, 6]
    assert fabric.owner.tolist() == [0, 1, 2, 3, 4, 5]
    assert fabric.tables is None


def test_lmc_gives_a_port_several_lids(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(ibnetdiscover(ring(3, lmc=2)))
    fabric = read_ibnetdiscover(tmp_path / "f")
    assert fabric.lids.tolist() == [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    assert fabric.owner.tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3, 4, 5]


def test_a_host_with_two_cables_is_two_terminals(tmp_path: Path) -> None:
    layout = ring(3)
    layout.links.append((("S1", 4), ("H0", 2)))
    layout.lids["H0", 2] = (20, 0)
    (tmp_path / "f").write_text(ibnetdiscover(layout))
    fabric = read_ibnetdiscover(tmp_path / "f")
    assert fabric.network.terminal_labels == ("H0[1]", "H0[2]", "H1", "H2")
    assert fabric.network.inject.tolist() == [0, 1, 1, 2]
    assert fabric.host_port.tolist() == [3, 4, 3, 3]


def test_parallel_cables_and_a_cable_back_to_the_same_switch(tmp_path: Path) -> None:
    layout = ring(3)
    layout.links += [(("S0", 5), ("S1", 6)), (("S2", 7), ("S2", 8))]
    (tmp_path / "f").write_text(ibnetdiscover(layout))
    network = read_ibnetdiscover(tmp_path / "f").network
    assert len(network.between(0, 1)) == 2
    assert [network.channel_name(c) for c in network.between(2, 2)] == ["S2[7]→S2[8]", "S2[8]→S2[7]"]


def test_grouping_full_information_progress_and_an_ib_router(tmp_path: Path) -> None:
    plain = ibnetdiscover(ring(3))
    noisy = plain.replace("4xQDR", "4xQDR s=4 w=2 v=3").replace("[1]\t", "[1][ext 7]\t").replace("\r", "")
    noisy = noisy.replace('"S-0000000000200000"[1]\t', '"S-0000000000200000"[1][ext 3]\t')
    noisy = (
        'DR path slid 0; dlid 0; 0,1 -> new remote Switch {0000000000200000} portnum 0 lid 4-4 "S0"\n'
        'Lid 5 DR path slid 4; dlid 65535; 0 -> new remote Switch {0000000000200000} portnum 0 lid 4-4 "S0"\n' + noisy
    )
    noisy = noisy.replace("\n\nvendid", "\n\nChassis 1 (guid 0x2c90000)\n\n# Spine Nodes\nvendid", 1)
    noisy = noisy.replace("\ncaguid", "\t\t# Chassis 1\ncaguid", 1).replace(
        "(200000)\n", "(200000)\t# Spine 1 Chip 1\n"
    )
    noisy = noisy.replace(
        "\nvendid=0x2c9\ndevid=0xb924\nsysimgguid=0x100", "\nNon-Chassis Nodes\n\nvendid=0x2c9\n#", 1
    )
    guid = f"{ring(3).guid('H2'):x}"
    noisy = noisy.replace(f"caguid=0x{guid}", f"rtguid=0x{guid}").replace(
        f'Ca\t2 "H-{guid:>016}', f'Rt\t2 "R-{guid:>016}'
    )
    noisy = noisy.replace(f'"H-{guid:>016}"', f'"R-{guid:>016}"')
    (tmp_path / "plain").write_text(plain)
    (tmp_path / "noisy").write_text(noisy.replace("\n", "\r\n"))
    assert wiring(read_ibnetdiscover(tmp_path / "plain")) == wiring(read_ibnetdiscover(tmp_path / "noisy"))


def test_a_chassis_switch_may_be_listed_twice(tmp_path: Path) -> None:
    text = ibnetdiscover(ring(3))
    block = text.split("\n\n")[1]
    (tmp_path / "f").write_text(text + "\n" + block + "\n")
    assert read_ibnetdiscover(tmp_path / "f").network.num_channels == 6


def test_names_missing_or_shared_are_replaced_by_guids(tmp_path: Path) -> None:
    text = ibnetdiscover(ring(3)).replace('"S1"', '"S0"').replace('"H2"', '""')
    (tmp_path / "f").write_text(text)
    fabric = read_ibnetdiscover(tmp_path / "f")
    layout = ring(3)
    guids = [f"0x{layout.guid(node):016x}" for node in ("S0", "S1", "H2")]
    assert fabric.network.router_labels == (guids[0], guids[1], "S2")
    assert fabric.network.terminal_labels == ("H0", "H1", guids[2])
    assert any("3 nodes" in note for note in fabric.notes)


def test_no_lids_assigned(tmp_path: Path) -> None:
    layout = ring(3)
    layout.lids = {}
    (tmp_path / "f").write_text(ibnetdiscover(layout))
    assert read_ibnetdiscover(tmp_path / "f").lids.size == 0


def cut_block(text: str, node: str) -> str:
    return "\n\n".join(block for block in text.split("\n\n") if f'# "{node}"' not in block.split("[")[0])


@pytest.mark.parametrize(
    ("change", "words", "line"),
    [
        (lambda t: t.replace("[3]\t", "[3\t", 1), "no such line", 12),
        (lambda t: t.replace("[1]\t", "[2]\t", 1), "S0[2] is cabled to", 11),
        (lambda t: cut_block(cut_block(t, "S2"), "S1"), "nor are half of the switches; is it cut off?", None),
        (lambda t: t.replace('lid 2 4xQDR', 'lid 9 4xQDR'), "LID", None),
        (lambda t: t.replace("lid 2 ", "lid 1 "), "belongs to", None),
        (lambda t: t.replace("# lid 2 lmc 0", "# lid 2 lmc 2"), "cannot begin 4 LIDs", None),
        (lambda t: t.replace("lid 6 ", "lid 50000 "), "not a unicast LID", None),
        (lambda t: t.replace("Switch\t12", "Switch\t2", 1), "has ports 1 to 2, not 3", 12),
        (lambda t: t.replace("switchguid=0x200000", "switchguid=0x200001"), "GUID line above", None),
        (lambda t: t.replace("switchguid=0x200000(200000)\n", ""), "GUID line of this node is missing", None),
        (lambda t: t[: t.index("[1]")], "has no cable", None),
        (lambda t: t.replace("#\n", "hello\n", 1), "no such line", 1),
        (lambda t: t + "caguid=0x5\n", "the file is cut off", None),
        (lambda t: t.replace("Switch\t12", "Ca\t12", 1), "GUID line above it", None),
        (lambda t: t.replace('# "H0"\n', '# "H0" base port 0 lid 4 lmc 0\n', 1), "broken line of a Ca", None),
    ],
)  # fmt: skip
def test_broken_text_is_an_error_at_its_line(tmp_path: Path, change, words: str, line: int | None) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "fabric"
    path.write_text(change(ibnetdiscover(ring(3))))
    with pytest.raises(TextError) as caught:
        read_ibnetdiscover(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{path}:")
    assert caught.value.line > 0
    assert caught.value.text in path.read_text()
    if line is not None:
        assert caught.value.line == line


def test_a_cable_listed_at_one_end_names_both(tmp_path: Path) -> None:
    text = ibnetdiscover(ring(3))
    lines = [line for line in text.splitlines() if not line.startswith('[2]\t"S-0000000000200000"[1]')]
    (tmp_path / "f").write_text("\n".join(lines))
    with pytest.raises(TextError, match=r"the link from S0\[1\] to S1\[2\] is not listed at S1"):
        read_ibnetdiscover(tmp_path / "f")


def test_contradicting_ends(tmp_path: Path) -> None:
    layout = ring(4)
    text = ibnetdiscover(layout).replace(f'[2]\t"{layout.key("S0")}"[1]', f'[2]\t"{layout.key("S0")}"[4]')
    (tmp_path / "f").write_text(text)
    with pytest.raises(TextError, match=r"S0\[1\].*S1\[2\]"):
        read_ibnetdiscover(tmp_path / "f")


def test_hosts_cabled_to_each_other_are_no_fabric(tmp_path: Path) -> None:
    layout = Layout([(("H0", 1), ("H1", 1))], {("H0", 1): (1, 0), ("H1", 1): (2, 0)})
    (tmp_path / "f").write_text(ibnetdiscover(layout))
    with pytest.raises(TextError, match="no switch"):
        read_ibnetdiscover(tmp_path / "f")
