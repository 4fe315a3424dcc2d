"""The store of finished points: a SQLite file beside the study, one committed row for each point.

A row carries a checksum, and a row that does not match it counts as missing. A file that SQLite cannot use is set
aside under another name, and a new store takes its place: what it lacks is computed again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from unknot._base.errors import UnknotError
from unknot._base.outcomes import note_read
from unknot._base.output import is_captured

Note = Callable[[str], None]
_T = TypeVar("_T")

_MARK = 0x756E6B74
"""SQLite's `application_id` of our stores."""
_MARK_AT = 68
"""Offset of `application_id` in a database file."""
_LAYOUT = 2
_TABLE = (
    "CREATE TABLE results (key TEXT PRIMARY KEY, point TEXT NOT NULL, result TEXT NOT NULL, checksum TEXT NOT NULL)"
)
_SURROUNDINGS = {
    sqlite3.SQLITE_BUSY: "another process holds it locked; wait for it to end, or name another store with --store",
    sqlite3.SQLITE_LOCKED: "another process holds it locked; wait for it to end, or name another store with --store",
    sqlite3.SQLITE_READONLY: "it cannot be written there; name another place with --store",
    sqlite3.SQLITE_CANTOPEN: "it cannot be written there; name another place with --store",
    sqlite3.SQLITE_PERM: "it cannot be written there; name another place with --store",
    sqlite3.SQLITE_FULL: "the disk is full; make room, or name another place with --store",
    sqlite3.SQLITE_IOERR: "it cannot be read or written; look at the disk, or name another place with --store",
    sqlite3.SQLITE_NOMEM: "there is not enough memory to use it",
}
"""Errors that say nothing against the content of the file, by SQLite's primary code."""


class StoreError(UnknotError):
    """A store that cannot be opened, read or written."""


class _BrokenError(StoreError):
    """A file that cannot be used as a database; set aside if broken when opened."""

    def __init__(self, path: str | Path | None, why: str) -> None:
        self.why = why
        super().__init__(f"{path}: {why}; the same command, given again, sets it aside and begins a new one")


