"""Damaged stores: nothing that is wrong is believed, and no damage ends in a traceback."""

from __future__ import annotations

import hashlib
import json
import logging
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.studies.test_run import Serial, spoken, written
from unknot.studies import run_study, sweep
from unknot.studies.points import compute
from unknot.studies.store import Store, StoreError

Rows = dict[str, str]
PAGE = 4096
"""Bytes of a page of a store."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of thirty rows; some are longer than a page."""
    path = tmp_path / "s.sqlite"
    with Store(path) as kept, kept._base:
        for key, result in contents().items():
            checksum = hashlib.sha256(f"{len(key)},5,{len(result)};{key}point{result}".encode()).hexdigest()
            kept._base.execute("INSERT INTO results VALUES (?, 'point', ?, ?)", (key, result, checksum))
    return path


@cache
def contents() -> Rows:
    return {hashlib.sha256(bytes([i])).hexdigest(): f"result {i} " * (1 + i * i * 7 % 1100) for i in range(30)}


def flipped(content: bytes, bits: Sequence[int]) -> bytes:
    found = bytearray(content)
    for bit in bits:
        found[bit // 8 % len(found)] ^= 1 << bit % 8
    return bytes(found)


def found_in(path: Path) -> tuple[Rows, list[str]]:
    """The rows that a store gives back, and its notes."""
    notes: list[str] = []
    with Store(path, note=notes.append) as kept:
        return {key: text for key in contents() if (text := kept.get(key)) is not None}, notes


def aside(path: Path) -> list[Path]:
    return sorted(set(path.parent.iterdir()) - {path})


@pytest.mark.parametrize("cell", ["result", "point", "key", "checksum"])
def test_a_changed_row_is_not_believed(cell: str, store: Path) -> None:
    with closing(sqlite3.connect(store)) as base:
        base.execute(f"UPDATE results SET {cell} = substr({cell}, 2) || '0' WHERE rowid = 7")
        base.commit()
    key = list(contents())[6]
    found, notes = found_in(store)
    assert found == {k: text for k, text in contents().items() if k != key}
    if cell != "key":  # then there is no row of that name, as if it had never been computed
        (note,) = notes
        assert str(store) in note
        assert "computed again" in note
    with Store(store) as kept:
        kept.put(key, "point", contents()[key])
    assert found_in(store) == (contents(), [])


@pytest.mark.parametrize(
    "damage",
    [
        lambda c: b"this is no database at all, only text" * 100,
        lambda c: b"SQLite format 3\0" + b"\xff" * 5000,
        lambda c: b"\0" * 100 + c[100:],
        lambda c: c[:100] + b"\0" * (PAGE - 100) + c[PAGE:],
        lambda c: flipped(c, [68 * 8]),
        lambda c: flipped(c, [60 * 8]),
        lambda c: flipped(c, [59 * 8 + 1]),
    ],
    ids=["text", "rubbish", "header", "schema", "mark", "layout", "encoding"],
)
def test_a_file_that_is_broken_as_a_whole_is_set_aside(damage: Callable[[bytes], bytes], store: Path) -> None:
    broken = damage(store.read_bytes())
    store.write_bytes(broken)
    rows, notes = found_in(store)
    assert rows == {}
    (kept,) = aside(store)
    assert kept.name == "s.damaged-1.sqlite"
    assert kept.read_bytes() == broken
    assert "s.damaged-1.sqlite" in notes[0]
    assert found_in(store) == ({}, [])


def test_a_file_that_sqlite_takes_for_one_that_is_only_read(store: Path) -> None:
    """The write version of the header is a number that this SQLite does not know."""
    store.write_bytes(flipped(store.read_bytes(), [18 * 8 + 1]))
    notes: list[str] = []
    with Store(store, note=notes.append) as kept:
        kept.put("key", "point", "result")
        assert kept.get("key") == "result"
        assert len(kept) == 1
    assert len(aside(store)) == len(notes) == 1


def test_a_broken_file_that_cannot_be_set_aside(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)

    def refused(path: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(StoreError, match=r"it cannot be set aside \(Permission denied\); name another with --store"):
        Store(store)


def test_damage_done_while_it_is_used(store: Path) -> None:
    """Another process overwrites pages while the store is open: the study ends, and goes on when it is run again."""
    notes: list[str] = []
    with Store(store, note=notes.append) as kept:
        content = store.read_bytes()
        with store.open("r+b") as file:
            file.write(content[:24] + b"\1\1\1\1" + b"\xa5" * (len(content) - 28))
        with pytest.raises(StoreError, match="the same command, given again, sets it aside"):
            kept.put("key", "point", "result")
    assert not aside(store)
    with Store(store, note=notes.append) as kept:
        kept.put("key", "point", "result")
        assert kept.get("key") == "result"
    assert len(aside(store)) == len(notes) == 1


def test_without_a_listener_notes_are_logged(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    store.write_bytes(b"\0" * PAGE)
    with caplog.at_level(logging.WARNING), Store(store):
        pass
    assert "is kept as s.damaged-1.sqlite" in caplog.text


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=12), st.integers(0, 2**40))
def test_flipped_bits(tmp_path_factory: pytest.TempPathFactory, bits: list[int], first: int) -> None:
    """Whatever is flipped, a row is either what it was or not there; half of the flips are in the first page."""
    path = tmp_path_factory.mktemp("flips") / "s.sqlite"
    path.write_bytes(flipped(_whole(), [*bits, first % (PAGE * 8)]))
    found, _ = found_in(path)
    assert found.items() <= contents().items()


@cache
def _whole() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return store.__wrapped__(Path(folder)).read_bytes()


STUDY = """[[design]]
network = "ring(4)"
routing = "dimension_order"
vcs = [1, 2]
[simulation]
loads = { from = 0.05, to = 1.0, step = 0.05 }
warmup = 20
measure = 60
"""


@pytest.mark.campaign
def test_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 stores with flipped bits, cut off or with pages of zeros: the same results, or computed again.

    What is computed again is looked up among the first results, if it is there.
    """
    study = written(tmp_path, STUDY)
    wanted = spoken(run_study(study, executor=Serial()))
    path = study.with_suffix(".sqlite")
    whole = path.read_bytes()
    with closing(sqlite3.connect(path)) as base:
        known = dict(base.execute("SELECT key, result FROM results"))
    monkeypatch.setattr(sweep, "compute", lambda point: known.get(point.key) or compute(point))
    rng, ends = random.Random(), Counter[str]()
    for _ in range(500):
        content = flipped(whole, [rng.randrange(len(whole) * 8) for _ in range(rng.choice([1, 1, 5, 40, 400]))])
        if rng.random() < 0.3:
            content = flipped(content, [rng.randrange(PAGE * 8)])
        if rng.random() < 0.1:
            content = content[: rng.randrange(len(content))]
        if rng.random() < 0.1:
            at = rng.randrange(len(content) // PAGE + 1) * PAGE
            content = content[:at] + b"\0" * PAGE + content[at + PAGE :]
        path.write_bytes(content)
        notes: list[str] = []
        assert spoken(run_study(study, executor=Serial(), note=notes.append)) == wanted
        if sum(ends.values()) % 50 == 0:
            print(ends, flush=True)
        ends["file set aside" if any("is kept as" in n for n in notes) else "rows" if notes else "no note"] += 1
        for file in tmp_path.glob("study.*sqlite*"):
            file.unlink()
    print(ends)


@pytest.mark.campaign
def test_damaged_json(tmp_path: Path) -> None:
    """Results that are damaged and have the right checksum all the same are computed again."""
    study = written(tmp_path, STUDY)
    wanted = spoken(run_study(study, executor=Serial()))
    path = study.with_suffix(".sqlite")
    rng = random.Random()
    for damage in ("{}", "[]", "null", "3", "", "{", "[" * 40_000, '{"verdict": 1}'):
        with Store(path) as kept:
            rows = list(kept._base.execute("SELECT key, point, result FROM results"))
            key, point, result = rng.choice(rows)
            kept.put(key, point, damage)
        notes: list[str] = []
        assert spoken(run_study(study, executor=Serial(), note=notes.append)) == wanted
        assert len(notes) == 1
        with Store(path) as kept:
            assert json.loads(kept.get(key) or "") == json.loads(result)
