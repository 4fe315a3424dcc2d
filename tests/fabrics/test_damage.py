"""Files cut off anywhere and files with a wrong byte: an error that says where, or the meaning of the whole file."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fabrics.folders import EXAMPLES, OPENSM, same, wiring
from unknot._base.errors import UnknotError
from unknot.fabrics import Fabric, read_fabric, read_network
from unknot.fabrics.fabric import UNKNOWN_PORT
from unknot.fabrics.fabric_lists import read_subnet_list

Result = TypeVar("Result")
LEAFSPINE, SWITCHES65 = EXAMPLES / "opensm-leafspine-degraded-ftree", EXAMPLES / "ibutils-65sw"
DESCRIPTIONS = [folder / "fabric.ibnetdiscover" for folder in OPENSM]
DESCRIPTIONS += [folder / "opensm-subnet.lst" for folder in (*OPENSM, SWITCHES65)]
DESCRIPTIONS += [EXAMPLES / "ibutils-rhino512" / "opensm-subnet.lst.gz"]
TABLES = [folder / name for folder in OPENSM for name in ("opensm-lfts.dump", "opensm.fdbs")]
TABLES += [SWITCHES65 / "opensm.fdbs"]
NAMES = [f"{path.parent.name}/{path.name}" for path in (*DESCRIPTIONS, *TABLES)]


def described(path: Path) -> Path:
    found = path.parent / "fabric.ibnetdiscover"
    return found if found.exists() else path.parent / "opensm-subnet.lst"


@cache
def whole(path: Path) -> Fabric:
    return read_fabric(path) if path in DESCRIPTIONS else read_fabric(described(path), path)


def read_damaged(original: Path, content: bytes) -> Fabric | None:
    """The fabric as read, or None when it was refused in the proper way."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "damaged"
        path.write_bytes(content)
        arguments = (path,) if original in DESCRIPTIONS else (described(original), path)
        return attempt(lambda: read_fabric(*arguments), str(path))


def attempt(read: Callable[[], Result], named: str) -> Result | None:
    """What was read; None when it was refused with an error that names the file."""
    refused: UnknotError | None = None
    try:
        return read()
    except UnknotError as error:
        refused = error
    assert named in str(refused)
    return None


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("path", [*DESCRIPTIONS, *TABLES], ids=NAMES)
@settings(max_examples=4)
@given(data=st.data())
def test_cut_off_anywhere(path: Path, data: st.DataObject) -> None:
    content = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == 10] if path.suffix != ".gz" else []
    anywhere = st.integers(0, len(content) - 1)
    cut = data.draw(
        st.one_of(anywhere, st.sampled_from(ends), st.integers(ends[-2], len(content))) if ends else anywhere
    )
    found = read_damaged(path, content[:cut])
    if found is not None and path in TABLES:
        assert wiring(found) == wiring(whole(path))
        assert found.tables is not None
        known = found.tables != UNKNOWN_PORT
        assert (found.tables[known] == np.asarray(whole(path).tables)[known]).all()
    else:
        assert found is None or same(found, whole(path))


@pytest.mark.parametrize("path", [LEAFSPINE / "fabric.ibnetdiscover", SWITCHES65 / "opensm-subnet.lst"])
def test_cut_off_after_every_block_of_lines(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    for end in range(0, len(lines), 5):
        assert read_damaged(path, b"".join(lines[:end])) is None


@settings(max_examples=5)
@given(share=st.floats(0, 0.999))
def test_a_packed_list_that_was_cut_off_before_it_was_packed(share: float) -> None:
    path = DESCRIPTIONS[-1]
    text = gzip.decompress(path.read_bytes())
    assert read_damaged(path, gzip.compress(text[: int(share * (len(text) - 100))], 1)) is None


def cabled(fabric: Fabric) -> tuple[object, ...]:
    """What is said twice in a description: not LMC, nor port GUIDs of switches."""
    hosts = fabric.port_guid[: fabric.network.num_terminals].tolist()
    return (*wiring(fabric)[:6], hosts, fabric.host_port.tolist())


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("path", [*DESCRIPTIONS, *TABLES], ids=NAMES)
@settings(max_examples=4)
@given(data=st.data())
def test_one_wrong_byte(path: Path, data: st.DataObject) -> None:
    content = bytearray(path.read_bytes())
    where = data.draw(st.integers(0, len(content) - 1))
    content[where] = data.draw(st.one_of(st.sampled_from(b'0123456789abcdef \n#[]{}"'), st.integers(0, 255)))
    found = read_damaged(path, bytes(content))
    if found is not None and path in DESCRIPTIONS:
        assert cabled(found) == cabled(whole(path))
        assert set(whole(path).lids.tolist()) <= set(found.lids.tolist())
    elif found is not None:
        assert wiring(found) == wiring(whole(path))


@given(data=st.data())
def test_one_wrong_byte_in_tables_that_are_there_twice(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["opensm-lfts.dump", "opensm.fdbs"]))
    content = bytearray((LEAFSPINE / name).read_bytes())
    where = data.draw(st.integers(0, len(content) - 1))
    content[where] = data.draw(st.sampled_from(b"0123456789abcdef"))
    with TemporaryDirectory() as folder:
        for file in ("fabric.ibnetdiscover", "opensm-lfts.dump", "opensm.fdbs"):
            (Path(folder) / file).write_bytes(bytes(content) if file == name else (LEAFSPINE / file).read_bytes())
        found = attempt(lambda: read_fabric(folder), folder)
        assert found is None or same(found, whole(LEAFSPINE / "opensm.fdbs"))


@given(data=st.data())
def test_ibsim_networks_cut_off_or_with_a_wrong_byte(data: st.DataObject) -> None:
    path = LEAFSPINE / "ibsim.net"
    content, wanted = path.read_bytes(), read_network(path)
    where = data.draw(st.integers(20, len(content.rstrip()) - 1))
    with TemporaryDirectory() as folder:
        (Path(folder) / "cut").write_bytes(content[:where])
        with pytest.raises(UnknotError, match="cut"):
            read_network(Path(folder) / "cut")
        flipped = content[:where] + bytes([data.draw(st.integers(0, 255))]) + content[where + 1 :]
        (Path(folder) / "flipped").write_bytes(flipped)
        found = attempt(lambda: read_network(Path(folder) / "flipped"), "flipped")
        if found is not None:
            assert (found.num_channels, found.num_terminals) == (wanted.num_channels, wanted.num_terminals)


@settings(max_examples=15)
@given(
    text=st.text(max_size=200), head=st.sampled_from(["", "{ SW NodeGUID:00 PN:", "Unicast lids [", "vendid=0x0\n"])
)
def test_any_text_is_read_or_refused(text: str, head: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_text(head + text, encoding="utf-8", newline="")
        with pytest.raises(UnknotError):
            read_fabric(path)
        with pytest.raises(UnknotError):
            read_subnet_list(path)
