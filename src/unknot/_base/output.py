"""Files that are written whole or not at all, with the manifest of the command that runs."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unknot._base import outcomes
from unknot._base.errors import UnknotError
from unknot._base.manifest import SIDE, Manifest, line, manifest_of, stamped

if TYPE_CHECKING:
    pass


class WriteError(UnknotError):
    """A file that could not be written; whatever stood there before still does."""

    def __init__(self, path: str | Path, reason: str) -> None:
        self.path, self.reason = str(path), reason
        super().__init__(f"{path}: it cannot be written: {reason}")

    def __reduce__(self) -> tuple[type[WriteError], tuple[str, str]]:
        return WriteError, (self.path, self.reason)


def write_text(path: str | Path, text: str, *, encoding: str = "utf-8") -> None:
    """Write a text beside the file and rename it: readers see the old file or the new one, never a part.

    Lines end as they do in `text`. While a command runs its manifest is put in, where the format has room for it, and
    into a file beside a CSV file.

    Raises
    ------
    WriteError
        If the folder is missing, the disk is full or the like; names the file.
    """
    manifest, ending = manifest_at(path), Path(path).suffix.lower()
    if manifest is not None:
        text = stamped(text, ending, manifest)
    write_bytes(path, text.encode(encoding))
    if manifest is not None and ending == ".csv":
        write_bytes(f"{path}{SIDE}", f"{line(manifest)}\n".encode())


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write bytes beside the file and rename it.

    Raises
    ------
    WriteError
    """
    with written(path) as file:
        file.write(content)


@contextlib.contextmanager
def written(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file beside `path` that takes its place when the block ends without an error.

    A link is followed, permissions of the old file are kept. What is no regular file (a pipe, ``/dev/stdout``) is
    written to as it is.

    Raises
    ------
    WriteError
        For any `OSError` within the block.
    """
    if _captured is not None and _folder_of(path) is None:
        content = io.BytesIO()
        yield content
        _captured[str(path)] = content.getvalue()
        return
    try:
        with replacing(Path(path), together=_folder_of(path) is None) as file:
            yield file
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


@contextlib.contextmanager
def replacing(path: Path, *, together: bool = False) -> Iterator[BinaryIO]:
    """Open a file beside `path` that takes its place, at once or together with the other outcomes of a command."""
    target = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(13, "permission denied", str(target))
    held = outcomes.current() if together else None
    if held is not None:
        outcomes.require_unread(target)
    outcomes.sweep(target)
    fresh = target.with_name(f".{target.name[:40]}.{os.urandom(6).hex()}.part")
    try:
        _unfinished.add(fresh)
        with fresh.open("xb") as file:
            outcomes.hold(file.fileno())
            if target.exists():
                os.chmod(fresh, target.stat().st_mode & 0o7777)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if held is not None:
                held.keep(fresh, target, os.dup(file.fileno()))
        if held is None:
            fresh.replace(target)
    finally:
        if held is None or target not in held.late:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
        _unfinished.discard(fresh)


@contextlib.contextmanager
def written_folder(path: str | Path) -> Iterator[Path]:
    """Make a folder beside `path` that takes its place, whole, when the block ends without an error.

    Raises
    ------
    WriteError
        For any `OSError` within the block.
    """
    if _captured is not None:
        with tempfile.TemporaryDirectory() as name, _named(Path(name), Path(path)) as fresh:
            yield fresh
            files = [file for file in fresh.rglob("*") if file.is_file()]
            _captured.update({str(Path(path) / f.relative_to(fresh)): f.read_bytes() for f in files})
        return
    target = Path(os.path.realpath(path))
    token = os.urandom(6).hex()
    fresh, old = (target.with_name(f".{target.name[:40]}.{token}.{word}") for word in ("part", "old"))
    outcomes.sweep(target)
    try:
        _unfinished.add(fresh)
        fresh.mkdir(parents=True)
        with _held(fresh), _named(fresh, Path(path)):
            yield fresh
        outcomes.require_unread(target)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except OSError as error:
        if old.exists() and not target.exists():
            old.rename(target)
        raise WriteError(path, error.strerror or str(error)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
        _unfinished.discard(fresh)


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a temporary folder, whose files can be read as soon as they are written."""
    with tempfile.TemporaryDirectory() as name, _named(Path(name), Path(name)) as fresh:
        yield fresh


@contextlib.contextmanager
def _held(fresh: Path) -> Iterator[None]:
    """Show that somebody still writes a folder, where the system can."""
    handle = os.open(fresh, os.O_RDONLY) if sys.platform != "win32" else -1
    try:
        outcomes.hold(handle)
        yield
    finally:
        if handle >= 0:
            os.close(handle)


@contextlib.contextmanager
def _named(fresh: Path, folder: Path) -> Iterator[Path]:
    """Know the name that a folder will have."""
    _folders[fresh] = folder
    try:
        yield fresh
    finally:
        del _folders[fresh]


def make_folder(path: Path) -> None:
    """Create a folder for files with its parents, unless files are captured; WriteError on failure.

    If no file in the folder takes its place, the folder goes too.
    """
    if _captured is None:
        if (held := outcomes.current()) is not None:
            held.folders += [folder for folder in (path, *path.parents) if not folder.exists()]
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(path, error.strerror or str(error)) from error


def require_place(path: Path, *, makes_folders: bool = False) -> None:
    """Refuse a file or folder that could not be written in the end, unless files are captured.

    Parameters
    ----------
    makes_folders : bool
        Whether the folders it is in will be made.

    Raises
    ------
    WriteError
    """
    if _captured is not None or (path.exists() and not path.is_file()):
        return
    target = Path(os.path.realpath(path))
    folder = target.parent
    while makes_folders and not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise WriteError(path, f"there is no folder {path.parent}")
    if not os.access(folder, os.W_OK) or (target.is_file() and not os.access(target, os.W_OK)):
        raise WriteError(path, "permission denied")


@contextlib.contextmanager
def captured() -> Iterator[dict[str, bytes]]:
    """Keep in memory what is written, by name, and leave all files as they are until the block ends."""
    global _captured
    _captured = {}
    try:
        yield _captured
    finally:
        _captured = None


def is_captured() -> bool:
    """Whether files are to stay as they are."""
    return _captured is not None


def manifest_at(path: str | Path) -> Manifest | None:
    """The manifest of a file, or of the folder it is written with; None where no command runs."""
    return manifest_of(str(_folder_of(path) or path))


def _folder_of(path: str | Path) -> Path | None:
    """The folder, as it will be named, that a file is written with."""
    return next((folder for fresh, folder in _folders.items() if Path(path).is_relative_to(fresh)), None)


_captured: dict[str, bytes] | None = None
_folders: dict[Path, Path] = {}
"""Folders that are being written, and their names."""
_unfinished: set[Path] = set()
"""Files and folders of this process that have not taken their places yet, for those who have to leave at once."""


def is_writing() -> bool:
    """Whether a file is being written."""
    return any(fresh.is_file() for fresh in list(_unfinished))


def discard_unfinished() -> None:
    """Remove what is unfinished and was not renamed; for the moment before the process is ended."""
    held = outcomes.current()
    if held is not None:
        held.discard()
    for fresh in list(_unfinished):
        if fresh.is_dir():
            shutil.rmtree(fresh, ignore_errors=True)
            continue
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
