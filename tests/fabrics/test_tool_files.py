"""Files of ibdiagnet, UFM, iblinkinfo and opareport say what ibnetdiscover says, and are refused where broken."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fabrics import tool_texts
from tests.fabrics.folders import refused, wiring
from tests.fabrics.texts import Layout, fdbs, ibnetdiscover, lfts, lst, ring
from unknot._base.errors import TextError
from unknot.fabrics import FORMATS, Fabric, read_fabric, read_network
from unknot.fabrics.fabric import UNKNOWN_PORT
from unknot.fabrics.formats import kind_of
from unknot.fabrics.named import network as network_named
from unknot.verify.audit import audit

WRITERS: dict[str, Callable[[Layout], str]] = {
    "netdump": tool_texts.net_dump,
    "netdump with labels": lambda layout: tool_texts.net_dump(layout, labels=True),
    "dbcsv": tool_texts.db_csv,
    "ports": tool_texts.ports,
    "iblinkinfo": tool_texts.iblinkinfo_lines,
    "iblinkinfo of switches": lambda layout: tool_texts.iblinkinfo_lines(layout, hosts=False),
    "opareport": tool_texts.snapshot,
}


def read(folder: Path, text: str, name: str = "file.txt") -> Fabric:
    (folder / name).write_text(text)
    return read_fabric(folder / name)


def cables(fabric: Fabric) -> tuple[object, ...]:
    """Wiring and LIDs, without port GUIDs of hosts, which some formats lack."""
    parts = wiring(fabric)
    return (*parts[:6], *parts[7:])


@pytest.mark.parametrize("form", WRITERS)
def test_they_say_what_ibnetdiscover_says(form: str, tmp_path: Path) -> None:
    layout = ring(4, hosts=2)
    found, other = read(tmp_path, WRITERS[form](layout)), read(tmp_path, ibnetdiscover(layout), "a.ibnetdiscover")
    assert kind_of(tmp_path / "file.txt") == form.split()[0]
    assert cables(found) == cables(other)
    assert found.rates
    (tmp_path / "packed.gz").write_bytes(gzip.compress(WRITERS[form](layout).encode()))
    assert cables(read_fabric(tmp_path / "packed.gz")) == cables(other)


def test_names_and_rates(tmp_path: Path) -> None:
    layout = ring(3)
    assert read(tmp_path, tool_texts.net_dump(layout)).network.router_labels == tuple(
        f"MF0;S{i}:MQM9700/U1" for i in range(3)
    )
    assert set(read(tmp_path, tool_texts.net_dump(layout)).rates) == {"4xNDR"}
    assert set(read(tmp_path, tool_texts.db_csv(layout)).rates) == {"4xNDR"}
    assert set(read(tmp_path, tool_texts.ports(layout)).rates) == {"4xEDR"}
    down = tool_texts.net_dump(layout).replace(" ACT ", " INI ", 1)
    assert "1 cabled links are not active and were left out" in read(tmp_path, down).notes


def test_lmcs_of_db_csv(tmp_path: Path) -> None:
    layout = ring(3, lmc=2)
    assert wiring(read(tmp_path, tool_texts.db_csv(layout))) == wiring(read(tmp_path, ibnetdiscover(layout)))


def test_a_snapshot_has_its_tables(tmp_path: Path) -> None:
    layout = ring(3)
    found = read(tmp_path, tool_texts.snapshot(layout))
    (tmp_path / "a.ibnetdiscover").write_text(ibnetdiscover(layout))
    (tmp_path / "a.lfts").write_text(lfts(layout))
    other = read_fabric(tmp_path / "a.ibnetdiscover", tmp_path / "a.lfts")
    assert np.array_equal(np.asarray(found.tables), np.asarray(other.tables))
    assert found.adaptive == ()
    assert audit(found).deadlock_free is False
    adapting = read(tmp_path, tool_texts.snapshot(ring(2), groups=True))
    assert adapting.adaptive == ("file.txt (groups of ports that S0 choose from)",)
    assert audit(adapting).deadlock_free is None


def test_a_port_csv_is_a_network_of_names(tmp_path: Path) -> None:
    (tmp_path / "Ports.csv").write_text("\ufeff" + tool_texts.port_csv(ring(4, hosts=2)))
    network = read_network(tmp_path / "Ports.csv")
    assert (network.num_routers, network.num_channels, network.num_terminals) == (4, 8, 8)
    assert network.router_labels == ("S0", "S1", "S2", "S3")
    both = tool_texts.port_csv(ring(3)) + "Healthy,S1,2,S0,1,NDR,4x\nUnknown,S1,9,,,,\n\n"
    (tmp_path / "Ports.csv").write_text(both)
    assert read_network(tmp_path / "Ports.csv").num_channels == 6
    modular = "StartDevice,StartPort,EndDevice,EndPort\nleaf,Port 1,core,Blade 1_Port 2/3\nleaf,Port 2,h,h ib0\n"
    (tmp_path / "Ports.csv").write_text(modular)
    with pytest.raises(TextError, match=r"Ports.csv:2:1: core is a modular switch"):
        read_network(tmp_path / "Ports.csv")


BROKEN = [
    ("netdump", "0x0000000000200010 : 2 ", "0x0000000000200010 : 99", "is cabled to|not listed at"),
    ("netdump", ' : 1    :    5 : "MF0', ' : sw9  :    5 : "MF0', "has no port 'sw9'"),
    ("netdump", " LID 4", " LID x", "a net_dump has no such line"),
    ("netdump", ": 4x :", ":", "a net_dump has no such line|a whole number is needed|has no end|has no port"),
    ("dbcsv", "END_LINKS", "", "section LINKS has no end; the file is cut off"),
    ("dbcsv", "START_LINKS", "START_X", "no section LINKS in this file; give ibdiagnet2.net_dump"),
    ("dbcsv", "PortNum,LID", "PortNo,LID", "section PORTS has no column PortNum"),
    ("dbcsv", ",5,4,N/A", ",5,N/A", "10 cells are needed in a row, not 9"),
    ("dbcsv", "0x0000000000100031,1,1,", "0x0000000000100031,x,1,", "a whole number is needed as PortNum, not 'x'"),
    ("dbcsv", "1,1,2,2052,0,5", "1,1,2,2052,9,5", "an LMC is at most 7, not 9"),
    ("ports", "SW     4  1", "SW     4  7", "is not listed at|is cabled to"),
    ("ports", "4x EDR - ", "4x EDR = ", "ibnetdiscover -p prints no such line"),
    ("iblinkinfo", "==( 4X", "= 4X", "no such line"),
    ("opareport", "<NodeType>SW", "<NodeType>X", "NodeType is FI or SW"),
    (
        "opareport",
        "<PortNum>3</PortNum></From>",
        "<PortNum>33</PortNum></From>",
        r"the snapshot has no port S0\[33\]",
    ),
    ("opareport", "</Snapshot>", "", "not well-formed XML"),
    ("opareport", ">1</Value>", ">x</Value>", "a port is a number from 0 to 255, not 'x'"),
]


@pytest.mark.parametrize(("form", "old", "new", "said"), BROKEN)
def test_broken_files_are_refused_with_a_line(form: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    whole = WRITERS[form](ring(3))
    line = refused(lambda text: FORMATS[form].read(_written(tmp_path, text)), whole, (old, new), said)
    assert line > 0 or "no section" in said


@settings(max_examples=6)
@given(data=st.data())
@pytest.mark.parametrize("form", [form for form in WRITERS if form != "iblinkinfo of switches"])
def test_a_file_that_is_cut_off_is_refused(form: str, data: st.DataObject) -> None:
    whole = WRITERS[form](ring(3))
    cut = data.draw(st.integers(0, len(whole) - 1))
    with TemporaryDirectory() as folder:
        good = cables(read(Path(folder), whole))
        try:
            found = FORMATS[form.split()[0]].read(_written(Path(folder), whole[:cut]))
        except TextError:
            return
        assert cables(found) == good or found.assumed


def _written(folder: Path, text: str) -> Path:
    (folder / "broken").write_text(text)
    return folder / "broken"


def folder_of_ibdiagnet(folder: Path, layout: Layout) -> dict[str, str]:
    files = {
        "ibdiagnet2.lst": lst(layout),
        "ibdiagnet2.net_dump": tool_texts.net_dump(layout),
        "ibdiagnet2.db_csv": tool_texts.db_csv(layout),
        "ibdiagnet2.fdbs": "# by ibdiagnet\n" + fdbs(layout).replace("LID    :", "PLFT_NUM: 0\nLID    :"),
        "ibdiagnet2.vl2vl": "# no changes\n0x0000000000200000 1 2 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xef\n",
    }
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return files


def test_a_folder_of_ibdiagnet_and_its_archive(tmp_path: Path) -> None:
    layout = ring(3)
    files = folder_of_ibdiagnet(tmp_path / "dump", layout)
    whole = read_fabric(tmp_path / "dump")
    assert whole.adaptive == ()
    assert whole.fabric_file.endswith("dump/ibdiagnet2.lst")
    for mode, name in (("w:gz", "dump.tgz"), ("w", "dump.tar")):
        with tarfile.open(tmp_path / name, mode) as tar:
            for file, text in files.items():
                content = gzip.compress(text.encode()) if file.endswith(".lst") else text.encode()
                about = tarfile.TarInfo(f"./var/tmp/ibdiagnet2/{file}" + (".gz" if file.endswith(".lst") else ""))
                about.size = len(content)
                tar.addfile(about, io.BytesIO(content))
        found = read_fabric(tmp_path / name)
        assert wiring(found) == wiring(whole)
        assert np.array_equal(np.asarray(found.tables), np.asarray(whole.tables))
        assert found.fabric_file == str(tmp_path / name / "var/tmp/ibdiagnet2/ibdiagnet2.lst.gz")
        assert wiring(read_fabric(found.fabric_file, found.tables_file)) == wiring(whole)
        assert read_network(tmp_path / name).num_channels == 6
        assert network_named(found.fabric_file).num_channels == 6
        with pytest.raises(TextError, match=r"ibdiagnet9: cannot read this file: dump.t\w+ has no member"):
            read_fabric(tmp_path / name / "ibdiagnet9")
    (tmp_path / "dump.tgz").write_bytes((tmp_path / "dump.tgz").read_bytes()[:-300])
    with pytest.raises(TextError, match=r"dump.tgz: this gzipped file is damaged or cut off"):
        read_fabric(tmp_path / "dump.tgz")
    (tmp_path / "dump.tar").write_bytes((tmp_path / "dump.tar").read_bytes()[:1500])
    with pytest.raises(TextError, match=r"dump.tar: this archive has no end: it is cut off"):
        read_fabric(tmp_path / "dump.tar")


def test_groups_that_cannot_be_read_leave_the_answer_open(tmp_path: Path) -> None:
    layout = ring(2)
    folder_of_ibdiagnet(tmp_path, layout)
    assert audit(read_fabric(tmp_path)).deadlock_free is True
    (tmp_path / "ibdiagnet2.far").write_text(tool_texts.far(layout))
    found = read_fabric(tmp_path)
    assert found.adaptive == ("ibdiagnet2.far (groups of ports that S0, S1 choose from)",)
    assert found.groups is not None
    assert found.groups[layout.guid("S0")].groups == {(1, 0): (1, 2), (2, 0): ()}
    table = found.groups[layout.guid("S0")].tables[0]
    assert table.groups[table.lids == 2].tolist() == [1]
    judged = audit(found)
    assert judged.deadlock_free is True  # two switches: no loop
    assert judged.adaptive is not None
    assert judged.adaptive.levels == ("at every SL: S0, S1",)
    assert judged.others[0].verdict.deadlock_free is None  # switches' own traffic is judged by the tables alone
    (tmp_path / "ibdiagnet2.far").write_text(tool_texts.far(layout, state="Static"))
    assert read_fabric(tmp_path).adaptive == ()
    for name, text in (
        ("ibdiagnet2.far", tool_texts.far(layout).replace("1,2", "1,99")),
        ("ibdiagnet2.far", "Switch 0x0000000000200000\nsomething else 3\n"),
        ("ibdiagnet2.far", tool_texts.far(layout).replace("PLFT_NUM: 0", "PLFT_NUM: 1")),
        ("ibdiagnet2.far", tool_texts.far(layout).split("Switch 0x0000000000200010")[0] + "# AR_INFO"),
        ("ibdiagnet2.plft", "Switch 0x0000000000200000\n1 0 0 1\n"),
        ("ibdiagnet2.vl2vl", "0x0000000000200000 1 2 0x00 0x23 0x45 0x67 0x89 0xab 0xcd 0xef\n"),
    ):
        (tmp_path / "ibdiagnet2.far").write_text("# none\n")
        (tmp_path / name).write_text(text)
        fabric = read_fabric(tmp_path)
        assert fabric.adaptive, name
        assert fabric.groups is None
        assert audit(fabric).deadlock_free is None
        (tmp_path / "ibdiagnet2.vl2vl").unlink(missing_ok=True)
        (tmp_path / "ibdiagnet2.plft").unlink(missing_ok=True)


FAR = [
    ("1        0           0       1,2", "1 0 0 1,1", "ports of a group are different numbers"),
    ("2        0           0\n", "1 0 0 2\n", "a second row of group 1, sub-group 0"),
    ("Free   1", "Free   7", "group 7 of this switch is not defined"),
    ("0x0002", "0x0001", "a second row of LID 0x0001"),
    ("0x0001", "0xc001", "is not a unicast LID"),
    ("- S1", "- S1\nhello, 1 2 3", "groups of adaptive routing have no such line"),
    ("Switch 0x0000000000200010", "Switch 0x0000000000200000", "a second block of switch"),
]


@pytest.mark.parametrize(("old", "new", "said"), FAR)
def test_broken_groups(old: str, new: str, said: str, tmp_path: Path) -> None:
    whole = tool_texts.far(ring(3))
    assert refused(lambda text: FORMATS["far"].read(_written(tmp_path, text)), whole, (old, new), said) > 0


def test_private_tables_are_kept_and_unknown(tmp_path: Path) -> None:
    layout = ring(2)
    (tmp_path / "a.ibnetdiscover").write_text(ibnetdiscover(layout))
    one = fdbs(layout).replace("LID    :", "PLFT_NUM: 0\nLID    :")
    rows = one.splitlines()[3:7]
    private = one.replace(
        "\n".join(rows), "\n".join([*rows, "PLFT_NUM: 1", "LID    : Port : Hops : Optimal", *rows]), 1
    )
    (tmp_path / "a.fdbs").write_text(private)
    found, file = read_fabric(tmp_path), FORMATS["fdbs"].read(tmp_path / "a.fdbs")
    assert list(file.others) == [(layout.guid("S0"), 1)]
    assert not (np.asarray(found.tables) == UNKNOWN_PORT).any()
    assert found.adaptive == ("a.fdbs (PLFT_NUM above 0)",)
    (tmp_path / "a.fdbs").write_text(one.replace("PLFT_NUM: 0", "PLFT_NUM: 2", 1))
    assert (np.asarray(read_fabric(tmp_path).tables)[0] == UNKNOWN_PORT).all()


def with_others(layout: Layout) -> str:
    """A ring with an aggregation node at its first switch, a router at the second and a gateway at the third."""
    text = ibnetdiscover(
        replace(layout, links=[*layout.links, *(((f"S{i}", 5 + i), (f"X{i}", 1)) for i in range(3))])
    )
    for i, name in enumerate(("Mellanox Technologies Aggregation Node", "border router", "IB-Eth Gateway 7")):
        text = text.replace(f'"X{i}"', f'"{name}"')
    lines = text.splitlines()
    for n, line in enumerate(lines):
        if line.startswith("Ca") and "border router" in line:
            lines[n] = line.replace("Ca", "Rt", 1).replace('"H-', '"R-', 1)
            lines[n - 1] = lines[n - 1].replace("caguid", "rtguid")
            key = line.split('"')[1]
    return "\n".join(lines).replace(key, key.replace("H-", "R-")) + "\n"


def test_nodes_by_their_role(tmp_path: Path) -> None:
    layout = ring(3)
    layout.lids |= {(f"X{i}", 1): (20 + i, 0) for i in range(3)}
    found = read(tmp_path, with_others(layout), "a.ibnetdiscover")
    assert found.network.num_terminals == 5
    assert found.network.terminal_labels is not None
    assert not any("Aggregation" in name for name in found.network.terminal_labels)
    said = " ".join(found.notes)
    assert "1 nodes called Aggregation Node" in said
    assert "1 routers to other subnets count as ends of traffic beside the hosts: border router" in said
    assert "1 gateways to Ethernet count as ends of traffic beside the hosts: IB-Eth Gateway 7" in said
    assert int(found.owner[found.column_of[20]]) == -1


def test_text_of_no_format_is_no_edge_list(tmp_path: Path) -> None:
    for text in ("Dear colleague,\nthe fabric is down.\n", "SW 479 22 0x02 4x QDR x\n", "alone\n"):
        (tmp_path / "notes.txt").write_text(text)
        with pytest.raises(
            TextError, match=r"shows of what format this file is; name it with --from .*: tod, graphml, .*portcsv"
        ):
            read_network(tmp_path / "notes.txt")
    for text in ("# pairs\na b\nb c 3\nc a 1 1/2\n", "0 1\n", "x\nx y\n"):
        (tmp_path / "notes.txt").write_text(text)
        assert read_network(tmp_path / "notes.txt").num_channels > 0
