"""OpenSM's two table dumps and `ibroute` output, and joining them to a fabric."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.fabrics.folders import OPENSM, ROUTED
from tests.fabrics.texts import Layout, fdbs, ibnetdiscover, ibroute, lfts, lst, ring
from tests.reference.fabric_routes import plain_ibnetdiscover, plain_lst, plain_tables
from unknot._base.errors import TextError
from unknot.fabrics import NO_ENTRY, Fabric, read_fabric
from unknot.fabrics.fabric import UNKNOWN_PORT

WRITERS = {"lfts": lfts, "fdbs": fdbs, "ibroute": ibroute}


def read(tmp_path: Path, layout: Layout, tables: str, fabric: str | None = None) -> Fabric:
    (tmp_path / "fabric").write_text(ibnetdiscover(layout) if fabric is None else fabric)
    (tmp_path / "tables").write_text(tables)
    return read_fabric(tmp_path / "fabric", tmp_path / "tables")


@pytest.mark.parametrize("folder", ROUTED, ids=lambda f: f.name)
def test_examples_agree_with_a_naive_reading(folder: Path) -> None:
    fabric = read_fabric(folder)
    described = folder / "fabric.ibnetdiscover"
    plain = plain_ibnetdiscover(described) if described.exists() else plain_lst(folder / "opensm-subnet.lst")
    assert fabric.tables is not None
    for name in ("opensm-lfts.dump", "opensm.fdbs"):
        if (folder / name).exists():
            plain_tables(plain, folder / name)
            for r, guid in enumerate(fabric.switch_guid.tolist()):
                mine = dict(zip(fabric.lids.tolist(), fabric.tables[r].tolist(), strict=True))
                assert mine == plain.table[guid]


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("folder", OPENSM, ids=lambda f: f.name)
def test_both_dumps_and_both_descriptions_give_the_same_tables(folder: Path) -> None:
    wanted = read_fabric(folder).tables
    for described in ("fabric.ibnetdiscover", "opensm-subnet.lst"):
        for dump in ("opensm-lfts.dump", "opensm.fdbs"):
            tables = read_fabric(folder / described, folder / dump).tables
            assert wanted is not None
            assert tables is not None
            assert np.array_equal(tables, wanted)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("lmc", [0, 2])
def test_every_format_and_several_lids_a_port(tmp_path: Path, kind: str, lmc: int) -> None:
    layout = ring(3, lmc=lmc)
    fabric = read(tmp_path, layout, WRITERS[kind](layout))
    assert fabric.tables is not None
    for r, name in enumerate(fabric.network.router_labels or ()):
        assert dict(zip(fabric.lids.tolist(), fabric.tables[r].tolist(), strict=True)) == layout.tables[name]


@pytest.mark.parametrize("kind", ["lfts", "ibroute"])
def test_tables_give_the_further_lids_that_a_link_list_lacks(tmp_path: Path, kind: str) -> None:
    layout = ring(3, lmc=1)
    fabric = read(tmp_path, layout, WRITERS[kind](layout), lst(layout))
    assert fabric.lids.tolist() == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert fabric.owner.tolist() == [0, 0, 1, 1, 2, 2, 3, 4, 5]
    assert any("LMC" in note for note in fabric.notes)


def test_lids_that_do_not_fit_an_lmc_are_an_error(tmp_path: Path) -> None:
    layout = ring(3, lmc=2)
    layout.tables = {name: {lid: p for lid, p in t.items() if lid != 6} for name, t in layout.tables.items()}
    with pytest.raises(TextError, match="would not be an LMC block"):
        read(tmp_path, layout, lfts(layout), lst(layout))


def test_unreachable_lids_have_no_entry(tmp_path: Path) -> None:
    layout = ring(3)
    del layout.tables["S1"][2]
    layout.tables["S2"][3] = 255
    for text in (lfts(layout), fdbs(layout)):
        fabric = read(tmp_path, layout, text)
        assert fabric.tables is not None
        assert fabric.tables[1].tolist() == [1, NO_ENTRY, 1, 1, 0, 1]
        assert fabric.tables[2].tolist() == [1, 1, NO_ENTRY, 1, 1, 0]


def test_hop_count_remarks(tmp_path: Path) -> None:
    layout = ring(3)
    text = fdbs(layout).replace("001  : 02   : yes", "001  : 02   : No 1 hop path possible via port 2!", 1)
    text = text.replace("001  : 02   : yes", "001  : HOPS UNKNOWN", 1).replace("dump_ucast", "__osm_dump_ucast")
    fabric = read(tmp_path, layout, text)
    assert fabric.tables is not None
    assert fabric.tables[0].tolist() == [3, 1, 1, 0, 1, 1]


def test_entries_for_lids_of_nobody_are_noted(tmp_path: Path) -> None:
    layout = ring(3)
    layout.tables["S0"][9] = 1
    fabric = read(tmp_path, layout, lfts(layout))
    assert fabric.lids.tolist() == [1, 2, 3, 4, 5, 6]
    assert any("the first 0x0009" in note for note in fabric.notes)


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("lfts", lambda t: t.replace("6 lids dumped", "5 lids dumped", 1), "should end with 6 lids"),
        ("lfts", lambda t: t.replace("guid 0x0000000000200010 (", "guid 0x0000000000200000 ("), "a second table"),
        ("lfts", lambda t: t.replace("switch Lid 4", "switch Lid 5", 1), "LID 5 does not belong to S0"),
        ("lfts", lambda t: t.replace("0x0002 001 #", "0x0002 1 #", 1), "no such line"),
        ("lfts", lambda t: t.replace("0x0002 001 #", "0x0001 001 #", 1), "stands below LID 0x0001"),
        ("lfts", lambda t: t.replace("0x0006 001", "0x0007 001", 1), "LIDs of this table"),
        ("lfts", lambda t: t.replace("0x0006 001", "0x0006 256", 1), "at most 255"),
        ("lfts", lambda t: t.replace("portguid 0x0000000000100031", "portguid 0x0000000000100041"), "belongs"),
        ("lfts", lambda t: t.replace("-6]", "-9]").replace("6 lids", "9 lids").replace("0x0006", "0x0009"), "LMC"),
        ("lfts", lambda t: t.replace("0x0001 003", "0x0000 003", 1), "LID 0x0000 is not a unicast LID"),
        ("lfts", lambda t: "hello\n" + t, "no such line"),
        ("ibroute", lambda t: t.replace("6 valid lids", "5 valid lids", 1), "should end with 6 lids"),
        ("ibroute", lambda t: t.replace("0x0002 001", "0x0003 001", 1), "stands below LID 0x0003"),
        ("fdbs", lambda t: t.replace("001  : 02   : yes", "001  : 02   : y", 1), "no such line"),
        ("fdbs", lambda t: t.replace("0000200010", "0000200000"), "a second table"),
        ("fdbs", lambda t: t + "0x0007 : 001  : 02   : yes\n", "LID 0x0007, which no port"),
    ],
)  # fmt: skip
def test_broken_tables_are_an_error(tmp_path: Path, kind: str, change, words: str) -> None:  # type: ignore[no-untyped-def]
    layout = ring(3)
    with pytest.raises(TextError) as caught:
        read(tmp_path, layout, change(WRITERS[kind](layout)))
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "tables"))


@pytest.mark.parametrize("kind", ["lfts", "ibroute"])
@pytest.mark.parametrize("lid", [2, 6])
def test_a_table_with_its_end_has_no_route_where_it_has_no_line(tmp_path: Path, kind: str, lid: int) -> None:
    layout = ring(3)
    del layout.tables["S1"][lid]
    whole = WRITERS[kind](layout)
    last = whole.replace("6 valid lids", "5 valid lids", 1) if kind == "ibroute" else whole
    fabric = read(tmp_path, layout, whole)
    assert fabric.tables is not None
    outside = kind == "ibroute" and lid == 6  # above the range that was asked for
    assert fabric.tables[1, lid - 1] == (UNKNOWN_PORT if outside else NO_ENTRY)
    cut = read(tmp_path, layout, re.sub(r"(?m)^\d (valid )?lids dumped ?\n", "", last))
    assert cut.tables is not None
    assert cut.tables[1, lid - 1] == UNKNOWN_PORT
    assert [note for note in cut.notes if "the table of S0 (line 1), S1 (line" in note and "has no end" in note]


def test_a_switch_without_a_table_is_named(tmp_path: Path) -> None:
    layout = ring(3)
    del layout.tables["S1"]
    fabric = read(tmp_path, layout, lfts(layout))
    assert f"{tmp_path / 'tables'} has no table of S1: unknown" in fabric.notes


def test_a_route_that_the_other_dump_lacks_is_an_error(tmp_path: Path) -> None:
    layout = ring(3)
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    (tmp_path / "tables.fdbs").write_text(fdbs(layout))
    del layout.tables["S1"][2]
    (tmp_path / "tables.lfts").write_text(lfts(layout))
    with pytest.raises(TextError, match=r"S1 sends LID 0x0002 .* to port 3 here, but to no port by .*lfts:15"):
        read_fabric(tmp_path)


WITHOUT_S0, WITHOUT_S2, WITHOUT_LAST, NOTHING = {0: range(6)}, {2: range(6)}, {2: [5]}, dict[int, range]()


@pytest.mark.parametrize(
    ("kind", "change", "unknown"),
    [
        ("lfts", lambda t: t[: t.rindex("6 lids")], NOTHING),
        ("lfts", lambda t: t.replace("6 lids dumped\n", "", 1), NOTHING),
        ("lfts", lambda t: t[: t.rindex("Unicast")], WITHOUT_S2),
        ("lfts", lambda t: t[: t.rindex("(")], WITHOUT_S2),
        ("lfts", lambda t: t[: t.rindex("0x0006") + 8], WITHOUT_LAST),
        ("lfts", lambda t: t[t.index("\n") + 1 :], WITHOUT_S0),
        ("lfts", lambda t: t.replace("guid 0x0000000000200000 (", "guid 0x0000000000200001 ("), WITHOUT_S0),
        ("ibroute", lambda t: t[: t.rindex("6 valid")], NOTHING),
        ("fdbs", lambda t: t[: t.rindex("dump_ucast")], WITHOUT_S2),
        ("fdbs", lambda t: t[: t.rindex("0x0006")], WITHOUT_LAST),
        ("fdbs", lambda t: t[: t.rindex("0x0006") + 12], WITHOUT_LAST),
        ("fdbs", lambda t: t.replace("LID    : Port : Hops : Optimal\n", "", 1), WITHOUT_S0),
        ("fdbs", lambda t: t.replace("0000200000", "0000200001"), WITHOUT_S0),
    ],
)  # fmt: skip
def test_what_is_cut_off_is_unknown(tmp_path: Path, kind: str, change, unknown) -> None:  # type: ignore[no-untyped-def]
    layout = ring(3)
    wanted = np.array(read(tmp_path, layout, WRITERS[kind](layout)).tables)
    fabric = read(tmp_path, layout, change(WRITERS[kind](layout)))
    for r, columns in unknown.items():
        wanted[r, list(columns)] = UNKNOWN_PORT
    assert np.array_equal(np.asarray(fabric.tables), wanted)


def test_a_dump_adds_what_the_other_lacks(tmp_path: Path) -> None:
    layout = ring(3)
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    whole = [lfts(layout), fdbs(layout)]
    parts = [whole[0][: whole[0].rindex("Unicast")], whole[1][whole[1].rindex("dump_ucast") :]]
    for texts in (parts, whole):
        for name, text in zip(("tables.lfts", "tables.fdbs"), texts, strict=True):
            (tmp_path / name).write_text(text)
        assert not (np.asarray(read_fabric(tmp_path).tables) == UNKNOWN_PORT).any()


def test_tables_of_another_fabric(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"belongs to port GUID 0x0000000000100041 here, but by .*fabric to H0"):
        read(tmp_path, ring(3), lfts(ring(4)))
    with pytest.raises(TextError, match="belongs to port GUID"):
        read(tmp_path, ring(4), lfts(ring(3)))
    layout = ring(3)
    layout.links.append((("S0", 4), ("H7", 1)))
    layout.lids["H7", 1] = (7, 0)
    layout.tables["S0"][7] = 4
    with pytest.raises(TextError, match=r"0x0007 belongs to port GUID 0x[0-9a-f]+, which .*fabric does not have"):
        read(tmp_path, ring(3), lfts(layout).replace("[0-7]", "[0-9]").replace("7 lids", "9 lids"))


def test_numbers_with_leading_zeros_are_decimal(tmp_path: Path) -> None:
    text = lfts(ring(3)).replace("lids [0-6]", "lids [00-06]")
    (tmp_path / "fabric").write_text(ibnetdiscover(ring(3)))
    (tmp_path / "tables").write_text(text)
    assert "lids [00-06]" in text
    assert read_fabric(tmp_path).tables is not None
