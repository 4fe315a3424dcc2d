"""LIDs as OpenSM keeps them, and new ones for another LMC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.fabrics.folders import EXAMPLES
from unknot._base.errors import TextError, UnknotError
from unknot.fabrics import read_fabric
from unknot.fabrics.opensm_files import lmc_of, read_guid2lid, reassigned, with_lids, write_guid2lid

FOLDER = EXAMPLES / "opensm-leafspine-degraded-ftree"


@pytest.mark.parametrize("lmc", range(4))
def test_new_lids_are_blocks_in_the_old_order(lmc: int, tmp_path: Path) -> None:
    fabric = read_fabric(FOLDER)
    again = reassigned(fabric, lmc)
    blocks = {int(who): again.lids[again.owner == who].tolist() for who in np.unique(again.owner)}
    hosts = fabric.network.num_terminals
    order = dict.fromkeys(fabric.owner.tolist())
    for kind, size in ((lambda who: who < hosts), 1 << lmc), ((lambda who: who >= hosts), 1):
        ports = [who for who in order if kind(who)]
        firsts = [blocks[who][0] for who in ports]
        assert firsts == sorted(firsts)
        assert all(blocks[who] == [*range(first, first + size)] for who, first in zip(ports, firsts, strict=True))
        assert all(first % size == 0 for first in firsts)
    assert lmc_of(again) == lmc
    assert sorted(lid for block in blocks.values() for lid in block) == [*range(1 << lmc, again.lids[-1] + 1)]
    write_guid2lid(again, tmp_path / "guid2lid")
    read = with_lids(replace(fabric, tables=None), read_guid2lid(tmp_path / "guid2lid"))
    assert (read.lids == again.lids).all()
    assert (read.owner == again.owner).all()


def test_lids_that_are_too_many_are_counted() -> None:
    fabric = read_fabric(EXAMPLES / "ibutils-rhino512")
    with pytest.raises(
        UnknotError, match=r"512 host ports with 128 LIDs each .* take [0-9,]+ LIDs; InfiniBand has 49,151"
    ):
        reassigned(fabric, 7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n", "this file is empty"),
        ("0x1 2\n", "guid2lid has no such line"),
        ("0x1 0x0002 0x0004\n", "are no block of"),
        ("0x1 0x0003 0x0004\n", "are no block of"),
        ("0x1 0x0000 0x0000\n", "are no block of"),
        ("0x1 0xbfff 0xc000\n", "are no block of"),
        ("0x1 0x0002 0x0003\n\n0x2 0x0003 0x0003\n", "LID 0x0003 is a port's in line 1 already"),
        ("0x1 0x0002 0x0002\n0x1 0x0003 0x0003\n", "port 0x0000000000000001 stands in line 1 already"),
        ("0x1 0x0002 0x0002\n", "has no LIDs here"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "guid2lid").write_text(text)
    with pytest.raises(TextError, match=said):
        with_lids(read_fabric(FOLDER), read_guid2lid(tmp_path / "guid2lid"))


def test_ports_with_one_guid_have_no_file(tmp_path: Path) -> None:
    fabric = read_fabric(FOLDER)
    guids = fabric.port_guid.copy()
    guids[1] = guids[0]
    with pytest.raises(UnknotError, match="ports share a GUID"):
        write_guid2lid(replace(fabric, port_guid=guids), tmp_path / "guid2lid")
