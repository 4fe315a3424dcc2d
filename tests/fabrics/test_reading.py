from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from tests.fabrics.folders import EXAMPLES, FOLDERS, OPENSM, same
from tests.fabrics.texts import fdbs, ibnetdiscover, lfts, lst, ring
from unknot._base.errors import TextError, UnknotError
from unknot.fabrics import read_fabric, read_network
from unknot.fabrics.formats import kind_of
from unknot.network import from_edges
from unknot.network.edges import write_edge_list

KINDS = {
    "fabric.ibnetdiscover": "ibnetdiscover",
    "opensm-lfts.dump": "lfts",
    "opensm.fdbs": "fdbs",
    "opensm.mcfdbs": "mcfdbs",
    "opensm-subnet.lst": "lst",
    "opensm-subnet.lst.gz": "lst",
    "ibsim.net": "ibsim",
    "opensm-sl2vl.dump": "sl2vl",
    "paths.psl": "psl",
}
FILES = [file for folder in FOLDERS for file in sorted(folder.iterdir())]


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_what_a_file_is_is_found_from_its_content(path: Path, tmp_path: Path) -> None:
    assert kind_of(path) == KINDS[path.name]
    shutil.copy(path, tmp_path / "notes.txt")
    assert kind_of(tmp_path / "notes.txt") == KINDS[path.name]


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_names_of_files_do_not_matter(folder: Path, tmp_path: Path) -> None:
    for number, file in enumerate(sorted(folder.iterdir(), reverse=True)):
        shutil.copy(file, tmp_path / f"file{number}.png")
    (tmp_path / "zz.log").write_text("some log\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / ".hidden").write_text(ibnetdiscover(ring(3)))
    (tmp_path / "more").mkdir()
    fabric = read_fabric(tmp_path)
    assert same(fabric, read_fabric(folder))
    assert fabric.name == tmp_path.name
    assert "not used, since of no known format: empty, zz.log" in fabric.notes


@pytest.mark.sampled(1 / 3)
@pytest.mark.filterwarnings("ignore:.* cables are (without a width|of hosts)")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_whole_folders_and_single_files_as_networks(folder: Path) -> None:
    network = read_network(folder)
    for file in sorted(folder.iterdir()):
        if KINDS[file.name] in ("ibnetdiscover", "lst"):
            assert read_network(file) == network
        elif KINDS[file.name] == "ibsim":
            other = read_network(file)
            names = [sorted(n.channel_name(c) for c in range(n.num_channels)) for n in (network, other)]
            assert names[0] == names[1]
            assert (other.num_routers, other.num_channels, other.num_terminals) == (
                network.num_routers,
                network.num_channels,
                network.num_terminals,
            )
            assert set(other.router_labels or ()) == set(network.router_labels or ())
        else:
            with pytest.raises(TextError, match="which do not name the links"):
                read_network(file)


def test_edge_lists_are_networks_too(tmp_path: Path) -> None:
    network = from_edges([("a", "b"), ("b", "c"), ("c", "a", 3)])
    write_edge_list(network, tmp_path / "edges")
    assert read_network(tmp_path / "edges") == network
    shutil.copy(tmp_path / "edges", tmp_path / "edges.lst")
    assert read_network(tmp_path / "edges.lst", "edges") == network
    with pytest.raises(TextError, match=r"no line of a link list.*to read it so: --from edges"):
        read_network(tmp_path / "edges.lst")


def test_tables_given_by_name_replace_those_of_the_folder(tmp_path: Path) -> None:
    dor, updn = EXAMPLES / "opensm-torus8x8-dor", EXAMPLES / "opensm-torus8x8-updn"
    packed = tmp_path / "tables"
    packed.write_bytes(gzip.compress((updn / "opensm.fdbs").read_bytes()))
    assert same(read_fabric(dor, packed), read_fabric(updn))
    assert not same(read_fabric(dor), read_fabric(updn))
    assert read_fabric(dor / "fabric.ibnetdiscover").tables is None
    assert read_fabric(dor / "fabric.ibnetdiscover", updn / "opensm-lfts.dump").tables_file.endswith(
        "opensm-lfts.dump"
    )


def test_dumps_that_disagree(tmp_path: Path) -> None:
    layout = ring(3)
    (tmp_path / "a").write_text(ibnetdiscover(layout))
    (tmp_path / "b").write_text(lfts(layout))
    layout.tables["S1"][3] = 2
    (tmp_path / "c").write_text(fdbs(layout))
    with pytest.raises(TextError) as caught:
        read_fabric(tmp_path)
    line = fdbs(layout).splitlines().index("0x0003 : 002  : 02   : yes") + 1
    assert str(caught.value).startswith(
        f"{tmp_path / 'c'}:{line}: S1 sends LID 0x0003 (H2) to port 2 here, but to port 1"
    )
    assert f"{tmp_path / 'b'}:" in str(caught.value)
    assert read_fabric(tmp_path, tmp_path / "c").tables is not None


def test_two_files_of_a_kind(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(ibnetdiscover(ring(3)))
    (tmp_path / "b").write_text(ibnetdiscover(ring(4)))
    with pytest.raises(UnknotError, match="both a and b are ibnetdiscover output"):
        read_fabric(tmp_path)


@pytest.mark.parametrize("read", [read_fabric, read_network])
def test_folders_without_a_fabric(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UnknotError, match="it is empty"):
        read(tmp_path)
    (tmp_path / "tables").write_text(lfts(ring(3)))
    (tmp_path / "inner").mkdir()
    with pytest.raises(
        UnknotError, match=r"neither ibnetdiscover output, a link list.*it holds tables, inner/; is one of"
    ):
        read(tmp_path)


@pytest.mark.parametrize("read", [read_fabric, read_network, lambda p: read_fabric(OPENSM[0], p)])
def test_no_file_an_empty_file_and_a_binary_one(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "file"
    with pytest.raises(TextError, match="No such file"):
        read(path)
    for content in (b"", b"\n\n", bytes(range(256)) * 20, b"\x1f\x8b\x08\x00garbage", b"\x1f\x8b", b"\x7fELF\0\0"):
        path.write_bytes(content)
        with pytest.raises(UnknotError) as caught:
            read(path)
        assert str(path) in str(caught.value)


def test_text_that_is_not_utf8_is_located(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(ibnetdiscover(ring(3)).encode().replace(b"Topology", b"Topolog\xff", 1))
    with pytest.raises(TextError, match=r"file:2:10: this is not text"):
        read_fabric(path)
    path.write_bytes(ibnetdiscover(ring(3)).encode().replace(b"S0", b"S\0", 1))
    with pytest.raises(TextError, match=r"file:9:37: this is not text"):
        read_fabric(path)


def test_a_file_of_the_wrong_kind_is_said(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text(lfts(ring(3)))
    (tmp_path / "list").write_text(lst(ring(3)))
    (tmp_path / "edges").write_text("a -- b\n")
    with pytest.raises(TextError, match="this is OpenSM forwarding tables; give it as `tables`"):
        read_fabric(tmp_path / "tables")
    with pytest.raises(TextError, match="are needed; this is a link list"):
        read_fabric(tmp_path / "list", tmp_path / "list")
    with pytest.raises(TextError, match="this is an edge list"):
        read_fabric(tmp_path / "edges")
    with pytest.raises(TextError, match="this is an ibsim network"):
        read_fabric(OPENSM[0] / "ibsim.net")
