"""The store: committed rows, and clear words when the file is unusable."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from unknot.studies.store import Store, StoreError


def test_keeps_what_was_put(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        assert store.get("a") is None
        store.put("a", "point", "first")
        store.put("a", "point", "second")
        store.put("b", "point", "é ☃")
    with Store(path) as store:
        assert (store.get("a"), store.get("b"), len(store)) == ("second", "é ☃", 2)


def test_memory_store_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store(None) as store:
        store.put("a", "point", "x")
        assert store.get("a") == "x"
    assert list(tmp_path.iterdir()) == []


def test_rows_survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    code = (
        "import os, signal, sys\nfrom unknot.studies.store import Store\nstore = Store(sys.argv[1])\n"
        "for i in range(5): store.put(str(i), 'p', 'x' * 10000)\n"
        "store._base.execute(\"INSERT INTO results VALUES ('half', 'p', 'r')\")\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == -9
    with Store(path) as store:
        assert len(store) == 5
        assert store.get("half") is None
        store.put("half", "p", "whole")


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as one, Store(tmp_path / "s.sqlite") as two:
        one.put("a", "p", "1")
        two.put("b", "p", "2")
        assert (one.get("b"), two.get("a")) == ("2", "1")


def test_locked(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    Store(path).close()
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another process holds it locked"):
        Store(path, patience=0.05)
    other.rollback()
    other.close()
    Store(path).close()


@pytest.mark.parametrize(
    "content", [b"this is no database at all, only text" * 100, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_damaged(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        Store(path)
    assert path.read_bytes() == content


def test_damaged_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        for i in range(200):
            store.put(f"{i:03}", "p", "x" * 500)
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    path.write_bytes(content)

    def read_all() -> list[str | None]:
        with Store(path) as store:
            return [store.get(f"{i:03}") for i in range(200)]

    with pytest.raises(StoreError, match="is damaged"):
        read_all()


def test_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE mine (x)")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match="was not made by this version of unknot"):
        Store(path)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "s.sqlite"):
        with pytest.raises(StoreError, match="cannot be written there"):
            Store(path)
