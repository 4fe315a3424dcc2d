"""The store of finished points: a SQLite file beside the study, one committed row for each point."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from unknot.errors import UnknotError

_MARK = 0x756E6B74
"""SQLite's `application_id` of our stores."""
_LAYOUT = 1
_TABLE = "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, point TEXT NOT NULL, result TEXT NOT NULL)"


class StoreError(UnknotError):
    """A store that cannot be opened, read or written."""


class Store:
    """Finished points by key; a row is there whole or not at all, whenever the process is killed.

    Parameters
    ----------
    path : path or None
        The file, made if it is not there; None keeps results in memory only.
    patience : float
        Seconds to wait while another process writes.

    Raises
    ------
    StoreError
        If the file is locked, damaged, of another program, or cannot be written.
    """

    def __init__(self, path: str | Path | None, *, patience: float = 10.0) -> None:
        self.path = path
        with self._told():
            self._open(patience)

    def _open(self, patience: float) -> None:
        self._base = sqlite3.connect(":memory:" if self.path is None else self.path, timeout=patience)
        try:
            self._base.execute("PRAGMA synchronous = FULL")
            with self._base:
                self._base.execute("BEGIN IMMEDIATE")
                mark, layout = (
                    self._base.execute(f"PRAGMA {p}").fetchone()[0] for p in ("application_id", "user_version")
                )
                tables = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                if tables and (mark, layout) != (_MARK, _LAYOUT):
                    raise StoreError(
                        f"{self.path}: this database was not made by this version of unknot; name another with "
                        "--store, or move it away"
                    )
                self._base.execute(_TABLE)
                self._base.execute(f"PRAGMA application_id = {_MARK}")
                self._base.execute(f"PRAGMA user_version = {_LAYOUT}")
        except BaseException:
            self._base.close()
            raise

    def get(self, key: str) -> str | None:
        """The result stored under a key."""
        with self._told():
            row = self._base.execute("SELECT result FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, key: str, point: str, result: str) -> None:
        """Store a result and commit it."""
        with self._told(), self._base:
            self._base.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", (key, point, result))

    def __len__(self) -> int:
        with self._told():
            return int(self._base.execute("SELECT count(*) FROM results").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in our words what SQLite complains of."""
        try:
            yield
        except sqlite3.OperationalError as error:
            what = str(error)
            if "locked" in what:
                what = "another process holds it locked; wait for it to end, or name another store with --store"
            elif "readonly" in what or "unable to open" in what:
                what = "it cannot be written there; name another place with --store"
            raise StoreError(f"the store of results {self.path}: {what}") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the store of results {self.path} is damaged ({error}); delete it, and the study starts anew"
            ) from error
