"""Service levels and SL to VL tables: every form of a file says the same, and what does not fit is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fabrics.folders import EXAMPLES
from tests.fabrics.texts import (
    Layout,
    ibnetdiscover,
    lfts,
    path_records,
    psl,
    psl_blocks,
    ring,
    saquery_sl2vl,
    sl2vl,
    slvl,
    smpquery_sl2vl,
)
from unknot._base.errors import TextError, UnknotError
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.fabric import UNKNOWN_PORT
from unknot.fabrics.formats import kind_of
from unknot.fabrics.opensm_levels import write_psl
from unknot.verify.audit import audit

PATHS = {"short": psl, "blocks": psl_blocks, "saquery": path_records}
TABLES = {"dump": sl2vl, "packed": slvl, "smpquery": smpquery_sl2vl, "saquery": saquery_sl2vl}


def with_all(layout: Layout, levels: list[int], lanes: list[int]) -> Layout:
    """Levels of all pairs of hosts and rows of all pairs of ports, taken in turn."""
    hosts = [(end, lid) for end, (lid, _) in layout.lids.items() if end[0][0] == "H"]
    pairs = [(source, lid) for source, _ in hosts for to, lid in hosts if source != to]
    layout.levels = {pair: levels[i % len(levels)] for i, pair in enumerate(pairs)}
    rows = [(s, a, b) for s in layout.nodes if s[0] == "S" for a in (0, 1, 2, 3) for b in (1, 2, 3)]
    layout.lanes = {row: [lanes[(i + sl) % len(lanes)] for sl in range(16)] for i, row in enumerate(rows)}
    return layout


def written(folder: Path, layout: Layout, *, levels: str = "", lanes: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    (folder / "tables.lfts").write_text(lfts(layout))
    if levels:
        (folder / "levels").write_text(levels)
    if lanes:
        (folder / "lanes").write_text(lanes)
    return folder


@settings(max_examples=4)
@given(levels=st.lists(st.integers(0, 15), min_size=1), lanes=st.lists(st.integers(0, 15), min_size=1))
def test_all_forms_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, levels: list[int], lanes: list[int]
) -> None:
    layout = with_all(ring(4), levels, lanes)
    found: list[Fabric] = []
    for i, paths in enumerate(PATHS.values()):
        for j, tables in enumerate(TABLES.values()):
            folder = tmp_path_factory.mktemp(f"form{i}{j}")
            found.append(read_fabric(written(folder, layout, levels=paths(layout), lanes=tables(layout))))
    names = [found[0].network.terminal_name(t) for t in range(4)]
    for fabric in found:
        assert fabric.levels is not None
        assert fabric.lanes is not None
        for (source, lid), level in layout.levels.items():
            assert fabric.levels[names.index(source[0]), fabric.lids.tolist().index(lid)] == level
        for (node, came, out), row in layout.lanes.items():
            assert fabric.lanes[int(node[1:]), came, out].tolist() == row
        assert np.array_equal(fabric.levels, found[0].levels)
        assert np.array_equal(fabric.lanes, found[0].lanes)


@pytest.mark.parametrize("form", PATHS)
def test_kinds_are_found_from_the_content(form: str, tmp_path: Path) -> None:
    layout = with_all(ring(3), [1, 2], [0, 1])
    (tmp_path / "a.txt").write_text(PATHS[form](layout))
    assert kind_of(tmp_path / "a.txt") == "psl"
    for number, write in enumerate(TABLES.values()):
        (tmp_path / f"{number}.dump").write_text(write(layout))
        assert kind_of(tmp_path / f"{number}.dump") == "sl2vl"


def test_written_levels_are_read_back(tmp_path: Path) -> None:
    fabric = read_fabric(EXAMPLES / "opensm-ring12-lash")
    write_psl(fabric, tmp_path / "again.psl")
    again = read_fabric(EXAMPLES / "opensm-ring12-lash" / "fabric.ibnetdiscover", levels=tmp_path / "again.psl")
    assert np.array_equal(fabric.levels, again.levels)  # type: ignore[arg-type]
    assert again.levels_file == str(tmp_path / "again.psl")
    with pytest.raises(UnknotError, match="no service levels"):
        write_psl(read_fabric(EXAMPLES / "opensm-torus8x8-dor"), tmp_path / "x.psl")


def test_levels_that_switches_decide_have_a_line_for_each_two(tmp_path: Path) -> None:
    fabric = read_fabric(EXAMPLES / "opensm-leafspine-degraded-ftree")
    levels = np.full((72 + fabric.network.num_routers, fabric.lids.size), -1, dtype=np.int8)
    home, hosts = fabric.network.inject, fabric.owner < 72
    for t in range(72):
        levels[t, hosts] = (3 * home[t] + home[fabric.owner[hosts]]) % 5
        levels[t, fabric.owner == t] = -1
    write_psl(replace(fabric, levels=levels), tmp_path / "short.psl", by_switch=True)
    assert len((tmp_path / "short.psl").read_text().splitlines()) == 12 * 12 + 1
    assert kind_of(tmp_path / "short.psl") == "psl"
    again = read_fabric(EXAMPLES / "opensm-leafspine-degraded-ftree", levels=tmp_path / "short.psl")
    assert np.array_equal(again.levels, levels)  # type: ignore[arg-type]
    levels = levels.copy()
    levels[0, np.argmax(fabric.owner == 71)] = 7
    write_psl(replace(fabric, levels=levels), tmp_path / "long.psl", by_switch=True)
    assert len((tmp_path / "long.psl").read_text().splitlines()) == 72 * 71


def test_a_pair_may_have_several_levels(tmp_path: Path) -> None:
    layout = with_all(ring(3), [1], [0])
    text = psl(layout) + psl(layout).replace(" 1\n", " 3\n") + psl(layout)
    fabric = read_fabric(written(tmp_path / "f", layout, levels=text))
    assert fabric.more_levels.tolist() == [[s, d, 3] for s in range(3) for d in range(3) if s != d]
    write_psl(fabric, tmp_path / "again.psl")
    again = read_fabric(tmp_path / "f", levels=tmp_path / "again.psl")
    assert np.array_equal(again.more_levels, fabric.more_levels)


def test_a_pair_without_record_is_named(tmp_path: Path) -> None:
    layout = with_all(ring(3), [1], [0])
    del layout.levels[("H1", 1), 3]
    fabric = read_fabric(written(tmp_path, layout, levels=psl(layout)))
    assert any(
        "1 of 6 pairs of hosts have no path record, the first H1 to LID 0x0003 (H2)" in note for note in fabric.notes
    )


PSL = "0x0000000000100030 2 1\n"
WRONG_LEVELS = {
    "0x0000000000100030 2 16\n": "levels.psl:1: service levels are 0 to 15",
    "0x0000000000100099 2 1\n": "levels.psl:1: .* has no node or port 0x0000000000100099",
    "0x0000000000100030 99 1\n": "levels.psl:1: no port in .* has LID 0x0063",
    "0x0000000000100030 0 1\n": "levels.psl:1: LID 0x0000 is not a unicast LID",
    f"{PSL}0x000000000010003 2 2 x\n": "levels.psl:2: path records have no such line",
    "0x0002 : 1\n": "levels.psl:1: an entry outside a block",
    'Channel Adapter 0x0000000000100031, base LID 2, "H0"\n0x0002 : 1\n': "LID 0x0002 is H1",
    "PathRecord dump:\n\t\tdlid....2\n\t\tslid....1\n": "levels.psl: no service level of a path",
    "PathRecord dump:\n\t\tdlid....0\n\t\tslid....0\n\t\tsl......0x0\n": "answer to the query was cut off",
    "# nothing\n": "no service level of a path",
    "0x0000000000200000 0x0000000000200099 1\n": "levels.psl:1: .* has no switch 0x0000000000200099",
    "0x0000000000200000 0x0000000000200010 1\n" * 2
    + "0x0000000000200000 0x0000000000200010 2\n": "levels.psl:3: SL 2 between these switches, but SL 1 in line 1",
}


@pytest.mark.parametrize("text", WRONG_LEVELS)
def test_wrong_levels_are_refused_at_their_line(text: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "f", ring(3))
    (tmp_path / "levels.psl").write_text(text)
    with pytest.raises(TextError, match=WRONG_LEVELS[text]):
        read_fabric(folder, levels=tmp_path / "levels.psl")


ROW = "0  1  : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7\n"
HEAD = 'Switch 0x0000000000200000, base LID 4, "S0"\n'
WRONG_LANES = {
    ROW: "lanes.sl2vl:1: a row outside a table",
    HEAD + ROW.replace(" 7\n", " 16\n"): "lanes.sl2vl:2: virtual lanes are 0 to 15",
    HEAD + ROW.replace("0  1  :", "0  99 :"): "lanes.sl2vl:2: S0 has ports 0 to 12, not 99",
    HEAD.replace("200000", "200099") + ROW: "has no node 0x0000000000200099",
    HEAD.replace("LID 4", "LID 5") + ROW: "LID 5 does not belong to node 0x0000000000200000",
    HEAD + ROW + ROW.replace("0\n", "1\n").replace(": 0", ": 3"): "lanes.sl2vl:3: S0 had another row for input 0",
    HEAD + "nonsense\n": "lanes.sl2vl:2: SL to VL tables have no such line",
    "SL2VLTableRecord dump:\n\t\tLID....4\n": "lanes.sl2vl: no SL to VL table in this file",
    "# nothing\n": "no SL to VL table",
}


@pytest.mark.parametrize("text", WRONG_LANES)
def test_wrong_lanes_are_refused_at_their_line(text: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "f", ring(3))
    (tmp_path / "lanes.sl2vl").write_text(text)
    with pytest.raises(TextError, match=WRONG_LANES[text]):
        read_fabric(folder, lanes=tmp_path / "lanes.sl2vl")


def test_a_switch_without_all_its_rows_counts_as_unknown(tmp_path: Path) -> None:
    layout = with_all(ring(3), [0], [0, 1])
    text = sl2vl(layout)
    folder = written(tmp_path / "f", layout, lanes=text[: text.rindex("Switch")])
    fabric = read_fabric(folder)
    assert (np.asarray(fabric.tables) == UNKNOWN_PORT).all(axis=1).tolist() == [False, False, True]
    assert any("lacks rows of 1 switches, the first S2" in note for note in fabric.notes)


def test_pairs_without_a_record_are_unknown(tmp_path: Path) -> None:
    """A ring of three deadlocks by the three routes of two hops; the last record is of one of them, the first not."""
    layout = with_all(ring(3), [0], [0])
    text = path_records(layout)
    cuts = {text: False, text[: text.rindex("sl.")]: None, text[text.index("PathRecord", 1) :]: False}
    for levels, free in cuts.items():
        found = audit(read_fabric(written(tmp_path / "f", layout, levels=levels)))
        assert found.deadlock_free is free
        assert (found.host_to_host.unknown.unknown_pairs, found.host_to_host.delivery.pairs) == (levels != text, 6)


def test_messages_of_the_tools_are_skipped_and_counted(tmp_path: Path) -> None:
    layout = with_all(ring(3), [1, 2], [0, 1])
    noise = "ibwarn: [17430] mad_rpc: _do_madrpc failed\nsrc/query_smp.c:195; umad (DR path) bad status 110\n"
    found = read_fabric(
        written(tmp_path, layout, levels=noise + psl(layout), lanes=sl2vl(layout).replace("#in", noise + "#in", 1))
    )
    assert sum("2 lines of error messages or terminal output skipped" in note for note in found.notes) == 2


def test_files_of_another_kind_are_named(tmp_path: Path) -> None:
    folder = EXAMPLES / "opensm-ring12-lash"
    with pytest.raises(TextError, match=r"service levels of paths .* are needed; this is SL to VL tables"):
        read_fabric(folder, levels=folder / "opensm-sl2vl.dump")
    with pytest.raises(TextError, match="SL to VL tables are needed; this is OpenSM forwarding tables"):
        read_fabric(folder, lanes=folder / "opensm-lfts.dump")
    with pytest.raises(TextError, match="give it as `levels`, beside a fabric file"):
        read_fabric(folder / "paths.psl")
