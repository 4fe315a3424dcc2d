"""Outcomes of a command: none overwrites what was read, no two are one file, and all take their places together."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from unknot._base.errors import UnknotError

if sys.platform != "win32":
    import fcntl

SETTLED = 60.0
"""Seconds after which an unfinished file that nobody holds is one of a command that was killed."""
Identity = tuple[object, ...]


def identity(path: str | Path) -> Identity:
    """The same for all names of a file: relative, by links, hard links, and in another case where that counts not.

    Of what is not there its folder, and its name in the folder.
    """
    real = Path(os.path.realpath(path))
    with contextlib.suppress(OSError):
        found = real.stat()
        return found.st_dev, found.st_ino
    name = real.name.casefold() if sys.platform in ("darwin", "win32") else real.name
    with contextlib.suppress(OSError):
        folder = real.parent.stat()
        return folder.st_dev, folder.st_ino, name
    return str(real.parent), name


def require_apart(outcomes: Iterable[tuple[str, Path]], inputs: Iterable[tuple[str, Path]]) -> None:
    """Refuse an outcome equal to an input or to another outcome, by the names of their options.

    Raises
    ------
    UnknotError
        If two are one file; pipes and the like may be named twice.
    """
    there = {identity(path): name for name, path in inputs}
    for name, path in outcomes:
        if path.exists() and not path.is_file():
            continue
        other = there.setdefault(identity(path), f"{name} ")
        if other == f"{name} ":
            there[identity(path)] = name
        elif other.startswith("--") or other == name:
            raise UnknotError(f"{name} {path}: {other} names the same file; each needs a file of its own")
        else:
            raise UnknotError(f"{name} {path}: this is a file that {other} names, and would be lost; name another")


class Outcomes:
    """Files read by a command, and files written beside their places."""

    def __init__(self) -> None:
        self.read: set[Identity] = set()
        self.late: dict[Path, tuple[Path, int]] = {}
        """By its place, a file that is written, and a handle that holds it."""
        self.folders: list[Path] = []
        """Folders made for them, those within others first."""
        self._process = os.getpid()

    def takes(self) -> bool:
        """Whether the outcomes belong to this process."""
        return os.getpid() == self._process

    def keep(self, fresh: Path, target: Path, handle: int) -> None:
        """Hold a written file until all files are written; drop an earlier file for the same place."""
        self._drop(target)
        self.late[target] = fresh, handle

    def place(self) -> None:
        """Let all that is written take its place.

        Raises
        ------
        UnknotError
            If one cannot; names the file.
        """
        while self.late:
            target = next(iter(self.late))
            fresh, handle = self.late[target]
            try:
                fresh.replace(target)
            except OSError as error:
                raise UnknotError(f"{target}: it cannot be written: {error.strerror or error}") from error
            del self.late[target]
            os.close(handle)

    def discard(self) -> None:
        """Remove what has not taken its place, and folders that stay empty so."""
        for target in list(self.late):
            self._drop(target)
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _drop(self, target: Path) -> None:
        fresh, handle = self.late.pop(target, (None, -1))
        if fresh is not None:
            with contextlib.suppress(OSError):
                os.close(handle)
                fresh.unlink(missing_ok=True)


_current: Outcomes | None = None


@contextlib.contextmanager
def together() -> Iterator[Outcomes]:
    """Hold what is written within until `place` is called; what is then left is removed."""
    global _current
    before, _current = _current, Outcomes()
    outcomes = _current
    try:
        yield outcomes
    finally:
        outcomes.discard()
        _current = before


def current() -> Outcomes | None:
    """Outcomes of the command that runs; None where files take their places at once."""
    return _current if _current is not None and _current.takes() else None


def note_read(file: int | str | Path) -> None:
    """Remember a file read by the command, by handle or name, so that nothing overwrites the file."""
    if _current is not None:
        with contextlib.suppress(OSError):
            found = os.stat(file)
            _current.read.add((found.st_dev, found.st_ino))


def require_unread(target: Path) -> None:
    """Refuse to overwrite a file, or a folder with one, that the command has read.

    Raises
    ------
    UnknotError
    """
    outcomes = current()
    if outcomes is None or not outcomes.read or not target.exists():
        return
    inside = (file for file in target.rglob("*") if file.is_file()) if target.is_dir() else (target,)
    for file in inside:
        if identity(file) in outcomes.read:
            raise UnknotError(f"{file}: this command has read it, and it would be lost; write into another file")


def hold(file: int) -> None:
    """Mark an unfinished file or folder, by its handle, as one that somebody still writes."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sweep(target: Path) -> None:
    """Remove what killed commands have left of a file or folder; an old folder without a new one comes back."""
    if sys.platform == "win32":
        return
    left = re.compile(re.escape(f".{target.name[:40]}.") + r"[0-9a-f]{12}\.(part|old)")
    with contextlib.suppress(OSError):
        for entry in os.scandir(target.parent):
            word = left.fullmatch(entry.name)
            if word is not None and time.time() - entry.stat().st_ctime > SETTLED and not _held(entry.path):
                if word[1] == "old" and not target.exists():
                    os.rename(entry.path, target)
                elif entry.is_dir():
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


def _held(path: str) -> bool:
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


_QUOTES = re.compile(r"[\s'\"()\[\]{},=]+")


def files_in(texts: Mapping[str, object]) -> Iterator[tuple[str, Path]]:
    """Yield the files that values of options name, each with the option: as they are, behind a format, in a call."""
    for name, value in texts.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, (str, Path)):
                text = str(one)
                pieces = {text, text.partition(":")[2], *_QUOTES.split(text)}
                pieces |= {part for piece in pieces for part in (piece.partition(":")[0], piece.partition(":")[2])}
                for piece in pieces - {""}:
                    with contextlib.suppress(OSError, ValueError):
                        if Path(piece).is_file():
                            yield name, Path(piece)
