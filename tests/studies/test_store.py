"""The store: committed rows, and clear words when the file is unusable."""

from __future__ import annotations

import fcntl
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack
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


def test_a_damaged_store_is_set_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"damaged")
    lock = fcntl.flock

    def another_is_faster(folder: int, how: int) -> None:
        if how == fcntl.LOCK_EX:
            monkeypatch.setattr(fcntl, "flock", lock)
            with Store(path) as other:
                other.put("a", "p", "of the other")
        lock(folder, how)

    monkeypatch.setattr(fcntl, "flock", another_is_faster)
    with Store(path) as store:
        assert store.get("a") == "of the other"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["s.damaged-1.sqlite", "s.sqlite"]


@pytest.mark.long
def test_processes_that_find_a_damaged_store_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each of four puts a row as soon as it has opened the store, ten times."""
    code = (
        "import sys, time\nfrom unknot.studies.store import Store\n"
        "for turn in range(10):\n"
        "    print(turn, flush=True)\n    begin = float(sys.stdin.readline())\n"
        "    while time.time() < begin: pass\n"
        "    with Store(f'{turn}.sqlite', note=lambda words: None) as store: store.put(sys.argv[1], 'p', 'r')\n"
    )
    for turn in range(10):
        (tmp_path / f"{turn}.sqlite").write_bytes(b"damaged")
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", code, str(number)], cwd=tmp_path, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True,
                )
            )
            for number in range(4)
        ]  # fmt: skip
        for turn in range(10):
            assert {process.stdout.readline() for process in processes if process.stdout} == {f"{turn}\n"}
            begin = time.time() + 0.05
            for process in processes:
                assert process.stdin is not None
                process.stdin.write(f"{begin}\n")
                process.stdin.flush()
    assert [process.returncode for process in processes] == [0] * 4
    for turn in range(10):
        with Store(tmp_path / f"{turn}.sqlite") as store:
            assert [store.get(str(number)) for number in range(4)] == ["r"] * 4
    assert len(list(tmp_path.iterdir())) == 20


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
