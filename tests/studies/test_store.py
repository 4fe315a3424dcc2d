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
        "store._base.execute(\"INSERT INTO results VALUES ('half', 'p', 'r', 'c')\")\n"
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


@pytest.mark.parametrize("table", ["mine (x)", "results (x)"])
def test_of_another_program(table: str, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    other = sqlite3.connect(path)
    other.execute(f"CREATE TABLE {table}")
    other.commit()
    other.close()
    content = path.read_bytes()
    with pytest.raises(StoreError, match="this is no store of unknot"):
        Store(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[[design]]\n" * 500)
    with pytest.raises(StoreError, match="this is no store of unknot"):
        Store(path)
    assert path.read_text() == "[[design]]\n" * 500
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "s.sqlite"):
        with pytest.raises(StoreError, match="cannot be written there"):
            Store(path)
