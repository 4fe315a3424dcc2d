"""Files are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from unknot._base.output import WriteError, write_bytes, write_text, written, written_folder


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """No file may grow beyond a size: what a full disk or a quota does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "net.dot"
    file.write_text("old")
    file.chmod(0o640)
    write_text(file, "zwölf\r\n")
    assert file.read_bytes() == "zwölf\r\n".encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"1")
    (tmp_path / "b").write_bytes(b"1")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_full_disk_leaves_the_old_file_and_names_it(tmp_path: Path) -> None:
    file = tmp_path / "net.dot"
    file.write_text("old")
    with full_after(4096), pytest.raises(WriteError, match=r"net\.dot: it cannot be written: File too large"):
        write_bytes(file, bytes(100_000))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_device_is_written_to_and_its_error_names_it() -> None:
    write_text(os.devnull, "x")
    with pytest.raises(WriteError, match="/dev/full: it cannot be written: No space left"):
        write_text("/dev/full", "x")


def test_a_pipe_is_written_to_by_its_name() -> None:
    read, write = os.pipe()
    write_text(f"/dev/fd/{write}", "x")
    assert os.read(read, 9) == b"x"
    for end in (read, write):
        os.close(end)


def test_an_error_within_the_block_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "net.dot"
    file.write_text("old")
    with pytest.raises(ZeroDivisionError), written(file) as out:
        out.write(b"half" * (1 // 0))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("name", ["nowhere/a.txt", "file/a.txt", "."])
def test_what_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="it cannot be written") as caught:
        write_text(tmp_path / name, "x")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_folder_is_complete_or_absent(tmp_path: Path) -> None:
    target = tmp_path / "made"
    with contextlib.suppress(ValueError), written_folder(target) as folder:
        (folder / "a").write_text("half")
        raise ValueError
    assert list(tmp_path.iterdir()) == []
    for text in ("first", "second"):
        with written_folder(target) as folder:
            assert not (folder / "a").exists()
            (folder / "a").write_text(text)
        assert (target / "a").read_text() == text
    with full_after(4096), pytest.raises(WriteError), written_folder(target) as folder:
        (folder / "a").write_bytes(bytes(100_000))
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    assert (target / "a").read_text() == "second"