class Store(AbstractContextManager["Store"]):
    """Finished points by key; a row is there whole or not at all, whenever the process is killed.

    Parameters
    ----------
    path : path or None
        The file, made if it is not there; None keeps results in memory only.
    patience : float
        Seconds to wait while another process writes.
    note : callable, optional
        Called with one sentence about every damage found; by default the sentence is logged as a warning.

    Raises
    ------
    StoreError
        If the file is locked, of another program, or cannot be written.
    """

    def __init__(self, path: str | Path | None, *, patience: float = 10.0, note: Note | None = None) -> None:
        self.path = path = None if is_captured() else path
        self._patience, self._note = patience, note or logging.getLogger(__name__).warning
        try:
            with self._among(exclusive=False):
                self._open()
        except _BrokenError:
            with self._among(exclusive=True):
                try:
                    self._open()  # another process may have begun a new one meanwhile
                except _BrokenError as broken:
                    self._set_aside(broken.why)
                    self._open()

    def get(self, key: str, of: str | None = None) -> str | None:
        """Return the result stored under a key; None if there is none, or its row is damaged or of another point."""
        with self._worded():
            # as bytes: damaged text need not be UTF-8
            row = self._base.execute(
                "SELECT CAST(point AS BLOB), CAST(result AS BLOB), CAST(checksum AS BLOB) FROM results WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                return None
            point, result, checksum = (b"" if cell is None else bytes(cell) for cell in row)
            if checksum != _checksum(key.encode(), point, result):
                self.drop(key, "its checksum does not match")
                return None
            if of is not None and point != of.encode():
                self.drop(key, "it is of another point")
                return None
            return result.decode()

    def put(self, key: str, point: str, result: str) -> None:
        """Store a result and commit it."""
        self.put_all([(key, point, result)])

    def put_all(self, rows: Iterable[tuple[str, str, str]]) -> None:
        """Store results, each with its key and its point, and commit them together."""
        sealed = [(*row, _checksum(*map(str.encode, row)).decode()) for row in rows]
        with self._worded(), self._base:
            self._base.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", sealed)

    def drop(self, key: str, why: str) -> None:
        """Remove a row whose content turned out to be unusable, with a note."""
        self._note(f"{self.path}: a stored result is not used ({why}); it is computed again")
        with self._worded(), self._base:
            self._base.execute("DELETE FROM results WHERE key = ?", (key,))

    def __len__(self) -> int:
        with self._worded():
            return int(self._base.execute("SELECT count(*) FROM results").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _open(self) -> None:
        where = ":memory:" if self.path is None else self.path
        with self._worded(), ExitStack() as undo:
            self._base = undo.enter_context(closing(sqlite3.connect(where, timeout=self._patience)))
            note_read(where)
            self._base.execute("PRAGMA trusted_schema = OFF")
            self._base.execute("PRAGMA synchronous = FULL")
            with self._base:
                self._base.execute("BEGIN IMMEDIATE")
                mark, layout = (
                    self._base.execute(f"PRAGMA {p}").fetchone()[0] for p in ("application_id", "user_version")
                )
                tables = self._base.execute("SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
                if tables and mark != _MARK:
                    raise _BrokenError(self.path, "this file has no mark of a store")
                if tables and layout != _LAYOUT:
                    raise _BrokenError(self.path, "this store was made by another version of unknot")
                if tables and tables != [("table", _TABLE)]:
                    raise _BrokenError(self.path, "this store has more in it than its table, or another one")
                if tables:
                    wrong = self._base.execute("PRAGMA integrity_check(1)").fetchone()[0]
                    if wrong != "ok":
                        raise _BrokenError(self.path, f"this store is damaged ({' '.join(wrong.split())})")
                else:
                    self._base.execute(_TABLE)
                    self._base.execute(f"PRAGMA application_id = {_MARK}")
                # in any case: a file that cannot be written is found now, and not by the first result
                self._base.execute(f"PRAGMA user_version = {_LAYOUT}")
                self._base.execute("SELECT key, point, result, checksum FROM results LIMIT 1")
            undo.pop_all()

    @contextmanager
    def _among(self, *, exclusive: bool) -> Iterator[None]:
        """Lock the folder: who opened a store while another process sets it aside would mix up their journals."""
        with ExitStack() as stack:
            with suppress(ImportError, OSError):  # no such locks on Windows, where no file moves that is open
                import fcntl

                folder = os.open(Path(self.path or ".").parent, os.O_RDONLY)
                stack.callback(os.close, folder)
                fcntl.flock(folder, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            yield

    def _set_aside(self, why: str) -> None:
        """Keep the file, and what SQLite wrote beside it, under another name."""
        path = Path(self.path or "")
        if not _is_ours(path):
            raise StoreError(f"{path}: this is no store of unknot; name another with --store, or move it away")
        aside = _free_name(path)
        try:
            for ending in ("-journal", "-wal", "-shm", ""):
                beside = path.with_name(path.name + ending)
                if beside.exists():
                    beside.replace(aside.with_name(aside.name + ending))
        except OSError as error:
            raise StoreError(
                f"{path}: {why}, and it cannot be set aside ({error.strerror}); name another with --store"
            ) from error
        self._note(f"{path}: {why}; the file is kept as {aside.name}, and a new store takes its place")

    @contextmanager
    def _worded(self) -> Iterator[None]:
        """Turn SQLite's complaints into a `StoreError` with advice."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # names in a damaged schema need not be text
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
            if code in _SURROUNDINGS and not (code == sqlite3.SQLITE_READONLY and self._writable()):
                raise StoreError(f"the store of results {self.path}: {_SURROUNDINGS[code]}") from error
            raise _BrokenError(self.path, f"this store is damaged ({error})") from error

    def _writable(self) -> bool:
        """Whether file and folder can be written, so that only the content can have made SQLite refuse."""
        return self.path is not None and all(os.access(p, os.W_OK) for p in (self.path, Path(self.path).parent))


def _checksum(key: bytes, point: bytes, result: bytes) -> bytes:
    lengths = f"{len(key)},{len(point)},{len(result)};".encode()
    return hashlib.sha256(lengths + key + point + result).hexdigest().encode()


def _is_ours(path: Path) -> bool:
    """Whether a file that cannot be used as a store was one nevertheless."""
    with path.open("rb") as file:
        if file.read(_MARK_AT + 4)[_MARK_AT:] == _MARK.to_bytes(4, "big"):
            return True
    try:
        base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            base.execute("PRAGMA trusted_schema = OFF")
            columns = [row[1] for row in base.execute("PRAGMA table_info(results)")]
        finally:
            base.close()
    except (sqlite3.Error, UnicodeDecodeError):
        return path.suffix == ".sqlite"
    return columns[:3] == ["key", "point", "result"]


def _free_name(path: Path) -> Path:
    """Return a name beside a path that no file has: `study.damaged-1.sqlite`, `study.damaged-2.sqlite`, …"""
    number = 1
    while (free := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    return free
