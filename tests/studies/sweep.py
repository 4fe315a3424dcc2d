"""A sweep that says what it has committed, to be killed: ``python -m tests.studies.sweep FILE``.

A study file is run by `run_study`; of another file only the store and the processes are used, for simple texts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from unknot.studies.store import Store
from unknot.studies.workers import Calls, workers

NUMBERS = 400


def text_of(number: int, waits: bool = False) -> str:
    """A text that takes a moment, and differs in length from the next."""
    time.sleep(0.002 if waits else 0)
    return f"{number} " * (1 + number * 37 % 900)


def rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Key, point and result of every row, by key, as any SQLite reader sees them."""
    import sqlite3

    base = sqlite3.connect(path)
    try:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        yield from base.execute("SELECT key, point, result FROM results ORDER BY key")
    finally:
        base.close()


def texts(path: Path) -> None:
    """Keep all texts, two processes at work."""
    with Store(path) as store, workers(None, 2) as pool:
        todo = [number for number in range(NUMBERS) if store.get(str(number)) is None]
        pending, calls = {}, Calls(pool)
        while todo or pending:
            while todo and len(pending) < 4:
                number = todo.pop(0)
                pending[calls.submit(text_of, number, True)] = number
            for future in calls.ended(60):
                number = pending.pop(future)
                store.put(str(number), "point", future.result())


def _main(path: Path) -> None:
    put_all = Store.put_all

    def loud(store: Store, rows: Iterable[tuple[str, str, str]]) -> None:
        kept = [*rows]
        put_all(store, kept)
        print(*(key for key, _, _ in kept), sep="\n", flush=True)

    Store.put_all = loud  # type: ignore[method-assign]
    try:
        if path.suffix == ".toml":
            from unknot.studies.run import run_study

            run_study(path, jobs=2)
        else:
            texts(path)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
