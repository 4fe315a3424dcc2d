"""Tables read block by block: the same as line by line, whatever is broken in them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fabrics.texts import fdbs, ibroute, lfts, ring
from unknot._base.errors import TextError
from unknot.fabrics import opensm_tables
from unknot.fabrics.format import LargeText, numbers_at, row_starts
from unknot.fabrics.formats import FORMATS

LAYOUT = ring(5)
TEXTS = {"lfts": lfts(LAYOUT), "ibroute": ibroute(LAYOUT), "fdbs": fdbs(LAYOUT)}


def found(path: Path, form: str) -> object:
    """Everything that is read, or the error."""
    try:
        file = FORMATS[form].read(path)
    except TextError as error:
        return error.message, error.line, error.text
    tables = {
        guid: (table.line, table.lid, *(np.asarray(part).tolist() for part in (table.lids, table.ports, table.lines)))
        for guid, table in file.tables.items()
    }
    return tables, file.guids, file.stale, file.notes


@pytest.mark.parametrize("kind", TEXTS)
@given(data=st.data())
def test_any_damage_reads_the_same_by_blocks_and_by_lines(
    kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = TEXTS[kind]
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(text) - 1))
        new = data.draw(st.sampled_from(["", "0", "7", "f", "G", " ", "\n", "\r\n", "é", ":", text[at] * 2]))
        text = text[:at] + new + text[at + 1 :]
    if data.draw(st.booleans()):
        lines = text.splitlines(keepends=True)
        lines.insert(data.draw(st.integers(0, len(lines))), "ibwarn: [12] mad_rpc: timed out\n")
        text = "".join(lines)
    path = tmp_path_factory.mktemp("x") / "tables"
    path.write_text(text)
    alike(path, "fdbs" if kind == "fdbs" else "lfts")


def alike(path: Path, form: str) -> None:
    """Read by blocks and by lines, and compare."""
    by_blocks = found(path, form)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opensm_tables._Pattern, "ports", lambda *_: None)
        patch.setattr(opensm_tables, "_RUN", re.compile(rb"(?!)"))
        assert found(path, form) == by_blocks


@pytest.mark.parametrize("form", ["lfts", "fdbs"])
def test_tables_that_begin_alike(form: str, tmp_path: Path) -> None:
    """A block, rows after it, and then a block of all of them."""
    layout = ring(5)
    one, two = (layout.lid((f"H{i}", 1))[0] for i in range(2))
    layout.tables = {"S0": {one: 1}, "S1": {}, "S2": {one: 1, two: 2}, "S3": {one: 2, two: 1}, "S4": {one: 1}}
    (tmp_path / "tables").write_text({"lfts": lfts, "fdbs": fdbs}[form](layout))
    alike(tmp_path / "tables", form)


@pytest.mark.parametrize("kind", TEXTS)
def test_blocks_are_taken(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five tables of one form, all are filled at once but the first of a dump without hop counts."""
    filled = []
    whole = opensm_tables.SwitchTable.fill
    monkeypatch.setattr(
        opensm_tables.SwitchTable, "fill", lambda table, *rest: (filled.append(table.guid), whole(table, *rest))[1]
    )
    (tmp_path / "tables").write_text(TEXTS[kind])
    found(tmp_path / "tables", "fdbs" if kind == "fdbs" else "lfts")
    assert len(filled) == (5 if kind == "fdbs" else 4)


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\nfour\n\n")
    text = LargeText(tmp_path / "x")
    assert [text[number] for number in range(5)] == ["one", "two", "", "four", ""]
    (tmp_path / "empty").write_text(" \n")
    with pytest.raises(TextError, match="empty"):
        LargeText(tmp_path / "empty")


@given(st.lists(st.integers(0, 65535), min_size=1))
def test_numbers(numbers: list[int]) -> None:
    text = "".join(f"0x{n:04X} {n:05d}\n" for n in numbers).encode()
    data, begin = np.frombuffer(text, dtype=np.uint8), row_starts(text)
    assert numbers_at(data, begin + 2, 4, base=16).tolist() == numbers
    assert numbers_at(data, begin + 7, 5).tolist() == numbers
    assert (numbers_at(data, begin + 1, 4, base=16) == -1).all()
    assert (numbers_at(data, begin + 6, 5) == -1).all()
