"""Bytes of files: only regular ones, plain or gzipped, or members of a tar archive, and no more than memory allows.

An archive is a folder: `dump.tgz/ibdiagnet2.lst` is a file in it. Nothing is unpacked to the disk.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import tarfile
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from unknot._base import memory
from unknot._base.errors import TextError
from unknot._base.outcomes import note_read

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20
_TAR_AT = 257
"""Offset of the sign of a tar archive."""


def read_bytes(path: str | Path, limit: int = -1, *, growth: int = 4) -> bytes:
    """The first `limit` bytes of a file, or all of it, unpacked when it is gzipped.

    Parameters
    ----------
    limit : int
        Most bytes to return; −1 for all.
    growth : int
        Bytes of memory for each byte of text, once it is read and understood.

    Raises
    ------
    TextError
        If it is no regular file, cannot be opened, or its packed form is damaged or cut off.
    SizeError
        If what the file holds would take more memory than may be used; a gzipped file is unpacked no further.
    """
    try:
        with _regular(Path(path)) as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            size = 0 if packed or limit >= 0 else os.fstat(file.fileno()).st_size
            memory.require(f"reading {path}", size * growth)
            if not packed:
                return file.read(limit)
            with gzip.GzipFile(fileobj=file) as inner:
                return _unpacked(inner, path, limit, growth)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TextError(f"this gzipped file is damaged or cut off ({error})", path) from error
    except NotADirectoryError as error:
        place = _archive(Path(path))
        content = None if place is None else _member(Path(path), place)
        if content is None:
            words = error.strerror if place is None else f"{place.name} has no member of this name"
            raise TextError(f"cannot read this file: {words}", path) from error
        return _of_member(content, path, limit, growth)
    except OSError as error:
        raise TextError(f"cannot read this file: {error.strerror or error}", path) from error


def _regular(path: Path) -> BinaryIO:
    """Open without waiting for anybody, and refuse what is no regular file."""
    if "\0" in str(path):
        raise TextError("no file has a name with a zero byte", ascii(str(path)))
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    note_read(handle)
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(mode), "a device")
        raise TextError(f"cannot read this file: it is {kind}, and only regular files are read", path)
    return open(handle, "rb")


def _unpacked(file: gzip.GzipFile, path: str | Path, limit: int, growth: int) -> bytes:
    if limit >= 0:
        return file.read(limit)
    pieces = bytearray()
    while piece := file.read(_PIECE):
        pieces += piece
        memory.require(
            f"reading {path}, which unpacks to {memory.in_words(len(pieces))} or more,", len(pieces) * growth
        )
    return bytes(pieces)


def _of_member(content: bytes, path: str | Path, limit: int, growth: int) -> bytes:
    """The bytes of a member of an archive, unpacked when it is gzipped."""
    if content[:2] != _GZIP:
        memory.require(f"reading {path}", len(content) * growth if limit < 0 else 0)
        return content if limit < 0 else content[:limit]
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as inner:
            return _unpacked(inner, path, limit, growth)
    except (EOFError, zlib.error, OSError) as error:
        raise TextError(f"this gzipped file is damaged or cut off ({error})", path) from error


def is_folder(path: Path) -> bool:
    """Whether a path is a folder, a tar archive, or a folder in one."""
    if path.is_dir():
        return True
    place = _archive(path)
    return place is not None and (
        place == path or any(name.startswith(_before(path, place)) for name in members(place))
    )


def inside(folder: Path) -> list[Path]:
    """Return what is in a folder, by name; TextError if it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise TextError(f"cannot read this folder: {error.strerror or error}", folder) from error


def is_member(path: Path) -> bool:
    """Whether a path names a file in a tar archive."""
    place = _archive(path)
    return place is not None and _member(path, place) is not None


def entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files and the folders in a folder or archive, by name.

    Of an archive that holds one folder alone, what is in that.

    Raises
    ------
    TextError
        If it cannot be read.
    """
    place = None if folder.is_dir() else _archive(folder)
    if place is None:
        shown = inside(folder)
        return [path for path in shown if path.is_file()], [path for path in shown if path.is_dir()]
    files, folders = list[str](), list[str]()
    while not files and len(folders) < 2:
        before = _before(folder, place)
        parts = [name.removeprefix(before).split("/", 1) for name in members(place) if name.startswith(before)]
        files = sorted({part[0] for part in parts if len(part) == 1})
        folders = sorted({part[0] for part in parts if len(part) > 1})
        if files or len(folders) != 1:
            break
        folder /= folders[0]
    return [folder / name for name in files], [folder / name for name in folders]


def members(archive: Path) -> Mapping[str, bytes]:
    """Return the regular files in a tar archive, plain or gzipped, by name.

    Raises
    ------
    TextError
        If the archive is damaged or cut off.
    SizeError
        If they would take more memory than may be used.
    """
    about = archive.stat()
    return _members(archive, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=1)
def _members(archive: Path, *_: int) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    content = read_bytes(archive)
    if any(content[-2 * tarfile.BLOCKSIZE :]):
        raise TextError("this archive has no end: it is cut off", archive)
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
            for member in tar:
                if member.isreg() and (file := tar.extractfile(member)) is not None:
                    memory.require(f"reading {archive}", len(content) + member.size)
                    parts = [part for part in PurePosixPath(member.name).parts if part not in ("/", ".")]
                    found["/".join(parts)] = file.read()
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise TextError(f"this archive is damaged ({error})", archive) from error
    return found


def _archive(path: Path) -> Path | None:
    """The tar archive at a path, or above."""
    for place in (path, *path.parents):
        with contextlib.suppress(OSError, ValueError):
            if place.is_file():
                return place if read_bytes(place, _TAR_AT + 5)[_TAR_AT:] == b"ustar" else None
    return None


def _member(path: Path, archive: Path) -> bytes | None:
    """The content of a file in an archive; None where the archive has no such file."""
    return members(archive).get(path.relative_to(archive).as_posix())


def _before(path: Path, archive: Path) -> str:
    """The beginning of the names of members that are in a folder of an archive."""
    return "" if path == archive else path.relative_to(archive).as_posix() + "/"
