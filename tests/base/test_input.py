"""Reading files: regular ones only, and no more than memory allows."""

from __future__ import annotations

import gzip
import os
import socket
import zlib
from pathlib import Path

import pytest

from unknot._base.errors import TextError
from unknot._base.input import read_bytes, read_lines, read_text
from unknot._base.memory import SizeError, memory_limit
from unknot.fabrics import FORMATS, read_network


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = {"pipe": "a pipe", ".": "a folder", "/dev/zero": "a device", "/dev/null": "a device"}
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, kind in kinds.items():
            with pytest.raises(TextError, match=f"it is {kind}, and only regular files are read"):
                read_bytes(name)
        with pytest.raises(TextError, match="cannot read this file"):
            read_bytes("socket")
    with pytest.raises(TextError, match="zero byte"):
        read_bytes("a\0b")


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.holds != "program"])
def test_every_reader_refuses_a_pipe(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TextError, match="it is a pipe"):
        FORMATS[name].read(tmp_path / "pipe")
    with pytest.raises(TextError, match="it is a pipe"):
        read_network(tmp_path / "pipe")


def test_a_small_gzip_of_much_is_refused_after_a_bounded_amount(tmp_path: Path) -> None:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    with (tmp_path / "n.edges.gz").open("wb") as file:
        for _ in range(64):
            file.write(pack.compress(b"a" * 2**20))
        file.write(pack.flush())
    with memory_limit("512M"):
        with pytest.raises(SizeError, match=r"n.edges.gz, which unpacks to [45] MiB or more, would take about"):
            read_network(tmp_path / "n.edges.gz")
        assert len(read_bytes(tmp_path / "n.edges.gz", 1000)) == 1000
        assert len(read_bytes(tmp_path / "n.edges.gz", growth=2)) == 64 * 2**20


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "n.gml").open("wb") as file:
        file.truncate(2**33)
    with memory_limit("4G"), pytest.raises(SizeError, match=r"reading .*n.gml would take about [0-9.]+ [GT]iB"):
        read_network(tmp_path / "n.gml")


def test_text_and_lines(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes("\ufeffä\r\nb\n\n".encode())
    assert read_text(tmp_path / "t") == "ä\r\nb\n\n"
    assert read_lines(tmp_path / "t") == ["ä", "b"]
    (tmp_path / "t").write_bytes(gzip.compress(b"ab\ncd\xff"))
    with pytest.raises(TextError, match=r"t:2:3: this is not text"):
        read_text(tmp_path / "t")
    (tmp_path / "t").write_bytes(b" \n\n")
    with pytest.raises(TextError, match="empty"):
        read_lines(tmp_path / "t")
