"""Texts that use other files: only those they may, each once, never in a cycle."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unknot._base.errors import TextError
from unknot.network.tod import TodError, network, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "open"
    inner.mkdir()
    (inner / "lib.tod").write_text('include "base.tod"\ntorus_of(k, n) = side(k) ** n\n', encoding="utf-8")
    (inner / "base.tod").write_text("side(k) = ring(k)\nring(3)", encoding="utf-8")
    (inner / "cable.edges").write_text("a b 4\nb -> c\n", encoding="utf-8")
    (tmp_path / "secret.tod").write_text("ring(3)", encoding="utf-8")
    return inner


def test_include_takes_definitions_and_file_a_network(folder: Path) -> None:
    assert network('include "lib.tod"; torus_of(4, 2)', folders=[folder]) == network("torus(4, 4)")
    assert network('include "base.tod"; side(k) = line(k); side(4)', folders=[folder]) == network("line(4)")
    assert network('file("base.tod") * file("base.tod")', folders=[folder]) == network("ring(3) ** 2")
    found = network('file("cable.edges")', folders=[folder])
    assert found.router_labels == ("a", "b", "c")
    assert found.latency.tolist() == [4, 4, 1]


def test_read_uses_the_folder_of_the_file(folder: Path) -> None:
    (folder / "main.tod").write_text('include "lib.tod"\ntorus_of(3, 2)', encoding="utf-8")
    assert read(folder / "main.tod").num_routers == 9
    with pytest.raises(TextError, match="may not read files"):
        read(folder / "main.tod", folders=[])
    with pytest.raises(TextError, match="the limit is 10"):
        read(folder / "main.tod", max_channels=10)


@pytest.mark.parametrize(
    "path", ["../secret.tod", "{out}/secret.tod", "none.tod", "", ".", "a\\u0000b", "link.tod", "~"]
)
def test_no_way_out_of_the_folders(folder: Path, path: str) -> None:
    os.symlink(folder.parent / "secret.tod", folder / "link.tod")
    text = f'file("{path.replace("{out}", str(folder.parent))}")'
    with pytest.raises(TextError, match=r"there is no file .* and none outside may be read") as caught:
        network(text, folders=[folder])
    assert caught.value.column == 1
    with pytest.raises(TextError, match="this text may not read files"):
        network(text)


def test_files_in_a_circle(folder: Path) -> None:
    (folder / "a.tod").write_text('include "b.tod"\nring(3)', encoding="utf-8")
    (folder / "b.tod").write_text('include "a.tod"', encoding="utf-8")
    (folder / "c.tod").write_text('line(2) * file("c.tod")', encoding="utf-8")
    with pytest.raises(TextError, match=r"in a cycle: a.tod → b.tod → a.tod") as caught:
        network('include "a.tod"; ring(3)', folders=[folder])
    assert caught.value.where.endswith("b.tod")
    with pytest.raises(TextError, match=r"in a cycle: c.tod → c.tod"):
        read(folder / "c.tod")


def test_chains_of_files_end(folder: Path) -> None:
    for i in range(30):
        (folder / f"n{i}.tod").write_text(f'line(2) | file("n{i + 1}.tod")', encoding="utf-8")
    with pytest.raises(TextError, match="too many files"):
        read(folder / "n0.tod")


def test_problems_are_reported_in_the_file_where_they_are(folder: Path) -> None:
    (folder / "bad.tod").write_text("a = rign(3)\nb = ring(3, x=1)\n", encoding="utf-8")
    with pytest.raises(TodError) as caught:
        network('include "bad.tod"; ring(3)', folders=[folder])
    assert [(Path(p.where).name, p.line, p.column) for p in caught.value.problems] == [
        ("bad.tod", 1, 5),
        ("bad.tod", 2, 13),
    ]
    (folder / "late.tod").write_text("f(g) = step(g, 2)\n", encoding="utf-8")
    with pytest.raises(TextError, match="step is for a line or a ring") as late:
        network('include "late.tod"; f(complete(3))', folders=[folder])
    assert (Path(late.value.where).name, late.value.line, late.value.column) == ("late.tod", 1, 13)


def test_files_that_are_no_text(folder: Path) -> None:
    (folder / "noise.tod").write_bytes(b"\xfd\xfe\x00")
    with pytest.raises(TextError, match="this is not text"):
        read(folder / "noise.tod")
    with pytest.raises(TextError, match=r"cannot read this file: No such file"):
        read(folder / "absent.tod")
    with pytest.raises(TextError, match="it is a folder"):
        read(folder)
    (folder / "broken.edges").write_text("a b c d e", encoding="utf-8")
    with pytest.raises(TextError, match="expected `u v`"):
        network('file("broken.edges")', folders=[folder])
    (folder / "big.tod").write_bytes(b"#" * 17_000_000)
    with pytest.raises(TextError, match="the limit is 16000000"):
        network('file("big.tod")', folders=[folder])


def test_a_file_without_a_network(folder: Path) -> None:
    with pytest.raises(TextError, match=r"lib.tod has definitions but no network of its own; use include"):
        network('file("lib.tod")', folders=[folder])
    with pytest.raises(TextError, match="file: path must be a file name"):
        network("file(3)", folders=[folder])
